// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Questions that come to a responder, and its answers, with faults on the way. What there is no
// room for is dropped and counted, and the peer tries again.
#include "fixture.hpp"

namespace vm {
namespace {

// An agent that asks, one that answers, and their files.
struct Pair {
    Pair(const ucmad_mad_register& asks, const ucmad_mad_register& answers)
        : agent(enroll(client_file, asks)), server(enroll(server_file, answers)) {}

    bool is_anyone_ready() const { return is_readable(client_file) || is_readable(server_file); }
    // The server answers whatever it is asked, until the client has its completion.
    void serve() const {
        while (!is_readable(client_file)) {
            wait_until([&] { return is_anyone_ready(); }, "an event");
            const Taken taken = take(server_file, {.max = 1});
            if (taken.events.empty()) {
                continue;
            }
            acknowledge(server_file, acks_of(taken.events));
            if (taken.events.front().head.type == UCMAD_EVENT_MAD_RECEIVE) {
                server.answer_to(taken.events.front());
            }
        }
    }
    void expect_answer() const {
        EXPECT_EQ(completion_of(agent.expect_completion()).status, UCMAD_MAD_RESPONDED);
        EXPECT_EQ(agent.query().in_flight, 0U);
    }

    const File client_file;
    const File server_file;
    const Agent agent;
    const Agent server;
};

class ReceiveFaults : public WayFaultTest {
protected:
    static ucmad_mad_send question(const Mad& mad) {
        return request_of(mad, to(), 1, static_cast<std::uint32_t>(scaled(100ms) / 1ms), 15);
    }
};
VM_FOR_WAYS_AND_SHORTAGES(ReceiveFaults);

TEST_P(ReceiveFaults, Question) {
    sweep([](Faults& faults) {
        const Pair pair(sender(), responder());
        const Mad mad = ping(1, 0);
        expect_sent(pair.agent, to()); // what that needs is there
        if (faults.begin([&] { return pair.agent.try_post(question(mad)); }) == ok) {
            faults.settle([&] { return pair.is_anyone_ready(); });
        }
        if (pair.agent.query().in_flight == 0) {
            pair.agent.post(question(mad));
        }
        // None that cannot be answered.
        pair.serve();
        const std::uint32_t status = completion_of(pair.agent.expect_completion()).status;
        if (status != UCMAD_MAD_RESPONDED) {
            faults.failed();
            EXPECT_EQ(status, UCMAD_MAD_ERROR);
            EXPECT_GT(faults.injected(), 0U);
        }
        pair.agent.post(question(mad));
        pair.serve();
        pair.expect_answer();
    });
}

// What was not answered for a fault can be answered still.
TEST_P(ReceiveFaults, Answer) {
    sweep([](Faults& faults) {
        const Pair pair(sender(), responder());
        const Mad mad = ping(1, 0);
        pair.agent.post(question(mad));
        const Event asked = pair.server.id().expect(UCMAD_EVENT_MAD_RECEIVE);
        const auto answer = [&] { return pair.server.try_answer_to(asked); };
        if (faults.begin(answer) == ok) {
            faults.settle([&] { return is_readable(pair.client_file); });
        } else if (pair.server.query().in_flight == 0) {
            EXPECT_EQ(answer(), ok);
        }
        pair.serve();
        pair.expect_answer();
    });
}

class LongFaults : public FaultTest {
protected:
    static constexpr std::size_t size = 20'000;

    static ucmad_mad_register with_rmpp(ucmad_mad_register arg) {
        arg.rmpp_version = 1;
        arg.max_in_flight = 16;
        arg.receive_queue = 16;
        return arg;
    }
    static Bytes long_ping() {
        const Mad head = ping(7, 0);
        Bytes mad(size, 0x5a);
        std::ranges::copy(head.begin(), head.begin() + 40, mad.begin());
        mad[26] = 1; // RMPP active
        return mad;
    }
    static ucmad_mad_send request(const Bytes& mad) {
        ucmad_mad_send send{};
        send.mad = address(mad.data());
        send.mad_len = static_cast<std::uint32_t>(mad.size());
        send.timeout_ms = static_cast<std::uint32_t>(scaled(250ms) / 1ms);
        send.retries = 15;
        send.to = gsi_at(main_device().path(ipv6_gid));
        return send;
    }
};
VM_FOR_SHORTAGES(LongFaults);

class LongAddressFaults : public LongFaults {};
VM_WITH_MEMORY(LongAddressFaults);

TEST_P(LongFaults, Send) {
    const Bytes mad = long_ping();
    sweep([&](Faults& faults) {
        const Pair pair(with_rmpp(vm::sender()), with_rmpp(vm::responder()));
        if (faults.begin([&] { return pair.agent.try_post(request(mad)); }) == ok) {
            faults.settle([&] { return pair.is_anyone_ready(); });
            wait_until([&] { return pair.is_anyone_ready(); }, "the MAD");
        }
        if (is_readable(pair.client_file)) {
            faults.failed();
            const std::uint32_t status = completion_of(pair.agent.expect_completion()).status;
            // What the peer has no memory for is as good as lost, even if its kernel has
            // acknowledged it.
            EXPECT_TRUE(status == UCMAD_MAD_UNREACHABLE || status == UCMAD_MAD_ERROR ||
                        status == UCMAD_MAD_TIMED_OUT)
                << status;
        }
        if (!pair.agent.query().in_flight) {
            pair.agent.post(request(mad));
        }
        EXPECT_EQ(pair.server.id().expect(UCMAD_EVENT_MAD_RECEIVE).data().size(), size);
    });
}

TEST_P(LongAddressFaults, Take) {
    const Bytes mad = long_ping();
    sweep([&](Faults& faults) {
        const Pair pair(with_rmpp(vm::sender()), with_rmpp(vm::responder()));
        pair.agent.post(request(mad));
        wait_until_readable(pair.server_file);
        Taken taken{};
        faults.during([&] {
            taken = take(pair.server_file, {});
            return taken.error;
        });
        if (taken.error != ok) {
            taken = take(pair.server_file, {});
        }
        ASSERT_EQ(taken.error, ok);
        EXPECT_EQ(taken.events.front().data().size(), size);
    });
}

} // namespace
} // namespace vm
