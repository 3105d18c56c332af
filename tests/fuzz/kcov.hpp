// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Where a thread has been in the kernel (Documentation/dev-tools/kcov.rst there).
#pragma once

#include <cstdint>
#include <span>

namespace fuzz {

class Kcov {
public:
    // Belongs to the calling thread from now on.
    Kcov();
    Kcov(const Kcov&) = delete;
    Kcov& operator=(const Kcov&) = delete;
    ~Kcov();

    void clear();
    // Each place since then, in order; later ones are lost if it was too many.
    std::span<const std::uint64_t> places() const;

private:
    static constexpr std::size_t words = 64 * 1024;

    int fd_;
    std::uint64_t* area_;
};

} // namespace fuzz
