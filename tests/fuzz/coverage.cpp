// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "coverage.hpp"

#include <algorithm>

namespace fuzz {

namespace {

bool merge(std::unordered_set<std::uint64_t>& into, const std::unordered_set<std::uint64_t>& from) {
    const std::size_t before = into.size();
    into.insert(from.begin(), from.end());
    return into.size() > before;
}

} // namespace

void Coverage::add_places(std::span<const std::uint64_t> places) {
    std::uint64_t last = 0;
    for (const std::uint64_t place : places) {
        places_.insert(place);
        ways_.insert(last << 32 ^ place);
        last = place;
    }
}

void Coverage::add_error(unsigned call, int error) {
    outcomes_.insert(std::uint64_t{call} << 32 | static_cast<unsigned>(error));
}

void Coverage::add_signal(std::uint32_t signal) { outcomes_.insert(1ULL << 60 | signal); }

bool Coverage::add(const Coverage& other) {
    const bool places = merge(places_, other.places_);
    const bool ways = merge(ways_, other.ways_);
    const bool outcomes = merge(outcomes_, other.outcomes_);
    return places || ways || outcomes;
}

bool Coverage::contains_places(const std::unordered_set<std::uint64_t>& places) const {
    return std::ranges::all_of(places,
                               [this](std::uint64_t place) { return places_.contains(place); });
}

void Coverage::clear() {
    places_.clear();
    ways_.clear();
    outcomes_.clear();
}

} // namespace fuzz
