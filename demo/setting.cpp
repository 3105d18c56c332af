// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "setting.hpp"

#include <poll.h>

namespace demo {

ucmad::ReqParams Endpoint::req_for(std::uint64_t service_id) const {
    ucmad::ReqParams params;
    params.service_id = service_id;
    params.qp_num = queue_pair_.number();
    params.primary =
        ucmad::roce_path(verbs_.context(), setting_.port, setting_.gid_index, setting_.gid);
    return params;
}

std::vector<std::byte> Endpoint::receive() {
    std::vector<std::byte> message;
    pollfd channel{.fd = verbs_.completion_fd(), .events = POLLIN, .revents = 0};
    const auto end = Clock::now() + limit;
    while (Clock::now() < end) {
        queue_pair_.poll([&](ucmad::Bytes bytes) { message.assign(bytes.begin(), bytes.end()); });
        if (!message.empty())
            return message;
        if (queue_pair_.failure())
            throw std::system_error(ECONNABORTED, std::system_category(),
                                    ibv_wc_status_str(*queue_pair_.failure()));
        poll(&channel, 1, static_cast<int>(std::chrono::milliseconds{limit}.count()));
        while (verbs_.next_ready() != nullptr) {
        }
    }
    throw std::system_error(ETIMEDOUT, std::system_category(), "waiting for a message");
}

std::uint64_t deserted_service_id(const ucmad::Context& context, const Setting& setting) {
    return listen(context, setting).service_id();
}

std::string text_of(const std::optional<ucmad::Event>& event) {
    if (!event)
        return "nothing";
    if (const auto* rej = event->get_if<ucmad::RejReceived>()) {
        const auto reason = static_cast<std::uint16_t>(rej->reason);
        return fmt::format("REJ, reason {} ({})", reason, ucmad::reject_name(reason));
    }
    return std::string{event->name()};
}

} // namespace demo
