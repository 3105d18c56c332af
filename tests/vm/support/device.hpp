// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// RDMA devices of the guest: the one that it booted with, and those that tests make.
#pragma once

#include "file.hpp"

#include <array>
#include <optional>
#include <string>

namespace vm {

// GID 0 of a guest's device is a link-local IPv6 address, GID 1 an IPv4 one.
inline constexpr int ipv6_gid = 0;
inline constexpr int ipv4_gid = 1;

using Gid = std::array<std::uint8_t, 16>;

struct Device {
    std::string name;
    std::uint32_t index;

    // As sysfs has it; nothing while the index is not in use.
    std::optional<Gid> gid(int gid_index) const;
    // A path to this very port.
    ucmad_path path(int gid_index) const;
    // A path to an address of the same subnet where nobody is.
    ucmad_path dead_path(int gid_index) const;
};

// Every device that a file can use.
std::vector<ucmad_device_info> devices(const File& file);
std::optional<Device> find_device(const std::string& name);

// rxe0, which tools/vm/run has made.
const Device& main_device();

// A device of its own for a test that removes it. Its network interface speaks ARP, unlike a dummy
// as it is made, so that the MAC address of a stranger is searched for in earnest.
class ExtraDevice {
public:
    ExtraDevice();
    ExtraDevice(const ExtraDevice&) = delete;
    ExtraDevice& operator=(const ExtraDevice&) = delete;
    ~ExtraDevice();

    const Device& device() const { return device_; }
    // Removes the RDMA device, while it is in use if it must.
    void remove() const;
    // Makes it again, and sees that the module knows it.
    void add();
    // Makes it again, whatever the module does.
    void add_link() const;
    // Takes its network interface up or down.
    void set_link(bool up) const;

private:
    Device device_;
};

// An address that no route leads to, so that looking for it ends at once. It is an IPv6 address: an
// IPv4 address without a route counts as one on the link.
struct NoRoute {
    NoRoute();
    NoRoute(const NoRoute&) = delete;
    NoRoute& operator=(const NoRoute&) = delete;
    ~NoRoute();

    const Gid gid;
};

} // namespace vm
