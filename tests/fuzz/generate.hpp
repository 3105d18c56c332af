// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// New values and operations.
#pragma once

#include "random.hpp"
#include "sequence.hpp"

namespace fuzz {

// A value for a member of the operation at `at`, more often than not of interest.
Value random_value(Random& random, const Field& field, const Sequence& sequence, std::size_t at);

// An operation for that place that might well succeed.
Op random_op(Random& random, const Sequence& sequence, std::size_t at);

} // namespace fuzz
