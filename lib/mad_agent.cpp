// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/mad_agent.hpp>

#include "abi.hpp"
#include "file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>
#include <vector>

namespace ucmad {
namespace {

using detail::checked;
using detail::system_code;

/// So many are posted at a time without allocating anything.
constexpr std::size_t batch = 32;

ucmad_mad_register to_abi(const MadAgentParams& params) noexcept {
    auto abi = detail::make_argument<ucmad_mad_register>();
    abi.flags = (params.concurrent ? UCMAD_AGENT_CONCURRENT : 0U) |
                (params.over_ib_mad ? UCMAD_AGENT_IB_MAD : 0U);
    abi.device = params.device;
    abi.context = params.user_context;
    for (std::size_t method = 0; method < params.methods.size(); ++method)
        abi.method_mask[method / 64] |= std::uint64_t{params.methods[method]} << (method % 64);
    abi.max_in_flight = params.max_in_flight;
    abi.receive_queue = params.receive_queue;
    abi.port = params.port;
    abi.qp = params.qp;
    abi.mgmt_class = params.mgmt_class;
    abi.class_version = params.class_version;
    std::ranges::copy(params.oui, abi.oui);
    abi.rmpp_version = params.rmpp ? 1 : 0;
    return abi;
}

/// A length or time that has no room there is out of the module's range, too.
__u32 saturated(std::uint64_t value) noexcept {
    return static_cast<__u32>(
        std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

ucmad_mad_send to_abi(const MadSend& send) noexcept {
    ucmad_mad_send abi{};
    abi.mad = detail::address_of(send.mad.data());
    abi.mad_len = saturated(send.mad.size());
    abi.cookie = send.cookie;
    abi.in_reply_to = send.in_reply_to;
    if (send.in_reply_to == 0) {
        abi.to = detail::to_abi(send.to);
        abi.timeout_ms = saturated(static_cast<std::uint64_t>(send.patience.timeout.count()));
    }
    if (abi.timeout_ms == 0)
        abi.flags = UCMAD_SEND_NO_RESPONSE;
    else
        abi.retries = send.patience.retries;
    return abi;
}

} // namespace

MadAgentParams& MadAgentParams::responds_to_ping() {
    mgmt_class = ping_class;
    class_version = 1;
    oui = Ping::oui;
    methods.set(static_cast<std::size_t>(MadMethod::get));
    return *this;
}

MadAgent::MadAgent(std::shared_ptr<const detail::File> file, Handle handle) noexcept
    : Object(std::move(file), handle) {}

MadAgent MadAgent::create(const Context& context, const MadAgentParams& params,
                          std::error_code& ec) noexcept {
    ucmad_mad_register argument = to_abi(params);
    ec = detail::call(context.fd(), UCMAD_IOCTL_MAD_REGISTER, argument);
    return ec ? MadAgent{} : MadAgent{context.file_, Handle{argument.object}};
}

MadAgent MadAgent::create(const Context& context, const MadAgentParams& params) {
    return checked("registering a MAD agent",
                   [&](auto& ec) { return create(context, params, ec); });
}

Posted MadAgent::post(std::span<MadSend> sends) const {
    Posted total;
    while (total.count < sends.size() && !total.error) {
        const auto part = sends.subspan(total.count, std::min(batch, sends.size() - total.count));
        std::array<ucmad_mad_send, batch> room;
        std::ranges::transform(part, room.begin(),
                               [](const MadSend& send) { return to_abi(send); });
        ucmad_mad_post argument{};
        argument.sends = detail::address_of(room.data());
        argument.count = static_cast<__u32>(part.size());
        argument.entry_size = sizeof(ucmad_mad_send);
        call(UCMAD_IOCTL_MAD_POST, argument, total.error);
        if (!total.error)
            total.error = system_code(static_cast<int>(argument.error));
        for (std::size_t i = 0; i < argument.posted; ++i)
            part[i].handle = SendHandle{room[i].handle};
        total.count += argument.posted;
    }
    return total;
}

SendHandle MadAgent::post(MadSend send, std::error_code& ec) const noexcept {
    ucmad_mad_send abi = to_abi(send);
    ucmad_mad_post argument{};
    argument.sends = detail::address_of(&abi);
    argument.count = 1;
    argument.entry_size = sizeof abi;
    call(UCMAD_IOCTL_MAD_POST, argument, ec);
    return ec ? SendHandle::none : SendHandle{abi.handle};
}

SendHandle MadAgent::post(MadSend send) const {
    return checked("posting a MAD", [&](auto& ec) { return post(send, ec); });
}

void MadAgent::cancel(std::span<const SendHandle> sends) const noexcept {
    ucmad_mad_cancel argument{};
    argument.handles = detail::address_of(sends.data());
    argument.count = static_cast<__u32>(sends.size());
    std::error_code ignored; // an agent that is gone has no sends
    if (!sends.empty())      // none would be all of them
        call(UCMAD_IOCTL_MAD_CANCEL, argument, ignored);
}

void MadAgent::cancel(SendHandle send) const noexcept { cancel(std::span{&send, 1}); }

void MadAgent::cancel_all() const noexcept {
    ucmad_mad_cancel argument{};
    std::error_code ignored;
    call(UCMAD_IOCTL_MAD_CANCEL, argument, ignored);
}

void MadAgent::set_timeout(SendHandle send, std::chrono::milliseconds timeout) const {
    ucmad_mad_timeout argument{};
    argument.handle = static_cast<__u32>(send);
    argument.timeout_ms = saturated(static_cast<std::uint64_t>(timeout.count()));
    checked("changing a time-out", [&](auto& ec) { call(UCMAD_IOCTL_MAD_TIMEOUT, argument, ec); });
}

MadAgentInfo MadAgent::query(std::error_code& ec) const noexcept {
    ucmad_mad_query argument{};
    call(UCMAD_IOCTL_MAD_QUERY, argument, ec);
    return {
        .in_flight = argument.in_flight,
        .receives_waiting = argument.receives_waiting,
        .receives_dropped = argument.receives_dropped,
        .strays = argument.strays,
        .device = argument.device,
    };
}

MadAgentInfo MadAgent::query() const {
    return checked("query of a MAD agent", [&](auto& ec) { return query(ec); });
}

} // namespace ucmad
