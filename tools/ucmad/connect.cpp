// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ucmad connect: sends the lines of standard input to a 'ucmad listen'.
#include "client.hpp"
#include "lines.hpp"

#include <array>
#include <cerrno>
#include <unistd.h>

namespace ucmad::tool {
namespace {

constexpr std::uint32_t message_size = 4096;

struct ConnectOptions {
    LocalOptions local;
    PeerOptions peer;
    Output::Options output;
    Timeout timeout = std::chrono::seconds{10};
};

/// Reads a piece of standard input; empty at its end.
Bytes read_input(std::span<std::byte> buffer) {
    const ssize_t length = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (length < 0)
        throw std::system_error(errno, std::system_category(), "reading standard input");
    return buffer.first(static_cast<std::size_t>(length));
}

/// Sends all of standard input, until it ends or Ctrl-C. Returns the bytes sent.
std::uint64_t send_input(Session& session, Client& client) {
    RcQueuePair& queue_pair = client.queue_pair();
    std::array<std::byte, message_size> buffer;
    std::uint64_t sent = 0;
    bool more = true;
    while (more || queue_pair.sends_under_way() > 0) {
        const bool can_read = more && queue_pair.can_send();
        const Session::Ready ready = session.wait(forever, can_read ? STDIN_FILENO : -1);
        if (ready.event)
            client.handle_events();
        if (ready.completion)
            client.poll([](Bytes) {}); // 'ucmad listen' sends nothing
        if (ready.interrupt)
            more = false;
        else if (ready.input) {
            const Bytes piece = read_input(buffer);
            more = !piece.empty();
            if (more)
                queue_pair.send(piece);
            sent += piece.size();
        }
    }
    return sent;
}

ExitStatus connect_and_send(const ConnectOptions& options, const Output& output) {
    Session session{options.local, output};
    const Hello hello{.protocol = Protocol::lines, .message_size = message_size};
    Client client{session, options.peer, hello, lines_depth, options.timeout};
    const std::uint64_t sent = send_input(session, client);
    output.detail("{} bytes sent, all acknowledged", sent);
    client.disconnect(options.timeout);
    return ExitStatus::success;
}

} // namespace

void add_connect(CLI::App& app, ExitStatus& status) {
    auto* command = app.add_subcommand(
        "connect", "Connect to a 'ucmad listen' and send it the lines of standard input");
    auto options = std::make_shared<ConnectOptions>();
    add_destination(*command, options->peer)->required();
    add_service_id(*command, options->peer)->required();
    add_local_options(*command, options->local);
    add_dlid(*command, options->peer);
    add_duration(
        *command, "-t,--timeout", [options](Timeout time) { options->timeout = time; },
        "How long to wait for the peer to answer (default: 10 s)");
    add_output_options(*command, options->output);
    command->callback([options, &status] {
        status = run_command("connect", options->output, [&](const Output& output) {
            return connect_and_send(*options, output);
        });
    });
}

} // namespace ucmad::tool
