// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
}

double cpu_now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
}

double thread_cpu_now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// Time that processors were not idle, from /proc/stat.
double machine_cpu_now() {
    std::ifstream file{"/proc/stat"};
    std::string name;
    file >> name;
    // user, nice, system, idle, iowait, irq, softirq: in ticks since the start.
    double busy = 0;
    double ticks = 0;
    for (int column = 0; column < 7 && file >> ticks; ++column)
        if (column != 3 && column != 4)
            busy += ticks;
    return busy * 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Sends `total`, never more than `depth` at a time; returns how many were lost.
std::size_t exchange(Requester& requester, std::size_t depth, std::size_t total) {
    std::size_t lost = 0;
    std::size_t sent = std::min(depth, total);
    std::size_t ended = 0;
    requester.send(sent);
    while (ended < total) {
        const Ended now = requester.wait();
        const std::size_t count = now.answered + now.lost;
        const std::size_t more = std::min(count, total - sent);
        lost += now.lost;
        ended += count;
        sent += more;
        if (more > 0)
            requester.send(more);
    }
    return lost;
}

} // namespace

Cost request_cost(Requester& requester, std::size_t depth, std::size_t total) {
    exchange(requester, depth, std::max(depth, total / 10)); // what is made on demand is made now
    const auto start = Clock::now();
    const double cpu_start = cpu_now();
    const double machine_start = machine_cpu_now();
    const std::size_t lost = exchange(requester, depth, total);
    const double cpu = cpu_now() - cpu_start;
    const double machine = machine_cpu_now() - machine_start;
    const std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
    const auto count = static_cast<double>(total);
    return {elapsed.count() / count, cpu / count, machine / count, lost};
}

double call_cost(const std::function<void()>& call, std::size_t count) {
    const double start = thread_cpu_now();
    for (std::size_t i = 0; i < count; ++i)
        call();
    return (thread_cpu_now() - start) / static_cast<double>(count);
}

double median(std::vector<double> values) {
    if (values.empty())
        throw std::invalid_argument("the median of nothing");
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

double slab_bytes() {
    std::ifstream file{"/proc/meminfo"};
    for (std::string name; file >> name;
         file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
        double kilobytes = 0;
        if (name == "Slab:" && file >> kilobytes)
            return kilobytes * 1024;
    }
    throw std::runtime_error("/proc/meminfo says no Slab");
}

} // namespace bench
