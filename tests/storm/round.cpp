// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "round.hpp"

#include "../vm/support/kernel_log.hpp"
#include "../vm/support/module.hpp"
#include "../vm/support/stats.hpp"
#include "board.hpp"
#include "trace.hpp"
#include "watchdog.hpp"

#include <algorithm>
#include <iostream>

namespace storm {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t hazards_stream = ~std::uint64_t{0};

struct Tally {
    std::size_t kills = 0;
    std::size_t refused_unloads = 0;
};

void clear_board() {
    board().over = false;
    board().scarce = false;
    board().faults = 0;
    std::ranges::for_each(board().activities, [](Activity& activity) { activity.thread = 0; });
}

// Hazards now and then, until time is over or something is wrong.
Tally rage(const Setting& setting, Prey& prey) {
    Crew crew(setting.plan, setting.processes);
    Hazards hazards(vm::Random(setting.plan.seed, hazards_stream), setting.dangers, crew, prey);
    const auto end = vm::Clock::now() + setting.time;
    while (!board().over && vm::Clock::now() < end) {
        hazards.pause();
        hazards.one();
    }
    board().over = true;
    crew.finish();
    return {crew.kills(), hazards.refused_unloads()};
}

// At once, whatever is still under way; or after a look whether anything is left.
void unload(const Setting& setting, bool at_once) {
    if (!at_once && !vm::all_gone()) {
        board().fault("DEL-EXIT: left in the module: " + vm::leftovers());
    }
    if (!setting.module.empty() && !vm::eventually([] { return vm::unload_module() == vm::ok; })) {
        board().fault("the module cannot be unloaded: " + vm::leftovers());
    }
}

void load(const Setting& setting) {
    if (!setting.module.empty() && !vm::module_is_loaded()) {
        vm::load_module(setting.module);
    }
}

Tally storm_and_unload(const Setting& setting, Prey& prey) {
    Tally tally;
    {
        const vm::File open; // the module is in use all the time
        tally = rage(setting, prey);
        if (vm::statistic("events_lost")) {
            board().fault("EV-NOLOSS: events_lost is not 0");
        }
    }
    unload(setting, setting.plan.seed % 2 == 0);
    return tally;
}

void print_faults() {
    const std::size_t count = std::min<std::size_t>(board().faults, max_faults);
    for (std::size_t i = 0; i < count; ++i) {
        std::cout << "FAILED: " << board().texts.at(i).data() << '\n';
    }
}

} // namespace

bool run_round(const Setting& setting, Prey& prey) {
    Watchdog::expect_next(setting.time + 3 * vm::limit());
    const vm::KernelLog log;
    const std::uint64_t calls = board().calls();
    const std::size_t removals = prey.removals();
    clear_board();
    storm::log("seed " + std::to_string(setting.plan.seed));
    Tally tally;
    try {
        tally = storm_and_unload(setting, prey);
        load(setting);
        prey.restore();
    } catch (const std::exception& error) {
        board().fault(error.what());
    }
    if (const std::string report = log.report(); !report.empty()) {
        board().fault("the kernel reports: " + report);
    }
    print_faults();
    std::cout << "seed " << setting.plan.seed << ": " << board().calls() - calls << " calls, "
              << tally.kills << " processes killed, " << prey.removals() - removals
              << " devices removed, " << tally.refused_unloads
              << " unloads refused: " << (board().faults ? "FAILED" : "passed") << std::endl;
    return board().faults == 0;
}

} // namespace storm
