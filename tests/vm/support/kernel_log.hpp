// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The kernel's log: whether it has reported something since the last look. tools/vm/run is who
// judges in the end; this is to know what was done at that time.
#pragma once

#include <string>

namespace vm {

class KernelLog {
public:
    // From here on.
    KernelLog();
    KernelLog(const KernelLog&) = delete;
    KernelLog& operator=(const KernelLog&) = delete;
    ~KernelLog();

    // The first line of a report, or "".
    std::string report() const;

private:
    int fd_;
};

} // namespace vm
