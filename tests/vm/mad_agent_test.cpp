// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// MAD-DEREG, MAD-SHARE, and for agents DEL-*, EV-*: the life of an agent.
#include "support/mad_test.hpp"

#include <atomic>
#include <future>

namespace vm {
namespace {

class MadAgent : public MadTest {
protected:
    const Mad mad = unanswered();
};
VM_FOR_ALL_WAYS(MadAgent);

TEST_P(MadAgent, MAD_DEREG_FlushesWhatIsOutstandingAndLeavesNothing) {
    const Agent agent = enroll(client_file, sender());
    for (std::uint64_t cookie = 0; cookie < 50; ++cookie) {
        agent.post(request_of(mad, to, cookie));
    }
    EXPECT_EQ(agent.id().destroy_and_count(), 50U) << "DEL-COUNT";
    EXPECT_EQ(statistic("sends"), 0U) << "nothing may be left when it has returned";
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN}) << "DEL-SILENT";
    EXPECT_EQ(agent.try_post(request_of(mad, to, 1)), Error{ENOENT});
    EXPECT_EQ(agent.cancel_all(), Error{ENOENT});
}

TEST_P(MadAgent, DEL_EXIT_CloseWithEverythingUnderWay) {
    {
        const File file;
        const Agent agent = enroll(file, sender());
        const Agent server = enroll(file, responder());
        const Mad question = ping(1, 1);
        for (std::uint64_t cookie = 0; cookie < 50; ++cookie) {
            agent.post(request_of(cookie % 2 ? mad : question, to, cookie));
        }
        server.wait_for_receives(1);
    }
    EXPECT_EQ(statistic("sends"), 0U);
}

TEST_P(MadAgent, MAD_SHARE_PostsAndCancelsWhileAnotherThreadDeregisters) {
    for (int round = 0; round < (has_checks() ? 2 : 10); ++round) {
        ucmad_mad_register arg = sender();
        arg.max_in_flight = 100000;
        const Agent agent = enroll(client_file, arg);
        std::atomic<std::uint32_t> accepted{0};
        std::atomic<bool> wrong{false};
        const auto post = [&] {
            for (;;) {
                std::vector<ucmad_mad_send> sends(20, request_of(mad, to, 1));
                const Posted posted = agent.post(sends);
                accepted += posted.count;
                if (posted.count < sends.size()) {
                    const auto why = static_cast<int>(posted.why);
                    wrong = wrong || (posted.error != Error{ENOENT} && why != ESHUTDOWN);
                    return;
                }
                wrong = wrong || agent.cancel({sends[0].handle}) == Error{EINVAL};
            }
        };
        std::vector<std::future<void>> threads;
        for (int i = 0; i < 3; ++i) {
            threads.push_back(std::async(std::launch::async, post));
        }
        wait_until([&] { return accepted > 500; }, "some sends");
        const std::uint32_t discarded = agent.id().destroy_and_count();
        for (std::future<void>& thread : threads) {
            thread.get();
        }
        EXPECT_FALSE(wrong);
        EXPECT_EQ(discarded, accepted) << "each was accepted, none was taken";
        EXPECT_EQ(statistic("sends"), 0U);
    }
}

TEST_P(MadAgent, DEL_HOTPLUG_FlushesThenTellsThenIsGone) {
    const ExtraDevice extra;
    const Agent agent = enroll(client_file, sender(extra.device()));
    const auto there = gsi_at(extra.device().path(gid()));
    for (std::uint64_t cookie = 0; cookie < 20; ++cookie) {
        agent.post(request_of(mad, there, cookie));
    }
    extra.remove();
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(completion_of(agent.expect_completion()).status, UCMAD_MAD_FLUSHED);
    }
    agent.id().expect(UCMAD_EVENT_DEVICE_REMOVED);
    EXPECT_TRUE(agent.id().has_no_event());
    EXPECT_EQ(agent.try_post(request_of(mad, there, 1)), Error{ENODEV});
    EXPECT_EQ(agent.cancel_all(), Error{ENODEV});
    EXPECT_EQ(agent.set_timeout(1, 1), Error{ENODEV});
    EXPECT_EQ(agent.try_query(), Error{ENODEV});
    EXPECT_EQ(agent.id().destroy(), ok);
}

// Not over ib_mad, which does not get rxe's QP1 out of the error state.
class MadLink : public MadTest {};
INSTANTIATE_TEST_SUITE_P(way, MadLink, testing::Values(ways[0], ways[1]), way_name);

// A send that cannot leave takes the QP of the port down with it.
TEST_P(MadLink, MAD_ONE_LinkThatWasDownIsUsedAgain) {
    const ExtraDevice extra;
    const Agent agent = enroll(client_file, sender(extra.device()));
    const auto there = gsi_at(extra.device().path(gid()));
    // Nobody wants it, so the kernel answers.
    const Mad question = ping(1, 1);
    const auto ask = [&] {
        const Error error = agent.try_post(request_of(question, there, 1, 300));
        return error == ok ? completion_of(agent.expect_completion()).status
                           : static_cast<std::uint32_t>(UCMAD_MAD_UNREACHABLE);
    };
    ASSERT_EQ(ask(), UCMAD_MAD_RESPONDED);
    extra.set_link(false);
    for (int i = 0; i < 3; ++i) {
        EXPECT_NE(ask(), UCMAD_MAD_RESPONDED);
    }
    extra.set_link(true);
    EXPECT_TRUE(eventually([&] { return ask() == UCMAD_MAD_RESPONDED; }));
}

// That the search for an address ends before the send waits for it, KUnit's suite plays.
TEST(MadRoute, MAD_ONE_NoRouteIsSeenAtOnce) {
    const File file;
    const Agent agent = enroll(file, sender());
    const NoRoute nowhere;
    ucmad_mad_address there = gsi_at(main_device().path(ipv6_gid));
    std::ranges::copy(nowhere.gid, there.dgid);
    const Mad question = ping(1, 1);
    agent.post(request_of(question, there, 1));
    const ucmad_mad_completion done = completion_of(agent.expect_completion());
    EXPECT_EQ(done.status, UCMAD_MAD_UNREACHABLE);
    EXPECT_EQ(done.tries, 0U);
}

TEST_P(MadAgent, EV_CONTEXT_ComesWithEachEvent) {
    ucmad_mad_register arg = sender();
    arg.context = 0x5eed;
    const Agent agent = enroll(client_file, arg);
    agent.post(request_of(mad, to, 1));
    must(agent.cancel_all());
    EXPECT_EQ(take_one(client_file).head.context, 0x5eedU);
}

TEST_P(MadAgent, EV_CONCURRENT_EventsDoNotHoldTheAgentIfAskedFor) {
    for (const bool concurrent : {false, true}) {
        ucmad_mad_register arg = sender();
        arg.flags |= concurrent ? UCMAD_AGENT_CONCURRENT : 0;
        const Agent agent = enroll(client_file, arg);
        agent.post(request_of(mad, to, 1));
        agent.post(request_of(mad, to, 2));
        must(agent.cancel_all());
        const Event first = take_one(client_file);
        const Taken second = take(client_file, {});
        EXPECT_EQ(second.error, concurrent ? ok : Error{EAGAIN});
        must(agent.id().destroy());
    }
}

TEST_P(MadAgent, EV_NOLOSS_ReceivesWithoutRoomAreCounted) {
    ucmad_mad_register arg = responder();
    arg.receive_queue = 2;
    const Agent server = enroll(server_file, arg);
    const Agent agent = enroll(client_file, sender());
    const Mad question = ping(1, 1);
    for (int i = 0; i < 5; ++i) {
        agent.post(request_of(question, to, 1));
    }
    EXPECT_TRUE(eventually([&] { return server.query().receives_dropped == 3; }));
    EXPECT_EQ(server.query().receives_waiting, 2U);
    server.answer(2);
    EXPECT_EQ(server.query().receives_waiting, 0U);
}

// An interface without ARP sends to itself what is for a GID that nobody has. ib_core finds no GID
// of ours that it came to, so there is none to answer from.
TEST_P(MadAgent, WhatCameToAForeignGidHasNoHandleToAnswerIt) {
    const Agent server = enroll(server_file, responder());
    const Agent agent = enroll(client_file, sender());
    const Mad question = ping(1, 7);
    ucmad_mad_address nobody = to;
    nobody.dgid[15] = 0x7b;
    agent.post(request_of(question, nobody, 1));
    const Event request = server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    EXPECT_EQ(mark_of(mad_of(request)), 7U);
    EXPECT_EQ(request.body<ucmad_mad_receive>().request, 0U);
    EXPECT_FALSE(request.body<ucmad_mad_receive>().from.flags & UCMAD_ADDRESS_GRH);
    EXPECT_EQ(server.try_answer_to(request), Error{EINVAL});
}

TEST(MadRegister, TwoThatWantTheSameMethods) {
    const File file;
    const File other;
    const Agent first = enroll(file, responder());
    EXPECT_EQ(try_enroll(other, responder()), Error{EADDRINUSE});
    ucmad_mad_register arg = responder();
    arg.method_mask[0] = 1U << 2;
    EXPECT_EQ(try_enroll(other, arg), ok) << "another method";
    arg = responder();
    arg.oui[0] = 7;
    EXPECT_EQ(try_enroll(other, arg), ok) << "another vendor";
    must(first.id().destroy());
    EXPECT_EQ(try_enroll(other, responder()), ok) << "it is free again";
}

TEST(MadRegister, BAD_INPUT_Values) {
    const File file;
    const auto refused = [&](auto change) {
        ucmad_mad_register arg = responder();
        change(arg);
        return try_enroll(file, arg);
    };
    EXPECT_EQ(refused([](auto& arg) { arg.device = 9999; }), Error{ENODEV});
    EXPECT_EQ(refused([](auto& arg) { arg.port = 0; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.port = 2; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.qp = 2; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.qp = 0; }), Error{EINVAL}) << "a class of QP1";
    EXPECT_EQ(refused([](auto& arg) { arg.rmpp_version = 2; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.flags = 4; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.mgmt_class = 0; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.mgmt_class = 1; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.mgmt_class = 4; }), Error{EINVAL}) << "with an OUI";
    EXPECT_EQ(refused([](auto& arg) { arg.oui[1] = arg.oui[2] = 0; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.class_version = 0x83; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.method_mask[0] = 0; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.max_in_flight = ~0U; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& arg) { arg.receive_queue = ~0U; }), Error{EINVAL});
}

TEST(MadPost, BAD_INPUT_Values) {
    const File file;
    const Agent agent = enroll(file, sender());
    const auto refused = [&](auto change) {
        Mad mad = ping(1, 1);
        ucmad_mad_send send = request_of(mad, gsi_at(main_device().path(ipv4_gid)), 1);
        change(send, mad);
        return agent.try_post(send);
    };
    EXPECT_EQ(refused([](auto& s, auto&) { s.flags = 2; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.timeout_ms = 0; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.timeout_ms = ~0U; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.retries = 16; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.in_reply_to = 1; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.mad_len = 255; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.mad_len = 257; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.reserved = 1; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.mad = 0; }), Error{EFAULT});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.qpn = 0; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.qpn = 1U << 24; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.flow_label = 1U << 20; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.sl = 16; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.path_bits = 128; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.rate = 1; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.flags = 2; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.flags = 0; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.dlid = 1; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.sgid_index = 200; }), Error{EADDRNOTAVAIL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.sgid_index = ipv6_gid; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto& s, auto&) { s.to.pkey_index = 9999; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto&, auto& mad) { mad[0] = 2; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto&, auto& mad) { mad[1] = 0x01; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto&, auto& mad) { mad[1] = 0x81; }), Error{EINVAL});
    EXPECT_EQ(refused([](auto&, auto& mad) { mad[3] = 0x81; }), Error{EINVAL});
    EXPECT_EQ(agent.query().in_flight, 0U);
    EXPECT_EQ(statistic("sends"), 0U);
    EXPECT_EQ(refused([](auto&, auto&) {}), ok);
}

} // namespace
} // namespace vm
