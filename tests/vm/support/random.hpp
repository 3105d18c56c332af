// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The choices of one thread: all follow from the seed, so that a storm can be tried again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace storm {

class Random {
public:
    // Threads of one storm differ in their `stream`.
    Random(std::uint64_t seed, std::uint64_t stream) {
        std::seed_seq words{low(seed), high(seed), low(stream), high(stream)};
        engine_.seed(words);
    }

    std::uint64_t number() { return engine_(); }
    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(engine_() % bound); }
    // A number from `first` to `last`.
    std::uint32_t between(std::uint32_t first, std::uint32_t last) {
        return first + below(last - first + 1);
    }
    bool one_in(std::size_t count) { return below(count) == 0; }

private:
    static std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
    static std::uint32_t high(std::uint64_t value) {
        return static_cast<std::uint32_t>(value >> 32);
    }

    std::mt19937_64 engine_;
};

} // namespace storm
