// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the library promises of sends: each ends exactly once, before deregister() returns at the
// latest.
#include "eventually.hpp"
#include "fake_device.hpp"

#include <ucmad/mad_client.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

namespace ucmad {
namespace {

using test::eventually;
using test::FakeDevice;

class MadClientTest : public testing::Test {
protected:
    /// Ends the n-th send that was posted.
    void complete(std::size_t n, SendStatus status, Bytes response = {}) {
        const ucmad_mad_send send = device.posted(n);
        ucmad_mad_completion body{};
        body.cookie = send.cookie;
        body.handle = send.handle;
        body.status = static_cast<__u32>(status);
        body.tries = 2;
        device.post(Handle{1}, UCMAD_EVENT_MAD_SEND, std::as_bytes(std::span{&body, 1}), response);
    }

    FakeDevice device;
    const Context context{device.open()};
    Dispatcher dispatcher{context};
    MadClient client{dispatcher, context, {}};
    const Mad mad = Ping::request();
    const MadAddress to = gsi_address(std::uint16_t{7});
    int calls = 0;
    SendStatus last{};
    const SendHandler note = [this](const MadResult& result) {
        ++calls;
        last = result.status;
    };
};

TEST_F(MadClientTest, HandlerIsToldOnce) {
    const SendHandle handle = client.post(mad, to, {}, note);
    EXPECT_NE(handle, SendHandle::none);
    EXPECT_EQ(calls, 0);
    complete(0, SendStatus::timed_out);
    EXPECT_EQ(dispatcher.poll(), 1U);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(last, SendStatus::timed_out);
    complete(0, SendStatus::timed_out); // a module that tells it twice
    EXPECT_EQ(dispatcher.poll(), 1U);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(client.deregister(), 0U);
    EXPECT_EQ(calls, 1);
}

TEST_F(MadClientTest, WhatIsPostedIsWhatTheModuleGets) {
    client.post(mad, to, {std::chrono::milliseconds{250}, 4}, note);
    const ucmad_mad_send send = device.posted(0);
    EXPECT_EQ(send.timeout_ms, 250U);
    EXPECT_EQ(send.retries, 4U);
    EXPECT_EQ(send.mad_len, mad.size());
    EXPECT_EQ(send.to.dlid, 7U);
    EXPECT_EQ(send.flags, 0U);
    client.post(mad, to, no_response, note);
    EXPECT_EQ(device.posted(1).flags, static_cast<__u32>(UCMAD_SEND_NO_RESPONSE));
    client.answer({.request = 5}, mad, note);
    EXPECT_EQ(device.posted(2).in_reply_to, 5U);
    EXPECT_EQ(device.posted(2).flags, static_cast<__u32>(UCMAD_SEND_NO_RESPONSE));
    EXPECT_EQ(device.posted(2).to.qpn, 0U);
}

TEST_F(MadClientTest, DeregisterEndsWhatIsOutstanding) {
    client.post(mad, to, {}, note);
    client.post(mad, to, {}, note);
    std::future<MadResult> future = client.submit(mad, to);
    EXPECT_EQ(client.deregister(), 3U);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(last, SendStatus::flushed);
    EXPECT_EQ(future.get().error(), std::error_code(ESHUTDOWN, std::system_category()));
    EXPECT_EQ(device.objects(), 0U);
    EXPECT_THROW(client.post(mad, to, {}, note), std::system_error);
    EXPECT_EQ(calls, 2) << "not of what was not accepted";
    EXPECT_EQ(client.deregister(), 0U);
}

TEST_F(MadClientTest, CompletionThatWasNotTakenIsFlushedOnce) {
    client.post(mad, to, {}, note);
    complete(0, SendStatus::responded, mad);
    EXPECT_EQ(client.deregister(), 1U);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(last, SendStatus::flushed);
}

TEST_F(MadClientTest, RefusedPostHasNoHandler) {
    device.fail_next(UCMAD_IOCTL_MAD_POST, EAGAIN);
    try {
        client.post(mad, to, {}, note);
        ADD_FAILURE() << "it was refused";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::resource_unavailable_try_again);
    }
    client.deregister();
    EXPECT_EQ(calls, 0);
}

TEST_F(MadClientTest, FutureHasTheResponse) {
    std::future<MadResult> future = client.submit(mad, to);
    const Mad answer = Ping::answer(mad, "me");
    complete(0, SendStatus::responded, answer);
    dispatcher.poll();
    const MadResult result = future.get();
    EXPECT_FALSE(result.error());
    EXPECT_EQ(result.tries, 2U);
    EXPECT_EQ(Ping::name(result.mad), "me");
}

TEST_F(MadClientTest, CoroutineGoesOnWithTheResult) {
    std::optional<SendStatus> first, second;
    const auto ask = [&]() -> Detached {
        first = (co_await client.request(mad, to)).status;
        second = (co_await client.request(mad, to)).status;
    };
    ask();
    EXPECT_FALSE(first);
    complete(0, SendStatus::unreachable);
    dispatcher.poll();
    EXPECT_EQ(first, SendStatus::unreachable);
    EXPECT_FALSE(second);
    client.deregister();
    EXPECT_EQ(second, SendStatus::flushed);
}

TEST_F(MadClientTest, CoroutineSeesThatAPostIsRefused) {
    bool refused = false;
    const auto ask = [&]() -> Detached {
        try {
            co_await client.request(mad, to);
        } catch (const std::system_error& error) {
            refused = error.code() == std::errc::invalid_argument;
        }
    };
    device.fail_next(UCMAD_IOCTL_MAD_POST, EINVAL);
    ask();
    EXPECT_TRUE(refused);
}

TEST_F(MadClientTest, DeregisterInItsOwnHandlerDoesNotWaitForItself) {
    client.post(mad, to, {}, [&](const MadResult&) { EXPECT_EQ(client.deregister(), 1U); });
    client.post(mad, to, {}, note);
    complete(0, SendStatus::sent);
    dispatcher.poll();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(last, SendStatus::flushed);
}

TEST_F(MadClientTest, DeregisterWaitsForAHandlerOnAnotherThread) {
    std::atomic<bool> inside = false, go_on = false, over = false;
    client.post(mad, to, {}, [&](const MadResult&) {
        inside = true;
        EXPECT_TRUE(eventually([&] { return go_on.load(); }));
        over = true;
    });
    complete(0, SendStatus::sent);
    dispatcher.start();
    ASSERT_TRUE(eventually([&] { return inside.load(); }));
    std::jthread other{[&] { go_on = true; }};
    client.deregister();
    EXPECT_TRUE(over);
}

TEST_F(MadClientTest, WhatAHandlerThrowsComesOutOfTheDispatcher) {
    client.post(mad, to, {}, [](const MadResult&) { throw std::runtime_error("mine"); });
    client.post(mad, to, {}, note);
    complete(0, SendStatus::sent);
    complete(1, SendStatus::sent);
    EXPECT_THROW(dispatcher.poll(), std::runtime_error);
    dispatcher.poll();
    EXPECT_EQ(calls, 1);
}

TEST_F(MadClientTest, CancelCannotFail) {
    const SendHandle handle = client.post(mad, to, {}, note);
    client.cancel(handle);
    EXPECT_EQ(device.last<ucmad_mad_cancel>(UCMAD_IOCTL_MAD_CANCEL).count, 1U);
    client.cancel_all();
    EXPECT_EQ(device.last<ucmad_mad_cancel>(UCMAD_IOCTL_MAD_CANCEL).count, 0U);
    device.fail_next(UCMAD_IOCTL_MAD_CANCEL, ENOENT);
    client.cancel(handle);
    client.deregister();
    client.cancel(handle);
    EXPECT_EQ(calls, 1);
}

TEST_F(MadClientTest, UnsolicitedMadsAndTheEndOfTheDevice) {
    std::vector<std::string> seen;
    MadClientHandlers handlers;
    handlers.received = [&](const IncomingMad& incoming) {
        seen.push_back("request " + std::to_string(incoming.request));
    };
    handlers.removed = [&] { seen.emplace_back("removed"); };
    MadAgentParams params;
    params.responds_to_ping();
    const MadClient server{dispatcher, context, params, handlers};
    const auto args = device.last<ucmad_mad_register>(UCMAD_IOCTL_MAD_REGISTER);
    EXPECT_EQ(args.method_mask[0], 2U);
    EXPECT_EQ(args.mgmt_class, ping_class);
    ucmad_mad_receive body{};
    body.request = 42;
    device.post(Handle{2}, UCMAD_EVENT_MAD_RECEIVE, std::as_bytes(std::span{&body, 1}), mad);
    device.post(Handle{2}, UCMAD_EVENT_DEVICE_REMOVED);
    dispatcher.poll();
    EXPECT_EQ(seen, (std::vector<std::string>{"request 42", "removed"}));
}

TEST_F(MadClientTest, StormOfPostsWhileItIsDeregistered) {
    std::atomic<int> accepted = 0, ended = 0;
    dispatcher.start(2);
    {
        std::vector<std::jthread> posters;
        for (int i = 0; i < 4; ++i)
            posters.emplace_back([&] {
                try {
                    for (;;) {
                        client.post(mad, to, {}, [&](const MadResult&) { ++ended; });
                        ++accepted;
                    }
                } catch (const std::system_error& error) {
                    EXPECT_EQ(error.code(), std::error_code(ESHUTDOWN, std::system_category()));
                }
            });
        EXPECT_TRUE(eventually([&] { return accepted > 1000; }));
        for (std::size_t i = 0; i < 500; ++i)
            complete(i, SendStatus::responded, mad);
        client.deregister();
    }
    EXPECT_EQ(accepted, ended);
}

TEST(MadAgentBatch, MAD_PARTIAL_SaysHowFarItCame) {
    FakeDevice device;
    const Context context{device.open()};
    const MadAgent agent = MadAgent::create(context, {});
    const Mad mad{};
    std::vector<MadSend> sends(100, MadSend{.mad = mad});
    device.accept_sends(70);
    const Posted posted = agent.post(sends);
    EXPECT_EQ(posted.count, 70U);
    EXPECT_EQ(posted.error, std::errc::resource_unavailable_try_again);
    EXPECT_NE(sends[69].handle, SendHandle::none);
    EXPECT_EQ(sends[70].handle, SendHandle::none);
}

} // namespace
} // namespace ucmad
