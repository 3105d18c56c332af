// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "wait.hpp"

#include <cstdlib>
#include <filesystem>

namespace vm {

namespace {

// UCMAD_TEST_TIME_FACTOR, or else whether the kernel has its memory debugging built in.
int time_factor() {
    if (const char* set = std::getenv("UCMAD_TEST_TIME_FACTOR")) {
        return std::max(1, std::atoi(set));
    }
    return std::filesystem::exists("/sys/kernel/debug/kmemleak") ? 4 : 1;
}

} // namespace

Duration scaled(Duration time) {
    static const int factor = time_factor();
    return time * factor;
}

std::uint8_t scaled_iba_time(std::uint8_t n) {
    for (Duration time = scaled(1ns); time > 1ns; time /= 2) {
        ++n;
    }
    return n;
}

} // namespace vm
