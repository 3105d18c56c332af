// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The memory that a thread's calls point to.
#pragma once

#include "sequence.hpp"

#include <array>
#include <span>

namespace fuzz {

// One block: writable, the same again only to be read, and nothing behind either.
class Region {
public:
    static constexpr std::size_t size = 64 * 1024;

    Region();
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    ~Region();

    std::uint8_t* begin() const { return writable_; }
    // The address that a value means.
    std::uint64_t address(const Value& value) const;
    // The writable bytes from an address on; empty if the address is of something else.
    std::span<std::uint8_t> at(std::uint64_t address) const;

private:
    std::uint8_t* writable_;
    std::uint8_t* readable_;
};

class Memory {
public:
    Region& operator[](Block block) { return regions_[static_cast<std::size_t>(block)]; }
    const Region& operator[](Block block) const {
        return regions_[static_cast<std::size_t>(block)];
    }

private:
    std::array<Region, block_count> regions_;
};

} // namespace fuzz
