// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a storm leaves for people who look for the reason of its failure.
#pragma once

#include <string>
#include <sys/types.h>

namespace storm {

// To the kernel's log, so that what the kernel says next can be understood.
void log(const std::string& what_the_storm_does);

// What every thread of a process waits for goes to the output, as far as the kernel tells.
void print_stacks(pid_t process);

// All tasks that cannot be interrupted go to the kernel's log.
void log_blocked_tasks();

} // namespace storm
