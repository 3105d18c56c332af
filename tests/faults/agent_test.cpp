// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// MAD agents come, are asked things, and go, with faults.
#include "fixture.hpp"

namespace vm {
namespace {

class AgentFaults : public WayFaultTest {
protected:
    // Sends that wait for a response that does not come, and have all left: one that was posted
    // after them was sent.
    static std::vector<std::uint32_t> post_unanswered(const Agent& agent) {
        const Mad mad = ping(1, 0, method_send);
        std::vector<std::uint32_t> handles;
        for (int i = 0; i < 3; ++i) {
            handles.push_back(agent.post(request_of(mad, to(), 1)));
        }
        expect_sent(agent, to());
        return handles;
    }
};
VM_FOR_WAYS_AND_SHORTAGES(AgentFaults);

class AgentAddressFaults : public AgentFaults {};
VM_FOR_WAYS_WITH_MEMORY(AgentAddressFaults);

TEST_P(AgentFaults, RegisterSender) {
    sweep([](Faults& faults) {
        const File file;
        const Count objects("objects");
        faults.during([&] { return try_enroll(file, sender()); });
        EXPECT_EQ(objects.more(), faults.has_failed() ? 0U : 1U);
        expect_sent(enroll(file, sender()), to());
    });
}

// What it was to receive is free for another.
TEST_P(AgentFaults, RegisterResponder) {
    sweep([](Faults& faults) {
        const File file;
        if (faults.during([&] { return try_enroll(file, responder()); }) != ok) {
            expect_sent(enroll(file, responder()), to());
        }
    });
}

TEST_P(AgentFaults, Cancel) {
    sweep([](Faults& faults) {
        const File file;
        const Agent agent = enroll(file, sender());
        const std::vector<std::uint32_t> handles = post_unanswered(agent);
        if (faults.during([&] { return agent.cancel(handles); }) != ok) {
            EXPECT_EQ(agent.cancel(handles), ok);
        }
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(completion_of(agent.expect_completion()).status, UCMAD_MAD_CANCELLED);
        }
    });
}

TEST_P(AgentAddressFaults, DeregisterWithSends) {
    sweep([](Faults& faults) {
        const File file;
        const Count objects("objects");
        const Agent agent = enroll(file, sender());
        post_unanswered(agent);
        faults.during([&] { return agent.id().destroy(); });
        if (faults.has_failed() && objects.more()) {
            EXPECT_EQ(agent.id().destroy(), ok);
        }
        EXPECT_EQ(statistic("sends"), 0U);
    });
}

TEST_P(AgentAddressFaults, TimeoutAndQuery) {
    sweep([](Faults& faults) {
        const File file;
        const Agent agent = enroll(file, sender());
        const std::vector<std::uint32_t> handles = post_unanswered(agent);
        faults.during([&] {
            const Error error = agent.set_timeout(handles.front(), 50000);
            return error == ok ? agent.try_query() : error;
        });
        EXPECT_EQ(agent.set_timeout(handles.front(), 1), ok);
        EXPECT_EQ(completion_of(agent.expect_completion()).status, UCMAD_MAD_TIMED_OUT);
        EXPECT_EQ(agent.query().in_flight, 2U);
    });
}

} // namespace
} // namespace vm
