// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "actor.hpp"

#include "operations.hpp"
#include "responses.hpp"

#include <unistd.h>

namespace storm {

Actor::Actor(Process& its_process, const vm::Random& its_random, std::size_t stream)
    : process(its_process), random(its_random),
      activity_(board().activities.at(stream % max_threads)) {
    activity_.thread = gettid();
    activity_.call = -1;
}

void Actor::begin(Call what) { activity_.call = static_cast<int>(what); }

void Actor::end(Call what, vm::Error error, const Circumstances& circumstances) {
    activity_.call = -1;
    const auto number = static_cast<std::size_t>(error.number);
    ++board().results.at(static_cast<std::size_t>(what)).at(number);
    if (!is_allowed(what, error, circumstances)) {
        board().fault(std::string(name_of(what)) + ": errno " + std::to_string(number) + " (" +
                      strerror(error.number) + ") is none that it may have" +
                      (circumstances.removable ? ", on a device that comes and goes" : ""));
    }
}

void Actor::rage() {
    while (!board().over) {
        act_once();
    }
}

void Actor::act(std::size_t operations) {
    for (std::size_t i = 0; i < operations && !board().over; ++i) {
        act_once();
    }
}

void Actor::act_once() {
    file = process.pick_file(random);
    try {
        pick_operation(random)(*this);
    } catch (const std::exception& error) {
        board().fault(error.what());
    }
}

bool Actor::is_removable(std::uint32_t index) { return index != board().devices[0].index; }

const Target& Actor::pick_device() { return board().devices.at(random.once_in(3) ? 1 : 0); }

// Most are acknowledged in the next call on their file, some later or never: nobody must depend on
// it. Some acknowledgments are of what does not exist.
std::vector<ucmad_ack> Actor::due_acks() {
    std::vector<ucmad_ack> acks;
    if (random.once_in(16)) {
        acks.push_back({.object = 0x7fffff00, .flags = 0, .sequence = 1, .context = 0});
    }
    if (unacknowledged_of_ == file) {
        for (const vm::Event& event : unacknowledged_) {
            file->ledger.acknowledge(event);
            acks.push_back(random.once_in(4) ? vm::ack_with_context(event, random.bits())
                                             : vm::ack_of(event));
        }
    }
    unacknowledged_.clear();
    unacknowledged_of_ = file;
    return acks;
}

void Actor::note(const vm::Event& event, const Batch& batch) {
    file->ledger.take(event, batch);
    if (event.head.flags & UCMAD_EVENT_HELD && !random.once_in(16)) {
        unacknowledged_.push_back(event);
    }
}

void Actor::take(vm::Take wish) {
    wish.acks = due_acks();
    const Batch batch;
    vm::Taken taken;
    call(Call::events, [&] {
        taken = vm::take(file->file, wish);
        return taken.error;
    });
    for (const vm::Event& event : taken.events) {
        note(event, batch);
    }
    for (const vm::Event& event : taken.events) {
        respond(*this, event);
    }
}

} // namespace storm
