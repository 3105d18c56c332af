// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the kernel says while a storm goes on; tools/vm/run judges it all once more at the end.
#pragma once

#include <string>

namespace storm {

class KernelLog {
public:
    // From here on.
    KernelLog();
    KernelLog(const KernelLog&) = delete;
    KernelLog& operator=(const KernelLog&) = delete;
    ~KernelLog();

    // The first complaint since the last look, or "".
    std::string complaint() const;

private:
    int fd_;
};

// So that what the kernel says next can be understood.
void log(const std::string& what_the_storm_does);

// What every thread of a process waits for goes to the output, as far as the kernel tells.
void print_stacks(pid_t process);
// All tasks that cannot be interrupted go to the kernel's log.
void log_blocked_tasks();

} // namespace storm
