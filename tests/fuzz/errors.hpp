// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The errors that Documentation/uapi.rst lets each call have.
#pragma once

#include "call.hpp"

namespace fuzz {

bool is_documented(const Call& call, int error);

} // namespace fuzz
