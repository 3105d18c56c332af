// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "watchdog.hpp"

#include "../vm/support/process.hpp"
#include "board.hpp"
#include "cgroup.hpp"
#include "trace.hpp"

#include <csignal>
#include <iostream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace storm {

using namespace std::chrono_literals;

namespace {

std::int64_t now() { return vm::Clock::now().time_since_epoch() / vm::Duration(1); }

void print_activities() {
    for (const Activity& activity : board().activities) {
        const int call = activity.call;
        if (activity.thread && call >= 0) {
            std::cout << "thread " << activity.thread << " is in "
                      << name_of(static_cast<Call>(call)) << '\n';
        }
    }
}

// What a group has at this moment; it is not ours, so it is not made or removed.
void print_processes(pid_t watched) {
    print_stacks(watched);
    for (const pid_t pid : members_of_storm()) {
        std::cout << "process " << pid << '\n';
        print_stacks(pid);
    }
}

[[noreturn]] void watch(pid_t watched) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (now() < board().deadline) {
        std::this_thread::sleep_for(100ms);
    }
    std::cout << "FAILED: the storm does not end\n";
    print_activities();
    print_processes(watched);
    log_blocked_tasks();
    vm::try_run({"rdma", "resource", "show", "qp"});
    std::cout << std::flush;
    kill(watched, SIGKILL);
    _exit(1);
}

} // namespace

Watchdog::Watchdog() : pid_(-1) {
    expect_next(vm::limit());
    const pid_t watched = getpid();
    pid_ = fork();
    vm::must(pid_ == -1 ? vm::last_error() : vm::ok);
    if (pid_ == 0) {
        watch(watched);
    }
}

Watchdog::~Watchdog() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

void Watchdog::expect_next(vm::Duration within) { board().deadline = now() + within.count(); }

} // namespace storm
