// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// MADs of more than 256 bytes, which RMPP carries (IBTA 13.6), between two agents of one port. Over
// IPv4 there is no RMPP, since ib_mad finds no send that an ACK is for.
#include "support/mad_test.hpp"
#include "support/memory.hpp"

#include <numeric>

namespace vm {
namespace {

constexpr std::size_t vendor_header = 40;
constexpr std::size_t rmpp_flags = 26;
constexpr std::uint8_t rmpp_active = 1;

// A ping with so many bytes in all, each of which tells where it is.
Bytes long_ping(std::size_t size, std::uint8_t method = method_get) {
    const Mad head = ping(7, 0, method);
    Bytes mad(size);
    std::memcpy(mad.data(), head.data(), vendor_header);
    for (std::size_t i = vendor_header; i < size; ++i) {
        mad[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    }
    mad[rmpp_flags] = rmpp_active;
    return mad;
}

bool same_data(const Bytes& a, const Bytes& b) {
    return a.size() == b.size() &&
           std::equal(a.begin() + vendor_header, a.end(), b.begin() + vendor_header);
}

class MadRmpp : public testing::TestWithParam<std::size_t> {
protected:
    static ucmad_mad_register with_rmpp(ucmad_mad_register arg) {
        arg.rmpp_version = 1;
        return arg;
    }
    ucmad_mad_send request(const Bytes& mad) const {
        ucmad_mad_send send{};
        send.mad = address(mad.data());
        send.mad_len = static_cast<std::uint32_t>(mad.size());
        send.timeout_ms = 60000;
        send.to = to;
        return send;
    }
    void answer(const Event& request, const Bytes& mad) const {
        ucmad_mad_send send{};
        send.mad = address(mad.data());
        send.mad_len = static_cast<std::uint32_t>(mad.size());
        send.flags = UCMAD_SEND_NO_RESPONSE;
        send.in_reply_to = request.body<ucmad_mad_receive>().request;
        server.post(send);
    }

    const ucmad_mad_address to = gsi_at(main_device().path(ipv6_gid));
    const File server_file;
    const File client_file;
    const Agent agent = enroll(client_file, with_rmpp(sender()));
    const Agent server = enroll(server_file, with_rmpp(responder()));
};

// A part of one segment, the last that fits into one, the first that does not, many.
INSTANTIATE_TEST_SUITE_P(bytes, MadRmpp, testing::Values(41, 255, 256, 257, 473, 100'000));

TEST_P(MadRmpp, MAD_PAIR_LongAnswerToAShortRequest) {
    const Mad question = ping(3, 5);
    agent.post(request_of(question, to, 1));
    const Bytes mad = long_ping(GetParam(), method_get_resp);
    answer(server.id().expect(UCMAD_EVENT_MAD_RECEIVE), mad);
    const Event event = agent.expect_completion();
    EXPECT_EQ(completion_of(event).status, UCMAD_MAD_RESPONDED);
    EXPECT_TRUE(same_data(event.data(), mad)) << event.data().size();
    EXPECT_EQ(completion_of(server.expect_completion()).status, UCMAD_MAD_SENT);
    EXPECT_EQ(agent.id().destroy_and_count(), 0U);
    EXPECT_EQ(server.id().destroy_and_count(), 0U);
    EXPECT_EQ(statistic("sends"), 0U);
}

TEST_P(MadRmpp, MAD_PAIR_LongRequestAndLongAnswer) {
    const Bytes question = long_ping(GetParam());
    const Bytes reply = long_ping(2 * GetParam(), method_get_resp);
    agent.post(request(question));
    const Event asked = server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    EXPECT_TRUE(same_data(asked.data(), question)) << asked.data().size();
    answer(asked, reply);
    const Event event = agent.expect_completion();
    EXPECT_EQ(completion_of(event).status, UCMAD_MAD_RESPONDED);
    EXPECT_TRUE(same_data(event.data(), reply)) << event.data().size();
}

TEST_P(MadRmpp, EV_TOOSMALL_SaysHowLargeABufferALongMadWants) {
    const Bytes question = long_ping(GetParam());
    agent.post(request(question));
    const std::uint32_t room = sizeof(ucmad_event) + sizeof(ucmad_mad_receive);
    const Taken taken =
        take(server_file, {.object = server.handle(), .timeout = limit(), .room = room});
    EXPECT_EQ(taken.error, Error{EMSGSIZE});
    EXPECT_GE(taken.needed, room + question.size());
    EXPECT_EQ(server.query().receives_waiting, 1U) << "it stays where it is";
    const Event asked = server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
    EXPECT_TRUE(same_data(asked.data(), question));
    EXPECT_EQ(asked.head.size, taken.needed);
}

TEST_P(MadRmpp, MAD_CANCEL_LongSend) {
    const Bytes question = long_ping(GetParam());
    const std::uint32_t handle = agent.post(request(question));
    EXPECT_EQ(agent.cancel({handle}), ok);
    EXPECT_EQ(completion_of(agent.expect_completion()).status, UCMAD_MAD_CANCELLED);
    EXPECT_EQ(agent.id().destroy_and_count(), 0U);
    EXPECT_EQ(statistic("sends"), 0U);
}

// ib_mad is handed a send by a worker, and is not to be told to cancel it in the middle of that.
TEST_P(MadRmpp, MAD_CANCEL_WhileItIsBeingPosted) {
    const Bytes question = long_ping(GetParam());
    for (int i = 0; i < (has_checks() ? 50 : 500); ++i) {
        const std::uint32_t handle = agent.post(request(question));
        EXPECT_EQ(agent.cancel({handle}), ok);
        EXPECT_EQ(completion_of(agent.expect_completion()).status, UCMAD_MAD_CANCELLED);
    }
    EXPECT_EQ(agent.id().destroy_and_count(), 0U);
    EXPECT_EQ(statistic("sends"), 0U);
}

TEST_P(MadRmpp, MAD_DEREG_WithLongMadsOnBothSides) {
    const Bytes question = long_ping(GetParam());
    for (int i = 0; i < 5; ++i) {
        agent.post(request(question));
    }
    server.wait_for_receives(1);
    EXPECT_EQ(agent.id().destroy_and_count(), 5U);
    EXPECT_EQ(statistic("sends"), 0U);
    EXPECT_GE(server.id().destroy_and_count(), 1U);
}

TEST(MadRmppBadInput, BAD_INPUT_Values) {
    const File file;
    ucmad_mad_register arg = responder();
    arg.rmpp_version = 1;
    const Agent agent = enroll(file, arg);
    const auto refused = [&](std::size_t size, auto change) {
        Bytes mad = long_ping(300);
        ucmad_mad_send send{};
        send.mad = address(mad.data());
        send.mad_len = static_cast<std::uint32_t>(size);
        send.timeout_ms = 60000;
        send.to = gsi_at(main_device().path(ipv6_gid));
        change(mad, send);
        return agent.try_post(send);
    };
    const auto nothing = [](auto&, auto&) {};
    EXPECT_EQ(refused(39, nothing), Error{EINVAL}) << "less than the header of the class";
    EXPECT_EQ(refused(0, nothing), Error{EINVAL});
    EXPECT_EQ(refused((16U << 20) + 1, nothing), Error{EINVAL});
    EXPECT_EQ(refused(300, [](auto& mad, auto&) { mad[rmpp_flags] = 0; }), Error{EINVAL});
    EXPECT_EQ(refused(300, [](auto& mad, auto&) { mad[1] = 4; }), Error{EINVAL})
        << "a class without RMPP";
    EXPECT_EQ(refused(16U << 20, [](auto&, auto& send) { send.mad = 0xdead000; }), Error{EFAULT});
    // Of a MAD that is refused for its headers, no more than these is read: there is no more here.
    const Guarded headers(sizeof(Mad));
    const auto only_headers = [&](std::uint8_t mgmt_class) {
        return refused(16U << 20, [&](auto& mad, auto& send) {
            mad[1] = mgmt_class;
            std::memcpy(headers.data(), mad.data(), sizeof(Mad));
            send.mad = address(headers.data());
        });
    };
    EXPECT_EQ(only_headers(4), Error{EINVAL}) << "a class without RMPP";
    EXPECT_EQ(only_headers(long_ping(300)[1]), Error{EFAULT});
    EXPECT_EQ(agent.query().in_flight, 0U);
    EXPECT_EQ(statistic("sends"), 0U);
    EXPECT_EQ(refused(300, nothing), ok);
}

} // namespace
} // namespace vm
