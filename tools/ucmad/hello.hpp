// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// What the command says in the private data of its CM messages.
#pragma once

#include <ucmad/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ucmad::tool {

/// What the two sides of a connection speak.
enum class Protocol : std::uint8_t {
    lines = 'l', ///< connect to listen: each message is a piece of a text.
    ping = 'p',  ///< ping to ping --listen: each message is sent back as it is.
};

/// In a REQ: bytes 0 to 4 "ucmad", 5 the protocol, 6 the version, 7 zero, 8 to 11 the size of the
/// largest message, the most significant byte first.
struct Hello {
    Protocol protocol{};
    std::uint32_t message_size = 0;
};

inline constexpr std::uint32_t max_message_size = 1U << 20;

using HelloBytes = std::array<std::byte, 12>;

[[nodiscard]] HelloBytes encode(const Hello& hello) noexcept;

/// None: it was not the command that sent this, or one of another version.
[[nodiscard]] std::optional<Hello> decode_hello(Bytes private_data) noexcept;

/// The command that serves a protocol.
[[nodiscard]] std::string_view server_name(Protocol protocol) noexcept;

/// The text in the private data of a REJ, up to the first zero byte; empty if it is not one.
[[nodiscard]] std::string text_of(Bytes private_data);

} // namespace ucmad::tool
