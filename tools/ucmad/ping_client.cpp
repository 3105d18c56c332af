// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "client.hpp"
#include "latency_report.hpp"
#include "ping.hpp"

namespace ucmad::tool {
namespace {

using Clock = std::chrono::steady_clock;

/// The bytes of a ping: its number, then a pattern that differs from ping to ping.
void fill(std::span<std::byte> message, std::uint64_t number) noexcept {
    for (std::size_t i = 0; i < message.size(); ++i)
        message[i] = i < min_ping_size ? static_cast<std::byte>(number >> (56 - 8 * i) & 0xff)
                                       : static_cast<std::byte>((number + i) & 0xff);
}

std::uint64_t number_of(Bytes message) noexcept {
    std::uint64_t number = 0;
    for (const std::byte byte : message.first(std::min<std::size_t>(message.size(), min_ping_size)))
        number = number << 8 | std::to_integer<std::uint64_t>(byte);
    return number;
}

/// Sends one ping at a time, and keeps the account.
class Pinger {
public:
    Pinger(Session& session, const PingOptions& options)
        : session_(session), options_(options),
          client_(session, options.peer,
                  Hello{.protocol = Protocol::ping, .message_size = options.size}, ping_depth,
                  options.timeout),
          message_(options.size) {}

    /// Until all were sent, or Ctrl-C; then prints the statistics, also when an exception ends it.
    [[nodiscard]] ExitStatus run();

private:
    void ping_all();
    void ping();
    [[nodiscard]] bool pause(Clock::time_point until);
    [[nodiscard]] bool wait_to_send();
    void receive(Bytes message);
    void tell_answer(Clock::duration latency) const;
    void tell_lost() const;
    void tell_statistics() const;

    Session& session_;
    const PingOptions& options_;
    Client client_;
    std::vector<std::byte> message_;
    Latency latency_;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point answered_at_; ///< When the answer to the current ping came.
    std::uint64_t number_ = 0;      ///< Of the current ping, from 1.
    bool answered_ = false;
    bool interrupted_ = false; ///< While a ping was under way, which then counts only if answered.
    std::uint64_t lost_ = 0;
};

ExitStatus Pinger::run() {
    try {
        ping_all();
    } catch (...) {
        tell_statistics();
        throw;
    }
    client_.disconnect(options_.timeout);
    tell_statistics();
    return lost_ == 0 ? ExitStatus::success : ExitStatus::connection_lost;
}

void Pinger::ping_all() {
    Clock::time_point next = Clock::now();
    for (number_ = 1; options_.count == 0 || number_ <= options_.count; ++number_) {
        if (!pause(next) || !wait_to_send())
            return;
        next = std::max(next + options_.interval, Clock::now());
        ping();
        if (interrupted_)
            return;
    }
}

/// Waits for the next ping's time, and looks after the connection meanwhile; false: Ctrl-C.
bool Pinger::pause(Clock::time_point until) {
    const Deadline deadline{until};
    for (;;) {
        const Session::Ready ready = session_.wait(deadline.left());
        if (ready.interrupt)
            return false;
        if (ready.event)
            client_.handle_events();
        if (ready.completion)
            client_.poll([](Bytes) {}); // a late answer to a ping that was given up
        if (!ready.any() && deadline.passed())
            return true;
    }
}

/// Where earlier pings are still under way, they first have to be acknowledged or fail.
bool Pinger::wait_to_send() {
    while (!client_.queue_pair().can_send()) {
        const Session::Ready ready = session_.wait(forever);
        if (ready.interrupt)
            return false;
        if (ready.event)
            client_.handle_events();
        if (ready.completion)
            client_.poll([](Bytes) {});
    }
    return true;
}

void Pinger::ping() {
    fill(message_, number_);
    answered_ = false;
    const Clock::time_point sent_at = Clock::now();
    client_.queue_pair().send(message_);
    const Deadline deadline{options_.timeout};
    while (!answered_ && !deadline.passed()) {
        const Session::Ready ready = session_.wait(deadline.left());
        if (ready.completion)
            client_.poll([this](Bytes message) { receive(message); });
        if (ready.event && !answered_)
            client_.handle_events();
        interrupted_ |= ready.interrupt;
        if (interrupted_ && !answered_)
            return;
    }
    if (answered_) {
        latency_.add(answered_at_ - sent_at);
        tell_answer(answered_at_ - sent_at);
    } else {
        ++lost_;
        tell_lost();
    }
}

void Pinger::receive(Bytes message) {
    if (number_of(message) != number_)
        return; // the late answer to one that was given up
    answered_at_ = Clock::now();
    if (!std::ranges::equal(message, message_))
        throw Failure{ExitStatus::other,
                      fmt::format("the answer to ping {} differs from what was sent", number_)};
    answered_ = true;
}

void Pinger::tell_answer(Clock::duration latency) const {
    if (options_.quiet)
        return;
    session_.output().result(Json{{"event", "answer"},
                                  {"number", number_},
                                  {"bytes", message_.size()},
                                  {"latency_us", microseconds(latency)}},
                             fmt::format("{} bytes from {}: number {}, {:.1f} us\n",
                                         message_.size(), address_text(options_.peer.destination),
                                         number_, microseconds(latency)));
}

void Pinger::tell_lost() const {
    session_.output().result(Json{{"event", "lost"}, {"number", number_}},
                             fmt::format("no answer to ping {} in time\n", number_));
}

void Pinger::tell_statistics() const {
    const std::uint64_t received = latency_.count();
    const std::uint64_t sent = received + lost_;
    const double loss =
        sent == 0 ? 0 : 100.0 * static_cast<double>(lost_) / static_cast<double>(sent);
    const double seconds = std::chrono::duration<double>{Clock::now() - begin_}.count();
    Json json{{"event", "statistics"},
              {"sent", sent},
              {"received", received},
              {"lost", lost_},
              {"loss_percent", loss},
              {"seconds", seconds},
              {"latency_us", latency_json(latency_)}};
    std::string text = fmt::format(
        "{}{}, service ID {}: {} sent, {} received, {} lost ({:.1f} %) in {:.2f} s\n",
        options_.quiet ? "" : "\n", address_text(options_.peer.destination),
        service_id_text(options_.peer.service_id), sent, received, lost_, loss, seconds);
    session_.output().result(json, text + latency_text(latency_));
}

} // namespace

ExitStatus run_ping_client(Session& session, const PingOptions& options) {
    return Pinger{session, options}.run();
}

} // namespace ucmad::tool
