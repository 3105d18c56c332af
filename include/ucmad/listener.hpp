// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// A CM ID that listens, and the requests that come to it.
#pragma once

#include <ucmad/cm_id.hpp>
#include <ucmad/context.hpp>
#include <ucmad/types.hpp>

#include <cstdint>
#include <optional>

namespace ucmad {

/// A REQ or SIDR REQ that was taken: the event and the new CM ID. The ID is held, so that no "any
/// object" call is given its next event, until the event is acknowledged (EV-ACCEPT). Whoever drops
/// the request refuses it: the ID is destroyed, which rejects the peer.
struct Request {
    CmId id{};
    Event event{};

    /// The user context that the ID shall get when the event is acknowledged (EV-CONTEXT).
    std::optional<std::uint64_t> context{};

    /// The REQ; null if it is a SIDR REQ.
    [[nodiscard]] const ReqReceived* req() const noexcept { return event.get_if<ReqReceived>(); }

    /// The SIDR REQ; null if it is a REQ.
    [[nodiscard]] const SidrReqReceived* sidr_req() const noexcept {
        return event.get_if<SidrReqReceived>();
    }

    /// What acknowledges the event, to be handed to the next call that takes events.
    [[nodiscard]] Ack ack() const noexcept { return context ? Ack(event, *context) : Ack(event); }
};

/// A listening CM ID.
class Listener {
public:
    /// Makes a CM ID and has it listen. Errors: those of CmId::create() and CmId::listen().
    UCMAD_API Listener(const Context& context, std::uint32_t device, const ListenParams& params,
                       std::uint64_t user_context = 0);

    [[nodiscard]] const CmId& id() const noexcept { return id_; }

    /// The service ID, also where the CM chose it.
    [[nodiscard]] std::uint64_t service_id() const noexcept { return service_id_; }

    /// Takes the next request of this listener (EV-TARGET); any number of threads may do so at
    /// once. None: there was none in time. Nothing is acknowledged: Connection::accept() does so,
    /// or hand Request::ack() to a call that takes events.
    ///
    /// Errors: as Context::take(); ENODEV if the device was removed.
    [[nodiscard]] UCMAD_API std::optional<Request> accept(Timeout timeout = forever) const;
    [[nodiscard]] UCMAD_API std::optional<Request> accept(Timeout timeout,
                                                          std::error_code& ec) const;

    /// Stops listening; see CmId::destroy(). Requests that nobody took are rejected. Threads in
    /// accept() get ESHUTDOWN, those that come later EBADF.
    UCMAD_API std::uint32_t close();

private:
    CmId id_;
    std::uint64_t service_id_ = 0;
};

} // namespace ucmad
