// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Posts whose cookies are accounted for.
#pragma once

#include "actor.hpp"

namespace storm {

// In which a send does not end by itself, unless it is answered.
inline constexpr std::uint32_t long_timeout = 60000;

// Gives each send a cookie of its own and posts them; their handles are in them then.
vm::Posted post(Actor& actor, Handle agent, std::vector<ucmad_mad_send>& sends);

} // namespace storm
