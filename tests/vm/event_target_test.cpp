// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// EV-TARGET, EV-ACCEPT: waiting for one named object, and objects that are born held.
#include "support/fixture.hpp"

#include <fcntl.h>

namespace vm {
namespace {

class EventTarget : public GidTest {
protected:
    // A client with the REJ of its REQ still to come: the server has taken and acknowledged it.
    Connection requested() const {
        Connection c = connection();
        c.advance_to(Step::request);
        return c;
    }
};
VM_FOR_BOTH_GIDS(EventTarget);

TEST_P(EventTarget, EV_TARGET_TakesOfTheNamedObjectOnly) {
    Connection one = requested();
    Connection two = requested();
    must(one.server.rej(rejection()));
    one.client.wait_for_events(1);
    EXPECT_TRUE(two.client.has_no_event()) << "was given another object's event";
    must(two.server.rej(rejection()));
    two.client.wait_for_events(1);
    EXPECT_EQ(take_one(client_file, two.client.handle()).head.object, two.client.handle());
    EXPECT_EQ(take_one(client_file).head.object, one.client.handle()) << "was lost";
}

TEST_P(EventTarget, EV_TARGET_BlocksUntilThatObjectHasAnEvent) {
    Connection one = requested();
    Connection two = requested();
    Blocking<Event> waiter([&] { return take_one(client_file, two.client.handle()); });
    waiter.wait_until_asleep();
    must(one.server.rej(rejection()));
    EXPECT_EQ(take_one(client_file).head.object, one.client.handle());
    EXPECT_FALSE(waiter.done()) << "woken by another object's event";
    must(two.server.rej(rejection()));
    EXPECT_EQ(waiter.result().head.object, two.client.handle());
}

TEST_P(EventTarget, EV_TARGET_WaitsAsLongAsItWasTold) {
    Connection c = requested();
    EXPECT_EQ(take(client_file, {.object = c.client.handle()}).error, Error{EAGAIN});
    const auto start = Clock::now();
    EXPECT_EQ(take(client_file, {.object = c.client.handle(), .timeout = 150ms}).error,
              Error{ETIMEDOUT});
    EXPECT_GE(Clock::now() - start, 150ms);
}

TEST_P(EventTarget, EV_TARGET_WaitsForEverAndCanBeInterrupted) {
    Connection c = requested();
    Blocking<Taken> waiter(
        [&] { return take(client_file, {.object = c.client.handle(), .timeout = -1ns}); });
    waiter.wait_until_asleep();
    waiter.interrupt();
    EXPECT_EQ(waiter.result().error, Error{EINTR});
}

TEST_P(EventTarget, EV_TARGET_NonBlockingFileNeverWaits) {
    const File file(O_NONBLOCK);
    const Id id = create(file);
    EXPECT_EQ(take(file, {.object = id.handle(), .timeout = -1ns}).error, Error{EAGAIN});
    EXPECT_EQ(take(file, {.timeout = -1ns}).error, Error{EAGAIN});
}

TEST_P(EventTarget, EV_TARGET_IsServedWhileTheObjectIsHeld) {
    Connection c = connection();
    c.pile_up_events();
    const Event held = take_one(client_file);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
    const Event named = c.client.expect(UCMAD_EVENT_CM_REP);
    EXPECT_FALSE(named.head.flags & UCMAD_EVENT_HELD);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN}) << "the hold of the first was lost";
    acknowledge(client_file, {ack_of(held)});
    EXPECT_EQ(take_one(client_file).head.type, UCMAD_EVENT_CM_REJ);
}

TEST_P(EventTarget, EV_TARGET_DoesNotHold) {
    Connection c = connection();
    c.pile_up_events();
    const Event named = c.client.expect(UCMAD_EVENT_CM_MRA);
    EXPECT_FALSE(named.head.flags & UCMAD_EVENT_HELD);
    EXPECT_EQ(acknowledge(client_file, {ack_of(named)}), 1U) << "there was no hold to let go of";
    EXPECT_EQ(take_one(client_file).head.type, UCMAD_EVENT_CM_REP);
}

TEST_P(EventTarget, EV_TARGET_WaiterGoesBeforeAnyConsumer) {
    for (int round = 0; round < 10; ++round) {
        Connection c = requested();
        Blocking<Taken> any([&] { return take(client_file, {.timeout = limit()}); });
        any.wait_until_asleep();
        Blocking<Event> named([&] { return take_one(client_file, c.client.handle()); });
        named.wait_until_asleep();
        must(c.server.rej(rejection()));
        ASSERT_EQ(named.result().head.type, UCMAD_EVENT_CM_REJ);
        ASSERT_FALSE(any.done());
        any.interrupt();
        ASSERT_EQ(any.result().error, Error{EINTR});
        must(c.client.destroy());
    }
}

TEST_P(EventTarget, EV_TARGET_WaiterForAListenerGetsItsRequest) {
    Connection c = connection();
    Blocking<Taken> any([&] { return take(server_file, {.timeout = limit()}); });
    any.wait_until_asleep();
    Blocking<Event> named([&] { return take_one(server_file, c.listener.handle()); });
    named.wait_until_asleep();
    must(c.client.req(request(c.path, c.service_id)));
    EXPECT_EQ(named.result().head.type, UCMAD_EVENT_CM_REQ);
    EXPECT_FALSE(any.done());
}

class EventAccept : public GidTest {};
VM_FOR_BOTH_GIDS(EventAccept);

TEST_P(EventAccept, EV_ACCEPT_SecondEventWaitsForTheAcknowledgement) {
    Connection c = connection();
    must(c.client.req(request(c.path, c.service_id)));
    const Event req = take_one(server_file);
    ASSERT_EQ(req.head.type, UCMAD_EVENT_CM_REQ);
    EXPECT_TRUE(req.head.flags & UCMAD_EVENT_HELD);
    EXPECT_EQ(req.head.sequence, 1U);
    must(c.client.destroy());
    born_of(server_file, req).wait_for_events(1);
    EXPECT_EQ(take(server_file, {.timeout = scaled(100ms)}).error, Error{ETIMEDOUT});
    const Event rej = take_one(server_file, 0, {ack_of(req)});
    EXPECT_EQ(rej.head.type, UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(rej.head.object, req.head.object);
}

TEST_P(EventAccept, EV_ACCEPT_RequestTakenByNamingTheListenerIsHeldToo) {
    Connection c = connection();
    must(c.client.req(request(c.path, c.service_id)));
    const Event req = take_one(server_file, c.listener.handle());
    ASSERT_EQ(req.head.type, UCMAD_EVENT_CM_REQ);
    EXPECT_EQ(req.body<ucmad_cm_req_event>().listener, c.listener.handle());
    EXPECT_NE(req.head.object, c.listener.handle());
    EXPECT_TRUE(req.head.flags & UCMAD_EVENT_HELD);
    must(c.client.destroy());
    born_of(server_file, req).wait_for_events(1);
    EXPECT_EQ(take(server_file, {.timeout = scaled(100ms)}).error, Error{ETIMEDOUT});
    acknowledge(server_file, {ack_of(req)});
    EXPECT_EQ(take_one(server_file).head.type, UCMAD_EVENT_CM_REJ);
}

TEST_P(EventAccept, EV_ACCEPT_RejThatCameBeforeTheRequestWasTakenStaysBehindIt) {
    Connection c = connection();
    must(c.client.req(request(c.path, c.service_id)));
    c.listener.wait_for_events(1);
    must(c.client.destroy());
    const Event req = take_one(server_file);
    ASSERT_EQ(req.head.type, UCMAD_EVENT_CM_REQ);
    born_of(server_file, req).wait_for_events(1);
    EXPECT_EQ(take(server_file, {}).error, Error{EAGAIN});
    EXPECT_EQ(take_one(server_file, 0, {ack_of(req)}).head.type, UCMAD_EVENT_CM_REJ);
}

TEST_P(EventAccept, EV_ACCEPT_HeldSecondEventCanBeTakenByName) {
    Connection c = connection();
    must(c.client.req(request(c.path, c.service_id)));
    const Event req = take_one(server_file);
    must(c.client.destroy());
    EXPECT_EQ(born_of(server_file, req).expect(UCMAD_EVENT_CM_REJ).head.sequence, 2U);
}

TEST_P(EventAccept, EV_ACCEPT_SidrRequestIsBornHeld) {
    Connection c = connection();
    must(c.client.sidr_req(sidr_request(c.path, c.service_id)));
    const Event req = take_one(server_file, c.listener.handle());
    ASSERT_EQ(req.head.type, UCMAD_EVENT_CM_SIDR_REQ);
    EXPECT_EQ(req.body<ucmad_cm_sidr_req_event>().listener, c.listener.handle());
    EXPECT_TRUE(req.head.flags & UCMAD_EVENT_HELD);
    EXPECT_EQ(acknowledge(server_file, {ack_of(req)}), 0U);
}

TEST_P(EventAccept, EV_ACCEPT_RequestsOfOneListenerAreServedSideBySide) {
    Connection c = connection();
    const Id second = create(client_file);
    must(c.client.req(request(c.path, c.service_id)));
    must(second.req(request(c.path, c.service_id)));
    const Event one = take_one(server_file, c.listener.handle());
    const Event two = take_one(server_file);
    EXPECT_EQ(one.head.type, UCMAD_EVENT_CM_REQ);
    EXPECT_EQ(two.head.type, UCMAD_EVENT_CM_REQ);
    EXPECT_NE(one.head.object, two.head.object);
}

} // namespace
} // namespace vm
