// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A buffer that keeps whoever reads or writes it waiting, so that a test can act in the middle of a
// system call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vm {

// One page, by userfaultfd.
class StallingPage {
public:
    static constexpr std::size_t size = 4096;

    // Whether this kernel has what it takes.
    static bool is_possible();

    StallingPage();
    StallingPage(const StallingPage&) = delete;
    StallingPage& operator=(const StallingPage&) = delete;
    ~StallingPage();

    std::uint8_t* data() const { return page_; }
    // Returns once somebody waits for the page.
    void wait_for_access() const;
    // Lets it go on, and all later ones; the page is zero, or what `content` says at its start.
    void release() const;
    void release(std::span<const std::uint8_t> content) const;
    // Lets it run into a fault instead (EFAULT).
    void fail() const;

private:
    int fd_;
    std::uint8_t* page_;
};

} // namespace vm
