// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Management datagrams: their headers, and the attributes of some classes, from and to bytes.
///
/// A MAD is 256 bytes (IBTA 13.4.2), or, if RMPP has carried it, as many as it says. Here it is any
/// contiguous range of bytes; `Mad` is one of 256 zeros to start from. Everything in a MAD is
/// big-endian; the members of the structs below are in host byte order, GIDs and strings apart.
///
/// Each struct has a function `read`, which throws std::system_error with EMSGSIZE if there are too
/// few bytes, and most have `write`, which does likewise and leaves reserved bits zero:
///
///     ucmad::Mad mad{};
///     ucmad::MadHeader{.mgmt_class = ucmad::perf_class, .attribute_id = ucmad::PortCounters::id}
///         .write(mad);
///     ucmad::PortCounters{.port_select = 1}.write(mad);
///     ...
///     const auto counters = ucmad::PortCounters::read(result.mad);
#pragma once

#include <ucmad/path.hpp>
#include <ucmad/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ucmad {

inline constexpr std::size_t mad_size = 256;

/// A MAD of the usual length.
using Mad = std::array<std::byte, mad_size>;

/// Bytes that the library writes.
using MutableBytes = std::span<std::byte>;

/// Management classes (IBTA 13.4.4).
inline constexpr std::uint8_t smp_class = 0x01;          ///< Subnet management, LID routed (QP0).
inline constexpr std::uint8_t smp_directed_class = 0x81; ///< The same, directed route (QP0).
inline constexpr std::uint8_t sa_class = 0x03;           ///< Subnet administration.
inline constexpr std::uint8_t perf_class = 0x04;         ///< Performance management.
inline constexpr std::uint8_t ping_class = 0x32;         ///< The vendor class of `ibping`.

/// Methods (IBTA 13.4.5).
enum class MadMethod : std::uint8_t {
    get = 0x01,
    set = 0x02,
    send = 0x03,
    trap = 0x05,
    report = 0x06,
    trap_repress = 0x07,
    get_table = 0x12,
    get_response = 0x81,
    report_response = 0x86,
    get_table_response = 0x92,
};

/// "Get", "GetResp", ...; "method" for any other number.
[[nodiscard]] UCMAD_API std::string_view method_name(MadMethod method) noexcept;

/// The common meaning of a status (IBTA 13.4.7): "success", "busy", "unsupported method or
/// attribute", ...; "status of the class" if only the class knows.
[[nodiscard]] UCMAD_API std::string_view mad_status_name(std::uint16_t status) noexcept;

/// The name of a class, such as "PerfMgt"; "class" for any other number.
[[nodiscard]] UCMAD_API std::string_view class_name(std::uint8_t mgmt_class) noexcept;

/// Common header of all MADs (IBTA 13.4.3).
struct MadHeader {
    static constexpr std::size_t size = 24;

    std::uint8_t base_version = 1;
    std::uint8_t mgmt_class = 0;
    std::uint8_t class_version = 1;
    MadMethod method = MadMethod::get;
    std::uint16_t status = 0;         ///< 0 in a request; see mad_status_name().
    std::uint16_t class_specific = 0; ///< Hop pointer and count of a directed route.
    std::uint64_t transaction_id = 0; ///< The program's; the module puts its own on the wire.
    std::uint16_t attribute_id = 0;
    std::uint32_t attribute_modifier = 0;

    [[nodiscard]] UCMAD_API static MadHeader read(Bytes mad);
    UCMAD_API void write(MutableBytes mad) const;

    friend constexpr bool operator==(const MadHeader&, const MadHeader&) = default;
};

/// Is it a response (IBTA 13.4.5)? Those come in the completions of their requests (MAD-PAIR).
[[nodiscard]] constexpr bool is_response(MadMethod method) noexcept {
    return (static_cast<std::uint8_t>(method) & 0x80) != 0 || method == MadMethod::trap_repress;
}

/// RMPP header of the classes that have one (IBTA 13.6.2.1), behind the common header.
struct RmppHeader {
    static constexpr std::size_t size = 12;
    static constexpr std::uint8_t active = 0x1; ///< Flag: RMPP carries this MAD.

    std::uint8_t version = 1;
    std::uint8_t type = 0;
    std::uint8_t response_time = 0x1f; ///< 5 bits, see decode_time().
    std::uint8_t flags = 0;            ///< 3 bits.
    std::uint8_t status = 0;
    std::uint32_t segment = 0;        ///< Data 1.
    std::uint32_t payload_length = 0; ///< Data 2.

    [[nodiscard]] UCMAD_API static RmppHeader read(Bytes mad);
    UCMAD_API void write(MutableBytes mad) const;

    friend constexpr bool operator==(const RmppHeader&, const RmppHeader&) = default;
};

/// Organizationally unique identifier of a vendor.
using Oui = std::array<std::uint8_t, 3>;

/// Vendor classes 0x30 to 0x4f (IBTA 16.5.3): the OUI, and where the data is.
struct VendorMad {
    static constexpr std::size_t data_offset = 40;

    [[nodiscard]] UCMAD_API static Oui oui(Bytes mad);
    UCMAD_API static void set_oui(MutableBytes mad, const Oui& oui);
};

/// The vendor ping: a Get that the other end answers with its name (`ibping -S`).
struct Ping {
    static constexpr Oui oui = {0x00, 0x14, 0x05};

    [[nodiscard]] UCMAD_API static Mad request();

    /// The answer to a request, with the name of the one that answers, cut where it is too long.
    [[nodiscard]] UCMAD_API static Mad answer(Bytes request, std::string_view name);

    /// The name that an answer carries.
    [[nodiscard]] UCMAD_API static std::string name(Bytes answer);
};

/// What a class can do, of any class but those of QP0 (IBTA 13.4.8.1).
struct ClassPortInfo {
    static constexpr std::uint16_t id = 0x0001;

    std::uint8_t base_version = 0;
    std::uint8_t class_version = 0;
    std::uint16_t capability_mask = 0;
    std::uint32_t capability_mask2 = 0; ///< 27 bits.
    std::uint8_t response_time = 0;     ///< 5 bits, see decode_time().
    Gid redirect_gid{};
    std::uint16_t redirect_lid = 0;
    std::uint16_t redirect_pkey = 0;
    std::uint32_t redirect_qp = 0; ///< 24 bits.
    std::uint32_t redirect_qkey = 0;
    Gid trap_gid{};
    std::uint16_t trap_lid = 0;
    std::uint16_t trap_pkey = 0;
    std::uint32_t trap_qp = 0; ///< 24 bits.
    std::uint32_t trap_qkey = 0;

    /// At the data of PerfMgt and most classes; `offset` for those that have it elsewhere.
    [[nodiscard]] UCMAD_API static ClassPortInfo read(Bytes mad, std::size_t offset = 64);
    UCMAD_API void write(MutableBytes mad, std::size_t offset = 64) const;

    friend constexpr bool operator==(const ClassPortInfo&, const ClassPortInfo&) = default;
};

/// Counters of a port (PerfMgt, IBTA 16.1.3.5).
struct PortCounters {
    static constexpr std::uint16_t id = 0x0012;

    std::uint8_t port_select = 0;
    std::uint16_t counter_select = 0;
    std::uint16_t symbol_errors = 0;
    std::uint8_t link_error_recoveries = 0;
    std::uint8_t link_downed = 0;
    std::uint16_t receive_errors = 0;
    std::uint16_t receive_remote_physical_errors = 0;
    std::uint16_t receive_switch_relay_errors = 0;
    std::uint16_t transmit_discards = 0;
    std::uint8_t transmit_constraint_errors = 0;
    std::uint8_t receive_constraint_errors = 0;
    std::uint8_t local_link_integrity_errors = 0;     ///< 4 bits.
    std::uint8_t excessive_buffer_overrun_errors = 0; ///< 4 bits.
    std::uint16_t vl15_dropped = 0;
    std::uint32_t transmit_data = 0; ///< In units of four bytes.
    std::uint32_t receive_data = 0;  ///< In units of four bytes.
    std::uint32_t transmit_packets = 0;
    std::uint32_t receive_packets = 0;
    std::uint32_t transmit_wait = 0;

    [[nodiscard]] UCMAD_API static PortCounters read(Bytes mad);
    UCMAD_API void write(MutableBytes mad) const;

    friend constexpr bool operator==(const PortCounters&, const PortCounters&) = default;
};

/// Route of a directed SMP (IBTA 14.2.1.2).
struct DirectedRoute {
    static constexpr std::size_t max_hops = 63;
    static constexpr std::uint16_t permissive_lid = 0xffff;

    std::uint64_t m_key = 0;
    std::uint16_t source_lid = permissive_lid;
    std::uint16_t destination_lid = permissive_lid;
    std::uint8_t hop_pointer = 0;
    std::uint8_t hop_count = 0;
    std::array<std::uint8_t, 64> initial_path{}; ///< Port numbers, from index 1.

    /// The route through these ports, none of them: this node itself. Error: EINVAL too many.
    [[nodiscard]] UCMAD_API static DirectedRoute through(std::span<const std::uint8_t> ports);

    [[nodiscard]] UCMAD_API static DirectedRoute read(Bytes mad);
    /// Writes hop pointer and count, too: after the common header.
    UCMAD_API void write(MutableBytes mad) const;

    friend constexpr bool operator==(const DirectedRoute&, const DirectedRoute&) = default;
};

/// A node (SMP, IBTA 14.2.5.3).
struct NodeInfo {
    static constexpr std::uint16_t id = 0x0011;

    std::uint8_t base_version = 0;
    std::uint8_t class_version = 0;
    std::uint8_t node_type = 0; ///< 1 channel adapter, 2 switch, 3 router.
    std::uint8_t port_count = 0;
    std::uint64_t system_guid = 0;
    std::uint64_t node_guid = 0;
    std::uint64_t port_guid = 0;
    std::uint16_t partition_cap = 0;
    std::uint16_t device_id = 0;
    std::uint32_t revision = 0;
    std::uint8_t local_port = 0;
    std::uint32_t vendor_id = 0; ///< 24 bits.

    [[nodiscard]] UCMAD_API static NodeInfo read(Bytes mad);
    UCMAD_API void write(MutableBytes mad) const;

    friend constexpr bool operator==(const NodeInfo&, const NodeInfo&) = default;
};

/// A port, the part of it that tools show (SMP, IBTA 14.2.5.6).
struct PortInfo {
    static constexpr std::uint16_t id = 0x0015;

    std::uint64_t m_key = 0;
    std::uint64_t gid_prefix = 0;
    std::uint16_t lid = 0;
    std::uint16_t master_sm_lid = 0;
    std::uint32_t capability_mask = 0;
    std::uint8_t local_port = 0;
    std::uint8_t link_width_enabled = 0;
    std::uint8_t link_width_supported = 0;
    std::uint8_t link_width_active = 0;
    std::uint8_t link_speed_supported = 0; ///< 4 bits.
    std::uint8_t port_state = 0;           ///< 1 down, 2 init, 3 armed, 4 active.
    std::uint8_t physical_state = 0;       ///< 5 link up.
    std::uint8_t lmc = 0;                  ///< 3 bits.
    std::uint8_t link_speed_active = 0;    ///< 4 bits.
    std::uint8_t neighbor_mtu = 0;         ///< As enum ibv_mtu.
    std::uint8_t master_sm_sl = 0;         ///< 4 bits.

    [[nodiscard]] UCMAD_API static PortInfo read(Bytes mad);
    UCMAD_API void write(MutableBytes mad) const;

    friend constexpr bool operator==(const PortInfo&, const PortInfo&) = default;
};

/// The name of a node (SMP, IBTA 14.2.5.2).
struct NodeDescription {
    static constexpr std::uint16_t id = 0x0010;

    [[nodiscard]] UCMAD_API static std::string read(Bytes mad);
};

} // namespace ucmad
