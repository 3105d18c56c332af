// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "helper.hpp"

namespace fuzz {

Helper::Helper() : thread_([this] { work(); }) {}

Helper::~Helper() {
    {
        const std::lock_guard lock(mutex_);
        state_ = State::over;
    }
    changed_.notify_all();
    thread_.join();
}

void Helper::work() {
    Worker worker;
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return state_ == State::asked || state_ == State::over; });
        if (state_ == State::over) {
            return;
        }
        state_ = State::busy;
        changed_.notify_all();
        lock.unlock();
        job_(worker);
        lock.lock();
        coverage_.add(worker.coverage());
        worker.coverage().clear();
        state_ = State::idle;
        changed_.notify_all();
    }
}

void Helper::start(std::function<void(Worker&)> job) {
    std::unique_lock lock(mutex_);
    job_ = std::move(job);
    state_ = State::asked;
    changed_.notify_all();
    // A thread that is only waking up would come too late to meet anything.
    changed_.wait(lock, [this] { return state_ != State::asked; });
}

void Helper::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return state_ == State::idle; });
}

void Helper::take_coverage(Coverage& into) {
    const std::lock_guard lock(mutex_);
    into.add(coverage_);
    coverage_.clear();
}

} // namespace fuzz
