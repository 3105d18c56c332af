// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ucmad mad: what there is for management datagrams.
#include "mad_session.hpp"

namespace ucmad::tool {

void add_mad(CLI::App& app, ExitStatus& status) {
    auto* group =
        app.add_subcommand("mad", "Ping, send, sweep and watch with management datagrams");
    group->require_subcommand(1);
    for (auto* add : {add_mad_ping, add_mad_respond, add_mad_send, add_mad_sweep, add_mad_monitor})
        add(*group, status);
}

} // namespace ucmad::tool
