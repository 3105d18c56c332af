// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Memory that ends where a program does not expect it.
#pragma once

#include "error.hpp"

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>

namespace vm {

// An address at which nothing is mapped, for no program.
inline constexpr std::uint64_t unmapped = 0xdead000;

// `size` bytes, at most a page, right behind which nothing can be accessed.
class Guarded {
public:
    explicit Guarded(std::size_t size)
        : base_(static_cast<std::uint8_t*>(
              mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
          begin_(base_ + page - size) {
        must(base_ == MAP_FAILED ? last_error() : ok);
        must(mprotect(base_ + page, page, PROT_NONE) == 0 ? ok : last_error());
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    ~Guarded() { munmap(base_, 2 * page); }

    std::uint8_t* data() const { return begin_; }
    void make_readonly() const { must(mprotect(base_, page, PROT_READ) == 0 ? ok : last_error()); }

private:
    static constexpr std::size_t page = 4096;

    std::uint8_t* base_;
    std::uint8_t* begin_;
};

} // namespace vm
