// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Storms: everything that there is to do, at random, from many threads and processes, while
// processes are killed, a device comes and goes, memory is short, and somebody tries to unload the
// module. Runs in a guest, as root, with the module loaded and nobody else using it.
#include "../vm/support/connection.hpp"
#include "board.hpp"
#include "operations.hpp"
#include "round.hpp"
#include "summary.hpp"
#include "watchdog.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <iostream>

namespace {

struct Options {
    std::vector<std::uint64_t> seeds;
    double seconds = 10;
    double minutes = 0;
    std::size_t rounds = 1;
    storm::Setting setting;
    bool calls = false;
};

void add_options(CLI::App& app, Options& options) {
    app.add_option("--seed", options.seeds, "a round for each of these (default: one at random)")
        ->delimiter(',');
    app.add_option("--rounds", options.rounds, "how often each (1)");
    app.add_option("--minutes", options.minutes, "new seeds until so much time is over");
    app.add_option("--seconds", options.seconds, "how long a round storms (10)");
    app.add_option("--processes", options.setting.processes, "at a time (3)");
    app.add_option("--threads", options.setting.plan.threads, "of a process (3)");
    app.add_option("--files", options.setting.plan.files, "of a process (2)");
    const auto without = [&](const char* name, bool& danger, const char* text) {
        app.add_flag_callback(
            std::string("--no-") + name, [&danger] { danger = false; }, text);
    };
    storm::Dangers& dangers = options.setting.dangers;
    without("kill", dangers.kill, "kill no processes");
    without("removal", dangers.removal, "remove no device");
    app.add_flag("--link", dangers.link, "take the device's network interface down, too");
    without("hog", dangers.hog, "leave them all the memory");
    without("unload", dangers.unload, "do not try to unload the module in use");
    app.add_flag("--calls", options.calls, "show at the end what each call has said");
}

class Storms {
public:
    explicit Storms(const Options& options) : options_(options), setting_(options.setting) {
        setting_.time = std::chrono::duration_cast<vm::Duration>(
            std::chrono::duration<double>(options.seconds));
        if (const char* module = std::getenv("UCMAD_MODULE")) {
            setting_.module = module;
        }
    }

    // Until one has failed.
    bool run() {
        std::vector<std::uint64_t> seeds = options_.seeds;
        std::uint64_t next = std::random_device()();
        if (seeds.empty()) {
            seeds.push_back(next++);
        }
        for (const std::uint64_t seed : seeds) {
            for (std::size_t i = 0; i < options_.rounds; ++i) {
                if (!round(seed)) {
                    return false;
                }
            }
        }
        const auto end = vm::Clock::now() + std::chrono::duration<double>(options_.minutes * 60);
        while (vm::Clock::now() < end) {
            if (!round(next++)) {
                return false;
            }
        }
        return true;
    }

private:
    // The seed is shown first: the kernel may not live to see the end.
    bool round(std::uint64_t seed) {
        setting_.plan.seed = seed;
        std::cout << "seed " << seed << " begins" << std::endl;
        return storm::run_round(setting_, prey_);
    }

    const Options options_;
    storm::Setting setting_;
    const storm::Watchdog watchdog_;
    storm::Prey prey_;
};

// What is made at its first use, before anybody forks: all processes are to share it, and a process
// must not be forked while one of its threads is at it.
void prepare() {
    storm::board();
    vm::Random random(0, 0);
    storm::pick_operation(random);
    vm::new_qp_number();
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Storms over the module");
    Options options;
    add_options(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        prepare();
        const bool passed = Storms(options).run();
        storm::print_summary(options.calls);
        return passed ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
