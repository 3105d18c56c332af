// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "ledger.hpp"

#include "board.hpp"

#include <algorithm>

namespace storm {

void Ledger::fault(const std::string& promise, Handle object, const std::string& text) const {
    board().fault(promise + ": object " + std::to_string(object) + ": " + text);
}

void Ledger::add(Handle object, const Traits& traits) {
    const std::scoped_lock guard(lock_);
    entries_[object].traits = traits;
}

Traits Ledger::traits(Handle object) const {
    const std::scoped_lock guard(lock_);
    const auto found = entries_.find(object);
    return found == entries_.end() ? Traits{} : found->second.traits;
}

void Ledger::post(Handle agent, const std::vector<Cookie>& cookies) {
    const std::scoped_lock guard(lock_);
    entries_[agent].cookies.insert(cookies.begin(), cookies.end());
}

void Ledger::take_back(Handle agent, std::span<const Cookie> cookies) {
    const std::scoped_lock guard(lock_);
    for (const Cookie cookie : cookies) {
        if (!entries_[agent].cookies.erase(cookie) && !shared_) {
            fault("MAD-PARTIAL", agent, "a send that was not accepted has a completion");
        }
    }
}

void Ledger::take(const vm::Event& event, const Batch& batch) {
    if (shared_) {
        return;
    }
    const std::scoped_lock guard(lock_);
    Entry& entry = entries_[event.head.object];
    ++board().events;
    if (!entry.taken.insert(event.head.sequence).second) {
        fault("EV-NOLOSS", event.head.object,
              "event " + std::to_string(event.head.sequence) + " twice");
    }
    if (entry.end && *entry.end < batch.begun) {
        fault("DEL-SILENT", event.head.object, "an event after its destruction");
    }
    if (event.head.type == UCMAD_EVENT_MAD_SEND) {
        take_completion(entry, event);
    }
    entry.removed |= event.head.type == UCMAD_EVENT_DEVICE_REMOVED;
    take_hold(entry, event, batch);
}

void Ledger::take_completion(Entry& entry, const vm::Event& event) const {
    const Cookie cookie = event.body<ucmad_mad_completion>().cookie;
    if (!entry.cookies.erase(cookie)) {
        fault("MAD-ONE", event.head.object,
              "cookie " + std::to_string(cookie) + " twice, or never posted");
    }
    ++board().cookies;
}

void Ledger::take_hold(Entry& entry, const vm::Event& event, const Batch& batch) const {
    if (!(event.head.flags & UCMAD_EVENT_HELD)) {
        return;
    }
    if (entry.holder && entry.batch != batch.number) {
        fault("EV-SERIAL", event.head.object,
              "event " + std::to_string(event.head.sequence) + " while event " +
                  std::to_string(entry.holder) + " holds");
    }
    entry.holder = event.head.sequence;
    entry.batch = batch.number;
}

void Ledger::acknowledge(const vm::Event& event) {
    const std::scoped_lock guard(lock_);
    Entry& entry = entries_[event.head.object];
    if (entry.holder == event.head.sequence) {
        entry.holder = 0;
    }
}

void Ledger::destroyed(Handle object, std::uint32_t discarded) {
    const auto now = vm::Clock::now();
    const std::scoped_lock guard(lock_);
    entries_[object].end = now;
    entries_[object].discarded = discarded;
}

std::vector<Handle> Ledger::objects() const {
    const std::scoped_lock guard(lock_);
    std::vector<Handle> result;
    for (const auto& [object, entry] : entries_) {
        if (!entry.end) {
            result.push_back(object);
        }
    }
    return result;
}

bool Ledger::has_cookies(Handle agent, Cookie bits) const {
    const std::scoped_lock guard(lock_);
    const auto found = entries_.find(agent);
    return found != entries_.end() &&
           std::ranges::any_of(found->second.cookies,
                               [bits](Cookie cookie) { return (cookie & bits) == bits; });
}

void Ledger::audit() const {
    if (shared_) {
        return;
    }
    const std::scoped_lock guard(lock_);
    for (const auto& [object, entry] : entries_) {
        audit(object, entry);
    }
    ++board().audited;
}

void Ledger::audit(Handle object, const Entry& entry) const {
    const std::size_t out = entry.cookies.size();
    const std::uint64_t last = entry.taken.empty() ? 0 : *entry.taken.rbegin();
    const std::string numbers = std::to_string(out) + " cookies out, " +
                                std::to_string(entry.taken.size()) + " events of " +
                                std::to_string(last) + " taken, " +
                                std::to_string(entry.discarded) + " discarded";
    if (last - entry.taken.size() > entry.discarded) {
        fault("EV-NOLOSS", object, numbers);
    }
    if (out > entry.discarded) {
        fault("MAD-ONE", object, numbers);
    }
    // The last event of an agent whose device was removed may be among those discarded.
    const std::size_t more = entry.traits.removable && !entry.removed ? 1 : 0;
    if (entry.traits.is_sender && entry.discarded > out + more) {
        fault("DEL-COUNT", object, numbers);
    }
    board().cookies += out;
}

} // namespace storm
