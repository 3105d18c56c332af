// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What has been reached: places in the module, ways between them, errors and events.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace fuzz {

class Coverage {
public:
    // The places of one call. Where it came from says more than where it was: a loop that ends
    // early is a way of its own.
    void add_places(std::span<const std::uint64_t> places);
    // That a call had this error.
    void add_error(unsigned call, int error);
    // That an event came.
    void add_signal(std::uint32_t signal);
    // Adds all of it; returns whether anything is new.
    bool add(const Coverage& other);
    bool contains_places(const std::unordered_set<std::uint64_t>& places) const;
    void clear();

    const std::unordered_set<std::uint64_t>& places() const { return places_; }
    std::size_t ways() const { return ways_.size(); }

private:
    std::unordered_set<std::uint64_t> places_;
    std::unordered_set<std::uint64_t> ways_;
    std::unordered_set<std::uint64_t> outcomes_;
};

} // namespace fuzz
