// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A program of the storm: files that its threads share, and the threads.
#pragma once

#include "../vm/support/random.hpp"
#include "ledger.hpp"

#include <memory>
#include <optional>
#include <pthread.h>

namespace storm {

// Handles that all threads know; what one picks, another may have destroyed.
class Pool {
public:
    void add(Handle handle);
    void remove(Handle handle);
    std::optional<Handle> pick(vm::Random& random) const;
    std::size_t size() const;

private:
    mutable std::mutex lock_;
    std::vector<Handle> handles_;
};

struct StormFile {
    explicit StormFile(bool shared = false) : ledger(shared) {}

    const vm::File file;
    Ledger ledger;
    Pool ids;
    Pool agents;
};

struct Plan {
    std::uint64_t seed = 1;
    std::size_t files = 2; // of a process
    std::size_t threads = 3;
};

class Process {
public:
    // `number` tells the processes of one storm apart.
    Process(const Plan& plan, std::size_t number) : plan_(plan), number_(number) {}
    // A process that was forked and has nothing but a file that it shares with its parent.
    explicit Process(std::shared_ptr<StormFile> file) { files_.push_back(std::move(file)); }

    // Storms until the board says that it is over; then nothing may be missing.
    void run();

    std::shared_ptr<StormFile> pick_file(vm::Random& random) const;
    // Others may still use the one that it takes the place of; who uses it last closes it.
    void replace_file(vm::Random& random, std::shared_ptr<StormFile> file);
    // Whether signals end calls that have no time limit.
    bool interrupts() const { return !threads_.empty(); }
    // A signal comes for one of the threads.
    void interrupt_one(vm::Random& random) const;

private:
    void rage();

    Plan plan_;
    std::size_t number_ = 0;
    mutable std::mutex lock_;
    std::vector<std::shared_ptr<StormFile>> files_;
    std::vector<pthread_t> threads_; // complete before any of them begins
};

} // namespace storm
