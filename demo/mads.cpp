// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Management datagrams: requests and their responses, cancelling what is under way, and an agent
// that goes with sends outstanding. Each send has one completion, whatever becomes of it (MAD-ONE).
#include "setting.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

namespace demo {
namespace {

/// How often each of many sends has ended, and how.
class MadAccount {
public:
    explicit MadAccount(std::size_t sends) : ends_(sends) {}

    [[nodiscard]] ucmad::SendHandler note(std::size_t send) {
        return [this, send](const ucmad::MadResult& result) {
            ++how_.at(static_cast<std::size_t>(result.status));
            ++ends_[send];
            ++ended_;
        };
    }

    [[nodiscard]] std::size_t count(ucmad::SendStatus status) const {
        return how_.at(static_cast<std::size_t>(status));
    }
    [[nodiscard]] std::size_t ended() const { return ended_; }
    [[nodiscard]] bool each_once() const {
        return std::ranges::all_of(ends_, [](const auto& end) { return end == 1; });
    }

private:
    std::vector<std::atomic<int>> ends_;
    std::array<std::atomic<std::size_t>, 7> how_{};
    std::atomic<std::size_t> ended_ = 0;
};

/// A MAD that nobody answers: for a Get the kernel would.
ucmad::Mad unanswered() {
    ucmad::Mad mad = ucmad::Ping::request();
    ucmad::MadHeader header = ucmad::MadHeader::read(mad);
    header.method = ucmad::MadMethod::send;
    header.write(mad);
    return mad;
}

/// A client and, on a file of its own, a server that answers pings.
class Stage {
public:
    explicit Stage(const Setting& setting)
        : to_(ucmad::gsi_address(setting.gid, setting.gid_index)),
          server_(server_dispatcher_, server_context_, server_params(setting), handlers()),
          client_(client_dispatcher_, client_context_,
                  {.device = setting.device.index, .port = setting.port, .max_in_flight = 10000}) {
        server_dispatcher_.start();
        client_dispatcher_.start(2);
    }

    [[nodiscard]] ucmad::MadClient& client() { return client_; }
    [[nodiscard]] const ucmad::MadAddress& to() const { return to_; }

private:
    static ucmad::MadAgentParams server_params(const Setting& setting) {
        ucmad::MadAgentParams params{
            .device = setting.device.index, .port = setting.port, .receive_queue = 10000};
        return params.responds_to_ping();
    }

    ucmad::MadClientHandlers handlers() {
        ucmad::MadClientHandlers handlers;
        handlers.received = [this](const ucmad::IncomingMad& incoming) {
            server_.answer(incoming, ucmad::Ping::answer(incoming.mad, "the server"));
        };
        return handlers;
    }

    const ucmad::Context server_context_, client_context_;
    ucmad::Dispatcher server_dispatcher_{server_context_}, client_dispatcher_{client_context_};
    const ucmad::MadAddress to_;
    ucmad::MadClient server_;
    ucmad::MadClient client_;
};

void one_request(Report& report, Stage& stage) {
    const auto start = Clock::now();
    const ucmad::MadResult result = stage.client().submit(ucmad::Ping::request(), stage.to()).get();
    report.expect(result.status == ucmad::SendStatus::responded &&
                      ucmad::Ping::name(result.mad) == "the server",
                  "request, response", "answered by \"{}\" after {}, at try {}",
                  result.mad.empty() ? "" : ucmad::Ping::name(result.mad),
                  text_of(Clock::now() - start), result.tries);
}

void many_requests(Report& report, Stage& stage) {
    constexpr std::size_t count = 3000;
    MadAccount account{count};
    const auto start = Clock::now();
    for (std::size_t i = 0; i < count; ++i)
        stage.client().post(ucmad::Ping::request(), stage.to(), {}, account.note(i));
    const bool all = wait_until([&] { return account.ended() == count; });
    const std::size_t answered = account.count(ucmad::SendStatus::responded);
    report.expect(all && answered == count && account.each_once(), "many at once",
                  "{} of {} answered in {}, each completion came once: {}", answered, count,
                  text_of(Clock::now() - start), account.each_once() ? "yes" : "no");
}

void cancel(Report& report, Stage& stage) {
    constexpr std::size_t count = 1000;
    MadAccount account{count};
    const ucmad::Mad mad = unanswered();
    std::vector<ucmad::SendHandle> handles;
    for (std::size_t i = 0; i < count; ++i)
        handles.push_back(
            stage.client().post(mad, stage.to(), {std::chrono::hours{1}, 0}, account.note(i)));
    const auto start = Clock::now();
    for (const ucmad::SendHandle handle : handles)
        stage.client().cancel(handle);
    const auto took = Clock::now() - start;
    const bool all = wait_until([&] { return account.ended() == count; });
    const std::size_t cancelled = account.count(ucmad::SendStatus::cancelled);
    report.expect(all && cancelled == count && account.each_once(), "cancel in flight",
                  "{} of {} cancelled, each once: {}; a call took {}", cancelled, count,
                  account.each_once() ? "yes" : "no", text_of(took / count));
}

void deregister(Report& report, Stage& stage) {
    constexpr std::size_t count = 2000;
    MadAccount account{count};
    const ucmad::Mad mad = unanswered();
    for (std::size_t i = 0; i < count; ++i)
        stage.client().post(i % 2 == 0 ? mad : ucmad::Ping::request(), stage.to(),
                            {std::chrono::hours{1}, 0}, account.note(i));
    const auto start = Clock::now();
    const std::size_t flushed = stage.client().deregister();
    const auto took = Clock::now() - start;
    report.expect(account.ended() == count && account.each_once() && flushed >= count / 2,
                  "deregister",
                  "{} answered and {} flushed of {} when it returned, after {}, each once: {}",
                  account.count(ucmad::SendStatus::responded), flushed, count, text_of(took),
                  account.each_once() ? "yes" : "no");
}

} // namespace

void mads(Report& report, const Setting& setting) {
    Stage stage{setting};
    one_request(report, stage);
    many_requests(report, stage);
    cancel(report, stage);
    deregister(report, stage);
}

} // namespace demo
