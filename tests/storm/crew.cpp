// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "crew.hpp"

#include "board.hpp"
#include "hog.hpp"

#include <csignal>
#include <functional>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace storm {

namespace {

// A child of this one that does `body` and ends.
pid_t start(const ControlGroup& group, const std::function<void()>& body) {
    const pid_t pid = fork();
    vm::must(pid == -1 ? vm::last_error() : vm::ok);
    if (pid != 0) {
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The kernel's own threads are to keep up with what is asked of them.
    setpriority(PRIO_PROCESS, 0, 5);
    try {
        group.join();
        body();
    } catch (const std::exception& error) {
        board().fault(error.what());
    }
    _exit(0);
}

void kill_and_wait(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
}

} // namespace

Crew::Crew(const Plan& plan, std::size_t size) : plan_(plan) {
    for (std::size_t i = 0; i < size; ++i) {
        processes_.push_back(start_process());
    }
}

Crew::~Crew() {
    if (!group_.end()) {
        board().fault("a process cannot be killed");
    }
}

pid_t Crew::start_process() {
    const std::size_t number = started_++;
    return start(group_, [&] { Process(plan_, number).run(); });
}

void Crew::kill_one(vm::Random& random) {
    pid_t& victim = processes_[random.below(processes_.size())];
    kill_and_wait(victim);
    ++kills_;
    victim = start_process();
}

void Crew::toggle_hog() {
    if (hog_ > 0) {
        kill_and_wait(hog_);
        hog_ = -1;
        group_.limit_memory("max");
    } else {
        board().scarce = true;
        group_.limit_memory(std::to_string(hog_limit));
        hog_ = start(group_, hog_memory);
    }
}

void Crew::reap(pid_t& process, int status) {
    process = -1;
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return;
    }
    if (!killed || !board().scarce) {
        board().fault("a process died, status " + std::to_string(status));
    }
}

void Crew::replace_dead() {
    int status = 0;
    if (hog_ > 0 && waitpid(hog_, &status, WNOHANG) == hog_) {
        hog_ = -1;
    }
    for (pid_t& process : processes_) {
        if (waitpid(process, &status, WNOHANG) == process) {
            reap(process, status);
            ++kills_;
            process = start_process();
        }
    }
}

void Crew::finish() {
    if (hog_ > 0) {
        toggle_hog();
    }
    for (pid_t& process : processes_) {
        int status = 0;
        waitpid(process, &status, 0);
        reap(process, status);
    }
}

} // namespace storm
