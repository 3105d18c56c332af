// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// The table that people read, and build/bench/mad.json.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// One line; no value: that peer cannot do it.
struct Row {
    std::string name; ///< Of the case.
    std::size_t depth = 0;
    std::string gid;
    std::string metric;
    std::string unit;
    std::optional<double> ucmad{}, libibumad{}, verbs{};
};

void print_heading();
void print(const Row& row);
void write_json(const std::vector<Row>& rows, const std::string& file);

/// The ratios that the project has promised, and whether this run keeps them.
void print_ratios(const std::vector<Row>& rows);

} // namespace bench
