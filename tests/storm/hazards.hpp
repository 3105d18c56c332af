// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What comes over the processes of a storm from outside.
#pragma once

#include "../vm/support/device.hpp"
#include "crew.hpp"

#include <functional>
#include <vector>

namespace storm {

// What can be left out, to find out which of them a fault needs.
struct Dangers {
    bool kill = true;
    bool removal = true;
    // The network interface of the device goes down. Not by default: over rxe of Linux 6.1,
    // ib_mad's QP1 does not get over that, and so ib_cm waits for ever for what it has sent.
    bool link = false;
    bool hog = true;
    bool unload = true;
};

// The device that comes and goes, and where the processes find it.
class Prey {
public:
    Prey();
    // Returns at once: it can take a while, in which the storm goes on.
    void remove();
    void take_down();
    // It is there and up again; returns whether it was not.
    bool restore();
    std::size_t removals() const { return removals_; }

private:
    void publish() const;
    bool is_being_removed();

    vm::ExtraDevice device_;
    bool present_ = true;
    pid_t remover_ = -1;
    bool up_ = true;
    std::size_t removals_ = 0;
};

// They come at random, one after the other.
class Hazards {
public:
    Hazards(const vm::Random& random, const Dangers& dangers, Crew& crew, Prey& prey);

    void pause();
    void one();
    std::size_t refused_unloads() const { return refused_unloads_; }

private:
    void unload();

    vm::Random random_;
    Crew& crew_;
    Prey& prey_;
    std::size_t refused_unloads_ = 0;
    std::vector<std::function<void()>> all_;
};

} // namespace storm
