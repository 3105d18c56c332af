// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Sequences as text: an operation a line, and an empty line between sequences.
//
//     cm_create f0
//     cm_listen f0 object=#0 service_id=$1
//     & destroy f0 object=#0              in a second thread, while the next one runs
//     cm_query f0 object=#0
#pragma once

#include "sequence.hpp"

#include <filesystem>
#include <iosfwd>

namespace fuzz {

std::string to_text(const Sequence& sequence);

// Throws std::runtime_error for what is no sequence.
std::vector<Sequence> read_sequences(std::istream& in);
std::vector<Sequence> read_sequences(const std::filesystem::path& file);

} // namespace fuzz
