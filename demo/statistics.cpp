// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "statistics.hpp"

#include "setting.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/ranges.h>
#include <fstream>

namespace demo {

Statistics read_statistics() {
    Statistics statistics;
    for (const auto& file : std::filesystem::directory_iterator{"/sys/class/misc/ucmad/stats"})
        std::ifstream{file.path()} >> statistics[file.path().filename()];
    return statistics;
}

void nothing_left(Report& report) {
    constexpr std::array<std::string_view, 5> living{"files", "objects", "events", "cm_ids",
                                                     "sends"};
    Statistics statistics;
    const bool all_gone = wait_until([&] {
        statistics = read_statistics();
        return std::ranges::all_of(living, [&](std::string_view name) {
            const auto found = statistics.find(std::string{name});
            return found != statistics.end() && found->second == 0;
        });
    });
    std::vector<std::string> now;
    std::vector<std::string> ever;
    for (const auto& [name, value] : statistics) {
        auto& list = std::ranges::find(living, name) != living.end() ? now : ever;
        list.push_back(fmt::format("{} {}", name, value));
    }
    report.expect(all_gone, "nothing is left", "{}; since it was loaded: {}", fmt::join(now, ", "),
                  fmt::join(ever, ", "));
}

} // namespace demo
