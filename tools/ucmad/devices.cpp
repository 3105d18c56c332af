// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ucmad devices: what can be used.
#include "options.hpp"
#include "select.hpp"
#include "verbs.hpp"

#include <net/if.h>

#include <array>

namespace ucmad::tool {
namespace {

struct DevicesOptions {
    LocalOptions local;
    Output::Options output;
};

std::string guid_text(std::uint64_t guid) {
    return fmt::format("{:04x}:{:04x}:{:04x}:{:04x}", guid >> 48, guid >> 32 & 0xffff,
                       guid >> 16 & 0xffff, guid & 0xffff);
}

std::string_view state_text(ibv_port_state state) noexcept {
    switch (state) {
    case IBV_PORT_DOWN:
        return "down";
    case IBV_PORT_INIT:
        return "init";
    case IBV_PORT_ARMED:
        return "armed";
    case IBV_PORT_ACTIVE:
        return "active";
    default:
        return "unknown";
    }
}

std::string_view gid_type_text(std::uint32_t type) noexcept {
    switch (type) {
    case IBV_GID_TYPE_IB:
        return "IB";
    case IBV_GID_TYPE_ROCE_V1:
        return "RoCE v1";
    case IBV_GID_TYPE_ROCE_V2:
        return "RoCE v2";
    default:
        return "unknown";
    }
}

std::string netdev_of(const ibv_gid_entry& entry) {
    std::array<char, IF_NAMESIZE> name{};
    if (entry.ndev_ifindex == 0 || if_indextoname(entry.ndev_ifindex, name.data()) == nullptr)
        return {};
    return name.data();
}

Json describe_gid(const ibv_gid_entry& entry) {
    Json json{{"index", entry.gid_index},
              {"gid", to_string(gid_of(entry))},
              {"type", gid_type_text(entry.gid_type)},
              {"netdev", nullptr}};
    if (const std::string netdev = netdev_of(entry); !netdev.empty())
        json["netdev"] = netdev;
    return json;
}

Json describe_port(const DeviceInfo& device, ibv_context* verbs, std::uint8_t port,
                   const LocalOptions& options) {
    ibv_port_attr attr{};
    if (const int error = ibv_query_port(verbs, port, &attr); error != 0)
        throw std::system_error(error, std::system_category(),
                                fmt::format("query of port {} of {}", port, device.name));
    Json json{{"port", port},
              {"link_layer", device.is_roce(port) ? "RoCE" : "InfiniBand"},
              {"state", state_text(attr.state)},
              {"mtu", 128 << attr.active_mtu},
              {"lid", attr.lid},
              {"gids", Json::array()}};
    for (const ibv_gid_entry& entry : gids_of(verbs, port)) {
        if (!options.gid_index || entry.gid_index == *options.gid_index)
            json["gids"].push_back(describe_gid(entry));
    }
    return json;
}

Json describe(const DeviceInfo& device, const LocalOptions& options) {
    const VerbsDevice verbs{device.name};
    Json json{{"device", device.name},
              {"index", device.index},
              {"node_guid", guid_text(device.node_guid)},
              {"ports", Json::array()}};
    for (unsigned port = 1; port <= device.port_count; ++port) {
        if (!options.port || port == *options.port)
            json["ports"].push_back(
                describe_port(device, verbs.context(), static_cast<std::uint8_t>(port), options));
    }
    return json;
}

std::string device_text(const Json& device) {
    const auto text = [](const Json& value) { return value.get<std::string>(); };
    std::string lines =
        fmt::format("{}  node GUID {}\n", text(device["device"]), text(device["node_guid"]));
    for (const Json& port : device["ports"]) {
        lines += fmt::format("  port {}  {}, {}, MTU {}", port["port"].get<int>(),
                             text(port["link_layer"]), text(port["state"]), port["mtu"].get<int>());
        if (const int lid = port["lid"].get<int>(); lid != 0)
            lines += fmt::format(", LID {}", lid);
        lines += '\n';
        for (const Json& gid : port["gids"])
            lines += fmt::format("    GID {:<3} {:<40} {}  {}\n", gid["index"].get<int>(),
                                 text(gid["gid"]), text(gid["type"]),
                                 gid["netdev"].is_null() ? "" : text(gid["netdev"]));
    }
    return lines;
}

ExitStatus show_devices(const DevicesOptions& options, const Output& output) {
    const Context context = open_context();
    const ModuleInfo module = context.query();
    output.detail("module: ABI version {}, features {:#x}, at most {} objects a file",
                  module.abi_version, module.features, module.max_objects);
    for (const DeviceInfo& device : find_devices(context, options.local.device)) {
        const Json json = describe(device, options.local);
        if (json["ports"].empty() && !options.local.device.empty())
            throw Failure{ExitStatus::no_device,
                          fmt::format("{} has no port {}", device.name, *options.local.port)};
        output.result(json, device_text(json));
    }
    return ExitStatus::success;
}

} // namespace

void add_devices(CLI::App& app, ExitStatus& status) {
    auto* command = app.add_subcommand(
        "devices", "Show the RDMA devices that can be used, with their ports and GIDs");
    auto options = std::make_shared<DevicesOptions>();
    add_local_options(*command, options->local);
    add_output_options(*command, options->output);
    command->callback([options, &status] {
        status = run_command("devices", options->output,
                             [&](const Output& output) { return show_devices(*options, output); });
    });
}

} // namespace ucmad::tool
