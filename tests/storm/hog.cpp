// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "hog.hpp"

#include "cgroup.hpp"

#include <fstream>
#include <thread>
#include <vector>

namespace storm {

using namespace std::chrono_literals;

void hog_memory() {
    constexpr std::size_t piece = std::size_t{1} << 20;
    // Of all in the group, this one is to die if somebody must.
    std::ofstream("/proc/self/oom_score_adj") << 1000 << std::flush;
    std::vector<std::vector<char>> pieces;
    for (;;) {
        if (memory_of_storm() + 2 * piece > hog_limit && !pieces.empty()) {
            pieces.pop_back();
            std::this_thread::sleep_for(10ms);
        } else {
            pieces.emplace_back(piece, 'x');
        }
    }
}

} // namespace storm
