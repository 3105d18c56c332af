// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "../vm/support/connection.hpp"
#include "operations.hpp"

#include <algorithm>

namespace storm {

namespace {

constexpr std::size_t max_ids = 40; // of a file
constexpr std::uint64_t first_service = 0x1000'0000'5702'0000;
constexpr std::size_t services = 6;
constexpr std::uint8_t response_time = 17; // 0.5 s

std::uint64_t pick_service(Actor& actor) { return first_service + actor.random.below(services); }

// Its own end of the device, or now and then where nobody is.
ucmad_path pick_path(Actor& actor, const Target& device) {
    ucmad_path path = device.paths.at(actor.random.below(device.paths.size()));
    if (actor.random.once_in(16)) {
        path.dgid[15] = 0x7b;
    }
    return path;
}

std::uint8_t pick_patience(Actor& actor) {
    return static_cast<std::uint8_t>(actor.random.once_in(2) ? UCMAD_PATIENCE_NONE : 16);
}

struct NewId {
    const Target& device;
    vm::Error error;
    vm::Id id;
};

NewId create_id(Actor& actor) {
    const Target& device = actor.pick_device();
    auto arg = vm::sized<ucmad_cm_create>();
    arg.device = device.index;
    const vm::Error error = actor.call(
        Call::cm_create, [&] { return actor.file->file.call(UCMAD_IOCTL_CM_CREATE, &arg); },
        device.removable);
    if (error == vm::ok) {
        actor.file->ledger.add(arg.object, {.removable = device.removable});
        actor.file->ids.add(arg.object);
    }
    return {device, error, {actor.file->file, arg.object}};
}

void create(Actor& actor) {
    if (actor.file->ids.size() >= max_ids) {
        return destroy(actor, actor.file->ids);
    }
    create_id(actor);
}

void listen(Actor& actor) {
    const auto [device, error, id] = create_id(actor);
    if (error == vm::ok) {
        const std::uint32_t backlog = actor.random.between(1, 8);
        actor.on(id.handle(), Call::cm_listen, [&] {
            return id.listen(vm::listening(pick_service(actor), backlog, pick_patience(actor)));
        });
    }
}

ucmad_cm_req request_to(Actor& actor, const Target& device) {
    ucmad_cm_req arg = vm::request(pick_path(actor, device), pick_service(actor));
    arg.remote_cm_response_timeout = response_time;
    arg.local_cm_response_timeout = response_time;
    arg.max_cm_retries = static_cast<std::uint8_t>(actor.random.below(3));
    arg.resolve_timeout_ms = actor.random.between(1, 300);
    arg.patience = pick_patience(actor);
    return arg;
}

void connect(Actor& actor) {
    if (actor.file->ids.size() >= max_ids) {
        return destroy(actor, actor.file->ids);
    }
    const auto [device, error, id] = create_id(actor);
    if (error == vm::ok) {
        const ucmad_cm_req arg = request_to(actor, device);
        actor.on(id.handle(), Call::cm_req, [&] { return id.req(arg); });
    }
}

ucmad_cm_sidr_req sidr_request_to(Actor& actor, const Target& device) {
    ucmad_cm_sidr_req arg = vm::sidr_request(pick_path(actor, device), pick_service(actor));
    arg.timeout_ms = actor.random.between(10, 300);
    arg.max_cm_retries = static_cast<std::uint8_t>(actor.random.below(3));
    arg.resolve_timeout_ms = actor.random.between(1, 300);
    return arg;
}

void ask(Actor& actor) {
    if (actor.file->ids.size() >= max_ids) {
        return destroy(actor, actor.file->ids);
    }
    const auto [device, error, id] = create_id(actor);
    if (error == vm::ok) {
        const ucmad_cm_sidr_req arg = sidr_request_to(actor, device);
        actor.on(id.handle(), Call::cm_sidr_req, [&] { return id.sidr_req(arg); });
    }
}

// An operation on whichever ID, in whichever state.
template <class Body>
void on_any_id(Actor& actor, Call what, Body body) {
    if (const std::optional<Handle> object = actor.file->ids.pick(actor.random)) {
        const vm::Id id(actor.file->file, *object);
        actor.on(*object, what, [&] { return body(id); });
    }
}

void connect_again(Actor& actor) {
    on_any_id(actor, Call::cm_req, [&](const vm::Id& id) {
        // An ID of another device has other addresses.
        const bool removable = actor.file->ledger.traits(id.handle()).removable;
        return id.req(request_to(actor, board().devices.at(removable ? 1 : 0)));
    });
}

void listen_again(Actor& actor) {
    on_any_id(actor, Call::cm_listen,
              [&](const vm::Id& id) { return id.listen(vm::listening(pick_service(actor), 4)); });
}

void accept(Actor& actor) {
    on_any_id(actor, Call::cm_rep, [](const vm::Id& id) { return id.rep(vm::reply()); });
}

void get_ready(Actor& actor) {
    on_any_id(actor, Call::cm_rtu, [](const vm::Id& id) { return id.rtu(); });
}

void reject(Actor& actor) {
    const std::uint16_t reason = actor.random.once_in(2) ? vm::rej_consumer : vm::rej_timeout;
    on_any_id(actor, Call::cm_rej, [&](const vm::Id& id) { return id.rej(vm::rejection(reason)); });
}

void ask_for_time(Actor& actor) {
    on_any_id(actor, Call::cm_mra, [](const vm::Id& id) { return id.mra(vm::wait_please(18)); });
}

void disconnect(Actor& actor) {
    on_any_id(actor, Call::cm_dreq, [](const vm::Id& id) { return id.dreq(); });
}

void confirm(Actor& actor) {
    on_any_id(actor, Call::cm_drep, [](const vm::Id& id) { return id.drep(); });
}

void answer(Actor& actor) {
    on_any_id(actor, Call::cm_sidr_rep,
              [](const vm::Id& id) { return id.sidr_rep(vm::sidr_reply()); });
}

void notify(Actor& actor) {
    const auto what = actor.random.once_in(4) ? UCMAD_CM_PATH_MIG : UCMAD_CM_COMM_EST;
    on_any_id(actor, Call::cm_notify, [&](const vm::Id& id) { return id.notify(what); });
}

void look_at_id(Actor& actor) {
    on_any_id(actor, Call::cm_query, [](const vm::Id& id) {
        ucmad_cm_query arg{};
        return id.call(UCMAD_IOCTL_CM_QUERY, &arg);
    });
}

void get_attributes(Actor& actor) {
    const std::uint32_t state = actor.random.between(1, 3); // INIT, RTR, RTS
    on_any_id(actor, Call::cm_qp_attr, [&](const vm::Id& id) { return id.qp_attr(state); });
}

void set_context(Actor& actor) {
    on_any_id(actor, Call::set_context,
              [&](const vm::Id& id) { return id.set_context(actor.random.bits()); });
}

void destroy_id(Actor& actor) { destroy(actor, actor.file->ids); }

constexpr Weighted cm_table[] = {
    {1, create},         {4, listen},      {12, connect},   {4, ask},    {1, connect_again},
    {1, listen_again},   {3, accept},      {2, get_ready},  {2, reject}, {2, ask_for_time},
    {4, disconnect},     {3, confirm},     {1, answer},     {2, notify}, {2, look_at_id},
    {2, get_attributes}, {1, set_context}, {9, destroy_id},
};

} // namespace

std::span<const Weighted> cm_operations() { return cm_table; }

} // namespace storm
