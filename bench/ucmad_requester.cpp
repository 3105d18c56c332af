// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Requests through the module: its ABI by libucmad's thinnest layer, many sends and many events in
// a call.
#include "requester.hpp"

#include <ucmad/context.hpp>
#include <ucmad/mad_agent.hpp>

#include <stdexcept>
#include <vector>

namespace bench {
namespace {

using namespace std::chrono_literals;

/// Silent peers differ in the flow label, so that none has its window full.
constexpr std::size_t per_silent_peer = 200;
constexpr std::size_t event_size = 512;

class UcmadRequester : public Outstanding {
public:
    UcmadRequester(const Target& target, std::size_t depth)
        : agent_(ucmad::MadAgent::create(context_, {.device = context_.device(target.device).index,
                                                    .concurrent = true,
                                                    .max_in_flight = 131072})),
          to_(ucmad::gsi_address(target.gid, target.gid_index)), batch_(depth * event_size),
          sends_(depth) {
        for (ucmad::MadSend& send : sends_)
            send = {.mad = request_, .to = to_, .patience = {1s, 15}};
    }

    void send(std::size_t count) override {
        const ucmad::Posted posted = agent_.post(std::span{sends_}.first(count));
        if (posted.error)
            throw std::system_error(posted.error, "post");
    }

    Ended wait() override {
        Ended ended;
        if (context_.take(batch_, {.object = agent_.handle()}) == 0)
            throw std::runtime_error("no event");
        for (const ucmad::EventView& event : batch_) {
            const auto* done = event.get_if<ucmad::SendCompleted>();
            ++(done != nullptr && done->status == ucmad::SendStatus::responded ? ended.answered
                                                                               : ended.lost);
        }
        return ended;
    }

    void post_unanswered() override {
        ucmad::MadAddress silent = to_;
        silent.flow_label = static_cast<std::uint32_t>(1 + posted_++ / per_silent_peer);
        handles_.push_back(agent_.post({.mad = silent_, .to = silent, .patience = {1h, 0}}));
    }

    [[nodiscard]] bool can_cancel() const override { return true; }

    void cancel_last() override {
        agent_.cancel(handles_.back());
        handles_.pop_back();
    }

private:
    const ucmad::Context context_;
    const ucmad::MadAgent agent_;
    const ucmad::MadAddress to_;
    const ucmad::Mad request_ = request(ucmad::MadMethod::get, 1);
    const ucmad::Mad silent_ = request(unanswered_method, 1);
    ucmad::EventBatch batch_;
    std::vector<ucmad::MadSend> sends_;
    std::vector<ucmad::SendHandle> handles_;
    std::size_t posted_ = 0;
};

} // namespace

std::unique_ptr<Outstanding> ucmad_requester(const Target& target, std::size_t depth) {
    return std::make_unique<UcmadRequester>(target, depth);
}

} // namespace bench
