// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// What is measured, of one requester at a time.
#pragma once

#include "requester.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace bench {

/// Of one request, in microseconds.
struct Cost {
    double elapsed = 0;
    double cpu = 0;       ///< Of this process, user and system.
    double machine = 0;   ///< Of all processors, with what the kernel does for it elsewhere.
    std::size_t lost = 0; ///< Requests of all that were not answered.
};

/// Keeps `depth` requests on their way until `total` have ended.
Cost request_cost(Requester& requester, std::size_t depth, std::size_t total);

/// CPU time of one call, in microseconds, over so many calls.
double call_cost(const std::function<void()>& call, std::size_t count);

double median(std::vector<double> values);

/// Kernel memory in use for objects, in bytes (Slab in /proc/meminfo).
double slab_bytes();

} // namespace bench
