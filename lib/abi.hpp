// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Conversion between the library's types and the ABI's.
#pragma once

#include <ucmad/event.hpp>
#include <ucmad/path.hpp>

#include <rdma/ucmad.h>

#include <system_error>
#include <vector>

namespace ucmad::detail {

[[nodiscard]] ucmad_path to_abi(const Path& path) noexcept;
[[nodiscard]] Path from_abi(const ucmad_path& abi) noexcept;

[[nodiscard]] ucmad_mad_address to_abi(const MadAddress& address) noexcept;
[[nodiscard]] MadAddress from_abi(const ucmad_mad_address& abi) noexcept;

/// An address as the ABI passes it.
[[nodiscard]] inline __u64 address_of(const void* pointer) noexcept {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Reads the records that UCMAD_IOCTL_EVENTS has written, and appends a view of each to `events`.
/// EBADMSG at the first that makes no sense; those before it are there.
[[nodiscard]] std::error_code decode_events(Bytes records, std::vector<EventView>& events);

} // namespace ucmad::detail
