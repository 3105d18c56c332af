// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a program does when an event comes, most of the time.
#pragma once

#include "actor.hpp"

namespace storm {

void respond(Actor& actor, const vm::Event& event);

} // namespace storm
