// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "stats.hpp"

#include "wait.hpp"

#include <fstream>

namespace vm {

unsigned long statistic(const std::string& name) {
    std::ifstream file("/sys/class/misc/ucmad/stats/" + name);
    unsigned long value = 0;
    must(static_cast<bool>(file >> value), "the module has no counter " + name);
    return value;
}

std::string leftovers() {
    std::string text;
    for (const char* name : {"files", "objects", "events", "cm_ids", "sends"}) {
        if (const unsigned long value = statistic(name)) {
            text += std::string(name) + '=' + std::to_string(value) + ' ';
        }
    }
    return text;
}

bool all_gone() {
    return eventually([] { return leftovers().empty(); });
}

} // namespace vm
