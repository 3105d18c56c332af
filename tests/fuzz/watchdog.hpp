// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A process that looks after the one that makes the calls, since that may hang in the kernel or
// die.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace fuzz {

// What both processes see.
class Progress {
public:
    static constexpr std::size_t room = 256 * 1024;

    // What is about to be run.
    void begin(std::uint64_t number, const std::string& text);
    // That something is being done, even if no sequence.
    void beat() { ++beats_; }

    std::uint64_t beats() const { return beats_; }
    std::uint64_t number() const { return number_; }
    std::string text() const { return {text_, length_}; }

private:
    std::atomic<std::uint64_t> beats_;
    std::atomic<std::uint64_t> number_;
    std::atomic<std::size_t> length_;
    char text_[room];
};

// Runs `job` in another process. Returns what it returns; or, if it does not end or makes no
// progress, calls `lost` with what was under way and returns 3.
int watch(const std::function<int(Progress&)>& job,
          const std::function<void(const Progress&, const std::string& why)>& lost);

} // namespace fuzz
