// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Runs sequences and says what is wrong after each.
#pragma once

#include "../vm/support/kernel_log.hpp"
#include "executor.hpp"
#include "watchdog.hpp"

#include <deque>
#include <filesystem>
#include <set>

namespace fuzz {

class Judge {
public:
    // Findings are written to `directory`, if that is not empty.
    Judge(Progress& progress, std::filesystem::path directory);
    Judge(const Judge&) = delete;
    Judge& operator=(const Judge&) = delete;
    ~Judge();

    // Runs it; returns whether it is worth while to go on.
    bool run(const Sequence& sequence);
    // Whether all is gone that should be.
    bool check_counters();

    const Coverage& coverage() const { return executor_.coverage(); }
    // All that was ever reached.
    const Coverage& total() const { return total_; }
    // Whether the last one has reached anything new.
    bool found_new() const { return found_new_; }
    std::uint64_t runs() const { return runs_; }
    bool failed() const { return !findings_.empty(); }

private:
    void announce(const std::string& text);
    void report(const std::string& why, const std::string& text);
    std::string recent_text() const;

    Progress& progress_;
    std::filesystem::path directory_;
    int current_ = -1; // the file "current"
    Executor executor_;
    vm::KernelLog log_;
    Coverage total_;
    std::deque<std::string> recent_; // since the counters were last seen at zero
    std::set<std::string> findings_;
    std::uint64_t runs_ = 0;
    bool found_new_ = false;
};

// Writes what was found where it can be replayed, and says so.
void write_finding(const std::filesystem::path& directory, std::uint64_t number,
                   const std::string& why, const std::string& text);

} // namespace fuzz
