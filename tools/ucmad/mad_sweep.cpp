// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ucmad mad sweep: one question to many destinations, a window of them at a time.
#include "mad_session.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <unistd.h>

namespace ucmad::tool {
namespace {

struct Question {
    std::uint8_t qp;
    std::uint8_t mgmt_class;
    std::uint16_t attribute_id;
};

/// By the name of --what.
const std::map<std::string, Question>& questions() {
    static const std::map<std::string, Question> all = {
        {"class-port-info", {1, perf_class, ClassPortInfo::id}},
        {"port-counters", {1, perf_class, PortCounters::id}},
        {"node-info", {0, smp_class, NodeInfo::id}},
        {"port-info", {0, smp_class, PortInfo::id}},
    };
    return all;
}

struct SweepOptions {
    MadOptions mad;
    std::vector<MadDestination> destinations;
    std::string file;
    std::string what = "port-counters";
    std::uint8_t select = 1; ///< Port of each destination.
    std::uint32_t window = 64;
};

void add_from_file(SweepOptions& options) {
    std::ifstream file;
    if (options.file != "-") {
        file.open(options.file);
        if (!file)
            throw Failure{ExitStatus::usage, fmt::format("cannot read {}", options.file)};
    }
    std::istream& in = options.file == "-" ? std::cin : file;
    for (std::string line; std::getline(in, line);) {
        line = line.substr(0, line.find('#'));
        std::erase_if(line, [](char c) { return std::isspace(static_cast<unsigned char>(c)); });
        if (!line.empty())
            options.destinations.push_back(parse_mad_destination(line));
    }
}

Mad question_of(const SweepOptions& options) {
    const Question& question = questions().at(options.what);
    Mad mad{};
    MadHeader header{.mgmt_class = question.mgmt_class, .attribute_id = question.attribute_id};
    if (options.what == "port-info")
        header.attribute_modifier = options.select;
    header.write(mad);
    if (options.what == "port-counters")
        PortCounters{.port_select = options.select}.write(mad);
    return mad;
}

class Sweeper {
public:
    Sweeper(const SweepOptions& options, const Output& output)
        : options_(options), output_(output), session_(options.mad, output),
          qp_(questions().at(options.what).qp), mad_(question_of(options)),
          client_(session_.client({.qp = qp_, .concurrent = true})) {}

    ExitStatus run() {
        while (under_way_ < options_.window && next_ < options_.destinations.size())
            ask_next();
        const bool complete = session_.run([&] { return ended_ == options_.destinations.size(); });
        clear_progress();
        if (!complete) {
            stopped_ = true;
            client_.deregister();
        }
        tell_statistics();
        if (!complete)
            return ExitStatus::interrupted;
        return failed_ == 0 ? ExitStatus::success : ExitStatus::no_answer;
    }

private:
    void ask_next() {
        const MadDestination& destination = options_.destinations[next_++];
        ++under_way_;
        try {
            client_.post(mad_, session_.address_of(destination, qp_), options_.mad.patience,
                         [this, &destination](const MadResult& result) {
                             tell(destination, result);
                             ended();
                         });
        } catch (const std::exception& error) { // of this destination alone
            tell_failure(destination, error.what());
            ended();
        }
    }

    void ended() {
        --under_way_;
        ++ended_;
        if (stopped_)
            return;
        if (next_ < options_.destinations.size())
            ask_next();
        progress();
    }

    void tell(const MadDestination& destination, const MadResult& result) {
        if (stopped_)
            return;
        if (result.error()) {
            tell_failure(destination, result_text(result));
            return;
        }
        clear_progress();
        const MadHeader header = MadHeader::read(result.mad);
        if (header.status != 0)
            ++failed_;
        else
            ++answered_;
        Json json = mad_json(result.mad);
        json["event"] = "answer";
        json["destination"] = text_of(destination);
        json["tries"] = result.tries;
        output_.result(json,
                       fmt::format("{}: {}", text_of(destination), mad_text(result.mad, false)));
    }

    void tell_failure(const MadDestination& destination, const std::string& why) {
        clear_progress();
        ++failed_;
        output_.result({{"event", "failed"}, {"destination", text_of(destination)}, {"why", why}},
                       fmt::format("{}: {}\n", text_of(destination), why));
    }

    // A line that is written over, for people only.

    void progress() const {
        if (!output_.json() && isatty(STDERR_FILENO) != 0)
            fmt::print(stderr, "\r{} of {}, {} under way ", ended_, options_.destinations.size(),
                       under_way_);
    }

    void clear_progress() const {
        if (!output_.json() && isatty(STDERR_FILENO) != 0)
            fmt::print(stderr, "\r{:60}\r", "");
    }

    void tell_statistics() const {
        output_.status({{"event", "statistics"},
                        {"destinations", options_.destinations.size()},
                        {"answered", answered_},
                        {"failed", failed_}},
                       fmt::format("{} destinations: {} answered, {} failed",
                                   options_.destinations.size(), answered_, failed_));
    }

    const SweepOptions& options_;
    const Output& output_;
    MadSession session_;
    const std::uint8_t qp_;
    const Mad mad_;
    MadClient client_;
    std::size_t next_ = 0;
    std::size_t under_way_ = 0;
    std::size_t ended_ = 0;
    std::size_t answered_ = 0;
    std::size_t failed_ = 0;
    bool stopped_ = false;
};

ExitStatus sweep(SweepOptions& options, const Output& output) {
    if (!options.file.empty())
        add_from_file(options);
    if (options.destinations.empty())
        throw Failure{ExitStatus::usage, "nobody to ask: give destinations, or --file"};
    return Sweeper{options, output}.run();
}

} // namespace

void add_mad_sweep(CLI::App& app, ExitStatus& status) {
    auto* command =
        app.add_subcommand("sweep", "Ask many ports for counters or information at once");
    auto options = std::make_shared<SweepOptions>();
    command
        ->add_option_function<std::vector<std::string>>(
            "DEST",
            [options](const std::vector<std::string>& texts) {
                for (const std::string& text : texts)
                    options->destinations.push_back(parse_mad_destination(text));
            },
            "GIDs or IP addresses, on InfiniBand also LIDs")
        ->type_name("")
        ->expected(0, -1);
    command
        ->add_option("--file", options->file, "A file with more, one a line; '-': standard input")
        ->type_name("FILE");
    command
        ->add_option("--what", options->what,
                     "port-counters (default), class-port-info, or by QP0 node-info, port-info")
        ->check(CLI::IsMember(questions()))
        ->type_name("NAME");
    add_number(
        *command, "--select", 255,
        [options](std::uint64_t n) { options->select = static_cast<std::uint8_t>(n); },
        "Which port of each destination (default: 1)");
    command->add_option("-w,--window", options->window, "How many to ask at a time (default: 64)")
        ->check(CLI::Range(1, 1024))
        ->type_name("N");
    add_patience(*command, options->mad.patience);
    add_mad_options(*command, options->mad);
    command->callback([=, &status] {
        status = run_command("mad sweep", options->mad.output,
                             [&](const Output& output) { return sweep(*options, output); });
    });
}

} // namespace ucmad::tool
