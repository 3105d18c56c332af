// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ucmad listen: prints the lines that come over any number of connections.
#include "lines.hpp"
#include "server.hpp"

namespace ucmad::tool {
namespace {

struct ListenOptions {
    LocalOptions local;
    ServerOptions server;
    Output::Options output;
    bool prefix = false;
};

class LineLink : public Link {
public:
    LineLink(std::uint64_t number, Request request, const VerbsDevice& verbs, const Hello& hello,
             const Output& output, bool prefix)
        : Link(number, std::move(request), verbs, hello.message_size, lines_depth), output_(output),
          prefix_(prefix) {}

    void received(Bytes message) override {
        lines_.add(message, [this](std::string_view line) { print(line); });
    }

    void finished() override {
        lines_.finish([this](std::string_view line) { print(line); });
    }

private:
    void print(std::string_view line) const {
        const bool complete = line.ends_with('\n');
        const std::string_view text = line.substr(0, line.size() - (complete ? 1 : 0));
        output_.result(Json{{"event", "line"},
                            {"connection", number()},
                            {"text", text},
                            {"complete", complete}},
                       prefix_ ? fmt::format("{}: {}", number(), line) : std::string{line});
    }

    const Output& output_;
    bool prefix_;
    LineBuffer lines_;
};

ExitStatus listen_and_print(const ListenOptions& options, const Output& output) {
    Session session{options.local, output};
    Service service{
        .protocol = Protocol::lines,
        .make_link =
            [&](std::uint64_t number, Request request, const Hello& hello) {
                return std::make_unique<LineLink>(number, std::move(request), session.verbs(),
                                                  hello, output, options.prefix);
            },
    };
    return Server{session, options.server, std::move(service)}.run();
}

} // namespace

void add_listen(CLI::App& app, ExitStatus& status) {
    auto* command =
        app.add_subcommand("listen", "Serve 'ucmad connect' and print the lines it sends");
    auto options = std::make_shared<ListenOptions>();
    command
        ->add_option_function<std::string>(
            "SERVICE_ID",
            [options](const std::string& text) {
                options->server.service_id = parse_listen_service_id(text);
            },
            "Where to listen: 64 bits, hexadecimal (0x1000) or decimal; 'any': the CM chooses")
        ->required()
        ->type_name("");
    add_server_options(*command, options->server);
    command->add_flag("--prefix", options->prefix,
                      "Print the number of its connection in front of each line");
    add_local_options(*command, options->local);
    add_duration(
        *command, "-t,--timeout", [options](Timeout time) { options->server.timeout = time; },
        "How long to wait for a connection (default: for ever)");
    add_output_options(*command, options->output);
    command->callback([options, &status] {
        status = run_command("listen", options->output, [&](const Output& output) {
            return listen_and_print(*options, output);
        });
    });
}

} // namespace ucmad::tool
