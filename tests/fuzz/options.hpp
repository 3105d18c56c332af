// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The command line.
#pragma once

#include <cstdint>
#include <filesystem>

namespace fuzz {

struct Options {
    std::uint64_t seed = 0;
    unsigned seconds = 0;
    std::filesystem::path corpus;
    std::filesystem::path save;
    std::filesystem::path replay;
    bool minimize = false;
};

// Ends the program for --help and for what it does not understand.
Options parse_options(int argc, char** argv);

} // namespace fuzz
