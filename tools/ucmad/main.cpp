// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "options.hpp"

#include <rdma/ucmad.h>

#include <iostream>

namespace {

using ucmad::tool::ExitStatus;

constexpr const char* description =
    "InfiniBand and RoCE connections and management datagrams through the ucmad kernel module.\n"
    "See 'ucmad COMMAND --help' and ucmad(1).";

/// The subcommand that the error is of, so that its help can be pointed at.
std::string command_of(const CLI::App& app) {
    std::string name = app.get_name();
    for (auto parsed = app.get_subcommands(); !parsed.empty();
         parsed = parsed.front()->get_subcommands())
        name += ' ' + parsed.front()->get_name();
    return name;
}

ExitStatus run(int argc, char** argv) {
    CLI::App app{description, "ucmad"};
    app.set_version_flag(
        "--version", fmt::format("ucmad " UCMAD_VERSION " (ABI version {})", UCMAD_ABI_VERSION));
    app.require_subcommand(0, 1); // so that an unknown word is told as such
    ExitStatus status = ExitStatus::success;
    for (auto* add : {ucmad::tool::add_devices, ucmad::tool::add_listen, ucmad::tool::add_connect,
                      ucmad::tool::add_ping, ucmad::tool::add_mad})
        add(app, status);
    try {
        app.parse(argc, argv);
        if (app.get_subcommands().empty()) {
            std::cerr << app.help();
            return ExitStatus::usage;
        }
        return status;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) { // --help, --version
            app.exit(error);
            return ExitStatus::success;
        }
        const std::string command = command_of(app);
        std::cerr << command << ": " << error.what() << "\n  see '" << command << " --help'\n";
        return ExitStatus::usage;
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        return static_cast<int>(run(argc, argv));
    } catch (const std::exception& error) {
        std::cerr << "ucmad: " << error.what() << '\n';
        return static_cast<int>(ExitStatus::other);
    }
}
