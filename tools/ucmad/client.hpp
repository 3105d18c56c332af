// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
#pragma once

#include "hello.hpp"
#include "session.hpp"

#include <ucmad/cm_id.hpp>

namespace ucmad::tool {

/// The side of a connection that asked for it. Driven by events: it does something only when it is
/// called, and waits only in the constructor and in disconnect().
class Client {
public:
    /// Connects. `depth`: messages that can be under way each way. Throws a Failure: rejected,
    /// no_answer, interrupted.
    Client(Session& session, const PeerOptions& peer, const Hello& hello, std::uint32_t depth,
           Timeout timeout);

    [[nodiscard]] RcQueuePair& queue_pair() noexcept { return queue_pair_; }

    /// Takes the completions, and hands over the messages that came. Throws a Failure,
    /// connection_lost, if the QP broke.
    void poll(const std::function<void(Bytes)>& on_message);

    /// Does what the waiting events ask for. Throws a Failure, connection_lost, if the connection
    /// is over.
    void handle_events();

    /// Disconnects, and waits so long for the peer to confirm.
    void disconnect(Timeout timeout);

private:
    enum class State { connecting, established, disconnecting, closed };

    void wait_established(Timeout timeout);
    void handle(const EventView& event);
    void established(const RepReceived& rep);
    [[noreturn]] void rejected(const EventView& event, const RejReceived& rej) const;
    [[noreturn]] void no_answer(const std::error_code& why) const;
    void lost(std::string_view how); ///< Throws unless this side disconnects anyway.

    Session& session_;
    PeerOptions peer_;
    RcQueuePair queue_pair_;
    CmId id_;
    EventBatch batch_;
    State state_ = State::connecting;
};

} // namespace ucmad::tool
