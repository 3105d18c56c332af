// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A thread that makes calls: its memory, its alarm, and where it has been.
#pragma once

#include "coverage.hpp"
#include "kcov.hpp"
#include "memory.hpp"

#include <ctime>

namespace fuzz {

// Ends a call that waits for ever: it interrupts the thread until the call is over.
class Alarm {
public:
    // For the calling thread.
    Alarm();
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm();

    void start() const { set(interval_ns); }
    void stop() const { set(0); }

private:
    static constexpr long interval_ns = 10'000'000;
    void set(long ns) const;

    timer_t timer_{};
};

// Made by the thread that is to use it.
class Worker {
public:
    // What a call said: errno, or 0; the struct as it lies in memory afterwards.
    struct Answer {
        int error = 0;
        std::span<const std::uint8_t> arg = {};
    };

    // Makes a call whose members have these values, one for each field of the call.
    Answer make(const Call& call, int fd, std::span<const Value> values);

    // Does something, and sees where in the module that leads.
    template <class Job>
    void trace(Job job) {
        kcov_.clear();
        job();
        coverage_.add_places(kcov_.places());
    }

    const Memory& memory() const { return memory_; }
    Coverage& coverage() { return coverage_; }

private:
    std::uint64_t prepare(const Call& call, std::span<const Value> values);
    Answer make_ioctl(const Call& call, int fd, std::span<const Value> values);

    Memory memory_;
    Alarm alarm_;
    Kcov kcov_;
    Coverage coverage_;
};

} // namespace fuzz
