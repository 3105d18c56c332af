// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "client.hpp"

#include <ucmad/qp.hpp>

namespace ucmad::tool {
namespace {

std::string seconds_text(Timeout timeout) {
    return fmt::format("{:.3g} s", std::chrono::duration<double>{timeout}.count());
}

/// What the user can do about a rejection.
std::string hint_for(RejectReason reason, const PeerOptions& peer) {
    switch (reason) {
    case RejectReason::invalid_service_id:
        return fmt::format("nobody listens on service ID {0} there; start 'ucmad listen {0}' or "
                           "'ucmad ping --listen {0}'",
                           service_id_text(peer.service_id));
    case RejectReason::timeout:
        return "the program there did not answer in time";
    default:
        return {};
    }
}

} // namespace

Client::Client(Session& session, const PeerOptions& peer, const Hello& hello, std::uint32_t depth,
               Timeout timeout)
    : session_(session), peer_(peer), queue_pair_(session.verbs(), hello.message_size, depth),
      id_(CmId::create(session.context(), session.device().index)) {
    const HelloBytes private_data = encode(hello);
    ReqParams params;
    params.service_id = peer.service_id;
    params.qp_num = queue_pair_.number();
    params.starting_psn = random_psn();
    params.primary = session.path_to(peer);
    params.private_data = private_data;
    params.resolve_timeout = std::chrono::ceil<std::chrono::milliseconds>(
        std::clamp<Timeout>(timeout, std::chrono::milliseconds{1}, std::chrono::seconds{60}));
    session.output().detail("REQ: QP {:#x}, PSN {:#x}, from {} (GID index {})", params.qp_num,
                            params.starting_psn, to_string(params.primary.sgid),
                            params.primary.sgid_index);
    id_.req(params);
    wait_established(timeout);
}

void Client::wait_established(Timeout timeout) {
    const Deadline deadline{timeout};
    while (state_ == State::connecting) {
        const Session::Ready ready = session_.wait(deadline.left());
        if (ready.interrupt)
            throw interrupted();
        if (ready.event)
            handle_events();
        else if (deadline.passed())
            throw Failure{ExitStatus::no_answer,
                          fmt::format("no answer from {} within {}",
                                      address_text(peer_.destination), seconds_text(timeout)),
                          "is the address right, and is ucmad or another CM at work there?"};
    }
}

void Client::poll(const std::function<void(Bytes)>& on_message) {
    while (session_.verbs().next_ready() != nullptr) {
    }
    queue_pair_.poll(on_message);
    if (queue_pair_.failure() && state_ == State::established)
        lost(ibv_wc_status_str(*queue_pair_.failure()));
}

void Client::handle_events() {
    while (session_.context().take(batch_, {.timeout = no_wait}) > 0) {
        batch_.ack_all();
        for (const EventView& event : batch_) {
            session_.output().detail("{}", event.name());
            handle(event);
        }
    }
}

void Client::handle(const EventView& event) {
    if (const auto* rep = event.get_if<RepReceived>())
        return established(*rep);
    if (const auto* rej = event.get_if<RejReceived>()) {
        if (state_ == State::connecting)
            rejected(event, *rej);
        return lost(
            fmt::format("rejected: {}", reject_name(static_cast<std::uint16_t>(rej->reason))));
    }
    if (const auto* error = event.get_if<ReqError>())
        no_answer(error->error);
    if (event.get_if<DreqReceived>() != nullptr) {
        std::error_code ignored; // over in any case
        id_.drep({}, ignored);
        return lost("the peer disconnected");
    }
    if (event.get_if<DeviceRemoved>() != nullptr)
        throw Failure{ExitStatus::no_device,
                      fmt::format("the RDMA device {} was removed", session_.device().name)};
    if (event.get_if<Expired>() != nullptr)
        return lost("this side was too slow to answer");
    if (event.get_if<DrepReceived>() != nullptr || event.get_if<DreqError>() != nullptr ||
        event.get_if<TimewaitExit>() != nullptr)
        state_ = State::closed;
}

void Client::established(const RepReceived& rep) {
    queue_pair_.bring_up(id_);
    id_.rtu();
    state_ = State::established;
    const CmIdInfo info = id_.query();
    session_.output().detail("RTU: communication IDs {:#x} here, {:#x} there; QP {:#x} there",
                             info.local_comm_id, info.remote_comm_id, rep.remote_qpn);
    const std::string destination = address_text(peer_.destination);
    session_.output().status(Json{{"event", "connected"},
                                  {"peer", destination},
                                  {"service_id", service_id_text(peer_.service_id)},
                                  {"local_comm_id", info.local_comm_id},
                                  {"remote_comm_id", info.remote_comm_id},
                                  {"local_qpn", queue_pair_.number()},
                                  {"remote_qpn", rep.remote_qpn}},
                             fmt::format("connected to {}, service ID {}", destination,
                                         service_id_text(peer_.service_id)));
}

void Client::rejected(const EventView& event, const RejReceived& rej) const {
    const auto reason = static_cast<std::uint16_t>(rej.reason);
    std::string message = fmt::format("{} rejected the connection: {} (reason {})",
                                      address_text(peer_.destination), reject_name(reason), reason);
    if (const std::string text = text_of(event.private_data); !text.empty())
        message += fmt::format(": \"{}\"", text);
    throw Failure{ExitStatus::rejected, message, hint_for(rej.reason, peer_)};
}

void Client::no_answer(const std::error_code& why) const {
    throw Failure{
        ExitStatus::no_answer,
        fmt::format("cannot reach {}: {}", address_text(peer_.destination), why.message()),
        why == std::errc::timed_out ? "is ucmad or another CM at work there?"
                                    : "is there a route to it? See 'ip route get'"};
}

void Client::lost(std::string_view how) {
    const bool expected = state_ == State::disconnecting;
    state_ = State::closed;
    if (!expected)
        throw Failure{ExitStatus::connection_lost, fmt::format("connection lost: {}", how)};
}

void Client::disconnect(Timeout timeout) {
    if (state_ != State::established)
        return;
    state_ = State::disconnecting;
    std::error_code ec; // The peer may have been first; an event tells.
    id_.dreq({}, ec);
    session_.output().detail("DREQ");
    const Deadline deadline{timeout};
    while (state_ == State::disconnecting && !deadline.passed()) {
        if (session_.wait(deadline.left()).event)
            handle_events();
    }
    session_.output().status(Json{{"event", "disconnected"}, {"by", "us"}}, "disconnected");
}

} // namespace ucmad::tool
