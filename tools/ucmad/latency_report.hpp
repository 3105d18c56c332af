// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
#pragma once

#include "latency.hpp"
#include "output.hpp"

#include <string>

namespace ucmad::tool {

/// A line for people; empty, if there were no times at all.
[[nodiscard]] std::string latency_text(const Latency& latency);

/// In microseconds, for the member "latency_us" of statistics; null, if there were no times at all.
[[nodiscard]] Json latency_json(const Latency& latency);

} // namespace ucmad::tool
