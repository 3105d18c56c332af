// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// What the subcommands of 'ucmad mad' share: options, one agent at a time, one loop.
#pragma once

#include "session.hpp"

#include <ucmad/dispatcher.hpp>
#include <ucmad/mad_client.hpp>

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace ucmad::tool {

/// Whom a MAD goes to: a GID, or on InfiniBand a LID.
using MadDestination = std::variant<Gid, std::uint16_t>;

/// "10.0.0.1", "fe80::1", "12" or "0xc". Throws CLI::ValidationError.
[[nodiscard]] MadDestination parse_mad_destination(const std::string& text);
[[nodiscard]] std::string text_of(const MadDestination& destination);

struct MadOptions {
    LocalOptions local;
    Output::Options output;
    Patience patience;
};

void add_mad_options(CLI::App& command, MadOptions& options);
void add_patience(CLI::App& command, Patience& patience);
void add_mad_destination(CLI::App& command, MadDestination& destination);
void add_oui(CLI::App& command, std::function<void(const Oui&)> set);

/// A number, decimal or hexadecimal, of at most `max`.
CLI::Option* add_number(CLI::App& command, const std::string& names, std::uint64_t max,
                        std::function<void(std::uint64_t)> set, const std::string& description);

/// Bytes from hexadecimal digits; blanks, colons and an 0x are passed over. Throws
/// CLI::ValidationError.
[[nodiscard]] std::vector<std::byte> parse_hex(const std::string& text);

/// One device, one port, and the loop in which handlers run.
class MadSession {
public:
    MadSession(const MadOptions& options, const Output& output);

    [[nodiscard]] const Output& output() const noexcept { return session_.output(); }

    /// QP1, or of an agent on QP0 that, of a destination. Throws a Failure.
    [[nodiscard]] MadAddress address_of(const MadDestination& destination, std::uint8_t qp = 1);

    /// Registers an agent on the port. Throws a Failure with words for what can go wrong.
    [[nodiscard]] MadClient client(MadAgentParams params, MadClientHandlers handlers = {});

    /// Runs handlers until `done` says so, or for that time. False: Ctrl-C.
    bool run(const std::function<bool()>& done, Timeout timeout = forever);

private:
    Session session_;
    std::uint8_t port_;
    Dispatcher dispatcher_;
};

/// A MAD for people: its header, and what is known of its data. With its bytes, if asked for.
[[nodiscard]] std::string mad_text(Bytes mad, bool with_bytes);
[[nodiscard]] Json mad_json(Bytes mad);

/// "responded", or why not, with the number of tries.
[[nodiscard]] std::string result_text(const MadResult& result);

/// Subcommands of 'ucmad mad'.
AddCommand add_mad_ping, add_mad_respond, add_mad_send, add_mad_sweep, add_mad_monitor;

} // namespace ucmad::tool
