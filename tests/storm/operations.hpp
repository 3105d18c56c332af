// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// All that a thread can do: a table of operations and how often each is picked.
#pragma once

#include "actor.hpp"

#include <span>

namespace storm {

using Operation = void (*)(Actor&);

struct Weighted {
    unsigned weight;
    Operation operation;
};

Operation pick_operation(vm::Random& random);

// The parts of the table.
std::span<const Weighted> file_operations();
std::span<const Weighted> cm_operations();
std::span<const Weighted> mad_operations();

// What objects of both kinds have.
void destroy(Actor& actor, Pool& pool);

} // namespace storm
