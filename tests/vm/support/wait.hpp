// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Bounded waits: no test waits for ever, and none takes a sleep for an order of events.
#pragma once

#include "error.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace vm {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Duration = std::chrono::nanoseconds;

// `time`, made longer where the kernel is a slow one with checks built in.
Duration scaled(Duration time);

// The same for a time as CM messages carry it: 4.096 us * 2^n.
std::uint8_t scaled_iba_time(std::uint8_t n);
inline Duration iba_time(std::uint8_t n) { return 4096ns * (1LL << n); }

// The kernel is one with checks, so that less of the same must do.
inline bool has_checks() { return scaled(1s) > 1s; }

// How long anything that must happen may take.
inline Duration limit() { return scaled(20s); }

// Polls until `condition()` holds; returns whether it did in time.
template <class Condition>
bool eventually(Condition condition, Duration within = limit()) {
    const auto deadline = Clock::now() + within;
    for (auto pause = Duration(100us); !condition(); pause = std::min<Duration>(pause * 2, 20ms)) {
        if (Clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(pause);
    }
    return true;
}

template <class Condition>
void wait_until(Condition condition, const std::string& what, const char* file = __builtin_FILE(),
                int line = __builtin_LINE()) {
    must(eventually(condition), "waited in vain: " + what, file, line);
}

} // namespace vm
