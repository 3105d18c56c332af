// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// DEL-SILENT, DEL-NOWAIT-USER, DEL-COUNT: what a destroy does, and what it does not wait for.
#include "support/fixture.hpp"

#include <memory>

namespace vm {
namespace {

class Destroy : public GidTest {
protected:
    Connection c = connection();
};
VM_FOR_BOTH_GIDS(Destroy);

TEST_P(Destroy, DEL_SILENT_NothingIsDeliveredAfterwards) {
    c.pile_up_events();
    ASSERT_EQ(c.client.destroy(), ok);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
    EXPECT_EQ(take(client_file, {.object = c.client.handle()}).error, Error{ENOENT});
}

TEST_P(Destroy, DEL_SILENT_HandleIsGoneAndNotSoonUsedAgain) {
    ASSERT_EQ(c.client.destroy(), ok);
    EXPECT_EQ(c.client.destroy(), Error{ENOENT});
    EXPECT_EQ(c.client.set_context(1), Error{ENOENT});
    EXPECT_EQ(c.client.req(request(c.path, c.service_id)), Error{ENOENT});
    for (int i = 0; i < 100; ++i) {
        const Id fresh = create(client_file);
        EXPECT_NE(fresh.handle(), c.client.handle());
        must(fresh.destroy());
    }
}

TEST_P(Destroy, DEL_SILENT_WakesWhoWaitsForTheObject) {
    std::vector<std::unique_ptr<Blocking<Taken>>> waiters;
    for (int i = 0; i < 3; ++i) {
        waiters.push_back(std::make_unique<Blocking<Taken>>(
            [&] { return take(client_file, {.object = c.client.handle(), .timeout = -1ns}); }));
        waiters.back()->wait_until_asleep();
    }
    ASSERT_EQ(c.client.destroy(), ok);
    for (const auto& waiter : waiters) {
        EXPECT_EQ(waiter->result().error, Error{ESHUTDOWN});
    }
}

TEST_P(Destroy, DEL_SILENT_DoesNotWakeWhoWaitsForOthers) {
    const Id other = create(client_file);
    Blocking<Taken> any([&] { return take(client_file, {.timeout = limit()}); });
    Blocking<Taken> named(
        [&] { return take(client_file, {.object = other.handle(), .timeout = limit()}); });
    any.wait_until_asleep();
    named.wait_until_asleep();
    ASSERT_EQ(c.client.destroy(), ok);
    any.interrupt();
    named.interrupt();
    EXPECT_EQ(any.result().error, Error{EINTR});
    EXPECT_EQ(named.result().error, Error{EINTR});
}

// Threads take all they can while events come in and the object is destroyed: nobody may be given
// an event of it by a call that starts after destroy has returned.
TEST_P(Destroy, DEL_SILENT_AgainstTakersAndArrivals) {
    constexpr int rounds = 60;
    std::atomic<std::uint32_t> destroyed{0}; // handles only rise here
    std::atomic<int> late{0};
    const auto taker = [&](const std::stop_token& stop) {
        std::vector<ucmad_ack> acks;
        while (!stop.stop_requested()) {
            const std::uint32_t dead = destroyed;
            const Taken taken = take(client_file, {.timeout = 20ms, .acks = std::move(acks)});
            for (const Event& event : taken.events) {
                late += event.head.object <= dead ? 1 : 0;
            }
            acks = acks_of(taken.events);
        }
    };
    std::vector<std::jthread> takers;
    for (int i = 0; i < 2; ++i) {
        takers.emplace_back(taker);
    }
    for (int round = 0; round < rounds; ++round) {
        Connection racing = connection();
        if (round % 2) {
            racing.cause_events();
        } else { // destroyed while its first event comes in
            racing.advance_to(Step::request);
            must(racing.server.rej(rejection()));
        }
        must(racing.client.destroy());
        destroyed = racing.client.handle();
    }
    takers.clear(); // stops and joins them
    EXPECT_EQ(late, 0);
}

TEST_P(Destroy, DEL_NOWAIT_USER_WithUnacknowledgedEvents) {
    c.pile_up_events();
    const Taken taken = take(client_file, {.max = 2});
    ASSERT_EQ(taken.events.size(), 2U);
    Blocking<Error> destroy([&] { return c.client.destroy(); });
    EXPECT_EQ(destroy.result(), ok);
    EXPECT_EQ(acknowledge(client_file, acks_of(taken.events)), 2U);
}

TEST_P(Destroy, DEL_NOWAIT_USER_InTheHandlerOfItsOwnRequest) {
    must(c.client.req(request(c.path, c.service_id)));
    const Event req = take_one(server_file);
    Blocking<Error> destroy([&] { return born_of(server_file, req).destroy(); });
    EXPECT_EQ(destroy.result(), ok);
    c.client.expect(UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(acknowledge(server_file, {ack_of(req)}), 1U);
    // The listener goes on.
    const Id second = create(client_file);
    must(second.req(request(c.path, c.service_id)));
    EXPECT_EQ(take_one(server_file).head.type, UCMAD_EVENT_CM_REQ);
}

TEST_P(Destroy, DEL_NOWAIT_USER_ListenerWhileItsNewIdsAreHeld) {
    must(c.client.req(request(c.path, c.service_id)));
    const Event req = take_one(server_file);
    EXPECT_EQ(c.listener.destroy(), ok);
    // What was accepted from it lives on.
    acknowledge(server_file, {ack_of(req)});
    c.server = born_of(server_file, req);
    must(c.server.rep(reply()));
    c.client.expect(UCMAD_EVENT_CM_REP);
}

// What was sent before and is still to be repeated (for minutes, here) must not be waited for.
TEST_P(Destroy, DEL_NOWAIT_USER_AfterItsOwnRejectOfARequestUnderWay) {
    c.advance_to(Step::request);
    must(c.client.rej(rejection(rej_timeout)));
    Blocking<Error> destroy([&] { return c.client.destroy(); });
    EXPECT_EQ(destroy.result(), ok);
}

TEST_P(Destroy, DEL_NOWAIT_USER_AfterItsOwnRejectOfAReplyUnderWay) {
    c.advance_to(Step::reply);
    must(c.server.rej(rejection()));
    Blocking<Error> destroy([&] { return c.server.destroy(); });
    EXPECT_EQ(destroy.result(), ok);
}

TEST_P(Destroy, DEL_COUNT_IsExact) {
    EXPECT_EQ(create(client_file).destroy_and_count(), 0U);
    c.pile_up_events();
    EXPECT_EQ(c.client.destroy_and_count(), 3U);
}

TEST_P(Destroy, DEL_COUNT_WhatWasTakenIsNotDiscarded) {
    c.pile_up_events();
    take_one(client_file);
    EXPECT_EQ(c.client.destroy_and_count(), 2U);
}

TEST_P(Destroy, DEL_COUNT_ListenerWithUntakenRequests) {
    constexpr std::uint32_t requests = 5;
    std::vector<Id> clients;
    for (std::uint32_t i = 0; i < requests; ++i) {
        clients.push_back(create(client_file));
        must(clients.back().req(request(c.path, c.service_id)));
    }
    c.listener.wait_for_events(requests);
    EXPECT_EQ(c.listener.destroy_and_count(), requests);
    for (const Id& client : clients) {
        const Event rej = client.expect(UCMAD_EVENT_CM_REJ);
        EXPECT_EQ(rej.body<ucmad_cm_rej_event>().reason, rej_consumer);
    }
    EXPECT_EQ(take(server_file, {}).error, Error{EAGAIN});
    EXPECT_EQ(statistic("objects"), requests + 1) << "c.client and the clients";
}

// Every event is either taken or counted as discarded, whoever comes first.
TEST_P(Destroy, DEL_COUNT_IsExactAgainstATaker) {
    for (int round = 0; round < 40; ++round) {
        Connection racing = connection();
        racing.pile_up_events();
        std::atomic<bool> go{false};
        auto taker = std::async(std::launch::async, [&] {
            while (!go) {
            }
            return take(client_file, {.object = racing.client.handle(), .max = 2});
        });
        go = true;
        const std::uint32_t discarded = racing.client.destroy_and_count();
        const Taken taken = taker.get();
        ASSERT_EQ(taken.events.size() + discarded, 3U);
        must(racing.listener.destroy());
    }
}

} // namespace
} // namespace vm
