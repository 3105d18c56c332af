// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/path.hpp>

#include "file.hpp"

#include <algorithm>
#include <cerrno>
#include <infiniband/verbs.h>
#include <string>

namespace ucmad {
namespace {

std::string port_name(ibv_context* device, std::uint8_t port) {
    return std::string{ibv_get_device_name(device->device)} + " port " + std::to_string(port);
}

ibv_port_attr query_port(ibv_context* device, std::uint8_t port) {
    ibv_port_attr attr{};
    if (const int error = ibv_query_port(device, port, &attr); error != 0)
        throw std::system_error(detail::system_code(error), port_name(device, port));
    return attr;
}

Gid query_gid(ibv_context* device, std::uint8_t port, std::uint16_t index) {
    const auto fail = [&](int error, const char* what) {
        throw std::system_error(detail::system_code(error),
                                port_name(device, port) + what + std::to_string(index));
    };
    ibv_gid_entry entry{};
    const int error = ibv_query_gid_ex(device, port, index, &entry, 0);
    if (error == ENODATA) // the table has the index, but nothing is there
        fail(EINVAL, " has no GID at index ");
    if (error != 0)
        fail(error, ": GID index ");
    Gid gid;
    std::ranges::copy(entry.gid.raw, gid.bytes.begin());
    return gid;
}

} // namespace

Path roce_path(ibv_context* device, std::uint8_t port, std::uint16_t sgid_index, const Gid& dgid) {
    Path path;
    path.dgid = dgid;
    path.sgid = query_gid(device, port, sgid_index);
    path.sgid_index = sgid_index;
    path.port = port;
    path.mtu = static_cast<std::uint8_t>(query_port(device, port).active_mtu);
    if (path.sgid.is_ipv4_mapped() != path.dgid.is_ipv4_mapped())
        throw std::system_error(detail::system_code(EAFNOSUPPORT),
                                "no path from " + to_string(path.sgid) + " to " + to_string(dgid));
    return path;
}

Path infiniband_path(ibv_context* device, std::uint8_t port, std::uint16_t dlid, const Gid& dgid) {
    const ibv_port_attr attr = query_port(device, port);
    if (attr.lid == 0)
        throw std::system_error(detail::system_code(ENETDOWN),
                                port_name(device, port) + " has no LID");
    Path path;
    path.dgid = dgid;
    path.sgid = query_gid(device, port, 0);
    path.dlid = dlid;
    path.slid = attr.lid;
    path.port = port;
    path.sl = attr.sm_sl;
    path.mtu = static_cast<std::uint8_t>(attr.active_mtu);
    return path;
}

} // namespace ucmad
