// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Nothing in a storm may block for ever, not even whoever watches over it; so this is a process of
// its own.
#pragma once

#include "../vm/support/wait.hpp"

#include <string>
#include <sys/types.h>

namespace storm {

class Watchdog {
public:
    // From the process that is to be watched.
    Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog();

    // If this is not called again in time, it says who does what, and kills.
    static void expect_next(vm::Duration within);

private:
    pid_t pid_;
};

} // namespace storm
