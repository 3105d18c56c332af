// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "twin.hpp"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace storm {

namespace {

constexpr std::size_t operations = 40;

// The child of a process with threads has this one only; what the others held is held for ever. It
// has nothing of them but the board, though, which has no locks.
[[noreturn]] void live(const std::shared_ptr<StormFile>& file, const vm::Random& random) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Process process(file);
    Actor(process, random, max_threads - 1).act(operations);
    _exit(0);
}

} // namespace

void share_with_twin(Actor& actor) {
    static thread_local bool is_twin = false;
    if (is_twin) {
        return;
    }
    const auto file = std::make_shared<StormFile>(true);
    const std::uint64_t seed = actor.random.bits();
    const pid_t pid = fork();
    if (pid == 0) {
        is_twin = true;
        live(file, vm::Random(seed, 0));
    }
    Process both(file);
    Actor(both, vm::Random(seed, 1), max_threads - 2).act(actor.random.below(operations));
    if (pid > 0) {
        if (actor.random.once_in(2)) {
            kill(pid, SIGKILL);
        }
        while (waitpid(pid, nullptr, 0) == -1 && errno == EINTR) {
        }
    }
}

} // namespace storm
