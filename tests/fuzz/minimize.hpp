// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Few and short sequences that reach the same places.
#pragma once

#include "judge.hpp"

namespace fuzz {

// The first `kept` of the corpus are preferred, and stay as they are. What is reached only now and
// then does not count.
std::vector<Sequence> minimize(Judge& judge, const std::vector<Sequence>& corpus, std::size_t kept);

} // namespace fuzz
