// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One storm, from a module that is just loaded to one that has been unloaded.
#pragma once

#include "hazards.hpp"

namespace storm {

struct Setting {
    Plan plan;
    std::size_t processes = 3;
    vm::Duration time = vm::Duration(0);
    Dangers dangers;
    std::string module; // its file; empty: it is not unloaded
};

// Says in a line how it went; returns whether all was well.
bool run_round(const Setting& setting, Prey& prey);

} // namespace storm
