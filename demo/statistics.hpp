// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
#pragma once

#include "report.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace demo {

/// What the module counts, by the names of the files in /sys/class/misc/ucmad/stats.
using Statistics = std::map<std::string, std::uint64_t>;

[[nodiscard]] Statistics read_statistics();

/// Nothing that lives may be left: files, objects, events, CM IDs.
void nothing_left(Report& report);

} // namespace demo
