// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "minimize.hpp"

#include <algorithm>

namespace fuzz {

namespace {

using Places = std::unordered_set<std::uint64_t>;

// So many may be chosen besides those that are kept, the best first: a corpus is to be read, too.
constexpr std::size_t most = 48;

struct Candidate {
    Sequence sequence;
    Places places;
};

std::size_t count_new(const Places& places, const Places& reached) {
    return static_cast<std::size_t>(std::ranges::count_if(
        places, [&](std::uint64_t place) { return !reached.contains(place); }));
}

class Minimizer {
public:
    explicit Minimizer(Judge& judge) : judge_(judge) {}

    std::vector<Sequence> run(const std::vector<Sequence>& corpus, std::size_t kept) {
        measure(corpus);
        std::vector<Sequence> result;
        for (std::size_t i = 0; i < std::min(kept, candidates_.size()); ++i) {
            take(i, false, result);
        }
        while (result.size() < most && !judge_.failed()) {
            const auto best = std::ranges::max_element(
                candidates_, {}, [&](const Candidate& c) { return count_new(c.places, reached_); });
            if (best == candidates_.end() || !count_new(best->places, reached_)) {
                break;
            }
            take(static_cast<std::size_t>(best - candidates_.begin()), true, result);
        }
        return result;
    }

private:
    // What it reaches every time.
    Places places_of(const Sequence& sequence) {
        judge_.run(sequence);
        Places places = judge_.coverage().places();
        judge_.run(sequence);
        std::erase_if(places, [&](std::uint64_t place) {
            return !judge_.coverage().places().contains(place);
        });
        return places;
    }

    void measure(const std::vector<Sequence>& corpus) {
        for (const Sequence& sequence : corpus) {
            if (judge_.failed()) {
                return;
            }
            candidates_.push_back({sequence, places_of(sequence)});
        }
    }

    void take(std::size_t index, bool shorter, std::vector<Sequence>& result) {
        const Candidate& candidate = candidates_[index];
        Places needed = candidate.places;
        std::erase_if(needed, [&](std::uint64_t place) { return reached_.contains(place); });
        if (needed.empty()) {
            return;
        }
        result.push_back(shorter ? shorten(candidate.sequence, needed) : candidate.sequence);
        // Not all that the candidate has reached: the shortened one may not.
        reached_.insert(needed.begin(), needed.end());
    }

    bool still_reaches(const Sequence& sequence, const Places& needed) {
        for (int i = 0; i < 2; ++i) {
            if (!judge_.run(sequence) || !judge_.coverage().contains_places(needed)) {
                return false;
            }
        }
        return true;
    }

    Sequence shorten(Sequence sequence, const Places& needed) {
        for (std::size_t i = sequence.size(); i-- > 0;) {
            Sequence less = sequence;
            remove(less, i);
            if (still_reaches(less, needed)) {
                sequence = std::move(less);
            }
        }
        for (std::size_t i = 0; i < sequence.size(); ++i) {
            simplify(sequence, i, needed);
        }
        return sequence;
    }

    // One operation, in fewer words.
    void simplify(Sequence& sequence, std::size_t at, const Places& needed) {
        Sequence simpler = sequence;
        simpler[at].beside = false;
        if (sequence[at].beside && still_reaches(simpler, needed)) {
            sequence = simpler;
        }
        for (std::size_t i = sequence[at].settings.size(); i-- > 0;) {
            simpler = sequence;
            auto& settings = simpler[at].settings;
            settings.erase(settings.begin() + static_cast<std::ptrdiff_t>(i));
            if (still_reaches(simpler, needed)) {
                sequence = simpler;
            }
        }
    }

    Judge& judge_;
    std::vector<Candidate> candidates_;
    Places reached_;
};

} // namespace

std::vector<Sequence> minimize(Judge& judge, const std::vector<Sequence>& corpus,
                               std::size_t kept) {
    return Minimizer(judge).run(corpus, kept);
}

} // namespace fuzz
