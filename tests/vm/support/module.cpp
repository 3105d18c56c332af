// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "module.hpp"

#include "wait.hpp"

#include <fcntl.h>
#include <filesystem>
#include <rdma/ucmad.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vm {

Error unload_module() {
    return syscall(SYS_delete_module, "ucmad", O_NONBLOCK) == 0 ? ok : last_error();
}

bool module_is_loaded() { return std::filesystem::exists("/sys/module/ucmad"); }

void load_module(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    must(fd == -1 ? last_error() : ok);
    const Error error = syscall(SYS_finit_module, fd, "", 0) == 0 ? ok : last_error();
    close(fd);
    must(error);
    wait_until([] { return access(UCMAD_DEVICE_PATH, R_OK | W_OK) == 0; }, "the device node");
}

} // namespace vm
