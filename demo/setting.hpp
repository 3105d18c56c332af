// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// What the scenes of the demonstration play in.
#pragma once

#include "report.hpp"
#include "verbs.hpp"

#include <ucmad/ucmad.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace demo {

using Clock = std::chrono::steady_clock;

/// No step takes that long unless something is wrong.
inline constexpr std::chrono::seconds limit{30};

/// The device, and the GID over which a scene connects it with itself.
struct Setting {
    ucmad::DeviceInfo device;
    std::uint8_t port = 1;
    std::uint16_t gid_index = 0;
    ucmad::Gid gid{};
};

/// A QP and its buffers, for one side of a connection.
class Endpoint {
public:
    explicit Endpoint(const Setting& setting)
        : setting_(setting), verbs_(setting.device.name), queue_pair_(verbs_, message_size, 4) {}

    static constexpr std::size_t message_size = 64;

    [[nodiscard]] ibv_qp* qp() const noexcept { return queue_pair_.qp(); }

    /// A REQ for the QP, over the setting's GID to itself.
    [[nodiscard]] ucmad::ReqParams req_for(std::uint64_t service_id) const;

    /// Posts the QP's receives, for ucmad::Connection.
    [[nodiscard]] ucmad::Connection::PostReceives post_receives() {
        return [this](ibv_qp*) { queue_pair_.post_receives(); };
    }

    void send(ucmad::Bytes message) { queue_pair_.send(message); }

    /// Waits for the next message. Throws std::system_error: ETIMEDOUT, ECONNABORTED.
    [[nodiscard]] std::vector<std::byte> receive();

private:
    const Setting& setting_;
    ucmad::tool::VerbsDevice verbs_;
    ucmad::tool::RcQueuePair queue_pair_;
};

/// A listener on a service ID of the CM's choice.
[[nodiscard]] inline ucmad::Listener listen(const ucmad::Context& context, const Setting& setting) {
    return {context, setting.device.index, {}};
}

/// A service ID that nobody listens on: one that was free a moment ago.
[[nodiscard]] std::uint64_t deserted_service_id(const ucmad::Context& context,
                                                const Setting& setting);

/// Polls a condition, for which nothing can be waited for, until it holds; false: it did not within
/// the limit.
template <typename Condition>
[[nodiscard]] bool wait_until(Condition condition) {
    const auto end = Clock::now() + limit;
    while (!condition()) {
        if (Clock::now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return true;
}

/// An error as the scenes print it: "invalid service ID", "Connection reset by peer".
[[nodiscard]] inline std::string text_of(const std::error_code& code) {
    return code ? code.message() : "success";
}

/// An event as the scenes print it.
[[nodiscard]] std::string text_of(const std::optional<ucmad::Event>& event);

// The scenes.
void two_connections(Report& report, const Setting& setting);
void rejections(Report& report, const Setting& setting);
void giving_up(Report& report, const Setting& setting);
void targeted_wait(Report& report, const Setting& setting);
void mads(Report& report, const Setting& setting);

} // namespace demo
