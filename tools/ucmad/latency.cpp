// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "latency.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ucmad::tool {

std::size_t Latency::bucket_of(std::uint64_t nanoseconds) noexcept {
    const auto width = static_cast<unsigned>(std::bit_width(nanoseconds));
    const unsigned shift = width > sub_bits ? width - sub_bits : 0;
    return shift * half + static_cast<std::size_t>(nanoseconds >> shift);
}

std::uint64_t Latency::upper_bound_of(std::size_t bucket) noexcept {
    const std::size_t shift = bucket < 2 * half ? 0 : bucket / half - 1;
    const std::uint64_t mantissa = bucket - shift * half;
    return ((mantissa + 1) << shift) - 1;
}

void Latency::add(Time time) noexcept {
    min_ = count_ == 0 ? time : std::min(min_, time);
    max_ = std::max(max_, time);
    ++count_;
    ++counts_[bucket_of(static_cast<std::uint64_t>(std::max(time, Time{0}).count()))];
}

Latency::Time Latency::quantile(double fraction) const noexcept {
    const auto rank = static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        seen += counts_[bucket];
        if (seen >= rank && seen > 0)
            return std::clamp(Time{static_cast<Time::rep>(upper_bound_of(bucket))}, min_, max_);
    }
    return Time{0};
}

} // namespace ucmad::tool
