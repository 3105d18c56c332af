// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "device.hpp"

#include "process.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace vm {

namespace {

const std::string extra_name = "rxe9";
const std::string extra_netdev = "dummy9";

Gid parse_gid(const std::string& text) {
    Gid gid;
    std::istringstream groups(text);
    for (std::size_t i = 0; i < gid.size(); i += 2) {
        std::string group;
        std::getline(groups, group, ':');
        const unsigned long value = std::stoul(group, nullptr, 16);
        gid[i] = static_cast<std::uint8_t>(value >> 8);
        gid[i + 1] = static_cast<std::uint8_t>(value & 0xff);
    }
    return gid;
}

} // namespace

std::optional<Gid> Device::gid(int gid_index) const {
    std::ifstream file("/sys/class/infiniband/" + name + "/ports/1/gids/" +
                       std::to_string(gid_index));
    std::string text;
    if (!std::getline(file, text)) {
        return std::nullopt;
    }
    const Gid gid = parse_gid(text);
    return gid == Gid{} ? std::nullopt : std::optional(gid);
}

ucmad_path Device::path(int gid_index) const {
    const std::optional<Gid> own = gid(gid_index);
    must(own.has_value(), "no GID at this index");
    ucmad_path path{};
    std::copy(own->begin(), own->end(), path.dgid);
    path.sgid_index = static_cast<std::uint16_t>(gid_index);
    path.port = 1;
    path.mtu = 3; // IBV_MTU_1024
    path.packet_life_time = 12;
    return path;
}

ucmad_path Device::dead_path(int gid_index) const {
    ucmad_path result = path(gid_index);
    result.dgid[15] = 0x7b;
    return result;
}

std::vector<ucmad_device_info> devices(const File& file) {
    std::vector<ucmad_device_info> list(16);
    auto arg = sized<ucmad_devices>();
    arg.count = static_cast<std::uint32_t>(list.size());
    arg.devices = address(list.data());
    arg.entry_size = sizeof(ucmad_device_info);
    must(file.call(UCMAD_IOCTL_DEVICES, &arg));
    must(arg.count <= list.size(), "more devices than any guest has");
    list.resize(arg.count);
    return list;
}

std::optional<Device> find_device(const std::string& name) {
    for (const ucmad_device_info& info : devices(File())) {
        if (name == info.name) {
            return Device{name, info.index};
        }
    }
    return std::nullopt;
}

const Device& main_device() {
    static const Device device = [] {
        const std::optional<Device> found = find_device("rxe0");
        must(found.has_value(), "the module does not know rxe0");
        return *found;
    }();
    return device;
}

ExtraDevice::ExtraDevice() : device_{extra_name, 0} {
    run({"ip", "link", "add", extra_netdev, "address", "02:00:00:00:00:09", "arp", "on", "up",
         "type", "dummy"});
    run({"ip", "addr", "add", "10.0.9.1/24", "dev", extra_netdev});
    add();
}

ExtraDevice::~ExtraDevice() {
    // Takes the RDMA device along, if it is still there.
    try_run({"ip", "link", "del", extra_netdev});
}

void ExtraDevice::remove() const { run({"rdma", "link", "delete", extra_name}); }

void ExtraDevice::set_link(bool up) const {
    run({"ip", "link", "set", extra_netdev, up ? "up" : "down"});
}

void ExtraDevice::add_link() const {
    run({"rdma", "link", "add", extra_name, "type", "rxe", "netdev", extra_netdev});
    wait_until([&] { return device_.gid(ipv6_gid) && device_.gid(ipv4_gid); }, "GIDs of rxe9");
}

void ExtraDevice::add() {
    add_link();
    wait_until([&] { return find_device(extra_name).has_value(); }, "rxe9 in the module's list");
    device_ = *find_device(extra_name);
}

// One of those that are set aside for documentation (RFC 3849).
NoRoute::NoRoute() : gid(parse_gid("2001:0db8:0000:0000:0000:0000:0000:0001")) {
    run({"ip", "route", "add", "unreachable", "2001:db8::1"});
}

NoRoute::~NoRoute() { run({"ip", "route", "delete", "unreachable", "2001:db8::1"}); }

} // namespace vm
