// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "failure.hpp"

#include "verbs.hpp"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

namespace ucmad::tool {
namespace {

std::string user_name(uid_t uid) {
    std::array<char, 4096> text;
    passwd entry{};
    passwd* found = nullptr;
    getpwuid_r(uid, &entry, text.data(), text.size(), &found);
    return found != nullptr ? found->pw_name : std::to_string(uid);
}

std::string group_name(gid_t gid) {
    std::array<char, 4096> text;
    group entry{};
    group* found = nullptr;
    getgrgid_r(gid, &entry, text.data(), text.size(), &found);
    return found != nullptr ? found->gr_name : std::to_string(gid);
}

std::string_view file_name(std::string_view path) {
    return path.substr(path.find_last_of('/') + 1);
}

} // namespace

Failure interrupted() { return {ExitStatus::interrupted, "interrupted"}; }

Failure permission_failure(const std::string& node) {
    std::string owner;
    struct stat info {};
    if (stat(node.c_str(), &info) == 0)
        owner = fmt::format(" (owner {}, group {}, mode {:04o})", user_name(info.st_uid),
                            group_name(info.st_gid), info.st_mode & 07777);
    return {ExitStatus::no_permission, fmt::format("no permission to open {}{}", node, owner),
            fmt::format("join a group that may, or add the udev rule KERNEL==\"{}\", "
                        "GROUP=\"rdma\", MODE=\"0660\" and join that; or try as root",
                        file_name(node))};
}

Failure open_failure(const std::system_error& error, const std::string& node) {
    switch (error.code().value()) {
    case ENOENT:
    case ENXIO:
    case ENODEV:
        return {ExitStatus::no_module,
                fmt::format("the ucmad kernel module is not loaded (there is no {})", node),
                "modprobe ucmad, or in the source tree: make modules, then insmod ucmad.ko"};
    case EACCES:
    case EPERM:
        return permission_failure(node);
    case EPROTO:
        return {ExitStatus::no_module, error.what(),
                "install the module and the command of one release"};
    default:
        return other_failure(error);
    }
}

Failure other_failure(const std::exception& error) {
    if (const auto* node = dynamic_cast<const NodeError*>(&error)) {
        if (node->code() == std::errc::permission_denied)
            return permission_failure(node->node());
    }
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (system == nullptr)
        return {ExitStatus::other, error.what()};
    switch (system->code().value()) {
    case ENODEV:
        return {ExitStatus::no_device, error.what(), "ucmad devices shows what there is"};
    case ENOMEM:
        return {ExitStatus::other, error.what(),
                "RDMA memory is locked memory: see the limit with ulimit -l"};
    default:
        return {ExitStatus::other, error.what()};
    }
}

} // namespace ucmad::tool
