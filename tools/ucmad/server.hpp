// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
#pragma once

#include "hello.hpp"
#include "session.hpp"

#include <ucmad/cm_id.hpp>
#include <ucmad/listener.hpp>

#include <map>
#include <memory>

namespace ucmad::tool {

/// One connection of a server.
class Link {
public:
    Link(std::uint64_t number, Request request, const VerbsDevice& verbs, std::size_t message_size,
         std::uint32_t depth);
    virtual ~Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
    [[nodiscard]] const CmId& id() const noexcept { return id_; }
    [[nodiscard]] RcQueuePair& queue_pair() noexcept { return queue_pair_; }
    [[nodiscard]] const ReqReceived& req() const noexcept { return req_; }

    /// The peer sent a message.
    virtual void received(Bytes message) = 0;

    /// The connection is over; no more messages come.
    virtual void finished() {}

    bool told = false; ///< That it is connected was printed.

private:
    std::uint64_t number_;
    RcQueuePair queue_pair_;
    CmId id_;
    ReqReceived req_;
};

/// What a server serves.
struct Service {
    Protocol protocol{};
    /// Makes the service's kind of Link for a request.
    std::function<std::unique_ptr<Link>(std::uint64_t number, Request request, const Hello& hello)>
        make_link;
};

struct ServerOptions {
    std::optional<std::uint64_t> service_id; ///< None: the CM chooses.
    std::uint64_t count = 0;                 ///< Connections to serve; 0: without end.
    Timeout timeout = forever;               ///< How long to wait for a connection.
};

void add_server_options(CLI::App& command, ServerOptions& options);

/// Serves any number of connections on one thread. Each new CM ID gets the number of its connection
/// as its context, in the same step as its REQ is acknowledged (EV-CONTEXT), so that each event
/// says which connection it is of.
class Server {
public:
    Server(Session& session, const ServerOptions& options, Service service);

    /// Until the connections wished for were served, or Ctrl-C.
    [[nodiscard]] ExitStatus run();

private:
    void listen();
    void tell_listening() const;
    void tell_opened(Link& link) const;
    [[nodiscard]] bool accepts_more() const noexcept;

    void handle_events();
    void handle(const EventView& event);
    void handle_request(const EventView& event);
    void accept(Request request, const Hello& hello);
    void refuse(const Request& request, RejectReason reason, std::string_view why) const;
    void handle_link_event(Link& link, const EventView& event);
    void handle_completions();
    void receive(Link& link);
    void close_all();

    /// `trouble`: not as the peer or the user wished.
    void close(Link& link, std::string_view how, bool trouble);

    Session& session_;
    ServerOptions options_;
    Service service_;
    std::optional<Listener> listener_;
    EventBatch batch_;
    std::map<std::uint64_t, std::unique_ptr<Link>> links_;
    std::uint64_t accepted_ = 0;
    bool trouble_ = false;
};

} // namespace ucmad::tool
