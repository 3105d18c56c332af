// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// EV-FIFO, EV-SERIAL, EV-FAIR: in which order and to whom events are given.
#include "support/fixture.hpp"

#include <map>
#include <mutex>

namespace vm {
namespace {

class EventOrder : public GidTest {};
VM_FOR_BOTH_GIDS(EventOrder);

const std::vector<int> types_piled_up = {UCMAD_EVENT_CM_MRA, UCMAD_EVENT_CM_REP,
                                         UCMAD_EVENT_CM_REJ};

std::vector<int> types_of(const std::vector<Event>& events) {
    std::vector<int> types;
    for (const Event& event : events) {
        types.push_back(event.head.type);
    }
    return types;
}

void expect_ascending(const std::vector<Event>& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
        EXPECT_EQ(events[i].head.sequence, i + 1);
        if (i) {
            EXPECT_GE(events[i].head.time, events[i - 1].head.time);
        }
    }
}

TEST_P(EventOrder, EV_FIFO_InOneBatch) {
    Connection c = connection();
    c.pile_up_events();
    const Taken taken = take(client_file, {.max = 3, .timeout = limit()});
    ASSERT_EQ(taken.error, ok);
    EXPECT_EQ(types_of(taken.events), types_piled_up);
    expect_ascending(taken.events);
}

TEST_P(EventOrder, EV_FIFO_ByName) {
    Connection c = connection();
    c.pile_up_events();
    std::vector<Event> events;
    for (const int type : types_piled_up) {
        events.push_back(c.client.expect(static_cast<std::uint16_t>(type)));
    }
    expect_ascending(events);
}

TEST_P(EventOrder, EV_FIFO_NamedAndAnyMixed) {
    Connection c = connection();
    c.pile_up_events();
    std::vector<Event> events;
    events.push_back(take_one(client_file));
    events.push_back(c.client.expect(UCMAD_EVENT_CM_REP));
    events.push_back(take_one(client_file, 0, acks_of(events)));
    EXPECT_EQ(types_of(events), types_piled_up);
    expect_ascending(events);
}

TEST_P(EventOrder, EV_SERIAL_HeldObjectGivesNothingToOthers) {
    Connection c = connection();
    c.pile_up_events();
    const Event first = take_one(client_file);
    EXPECT_TRUE(first.head.flags & UCMAD_EVENT_HELD);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
    EXPECT_EQ(take(client_file, {.timeout = scaled(100ms)}).error, Error{ETIMEDOUT});

    // A hold belongs to the object: it is another thread that lets go of it.
    Blocking<Event> other([&] { return take_one(client_file); });
    other.wait_until_asleep();
    EXPECT_EQ(acknowledge(client_file, {ack_of(first)}), 0U);
    EXPECT_EQ(other.result().head.type, UCMAD_EVENT_CM_REP);
}

TEST_P(EventOrder, EV_SERIAL_BatchIsHeldUntilItsLastIsAcknowledged) {
    Connection c = connection();
    c.pile_up_events();
    const Taken batch = take(client_file, {.max = 2});
    ASSERT_EQ(batch.events.size(), 2U);
    EXPECT_EQ(acknowledge(client_file, {ack_of(batch.events[0])}), 0U);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
    EXPECT_EQ(acknowledge(client_file, {ack_of(batch.events[1])}), 0U);
    EXPECT_EQ(take_one(client_file).head.type, UCMAD_EVENT_CM_REJ);
}

TEST_P(EventOrder, EV_SERIAL_LastAcknowledgementCoversThoseBefore) {
    Connection c = connection();
    c.pile_up_events();
    const Taken batch = take(client_file, {.max = 2});
    ASSERT_EQ(batch.events.size(), 2U);
    EXPECT_EQ(acknowledge(client_file, {ack_of(batch.events[1])}), 0U);
    EXPECT_EQ(take_one(client_file).head.type, UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(acknowledge(client_file, {ack_of(batch.events[0])}), 1U) << "was let go before";
}

TEST_P(EventOrder, EV_SERIAL_DifferentObjectsAreHandledSideBySide) {
    Connection one = connection();
    Connection two = connection();
    one.pile_up_events();
    two.pile_up_events();
    const Event first = take_one(client_file);
    const Event second = take_one(client_file);
    EXPECT_NE(first.head.object, second.head.object);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
}

// What the threads of a server see of one object.
struct Handling {
    bool running = false;
    std::uint64_t last = 0;
};

TEST_P(EventOrder, EV_SERIAL_ManyThreadsNeverHandleOneObjectTwiceAtOnce) {
    constexpr int connections = 24;
    constexpr std::size_t events = connections * 3;
    std::vector<Connection> all;
    for (int i = 0; i < connections; ++i) {
        all.push_back(connection());
    }
    std::mutex lock;
    std::map<std::uint32_t, Handling> objects;
    std::atomic<std::size_t> handled{0};
    std::atomic<int> overlaps{0};
    std::atomic<int> disorders{0};

    const auto handle = [&](const Event& event) {
        {
            const std::scoped_lock guard(lock);
            Handling& object = objects[event.head.object];
            overlaps += object.running ? 1 : 0;
            disorders += event.head.sequence == object.last + 1 ? 0 : 1;
            object = {true, event.head.sequence};
        }
        std::this_thread::yield(); // an invitation to overlap
        const std::scoped_lock guard(lock);
        objects[event.head.object].running = false;
        ++handled;
    };
    const auto serve = [&](const std::stop_token& stop) {
        std::vector<ucmad_ack> acks;
        while (!stop.stop_requested()) {
            const Taken taken =
                take(client_file, {.max = 1, .timeout = 50ms, .acks = std::move(acks)});
            for (const Event& event : taken.events) {
                handle(event);
            }
            acks = acks_of(taken.events);
        }
    };
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back(serve);
    }
    for (Connection& c : all) {
        c.cause_events();
    }
    // On a slow machine, the end of time-wait comes meanwhile, too.
    EXPECT_TRUE(eventually([&] { return handled >= events; })) << handled << " of " << events;
    threads.clear(); // stops and joins them
    EXPECT_EQ(overlaps, 0);
    EXPECT_EQ(disorders, 0) << "EV-FIFO";
}

TEST_P(EventOrder, EV_FAIR_ReadyObjectsAreServedInTurn) {
    constexpr std::size_t objects = 4;
    std::vector<Connection> all;
    for (std::size_t i = 0; i < objects; ++i) {
        all.push_back(connection());
        all.back().pile_up_events();
    }
    std::vector<ucmad_ack> acks;
    for (const int type : types_piled_up) {
        std::map<std::uint32_t, int> served;
        for (std::size_t i = 0; i < objects; ++i) {
            const Event event = take_one(client_file, 0, std::move(acks));
            acks = {ack_of(event)};
            EXPECT_EQ(event.head.type, type);
            ++served[event.head.object];
        }
        EXPECT_EQ(served.size(), objects) << "one object was served twice before another once";
    }
}

TEST_P(EventOrder, EV_FAIR_FloodOfRequestsDoesNotHoldUpAConnection) {
    constexpr std::uint32_t flood = 40;
    Connection quiet = connected();
    const std::uint64_t service = new_service_id();
    const Id listener = create(server_file);
    ASSERT_EQ(listener.listen(listening(service, flood)), ok);
    std::vector<Id> clients;
    for (std::uint32_t i = 0; i < flood; ++i) {
        clients.push_back(create(client_file));
        ASSERT_EQ(clients.back().req(request(path(), service)), ok);
    }
    listener.wait_for_events(flood);
    ASSERT_EQ(quiet.client.dreq(), ok);
    quiet.server.wait_for_events(1);

    // A REQ comes first, and perhaps one more; then it is the connection's turn.
    std::vector<ucmad_ack> acks;
    std::uint32_t before = 0;
    for (;; ++before) {
        const Event event = take_one(server_file, 0, std::move(acks));
        if (event.head.object == quiet.server.handle()) {
            break;
        }
        acks = {ack_of(event)};
    }
    EXPECT_LE(before, 2U);
}

} // namespace
} // namespace vm
