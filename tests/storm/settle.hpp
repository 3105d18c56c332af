// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The end of a file that nobody uses any more.
#pragma once

#include "process.hpp"

namespace storm {

// Ends what is under way, takes what there is, destroys all, and then the account must add up.
void settle(StormFile& file);

} // namespace storm
