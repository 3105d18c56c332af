// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/connection.hpp>

#include "file.hpp"

#include <ucmad/qp.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <type_traits>
#include <utility>
#include <variant>

namespace ucmad {
namespace {

using detail::system_code;

/// A time-out that several calls share.
class Deadline {
public:
    explicit Deadline(Timeout timeout) noexcept : timeout_(timeout) {}

    [[nodiscard]] Timeout left() const noexcept {
        if (timeout_ < no_wait)
            return forever;
        return std::max(no_wait, timeout_ - (Clock::now() - start_));
    }

private:
    using Clock = std::chrono::steady_clock;

    Timeout timeout_;
    Clock::time_point start_ = Clock::now();
};

/// Why there is no connection after that event (any more); no error if the event does not say so.
std::error_code end_of(const EventBody& body) {
    return std::visit(
        [](const auto& what) -> std::error_code {
            using Body = std::decay_t<decltype(what)>;
            // After a LAP that was not answered the connection goes on over the path it has.
            if constexpr (std::is_base_of_v<Failure, Body> && !std::is_same_v<Body, LapError>)
                return what.error ? what.error : system_code(ECONNABORTED);
            else if constexpr (std::is_same_v<Body, RejReceived>)
                // A peer may put 0 there, which is no reason, and would be no error.
                return what.reason == RejectReason{} ? system_code(ECONNREFUSED)
                                                     : make_error_code(what.reason);
            else if constexpr (std::is_same_v<Body, DeviceRemoved>)
                return system_code(ENODEV);
            else if constexpr (std::is_same_v<Body, DreqReceived> ||
                               std::is_same_v<Body, DrepReceived> ||
                               std::is_same_v<Body, TimewaitExit>)
                return system_code(ECONNRESET);
            else
                return {};
        },
        body);
}

/// Waits until the ID has an event of one of the types; throws what ends the connection before.
template <typename... Wanted>
Event wait_for(const CmId& id, const Deadline& deadline, std::span<const Ack> acks,
               const char* what) {
    while (std::optional<Event> event = id.next(deadline.left(), std::exchange(acks, {}))) {
        if ((std::holds_alternative<Wanted>(event->body) || ...))
            return *std::move(event);
        if (const std::error_code error = end_of(event->body))
            throw std::system_error(error, what);
    }
    throw std::system_error(system_code(ETIMEDOUT), what);
}

/// Brings the QP to RTS, calling `modify(state)` for each step.
template <typename Modify>
void bring_up(ibv_qp* qp, const Connection::PostReceives& post_receives, Modify modify) {
    modify(IBV_QPS_INIT);
    if (post_receives)
        post_receives(qp);
    modify(IBV_QPS_RTR);
    modify(IBV_QPS_RTS);
}

} // namespace

Connection::Connection(CmId id, ibv_qp* qp, Event peer_event) noexcept
    : id_(std::move(id)), qp_(qp), peer_event_(std::move(peer_event)) {}

Connection Connection::connect(const Context& context, std::uint32_t device, ibv_qp* qp,
                               ReqParams params, const PostReceives& post_receives,
                               Timeout timeout) {
    const Deadline deadline{timeout};
    CmId id = CmId::create(context, device);
    params.qp_num = qp->qp_num;
    id.req(params);
    Event rep = wait_for<RepReceived>(id, deadline, {}, "connecting");
    bring_up(qp, post_receives, [&](ibv_qp_state state) { modify_qp(qp, id, state); });
    id.rtu();
    return Connection{std::move(id), qp, std::move(rep)};
}

Connection Connection::accept(Request request, ibv_qp* qp, RepParams params,
                              const PostReceives& post_receives, Timeout timeout) {
    if (request.req() == nullptr)
        throw std::system_error(system_code(EINVAL), "accepting what is not a REQ");
    const Deadline deadline{timeout};
    params.qp_num = qp->qp_num;
    bring_up(qp, post_receives,
             [&](ibv_qp_state state) { modify_qp(qp, request.id, state, params); });
    request.id.rep(params);
    const std::array acks{request.ack()};
    wait_for<RtuReceived, UserEstablished>(request.id, deadline, acks, "accepting a connection");
    return Connection{std::move(request.id), qp, std::move(request.event)};
}

std::optional<Event> Connection::wait_closed(Timeout timeout) {
    const Deadline deadline{timeout};
    while (!closed_) {
        std::optional<Event> event = id_.next(deadline.left());
        if (!event)
            return std::nullopt;
        if (!end_of(event->body))
            continue;
        closed_ = true;
        std::error_code ignored; // The connection is over even if the peer or the QP is gone.
        if (std::holds_alternative<DreqReceived>(event->body))
            id_.drep({}, ignored);
        qp_to_error(qp_, ignored);
        return event;
    }
    return std::nullopt;
}

std::optional<Event> Connection::disconnect(Timeout timeout) {
    if (closed_)
        return std::nullopt;
    std::error_code ec;
    qp_to_error(qp_, ec); // Fails only where the device is gone, of which an event tells.
    id_.dreq({}, ec);
    // The peer was first, or something else has ended the connection: an event tells of it.
    constexpr std::array ended{EBADFD, ECONNRESET, ETIMEDOUT, ENODEV};
    if (ec && std::ranges::find(ended, ec.value()) == ended.end())
        throw std::system_error(ec, "DREQ");
    return wait_closed(timeout);
}

} // namespace ucmad
