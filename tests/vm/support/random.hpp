// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Chance, the same again for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>

namespace vm {

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    // Threads that share a seed differ in their `stream`.
    Random(std::uint64_t seed, std::uint64_t stream) {
        std::seed_seq words{low(seed), high(seed), low(stream), high(stream)};
        engine_.seed(words);
    }

    std::uint64_t bits() { return engine_(); }
    // From 0 to `count` - 1.
    std::uint32_t below(std::size_t count) { return static_cast<std::uint32_t>(bits() % count); }
    // From `first` to `last`.
    std::uint32_t between(std::uint32_t first, std::uint32_t last) {
        return first + below(last - first + 1);
    }
    // Once in `count` times.
    bool once_in(std::size_t count) { return below(count) == 0; }
    template <class List>
    const auto& of(const List& list) {
        return list[below(std::size(list))];
    }

private:
    static std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
    static std::uint32_t high(std::uint64_t value) {
        return static_cast<std::uint32_t>(value >> 32);
    }

    std::mt19937_64 engine_;
};

} // namespace vm
