// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "hello.hpp"

#include <algorithm>

namespace ucmad::tool {
namespace {

constexpr std::string_view magic = "ucmad";
constexpr std::byte version{1};

// Where what is, see Hello.
constexpr std::size_t protocol_at = 5;
constexpr std::size_t version_at = 6;
constexpr std::size_t size_at = 8;

} // namespace

HelloBytes encode(const Hello& hello) noexcept {
    HelloBytes bytes{};
    std::ranges::copy(std::as_bytes(std::span{magic}), bytes.begin());
    bytes[protocol_at] = static_cast<std::byte>(hello.protocol);
    bytes[version_at] = version;
    for (std::size_t i = 0; i < 4; ++i)
        bytes[size_at + i] = static_cast<std::byte>(hello.message_size >> (8 * (3 - i)) & 0xff);
    return bytes;
}

std::optional<Hello> decode_hello(Bytes private_data) noexcept {
    if (private_data.size() < HelloBytes{}.size() || private_data[version_at] != version ||
        !std::ranges::equal(private_data.first(magic.size()), std::as_bytes(std::span{magic})))
        return std::nullopt;
    Hello hello{.protocol = static_cast<Protocol>(private_data[protocol_at])};
    for (const std::byte byte : private_data.subspan(size_at, 4))
        hello.message_size = hello.message_size << 8 | std::to_integer<std::uint32_t>(byte);
    return hello;
}

std::string_view server_name(Protocol protocol) noexcept {
    switch (protocol) {
    case Protocol::lines:
        return "ucmad listen";
    case Protocol::ping:
        return "ucmad ping --listen";
    }
    return "another program";
}

std::string text_of(Bytes private_data) {
    const auto end = std::ranges::find(private_data, std::byte{0});
    std::string text;
    for (const std::byte byte : std::span{private_data.begin(), end}) {
        const auto character = std::to_integer<char>(byte);
        if (character < ' ' || character > '~')
            return {};
        text += character;
    }
    return text;
}

} // namespace ucmad::tool
