// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
#pragma once

#include "interrupt.hpp"
#include "options.hpp"
#include "output.hpp"
#include "verbs.hpp"

#include <ucmad/context.hpp>
#include <ucmad/path.hpp>

#include <algorithm>
#include <chrono>

namespace ucmad::tool {

/// What every command that connects works with: the module's file, one RDMA device, and one place
/// to wait for everything.
class Session {
public:
    /// Throws a Failure that says what to do if there is no module, device or permission.
    Session(const LocalOptions& options, const Output& output);

    [[nodiscard]] const Context& context() const noexcept { return context_; }
    [[nodiscard]] const DeviceInfo& device() const noexcept { return device_; }
    [[nodiscard]] const VerbsDevice& verbs() const noexcept { return verbs_; }
    [[nodiscard]] const Output& output() const noexcept { return output_; }
    [[nodiscard]] const LocalOptions& options() const noexcept { return options_; }

    /// The local port; chosen at first use.
    [[nodiscard]] Path path_to(const PeerOptions& peer) const;

    /// What there is to do.
    struct Ready {
        bool interrupt = false;
        bool event = false;      ///< context() has events.
        bool completion = false; ///< verbs() has completions.
        bool input = false;

        [[nodiscard]] bool any() const noexcept {
            return interrupt || event || completion || input;
        }
    };

    /// Waits until there is something to do, or for that time. `input` is a descriptor to wait for,
    /// too, if it is not negative.
    [[nodiscard]] Ready wait(Timeout timeout, int input = -1);

private:
    LocalOptions options_;
    const Output& output_;
    Interrupt interrupt_;
    Context context_;
    DeviceInfo device_;
    VerbsDevice verbs_;
};

/// A moment until which something is to have happened.
class Deadline {
public:
    explicit Deadline(Timeout timeout) noexcept
        : end_(timeout < no_wait ? Clock::time_point::max() : Clock::now() + timeout) {}
    explicit Deadline(std::chrono::steady_clock::time_point end) noexcept : end_(end) {}

    [[nodiscard]] Timeout left() const noexcept {
        if (end_ == Clock::time_point::max())
            return forever;
        return std::max<Timeout>(no_wait, end_ - Clock::now());
    }

    [[nodiscard]] bool passed() const noexcept { return left() == no_wait; }

private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point end_;
};

} // namespace ucmad::tool
