// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace ucmad::tool {

/// Collects times in constant memory. The least and the greatest are exact, quantiles are too
/// high by at most 0.4 %.
class Latency {
public:
    using Time = std::chrono::nanoseconds;

    void add(Time time) noexcept;

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

    // Of no times at all these are zero.
    [[nodiscard]] Time min() const noexcept { return min_; }
    [[nodiscard]] Time max() const noexcept { return max_; }

    /// The least time that at least `fraction` of all times do not exceed: 0.5 for the median.
    [[nodiscard]] Time quantile(double fraction) const noexcept;

private:
    // Times below 2^sub_bits ns have a bucket each; above, every power of two is split into
    // 2^(sub_bits - 1) buckets.
    static constexpr unsigned sub_bits = 9;
    static constexpr std::size_t half = std::size_t{1} << (sub_bits - 1);
    static constexpr std::size_t buckets = (64 - sub_bits + 2) * half;

    [[nodiscard]] static std::size_t bucket_of(std::uint64_t nanoseconds) noexcept;
    [[nodiscard]] static std::uint64_t upper_bound_of(std::size_t bucket) noexcept;

    std::array<std::uint64_t, buckets> counts_{};
    std::uint64_t count_ = 0;
    Time min_{0};
    Time max_{0};
};

/// In microseconds, as latencies are printed.
[[nodiscard]] inline double microseconds(std::chrono::nanoseconds time) noexcept {
    return std::chrono::duration<double, std::micro>{time}.count();
}

} // namespace ucmad::tool
