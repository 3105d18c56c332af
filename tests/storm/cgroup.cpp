// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "cgroup.hpp"

#include "../vm/support/wait.hpp"

#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace storm {

namespace {

const std::filesystem::path group_path = "/sys/fs/cgroup/storm";

void write(const char* file, const std::string& text) {
    std::ofstream out(group_path / file);
    vm::must(static_cast<bool>(out << text << std::flush), std::string("cannot write ") + file);
}

} // namespace

ControlGroup::ControlGroup() {
    std::ofstream("/sys/fs/cgroup/cgroup.subtree_control") << "+memory";
    std::filesystem::create_directory(group_path);
}

ControlGroup::~ControlGroup() {
    std::error_code ignored;
    std::filesystem::remove(group_path, ignored);
}

void ControlGroup::join() const { write("cgroup.procs", "0"); }

void ControlGroup::limit_memory(const std::string& bytes) const { write("memory.max", bytes); }

std::vector<pid_t> members_of_storm() {
    std::ifstream in(group_path / "cgroup.procs");
    std::vector<pid_t> pids;
    for (pid_t pid = 0; in >> pid;) {
        pids.push_back(pid);
    }
    return pids;
}

std::size_t memory_of_storm() {
    std::size_t bytes = 0;
    std::ifstream(group_path / "memory.current") >> bytes;
    return bytes;
}

bool ControlGroup::end() const {
    write("cgroup.kill", "1");
    return vm::eventually([] {
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        return members_of_storm().empty();
    });
}

} // namespace storm
