// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Where a MAD goes or comes from, and what became of it.
#pragma once

#include <ucmad/path.hpp>
#include <ucmad/types.hpp>

#include <cstdint>
#include <string_view>
#include <system_error>

namespace ucmad {

/// Q_Key of QP1 (IBTA 3.5.3).
inline constexpr std::uint32_t gsi_qkey = 0x80010000;

/// Address of an agent. Numbers are in host byte order. `gsi_address()` makes the usual one.
struct MadAddress {
    Gid dgid{};                     ///< GID of the other end, with `has_grh`.
    std::uint32_t flow_label = 0;   ///< Of the GRH, 20 bits.
    std::uint32_t qpn = 1;          ///< QP of the other end: 1, from QP0: 0.
    std::uint32_t qkey = gsi_qkey;  ///< Its Q_Key.
    std::uint16_t dlid = 0;         ///< LID of the other end; 0 on RoCE.
    std::uint16_t pkey_index = 0;   ///< Index of the partition key.
    std::uint16_t sgid_index = 0;   ///< Index of the local GID, with `has_grh`.
    bool has_grh = false;           ///< There is a GRH; always on RoCE.
    std::uint8_t sl = 0;            ///< Service level, 0 to 15.
    std::uint8_t hop_limit = 0;     ///< Of the GRH; 0: as the route says, or 64.
    std::uint8_t traffic_class = 0; ///< Of the GRH.
    std::uint8_t path_bits = 0;     ///< Low bits of the local LID.
    std::uint8_t rate = 0;          ///< As enum ibv_rate; 0: the port's own.

    friend constexpr bool operator==(const MadAddress&, const MadAddress&) = default;
};

/// QP1 at the other end of a path.
[[nodiscard]] UCMAD_API MadAddress gsi_address(const Path& path) noexcept;

/// QP1 of a peer on RoCE, from the local GID at `sgid_index`.
[[nodiscard]] UCMAD_API MadAddress gsi_address(const Gid& dgid, std::uint16_t sgid_index) noexcept;

/// QP1 of a port of this InfiniBand subnet.
[[nodiscard]] UCMAD_API MadAddress gsi_address(std::uint16_t dlid) noexcept;

/// QP0 of a port of this subnet; for a directed route DirectedRoute::permissive_lid.
[[nodiscard]] UCMAD_API MadAddress smi_address(std::uint16_t dlid) noexcept;

/// What became of a send (MAD-ONE).
enum class SendStatus : std::uint32_t {
    responded,   ///< Here is the response.
    sent,        ///< No response was asked for.
    timed_out,   ///< No response to any try.
    cancelled,   ///< Somebody has cancelled it.
    flushed,     ///< The agent was deregistered, or its device removed.
    unreachable, ///< The other end was not found.
    error,       ///< The hardware has failed to send it.
};

/// "responded", "sent", "timed out", ...
[[nodiscard]] UCMAD_API std::string_view send_status_name(SendStatus status) noexcept;

/// None for `responded` and `sent`; ETIMEDOUT, ECANCELED, ESHUTDOWN, EHOSTUNREACH, EIO.
[[nodiscard]] UCMAD_API std::error_code make_error(SendStatus status) noexcept;

} // namespace ucmad
