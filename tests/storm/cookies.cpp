// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "cookies.hpp"

#include <span>

namespace storm {

namespace {

std::vector<Cookie> stamp(std::vector<ucmad_mad_send>& sends) {
    static std::atomic<Cookie> last{0};
    std::vector<Cookie> cookies;
    for (ucmad_mad_send& send : sends) {
        send.cookie = ++last | (send.timeout_ms < long_timeout ? ends_by_itself : 0);
        cookies.push_back(send.cookie);
    }
    return cookies;
}

} // namespace

vm::Posted post(Actor& actor, Handle agent, std::vector<ucmad_mad_send>& sends) {
    const std::vector<Cookie> cookies = stamp(sends);
    actor.file->ledger.post(agent, cookies);
    vm::Posted posted{};
    actor.on(agent, Call::mad_post, [&] {
        posted = vm::Agent(actor.file->file, agent).post(sends);
        return posted.error;
    });
    actor.file->ledger.take_back(agent, std::span(cookies).subspan(posted.count));
    return posted;
}

} // namespace storm
