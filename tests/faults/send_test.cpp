// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// MADs that are sent, with faults in the call and in all that happens behind it: the search for the
// address, the making of our QP, the giving to the hardware. MAD-ONE: each that was accepted has
// one completion. The next one is sent as if nothing had been.
#include "fixture.hpp"

namespace vm {
namespace {

class SendFaults : public WayFaultTest {};
VM_FOR_WAYS_AND_SHORTAGES(SendFaults);

bool is_end_of_try(std::uint32_t status) {
    return status == UCMAD_MAD_SENT || status == UCMAD_MAD_UNREACHABLE || status == UCMAD_MAD_ERROR;
}

// Takes the completions of what was accepted, which are so many.
void expect_completions(const Agent& agent, std::uint32_t count, Faults& faults) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t status = completion_of(agent.expect_completion()).status;
        EXPECT_TRUE(is_end_of_try(status)) << status;
        if (status != UCMAD_MAD_SENT) {
            faults.failed();
        }
    }
    EXPECT_TRUE(agent.id().has_no_event());
    EXPECT_EQ(agent.query().in_flight, 0U);
    wait_until([] { return statistic("sends") == 0; }, "the end of the sends");
}

void send_first(Faults& faults, const ucmad_mad_register& arg, const ucmad_mad_address& to) {
    const File file;
    const Agent agent = enroll(file, arg);
    const Mad mad = ping(1, 0, method_send);
    if (faults.begin([&] { return agent.try_post(send_only(mad, to)); }) == ok) {
        faults.settle([&] { return is_readable(file); });
    }
    // If the program could not be told how many were accepted, it may still have been.
    expect_completions(agent, agent.query().in_flight, faults);
    expect_sent(agent, to);
}

TEST_P(SendFaults, First) {
    sweep([](Faults& faults) { send_first(faults, sender(), to()); });
}

// Our QP is made for it.
class QpFaults : public FaultTest {};
VM_FOR_SHORTAGES(QpFaults);

TEST_P(QpFaults, FirstOfThePort) {
    sweep(
        [](Faults& faults) { send_first(faults, sender(), gsi_at(main_device().path(ipv4_gid))); });
}

TEST_P(SendFaults, MAD_PARTIAL_Batch) {
    static constexpr std::uint32_t count = 4;
    sweep([](Faults& faults) {
        const File file;
        const Agent agent = enroll(file, sender());
        expect_sent(agent, to());
        const Mad mad = ping(1, 0, method_send);
        std::vector<ucmad_mad_send> sends(count, send_only(mad, to()));
        Posted posted{};
        const Error error = faults.begin([&] {
            posted = agent.post(sends);
            return posted.error;
        });
        if (error == ok) {
            // The last of them may still be on its way; that is waited for below.
            faults.settle([&] { return is_readable(file); });
        }
        const std::uint32_t accepted = agent.query().in_flight;
        if (error != Error{EFAULT}) {
            EXPECT_EQ(accepted, posted.count);
        }
        EXPECT_TRUE(posted.count == count || posted.why != 0 || error != ok);
        expect_completions(agent, accepted, faults);
        expect_sent(agent, to());
    });
}

// Events that cannot be delivered stay where they were.
TEST_P(SendFaults, Take) {
    static constexpr std::size_t events = 12;
    sweep([](Faults& faults) {
        const File file;
        ucmad_mad_register arg = sender();
        arg.flags |= UCMAD_AGENT_CONCURRENT;
        const Agent agent = enroll(file, arg);
        const Mad mad = ping(1, 0, method_send);
        for (std::size_t i = 0; i < events; ++i) {
            agent.post(request_of(mad, to(), 1));
        }
        must(agent.cancel_all());
        // More acknowledgments than a call keeps on its stack.
        ucmad_ack ack{};
        ack.object = agent.handle();
        ack.sequence = 1;
        const std::vector<ucmad_ack> acks(events, ack);
        Taken taken{};
        faults.during([&] {
            taken = take(file, {.acks = acks});
            return taken.error;
        });
        if (taken.error != ok) {
            taken = take(file, {.acks = acks});
        }
        ASSERT_EQ(taken.error, ok);
        ASSERT_EQ(taken.events.size(), events);
        for (std::size_t i = 0; i < events; ++i) {
            EXPECT_EQ(taken.events[i].head.sequence, i + 1);
        }
    });
}

} // namespace
} // namespace vm
