// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What happens while a call is just copying the events that it has taken: the one moment in which
// an event belongs to nobody. The copying is stopped in the middle, so nothing here is luck.
#include "support/fixture.hpp"
#include "support/stalling.hpp"

#include <memory>
#include <optional>

namespace vm {
namespace {

// How a call ended, and what it has written.
struct Outcome {
    Error error;
    std::vector<Event> events;
};

class InFlight : public GidTest {
protected:
    void SetUp() override {
        if (!StallingPage::is_possible()) {
            GTEST_SKIP() << "this kernel has no userfaultfd";
        }
        page.emplace();
        c.pile_up_events();
    }

    // Takes into the page; returns once the call stands still with its events in hand.
    std::unique_ptr<Blocking<Outcome>> stalled_take(const File& file, std::uint32_t object,
                                                    std::uint32_t max) const {
        auto call = std::make_unique<Blocking<Outcome>>([this, &file, object, max] {
            auto arg = sized<ucmad_events>();
            arg.object = object;
            arg.buffer = address(page->data());
            arg.buffer_len = StallingPage::size;
            arg.max_events = max;
            const Error error = file.call(UCMAD_IOCTL_EVENTS, &arg);
            return Outcome{error, error == ok ? parse(page->data(), arg.bytes, arg.count)
                                              : std::vector<Event>{}};
        });
        page->wait_for_access();
        return call;
    }

    void expect_order(std::initializer_list<std::uint16_t> types) const {
        for (const std::uint16_t type : types) {
            const Event event = take_one(client_file);
            EXPECT_EQ(event.head.type, type);
            EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN}) << "EV-SERIAL";
            EXPECT_EQ(acknowledge(client_file, {ack_of(event)}), 0U);
        }
    }

    std::optional<StallingPage> page;
    Connection c = connection();
};
VM_FOR_BOTH_GIDS(InFlight);

TEST_P(InFlight, DEL_SILENT_EventOfADestroyedObjectIsNotDelivered) {
    const auto call = stalled_take(client_file, 0, 2);
    EXPECT_EQ(c.client.destroy_and_count(), 3U) << "DEL-COUNT: those in hand are discarded too";
    page->release();
    EXPECT_EQ(call->result().error, Error{EAGAIN});
}

TEST_P(InFlight, DEL_SILENT_NamedTakeOfADestroyedObject) {
    const auto call = stalled_take(client_file, c.client.handle(), 1);
    EXPECT_EQ(c.client.destroy_and_count(), 3U);
    page->release();
    const Error error = call->result().error;
    EXPECT_TRUE(error == Error{ESHUTDOWN} || error == Error{EAGAIN}) << error;
}

TEST_P(InFlight, DEL_SILENT_OthersInTheSameBatchAreDelivered) {
    Connection other = connection();
    other.pile_up_events();
    const auto call = stalled_take(client_file, 0, 4); // two of each
    must(c.client.destroy());
    page->release();
    const Outcome outcome = call->result();
    ASSERT_EQ(outcome.error, ok);
    EXPECT_EQ(outcome.events.size(), 2U);
    for (const Event& event : outcome.events) {
        EXPECT_EQ(event.head.object, other.client.handle());
    }
}

TEST_P(InFlight, DEL_NOWAIT_USER_DestroyDoesNotWaitForTheCopying) {
    const auto call = stalled_take(client_file, 0, 1);
    Blocking<Error> destroy([&] { return c.client.destroy(); });
    EXPECT_EQ(destroy.result(), ok);
    page->release();
    EXPECT_EQ(call->result().error, Error{EAGAIN});
}

TEST_P(InFlight, EV_SERIAL_ObjectIsHeldFromTheMomentOfTaking) {
    const auto call = stalled_take(client_file, 0, 1);
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN});
    page->release();
    const Outcome outcome = call->result();
    ASSERT_EQ(outcome.events.size(), 1U);
    acknowledge(client_file, acks_of(outcome.events));
    expect_order({UCMAD_EVENT_CM_REP, UCMAD_EVENT_CM_REJ});
}

TEST_P(InFlight, EV_NOLOSS_FaultPutsEverythingBack) {
    const auto call = stalled_take(client_file, 0, 2);
    page->fail();
    EXPECT_EQ(call->result().error, Error{EFAULT});
    expect_order({UCMAD_EVENT_CM_MRA, UCMAD_EVENT_CM_REP, UCMAD_EVENT_CM_REJ});
}

TEST_P(InFlight, EV_SERIAL_EventThatWasPutBackHoldsAgainWhatALaterOneHadPassed) {
    const auto call = stalled_take(client_file, 0, 1); // MRA in hand
    const Event named = c.client.expect(UCMAD_EVENT_CM_REP);
    acknowledge(client_file, {ack_of(named)});
    page->fail();
    EXPECT_EQ(call->result().error, Error{EFAULT});
    expect_order({UCMAD_EVENT_CM_MRA, UCMAD_EVENT_CM_REJ});
}

TEST_P(InFlight, EV_NOLOSS_EventsThatComeMeanwhileStayBehind) {
    Connection late = connection();
    late.advance_to(Step::request);
    must(late.server.rep(reply()));
    late.client.wait_for_events(1);
    const auto call = stalled_take(client_file, late.client.handle(), 1);
    must(late.server.destroy());
    late.client.wait_for_events(1); // the REP is in hand
    page->fail();
    EXPECT_EQ(call->result().error, Error{EFAULT});
    late.client.expect(UCMAD_EVENT_CM_REP);
    late.client.expect(UCMAD_EVENT_CM_REJ);
}

TEST_P(InFlight, DEL_COUNT_RequestInHandGoesWithItsListener) {
    const Id client = create(client_file);
    must(client.req(request(c.path, c.service_id)));
    c.listener.wait_for_events(1);
    const auto call = stalled_take(server_file, 0, 1);
    EXPECT_EQ(c.listener.destroy_and_count(), 1U);
    page->release();
    EXPECT_EQ(call->result().error, Error{EAGAIN});
    EXPECT_EQ(client.expect(UCMAD_EVENT_CM_REJ).body<ucmad_cm_rej_event>().reason, rej_consumer);
    EXPECT_TRUE(eventually([] { return statistic("objects") == 2; })) << "the two clients";
}

TEST_P(InFlight, DEL_EXIT_CloseWhileACallStandsStill) {
    auto file = std::make_unique<File>();
    Connection own(server_file, *file, gid());
    own.pile_up_events();
    const auto call = stalled_take(*file, 0, 3);
    file->close();
    page->release();
    EXPECT_EQ(call->result().events.size(), 3U);
}

} // namespace
} // namespace vm
