// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What an operation gave, for later ones to use.
#pragma once

#include "memory.hpp"

#include <vector>

namespace fuzz {

struct Results {
    std::vector<std::uint64_t> objects;
    std::vector<std::uint64_t> sequences;
    std::vector<std::uint64_t> sends;
    std::vector<std::uint64_t> requests;
    std::vector<std::uint32_t> signals; // what events were of, for the fuzzer to see progress
    std::string wrong;                  // what the module should not have answered

    // What a member of this kind takes; 0 if there is nothing.
    std::uint64_t pick(Kind kind, std::uint32_t index) const;
};

// Looks at what a successful call has left in memory; `arg` is its struct.
void collect(const Call& call, std::span<const std::uint8_t> arg, const Memory& memory,
             Results& results);

} // namespace fuzz
