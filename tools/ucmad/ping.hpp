// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// The two sides of 'ucmad ping'.
#pragma once

#include "server.hpp"

namespace ucmad::tool {

struct PingOptions {
    PeerOptions peer;
    std::uint64_t count = 0; ///< Pings to send; 0: until Ctrl-C.
    std::uint32_t size = 64;
    std::chrono::nanoseconds interval = std::chrono::seconds{1};
    Timeout timeout = std::chrono::seconds{10};
    bool quiet = false;
};

/// A ping carries its number in its first bytes.
inline constexpr std::uint32_t min_ping_size = 8;

/// Messages that can be under way each way: one, and one whose acknowledgement is late.
inline constexpr std::uint32_t ping_depth = 2;

[[nodiscard]] ExitStatus run_ping_client(Session& session, const PingOptions& options);
[[nodiscard]] ExitStatus run_ping_server(Session& session, const ServerOptions& options);

} // namespace ucmad::tool
