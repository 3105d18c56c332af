// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The processes of a storm, seen from the one that has started them.
#pragma once

#include "cgroup.hpp"
#include "process.hpp"

#include <vector>

namespace storm {

class Crew {
public:
    Crew(const Plan& plan, std::size_t size);
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    // Nobody of it is left, or else that is a fault.
    ~Crew();

    // SIGKILL to one of them, in the middle of whatever it does; another takes its place.
    void kill_one(vm::Random& random);
    // A process that takes all the memory that the others leave; or it dies.
    void toggle_hog();
    // Those that have died by themselves, which only want of memory may bring about.
    void replace_dead();
    // Lets those that live come to their end; it is a fault if they do not.
    void finish();

    const ControlGroup& group() const { return group_; }
    std::size_t kills() const { return kills_; }

private:
    pid_t start_process();
    void reap(pid_t& process, int status);

    const Plan plan_;
    const ControlGroup group_;
    std::size_t started_ = 0;
    std::size_t kills_ = 0;
    std::vector<pid_t> processes_;
    pid_t hog_ = -1;
};

} // namespace storm
