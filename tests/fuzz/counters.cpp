// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counters.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace fuzz {

using namespace std::chrono_literals;

namespace {

// What a peer or a wire does in the background is over by then, even on an emulated processor.
constexpr auto patience = 30s;

} // namespace

Counters::Counters() {
    for (const char* name : {"files", "objects", "events", "cm_ids", "sends", "events_lost"}) {
        const std::string path = std::string("/sys/class/misc/ucmad/stats/") + name;
        counters_.push_back({name, open(path.c_str(), O_RDONLY | O_CLOEXEC)});
        if (counters_.back().fd == -1) {
            throw std::system_error(errno, std::generic_category(), path);
        }
    }
}

Counters::~Counters() {
    for (const Counter& counter : counters_) {
        close(counter.fd);
    }
}

std::string Counters::left() const {
    std::string text;
    for (const Counter& counter : counters_) {
        std::array<char, 32> value{};
        if (pread(counter.fd, value.data(), value.size() - 1, 0) < 1 ||
            std::strtol(value.data(), nullptr, 10) != 0) {
            text += counter.name + '=' + value.data();
            text.back() = ' '; // was a line end
        }
    }
    return text;
}

std::string Counters::wait_for_zero() const {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    std::string text = left();
    while (!text.empty() && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(1ms);
        text = left();
    }
    return text;
}

} // namespace fuzz
