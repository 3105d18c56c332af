// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "kernel_log.hpp"

#include "error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace vm {

namespace {

// As in tools/vm/klog.py, as far as one line tells.
constexpr std::array<std::string_view, 14> signs = {
    "BUG",
    "WARNING: ",
    "------------[ cut here",
    "Kernel panic",
    "Oops",
    "general protection fault",
    "UBSAN: ",
    "ODEBUG: ",
    "list_add",
    "list_del",
    "refcount_t",
    "INFO: trying to register non-static key",
    "INFO: task ",
    "kmem_cache_destroy",
};

// In lines that look like a report and may be none of us: whose data race it is, only the next
// lines tell; the other is a fault of rxe's own.
constexpr std::array<std::string_view, 2> exceptions = {
    "BUG: KCSAN: ",
    "use-after-free in rxe_resp_queue_pkt+",
};

// Near the line's start: what follows may be a program's.
bool is_report(std::string_view line) {
    const auto has = [start = line.substr(0, 80)](std::string_view sign) {
        return start.find(sign) != std::string_view::npos;
    };
    return std::ranges::none_of(exceptions, has) && std::ranges::any_of(signs, has);
}

} // namespace

KernelLog::KernelLog() : fd_(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    must(fd_ != -1 && lseek(fd_, 0, SEEK_END) != -1, "/dev/kmsg cannot be read");
}

KernelLog::~KernelLog() { close(fd_); }

std::string KernelLog::report() const {
    std::string found;
    std::array<char, 8192> record;
    for (;;) {
        const ssize_t length = read(fd_, record.data(), record.size());
        if (length > 0) {
            // "priority,number,time,flags;text"
            std::string_view text(record.data(), static_cast<std::size_t>(length));
            text.remove_prefix(std::min(text.size(), text.find(';') + 1));
            text = text.substr(0, text.find('\n'));
            if (found.empty() && is_report(text)) {
                found = text;
            }
        } else if (errno != EPIPE) { // which only says that some were missed
            return found;
        }
    }
}

} // namespace vm
