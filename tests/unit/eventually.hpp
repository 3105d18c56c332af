// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <chrono>
#include <thread>

namespace ucmad::test {

/// Polls until the condition holds; false if it does not within a time that is ample on any
/// machine.
template <typename Condition>
[[nodiscard]] bool eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline)
            return false;
        std::this_thread::yield();
    }
    return true;
}

} // namespace ucmad::test
