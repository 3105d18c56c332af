// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "server.hpp"

namespace ucmad::tool {
namespace {

/// Why a request is not for this server; nothing if it is.
struct Refusal {
    RejectReason reason = RejectReason::consumer_reject;
    std::string why;
};

std::optional<Refusal> check_local(const ReqReceived& req, const LocalOptions& options) {
    if ((options.port && *options.port != req.port) ||
        (options.gid_index && *options.gid_index != req.primary.sgid_index))
        return Refusal{.reason = RejectReason::primary_remote_port_gid_rejected,
                       .why = "not served on this port or GID"};
    return std::nullopt;
}

std::optional<Refusal> check_hello(const std::optional<Hello>& hello, Protocol protocol) {
    if (!hello)
        return Refusal{
            .why = fmt::format("this is {}; it serves its own client only", server_name(protocol))};
    if (hello->protocol != protocol)
        return Refusal{.why = fmt::format("this is {}, not {}", server_name(protocol),
                                          server_name(hello->protocol))};
    if (hello->message_size == 0 || hello->message_size > max_message_size)
        return Refusal{.why = fmt::format("messages of {} bytes; 1 to {} are possible",
                                          hello->message_size, max_message_size)};
    return std::nullopt;
}

/// What ended a connection; nothing if the event does not.
struct End {
    std::string how;
    bool trouble = true;
};

std::optional<End> end_of(const EventView& event) {
    if (event.get_if<DreqReceived>() != nullptr)
        return End{.how = "the peer disconnected", .trouble = false};
    if (const auto* rej = event.get_if<RejReceived>())
        return End{.how = fmt::format("the peer gave up: {}",
                                      reject_name(static_cast<std::uint16_t>(rej->reason)))};
    if (const auto* error = event.get_if<RepError>())
        return End{.how = fmt::format("the peer did not confirm: {}", error->error.message())};
    if (event.get_if<DeviceRemoved>() != nullptr)
        return End{.how = "the RDMA device was removed"};
    if (event.get_if<Expired>() != nullptr || event.get_if<TimewaitExit>() != nullptr)
        return End{.how = "the connection expired"};
    return std::nullopt;
}

} // namespace

Link::Link(std::uint64_t number, Request request, const VerbsDevice& verbs,
           std::size_t message_size, std::uint32_t depth)
    : number_(number), queue_pair_(verbs, message_size, depth), id_(std::move(request.id)),
      req_(*request.req()) {
    queue_pair_.tag = number;
}

void add_server_options(CLI::App& command, ServerOptions& options) {
    auto* once = command.add_flag_callback(
        "--once", [&options] { options.count = 1; },
        "Serve one connection, then end; as --count 1");
    command.add_option("-c,--count", options.count, "Serve so many connections, then end")
        ->check(CLI::PositiveNumber)
        ->type_name("N")
        ->excludes(once);
}

Server::Server(Session& session, const ServerOptions& options, Service service)
    : session_(session), options_(options), service_(std::move(service)) {
    listen();
}

void Server::listen() {
    try {
        listener_.emplace(session_.context(), session_.device().index,
                          ListenParams{.service_id = options_.service_id});
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::address_in_use)
            throw;
        throw Failure{ExitStatus::service_id_in_use,
                      fmt::format("somebody on this host listens on service ID {} already",
                                  service_id_text(*options_.service_id)),
                      "choose another one, or 'any' to be given one"};
    }
    tell_listening();
}

void Server::tell_listening() const {
    const std::string service_id = service_id_text(listener_->service_id());
    session_.output().status(
        Json{
            {"event", "listening"}, {"device", session_.device().name}, {"service_id", service_id}},
        fmt::format("listening on {}, service ID {}", session_.device().name, service_id));
}

bool Server::accepts_more() const noexcept {
    return options_.count == 0 || accepted_ < options_.count;
}

ExitStatus Server::run() {
    Deadline deadline{options_.timeout};
    while (accepts_more() || !links_.empty()) {
        const bool idle = links_.empty();
        const Session::Ready ready = session_.wait(idle ? deadline.left() : forever);
        if (ready.interrupt) {
            close_all();
            return ExitStatus::success;
        }
        if (ready.event)
            handle_events();
        if (ready.completion)
            handle_completions();
        if (!links_.empty())
            deadline = Deadline{options_.timeout};
        else if (idle && deadline.passed())
            throw Failure{ExitStatus::no_answer, "nobody connected in time"};
    }
    return trouble_ ? ExitStatus::connection_lost : ExitStatus::success;
}

void Server::handle_events() {
    while (session_.context().take(batch_, {.timeout = no_wait}) > 0) {
        for (const EventView& event : batch_)
            handle(event);
    }
}

void Server::handle(const EventView& event) {
    session_.output().detail("{}{}", event.name(),
                             event.context != 0 ? fmt::format(" ({})", event.context) : "");
    if (event.get_if<ReqReceived>() != nullptr)
        return handle_request(event);
    batch_.ack(event);
    if (event.object == listener_->id().handle())
        throw Failure{ExitStatus::no_device, "the RDMA device was removed"};
    if (event.get_if<SidrReqReceived>() != nullptr) {
        const CmId unwanted = CmId::adopt(session_.context(), event.object); // refuses it
        return;
    }
    // An earlier event of the same batch may have ended the connection.
    if (const auto link = links_.find(event.context); link != links_.end())
        handle_link_event(*link->second, event);
}

void Server::handle_request(const EventView& event) {
    Request request{.id = CmId::adopt(session_.context(), event.object),
                    .event = Event{event},
                    .context = accepted_ + 1};
    batch_.ack(event, *request.context);
    const auto hello = decode_hello(event.private_data);
    auto refusal = check_local(*request.req(), session_.options());
    if (!refusal)
        refusal = check_hello(hello, service_.protocol);
    if (!refusal && !accepts_more())
        refusal = Refusal{.reason = RejectReason::no_resources_available,
                          .why = "no more connections are served"};
    if (refusal)
        refuse(request, refusal->reason, refusal->why);
    else
        accept(std::move(request), *hello);
}

void Server::refuse(const Request& request, RejectReason reason, std::string_view why) const {
    std::error_code ignored; // the peer may have given up meanwhile
    request.id.rej({.reason = reason, .private_data = bytes_of(why)}, ignored);
    const std::string peer = address_text(request.req()->primary.dgid);
    session_.output().status(Json{{"event", "refused"},
                                  {"peer", peer},
                                  {"reason", static_cast<int>(reason)},
                                  {"why", why}},
                             fmt::format("refused {}: {}", peer, why));
}

void Server::accept(Request request, const Hello& hello) {
    const std::uint64_t number = accepted_ + 1;
    const std::string peer = address_text(request.req()->primary.dgid);
    try {
        std::unique_ptr<Link> link = service_.make_link(number, std::move(request), hello);
        const RepParams answer{.qp_num = link->queue_pair().number(), .starting_psn = random_psn()};
        link->queue_pair().bring_up(link->id(), answer);
        link->id().rep(answer);
        links_.emplace(number, std::move(link));
        ++accepted_;
    } catch (const std::system_error& error) { // of this connection only; the peer is rejected
        session_.output().status(
            Json{{"event", "refused"}, {"peer", peer}, {"reason", nullptr}, {"why", error.what()}},
            fmt::format("cannot accept {}: {}", peer, error.what()));
    }
}

void Server::tell_opened(Link& link) const {
    if (std::exchange(link.told, true))
        return;
    const std::string peer = address_text(link.req().primary.dgid);
    const CmIdInfo info = link.id().query();
    session_.output().status(Json{{"event", "connected"},
                                  {"connection", link.number()},
                                  {"peer", peer},
                                  {"local_comm_id", info.local_comm_id},
                                  {"remote_comm_id", info.remote_comm_id},
                                  {"local_qpn", link.queue_pair().number()},
                                  {"remote_qpn", link.req().remote_qpn}},
                             fmt::format("connection {}: from {}", link.number(), peer));
}

void Server::handle_link_event(Link& link, const EventView& event) {
    if (event.get_if<RtuReceived>() != nullptr || event.get_if<UserEstablished>() != nullptr)
        return tell_opened(link);
    const auto end = end_of(event);
    if (!end)
        return;
    receive(link);           // what came before the end
    std::error_code ignored; // over in any case
    if (event.get_if<DreqReceived>() != nullptr)
        link.id().drep({}, ignored);
    close(link, end->how, end->trouble);
}

void Server::handle_completions() {
    while (const RcQueuePair* ready = session_.verbs().next_ready()) {
        Link& link = *links_.at(ready->tag);
        receive(link);
        if (const auto failure = link.queue_pair().failure())
            close(link, ibv_wc_status_str(*failure), true);
    }
}

void Server::receive(Link& link) {
    link.queue_pair().poll([&](Bytes message) {
        if (!link.told) { // the message was faster than the RTU
            std::error_code ignored;
            link.id().notify(Notification::communication_established, ignored);
            tell_opened(link);
        }
        link.received(message);
    });
}

void Server::close_all() {
    while (!links_.empty()) {
        Link& link = *links_.begin()->second;
        receive(link);
        close(link, "disconnected", false); // with its CM ID (CM-TEARDOWN)
    }
}

void Server::close(Link& link, std::string_view how, bool trouble) {
    link.finished();
    trouble_ |= trouble;
    session_.output().status(Json{{"event", "disconnected"},
                                  {"connection", link.number()},
                                  {"how", how},
                                  {"clean", !trouble}},
                             fmt::format("connection {}: {}", link.number(), how));
    links_.erase(link.number());
}

} // namespace ucmad::tool
