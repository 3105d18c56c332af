// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// MADs through ucmad, through libibumad, and straight through verbs, in one run with one responder.
#include "measure.hpp"
#include "report.hpp"
#include "requester.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <exception>
#include <fstream>
#include <thread>
#include <utility>

namespace bench {

ucmad::Mad request(ucmad::MadMethod method, std::uint64_t transaction_id) {
    ucmad::Mad mad{};
    ucmad::MadHeader{
        .mgmt_class = responder_class, .method = method, .transaction_id = transaction_id}
        .write(mad);
    ucmad::VendorMad::set_oui(mad, ucmad::Ping::oui);
    return mad;
}

namespace {

struct Plan {
    std::string device = "rxe0";
    std::string json = "mad.json";
    bool quick = false;

    [[nodiscard]] std::size_t repetitions() const { return quick ? 1 : 5; }
    [[nodiscard]] std::size_t requests(std::size_t depth) const {
        if (quick)
            return 2 * depth;
        return depth == 1 ? 3000 : std::max<std::size_t>(10000, 8 * depth);
    }
    [[nodiscard]] std::vector<std::size_t> outstanding() const {
        return quick ? std::vector<std::size_t>{16, 256}
                     : std::vector<std::size_t>{16, 1024, 16384, 65536};
    }
};

Target target(const std::string& device, std::uint16_t index) {
    std::ifstream file{"/sys/class/infiniband/" + device + "/ports/1/gids/" +
                       std::to_string(index)};
    std::string text;
    if (!std::getline(file, text))
        throw std::runtime_error("no GID " + std::to_string(index) + " of " + device);
    return {device, index, ucmad::Gid::parse(text)};
}

const char* kind(const Target& target) { return target.gid.is_ipv4_mapped() ? "ipv4" : "ipv6"; }

/// Medians over the repetitions; lost requests of all of them.
Cost repeated(Requester& requester, std::size_t depth, const Plan& plan) {
    std::vector<double> elapsed;
    std::vector<double> cpu;
    std::vector<double> machine;
    std::size_t lost = 0;
    for (std::size_t i = 0; i < plan.repetitions(); ++i) {
        const Cost cost = request_cost(requester, depth, plan.requests(depth));
        elapsed.push_back(cost.elapsed);
        cpu.push_back(cost.cpu);
        machine.push_back(cost.machine);
        lost += cost.lost;
    }
    return {median(elapsed), median(cpu), median(machine), lost};
}

class Benchmark {
public:
    explicit Benchmark(Plan plan) : plan_(std::move(plan)) {}

    void run() {
        print_heading();
        for (const std::uint16_t index : {std::uint16_t{0}, std::uint16_t{1}}) {
            const Target to = target(plan_.device, index);
            for (const std::size_t depth : {1U, 16U, 256U, 4096U})
                requests(to, depth);
            for (const std::size_t count : plan_.outstanding())
                outstanding(to, count);
        }
        print_ratios(rows_);
        write_json(rows_, plan_.json);
    }

private:
    void add(Row row) {
        print(row);
        rows_.push_back(std::move(row));
    }

    void requests(const Target& to, std::size_t depth) {
        const std::string gid = kind(to);
        const Cost ours = repeated(*ucmad_requester(to, depth), depth, plan_);
        // ib_mad does not find what a response over IPv4 is for.
        std::optional<Cost> umad;
        if (!to.gid.is_ipv4_mapped())
            umad = repeated(*umad_requester(to), depth, plan_);
        const Cost blocking = repeated(*verbs_requester(to, depth, true), depth, plan_);
        const Cost polling = repeated(*verbs_requester(to, depth, false), depth, plan_);
        const auto of = [&](auto member) {
            return umad ? std::optional<double>(static_cast<double>((*umad).*member))
                        : std::nullopt;
        };
        add({"request", depth, gid, "time", "us", ours.elapsed, of(&Cost::elapsed),
             blocking.elapsed});
        add({"request", depth, gid, "CPU time", "us", ours.cpu, of(&Cost::cpu), blocking.cpu});
        add({"request", depth, gid, "CPU time, machine", "us", ours.machine, of(&Cost::machine),
             blocking.machine});
        add({"request", depth, gid, "lost", "requests", static_cast<double>(ours.lost),
             of(&Cost::lost), static_cast<double>(blocking.lost)});
        add({"polling", depth, gid, "time", "us", {}, {}, polling.elapsed});
    }

    /// What a call costs while so many requests are outstanding that nobody answers.
    struct Calls {
        std::optional<double> post, match, cancel, memory;
    };

    static constexpr std::size_t calls = 1000;

    [[nodiscard]] Calls calls_of(Outstanding& requester, std::size_t count, bool answered) const {
        Calls result;
        const double before = slab_bytes();
        for (std::size_t i = 0; i < count; ++i)
            requester.post_unanswered();
        result.memory = (slab_bytes() - before) / static_cast<double>(count);
        settle();
        std::vector<double> post;
        std::vector<double> match;
        std::vector<double> cancel;
        for (std::size_t i = 0; i < plan_.repetitions(); ++i) {
            post.push_back(call_cost([&] { requester.post_unanswered(); }, calls));
            settle();
            if (answered)
                match.push_back(request_cost(requester, 1, calls).elapsed);
            if (requester.can_cancel()) {
                cancel.push_back(call_cost([&] { requester.cancel_last(); }, calls));
                drain(requester);
            }
        }
        result.post = median(post);
        if (answered)
            result.match = median(match);
        if (requester.can_cancel())
            result.cancel = median(cancel);
        return result;
    }

    /// The completions of what was cancelled.
    static void drain(Requester& requester) {
        for (std::size_t ended = 0; ended < calls;)
            ended += requester.wait().lost;
    }

    /// What was sent has arrived, and is dropped: that is not to be measured.
    void settle() const {
        std::this_thread::sleep_for(std::chrono::milliseconds{plan_.quick ? 100 : 1000});
    }

    /// None if it cannot have so many outstanding.
    [[nodiscard]] std::optional<Calls> umad_calls(const Target& to, std::size_t count) const {
        try {
            return calls_of(*umad_requester(to), count, !to.gid.is_ipv4_mapped());
        } catch (const std::system_error& error) {
            fmt::print("libibumad with {} outstanding: {}\n", count, error.what());
            return std::nullopt;
        }
    }

    void outstanding(const Target& to, std::size_t count) {
        const std::string gid = kind(to);
        const Calls ours = calls_of(*ucmad_requester(to, calls), count, true);
        const std::optional<Calls> umad = umad_calls(to, count);
        const auto of = [&](auto member) {
            return umad ? (*umad).*member : std::optional<double>{};
        };
        add({"outstanding", count, gid, "post (CPU)", "us", ours.post, of(&Calls::post), {}});
        add({"outstanding",
             count,
             gid,
             "match (round trip)",
             "us",
             ours.match,
             of(&Calls::match),
             {}});
        add({"outstanding", count, gid, "cancel (CPU)", "us", ours.cancel, of(&Calls::cancel), {}});
        // What is made once would count for much where there are few.
        if (count >= 16384)
            add({"outstanding",
                 count,
                 gid,
                 "memory of a send",
                 "bytes",
                 ours.memory,
                 of(&Calls::memory),
                 {}});
    }

    const Plan plan_;
    std::vector<Row> rows_;
};

/// One requester alone, for a profiler to look at.
struct Single {
    std::string peer;
    std::size_t depth = 1;
    std::size_t requests = 10000;

    void run(const std::string& device) const {
        const Target to = target(device, 0);
        const Cost cost = request_cost(*requester(to), depth, requests);
        fmt::print("{}, depth {}: {:.0f} us, CPU {:.0f} us, machine {:.0f} us, {} lost\n", peer,
                   depth, cost.elapsed, cost.cpu, cost.machine, cost.lost);
    }

private:
    [[nodiscard]] std::unique_ptr<Requester> requester(const Target& to) const {
        if (peer == "ucmad")
            return ucmad_requester(to, depth);
        if (peer == "libibumad")
            return umad_requester(to);
        return verbs_requester(to, depth, true);
    }
};

} // namespace
} // namespace bench

int main(int argc, char** argv) try {
    bench::Plan plan;
    CLI::App app{
        "Measures MADs through ucmad, libibumad and verbs; bench/run starts it in a guest."};
    app.add_option("--device", plan.device, "RDMA device (rxe0)");
    app.add_option("--json", plan.json, "where the results go (mad.json)");
    app.add_flag("--quick", plan.quick, "only see that it works");
    bench::Single single;
    CLI::Option* only = app.add_option("--only", single.peer, "one of these alone, over IPv6");
    only->check(CLI::IsMember({"ucmad", "libibumad", "verbs"}));
    app.add_option("--depth", single.depth, "requests on their way, with --only (1)")
        ->check(CLI::Range(1, 4096))
        ->needs(only);
    app.add_option("--requests", single.requests, "how many in all, with --only (10000)")
        ->check(CLI::PositiveNumber)
        ->needs(only);
    CLI11_PARSE(app, argc, argv);
    if (*only)
        single.run(plan.device);
    else
        bench::Benchmark{plan}.run();
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "bench: {}\n", error.what());
    return 1;
}
