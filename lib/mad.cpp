// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/mad.hpp>

#include "file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ucmad {
namespace {

/// Offset of the data of SMPs and of PerfMgt (IBTA 14.2.1, 16.1.1).
constexpr std::size_t attribute_offset = 64;
constexpr std::size_t smp_data_size = 64;

void require(std::size_t size, std::size_t needed) {
    if (size < needed)
        throw std::system_error(detail::system_code(EMSGSIZE),
                                "a MAD of " + std::to_string(size) + " bytes where " +
                                    std::to_string(needed) + " are needed");
}

/// Takes big-endian numbers one after the other.
class Reader {
public:
    Reader(Bytes mad, std::size_t offset, std::size_t size) {
        require(mad.size(), offset + size);
        bytes_ = mad.subspan(offset, size);
    }

    template <typename T>
    Reader& operator()(T& value) {
        return number<sizeof(T)>(value);
    }
    Reader& operator()(Gid& gid) { return (*this)(gid.bytes); }
    template <std::size_t N>
    Reader& operator()(std::array<std::uint8_t, N>& array) {
        std::memcpy(array.data(), bytes_.data(), N);
        return skip(N);
    }

    /// A number of so many bytes.
    template <std::size_t Size, typename T>
    Reader& number(T& value) {
        std::uint64_t sum = 0;
        for (const std::byte byte : bytes_.first(Size))
            sum = sum << 8 | std::to_integer<std::uint64_t>(byte);
        value = static_cast<T>(sum);
        return skip(Size);
    }

    /// The upper and the lower bits of one number, the lower `bits` of them.
    template <typename Whole, typename Upper, typename Lower>
    Reader& split(Upper& upper, Lower& lower, unsigned bits) {
        Whole whole{};
        (*this)(whole);
        upper = static_cast<Upper>(whole >> bits);
        lower = static_cast<Lower>(whole & ((Whole{1} << bits) - 1));
        return *this;
    }

    Reader& skip(std::size_t count) {
        bytes_ = bytes_.subspan(count);
        return *this;
    }

private:
    Bytes bytes_;
};

/// Puts big-endian numbers one after the other; the counterpart of Reader.
class Writer {
public:
    Writer(MutableBytes mad, std::size_t offset, std::size_t size) {
        require(mad.size(), offset + size);
        bytes_ = mad.subspan(offset, size);
    }

    template <typename T>
    Writer& operator()(const T& value) {
        return number<sizeof(T)>(value);
    }
    Writer& operator()(const Gid& gid) { return (*this)(gid.bytes); }
    template <std::size_t N>
    Writer& operator()(const std::array<std::uint8_t, N>& array) {
        std::memcpy(bytes_.data(), array.data(), N);
        return skip(N);
    }

    template <std::size_t Size, typename T>
    Writer& number(const T& value) {
        for (std::size_t i = 0; i < Size; ++i)
            bytes_[i] =
                static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * (Size - 1 - i)));
        return skip(Size);
    }

    template <typename Whole, typename Upper, typename Lower>
    Writer& split(const Upper& upper, const Lower& lower, unsigned bits) {
        const auto low = static_cast<Whole>(lower & ((Whole{1} << bits) - 1));
        return (*this)(static_cast<Whole>(static_cast<Whole>(upper) << bits | low));
    }

    /// What is skipped is reserved.
    Writer& skip(std::size_t count) {
        bytes_ = bytes_.subspan(count);
        return *this;
    }

private:
    MutableBytes bytes_;
};

// One description of each layout, for both directions: `At` is a Reader or a Writer, `Struct` is
// const for the latter.

template <typename At, typename Struct>
void layout_header(At at, Struct& header) {
    at(header.base_version)(header.mgmt_class)(header.class_version)(header.method);
    at(header.status)(header.class_specific)(header.transaction_id);
    at(header.attribute_id).skip(2)(header.attribute_modifier);
}

template <typename At, typename Struct>
void layout_rmpp(At at, Struct& rmpp) {
    at(rmpp.version)(rmpp.type);
    at.template split<std::uint8_t>(rmpp.response_time, rmpp.flags, 3);
    at(rmpp.status)(rmpp.segment)(rmpp.payload_length);
}

template <typename At, typename Struct>
void layout_class_port_info(At at, Struct& info) {
    at(info.base_version)(info.class_version)(info.capability_mask);
    at.template split<std::uint32_t>(info.capability_mask2, info.response_time, 5);
    at(info.redirect_gid).skip(4)(info.redirect_lid)(info.redirect_pkey);
    at.skip(1).template number<3>(info.redirect_qp)(info.redirect_qkey);
    at(info.trap_gid).skip(4)(info.trap_lid)(info.trap_pkey);
    at.skip(1).template number<3>(info.trap_qp)(info.trap_qkey);
}

template <typename At, typename Struct>
void layout_port_counters(At at, Struct& counters) {
    at.skip(1)(counters.port_select)(counters.counter_select)(counters.symbol_errors);
    at(counters.link_error_recoveries)(counters.link_downed)(counters.receive_errors);
    at(counters.receive_remote_physical_errors)(counters.receive_switch_relay_errors);
    at(counters.transmit_discards)(counters.transmit_constraint_errors);
    at(counters.receive_constraint_errors).skip(1);
    at.template split<std::uint8_t>(counters.local_link_integrity_errors,
                                    counters.excessive_buffer_overrun_errors, 4);
    at.skip(2)(counters.vl15_dropped)(counters.transmit_data)(counters.receive_data);
    at(counters.transmit_packets)(counters.receive_packets)(counters.transmit_wait);
}

template <typename At, typename Struct>
void layout_node_info(At at, Struct& node) {
    at(node.base_version)(node.class_version)(node.node_type)(node.port_count);
    at(node.system_guid)(node.node_guid)(node.port_guid)(node.partition_cap)(node.device_id);
    at(node.revision)(node.local_port).template number<3>(node.vendor_id);
}

template <typename At, typename Struct>
void layout_port_info(At at, Struct& port) {
    std::uint8_t skipped = 0;
    at(port.m_key)(port.gid_prefix)(port.lid)(port.master_sm_lid)(port.capability_mask);
    at.skip(4)(port.local_port)(port.link_width_enabled)(port.link_width_supported);
    at(port.link_width_active);
    at.template split<std::uint8_t>(port.link_speed_supported, port.port_state, 4);
    at.template split<std::uint8_t>(port.physical_state, skipped, 4);
    at.template split<std::uint8_t>(skipped, port.lmc, 3);
    at.template split<std::uint8_t>(port.link_speed_active, skipped, 4);
    at.template split<std::uint8_t>(port.neighbor_mtu, port.master_sm_sl, 4);
}

std::string text_of(Bytes bytes) {
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    return {text, strnlen(text, bytes.size())};
}

} // namespace

// ---- names ------------------------------------------------------------------------------------

std::string_view method_name(MadMethod method) noexcept {
    switch (method) {
    case MadMethod::get:
        return "Get";
    case MadMethod::set:
        return "Set";
    case MadMethod::send:
        return "Send";
    case MadMethod::trap:
        return "Trap";
    case MadMethod::report:
        return "Report";
    case MadMethod::trap_repress:
        return "TrapRepress";
    case MadMethod::get_table:
        return "GetTable";
    case MadMethod::get_response:
        return "GetResp";
    case MadMethod::report_response:
        return "ReportResp";
    case MadMethod::get_table_response:
        return "GetTableResp";
    }
    return "method";
}

std::string_view mad_status_name(std::uint16_t status) noexcept {
    constexpr std::uint16_t busy = 0x1;
    constexpr std::uint16_t redirect = 0x2;
    if (status == 0)
        return "success";
    if ((status & busy) != 0)
        return "busy";
    if ((status & redirect) != 0)
        return "redirected";
    switch (status >> 2 & 0x7) {
    case 1:
        return "unsupported class or version";
    case 2:
        return "unsupported method";
    case 3:
        return "unsupported method or attribute";
    case 7:
        return "invalid value";
    default:
        return "status of the class";
    }
}

std::string_view class_name(std::uint8_t mgmt_class) noexcept {
    switch (mgmt_class) {
    case smp_class:
        return "SMP";
    case smp_directed_class:
        return "SMP (directed route)";
    case sa_class:
        return "SA";
    case perf_class:
        return "PerfMgt";
    case 0x05:
        return "BM";
    case 0x06:
        return "DevMgt";
    case 0x07:
        return "CM";
    case 0x08:
        return "SNMP";
    case ping_class:
        return "vendor ping";
    default:
        return "class";
    }
}

// ---- headers ----------------------------------------------------------------------------------

MadHeader MadHeader::read(Bytes mad) {
    MadHeader header;
    layout_header(Reader{mad, 0, size}, header);
    return header;
}

void MadHeader::write(MutableBytes mad) const { layout_header(Writer{mad, 0, size}, *this); }

RmppHeader RmppHeader::read(Bytes mad) {
    RmppHeader header;
    layout_rmpp(Reader{mad, MadHeader::size, size}, header);
    return header;
}

void RmppHeader::write(MutableBytes mad) const {
    layout_rmpp(Writer{mad, MadHeader::size, size}, *this);
}

namespace {
constexpr std::size_t oui_offset = 37;
} // namespace

Oui VendorMad::oui(Bytes mad) {
    Oui oui{};
    Reader{mad, oui_offset, oui.size()}(oui);
    return oui;
}

void VendorMad::set_oui(MutableBytes mad, const Oui& oui) {
    Writer{mad, oui_offset, oui.size()}(oui);
}

Mad Ping::request() {
    Mad mad{};
    MadHeader{.mgmt_class = ping_class}.write(mad);
    VendorMad::set_oui(mad, oui);
    return mad;
}

Mad Ping::answer(Bytes request, std::string_view name) {
    require(request.size(), mad_size);
    Mad mad{};
    std::ranges::copy(request.first(mad_size), mad.begin());
    MadHeader header = MadHeader::read(mad);
    header.method = MadMethod::get_response;
    header.status = 0;
    header.write(mad);
    const MutableBytes data = MutableBytes{mad}.subspan(VendorMad::data_offset);
    std::ranges::fill(data, std::byte{0});
    std::memcpy(data.data(), name.data(), std::min(name.size(), data.size() - 1));
    return mad;
}

std::string Ping::name(Bytes answer) {
    require(answer.size(), VendorMad::data_offset);
    return text_of(answer.subspan(VendorMad::data_offset));
}

// ---- attributes -------------------------------------------------------------------------------

namespace {
constexpr std::size_t class_port_info_size = 72;
constexpr std::size_t port_counters_size = 44;
constexpr std::size_t node_info_size = 40;
constexpr std::size_t port_info_size = 37;
} // namespace

ClassPortInfo ClassPortInfo::read(Bytes mad, std::size_t offset) {
    ClassPortInfo info;
    layout_class_port_info(Reader{mad, offset, class_port_info_size}, info);
    return info;
}

void ClassPortInfo::write(MutableBytes mad, std::size_t offset) const {
    layout_class_port_info(Writer{mad, offset, class_port_info_size}, *this);
}

PortCounters PortCounters::read(Bytes mad) {
    PortCounters counters;
    layout_port_counters(Reader{mad, attribute_offset, port_counters_size}, counters);
    return counters;
}

void PortCounters::write(MutableBytes mad) const {
    layout_port_counters(Writer{mad, attribute_offset, port_counters_size}, *this);
}

NodeInfo NodeInfo::read(Bytes mad) {
    NodeInfo node;
    layout_node_info(Reader{mad, attribute_offset, node_info_size}, node);
    return node;
}

void NodeInfo::write(MutableBytes mad) const {
    layout_node_info(Writer{mad, attribute_offset, node_info_size}, *this);
}

PortInfo PortInfo::read(Bytes mad) {
    PortInfo port;
    layout_port_info(Reader{mad, attribute_offset, port_info_size}, port);
    return port;
}

void PortInfo::write(MutableBytes mad) const {
    layout_port_info(Writer{mad, attribute_offset, port_info_size}, *this);
}

std::string NodeDescription::read(Bytes mad) {
    require(mad.size(), attribute_offset + smp_data_size);
    return text_of(mad.subspan(attribute_offset, smp_data_size));
}

// ---- directed routes --------------------------------------------------------------------------

namespace {
constexpr std::size_t hops_offset = 6;
constexpr std::size_t m_key_offset = 24;
constexpr std::size_t lids_offset = 32;
constexpr std::size_t path_offset = 128;
} // namespace

DirectedRoute DirectedRoute::through(std::span<const std::uint8_t> ports) {
    if (ports.size() > max_hops)
        throw std::system_error(detail::system_code(EINVAL), "a directed route of " +
                                                                 std::to_string(ports.size()) +
                                                                 " hops; 63 are possible");
    DirectedRoute route;
    route.hop_count = static_cast<std::uint8_t>(ports.size());
    std::ranges::copy(ports, route.initial_path.begin() + 1);
    return route;
}

DirectedRoute DirectedRoute::read(Bytes mad) {
    DirectedRoute route;
    require(mad.size(), mad_size);
    Reader{mad, hops_offset, 2}(route.hop_pointer)(route.hop_count);
    Reader{mad, m_key_offset, 8}(route.m_key);
    Reader{mad, lids_offset, 4}(route.source_lid)(route.destination_lid);
    Reader{mad, path_offset, route.initial_path.size()}(route.initial_path);
    return route;
}

void DirectedRoute::write(MutableBytes mad) const {
    require(mad.size(), mad_size);
    Writer{mad, hops_offset, 2}(hop_pointer)(hop_count);
    Writer{mad, m_key_offset, 8}(m_key);
    Writer{mad, lids_offset, 4}(source_lid)(destination_lid);
    Writer{mad, path_offset, initial_path.size()}(initial_path);
}

} // namespace ucmad
