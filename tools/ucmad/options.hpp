// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Options that several subcommands share, with one spelling and one meaning.
#pragma once

#include "failure.hpp"
#include "output.hpp"

#include <ucmad/path.hpp>
#include <ucmad/types.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ucmad::tool {

/// Which local device, port and GID. What is not given is chosen.
struct LocalOptions {
    std::string device;
    std::optional<std::uint8_t> port;
    std::optional<std::uint16_t> gid_index;
};

/// Whom to connect to.
struct PeerOptions {
    Gid destination;
    std::uint64_t service_id = 0;
    std::optional<std::uint16_t> dlid; ///< InfiniBand only.
};

// Add options to a subcommand. What they fill must live until it has run.
void add_local_options(CLI::App& command, LocalOptions& options);
void add_output_options(CLI::App& command, Output::Options& options);
CLI::Option* add_duration(CLI::App& command, const std::string& names,
                          std::function<void(std::chrono::nanoseconds)> set,
                          const std::string& description);
CLI::Option* add_destination(CLI::App& command, PeerOptions& peer);
CLI::Option* add_service_id(CLI::App& command, PeerOptions& peer);
void add_dlid(CLI::App& command, PeerOptions& peer);

/// Of what was given: throws CLI::ValidationError.
[[noreturn]] void refuse(const std::string& message);

/// A service ID, "0x1000" or "4096". Throws CLI::ValidationError.
[[nodiscard]] std::uint64_t parse_service_id(const std::string& text);

/// A service ID to listen on; "any": none, the CM chooses. Throws CLI::ValidationError.
[[nodiscard]] std::optional<std::uint64_t> parse_listen_service_id(const std::string& text);

/// A GID as DEST is given: an IPv4 address where it stands for one.
[[nodiscard]] std::string address_text(const Gid& gid);

/// As all of ucmad writes service IDs.
[[nodiscard]] std::string service_id_text(std::uint64_t service_id);

/// What a subcommand registers: its options, and its exit status when it has run.
using AddCommand = void(CLI::App& app, ExitStatus& status);

AddCommand add_devices, add_listen, add_connect, add_ping, add_mad;

/// Runs a subcommand, and has what it throws printed.
[[nodiscard]] ExitStatus run_command(std::string_view name, const Output::Options& options,
                                     const std::function<ExitStatus(const Output&)>& body);

} // namespace ucmad::tool
