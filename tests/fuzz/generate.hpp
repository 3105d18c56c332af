// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// New values and operations.
#pragma once

#include "../vm/support/random.hpp"
#include "sequence.hpp"

namespace fuzz {

// A value for a member of the operation at `at`, more often than not of interest.
Value random_value(vm::Random& random, const Field& field, const Sequence& sequence,
                   std::size_t at);

// An operation for that place that might well succeed.
Op random_op(vm::Random& random, const Sequence& sequence, std::size_t at);

} // namespace fuzz
