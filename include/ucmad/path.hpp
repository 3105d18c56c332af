// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// GIDs, and paths from a local port to a peer's.
#pragma once

#include <ucmad/types.hpp>

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

struct ibv_context;

namespace ucmad {

/// Global identifier of a port: 16 bytes as on the wire (network byte order), written like an IPv6
/// address. On RoCE v2 over IPv4 it is an IPv4-mapped IPv6 address (::ffff:10.0.0.1).
struct Gid {
    std::array<std::uint8_t, 16> bytes{};

    /// Reads a GID or IPv6 address ("fe80::1") or an IPv4 address ("10.0.0.1", which is mapped).
    /// Error: EINVAL.
    [[nodiscard]] UCMAD_API static Gid parse(std::string_view text);
    [[nodiscard]] UCMAD_API static Gid parse(std::string_view text, std::error_code& ec) noexcept;

    /// True for ::ffff:a.b.c.d.
    [[nodiscard]] UCMAD_API bool is_ipv4_mapped() const noexcept;

    /// True if all bytes are zero: no GID.
    [[nodiscard]] UCMAD_API bool is_zero() const noexcept;

    friend constexpr auto operator<=>(const Gid&, const Gid&) = default;
};

/// As an IPv6 address; IPv4-mapped ones with the dotted quad at the end. Gid::parse() reads it
/// back.
[[nodiscard]] UCMAD_API std::string to_string(const Gid& gid);

/// A path to a peer (IBTA 15.2.5.16, PathRecord, less what the CM does not need). Numbers are in
/// host byte order.
///
/// roce_path() and infiniband_path() fill it from what a port says of itself.
struct Path {
    Gid dgid{};                     ///< GID of the peer's port.
    Gid sgid{};                     ///< GID of the local port; zero: the one at sgid_index.
    std::uint32_t flow_label = 0;   ///< 20 bits.
    std::uint16_t dlid = 0;         ///< LID of the peer; 0 on RoCE.
    std::uint16_t slid = 0;         ///< LID of the local port; 0 on RoCE.
    std::uint16_t pkey = 0xffff;    ///< Partition key.
    std::uint16_t sgid_index = 0;   ///< Index of the local GID.
    std::uint8_t port = 1;          ///< Local port, from 1.
    std::uint8_t sl = 0;            ///< Service level, 0 to 15.
    std::uint8_t hop_limit = 0;     ///< InfiniBand: above 0 for a GRH. RoCE: 0 as the route says.
    std::uint8_t traffic_class = 0; ///< Traffic class.
    std::uint8_t mtu = 3;           ///< As enum ibv_mtu: 1 for 256 to 5 for 4096 bytes.
    std::uint8_t rate = 0;          ///< As enum ibv_rate; 0: the port's own.
    std::uint8_t packet_life_time = 16; ///< See decode_time(); 0 to 31.
    std::array<std::uint8_t, 6> dmac{}; ///< In events, on RoCE: MAC address of the peer.

    friend constexpr bool operator==(const Path&, const Path&) = default;
};

/// A RoCE path from the GID at `sgid_index` of a port to `dgid`: with the port's MTU, and the local
/// GID filled in. The module finds the peer's MAC address itself.
///
/// Errors: those of ibv_query_port() and ibv_query_gid(); EINVAL if there is no GID at that index;
/// EAFNOSUPPORT if one GID is IPv4-mapped and the other is not, since no packet could travel so.
[[nodiscard]] UCMAD_API Path roce_path(ibv_context* device, std::uint8_t port,
                                       std::uint16_t sgid_index, const Gid& dgid);

/// An InfiniBand path within the subnet, from a port's LID to `dlid`, without a GRH. With `dgid`
/// the path says the GIDs, too, which the CM puts into its messages; the local one is at index 0.
/// A program that has a PathRecord from the subnet administrator fills a Path from that instead.
///
/// Errors: those of ibv_query_port() and ibv_query_gid(); ENETDOWN if the port has no LID yet.
[[nodiscard]] UCMAD_API Path infiniband_path(ibv_context* device, std::uint8_t port,
                                             std::uint16_t dlid, const Gid& dgid);

} // namespace ucmad
