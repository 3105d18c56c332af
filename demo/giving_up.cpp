// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A client sends a REQ and gives up at once, so that a REJ comes right behind it. The server never
// sees them in the wrong order (EV-ACCEPT), and can destroy what it has not acknowledged
// (DEL-NOWAIT-USER).
#include "setting.hpp"

#include <array>

namespace demo {
namespace {

/// A server that has taken the REQ of a client that has given up meanwhile; the REJ is in the queue
/// of its file, too.
class Abandoned {
public:
    explicit Abandoned(const Setting& setting)
        : endpoint_(setting), listener_(listen(server_, setting)) {
        const bool sent = ask_and_give_up(setting);
        req_ = next(limit);
        if (!sent || !req_ || req_->get_if<ucmad::ReqReceived>() == nullptr)
            return;
        id_ = ucmad::CmId::adopt(server_, req_->object);
        rej_is_there_ =
            wait_until([this] { return id_.query().error == std::errc::connection_reset; });
    }

    /// The first event of the server; not acknowledged.
    [[nodiscard]] const std::optional<ucmad::Event>& req() const noexcept { return req_; }
    [[nodiscard]] bool rej_is_there() const noexcept { return rej_is_there_; }

    /// The new CM ID.
    [[nodiscard]] ucmad::CmId& id() noexcept { return id_; }

    /// What a consumer of the server that takes events of any object is given.
    [[nodiscard]] std::optional<ucmad::Event> next(ucmad::Timeout timeout,
                                                   std::span<const ucmad::Ack> acks = {}) const {
        return server_.next(ucmad::Handle::any, timeout, acks);
    }

    [[nodiscard]] std::uint32_t ack(const ucmad::Event& event) const {
        return server_.ack(std::array{ucmad::Ack{event}});
    }

    [[nodiscard]] std::uint32_t qp_num() const noexcept { return endpoint_.qp()->qp_num; }

private:
    /// False: the REQ was not sent within the limit.
    [[nodiscard]] bool ask_and_give_up(const Setting& setting) const {
        const ucmad::Context client;
        auto id = ucmad::CmId::create(client, setting.device.index);
        id.req(endpoint_.req_for(listener_.service_id()));
        const bool sent = wait_until([&] { return id.query().state == ucmad::CmState::req_sent; });
        id.destroy(); // tells the server (CM-TEARDOWN)
        return sent;
    }

    Endpoint endpoint_;
    ucmad::Context server_;
    ucmad::Listener listener_;
    std::optional<ucmad::Event> req_;
    ucmad::CmId id_;
    bool rej_is_there_ = false;
};

void overtakes_nothing(Report& report, const Setting& setting) {
    constexpr std::uint64_t context = 0xc0ffee;
    Abandoned scene{setting};
    report.expect(scene.rej_is_there() && scene.req()->sequence == 1, "REQ, then gives up",
                  "the server has taken event {} ({}); the REJ {}",
                  scene.req() ? scene.req()->sequence : 0, text_of(scene.req()),
                  scene.rej_is_there() ? "has come, too" : "did not come");
    if (!scene.rej_is_there())
        return;

    const auto early = scene.next(ucmad::no_wait);
    report.expect(!early, "before the ack", "another consumer is given {}", text_of(early));

    std::error_code error;
    scene.id().rep({.qp_num = scene.qp_num()}, error);
    report.expect(error == std::errc::connection_reset, "REP to it", "refused: {}", text_of(error));

    const std::array acks{ucmad::Ack{*scene.req(), context}};
    const auto rej = scene.next(limit, acks);
    report.expect(rej && rej->get_if<ucmad::RejReceived>() != nullptr &&
                      rej->object == scene.req()->object && rej->context == context,
                  "after the ack", "event {}: {}, context {:#x}, came {} after the REQ",
                  rej ? rej->sequence : 0, text_of(rej), rej ? rej->context : 0,
                  rej ? text_of(rej->time - scene.req()->time) : "?");
}

void destroy_unacknowledged(Report& report, const Setting& setting) {
    Abandoned scene{setting};
    if (!scene.rej_is_there()) {
        report.expect(false, "destroy without ack", "no REJ came");
        return;
    }
    const auto start = Clock::now();
    const std::uint32_t discarded = scene.id().destroy();
    const auto time = Clock::now() - start;
    const auto later = scene.next(ucmad::no_wait);
    const std::uint32_t ignored = scene.ack(*scene.req());
    report.expect(discarded == 1 && !later && ignored == 1, "destroy without ack",
                  "returned after {}, {} event discarded, later comes {}, {} late ack ignored",
                  text_of(time), discarded, text_of(later), ignored);
}

} // namespace

void giving_up(Report& report, const Setting& setting) {
    overtakes_nothing(report, setting);
    destroy_unacknowledged(report, setting);
}

} // namespace demo
