// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "mad_session.hpp"

#include "select.hpp"

#include <cctype>
#include <cerrno>
#include <charconv>

namespace ucmad::tool {
namespace {

std::optional<std::uint64_t> number_of(std::string_view text) {
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    if (is_hex)
        text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
    if (error != std::errc{} || rest != text.data() + text.size())
        return std::nullopt;
    return value;
}

Failure registration_failure(const std::system_error& error, const MadAgentParams& params,
                             std::uint8_t port) {
    if (error.code() == std::errc::address_in_use)
        return {ExitStatus::service_id_in_use,
                fmt::format("another agent has registered for {} on port {}",
                            class_name(params.mgmt_class), port),
                "it may be another 'ucmad mad', a program that uses libibumad, or the kernel"};
    if (error.code() == std::errc::operation_not_permitted)
        return {ExitStatus::no_permission, "you may not register a MAD agent",
                params.qp == 0 ? "it takes CAP_NET_ADMIN; try as root"
                               : "it takes CAP_NET_RAW; try as root"};
    if (error.code() == std::error_code(EOPNOTSUPP, std::system_category()))
        return {ExitStatus::no_device, fmt::format("port {} has no QP{}", port, params.qp),
                "RoCE ports have no QP0"};
    return other_failure(error);
}

} // namespace

MadDestination parse_mad_destination(const std::string& text) {
    if (const auto number = number_of(text)) {
        if (*number == 0 || *number > 0xffff)
            refuse(fmt::format("'{}' is not a LID: 1 to 0xbfff, or 0xffff", text));
        return static_cast<std::uint16_t>(*number);
    }
    std::error_code ec;
    const Gid gid = Gid::parse(text, ec);
    if (ec || gid.is_zero())
        refuse(fmt::format("'{}' is neither a GID, nor an IP address, nor a LID", text));
    return gid;
}

std::string text_of(const MadDestination& destination) {
    if (const auto* gid = std::get_if<Gid>(&destination))
        return address_text(*gid);
    return fmt::format("LID {}", std::get<std::uint16_t>(destination));
}

std::vector<std::byte> parse_hex(const std::string& text) {
    std::string digits;
    const std::string_view body =
        text.starts_with("0x") ? std::string_view{text}.substr(2) : std::string_view{text};
    for (const char c : body) {
        if (std::isxdigit(static_cast<unsigned char>(c)) != 0)
            digits += c;
        else if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != ':')
            refuse(fmt::format("'{}' is no hexadecimal digit", c));
    }
    if (digits.size() % 2 != 0)
        refuse("an odd number of hexadecimal digits");
    std::vector<std::byte> bytes(digits.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        unsigned value = 0;
        std::from_chars(&digits[2 * i], &digits[2 * i] + 2, value, 16);
        bytes[i] = static_cast<std::byte>(value);
    }
    return bytes;
}

CLI::Option* add_number(CLI::App& command, const std::string& names, std::uint64_t max,
                        std::function<void(std::uint64_t)> set, const std::string& description) {
    return command
        .add_option_function<std::string>(
            names,
            [max, set = std::move(set), names](const std::string& text) {
                const auto value = number_of(text);
                if (!value || *value > max)
                    refuse(
                        fmt::format("{}: '{}' is not a number of at most {:#x}", names, text, max));
                set(*value);
            },
            description)
        ->type_name("N");
}

void add_patience(CLI::App& command, Patience& patience) {
    add_duration(
        command, "-t,--timeout",
        [&patience](std::chrono::nanoseconds time) {
            patience.timeout = std::chrono::ceil<std::chrono::milliseconds>(time);
            if (patience.timeout.count() == 0)
                refuse("--timeout: 0 is no time to answer");
        },
        "How long to wait for the answer to each try (default: 1 s)");
    add_number(
        command, "-r,--retries", 15,
        [&patience](std::uint64_t n) { patience.retries = static_cast<std::uint32_t>(n); },
        "How often to try again (default: 3)");
}

void add_mad_destination(CLI::App& command, MadDestination& destination) {
    command
        .add_option_function<std::string>(
            "DEST",
            [&destination](const std::string& text) { destination = parse_mad_destination(text); },
            "The peer's GID or IP address, on InfiniBand also its LID")
        ->type_name("")
        ->required();
}

void add_oui(CLI::App& command, std::function<void(const Oui&)> set) {
    command
        .add_option_function<std::string>(
            "--oui",
            [set = std::move(set)](const std::string& text) {
                const std::vector<std::byte> bytes = parse_hex(text);
                Oui oui{};
                if (bytes.size() != oui.size())
                    refuse("--oui: three bytes, such as 00:14:05");
                std::ranges::transform(bytes, oui.begin(), std::to_integer<std::uint8_t>);
                set(oui);
            },
            "Vendor, for classes 0x30 to 0x4f")
        ->type_name("HEX");
}

void add_mad_options(CLI::App& command, MadOptions& options) {
    add_local_options(command, options.local);
    add_output_options(command, options.output);
}

MadSession::MadSession(const MadOptions& options, const Output& output)
    : session_(options.local, output),
      port_(choose_port(session_.device(), session_.verbs().context(), options.local)),
      dispatcher_(session_.context()) {}

MadAddress MadSession::address_of(const MadDestination& destination, std::uint8_t qp) {
    if (const auto* lid = std::get_if<std::uint16_t>(&destination)) {
        if (session_.device().is_roce(port_))
            throw Failure{ExitStatus::usage,
                          fmt::format("port {} speaks RoCE, which has no LIDs", port_),
                          "give the peer's GID or IP address"};
        return qp == 0 ? smi_address(*lid) : gsi_address(*lid);
    }
    PeerOptions peer;
    peer.destination = std::get<Gid>(destination);
    MadAddress to = gsi_address(session_.path_to(peer));
    if (qp == 0)
        to.qpn = to.qkey = 0;
    return to;
}

MadClient MadSession::client(MadAgentParams params, MadClientHandlers handlers) {
    params.device = session_.device().index;
    params.port = port_;
    try {
        return {dispatcher_, session_.context(), params, std::move(handlers)};
    } catch (const std::system_error& error) {
        throw registration_failure(error, params, port_);
    }
}

bool MadSession::run(const std::function<bool()>& done, Timeout timeout) {
    const Deadline deadline{timeout};
    while (!done() && !deadline.passed()) {
        const Session::Ready ready = session_.wait(deadline.left());
        if (ready.interrupt)
            return false;
        if (ready.event)
            dispatcher_.poll();
    }
    return true;
}

} // namespace ucmad::tool
