// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "responses.hpp"

#include "../vm/support/connection.hpp"
#include "cookies.hpp"

namespace storm {

namespace {

// A new CM ID; from now on every thread may do with it what it likes.
void welcome(Actor& actor, Handle born, std::uint32_t device) {
    actor.file->ledger.add(born, {.removable = Actor::is_removable(device)});
    actor.file->ids.add(born);
}

void answer_mad(Actor& actor, const vm::Event& event) {
    const vm::Mad mad = [&] {
        vm::Mad same = vm::mad_of(event);
        same[3] = vm::method_get_resp;
        return same;
    }();
    std::vector<ucmad_mad_send> sends = {vm::answer_of(mad, event)};
    post(actor, event.head.object, sends);
}

} // namespace

void respond(Actor& actor, const vm::Event& event) {
    const Handle object = event.head.object;
    const vm::Id id(actor.file->file, object);
    const bool willing = !actor.random.once_in(4);
    switch (event.head.type) {
    case UCMAD_EVENT_CM_REQ:
        welcome(actor, object, event.body<ucmad_cm_req_event>().device);
        if (willing) {
            actor.on(object, Call::cm_rep, [&] { return id.rep(vm::reply()); });
        }
        break;
    case UCMAD_EVENT_CM_SIDR_REQ:
        welcome(actor, object, event.body<ucmad_cm_sidr_req_event>().device);
        if (willing) {
            actor.on(object, Call::cm_sidr_rep, [&] { return id.sidr_rep(vm::sidr_reply()); });
        }
        break;
    case UCMAD_EVENT_CM_REP:
        if (willing) {
            actor.on(object, Call::cm_rtu, [&] { return id.rtu(); });
        }
        break;
    case UCMAD_EVENT_CM_DREQ:
        if (willing) {
            actor.on(object, Call::cm_drep, [&] { return id.drep(); });
        }
        break;
    case UCMAD_EVENT_MAD_RECEIVE:
        if (willing && event.body<ucmad_mad_receive>().request) {
            answer_mad(actor, event);
        }
        break;
    default:
        break;
    }
}

} // namespace storm
