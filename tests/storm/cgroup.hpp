// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A control group for the processes of a storm: its memory is limited, and all in it can be killed.
#pragma once

#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

namespace storm {

class ControlGroup {
public:
    ControlGroup();
    ControlGroup(const ControlGroup&) = delete;
    ControlGroup& operator=(const ControlGroup&) = delete;
    ~ControlGroup();

    void join() const;
    void limit_memory(const std::string& bytes) const;
    // SIGKILL to all; returns whether nobody is left in time.
    bool end() const;
};

// Whoever is in it.
std::vector<pid_t> members_of_storm();

// What they all use, in bytes.
std::size_t memory_of_storm();

} // namespace storm
