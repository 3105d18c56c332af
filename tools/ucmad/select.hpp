// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Chooses the local device, port and GID, and makes the path to a peer.
#pragma once

#include "options.hpp"

#include <ucmad/context.hpp>
#include <ucmad/path.hpp>

#include <infiniband/verbs.h>

#include <vector>

namespace ucmad::tool {

/// The module's file. Throws a Failure that says what to do.
[[nodiscard]] Context open_context();

/// The devices of that name, or all if it is empty. Throws a Failure if there is none.
[[nodiscard]] std::vector<DeviceInfo> find_devices(const Context& context, const std::string& name);

/// The device to use. Throws a Failure.
[[nodiscard]] DeviceInfo choose_device(const Context& context, const LocalOptions& options);

/// The port to use. Throws a Failure.
[[nodiscard]] std::uint8_t choose_port(const DeviceInfo& device, ibv_context* verbs,
                                       const LocalOptions& options);

/// All GIDs of a port, in the order of their indices.
[[nodiscard]] std::vector<ibv_gid_entry> gids_of(ibv_context* verbs, std::uint8_t port);

[[nodiscard]] Gid gid_of(const ibv_gid_entry& entry) noexcept;

/// Throws a Failure if no path can be made.
[[nodiscard]] Path path_to(const PeerOptions& peer, const DeviceInfo& device, ibv_context* verbs,
                           std::uint8_t port, const LocalOptions& options);

} // namespace ucmad::tool
