// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "kernel_log.hpp"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>
#include <unistd.h>

namespace storm {

namespace {

constexpr std::array trouble = {
    std::string_view("BUG"),
    std::string_view("WARNING: "),
    std::string_view("UBSAN: "),
    std::string_view("ODEBUG: "),
    std::string_view("refcount_t"),
    std::string_view("general protection fault"),
    std::string_view("INFO: task"),
    std::string_view("kmem_cache_destroy"),
    std::string_view("cm_destroy_id_wait_timeout"),
};

bool is_complaint(std::string_view record) {
    const std::string_view message = record.substr(record.find(';') + 1);
    for (const std::string_view word : trouble) {
        if (message.substr(0, 80).find(word) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

} // namespace

KernelLog::KernelLog() : fd_(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    lseek(fd_, 0, SEEK_END);
}

KernelLog::~KernelLog() { close(fd_); }

std::string KernelLog::complaint() const {
    std::array<char, 8192> record;
    for (;;) {
        const ssize_t size = read(fd_, record.data(), record.size());
        if (size <= 0) {
            return "";
        }
        const std::string_view text(record.data(), static_cast<std::size_t>(size));
        if (is_complaint(text)) {
            const std::size_t begin = text.find(';') + 1;
            return std::string(text.substr(begin, text.find('\n') - begin));
        }
    }
}

void log(const std::string& what_the_storm_does) {
    std::ofstream("/dev/kmsg") << "storm: " << what_the_storm_does << std::flush;
}

void print_stacks(pid_t process) {
    std::error_code error;
    const std::filesystem::path tasks("/proc/" + std::to_string(process) + "/task");
    for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
        std::cout << "thread " << task.path().filename().string() << '\n'
                  << std::ifstream(task.path() / "stack").rdbuf();
        std::cout.clear(); // a stack may be empty
    }
}

void log_blocked_tasks() { std::ofstream("/proc/sysrq-trigger") << 'w'; }

} // namespace storm
