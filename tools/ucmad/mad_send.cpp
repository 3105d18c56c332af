// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ucmad mad send: any MAD, from options, from hexadecimal digits or from a file; and its response.
#include "mad_session.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

namespace ucmad::tool {
namespace {

struct MadSendOptions {
    MadOptions mad;
    MadDestination destination;
    MadHeader header;
    std::optional<std::uint8_t> mgmt_class;
    std::optional<Oui> oui;
    std::vector<std::byte> data;
    std::uint64_t data_offset = 0; ///< 0: where the class has it.
    std::string hex, file;
    std::uint8_t qp = 1;
    std::uint16_t pkey_index = 0;
    std::uint8_t sl = 0;
    bool no_response = false;
    bool from_qp1 = false;
};

std::vector<std::byte> read_file(const std::string& name) {
    std::ifstream file;
    if (name != "-") {
        file.open(name, std::ios::binary);
        if (!file)
            throw Failure{ExitStatus::usage, fmt::format("cannot read {}", name)};
    }
    std::istream& in = name == "-" ? std::cin : file;
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const Bytes bytes = bytes_of(text);
    return {bytes.begin(), bytes.end()};
}

/// Whole MADs may leave out the zeros at their end.
std::vector<std::byte> filled(std::vector<std::byte> bytes) {
    if (bytes.size() < MadHeader::size || bytes.size() > mad_size)
        throw Failure{ExitStatus::usage, fmt::format("a MAD of {} bytes; it takes {} to {}",
                                                     bytes.size(), MadHeader::size, mad_size)};
    bytes.resize(mad_size);
    return bytes;
}

bool has_oui(std::uint8_t mgmt_class) { return mgmt_class >= 0x30 && mgmt_class <= 0x4f; }

std::size_t data_offset(std::uint8_t mgmt_class) {
    if (has_oui(mgmt_class))
        return VendorMad::data_offset;
    if (mgmt_class == sa_class)
        return 56;
    return 64;
}

std::vector<std::byte> mad_of(const MadSendOptions& options) {
    if (!options.hex.empty())
        return filled(parse_hex(options.hex));
    if (!options.file.empty())
        return filled(read_file(options.file));
    if (!options.mgmt_class)
        throw Failure{ExitStatus::usage, "what is to be sent? --class, or --hex, or --file"};
    std::vector<std::byte> mad(mad_size);
    MadHeader header = options.header;
    header.mgmt_class = *options.mgmt_class;
    header.write(mad);
    if (options.oui)
        VendorMad::set_oui(mad, *options.oui);
    const std::size_t offset =
        options.data_offset != 0 ? options.data_offset : data_offset(header.mgmt_class);
    if (options.data.size() > mad.size() - offset)
        throw Failure{ExitStatus::usage, fmt::format("{} bytes of data; there is room for {}",
                                                     options.data.size(), mad.size() - offset)};
    std::ranges::copy(options.data, mad.begin() + static_cast<std::ptrdiff_t>(offset));
    return mad;
}

ExitStatus send(const MadSendOptions& options, const Output& output) {
    const std::vector<std::byte> mad = mad_of(options);
    MadSession session{options.mad, output};
    MadAddress to = session.address_of(options.destination, options.qp);
    to.pkey_index = options.pkey_index;
    to.sl = options.sl;
    MadAgentParams params;
    params.qp = options.qp;
    params.over_ib_mad = options.from_qp1;
    MadClient client = session.client(params);
    std::optional<MadResult> result;
    client.post(mad, to, options.no_response ? no_response : options.mad.patience,
                [&](MadResult ended) { result = std::move(ended); });
    if (!session.run([&] { return result.has_value(); })) {
        client.deregister();
        throw interrupted();
    }
    if (result->error())
        throw Failure{ExitStatus::no_answer,
                      fmt::format("{}: {}", text_of(options.destination), result_text(*result))};
    if (result->status == SendStatus::sent) {
        output.result({{"event", "sent"}}, "sent\n");
        return ExitStatus::success;
    }
    Json json = mad_json(result->mad);
    json["event"] = "response";
    json["tries"] = result->tries;
    output.result(json, mad_text(result->mad, true));
    return MadHeader::read(result->mad).status == 0 ? ExitStatus::success : ExitStatus::rejected;
}

/// MadSendOptions of the header, one for each of its fields.
void add_header_options(CLI::App& command, MadSendOptions& options) {
    add_number(
        command, "--class", 0xff,
        [&](std::uint64_t n) { options.mgmt_class = static_cast<std::uint8_t>(n); },
        "Management class, such as 4 for PerfMgt");
    add_number(
        command, "--class-version", 0xff,
        [&](std::uint64_t n) { options.header.class_version = static_cast<std::uint8_t>(n); },
        "Its version (default: 1)");
    add_number(
        command, "--method", 0xff,
        [&](std::uint64_t n) { options.header.method = static_cast<MadMethod>(n); },
        "Method (default: 1, Get)");
    add_number(
        command, "--attribute", 0xffff,
        [&](std::uint64_t n) { options.header.attribute_id = static_cast<std::uint16_t>(n); },
        "Attribute ID, such as 0x12 for PortCounters");
    add_number(
        command, "--modifier", 0xffffffff,
        [&](std::uint64_t n) { options.header.attribute_modifier = static_cast<std::uint32_t>(n); },
        "Attribute modifier");
    add_oui(command, [&](const Oui& oui) { options.oui = oui; });
}

void add_content_options(CLI::App& command, MadSendOptions& options) {
    add_header_options(command, options);
    command
        .add_option_function<std::string>(
            "--data", [&](const std::string& text) { options.data = parse_hex(text); },
            "The data of the attribute")
        ->type_name("HEX");
    add_number(
        command, "--data-offset", mad_size - 1, [&](std::uint64_t n) { options.data_offset = n; },
        "Where in the MAD it goes (default: as the class has it)");
    auto* hex = command.add_option("--hex", options.hex, "The whole MAD")->type_name("HEX");
    command.add_option("--file", options.file, "A file with the whole MAD; '-': standard input")
        ->type_name("FILE")
        ->excludes(hex);
}

void add_way_options(CLI::App& command, MadSendOptions& options) {
    add_number(
        command, "--qp", 1, [&](std::uint64_t n) { options.qp = static_cast<std::uint8_t>(n); },
        "0: from QP0 to QP0, for SMPs (default: 1)");
    add_number(
        command, "--pkey-index", 0xffff,
        [&](std::uint64_t n) { options.pkey_index = static_cast<std::uint16_t>(n); },
        "Index of the partition key (default: 0)");
    add_number(
        command, "--sl", 15, [&](std::uint64_t n) { options.sl = static_cast<std::uint8_t>(n); },
        "Service level (default: 0)");
    command.add_flag("--from-qp1", options.from_qp1,
                     "Send from QP1, for a peer that answers no other");
    command.add_flag("--no-response", options.no_response, "Wait for none");
}

} // namespace

void add_mad_send(CLI::App& app, ExitStatus& status) {
    auto* command = app.add_subcommand("send", "Send any MAD, and print the response");
    auto options = std::make_shared<MadSendOptions>();
    add_mad_destination(*command, options->destination);
    add_content_options(*command, *options);
    add_way_options(*command, *options);
    add_patience(*command, options->mad.patience);
    add_mad_options(*command, options->mad);
    command->callback([=, &status] {
        status = run_command("mad send", options->mad.output,
                             [&](const Output& output) { return send(*options, output); });
    });
}

} // namespace ucmad::tool
