// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Sequences in a directory, a file each.
#pragma once

#include "sequence.hpp"

#include <filesystem>

namespace fuzz {

// In the order of their names; nothing if there is no directory.
std::vector<Sequence> load_corpus(const std::filesystem::path& directory);

// Instead of those that are there. A file is named after what is in it.
void save_corpus(const std::filesystem::path& directory, const std::vector<Sequence>& corpus);

} // namespace fuzz
