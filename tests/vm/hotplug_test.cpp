// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// DEL-HOTPLUG: the device is removed under its users, in every state.
#include "support/fixture.hpp"

namespace vm {
namespace {

class Hotplug : public GidTest {
protected:
    Connection on_extra() const { return {server_file, client_file, gid(), extra.device()}; }

    // Whatever was under way, each object has one last event, and no other after it.
    static void expect_removed(const Id& id) {
        Event last{};
        for (;;) {
            Taken taken = take(id.file(), {.object = id.handle(), .max = 1});
            if (taken.error == Error{EAGAIN}) {
                break;
            }
            ASSERT_EQ(taken.error, ok);
            ASSERT_NE(last.head.type, UCMAD_EVENT_DEVICE_REMOVED) << "an event after the last";
            last = std::move(taken.events.front());
        }
        EXPECT_EQ(last.head.type, UCMAD_EVENT_DEVICE_REMOVED);
        EXPECT_EQ(id.state(), UCMAD_CM_REMOVED);
        EXPECT_EQ(id.query().error, static_cast<std::uint32_t>(ENODEV));
    }

    ExtraDevice extra;
};
VM_FOR_BOTH_GIDS(Hotplug);

TEST_P(Hotplug, DEL_HOTPLUG_InEveryState) {
    std::vector<Id> ids = {create(client_file, extra.device())};
    const auto add = [&](const Connection& c) {
        ids.insert(ids.end(), {c.listener, c.client});
        if (c.server.handle()) {
            ids.push_back(c.server);
        }
    };
    add(on_extra());
    for (const Step step : {Step::request, Step::ask_time, Step::reply, Step::ask_time_too,
                            Step::ready, Step::disconnect, Step::confirm}) {
        Connection c = on_extra();
        c.path.packet_life_time = 18;
        c.advance_to(step);
        add(c);
    }
    const Connection sidr = on_extra();
    must(sidr.client.sidr_req(sidr_request(sidr.path, sidr.service_id)));
    ids.push_back(born_of(server_file, take_one(server_file, sidr.listener.handle())));
    add(sidr);
    const Connection resolving = on_extra();
    ucmad_cm_req arg = request(extra.device().dead_path(gid()), 1);
    arg.resolve_timeout_ms = 60000;
    must(resolving.client.req(arg));
    add(resolving);

    extra.remove();

    for (const Id& id : ids) {
        SCOPED_TRACE(id.handle());
        expect_removed(id);
    }
    for (const Id& id : ids) {
        EXPECT_EQ(id.destroy(), ok);
    }
    EXPECT_TRUE(eventually([] { return statistic("cm_ids") == 0; }));
}

TEST_P(Hotplug, DEL_HOTPLUG_LaterCallsFailWithNoDevice) {
    Connection c = on_extra();
    c.advance_to(Step::ready);
    const Id idle = create(client_file, extra.device());
    extra.remove();
    EXPECT_EQ(idle.listen(listening(new_service_id())), Error{ENODEV});
    EXPECT_EQ(idle.req(request(c.path, c.service_id)), Error{ENODEV});
    EXPECT_EQ(idle.sidr_req(sidr_request(c.path, c.service_id)), Error{ENODEV});
    for (const Id& id : {c.client, c.server}) {
        EXPECT_EQ(id.rep(reply()), Error{ENODEV});
        EXPECT_EQ(id.rtu(), Error{ENODEV});
        EXPECT_EQ(id.rej(rejection()), Error{ENODEV});
        EXPECT_EQ(id.mra(wait_please()), Error{ENODEV});
        EXPECT_EQ(id.dreq(), Error{ENODEV});
        EXPECT_EQ(id.drep(), Error{ENODEV});
        EXPECT_EQ(id.sidr_rep(sidr_reply()), Error{ENODEV});
        EXPECT_EQ(id.notify(UCMAD_CM_COMM_EST), Error{ENODEV});
        EXPECT_EQ(id.qp_attr(3), Error{ENODEV});
        EXPECT_EQ(id.set_context(5), ok) << "needs no device";
        EXPECT_EQ(take_one(id.file(), id.handle()).head.context, 5U);
    }
    auto create_again = sized<ucmad_cm_create>();
    create_again.device = extra.device().index;
    EXPECT_EQ(client_file.call(UCMAD_IOCTL_CM_CREATE, &create_again), Error{ENODEV});
}

TEST_P(Hotplug, DEL_HOTPLUG_LastEventComesBehindThoseThatWait) {
    Connection c = on_extra();
    c.pile_up_events();
    extra.remove();
    for (const std::uint16_t type :
         {UCMAD_EVENT_CM_MRA, UCMAD_EVENT_CM_REP, UCMAD_EVENT_CM_REJ, UCMAD_EVENT_DEVICE_REMOVED}) {
        c.client.expect(type);
    }
    EXPECT_TRUE(c.client.has_no_event());
}

TEST_P(Hotplug, DEL_HOTPLUG_WakesWhoWaits) {
    const Id id = create(client_file, extra.device());
    Blocking<Event> named([&] { return take_one(client_file, id.handle()); });
    named.wait_until_asleep();
    extra.remove();
    EXPECT_EQ(named.result().head.type, UCMAD_EVENT_DEVICE_REMOVED);
}

TEST_P(Hotplug, DEL_HOTPLUG_DoesNotWaitForAcknowledgements) {
    Connection c = on_extra();
    c.pile_up_events();
    const Taken held = take(client_file, {.max = 2});
    ASSERT_EQ(held.events.size(), 2U);
    const Id untaken = create(client_file, extra.device());
    must(untaken.req(request(c.path, c.service_id)));
    c.listener.wait_for_events(1);
    Blocking<bool> removal([&] {
        extra.remove();
        return true;
    });
    EXPECT_TRUE(removal.result());
}

TEST_P(Hotplug, DEL_HOTPLUG_OtherDevicesGoOn) {
    Connection other = connected();
    const Id removed = create(client_file, extra.device());
    extra.remove();
    expect_removed(removed);
    EXPECT_EQ(other.client.state(), UCMAD_CM_ESTABLISHED);
    other.complete();
}

TEST_P(Hotplug, DEL_HOTPLUG_DeviceComesBack) {
    const Id old = create(client_file, extra.device());
    extra.remove();
    EXPECT_FALSE(find_device(extra.device().name).has_value());
    extra.add();
    EXPECT_EQ(old.state(), UCMAD_CM_REMOVED) << "an old ID must not come to life";
    EXPECT_EQ(old.listen(listening(new_service_id())), Error{ENODEV});
    Connection again = on_extra();
    again.complete();
}

// Removal against all that a program can do at the same time.
TEST_P(Hotplug, DEL_HOTPLUG_AgainstABusyProgram) {
    for (int round = 0; round < 4; ++round) {
        const Device device = extra.device();
        const ucmad_path to_self = device.path(gid());
        const std::uint64_t service = new_service_id();
        const Id listener = new_listener(server_file, service, device);
        const auto work = [&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                auto arg = sized<ucmad_cm_create>();
                arg.device = device.index;
                const Error error = client_file.call(UCMAD_IOCTL_CM_CREATE, &arg);
                const Id id(client_file, arg.object);
                if (error == ok) {
                    const Error sent = id.req(request(to_self, service));
                    EXPECT_TRUE(sent == ok || sent == Error{ENODEV}) << sent;
                    EXPECT_EQ(id.destroy(), ok);
                } else {
                    EXPECT_EQ(error, Error{ENODEV});
                }
            }
        };
        std::vector<std::jthread> workers;
        for (int i = 0; i < 2; ++i) {
            workers.emplace_back(work);
        }
        wait_until([&] { return listener.query().backlog + listener.query().dropped > 5; },
                   "some requests");
        extra.remove();
        workers.clear();
        EXPECT_EQ(listener.state(), UCMAD_CM_REMOVED);
        must(listener.destroy());
        extra.add();
    }
}

} // namespace
} // namespace vm
