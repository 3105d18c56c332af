// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What all rounds together have done.
#pragma once

namespace storm {

// A line per call: how often, and with which errors.
void print_summary(bool with_calls);

} // namespace storm
