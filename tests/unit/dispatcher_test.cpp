// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "eventually.hpp"
#include "fake_device.hpp"

#include <ucmad/dispatcher.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ucmad {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::FakeDevice;

class DispatcherTest : public testing::Test {
protected:
    FakeDevice device;
    Context context{device.open()};

    CmId make_id(std::uint64_t user_context = 0) { return CmId::create(context, 0, user_context); }

    void post(const CmId& id) { device.post(id.handle(), UCMAD_EVENT_CM_RTU); }
};

// ---- order and concurrency --------------------------------------------------------------------

TEST_F(DispatcherTest, HandlersOfOneObjectRunInOrderAndNeverSideBySide) { // EV-FIFO, EV-SERIAL
    constexpr std::size_t objects = 6;
    constexpr std::uint64_t events = 300;
    struct Seen {
        std::atomic<int> inside = 0;
        std::uint64_t last = 0; // without a lock: the thread sanitizer sees it if handlers overlap
        std::atomic<std::uint64_t> count = 0;
    };
    std::vector<CmId> ids;
    std::vector<Seen> seen(objects);
    std::atomic<bool> wrong = false;
    Dispatcher dispatcher{context};
    std::vector<Registration> registrations;
    for (std::size_t i = 0; i < objects; ++i) {
        ids.push_back(make_id(i));
        registrations.push_back(dispatcher.add(ids[i], [&](const EventView& event) {
            Seen& mine = seen[event.context];
            wrong = wrong || ++mine.inside != 1 || event.sequence != mine.last + 1;
            mine.last = event.sequence;
            std::this_thread::yield();
            --mine.inside;
            ++mine.count;
        }));
    }
    // Posted before the threads start, so that there is always a next event of the same object.
    for (std::uint64_t n = 0; n < events; ++n)
        for (const CmId& id : ids)
            post(id);
    dispatcher.start(4);
    for (const Seen& each : seen)
        EXPECT_TRUE(eventually([&] { return each.count == events; }));
    EXPECT_FALSE(wrong);
}

TEST_F(DispatcherTest, HandlersOfDifferentObjectsRunSideBySide) {
    const CmId a = make_id();
    const CmId b = make_id();
    std::latch both{2};
    std::atomic<int> done = 0;
    const auto meet = [&](const EventView&) {
        both.arrive_and_wait(); // returns only when the other handler is here, too
        ++done;
    };
    Dispatcher dispatcher{context};
    const Registration registrations[] = {dispatcher.add(a, meet), dispatcher.add(b, meet)};
    dispatcher.start(2);
    post(a);
    post(b);
    EXPECT_TRUE(eventually([&] { return done == 2; }));
}

TEST_F(DispatcherTest, OneIoctlForEachEvent) { // EV-BATCH
    constexpr std::size_t events = 100;
    const CmId id = make_id();
    std::size_t count = 0;
    Dispatcher dispatcher{context};
    const Registration registration = dispatcher.add(id, [&](const EventView&) {
        if (++count == events)
            dispatcher.stop();
    });
    for (std::size_t i = 0; i < events; ++i)
        post(id);
    const std::size_t before = device.count(UCMAD_IOCTL_EVENTS);
    dispatcher.run();
    EXPECT_EQ(count, events);
    EXPECT_EQ(device.count(UCMAD_IOCTL_EVENTS) - before, events + 1)
        << "and the last acknowledgement";
    EXPECT_FALSE(device.held(id.handle()));
}

// ---- destruction ------------------------------------------------------------------------------

/// A handler that stays in until it is overtaken, or until it is clear that it will not be.
class SlowHandler {
public:
    void operator()(const EventView&) {
        entered_.set_value();
        // That it does not come is what is tested, so the time is waited for in full.
        overtaken_.set_value(deregistered_.get_future().wait_for(200ms) ==
                             std::future_status::ready);
    }

    void wait_until_entered() { entered_.get_future().wait(); }
    void deregistered() { deregistered_.set_value(); }

    /// Waits until the handler has come to its verdict.
    [[nodiscard]] bool overtaken() { return overtaken_.get_future().get(); }

private:
    std::promise<void> entered_;
    std::promise<void> deregistered_;
    std::promise<bool> overtaken_;
};

TEST_F(DispatcherTest, DeregisterWaitsForTheHandlerThatRuns) {
    const CmId id = make_id();
    SlowHandler slow;
    Dispatcher dispatcher{context};
    Registration registration = dispatcher.add(id, std::ref(slow));
    dispatcher.start();
    post(id);
    slow.wait_until_entered();
    registration.deregister();
    slow.deregistered();
    EXPECT_FALSE(slow.overtaken());
    EXPECT_FALSE(registration);
}

TEST_F(DispatcherTest, DestructorWaitsAsWell) {
    const CmId id = make_id();
    SlowHandler slow;
    Dispatcher dispatcher{context};
    {
        const Registration registration = dispatcher.add(id, std::ref(slow));
        dispatcher.start();
        post(id);
        slow.wait_until_entered();
    }
    slow.deregistered();
    EXPECT_FALSE(slow.overtaken());
}

TEST_F(DispatcherTest, NoHandlerRunsAfterDeregister) { // DEL-SILENT, across threads
    const CmId id = make_id();
    std::atomic<bool> finished = false;
    std::atomic<bool> wrong = false;
    std::atomic<int> ran = 0;
    Dispatcher dispatcher{context};
    dispatcher.start(3);
    std::thread poster{[&] {
        while (!finished) {
            if (device.queued(id.handle()) < 4)
                post(id);
            std::this_thread::yield();
        }
    }};
    for (int i = 0; i < 300; ++i) {
        auto alive = std::make_shared<std::atomic<bool>>(true);
        Registration registration = dispatcher.add(id, [&, alive](const EventView&) {
            wrong = wrong || !*alive;
            ++ran;
        });
        const int before = ran;
        EXPECT_TRUE(eventually([&] { return ran > before; }));
        registration.deregister();
        *alive = false;
        EXPECT_EQ(alive.use_count(), 1) << "the handler is freed when deregister() returns";
    }
    finished = true;
    poster.join();
    EXPECT_FALSE(wrong);
}

TEST_F(DispatcherTest, HandlerMayDestroyWhatItRunsFor) { // DEL-NOWAIT-USER
    struct Peer {
        CmId id;
        Registration registration;
        std::string name = "a string that is long enough to be on the heap";
    };
    auto peer = std::make_unique<Peer>();
    peer->id = make_id();
    const Handle handle = peer->id.handle();
    const auto captured = std::make_shared<int>(42);
    std::promise<int> result;
    Dispatcher dispatcher{context};
    peer->registration = dispatcher.add(peer->id, [&, captured](const EventView& event) {
        peer.reset(); // without waiting for itself
        // What was captured and the event are there until the handler returns.
        result.set_value(event.sequence == 1 ? *captured : 0);
    });
    dispatcher.start();
    device.post(handle, UCMAD_EVENT_CM_DREQ);
    device.post(handle, UCMAD_EVENT_CM_TIMEWAIT_EXIT);
    EXPECT_EQ(result.get_future().get(), 42);
    EXPECT_FALSE(device.exists(handle));
    EXPECT_TRUE(eventually([&] { return captured.use_count() == 1; })) << "and is freed then";
}

TEST_F(DispatcherTest, HandlerMayReplaceItself) {
    const CmId id = make_id();
    Registration registration;
    std::atomic<int> first = 0;
    std::atomic<int> second = 0;
    Dispatcher dispatcher{context};
    registration = dispatcher.add(id, [&](const EventView&) {
        ++first;
        registration.deregister();
        registration = dispatcher.add(id, [&](const EventView&) { ++second; });
    });
    post(id);
    post(id);
    post(id);
    dispatcher.start(2);
    EXPECT_TRUE(eventually([&] { return second == 2; }));
    EXPECT_EQ(first, 1);
}

TEST_F(DispatcherTest, HandlerMayDeregisterAnother) {
    const CmId a = make_id();
    const CmId b = make_id();
    SlowHandler slow;
    std::promise<void> done;
    Dispatcher dispatcher{context};
    Registration of_b = dispatcher.add(b, std::ref(slow));
    const Registration of_a = dispatcher.add(a, [&](const EventView&) {
        of_b.deregister();
        slow.deregistered();
        done.set_value();
    });
    dispatcher.start(2);
    post(b);
    slow.wait_until_entered();
    post(a);
    done.get_future().wait();
    EXPECT_FALSE(slow.overtaken());
}

TEST_F(DispatcherTest, RegistrationMayOutliveTheDispatcher) {
    const CmId id = make_id();
    Registration registration;
    {
        Dispatcher dispatcher{context};
        dispatcher.start();
        registration = dispatcher.add(id, [](const EventView&) {});
    }
    EXPECT_TRUE(registration);
    registration.deregister();
    EXPECT_FALSE(registration);
}

TEST_F(DispatcherTest, AssignmentDeregistersTheOld) {
    const CmId id = make_id();
    Dispatcher dispatcher{context};
    Registration registration = dispatcher.add(id, [](const EventView&) {});
    registration = Registration{};
    registration = dispatcher.add(id, [](const EventView&) {});
    Registration moved = std::move(registration);
    EXPECT_TRUE(moved);
    EXPECT_THROW((void)dispatcher.add(id, [](const EventView&) {}), std::system_error);
}

// ---- listeners --------------------------------------------------------------------------------

TEST_F(DispatcherTest, NewIdGetsItsContextAndHandlerBeforeItsNextEvent) { // EV-ACCEPT, EV-CONTEXT
    const CmId listener = make_id(1);
    std::mutex mutex;
    std::map<Handle, std::pair<CmId, Registration>> accepted;
    std::atomic<int> seconds = 0;
    std::atomic<bool> wrong = false;
    Dispatcher dispatcher{context};
    const Registration registration = dispatcher.add_listener(listener, [&](Request& request) {
        const Handle handle = request.id.handle();
        wrong = wrong || request.event.context != 1 || request.req() == nullptr;
        request.context = static_cast<std::uint64_t>(handle) + 1000;
        Registration mine = dispatcher.add(request.id, [&, handle](const EventView& event) {
            wrong = wrong || event.object != handle || event.sequence != 2 ||
                    event.context != static_cast<std::uint64_t>(handle) + 1000;
            ++seconds;
        });
        const std::lock_guard lock{mutex};
        accepted.emplace(handle, std::pair{std::move(request.id), std::move(mine)});
    });
    dispatcher.start(4);
    constexpr int requests = 200;
    for (int i = 0; i < requests; ++i)
        device.post(device.post_req(listener.handle()), UCMAD_EVENT_CM_REJ,
                    std::vector<std::byte>(sizeof(ucmad_cm_rej_event)));
    EXPECT_TRUE(eventually([&] { return seconds == requests; }));
    EXPECT_FALSE(wrong);
    EXPECT_EQ(device.count(UCMAD_IOCTL_SET_CONTEXT), 0U) << "set with the acknowledgement";
    EXPECT_EQ(dispatcher.dropped(), 0U);
}

TEST_F(DispatcherTest, RequestsOfAListenerAreHandledSideBySide) {
    const CmId listener = make_id();
    std::latch both{2};
    std::atomic<int> done = 0;
    Dispatcher dispatcher{context};
    Registration registration = dispatcher.add_listener(listener, [&](Request&) {
        both.arrive_and_wait();
        ++done;
    });
    dispatcher.start(2);
    device.post_req(listener.handle());
    device.post_req(listener.handle());
    both.wait();
    registration.deregister();
    EXPECT_EQ(done, 2) << "deregister() waits for all of them";
}

TEST_F(DispatcherTest, RequestThatNobodyWantsIsDestroyed) {
    const CmId listener = make_id();
    Dispatcher dispatcher{context};
    const Registration registration = dispatcher.add_listener(listener, [](Request&) {});
    dispatcher.start();
    const Handle request = device.post_req(listener.handle());
    EXPECT_TRUE(eventually([&] { return !device.exists(request); }));
}

TEST_F(DispatcherTest, ListenersOwnEvents) {
    const CmId listener = make_id();
    std::promise<Handle> removed;
    Dispatcher dispatcher{context};
    const Registration registration = dispatcher.add_listener(
        listener, [](Request&) {},
        [&](const EventView& event) { removed.set_value(event.object); });
    dispatcher.start();
    device.post(listener.handle(), UCMAD_EVENT_DEVICE_REMOVED);
    EXPECT_EQ(removed.get_future().get(), listener.handle());
}

// ---- what has no handler ----------------------------------------------------------------------

TEST_F(DispatcherTest, EventsWithoutAHandlerAreCounted) {
    const CmId id = make_id();
    const CmId listener = make_id();
    Dispatcher dispatcher{context};
    dispatcher.start();
    post(id);
    const Handle request = device.post_req(listener.handle());
    EXPECT_TRUE(eventually([&] { return dispatcher.dropped() == 2; }));
    EXPECT_TRUE(eventually([&] { return !device.exists(request); })) << "its peer is rejected";
    EXPECT_TRUE(eventually([&] { return !device.held(id.handle()); })) << "and it is acknowledged";
}

TEST_F(DispatcherTest, EventsWithoutAHandlerGoToUnhandled) {
    const CmId listener = make_id();
    std::promise<Handle> seen;
    Dispatcher dispatcher{context, {.unhandled = [&](const EventView& event) {
                              CmId::adopt(context, event.object).release();
                              seen.set_value(event.object);
                          }}};
    dispatcher.start();
    const Handle request = device.post_req(listener.handle());
    EXPECT_EQ(seen.get_future().get(), request);
    EXPECT_TRUE(device.exists(request)) << "it is the handler's";
    EXPECT_EQ(dispatcher.dropped(), 0U);
}

// ---- threads ----------------------------------------------------------------------------------

TEST_F(DispatcherTest, ExceptionOfAHandlerComesOutOfRun) {
    const CmId id = make_id();
    int count = 0;
    Dispatcher dispatcher{context};
    const Registration registration = dispatcher.add(id, [&](const EventView&) {
        if (++count == 1)
            throw std::runtime_error("first");
        dispatcher.stop();
    });
    post(id);
    post(id);
    EXPECT_THROW(dispatcher.run(), std::runtime_error);
    EXPECT_FALSE(device.held(id.handle())) << "it is acknowledged all the same";
    dispatcher.run();
    EXPECT_EQ(count, 2);
}

TEST_F(DispatcherTest, ErrorOfTheDeviceComesOutOfRun) {
    Dispatcher dispatcher{context};
    device.fail_next(UCMAD_IOCTL_EVENTS, EBADF);
    EXPECT_THROW(dispatcher.run(), std::system_error);
}

TEST_F(DispatcherTest, SignalsDoNotEndIt) {
    const CmId id = make_id();
    Dispatcher dispatcher{context};
    const Registration registration =
        dispatcher.add(id, [&](const EventView&) { dispatcher.stop(); });
    post(id);
    device.fail_next(UCMAD_IOCTL_EVENTS, EINTR);
    EXPECT_NO_THROW(dispatcher.run());
}

TEST_F(DispatcherTest, StopWakesIdleThreadsAndLeavesEventsInTheFile) {
    const CmId id = make_id();
    std::atomic<int> count = 0;
    Dispatcher dispatcher{context};
    const Registration registration = dispatcher.add(id, [&](const EventView&) {
        ++count;
        dispatcher.stop();
    });
    dispatcher.start(3);
    post(id);
    dispatcher.join();
    EXPECT_EQ(count, 1);
    post(id);
    dispatcher.run(); // returns at once
    EXPECT_EQ(count, 1);
    EXPECT_EQ(device.queued(id.handle()), 1U);
    EventBatch batch;
    EXPECT_EQ(context.take(batch, {.timeout = no_wait}), 1U) << "nothing is held";
}

TEST_F(DispatcherTest, StartTwiceFails) {
    Dispatcher dispatcher{context};
    dispatcher.start();
    EXPECT_THROW(dispatcher.start(), std::system_error);
}

TEST_F(DispatcherTest, StopsWithoutEverHavingRun) {
    Dispatcher dispatcher{context};
    dispatcher.stop();
    dispatcher.join();
}

TEST_F(DispatcherTest, KeepsTheFileOpen) {
    const CmId id = make_id();
    std::promise<void> handled;
    auto other = std::make_unique<Context>(device.open());
    Dispatcher dispatcher{*other};
    const Registration registration =
        dispatcher.add(id, [&](const EventView&) { handled.set_value(); });
    other.reset();
    dispatcher.start();
    post(id);
    EXPECT_EQ(handled.get_future().wait_for(30s), std::future_status::ready);
}

} // namespace
} // namespace ucmad
