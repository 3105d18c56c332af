// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Two processes with one file.
#pragma once

#include "actor.hpp"

namespace storm {

// Forks, and both processes use a file, until one of them dies or closes it.
void share_with_twin(Actor& actor);

} // namespace storm
