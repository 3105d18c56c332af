// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The module's counters of what lives, which are zero while nobody has a file open.
#pragma once

#include <string>
#include <vector>

namespace fuzz {

class Counters {
public:
    Counters();
    Counters(const Counters&) = delete;
    Counters& operator=(const Counters&) = delete;
    ~Counters();

    // Waits, though not for ever, until all are zero. Returns those that are not, as text.
    std::string wait_for_zero() const;

private:
    struct Counter {
        std::string name;
        int fd;
    };

    std::string left() const;

    std::vector<Counter> counters_;
};

} // namespace fuzz
