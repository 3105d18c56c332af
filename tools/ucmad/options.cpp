// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "options.hpp"

#include <charconv>
#include <cmath>

namespace ucmad::tool {
namespace {

/// The CM assigns service IDs from there (IBTA Annex A3); a program cannot choose one.
constexpr std::uint8_t assigned_prefix = 0x02;

std::chrono::nanoseconds parse_duration(const std::string& name, const std::string& text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    const std::string_view unit{rest, static_cast<std::size_t>(end - rest)};
    double scale = 0;
    if (unit.empty() || unit == "s")
        scale = 1e9;
    else if (unit == "ms")
        scale = 1e6;
    else if (unit == "us")
        scale = 1e3;
    constexpr double limit = 1e18; // some 31 years; more would not fit
    if (error != std::errc{} || scale == 0 || !(value >= 0) || value * scale > limit)
        refuse(fmt::format("{}: '{}' is not a time: say 5, 0.5, 200ms or 50us (seconds if no unit)",
                           name, text));
    return std::chrono::nanoseconds{std::llround(value * scale)};
}

Gid parse_destination(const std::string& text) {
    if (text.find('%') != std::string::npos)
        refuse(
            fmt::format("'{}': leave out the %interface; --gid-index says which way to go", text));
    std::error_code ec;
    const Gid gid = Gid::parse(text, ec);
    if (ec)
        refuse(fmt::format("'{}' is neither a GID nor an IP address", text));
    if (gid.is_zero())
        refuse("the zero GID is nobody's");
    return gid;
}

} // namespace

void refuse(const std::string& message) { throw CLI::ValidationError(message); }

void add_local_options(CLI::App& command, LocalOptions& options) {
    command
        .add_option("-d,--device", options.device,
                    "RDMA device (default: the first that has an active port)")
        ->type_name("NAME");
    command
        .add_option_function<unsigned>(
            "-p,--port",
            [&options](unsigned value) { options.port = static_cast<std::uint8_t>(value); },
            "Port of the device (default: the first active one)")
        ->check(CLI::Range(1, 255))
        ->type_name("N");
    command
        .add_option_function<unsigned>(
            "-g,--gid-index",
            [&options](unsigned value) { options.gid_index = static_cast<std::uint16_t>(value); },
            "Index of the local GID (default: the first that fits)")
        ->check(CLI::Range(0, 255))
        ->type_name("N");
}

void add_output_options(CLI::App& command, Output::Options& options) {
    command.add_flag("-j,--json", options.json, "Print JSON, one object a line");
    command.add_flag("-v,--verbose", options.verbose, "Tell each step, on standard error");
}

CLI::Option* add_duration(CLI::App& command, const std::string& names,
                          std::function<void(std::chrono::nanoseconds)> set,
                          const std::string& description) {
    return command
        .add_option_function<std::string>(
            names,
            [set = std::move(set), name = names.substr(names.find("--"))](const std::string& text) {
                set(parse_duration(name, text));
            },
            description)
        ->type_name("TIME");
}

CLI::Option* add_destination(CLI::App& command, PeerOptions& peer) {
    return command
        .add_option_function<std::string>(
            "DEST",
            [&peer](const std::string& text) { peer.destination = parse_destination(text); },
            "The peer's GID or IP address")
        ->type_name("");
}

CLI::Option* add_service_id(CLI::App& command, PeerOptions& peer) {
    return command
        .add_option_function<std::string>(
            "SERVICE_ID",
            [&peer](const std::string& text) { peer.service_id = parse_service_id(text); },
            "What the peer listens on: 64 bits, hexadecimal (0x1000) or decimal")
        ->type_name("");
}

void add_dlid(CLI::App& command, PeerOptions& peer) {
    command
        .add_option_function<unsigned>(
            "--dlid", [&peer](unsigned value) { peer.dlid = static_cast<std::uint16_t>(value); },
            "The peer's LID (InfiniBand ports only)")
        ->check(CLI::Range(1, 0xbfff))
        ->type_name("LID");
}

std::uint64_t parse_service_id(const std::string& text) {
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const char* begin = text.data() + (is_hex ? 2 : 0);
    const char* end = text.data() + text.size();
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value, is_hex ? 16 : 10);
    if (error == std::errc::result_out_of_range)
        refuse(fmt::format("'{}' is too large for a service ID, which has 64 bits", text));
    if (error != std::errc{} || rest != end)
        refuse(
            fmt::format("'{}' is not a service ID: a 64-bit number, such as 0x1000 or 4096", text));
    return value;
}

std::optional<std::uint64_t> parse_listen_service_id(const std::string& text) {
    if (text == "any")
        return std::nullopt;
    const std::uint64_t value = parse_service_id(text);
    if (value >> 56 == assigned_prefix)
        refuse(
            fmt::format("{}: service IDs that begin with 0x02 are reserved: the CM assigns them. "
                        "Choose another one, or say 'any' to be given one of those",
                        service_id_text(value)));
    return value;
}

std::string address_text(const Gid& gid) {
    if (!gid.is_ipv4_mapped())
        return to_string(gid);
    const auto& bytes = gid.bytes;
    return fmt::format("{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]);
}

std::string service_id_text(std::uint64_t service_id) { return fmt::format("{:#x}", service_id); }

ExitStatus run_command(std::string_view name, const Output::Options& options,
                       const std::function<ExitStatus(const Output&)>& body) {
    const Output output{options};
    const auto report = [&](const Failure& failure) {
        output.error(name, failure);
        return failure.status();
    };
    try {
        return body(output);
    } catch (const Failure& failure) {
        return report(failure);
    } catch (const std::exception& error) {
        return report(other_failure(error));
    }
}

} // namespace ucmad::tool
