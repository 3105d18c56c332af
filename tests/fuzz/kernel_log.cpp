// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "kernel_log.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace fuzz {

namespace {

// As in tools/vm/klog.py; but hangs are left to it.
bool is_report(std::string_view line) {
    for (const std::string_view start :
         {"BUG", "WARNING: ", "------------[ cut here", "Kernel panic", "Oops",
          "general protection fault", "UBSAN: ", "ODEBUG: ", "list_add", "list_del", "refcount_t: ",
          "INFO: trying to register non-static key", "INFO: task ", "kmem_cache_destroy "}) {
        if (line.starts_with(start)) {
            return true;
        }
    }
    return line.find("cm_destroy_id_wait_timeout") != std::string_view::npos;
}

} // namespace

KernelLog::KernelLog() : fd_(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (fd_ == -1 || lseek(fd_, 0, SEEK_END) == -1) {
        throw std::system_error(errno, std::generic_category(), "/dev/kmsg");
    }
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

} // namespace fuzz
