// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What ucmad does for a program, shown on a device that is connected with itself: over an IPv6 and
// over an IPv4 GID.
//
// usage: ucmad-demo [DEVICE]
#include "setting.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <sys/utsname.h>

namespace {

using demo::Report;
using demo::Setting;

/// The first RoCE v2 GID of that kind.
std::optional<Setting> find_setting(const ucmad::DeviceInfo& device, bool ipv4) {
    constexpr std::uint8_t port = 1;
    const ucmad::tool::VerbsDevice verbs{device.name};
    ibv_port_attr attr{};
    if (const int error = ibv_query_port(verbs.context(), port, &attr); error != 0)
        throw std::system_error(error, std::system_category(), "query of the port");
    for (int index = 0; index < attr.gid_tbl_len; ++index) {
        ibv_gid_entry entry{};
        if (ibv_query_gid_ex(verbs.context(), port, static_cast<std::uint32_t>(index), &entry, 0) !=
                0 ||
            entry.gid_type != IBV_GID_TYPE_ROCE_V2)
            continue;
        Setting setting{
            .device = device, .port = port, .gid_index = static_cast<std::uint16_t>(index)};
        std::ranges::copy(entry.gid.raw, setting.gid.bytes.begin());
        if (setting.gid.is_ipv4_mapped() == ipv4)
            return setting;
    }
    return std::nullopt;
}

using Scene = void(Report&, const Setting&);

/// What goes wrong in a scene fails that scene only.
void play(Report& report, const Setting& setting, Scene& scene) {
    try {
        scene(report, setting);
    } catch (const std::exception& error) {
        report.expect(false, "error", "{}", error.what());
    }
}

void play_all(Report& report, const ucmad::DeviceInfo& device, bool ipv4) {
    const char* kind = ipv4 ? "IPv4" : "IPv6";
    const auto setting = find_setting(device, ipv4);
    if (!setting) {
        report.expect(false, "GID", "{} has no RoCE v2 GID of kind {}", device.name, kind);
        return;
    }
    report.heading(fmt::format("RoCE v2 over {}: {}, GID {} ({})", kind, device.name,
                               setting->gid_index, to_string(setting->gid)));
    for (Scene* scene : {demo::two_connections, demo::rejections, demo::giving_up,
                         demo::targeted_wait, demo::mads})
        play(report, *setting, *scene);
}

ucmad::DeviceInfo choose_device(int argc, char** argv) {
    const ucmad::Context context;
    if (argc > 1)
        return context.device(argv[1]);
    const auto devices = context.devices();
    if (devices.empty())
        throw std::system_error(ENODEV, std::system_category(), "no RDMA device");
    return devices.front();
}

} // namespace

int main(int argc, char** argv) {
    try {
        Report report;
        const ucmad::DeviceInfo device = choose_device(argc, argv);
        play_all(report, device, false);
        play_all(report, device, true);
        report.heading("At the end");
        demo::nothing_left(report);
        return report.summary();
    } catch (const std::exception& error) {
        fmt::print(stderr, "ucmad-demo: {}\n", error.what());
        return 1;
    }
}
