// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The kernel's log: whether it has reported something since the last look.
#pragma once

#include <string>

namespace fuzz {

class KernelLog {
public:
    KernelLog();
    KernelLog(const KernelLog&) = delete;
    KernelLog& operator=(const KernelLog&) = delete;
    ~KernelLog();

    // The first line of a report, or nothing. tools/vm/run is who judges in the end; this is to
    // know which sequence it was.
    std::string report() const;

private:
    int fd_;
};

} // namespace fuzz
