// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The second thread.
#pragma once

#include "worker.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace fuzz {

class Helper {
public:
    Helper();
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;
    ~Helper();

    // Has it do something; returns when it has begun.
    void start(std::function<void(Worker&)> job);
    // Until it has done so; nothing if there was nothing to do.
    void wait();
    // Moves what it has reached to `into`. It must have nothing to do.
    void take_coverage(Coverage& into);

private:
    enum class State { idle, asked, busy, over };

    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::idle;
    std::function<void(Worker&)> job_;
    Coverage coverage_;
    std::thread thread_;
};

} // namespace fuzz
