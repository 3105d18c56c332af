// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "judge.hpp"

#include "../vm/support/stats.hpp"
#include "../vm/support/wait.hpp"
#include "text.hpp"

#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace fuzz {

namespace {

// The module frees much of what it has some time later, so waiting after each sequence would
// take longer than the sequences.
constexpr std::size_t check_interval = 16;
constexpr std::size_t enough_findings = 8;

// What a peer or a wire does in the background is over by then, even on an emulated processor.
constexpr auto patience = std::chrono::seconds(30);

// The module's counters that should be zero and are not, as text.
std::string left() {
    const unsigned long lost = vm::statistic("events_lost");
    return vm::leftovers() + (lost ? "events_lost=" + std::to_string(lost) + ' ' : "");
}

} // namespace

void write_finding(const std::filesystem::path& directory, std::uint64_t number,
                   const std::string& why, const std::string& text) {
    std::cout << "finding in sequence " << number << ": " << why << '\n' << text << std::endl;
    if (!directory.empty()) {
        const auto file = directory / ("finding-" + std::to_string(number) + ".txt");
        std::ofstream(file) << "# " << why << '\n' << text;
        std::cout << "replay with: tests/fuzz/run --replay " << file.string() << std::endl;
    }
}

Judge::Judge(Progress& progress, std::filesystem::path directory)
    : progress_(progress), directory_(std::move(directory)) {
    if (!directory_.empty()) {
        std::filesystem::create_directories(directory_);
        current_ =
            open((directory_ / "current").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    }
}

Judge::~Judge() { close(current_); }

void Judge::announce(const std::string& text) {
    progress_.begin(runs_, text);
    // Outside of the guest, so that it is there even if the kernel dies. What was longer before
    // stays behind the end.
    const std::string ended = text + "# end\n";
    if (current_ != -1 &&
        pwrite(current_, ended.data(), ended.size(), 0) != static_cast<ssize_t>(ended.size())) {
        std::cerr << "cannot write what is being run\n";
    }
}

std::string Judge::recent_text() const {
    std::string text;
    for (const std::string& one : recent_) {
        text += one + '\n';
    }
    return text;
}

// The same mistake is told once.
void Judge::report(const std::string& why, const std::string& text) {
    if (findings_.insert(why.substr(why.find(',') + 1)).second) {
        write_finding(directory_, runs_, why, text);
    }
}

bool Judge::run(const Sequence& sequence) {
    ++runs_;
    const std::string text = to_text(sequence);
    announce(text);
    recent_.push_back(text);
    const std::string wrong = executor_.run(sequence);
    found_new_ = total_.add(executor_.coverage());
    if (!wrong.empty()) {
        report(wrong, text);
    }
    // After a report the kernel may no longer be able to make another, so this is the end.
    if (const std::string line = log_.report(); !line.empty()) {
        report("the kernel reports: " + line, recent_text());
        return false;
    }
    if (recent_.size() >= check_interval && !check_counters()) {
        return false;
    }
    return findings_.size() < enough_findings;
}

bool Judge::check_counters() {
    std::string seen;
    const auto none_left = [&seen] {
        seen = left();
        return seen.empty();
    };
    const bool clean = vm::eventually(none_left, patience);
    progress_.beat();
    if (!clean) {
        report("all files are closed, but there is " + seen, recent_text());
        return false;
    }
    recent_.clear();
    return true;
}

} // namespace fuzz
