// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Connections by blocking calls: each waits for the events of its own CM ID only (EV-TARGET), so
/// any number of them can be made and run by any number of threads on one Context.
///
/// Programs that are driven by events use CmId, <ucmad/qp.hpp> and Dispatcher instead.
#pragma once

#include <ucmad/cm_id.hpp>
#include <ucmad/context.hpp>
#include <ucmad/listener.hpp>
#include <ucmad/types.hpp>

#include <functional>
#include <optional>

struct ibv_qp;

namespace ucmad {

/// A connected QP and its CM ID.
///
/// The QP remains the caller's and must outlive the connection. It is to be in RESET and is brought
/// to RTS by connect() and accept().
class Connection {
public:
    /// Called with the QP in INIT, where receives can be posted: the peer can send the moment the
    /// connection is established.
    using PostReceives = std::function<void(ibv_qp*)>;

    /// Connects: REQ, waits for the REP, QP to RTS, RTU. `params.qp_num` is filled in from the QP.
    /// What the peer answered is in peer_event(). `timeout` is for the whole.
    ///
    /// Errors: a RejectReason if the peer refused; ETIMEDOUT, also where the CM's own retries ended
    /// before `timeout`; EHOSTUNREACH and the like if there is no path; those of create(), req(),
    /// ibv_modify_qp(). The CM ID is destroyed then, and the QP may be in any state.
    [[nodiscard]] UCMAD_API static Connection connect(const Context& context, std::uint32_t device,
                                                      ibv_qp* qp, ReqParams params,
                                                      const PostReceives& post_receives = {},
                                                      Timeout timeout = std::chrono::seconds{60});

    /// Accepts a request: QP to RTS, REP, waits for the RTU (the call that waits acknowledges the
    /// REQ). `params.qp_num` is filled in from the QP. What the peer asked is in peer_event().
    ///
    /// Errors: ECONNRESET or a RejectReason if the peer gave up; ETIMEDOUT; EINVAL for a SIDR REQ;
    /// those of rep() and ibv_modify_qp(). The CM ID is destroyed then.
    [[nodiscard]] UCMAD_API static Connection accept(Request request, ibv_qp* qp, RepParams params,
                                                     const PostReceives& post_receives = {},
                                                     Timeout timeout = std::chrono::seconds{60});

    [[nodiscard]] const CmId& id() const noexcept { return id_; }
    [[nodiscard]] ibv_qp* qp() const noexcept { return qp_; }

    /// The REP that answered connect(), or the REQ that accept() answered, with its private data.
    [[nodiscard]] const Event& peer_event() const noexcept { return peer_event_; }

    /// Waits until the connection ends, confirms the peer's DREQ and brings the QP to the error
    /// state. Returns the event that ended it: DreqReceived, RejReceived, DeviceRemoved, or an
    /// error event. None: it is still there after that time, or its end was told by an earlier
    /// call. Passes over events that end nothing, such as MraReceived.
    UCMAD_API std::optional<Event> wait_closed(Timeout timeout = forever);

    /// Disconnects: QP to the error state, DREQ, waits for the answer. Does no more than confirm if
    /// the peer was first. Returns the event that ended the connection, as wait_closed(), or
    /// DrepReceived; none if no answer came in time; the connection is over all the same.
    UCMAD_API std::optional<Event> disconnect(Timeout timeout = std::chrono::seconds{60});

private:
    Connection(CmId id, ibv_qp* qp, Event peer_event) noexcept;

    CmId id_;
    ibv_qp* qp_ = nullptr;
    Event peer_event_;
    bool closed_ = false; ///< The event that ended the connection was seen.
};

} // namespace ucmad
