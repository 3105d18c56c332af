// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "report.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

std::string text_of(const std::optional<double>& value) {
    return value ? fmt::format("{:.2f}", *value) : "cannot";
}

nlohmann::json json_of(const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

const Row* find(const std::vector<Row>& rows, const std::string& name, std::size_t depth,
                const std::string& gid, const std::string& metric) {
    const auto row = std::ranges::find_if(rows, [&](const Row& each) {
        return each.name == name && each.depth == depth && each.gid == gid && each.metric == metric;
    });
    return row == rows.end() ? nullptr : &*row;
}

void print_ratio(const std::string& what, std::optional<double> value, std::optional<double> base,
                 double limit) {
    if (!value || !base || *base == 0)
        return;
    const double ratio = *value / *base;
    fmt::print("  {:<58} {:6.2f}  (at most {:.2f}){}\n", what, ratio, limit,
               ratio <= limit ? "" : "  MISSED");
}

} // namespace

void print_heading() {
    fmt::print("{:<12} {:>6} {:<5} {:<24} {:>10} {:>10} {:>10}  {}\n", "case", "depth", "gid",
               "metric", "ucmad", "libibumad", "verbs", "unit");
}

void print(const Row& row) {
    fmt::print("{:<12} {:>6} {:<5} {:<24} {:>10} {:>10} {:>10}  {}\n", row.name, row.depth, row.gid,
               row.metric, text_of(row.ucmad), text_of(row.libibumad), text_of(row.verbs),
               row.unit);
    (void)std::fflush(stdout);
}

void write_json(const std::vector<Row>& rows, const std::string& file) {
    nlohmann::json list = nlohmann::json::array();
    for (const Row& row : rows)
        list.push_back({{"case", row.name},
                        {"depth", row.depth},
                        {"gid", row.gid},
                        {"metric", row.metric},
                        {"unit", row.unit},
                        {"ucmad", json_of(row.ucmad)},
                        {"libibumad", json_of(row.libibumad)},
                        {"verbs", json_of(row.verbs)}});
    std::ofstream out{file};
    out << list.dump(2) << '\n';
    if (!out.flush())
        throw std::runtime_error("cannot write " + file);
}

void print_ratios(const std::vector<Row>& rows) {
    fmt::print("\nratios\n");
    const auto time = [&](std::size_t depth, const char* metric) {
        const Row* row = find(rows, "request", depth, "ipv6", metric);
        return row != nullptr ? *row : Row{};
    };
    const Row one = time(1, "time");
    const Row many = time(256, "time");
    const Row flood = time(4096, "time");
    print_ratio("time of a request, depth 1, to libibumad", one.ucmad, one.libibumad, 0.5);
    print_ratio("time of a request, depth 1, to verbs", one.ucmad, one.verbs, 1.3);
    print_ratio("time of a request, depth 256, to libibumad", many.ucmad, many.libibumad, 1 / 3.);
    print_ratio("time of a request, depth 256, to verbs", many.ucmad, many.verbs, 1 / 0.75);
    print_ratio("time of a request, depth 4096, to libibumad", flood.ucmad, flood.libibumad,
                1 / 3.);
    for (const std::size_t depth : {1U, 16U, 256U, 4096U}) {
        const Row cpu = time(depth, "CPU time");
        print_ratio(fmt::format("CPU time of a request, depth {}, to libibumad", depth), cpu.ucmad,
                    cpu.libibumad, 0.7);
        const Row machine = time(depth, "CPU time, machine");
        print_ratio(fmt::format("  the same of the whole machine, depth {}", depth), machine.ucmad,
                    machine.libibumad, 0.7);
    }
    for (const char* metric : {"post (CPU)", "match (round trip)", "cancel (CPU)"}) {
        const Row* few = find(rows, "outstanding", 16, "ipv6", metric);
        const Row* most = find(rows, "outstanding", 65536, "ipv6", metric);
        if (few != nullptr && most != nullptr)
            print_ratio(fmt::format("{}, 65536 outstanding, to 16", metric), most->ucmad,
                        few->ucmad, 1.2);
    }
}

} // namespace bench
