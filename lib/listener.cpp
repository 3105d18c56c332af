// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/listener.hpp>

#include "file.hpp"

#include <cerrno>
#include <utility>

namespace ucmad {

Listener::Listener(const Context& context, std::uint32_t device, const ListenParams& params,
                   std::uint64_t user_context)
    : id_(CmId::create(context, device, user_context)), service_id_(id_.listen(params)) {}

std::optional<Request> Listener::accept(Timeout timeout, std::error_code& ec) const {
    std::optional<Event> event = id_.next(timeout, {}, ec);
    if (!event)
        return std::nullopt;
    if (event->get_if<ReqReceived>() == nullptr && event->get_if<SidrReqReceived>() == nullptr) {
        const bool removed = event->get_if<DeviceRemoved>() != nullptr; // a listener has no others
        ec = detail::system_code(removed ? ENODEV : EBADMSG);
        return std::nullopt;
    }
    CmId id{id_.file(), event->object};
    return Request{.id = std::move(id), .event = *std::move(event), .context = {}};
}

std::optional<Request> Listener::accept(Timeout timeout) const {
    return detail::checked("accepting a connection", [&](auto& ec) { return accept(timeout, ec); });
}

std::uint32_t Listener::close() { return id_.destroy(); }

} // namespace ucmad
