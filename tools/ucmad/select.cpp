// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "select.hpp"

#include "failure.hpp"
#include "verbs.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/ranges.h>

namespace ucmad::tool {
namespace {

constexpr const char* see_devices = "'ucmad devices' shows what there is";

bool is_active(ibv_context* verbs, std::uint8_t port) {
    ibv_port_attr attr{};
    return ibv_query_port(verbs, port, &attr) == 0 && attr.state == IBV_PORT_ACTIVE;
}

std::optional<std::uint8_t> first_active_port(const DeviceInfo& device, ibv_context* verbs) {
    for (unsigned port = 1; port <= device.port_count; ++port) {
        if (is_active(verbs, static_cast<std::uint8_t>(port)))
            return static_cast<std::uint8_t>(port);
    }
    return std::nullopt;
}

bool is_link_local(const Gid& gid) noexcept {
    return gid.bytes[0] == 0xfe && (gid.bytes[1] & 0xc0) == 0x80;
}

/// How well packets from one GID travel to another; 0: not at all.
int fitness(const ibv_gid_entry& entry, const Gid& destination) noexcept {
    const Gid gid = gid_of(entry);
    if (entry.gid_type != IBV_GID_TYPE_ROCE_V2 ||
        gid.is_ipv4_mapped() != destination.is_ipv4_mapped())
        return 0;
    return is_link_local(gid) == is_link_local(destination) ? 2 : 1;
}

std::uint16_t choose_gid(const PeerOptions& peer, ibv_context* verbs, std::uint8_t port,
                         const LocalOptions& options) {
    const std::vector<ibv_gid_entry> gids = gids_of(verbs, port);
    const auto fit = [&](const ibv_gid_entry& entry) { return fitness(entry, peer.destination); };
    const auto best = std::ranges::max_element(gids, {}, fit);
    std::vector<std::uint32_t> fitting;
    for (const ibv_gid_entry& entry : gids) {
        if (fit(entry) > 0)
            fitting.push_back(entry.gid_index);
    }
    if (!options.gid_index) {
        if (!fitting.empty())
            return static_cast<std::uint16_t>(best->gid_index);
        throw Failure{ExitStatus::no_device,
                      fmt::format("port {} has no RoCE v2 GID of the kind of {} ({})", port,
                                  address_text(peer.destination),
                                  peer.destination.is_ipv4_mapped() ? "IPv4" : "IPv6"),
                      "give its network interface such an address; 'ucmad devices' shows the GIDs"};
    }
    if (std::ranges::find(fitting, *options.gid_index) == fitting.end())
        throw Failure{ExitStatus::no_device,
                      fmt::format("the GID at index {} of port {} cannot reach {}",
                                  *options.gid_index, port, address_text(peer.destination)),
                      fitting.empty()
                          ? std::string{see_devices}
                          : fmt::format("--gid-index {} can", fmt::join(fitting, " or "))};
    return *options.gid_index;
}

} // namespace

Context open_context() {
    const std::string node{default_device_path};
    try {
        return Context{node};
    } catch (const std::system_error& error) {
        throw open_failure(error, node);
    }
}

std::vector<DeviceInfo> find_devices(const Context& context, const std::string& name) {
    std::vector<DeviceInfo> devices = context.devices();
    if (devices.empty())
        throw Failure{ExitStatus::no_device, "there is no RDMA device that the CM can use",
                      "for RoCE in software: rdma link add rxe0 type rxe netdev INTERFACE"};
    if (name.empty())
        return devices;
    std::erase_if(devices, [&](const DeviceInfo& device) { return device.name != name; });
    if (devices.empty())
        throw Failure{ExitStatus::no_device,
                      fmt::format("there is no RDMA device '{}' that the CM can use", name),
                      see_devices};
    return devices;
}

DeviceInfo choose_device(const Context& context, const LocalOptions& options) {
    std::vector<DeviceInfo> devices = find_devices(context, options.device);
    const auto active = std::ranges::find_if(devices, [](const DeviceInfo& device) {
        return first_active_port(device, VerbsDevice{device.name}.context()).has_value();
    });
    return active != devices.end() ? *active : devices.front();
}

std::uint8_t choose_port(const DeviceInfo& device, ibv_context* verbs,
                         const LocalOptions& options) {
    if (!options.port) {
        if (const auto port = first_active_port(device, verbs))
            return *port;
        throw Failure{ExitStatus::no_device, fmt::format("no port of {} is active", device.name),
                      "is its link up? See 'rdma link' and 'ip link'"};
    }
    if (*options.port > device.port_count)
        throw Failure{ExitStatus::no_device,
                      fmt::format("{} has {} port{}, not {}", device.name, device.port_count,
                                  device.port_count == 1 ? "" : "s", *options.port),
                      see_devices};
    return *options.port;
}

std::vector<ibv_gid_entry> gids_of(ibv_context* verbs, std::uint8_t port) {
    ibv_device_attr attr{};
    if (const int error = ibv_query_device(verbs, &attr); error != 0)
        throw std::system_error(error, std::system_category(), "query of the device");
    std::vector<ibv_gid_entry> gids(64);
    for (;;) {
        const ssize_t count = ibv_query_gid_table(verbs, gids.data(), gids.size(), 0);
        if (count == -EINVAL && gids.size() < 65536) { // does not fit
            gids.resize(2 * gids.size());
            continue;
        }
        if (count < 0)
            throw std::system_error(static_cast<int>(-count), std::system_category(),
                                    "query of the GIDs");
        gids.resize(static_cast<std::size_t>(count));
        std::erase_if(gids, [&](const ibv_gid_entry& entry) { return entry.port_num != port; });
        return gids;
    }
}

Gid gid_of(const ibv_gid_entry& entry) noexcept {
    Gid gid;
    std::ranges::copy(entry.gid.raw, gid.bytes.begin());
    return gid;
}

Path path_to(const PeerOptions& peer, const DeviceInfo& device, ibv_context* verbs,
             std::uint8_t port, const LocalOptions& options) {
    if (device.is_roce(port)) {
        if (peer.dlid)
            throw Failure{ExitStatus::usage,
                          fmt::format("--dlid is for InfiniBand; port {} of {} speaks RoCE", port,
                                      device.name)};
        return roce_path(verbs, port, choose_gid(peer, verbs, port, options), peer.destination);
    }
    if (!peer.dlid)
        throw Failure{ExitStatus::usage,
                      fmt::format("port {} of {} speaks InfiniBand: give the peer's LID, too", port,
                                  device.name),
                      "--dlid LID, as 'ucmad devices' shows it there"};
    return infiniband_path(verbs, port, *peer.dlid, peer.destination);
}

} // namespace ucmad::tool
