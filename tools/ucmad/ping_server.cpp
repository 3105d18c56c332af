// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "ping.hpp"

namespace ucmad::tool {
namespace {

/// Sends everything back.
class EchoLink : public Link {
public:
    using Link::Link;

    void received(Bytes message) override {
        // A client of ours has waited for the answer before, so there is room. Another one that
        // does not wait loses pings, and is told so by its missing answers.
        if (queue_pair().can_send())
            queue_pair().send(message);
    }
};

} // namespace

ExitStatus run_ping_server(Session& session, const ServerOptions& options) {
    Service service{
        .protocol = Protocol::ping,
        .make_link =
            [&](std::uint64_t number, Request request, const Hello& hello) {
                return std::make_unique<EchoLink>(number, std::move(request), session.verbs(),
                                                  hello.message_size, ping_depth);
            },
    };
    return Server{session, options, std::move(service)}.run();
}

} // namespace ucmad::tool
