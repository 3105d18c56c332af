// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Small types that all of the library shares.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

/// Marks what the shared library exports.
#define UCMAD_API __attribute__((visibility("default")))

namespace ucmad {

/// Names an object (a CM ID) within one open file, and within no other. A handle is not soon used
/// again after its object was destroyed.
enum class Handle : std::uint32_t {
    /// Not a handle: "events of any object" where one may be named, "no object" elsewhere.
    any = 0,
};

/// How long to wait. Zero (`no_wait`) is not at all, a negative time (`forever`) without limit.
using Timeout = std::chrono::nanoseconds;

inline constexpr Timeout no_wait{0};
inline constexpr Timeout forever{-1};

/// Bytes that the library reads, such as the private data of a message to send.
using Bytes = std::span<const std::byte>;

/// The bytes of a string, without the zero byte at the end of a literal: `bytes_of("hello")`.
template <std::size_t N>
[[nodiscard]] Bytes bytes_of(const char (&literal)[N]) noexcept {
    return std::as_bytes(std::span<const char, N>{literal}).first(N - 1);
}

/// The bytes of any contiguous range of characters or integers, such as a `std::string`. It must
/// outlive the result.
template <typename Range>
[[nodiscard]] Bytes bytes_of(const Range& range) noexcept {
    return std::as_bytes(std::span{range});
}

/// Decodes a time as InfiniBand messages carry it: 4.096 us * 2^code, code from 0 to 31.
[[nodiscard]] constexpr std::chrono::nanoseconds decode_time(std::uint8_t code) noexcept {
    return std::chrono::nanoseconds{std::int64_t{4096} << (code < 31 ? code : 31)};
}

/// The least code whose time (see decode_time()) is not below `time`; 31 where there is none.
[[nodiscard]] constexpr std::uint8_t encode_time(std::chrono::nanoseconds time) noexcept {
    std::uint8_t code = 0;
    while (code < 31 && decode_time(code) < time)
        ++code;
    return code;
}

} // namespace ucmad
