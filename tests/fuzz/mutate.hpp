// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A sequence that is like another, but not the same.
#pragma once

#include "../vm/support/random.hpp"
#include "sequence.hpp"

namespace fuzz {

// `other` is what it may be crossed with.
Sequence mutate(vm::Random& random, Sequence sequence, const Sequence& other);

} // namespace fuzz
