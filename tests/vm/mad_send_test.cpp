// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// MAD-ONE, MAD-PAIR, MAD-CANCEL, MAD-PARTIAL: what becomes of a send.
#include "support/mad_test.hpp"

#include <set>

namespace vm {
namespace {

class MadSend : public MadTest {
protected:
    void expect_status(const Agent& from, std::uint32_t status) const {
        EXPECT_EQ(completion_of(from.expect_completion()).status, status);
    }
    // ib_mad drops them unseen.
    void expect_stray(const char* why) const {
        const std::uint64_t count = over_ib_mad() ? 0 : 1;
        EXPECT_TRUE(eventually([&] { return agent.query().strays == count; })) << why;
    }
    void expect_nothing_more() const {
        EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
        EXPECT_EQ(agent.query().in_flight, 0U);
    }

    const Agent agent = enroll(client_file, sender());
    const Agent server = enroll(server_file, responder());
};
VM_FOR_ALL_WAYS(MadSend);

TEST_P(MadSend, MAD_PAIR_ResponseComesInTheCompletion) {
    const Mad mad = ping(0x1234, 77);
    const std::uint32_t handle = agent.post(request_of(mad, to, 0xc00c1e));
    server.answer(1);
    const Event event = agent.expect_completion();
    const ucmad_mad_completion done = completion_of(event);
    EXPECT_EQ(done.status, UCMAD_MAD_RESPONDED);
    EXPECT_EQ(done.cookie, 0xc00c1eU);
    EXPECT_EQ(done.handle, handle);
    EXPECT_EQ(done.tries, 1U);
    EXPECT_EQ(done.from.qpn, 1U);
    EXPECT_TRUE(std::equal(std::begin(to.dgid), std::end(to.dgid), std::begin(done.from.dgid)));
    const Mad response = mad_of(event);
    EXPECT_EQ(response[3], method_get_resp);
    EXPECT_EQ(tid_of(response), 0x1234U) << "the program's own transaction ID";
    EXPECT_EQ(mark_of(response), 77U);
    acknowledge(client_file, {ack_of(event)});
    expect_nothing_more();
}

TEST_P(MadSend, MAD_PAIR_AnswerIsOverWhenItWasSent) {
    const Mad mad = ping(1, 1);
    agent.post(request_of(mad, to, 1));
    const std::uint32_t answer = server.answer_next();
    const ucmad_mad_completion done = completion_of(server.expect_completion());
    EXPECT_EQ(done.status, UCMAD_MAD_SENT);
    EXPECT_EQ(done.handle, answer);
    expect_status(agent, UCMAD_MAD_RESPONDED);
}

TEST_P(MadSend, MAD_PAIR_RequestIsAnsweredOnce) {
    const Mad mad = ping(1, 1);
    agent.post(request_of(mad, to, 1));
    const Event event = server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    EXPECT_EQ(event.body<ucmad_mad_receive>().from.flags, UCMAD_ADDRESS_GRH);
    const Mad answer = ping(0, 2, method_get_resp);
    const ucmad_mad_send send = answer_of(answer, event);
    EXPECT_EQ(server.try_post(send), ok);
    EXPECT_EQ(server.try_post(send), Error{ENOENT});
    EXPECT_EQ(agent.try_post(send), Error{ENOENT}) << "another agent's request";
    const Event done = agent.expect_completion();
    EXPECT_EQ(mark_of(mad_of(done)), 2U);
}

TEST_P(MadSend, MAD_ONE_ManyAtOnceEachCookieComesBackOnce) {
    constexpr std::uint32_t count = 1000;
    ucmad_mad_register deep = sender();
    deep.max_in_flight = count;
    deep.flags |= UCMAD_AGENT_CONCURRENT;
    const Agent many = enroll(client_file, deep);
    std::vector<Mad> mads;
    for (std::uint32_t i = 0; i < count; ++i) {
        mads.push_back(ping(i, i));
    }
    std::vector<ucmad_mad_send> sends;
    for (std::uint32_t i = 0; i < count; ++i) {
        sends.push_back(request_of(mads[i], to, i));
    }
    const Posted posted = many.post(sends);
    ASSERT_EQ(posted.error, ok);
    ASSERT_EQ(posted.count, count);
    std::set<std::uint64_t> cookies;
    server.answer(count);
    while (cookies.size() < count) {
        const Event event = many.expect_completion();
        const ucmad_mad_completion done = completion_of(event);
        ASSERT_EQ(done.status, UCMAD_MAD_RESPONDED);
        EXPECT_EQ(mark_of(mad_of(event)), done.cookie);
        EXPECT_TRUE(cookies.insert(done.cookie).second) << done.cookie << " twice";
    }
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
    EXPECT_EQ(many.query().in_flight, 0U);
}

TEST_P(MadSend, MAD_ONE_TimedOutAfterExactlyItsTries) {
    const Mad mad = unanswered();
    agent.post(request_of(mad, to, 5, 30, 3));
    const ucmad_mad_completion done = completion_of(agent.expect_completion());
    EXPECT_EQ(done.status, UCMAD_MAD_TIMED_OUT);
    EXPECT_EQ(done.tries, 4U);
    EXPECT_EQ(done.cookie, 5U);
}

TEST_P(MadSend, MAD_ONE_LaterTryIsAnswered) {
    const Mad mad = ping(1, 9);
    agent.post(request_of(mad, to, 1, 100, 15));
    server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    server.answer(1);
    const ucmad_mad_completion done = completion_of(agent.expect_completion());
    EXPECT_EQ(done.status, UCMAD_MAD_RESPONDED);
    EXPECT_GE(done.tries, 2U);
}

TEST_P(MadSend, MAD_ONE_SentWhereNoResponseIsWanted) {
    const Mad mad = ping(1, 9);
    ucmad_mad_send send = request_of(mad, to, 3, 0);
    send.flags = UCMAD_SEND_NO_RESPONSE;
    agent.post(send);
    const ucmad_mad_completion done = completion_of(agent.expect_completion());
    EXPECT_EQ(done.status, UCMAD_MAD_SENT);
    EXPECT_EQ(done.tries, 1U);
    server.answer(1);
    expect_stray("nobody asked for it");
    expect_nothing_more();
}

TEST_P(MadSend, MAD_ONE_UnreachablePeer) {
    const Mad mad = unanswered();
    const ExtraDevice extra;
    const Agent there = enroll(client_file, sender(extra.device()));
    there.post(request_of(mad, gsi_at(extra.device().dead_path(gid())), 4));
    const ucmad_mad_completion done = completion_of(there.expect_completion());
    EXPECT_EQ(done.status, UCMAD_MAD_UNREACHABLE);
    EXPECT_EQ(done.tries, 0U);
}

TEST_P(MadSend, MAD_CANCEL_CompletesAsCancelled) {
    const Mad mad = unanswered();
    const std::uint32_t handle = agent.post(request_of(mad, to, 6));
    EXPECT_EQ(agent.cancel({handle}), ok);
    const ucmad_mad_completion done = completion_of(agent.expect_completion());
    EXPECT_EQ(done.status, UCMAD_MAD_CANCELLED);
    EXPECT_EQ(done.cookie, 6U);
}

TEST_P(MadSend, MAD_CANCEL_HasNoResult) {
    const Mad mad = unanswered();
    const std::uint32_t handle = agent.post(request_of(mad, to, 6));
    EXPECT_EQ(agent.cancel({0, 12345, ~0U}), ok) << "unknown ones";
    EXPECT_EQ(agent.cancel({handle, handle}), ok) << "the same twice";
    EXPECT_EQ(agent.cancel({handle}), ok) << "cancelled before";
    expect_status(agent, UCMAD_MAD_CANCELLED);
    EXPECT_EQ(agent.cancel({handle}), ok) << "finished";
    EXPECT_EQ(agent.cancel_all(), ok) << "none is left";
    expect_nothing_more();
}

TEST_P(MadSend, MAD_CANCEL_WhatIsBeingResolved) {
    const Mad mad = unanswered();
    const ExtraDevice extra;
    const Agent there = enroll(client_file, sender(extra.device()));
    const auto dead = gsi_at(extra.device().dead_path(gid()));
    const std::uint32_t handle = there.post(request_of(mad, dead, 4));
    EXPECT_EQ(there.cancel({handle}), ok);
    const ucmad_mad_completion done = completion_of(there.expect_completion());
    EXPECT_EQ(done.status, UCMAD_MAD_CANCELLED);
    EXPECT_EQ(done.tries, 0U);
}

TEST_P(MadSend, MAD_CANCEL_LateResponseIsCountedAndDropped) {
    const Mad mad = ping(1, 1);
    const std::uint32_t handle = agent.post(request_of(mad, to, 6));
    server.wait_for_receives(1);
    EXPECT_EQ(agent.cancel({handle}), ok);
    expect_status(agent, UCMAD_MAD_CANCELLED);
    server.answer(1);
    expect_stray("nobody waits for it any more");
    expect_nothing_more();
}

TEST_P(MadSend, MAD_PAIR_LateResponseDoesNotEndALaterSend) {
    const Mad early = ping(1, 1);
    const Mad late = ping(1, 2);
    const std::uint32_t handle = agent.post(request_of(early, to, 6));
    const Event first = server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    EXPECT_EQ(agent.cancel({handle}), ok);
    expect_status(agent, UCMAD_MAD_CANCELLED);
    agent.post(request_of(late, to, 7));
    const Event second = server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    server.answer_to(first);
    server.answer_to(second);
    const Event event = agent.expect_completion();
    EXPECT_EQ(completion_of(event).status, UCMAD_MAD_RESPONDED);
    EXPECT_EQ(completion_of(event).cookie, 7U);
    EXPECT_EQ(mark_of(mad_of(event)), 2U) << "the answer to the first one";
    expect_stray("it was for the first one");
    expect_nothing_more();
}

TEST_P(MadSend, MAD_PAIR_ResponseOfAnotherClassIsNone) {
    const Mad mad = ping(1, 1);
    agent.post(request_of(mad, to, 6));
    const Event request = server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    Mad answer = ping(0, 2, method_get_resp);
    answer[1] = ping_class + 1;
    server.post(answer_of(answer, request));
    expect_stray("it is of another class");
    EXPECT_EQ(agent.query().in_flight, 1U);
}

// The module's memory of a send does not wait for the program to take its completion, and what the
// hardware or a timer still has of it is released by them alone.
TEST_P(MadSend, MAD_REF_MemoryGoesWithTheLastReference) {
    const Mad silent = unanswered();
    const Mad question = ping(1, 1);
    for (std::uint64_t cookie = 0; cookie < 50; ++cookie) {
        agent.post(request_of(silent, to, cookie));     // cancelled
        agent.post(request_of(silent, to, cookie, 20)); // timed out
        agent.post(request_of(question, to, cookie));   // answered
    }
    server.answer(50);
    EXPECT_GT(statistic("sends"), 0U);
    EXPECT_EQ(agent.cancel_all(), ok);
    EXPECT_TRUE(eventually([] { return statistic("sends") == 0; }));
    EXPECT_EQ(agent.query().in_flight, 150U) << "for the program none is over";
    EXPECT_EQ(agent.id().destroy_and_count(), 150U);
}

TEST_P(MadSend, MAD_CANCEL_AllCancelsWhatThereIs) {
    const Mad mad = unanswered();
    for (std::uint64_t cookie = 0; cookie < 100; ++cookie) {
        agent.post(request_of(mad, to, cookie));
    }
    EXPECT_EQ(agent.cancel_all(), ok);
    std::set<std::uint64_t> cookies;
    for (int i = 0; i < 100; ++i) {
        const ucmad_mad_completion done = completion_of(agent.expect_completion());
        EXPECT_EQ(done.status, UCMAD_MAD_CANCELLED);
        cookies.insert(done.cookie);
    }
    EXPECT_EQ(cookies.size(), 100U);
    expect_nothing_more();
}

TEST_P(MadSend, TimeOutOfAnOutstandingSendCanBeChanged) {
    const Mad mad = unanswered();
    const std::uint32_t handle = agent.post(request_of(mad, to, 6, 3'600'000));
    wait_until([&] { return agent.query().in_flight == 1; }, "the send");
    EXPECT_EQ(agent.set_timeout(handle, 20), ok);
    expect_status(agent, UCMAD_MAD_TIMED_OUT);
    EXPECT_EQ(agent.set_timeout(handle, 20), ok) << "over: passed over in silence";
}

// The window of a peer is for those that may be in its queue, not for those it does not answer.
TEST_P(MadSend, UnansweredOnesDoNotBlockTheOthers) {
    const Mad mad = unanswered();
    std::vector<ucmad_mad_send> sends(700, request_of(mad, to, 1));
    ASSERT_EQ(agent.post(sends).count, sends.size());
    const Mad question = ping(1, 1);
    agent.post(request_of(question, to, 2));
    server.answer(1);
    const ucmad_mad_completion done = completion_of(agent.expect_completion());
    EXPECT_EQ(done.status, UCMAD_MAD_RESPONDED);
    EXPECT_EQ(done.cookie, 2U);
    EXPECT_EQ(agent.query().in_flight, sends.size());
}

TEST_P(MadSend, MAD_PARTIAL_PrefixIsAcceptedAndTheReasonTold) {
    const Mad mad = unanswered();
    std::vector<ucmad_mad_send> sends(4, request_of(mad, to, 1));
    sends[2].to.reserved[0] = 1;
    Posted posted = agent.post(sends);
    EXPECT_EQ(posted.error, ok);
    EXPECT_EQ(posted.count, 2U);
    EXPECT_EQ(posted.why, static_cast<std::uint32_t>(EINVAL));
    EXPECT_NE(sends[0].handle, 0U);
    EXPECT_NE(sends[1].handle, sends[0].handle);
    EXPECT_EQ(agent.query().in_flight, 2U);

    sends[0].mad = 0xdead000;
    posted = agent.post(sends);
    EXPECT_EQ(posted.error, Error{EFAULT});
    EXPECT_EQ(posted.count, 0U);
    EXPECT_EQ(agent.query().in_flight, 2U);
    EXPECT_EQ(agent.cancel_all(), ok);
    expect_status(agent, UCMAD_MAD_CANCELLED);
    expect_status(agent, UCMAD_MAD_CANCELLED);
    expect_nothing_more();
}

TEST_P(MadSend, MAD_PARTIAL_EndsAtTheLimitInFlight) {
    const Mad mad = unanswered();
    ucmad_mad_register arg = sender();
    arg.max_in_flight = 3;
    const Agent small = enroll(client_file, arg);
    std::vector<ucmad_mad_send> sends(5, request_of(mad, to, 1));
    const Posted posted = small.post(sends);
    EXPECT_EQ(posted.error, ok);
    EXPECT_EQ(posted.count, 3U);
    EXPECT_EQ(posted.why, static_cast<std::uint32_t>(EAGAIN));
    EXPECT_EQ(small.cancel_all(), ok);
    EXPECT_EQ(small.try_post(request_of(mad, to, 1)), Error{EAGAIN}) << "not taken yet";
    small.expect_completion();
    EXPECT_EQ(small.try_post(request_of(mad, to, 1)), ok);
}

} // namespace
} // namespace vm
