// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A fuzzer of the module's ABI. Documentation/testing.rst says how to run it.
#include "corpus.hpp"
#include "judge.hpp"
#include "minimize.hpp"
#include "mutate.hpp"
#include "options.hpp"
#include "text.hpp"

#include <chrono>
#include <exception>
#include <iostream>

namespace fuzz {
namespace {

using Clock = std::chrono::steady_clock;

void say(Judge& judge, const std::string& what, Clock::time_point began) {
    const std::chrono::duration<double> time = Clock::now() - began;
    std::cout << what << ": " << judge.runs() << " runs in " << static_cast<int>(time.count())
              << " s, " << judge.total().places().size() << " places, " << judge.total().ways()
              << " ways" << std::endl;
}

bool replay(Judge& judge, const std::vector<Sequence>& sequences) {
    for (const Sequence& sequence : sequences) {
        if (!judge.run(sequence)) {
            return false;
        }
    }
    return judge.check_counters() && !judge.failed();
}

// What has reached something new is what to begin with the next time.
const Sequence& choose(vm::Random& random, const std::vector<Sequence>& corpus) {
    static const Sequence none;
    if (corpus.empty()) {
        return none;
    }
    // The newest more often: what comes next to them is unknown.
    const std::size_t newest = std::max<std::size_t>(corpus.size() / 4, 1);
    return random.once_in(3) ? corpus[corpus.size() - 1 - random.below(newest)] : random.of(corpus);
}

void search(Judge& judge, const Options& options, std::vector<Sequence>& corpus) {
    vm::Random random(options.seed);
    const auto began = Clock::now();
    const auto deadline = began + std::chrono::seconds(options.seconds);
    auto told = began;
    while (Clock::now() < deadline) {
        Sequence sequence = mutate(random, choose(random, corpus), choose(random, corpus));
        if (sequence.empty()) {
            continue;
        }
        if (!judge.run(sequence)) {
            return;
        }
        if (judge.found_new()) {
            corpus.push_back(std::move(sequence));
        }
        if (Clock::now() - told > std::chrono::seconds(30)) {
            told = Clock::now();
            say(judge, "so far", began);
        }
    }
    judge.check_counters();
    say(judge, "searched", began);
}

int fuzz_all(Judge& judge, const Options& options) {
    std::vector<Sequence> corpus = load_corpus(options.corpus);
    const std::size_t old = corpus.size();
    const auto began = Clock::now();
    if (!replay(judge, corpus)) {
        return 1;
    }
    say(judge, "replayed " + std::to_string(old) + " sequences", began);
    search(judge, options, corpus);
    const std::size_t reached = judge.total().places().size();
    if (options.minimize && !judge.failed()) {
        const std::vector<Sequence> fewer = minimize(judge, corpus, old);
        if (!judge.failed()) {
            save_corpus(options.save / "corpus", fewer);
            say(judge,
                "saved " + std::to_string(fewer.size()) + " of " + std::to_string(corpus.size()) +
                    " sequences",
                began);
        }
    }
    std::cout << "reached " << reached << " places" << std::endl;
    return judge.failed() ? 1 : 0;
}

int fuzz_one(Judge& judge, const Options& options) {
    const std::vector<Sequence> sequences = read_sequences(options.replay);
    const auto began = Clock::now();
    for (int i = 0; i < 100; ++i) {
        if (!replay(judge, sequences)) {
            return 1;
        }
    }
    say(judge, "replayed a hundred times", began);
    return 0;
}

int job(const Options& options, Progress& progress) try {
    Judge judge(progress, options.save);
    return options.replay.empty() ? fuzz_all(judge, options) : fuzz_one(judge, options);
} catch (const std::exception& error) {
    std::cerr << "ucmad-fuzz: " << error.what() << std::endl;
    return 1;
}

} // namespace
} // namespace fuzz

int main(int argc, char** argv) try {
    const fuzz::Options options = fuzz::parse_options(argc, argv);
    return fuzz::watch([&](fuzz::Progress& progress) { return fuzz::job(options, progress); },
                       [&](const fuzz::Progress& progress, const std::string& why) {
                           fuzz::write_finding(options.save, progress.number(), why,
                                               progress.text());
                       });
} catch (const std::exception& error) {
    std::cerr << "ucmad-fuzz: " << error.what() << '\n';
    return 1;
}
