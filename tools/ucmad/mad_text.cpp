// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A MAD in words.
#include "mad_session.hpp"

namespace ucmad::tool {
namespace {

/// What is known of an attribute: a name, and its fields.
struct Known {
    std::string name;
    Json fields;
};

std::string guid(std::uint64_t value) { return fmt::format("{:#018x}", value); }

Json fields_of(const PortCounters& c) {
    return {{"port_select", c.port_select},
            {"symbol_errors", c.symbol_errors},
            {"link_error_recoveries", c.link_error_recoveries},
            {"link_downed", c.link_downed},
            {"receive_errors", c.receive_errors},
            {"receive_remote_physical_errors", c.receive_remote_physical_errors},
            {"receive_switch_relay_errors", c.receive_switch_relay_errors},
            {"transmit_discards", c.transmit_discards},
            {"transmit_constraint_errors", c.transmit_constraint_errors},
            {"receive_constraint_errors", c.receive_constraint_errors},
            {"local_link_integrity_errors", c.local_link_integrity_errors},
            {"excessive_buffer_overrun_errors", c.excessive_buffer_overrun_errors},
            {"vl15_dropped", c.vl15_dropped},
            {"transmit_data", c.transmit_data},
            {"receive_data", c.receive_data},
            {"transmit_packets", c.transmit_packets},
            {"receive_packets", c.receive_packets},
            {"transmit_wait", c.transmit_wait}};
}

Json fields_of(const ClassPortInfo& info) {
    return {{"base_version", info.base_version},
            {"class_version", info.class_version},
            {"capability_mask", info.capability_mask},
            {"capability_mask2", info.capability_mask2},
            {"response_time_us",
             std::chrono::duration<double, std::micro>(decode_time(info.response_time)).count()},
            {"redirect_gid", to_string(info.redirect_gid)},
            {"redirect_lid", info.redirect_lid},
            {"redirect_qp", info.redirect_qp},
            {"trap_gid", to_string(info.trap_gid)},
            {"trap_lid", info.trap_lid},
            {"trap_qp", info.trap_qp}};
}

Json fields_of(const NodeInfo& node) {
    return {{"node_type", node.node_type},           {"ports", node.port_count},
            {"system_guid", guid(node.system_guid)}, {"node_guid", guid(node.node_guid)},
            {"port_guid", guid(node.port_guid)},     {"device_id", node.device_id},
            {"vendor_id", node.vendor_id},           {"revision", node.revision},
            {"local_port", node.local_port}};
}

Json fields_of(const PortInfo& port) {
    return {{"lid", port.lid},
            {"master_sm_lid", port.master_sm_lid},
            {"gid_prefix", guid(port.gid_prefix)},
            {"capability_mask", port.capability_mask},
            {"local_port", port.local_port},
            {"state", port.port_state},
            {"physical_state", port.physical_state},
            {"link_width_active", port.link_width_active},
            {"link_speed_active", port.link_speed_active},
            {"lmc", port.lmc},
            {"mtu", port.neighbor_mtu}};
}

bool is_smp(std::uint8_t mgmt_class) {
    return mgmt_class == smp_class || mgmt_class == smp_directed_class;
}

Known known_of(const MadHeader& header, Bytes mad) {
    if (mad.size() < mad_size)
        return {};
    if (header.mgmt_class == ping_class && is_response(header.method))
        return {"ping", {{"name", Ping::name(mad)}}};
    if (is_smp(header.mgmt_class)) {
        switch (header.attribute_id) {
        case NodeInfo::id:
            return {"NodeInfo", fields_of(NodeInfo::read(mad))};
        case PortInfo::id:
            return {"PortInfo", fields_of(PortInfo::read(mad))};
        case NodeDescription::id:
            return {"NodeDescription", {{"description", NodeDescription::read(mad)}}};
        default:
            return {};
        }
    }
    if (header.attribute_id == ClassPortInfo::id && header.mgmt_class == perf_class)
        return {"ClassPortInfo", fields_of(ClassPortInfo::read(mad))};
    if (header.attribute_id == PortCounters::id && header.mgmt_class == perf_class)
        return {"PortCounters", fields_of(PortCounters::read(mad))};
    return {};
}

std::string hex_of(Bytes bytes) {
    std::string text;
    for (const std::byte byte : bytes)
        text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    return text;
}

std::string dump_of(Bytes bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 16)
        text += fmt::format("  {:04x}  {}\n", i,
                            hex_of(bytes.subspan(i, std::min<std::size_t>(16, bytes.size() - i))));
    return text;
}

/// The class knows more of a status than the common part says.
std::string status_text(std::uint16_t status) {
    return status == 0 ? "success" : fmt::format("{} ({:#06x})", mad_status_name(status), status);
}

} // namespace

std::string mad_text(Bytes mad, bool with_bytes) {
    const MadHeader header = MadHeader::read(mad);
    const Known known = known_of(header, mad);
    std::string text = fmt::format(
        "{} ({:#04x}) {} ({:#04x}), attribute {:#06x}{}{}, modifier {:#x}: {}\n",
        class_name(header.mgmt_class), header.mgmt_class, method_name(header.method),
        static_cast<unsigned>(header.method), header.attribute_id, known.name.empty() ? "" : " ",
        known.name, header.attribute_modifier, status_text(header.status));
    for (const auto& [name, value] : known.fields.items())
        text += fmt::format("  {:<32} {}\n", name,
                            value.is_string() ? value.get<std::string>() : value.dump());
    if (with_bytes)
        text += dump_of(mad);
    return text;
}

Json mad_json(Bytes mad) {
    const MadHeader header = MadHeader::read(mad);
    const Known known = known_of(header, mad);
    Json json{{"class", header.mgmt_class},
              {"class_version", header.class_version},
              {"method", static_cast<unsigned>(header.method)},
              {"attribute", header.attribute_id},
              {"modifier", header.attribute_modifier},
              {"status", header.status},
              {"transaction_id", header.transaction_id},
              {"hex", hex_of(mad)}};
    if (!known.name.empty())
        json[known.name] = known.fields;
    return json;
}

std::string result_text(const MadResult& result) {
    if (result.status != SendStatus::error)
        return fmt::format("{} after {} {}", send_status_name(result.status), result.tries,
                           result.tries == 1 ? "try" : "tries");
    return fmt::format("it could not be sent (status {} of the hardware)", result.wc_status);
}

} // namespace ucmad::tool
