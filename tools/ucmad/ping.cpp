// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ucmad ping: how long a message takes to a peer and back, over a connection.
#include "ping.hpp"

namespace ucmad::tool {
namespace {

struct PingCommand {
    LocalOptions local;
    Output::Options output;
    PingOptions client;
    ServerOptions server;
    bool serve = false;
};

ExitStatus run_ping(const PingCommand& options, const Output& output) {
    Session session{options.local, output};
    return options.serve ? run_ping_server(session, options.server)
                         : run_ping_client(session, options.client);
}

} // namespace

void add_ping(CLI::App& app, ExitStatus& status) {
    auto* command = app.add_subcommand(
        "ping", "Measure how long messages take to a 'ucmad ping --listen' and back");
    auto options = std::make_shared<PingCommand>();

    auto* destination = add_destination(*command, options->client.peer);
    auto* service_id = add_service_id(*command, options->client.peer);
    auto* listen = command
                       ->add_option_function<std::string>(
                           "-l,--listen",
                           [options](const std::string& text) {
                               options->server.service_id = parse_listen_service_id(text);
                               options->serve = true;
                           },
                           "Serve pings on this service ID ('any': the CM chooses)")
                       ->type_name("SERVICE_ID")
                       ->excludes(destination)
                       ->excludes(service_id);
    command
        ->add_option_function<std::uint64_t>(
            "-c,--count",
            [options](std::uint64_t count) {
                options->client.count = count;
                options->server.count = count;
            },
            "Send so many pings, then end (with --listen: serve so many connections)")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    command
        ->add_flag_callback(
            "--once", [options] { options->server.count = 1; },
            "With --listen: serve one connection, then end")
        ->needs(listen);
    command->add_option("-s,--size", options->client.size, "Bytes of each ping (default: 64)")
        ->check(CLI::Range(min_ping_size, max_message_size))
        ->type_name("BYTES")
        ->excludes(listen);
    add_duration(
        *command, "-i,--interval", [options](Timeout time) { options->client.interval = time; },
        "Time from one ping to the next; 0: as fast as answers come (default: 1 s)")
        ->excludes(listen);
    command->add_flag("-q,--quiet", options->client.quiet, "Print the statistics only")
        ->excludes(listen);
    add_local_options(*command, options->local);
    add_dlid(*command, options->client.peer);
    add_duration(
        *command, "-t,--timeout",
        [options](Timeout time) {
            options->client.timeout = time;
            options->server.timeout = time;
        },
        "How long to wait for each answer (default: 10 s; with --listen, for a "
        "connection: for ever)");
    add_output_options(*command, options->output);
    command->callback([=, &status] {
        if (!options->serve && (destination->count() == 0 || service_id->count() == 0))
            throw CLI::RequiredError("DEST and SERVICE_ID, or --listen SERVICE_ID");
        status = run_command("ping", options->output,
                             [&](const Output& output) { return run_ping(*options, output); });
    });
}

} // namespace ucmad::tool
