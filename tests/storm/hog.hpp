// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A process that leaves the others of its control group hardly any memory.
#pragma once

#include <cstddef>

namespace storm {

// Of the whole group.
inline constexpr std::size_t hog_limit = std::size_t{192} << 20;

// Takes memory until there is no more, gives some back, and again, for ever.
void hog_memory();

} // namespace storm
