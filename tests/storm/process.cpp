// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "process.hpp"

#include "../vm/support/process.hpp"
#include "actor.hpp"
#include "settle.hpp"

#include <latch>

namespace storm {

using namespace std::chrono_literals;

void Pool::add(Handle handle) {
    const std::scoped_lock guard(lock_);
    handles_.push_back(handle);
}

void Pool::remove(Handle handle) {
    const std::scoped_lock guard(lock_);
    std::erase(handles_, handle);
}

std::optional<Handle> Pool::pick(vm::Random& random) const {
    const std::scoped_lock guard(lock_);
    return handles_.empty() ? std::nullopt : std::optional(handles_[random.below(handles_.size())]);
}

std::size_t Pool::size() const {
    const std::scoped_lock guard(lock_);
    return handles_.size();
}

std::shared_ptr<StormFile> Process::pick_file(vm::Random& random) const {
    const std::scoped_lock guard(lock_);
    return files_[random.below(files_.size())];
}

void Process::replace_file(vm::Random& random, std::shared_ptr<StormFile> file) {
    const std::scoped_lock guard(lock_);
    files_[random.below(files_.size())].swap(file);
}

void Process::interrupt_one(vm::Random& random) const {
    if (!threads_.empty()) {
        pthread_kill(threads_[random.below(threads_.size())], SIGUSR1);
    }
}

// Threads that wait without a time limit are woken by signals: some in the storm, all at its end.
void Process::rage() {
    std::latch ready(1);
    std::atomic<std::size_t> running{plan_.threads};
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < plan_.threads; ++i) {
        const std::size_t stream = number_ * plan_.threads + i;
        threads.emplace_back([this, stream, &ready, &running] {
            ready.wait();
            Actor(*this, vm::Random(plan_.seed, stream), stream).rage();
            --running;
        });
    }
    for (std::jthread& thread : threads) {
        threads_.push_back(thread.native_handle());
    }
    ready.count_down();
    // How often calls are interrupted; nothing is waited for.
    for (vm::Random random(plan_.seed, ~number_); running; std::this_thread::sleep_for(20ms)) {
        if (board().over || random.once_in(8)) {
            interrupt_one(random);
        }
    }
}

void Process::run() {
    vm::prepare_interrupts();
    for (std::size_t i = 0; i < plan_.files; ++i) {
        files_.push_back(std::make_shared<StormFile>());
    }
    rage();
    for (const std::shared_ptr<StormFile>& file : files_) {
        settle(*file);
    }
}

} // namespace storm
