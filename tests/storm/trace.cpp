// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "trace.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>

namespace storm {

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
