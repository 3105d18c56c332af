// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "watchdog.hpp"

#include "../vm/support/error.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fuzz {

using namespace std::chrono_literals;

namespace {

// Longer than anything that is to be waited for, such as the counters.
constexpr auto longest_silence = 90s;
constexpr int hung = 3;

Progress& shared_progress() {
    void* memory =
        mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    vm::must_succeed(memory != MAP_FAILED, "mmap");
    return *new (memory) Progress;
}

} // namespace

void Progress::begin(std::uint64_t number, const std::string& text) {
    length_ = std::min(text.size(), room);
    std::memcpy(text_, text.data(), length_);
    number_ = number;
    ++beats_;
}

int watch(const std::function<int(Progress&)>& job,
          const std::function<void(const Progress&, const std::string& why)>& lost) {
    Progress& progress = shared_progress();
    const pid_t child = fork();
    vm::must_succeed(child != -1, "fork");
    if (child == 0) {
        std::_Exit(job(progress));
    }
    std::uint64_t seen = 0;
    auto since = std::chrono::steady_clock::now();
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        const auto now = std::chrono::steady_clock::now();
        if (progress.beats() != seen) {
            seen = progress.beats();
            since = now;
        } else if (now - since > longest_silence) {
            // Who waits for what goes into the kernel's log.
            std::ofstream("/proc/sysrq-trigger") << 'w';
            lost(progress, "hangs");
            kill(child, SIGKILL);
            return hung;
        }
        std::this_thread::sleep_for(50ms);
    }
    if (WIFEXITED(status)) {
        return WEXITSTATUS(status);
    }
    lost(progress, "died by a signal");
    return hung;
}

} // namespace fuzz
