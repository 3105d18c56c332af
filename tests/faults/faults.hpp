// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Lets one thing after another fail that the module asks the kernel for; see
// inject/ucmad_inject.c.
#pragma once

#include "support/error.hpp"
#include "support/wait.hpp"

#include <functional>

namespace vm {

// Does memory come back after the call that failed?
enum class Shortage { once, lasting };

// One run of a scenario in which the N-th call fails, and with Shortage::lasting all that follow.
class Faults {
public:
    Faults(unsigned nth, Shortage shortage) : nth_(nth), shortage_(shortage) {}
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;
    ~Faults() { disarm(); }

    // Carries out an operation under faults, and returns what it came to: success, or one of the
    // errors that the documents name for what was made to fail.
    Error during(const std::function<Error()>& operation);
    // The same, and faults stay for what the operation has begun.
    Error begin(const std::function<Error()>& operation);
    // Until that is over, or has met its fault. Memory that stays short does so a little longer.
    void settle(const std::function<bool()>& is_over);

    // The scenario has seen that something did not work, elsewhere than in an operation.
    void failed() { failed_ = true; }
    bool has_failed() const { return failed_; }
    unsigned injected() const;
    // What failed, for people.
    std::string where() const;

private:
    void arm();
    void disarm();

    const unsigned nth_;
    const Shortage shortage_;
    bool armed_ = false;
    bool failed_ = false;
};

// As long as this is there, all calls of a function fail.
class Broken {
public:
    explicit Broken(const std::string& function);
    Broken(const Broken&) = delete;
    Broken& operator=(const Broken&) = delete;
    ~Broken();
};

// Runs a scenario with its first call failing, with its second, and so on, until none is left.
// After each nothing may be left in the module. A scenario without any call that can fail is a
// failure.
void sweep(Shortage shortage, const std::function<void(Faults&)>& scenario);

// What all sweeps came to.
void print_table();

} // namespace vm
