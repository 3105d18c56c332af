// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What can happen to a send at the same time, each pair in an order that the test sees to: nothing
// here is luck. What only the hardware can order is left to the storm.
#include "support/mad_test.hpp"
#include "support/process.hpp"
#include "support/stalling.hpp"

#include <optional>

namespace vm {
namespace {

class MadRace : public MadTest {
protected:
    void expect_only(std::uint32_t status, std::uint64_t cookie) const {
        const ucmad_mad_completion done = completion_of(agent.expect_completion());
        EXPECT_EQ(done.status, status);
        EXPECT_EQ(done.cookie, cookie);
        EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN}) << "MAD-ONE";
    }
    void wait_for_completion() const {
        wait_until(
            [&] { return take(client_file, {.max = 1, .room = 8}).error == Error{EMSGSIZE}; },
            "a completion that waits");
    }
    // Fires after every timer that was set before it, and was to take no longer.
    void let_timers_pass(std::uint32_t ms) const {
        const Mad mad = unanswered();
        agent.post(request_of(mad, to, 999, ms));
        EXPECT_EQ(completion_of(agent.expect_completion()).cookie, 999U);
    }

    const Agent agent = enroll(client_file, sender());
    const Agent server = enroll(server_file, responder());
    const Mad question = ping(1, 1);
};
VM_FOR_ALL_WAYS(MadRace);

TEST_P(MadRace, MAD_CANCEL_AfterTheResponse) {
    const std::uint32_t handle = agent.post(request_of(question, to, 1));
    server.answer(1);
    wait_for_completion();
    EXPECT_EQ(agent.cancel({handle}), ok);
    EXPECT_EQ(agent.cancel_all(), ok);
    expect_only(UCMAD_MAD_RESPONDED, 1);
}

TEST_P(MadRace, MAD_CANCEL_AfterTheTimeOut) {
    const Mad mad = unanswered();
    const std::uint32_t handle = agent.post(request_of(mad, to, 1, 10));
    wait_for_completion();
    EXPECT_EQ(agent.cancel({handle}), ok);
    expect_only(UCMAD_MAD_TIMED_OUT, 1);
}

TEST_P(MadRace, MAD_CANCEL_BeforeTheTimeOut) {
    const Mad mad = unanswered();
    const std::uint32_t handle = agent.post(request_of(mad, to, 1, 30, 3));
    EXPECT_EQ(agent.cancel({handle}), ok);
    expect_only(UCMAD_MAD_CANCELLED, 1);
    let_timers_pass(200);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
}

TEST_P(MadRace, MAD_CANCEL_BetweenTwoTries) {
    const Mad mad = ping(1, 1);
    const std::uint32_t handle = agent.post(request_of(mad, to, 1, 20, 15));
    server.wait_for_receives(3);
    EXPECT_EQ(agent.cancel({handle}), ok);
    const ucmad_mad_completion done = completion_of(agent.expect_completion());
    EXPECT_EQ(done.status, UCMAD_MAD_CANCELLED);
    EXPECT_GE(done.tries, 3U);
    let_timers_pass(100);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
}

TEST_P(MadRace, MAD_DEREG_AfterACancelDiscardsItsCompletion) {
    const Mad mad = unanswered();
    const std::uint32_t handle = agent.post(request_of(mad, to, 1));
    EXPECT_EQ(agent.cancel({handle}), ok);
    EXPECT_EQ(agent.id().destroy_and_count(), 1U);
    EXPECT_EQ(agent.cancel({handle}), Error{ENOENT});
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN}) << "DEL-SILENT";
}

TEST_P(MadRace, MAD_DEREG_WithTheResponseOnItsWay) {
    agent.post(request_of(question, to, 1));
    const Event request = server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    EXPECT_EQ(agent.id().destroy_and_count(), 1U);
    server.answer_to(request);
    EXPECT_EQ(completion_of(server.expect_completion()).status, UCMAD_MAD_SENT);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
}

TEST_P(MadRace, MAD_DEREG_OfTheOneWhoIsToAnswer) {
    agent.post(request_of(question, to, 1, 50));
    const Event request = server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    must(server.id().destroy());
    EXPECT_EQ(server.try_answer_to(request), Error{ENOENT});
    expect_only(UCMAD_MAD_TIMED_OUT, 1);
}

TEST_P(MadRace, TimeOutIsChangedAfterTheEnd) {
    const std::uint32_t handle = agent.post(request_of(question, to, 1));
    server.answer(1);
    wait_for_completion();
    EXPECT_EQ(agent.set_timeout(handle, 1), ok);
    expect_only(UCMAD_MAD_RESPONDED, 1);
    let_timers_pass(50);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
}

TEST_P(MadRace, EV_TARGET_WhoWaitsIsWokenByDeregister) {
    Blocking<Error> waiter(
        [&] { return take(client_file, {.object = agent.handle(), .timeout = limit()}).error; });
    waiter.wait_until_asleep();
    must(agent.id().destroy());
    EXPECT_EQ(waiter.result(), Error{ESHUTDOWN});
}

TEST_P(MadRace, DEL_HOTPLUG_CancelAndPostAfterTheDeviceHasGone) {
    const ExtraDevice extra;
    const Agent there = enroll(client_file, sender(extra.device()));
    const auto address = gsi_at(extra.device().path(gid()));
    const Mad mad = unanswered();
    const std::uint32_t handle = there.post(request_of(mad, address, 1));
    extra.remove();
    EXPECT_EQ(there.cancel({handle}), Error{ENODEV});
    EXPECT_EQ(there.try_post(request_of(mad, address, 2)), Error{ENODEV});
    EXPECT_EQ(completion_of(there.expect_completion()).status, UCMAD_MAD_FLUSHED);
    there.id().expect(UCMAD_EVENT_DEVICE_REMOVED);
}

// A call that stands still at the access to the program's memory.
class MadStalled : public MadRace {
protected:
    void SetUp() override {
        if (!StallingPage::is_possible()) {
            GTEST_SKIP() << "this kernel has no userfaultfd";
        }
        page.emplace();
    }
    std::optional<StallingPage> page;
};
VM_FOR_ALL_WAYS(MadStalled);

TEST_P(MadStalled, DEL_NOWAIT_USER_DeregisterDoesNotWaitForAPost) {
    Blocking<Error> post([&] {
        ucmad_mad_send send = request_of(question, to, 1);
        send.mad = address(page->data());
        return agent.try_post(send);
    });
    page->wait_for_access();
    EXPECT_EQ(agent.id().destroy_and_count(), 0U);
    page->release(question);
    EXPECT_EQ(post.result(), Error{ESHUTDOWN}) << "MAD-SHARE";
    EXPECT_EQ(statistic("sends"), 0U);
}

TEST_P(MadStalled, DEL_NOWAIT_USER_DeregisterDoesNotWaitForAnAnswer) {
    agent.post(request_of(question, to, 1, 50));
    const Event request = server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    Blocking<Error> answer([&] {
        ucmad_mad_send send = answer_of(question, request);
        send.mad = address(page->data());
        return server.try_post(send);
    });
    page->wait_for_access();
    must(server.id().destroy());
    page->release(ping(0, 2, method_get_resp));
    EXPECT_NE(answer.result(), ok);
    expect_only(UCMAD_MAD_TIMED_OUT, 1);
}

TEST_P(MadStalled, DEL_NOWAIT_USER_DeregisterDoesNotWaitForACancel) {
    const Mad mad = unanswered();
    const std::uint32_t handle = agent.post(request_of(mad, to, 1));
    Blocking<Error> cancel([&] {
        ucmad_mad_cancel arg{};
        arg.handles = address(page->data());
        arg.count = 1;
        return agent.id().call(UCMAD_IOCTL_MAD_CANCEL, &arg);
    });
    page->wait_for_access();
    EXPECT_EQ(agent.id().destroy_and_count(), 1U);
    page->release(std::span(reinterpret_cast<const std::uint8_t*>(&handle), sizeof handle));
    EXPECT_EQ(cancel.result(), Error{ENOENT});
}

TEST_P(MadStalled, DEL_SILENT_CompletionInHandOfADeregisteredAgent) {
    agent.post(request_of(question, to, 1));
    server.answer(1);
    wait_for_completion();
    Blocking<Error> call([&] {
        auto arg = sized<ucmad_events>();
        arg.buffer = address(page->data());
        arg.buffer_len = StallingPage::size;
        return client_file.call(UCMAD_IOCTL_EVENTS, &arg);
    });
    page->wait_for_access();
    EXPECT_EQ(agent.id().destroy_and_count(), 1U) << "DEL-COUNT: the one in hand, too";
    page->release();
    EXPECT_EQ(call.result(), Error{EAGAIN});
}

} // namespace
} // namespace vm
