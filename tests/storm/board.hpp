// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What all processes of a storm see: where it stands, what is wrong, who does what.
#pragma once

#include "calls.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <rdma/ucmad.h>
#include <string>
#include <sys/types.h>

namespace storm {

inline constexpr std::size_t max_errors = 134; // above any errno
inline constexpr std::size_t max_threads = 256;
inline constexpr std::size_t max_faults = 16;
inline constexpr std::size_t device_count = 2;

// A device, and the way from it to itself: GID 0 is IPv6, GID 1 is IPv4.
struct Target {
    std::atomic<std::uint32_t> index;
    bool removable;
    std::array<ucmad_path, 2> paths;
};

// What a thread is doing, for whoever wants to know why a storm does not end.
struct Activity {
    std::atomic<pid_t> thread;
    std::atomic<int> call; // -1: none
};

struct Board {
    std::atomic<bool> over;             // the threads are to come to an end
    std::atomic<bool> scarce;           // memory may run out
    std::atomic<std::int64_t> deadline; // of steady_clock: by then the storm must be further
    std::atomic<std::size_t> faults;
    std::array<std::array<char, 256>, max_faults> texts;
    std::array<Target, device_count> devices;
    std::array<Activity, max_threads> activities;
    std::array<std::array<std::atomic<std::uint64_t>, max_errors>, call_count> results;
    std::atomic<std::uint64_t> events;
    std::atomic<std::uint64_t> cookies; // that came back, or were discarded and counted
    std::atomic<std::uint64_t> audited; // files whose account was checked to the end

    // Something is wrong: it is kept, and the storm ends.
    void fault(const std::string& text);
    std::uint64_t calls() const;
};

// The one board, in memory that children share.
Board& board();

} // namespace storm
