// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ucmad mad monitor: unsolicited MADs of a class, as they arrive.
#include "mad_session.hpp"

namespace ucmad::tool {
namespace {

struct MonitorOptions {
    MadOptions mad;
    MadAgentParams params;
    std::vector<unsigned> methods;
    std::uint64_t count = 0; ///< 0: until Ctrl-C.
    bool hex = false;
};

std::string sender_text(const MadAddress& from) {
    return from.has_grh ? address_text(from.dgid) : fmt::format("LID {}", from.dlid);
}

ExitStatus monitor(const MonitorOptions& options, const Output& output) {
    MadSession session{options.mad, output};
    std::uint64_t seen = 0;
    MadClientHandlers handlers;
    handlers.received = [&](const IncomingMad& incoming) {
        ++seen;
        Json json = mad_json(incoming.mad);
        json["event"] = "mad";
        json["from"] = sender_text(incoming.from);
        json["from_qp"] = incoming.from.qpn;
        output.result(json, fmt::format("{} QP {}: {}", sender_text(incoming.from),
                                        incoming.from.qpn, mad_text(incoming.mad, options.hex)));
    };
    const MadClient client = session.client(options.params, handlers);
    output.status({{"event", "listening"}, {"class", options.params.mgmt_class}},
                  fmt::format("waiting for MADs of {} ({:#04x})",
                              class_name(options.params.mgmt_class), options.params.mgmt_class));
    session.run([&] { return options.count != 0 && seen >= options.count; });
    const std::uint64_t dropped = client.query().receives_dropped;
    output.status({{"event", "statistics"}, {"received", seen}, {"dropped", dropped}},
                  fmt::format("{} received, {} dropped", seen, dropped));
    return ExitStatus::success;
}

} // namespace

void add_mad_monitor(CLI::App& app, ExitStatus& status) {
    auto* command =
        app.add_subcommand("monitor", "Print unsolicited MADs of a class as they arrive");
    auto options = std::make_shared<MonitorOptions>();
    options->params.class_version = 1;
    add_number(
        *command, "--class", 0xff,
        [options](std::uint64_t n) { options->params.mgmt_class = static_cast<std::uint8_t>(n); },
        "Management class")
        ->required();
    add_number(
        *command, "--class-version", 0xff,
        [options](std::uint64_t n) {
            options->params.class_version = static_cast<std::uint8_t>(n);
        },
        "Its version (default: 1)");
    add_oui(*command, [options](const Oui& oui) { options->params.oui = oui; });
    command
        ->add_option("--method", options->methods,
                     "Methods to wait for (default: 3 5 6: Send, Trap, Report)")
        ->check(CLI::Range(1, 127))
        ->type_name("N");
    command->add_option("-c,--count", options->count, "Wait for so many, then end")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    command->add_flag("-x,--hex", options->hex, "Print the bytes, too");
    add_mad_options(*command, options->mad);
    command->callback([=, &status] {
        if (options->methods.empty())
            options->methods = {3, 5, 6};
        for (const unsigned method : options->methods)
            options->params.methods.set(method);
        options->params.qp = options->params.mgmt_class == smp_class ||
                                     options->params.mgmt_class == smp_directed_class
                                 ? 0
                                 : 1;
        status = run_command("mad monitor", options->mad.output,
                             [&](const Output& output) { return monitor(*options, output); });
    });
}

} // namespace ucmad::tool
