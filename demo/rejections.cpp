// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Connections that do not come about: nobody listens, or the program there does not want them.
#include "setting.hpp"

#include <algorithm>
#include <string_view>

namespace demo {
namespace {

void nobody_listens(Report& report, const Setting& setting) {
    const ucmad::Context client;
    Endpoint endpoint{setting};
    const std::uint64_t service_id = deserted_service_id(client, setting);
    std::error_code error;
    const auto start = Clock::now();
    try {
        const auto connection = ucmad::Connection::connect(
            client, setting.device.index, endpoint.qp(), endpoint.req_for(service_id),
            endpoint.post_receives(), limit);
    } catch (const std::system_error& caught) {
        error = caught.code();
    }
    report.expect(error == ucmad::RejectReason::invalid_service_id, "nobody listens",
                  "{} (reason {}) from {:#x}, after {}", text_of(error), error.value(), service_id,
                  text_of(Clock::now() - start));
}

void refused(Report& report, const Setting& setting) {
    constexpr std::string_view why = "no seats left";
    const ucmad::Context server;
    const ucmad::Listener listener = listen(server, setting);
    const ucmad::Context client;
    const Endpoint endpoint{setting};
    const auto id = ucmad::CmId::create(client, setting.device.index);
    id.req(endpoint.req_for(listener.service_id()));
    if (const auto request = listener.accept(limit))
        request->id.rej({.private_data = ucmad::bytes_of(why)});
    const auto event = id.next(limit);
    const auto* rej = event ? event->get_if<ucmad::RejReceived>() : nullptr;
    std::string text;
    if (event)
        std::ranges::transform(event->private_data, std::back_inserter(text),
                               [](std::byte byte) { return static_cast<char>(byte); });
    text.resize(std::min(text.size(), text.find('\0')));
    report.expect(rej != nullptr && rej->reason == ucmad::RejectReason::consumer_reject &&
                      text == why,
                  "program refuses", "{}, with private data \"{}\"", text_of(event), text);
}

} // namespace

void rejections(Report& report, const Setting& setting) {
    nobody_listens(report, setting);
    refused(report, setting);
}

} // namespace demo
