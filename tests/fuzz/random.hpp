// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Chance, the same again for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace fuzz {

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t bits() { return engine_(); }
    // From 0 to `count` - 1.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(bits() % count); }
    // Once in `count` times.
    bool once_in(std::size_t count) { return below(count) == 0; }
    template <class List>
    const auto& of(const List& list) {
        return list[below(std::size(list))];
    }

private:
    std::mt19937_64 engine_;
};

} // namespace fuzz
