// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ucmad mad ping, ucmad mad respond: the two ends of the vendor ping, which ibping speaks, too.
#include "latency_report.hpp"
#include "mad_session.hpp"
#include "verbs.hpp"

#include <unistd.h>

namespace ucmad::tool {
namespace {

using Clock = std::chrono::steady_clock;

struct MadPingOptions {
    MadOptions mad;
    MadDestination destination;
    std::uint64_t count = 0; ///< 0: until Ctrl-C.
    std::chrono::nanoseconds interval = std::chrono::seconds{1};
    bool quiet = false;
};

std::string host_name() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

/// Sends one ping at a time, and keeps the account.
class MadPinger {
public:
    MadPinger(const MadPingOptions& options, const Output& output)
        : options_(options), session_(options.mad, output),
          to_(session_.address_of(options.destination)), client_(session_.client({})) {}

    ExitStatus run() {
        Clock::time_point next = Clock::now();
        for (std::uint64_t n = 1; options_.count == 0 || n <= options_.count; ++n) {
            if (!session_.run([] { return false; },
                              std::max(no_wait, Timeout{next - Clock::now()})))
                break;
            next = std::max(next + options_.interval, Clock::now());
            if (!ping(n))
                break;
        }
        tell_statistics();
        return latency_.count() > 0 && lost_ == 0 ? ExitStatus::success : ExitStatus::no_answer;
    }

private:
    /// False: Ctrl-C.
    bool ping(std::uint64_t number) {
        const Clock::time_point sent_at = Clock::now();
        std::optional<MadResult> result;
        Clock::time_point ended_at;
        client_.post(Ping::request(), to_, options_.mad.patience, [&](MadResult ended) {
            ended_at = Clock::now();
            result = std::move(ended);
        });
        if (!session_.run([&] { return result.has_value(); })) {
            client_.deregister(); // the handler is of this call
            return false;
        }
        if (result->error())
            tell_lost(number, *result);
        else
            tell_answer(number, *result, ended_at - sent_at);
        return true;
    }

    void tell_answer(std::uint64_t number, const MadResult& result, Clock::duration time) {
        const MadHeader header = MadHeader::read(result.mad);
        if (header.status != 0)
            throw Failure{ExitStatus::rejected,
                          fmt::format("{} does not answer pings: {}", text_of(options_.destination),
                                      mad_status_name(header.status)),
                          "start 'ucmad mad respond' or 'ibping -S' there"};
        latency_.add(time);
        if (options_.quiet)
            return;
        const std::string name = Ping::name(result.mad);
        session_.output().result({{"event", "answer"},
                                  {"number", number},
                                  {"name", name},
                                  {"tries", result.tries},
                                  {"latency_us", microseconds(time)}},
                                 fmt::format("{} ({}): number {}, {:.1f} us\n", name,
                                             text_of(options_.destination), number,
                                             microseconds(time)));
    }

    void tell_lost(std::uint64_t number, const MadResult& result) {
        ++lost_;
        session_.output().result(
            {{"event", "lost"}, {"number", number}, {"why", send_status_name(result.status)}},
            fmt::format("ping {}: {}\n", number, result_text(result)));
    }

    void tell_statistics() const {
        const std::uint64_t sent = latency_.count() + lost_;
        Json json{{"event", "statistics"},
                  {"sent", sent},
                  {"received", latency_.count()},
                  {"lost", lost_},
                  {"latency_us", latency_json(latency_)}};
        std::string text =
            fmt::format("{}: {} sent, {} answered, {} lost\n", text_of(options_.destination), sent,
                        latency_.count(), lost_);
        session_.output().result(json, text + latency_text(latency_));
    }

    const MadPingOptions& options_;
    MadSession session_;
    const MadAddress to_;
    MadClient client_;
    Latency latency_;
    std::uint64_t lost_ = 0;
};

ExitStatus respond(const MadPingOptions& options, const Output& output) {
    MadSession session{options.mad, output};
    const std::string name = host_name();
    std::uint64_t answered = 0;
    MadClient* server = nullptr;
    MadClientHandlers handlers;
    handlers.received = [&](const IncomingMad& incoming) {
        std::error_code ec;
        server->answer(incoming, Ping::answer(incoming.mad, name));
        ++answered;
        output.detail("ping from {}", incoming.from.has_grh
                                          ? address_text(incoming.from.dgid)
                                          : fmt::format("LID {}", incoming.from.dlid));
    };
    MadAgentParams params;
    MadClient client = session.client(params.responds_to_ping(), handlers);
    server = &client;
    session.output().status({{"event", "listening"}, {"name", name}},
                            fmt::format("answering pings as {}", name));
    session.run([&] { return options.count != 0 && answered >= options.count; });
    // What was answered last may not have left yet.
    session.run([&] { return client.query().in_flight == 0; }, std::chrono::seconds{1});
    session.output().result({{"event", "statistics"}, {"answered", answered}},
                            fmt::format("{} answered\n", answered));
    return ExitStatus::success;
}

} // namespace

void add_mad_ping(CLI::App& app, ExitStatus& status) {
    auto* command =
        app.add_subcommand("ping", "Ping a 'ucmad mad respond' or 'ibping -S' with MADs");
    auto options = std::make_shared<MadPingOptions>();
    options->mad.patience.retries = 0; // a ping that is lost is to be seen
    add_mad_destination(*command, options->destination);
    command->add_option("-c,--count", options->count, "Send so many pings, then end")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    add_duration(
        *command, "-i,--interval",
        [options](std::chrono::nanoseconds time) { options->interval = time; },
        "Time from one ping to the next; 0: as fast as answers come (default: 1 s)");
    command->add_flag("-q,--quiet", options->quiet, "Print the statistics only");
    add_patience(*command, options->mad.patience);
    add_mad_options(*command, options->mad);
    command->callback([=, &status] {
        status = run_command("mad ping", options->mad.output, [&](const Output& output) {
            return MadPinger{*options, output}.run();
        });
    });
}

void add_mad_respond(CLI::App& app, ExitStatus& status) {
    auto* command =
        app.add_subcommand("respond", "Answer the pings of 'ucmad mad ping' and 'ibping'");
    auto options = std::make_shared<MadPingOptions>();
    command->add_option("-c,--count", options->count, "Answer so many pings, then end")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    add_mad_options(*command, options->mad);
    command->callback([=, &status] {
        status = run_command("mad respond", options->mad.output,
                             [&](const Output& output) { return respond(*options, output); });
    });
}

} // namespace ucmad::tool
