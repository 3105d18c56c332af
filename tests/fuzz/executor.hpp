// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Runs sequences.
#pragma once

#include "helper.hpp"
#include "results.hpp"
#include "worker.hpp"

#include <atomic>

namespace fuzz {

class Executor {
public:
    // Runs a sequence; all its files are closed afterwards. Returns what was wrong with it as
    // far as calls tell, or nothing.
    std::string run(const Sequence& sequence);

    // What the last one has reached.
    const Coverage& coverage() const { return coverage_; }

private:
    void run_group(std::size_t begin, std::size_t beside_end, std::size_t end);
    void run_some(Worker& worker, std::size_t begin, std::size_t end);
    void run_op(Worker& worker, std::size_t at, std::size_t own_begin);
    std::vector<Value> values_of(const Op& op, std::size_t at, std::size_t own_begin) const;
    int fd_of(const Op& op);
    void close_file(Worker& worker, std::uint8_t file);
    void note(Worker& worker, std::size_t at, const Worker::Answer& answer);

    Worker main_;
    Helper helper_;
    const Sequence* sequence_ = nullptr;
    std::size_t group_begin_ = 0;
    std::uint64_t number_ = 0; // of the sequence
    std::array<std::atomic<int>, file_count> fds_{-1, -1, -1};
    std::array<std::atomic<bool>, file_count> was_closed_{};
    std::vector<Results> results_;
    std::vector<std::string> wrong_;
    Coverage coverage_;
};

} // namespace fuzz
