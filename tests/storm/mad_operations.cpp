// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "cookies.hpp"
#include "operations.hpp"

#include <algorithm>
#include <deque>

namespace storm {

namespace {

constexpr std::size_t max_agents = 6; // of a file
constexpr std::size_t classes = 3;    // vendor classes, beginning with that of ibping
constexpr std::uint16_t no_such_gid = 200;

void add_class(Actor& actor, ucmad_mad_register& arg) {
    const auto vendor_class =
        static_cast<std::uint8_t>(vm::ping_class + actor.random.below(classes));
    arg.mgmt_class = vendor_class;
    arg.class_version = 1;
    std::ranges::copy(vm::ping_oui, arg.oui);
    arg.method_mask[0] = 1U << vm::method_get;
}

// One in four wants requests, if nobody else on its port does.
void enroll(Actor& actor) {
    if (actor.file->agents.size() >= max_agents) {
        return destroy(actor, actor.file->agents);
    }
    const Target& device = actor.pick_device();
    ucmad_mad_register arg = vm::sender({"", device.index});
    arg.flags = actor.random.below(4); // concurrent or not, over ib_mad or not
    arg.max_in_flight = actor.random.once_in(4) ? 8 : 512;
    arg.receive_queue = actor.random.between(1, 64);
    const bool receives = actor.random.once_in(4);
    if (receives) {
        add_class(actor, arg);
    }
    const vm::Error error = actor.call(
        Call::mad_register, [&] { return actor.file->file.call(UCMAD_IOCTL_MAD_REGISTER, &arg); },
        device.removable);
    if (error == vm::ok) {
        actor.file->ledger.add(arg.object, {.removable = device.removable, .is_sender = !receives});
        actor.file->agents.add(arg.object);
    }
}

ucmad_mad_send pick_send(Actor& actor, vm::Mad& mad, const Target& device) {
    const std::uint8_t method = actor.random.once_in(3) ? vm::method_send : vm::method_get;
    mad = vm::ping(actor.random.bits(), 0, method);
    mad[1] = static_cast<std::uint8_t>(vm::ping_class + actor.random.below(classes));
    ucmad_path path = device.paths.at(actor.random.below(device.paths.size()));
    if (actor.random.once_in(16)) {
        path.dgid[15] = 0x7b; // nobody is there
    }
    ucmad_mad_send send = vm::request_of(mad, vm::gsi_at(path), 0, long_timeout);
    if (actor.random.once_in(4)) {
        send.flags = UCMAD_SEND_NO_RESPONSE;
        send.timeout_ms = 0;
    } else if (actor.random.once_in(2)) {
        send.timeout_ms = actor.random.between(1, 40);
        send.retries = actor.random.below(3);
    }
    return send;
}

void cancel_some(Actor& actor, Handle agent, const std::vector<ucmad_mad_send>& sends) {
    std::vector<std::uint32_t> victims;
    for (const ucmad_mad_send& send : sends) {
        if (actor.random.once_in(3)) {
            victims.push_back(send.handle);
        }
    }
    if (!victims.empty()) {
        actor.on(agent, Call::mad_cancel,
                 [&] { return vm::Agent(actor.file->file, agent).cancel(victims); });
    }
}

void set_timeouts(Actor& actor, Handle agent, const std::vector<ucmad_mad_send>& sends) {
    const ucmad_mad_send& send = sends[actor.random.below(sends.size())];
    const std::uint32_t ms = actor.random.between(1, 50);
    actor.on(agent, Call::mad_timeout,
             [&] { return vm::Agent(actor.file->file, agent).set_timeout(send.handle, ms); });
}

void post_some(Actor& actor) {
    const std::optional<Handle> agent = actor.file->agents.pick(actor.random);
    if (!agent) {
        return enroll(actor);
    }
    const bool removable = actor.file->ledger.traits(*agent).removable;
    const Target& device = board().devices.at(removable ? 1 : 0);
    std::deque<vm::Mad> mads(actor.random.between(1, 8));
    std::vector<ucmad_mad_send> sends;
    for (vm::Mad& mad : mads) {
        sends.push_back(pick_send(actor, mad, device));
    }
    const vm::Posted posted = post(actor, *agent, sends);
    sends.resize(posted.count);
    if (!sends.empty() && actor.random.once_in(2)) {
        cancel_some(actor, *agent, sends);
    }
    if (!sends.empty() && actor.random.once_in(4)) {
        set_timeouts(actor, *agent, sends);
    }
}

template <class Body>
void on_any_agent(Actor& actor, Call what, Body body) {
    if (const std::optional<Handle> object = actor.file->agents.pick(actor.random)) {
        const vm::Agent agent(actor.file->file, *object);
        actor.on(*object, what, [&] { return body(agent); });
    }
}

void cancel_all(Actor& actor) {
    on_any_agent(actor, Call::mad_cancel,
                 [](const vm::Agent& agent) { return agent.cancel_all(); });
}

// Of what does not exist: it is passed over in silence.
void cancel_nothing(Actor& actor) {
    const std::uint32_t handle = actor.random.below(1U << 31) | 1U << 31;
    on_any_agent(actor, Call::mad_cancel, [&](const vm::Agent& agent) {
        return agent.cancel({handle, 0, handle});
    });
}

void look_at_agent(Actor& actor) {
    on_any_agent(actor, Call::mad_query, [](const vm::Agent& agent) { return agent.try_query(); });
}

void deregister(Actor& actor) { destroy(actor, actor.file->agents); }

constexpr Weighted mad_table[] = {
    {4, enroll},         {16, post_some},    {2, cancel_all},
    {1, cancel_nothing}, {1, look_at_agent}, {3, deregister},
};

} // namespace

std::span<const Weighted> mad_operations() { return mad_table; }

} // namespace storm
