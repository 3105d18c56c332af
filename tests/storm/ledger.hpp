// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The account of one file: which cookies are out, which events have come, who holds what. Whatever
// should happen once and happens twice, or never, or after its time, is a fault on the board.
#pragma once

#include "../vm/support/file.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>

namespace storm {

using Handle = std::uint32_t;
using Cookie = std::uint64_t;

// In the cookie of a send that ends soon, even if nobody cancels it.
inline constexpr Cookie ends_by_itself = Cookie{1} << 63;

// What a program knows of an object when it makes it.
struct Traits {
    bool removable = true;   // as long as it is not known
    bool is_sender = false;  // an agent to which nothing comes but completions
    bool concurrent = false; // never held
};

// A call that takes events: those of one call may hold their object together.
struct Batch {
    const vm::Clock::time_point begun = vm::Clock::now();
    const std::uint64_t number = ++last;

    static inline std::atomic<std::uint64_t> last{0};
};

class Ledger {
public:
    // A file that another process takes events of, too, has no account.
    explicit Ledger(bool shared = false) : shared_(shared) {}

    void add(Handle object, const Traits& traits);
    Traits traits(Handle object) const;

    // Before a post, since a completion can be faster than the return from it.
    void post(Handle agent, const std::vector<Cookie>& cookies);
    // After it: these were not accepted.
    void take_back(Handle agent, std::span<const Cookie> cookies);

    // An event was taken by a call.
    void take(const vm::Event& event, const Batch& batch);
    // Its hold is about to be given up.
    void acknowledge(const vm::Event& event);
    // The call has returned.
    void destroyed(Handle object, std::uint32_t discarded);

    std::vector<Handle> objects() const; // that were not destroyed
    // Of all sends, or of those only that have all these bits in their cookies.
    bool has_cookies(Handle agent, Cookie bits = 0) const;
    // All objects are destroyed, and nobody uses the file: does it all add up?
    void audit() const;

private:
    struct Entry {
        Traits traits;
        std::set<std::uint64_t> taken; // sequence numbers
        std::set<Cookie> cookies;      // not back yet
        std::uint64_t holder = 0;      // sequence number of the last event that holds it
        std::uint64_t batch = 0;       // what took that
        bool removed = false;          // it was told that its device has gone
        std::optional<vm::Clock::time_point> end;
        std::uint32_t discarded = 0;
    };

    void take_completion(Entry& entry, const vm::Event& event) const;
    void take_hold(Entry& entry, const vm::Event& event, const Batch& batch) const;
    void audit(Handle object, const Entry& entry) const;
    void fault(const std::string& promise, Handle object, const std::string& text) const;

    const bool shared_;
    mutable std::mutex lock_;
    std::map<Handle, Entry> entries_;
};

} // namespace storm
