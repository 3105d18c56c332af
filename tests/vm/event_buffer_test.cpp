// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// EV-TOOSMALL, EV-BATCH: buffers and what one call can do.
#include "support/fixture.hpp"

namespace vm {
namespace {

class EventBuffer : public GidTest {
protected:
    void SetUp() override { c.pile_up_events(); }

    // Its client has a REP and a REJ waiting.
    Connection rejected() const {
        Connection other = connection();
        other.path.packet_life_time = 18; // no TIMEWAIT_EXIT for seconds
        other.advance_to(Step::request);
        other.reply_and_reject();
        other.client.wait_for_events(2);
        return other;
    }

    Connection c = connection();
};
VM_FOR_BOTH_GIDS(EventBuffer);

TEST_P(EventBuffer, EV_TOOSMALL_SaysWhatIsNeededAndLosesNothing) {
    const Taken refused = take(client_file, {.room = 8});
    EXPECT_EQ(refused.error, Error{EMSGSIZE});
    EXPECT_GE(refused.needed, sizeof(ucmad_event) + sizeof(ucmad_cm_mra_event) + 222);
    EXPECT_EQ(take(client_file, {.room = refused.needed - 8}).error, Error{EMSGSIZE});
    const Taken taken = take(client_file, {.room = refused.needed});
    ASSERT_EQ(taken.error, ok);
    ASSERT_EQ(taken.events.size(), 1U);
    EXPECT_EQ(taken.events[0].head.type, UCMAD_EVENT_CM_MRA);
    EXPECT_EQ(taken.events[0].head.size, refused.needed);
}

TEST_P(EventBuffer, EV_TOOSMALL_RefusedEventHoldsNothing) {
    EXPECT_EQ(take(client_file, {.room = 8}).error, Error{EMSGSIZE});
    EXPECT_EQ(take_one(client_file).head.type, UCMAD_EVENT_CM_MRA);
}

TEST_P(EventBuffer, EV_TOOSMALL_ByName) {
    const Taken refused = take(client_file, {.object = c.client.handle(), .room = 8});
    EXPECT_EQ(refused.error, Error{EMSGSIZE});
    EXPECT_GT(refused.needed, 8U);
    c.client.expect(UCMAD_EVENT_CM_MRA);
}

TEST_P(EventBuffer, EV_TOOSMALL_SecondEventStaysBehind) {
    const std::uint32_t first = take(client_file, {.room = 8}).needed;
    const Taken taken = take(client_file, {.room = first + 8});
    ASSERT_EQ(taken.error, ok);
    ASSERT_EQ(taken.events.size(), 1U);
    EXPECT_GE(taken.needed, sizeof(ucmad_event) + sizeof(ucmad_cm_rep_event) + 196);
    const Taken rest = take(client_file, {.acks = acks_of(taken.events), .room = taken.needed});
    ASSERT_EQ(rest.events.size(), 1U);
    EXPECT_EQ(rest.events[0].head.type, UCMAD_EVENT_CM_REP);
    EXPECT_EQ(rest.events[0].head.size, taken.needed);
}

TEST_P(EventBuffer, EV_TOOSMALL_LargestEventIsAsLargeAsPromised) {
    auto query = sized<ucmad_query>();
    must(client_file.call(UCMAD_IOCTL_QUERY, &query));
    EXPECT_GE(query.max_event_size, sizeof(ucmad_event) + sizeof(ucmad_cm_req_event) + 92);
    const Id another = create(client_file);
    must(another.req(request(path(), c.service_id)));
    c.listener.wait_for_events(1);
    EXPECT_EQ(take(server_file, {.room = query.max_event_size}).error, ok);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(
            take(client_file, {.object = c.client.handle(), .max = 1, .room = query.max_event_size})
                .error,
            ok);
    }
}

TEST_P(EventBuffer, EV_BATCH_TakesAllThatThereIs) {
    const Connection other = rejected();
    const Taken taken = take(client_file, {});
    ASSERT_EQ(taken.error, ok);
    EXPECT_EQ(taken.events.size(), 5U);
    EXPECT_EQ(taken.needed, 0U);
}

TEST_P(EventBuffer, EV_BATCH_TakesNoMoreThanAskedFor) {
    EXPECT_EQ(take(client_file, {.max = 2}).events.size(), 2U);
}

TEST_P(EventBuffer, EV_BATCH_AcknowledgesManyAndTakesManyInOneCall) {
    const Connection other = rejected();
    const std::vector<Event> first = {take_one(client_file), take_one(client_file)};
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN}) << "both are held";
    const Taken rest = take(client_file, {.acks = acks_of(first)});
    ASSERT_EQ(rest.error, ok);
    EXPECT_EQ(rest.events.size(), 3U);
    EXPECT_EQ(rest.acks_ignored, 0U);
}

TEST_P(EventBuffer, EV_BATCH_AcknowledgesEvenIfThereIsNothingToTake) {
    const Taken all = take(client_file, {.max = 3});
    ASSERT_EQ(all.events.size(), 3U);
    const Taken nothing = take(client_file, {.acks = acks_of(all.events)});
    EXPECT_EQ(nothing.error, Error{EAGAIN});
    EXPECT_EQ(acknowledge(client_file, acks_of(all.events)), 3U) << "had been carried out";
}

TEST_P(EventBuffer, EV_BATCH_AcknowledgesEvenIfTheBufferIsTooSmall) {
    const Event first = take_one(client_file);
    EXPECT_EQ(take(client_file, {.acks = {ack_of(first)}, .room = 8}).error, Error{EMSGSIZE});
    EXPECT_EQ(take_one(client_file).head.type, UCMAD_EVENT_CM_REP);
}

TEST_P(EventBuffer, EV_BATCH_WithoutABufferDoesNotWait) {
    const Event first = take_one(client_file);
    const auto start = Clock::now();
    const Taken taken = take(client_file, {.timeout = -1ns, .acks = {ack_of(first)}, .room = 0});
    EXPECT_EQ(taken.error, ok);
    EXPECT_TRUE(taken.events.empty());
    EXPECT_LT(Clock::now() - start, limit());
}

TEST_P(EventBuffer, EV_BATCH_CountsWhatItIgnores) {
    ucmad_ack stranger{};
    stranger.object = 0x7fff'fff0;
    stranger.sequence = 1;
    const Event first = take_one(client_file);
    must(c.client.destroy());
    EXPECT_EQ(acknowledge(client_file, {stranger, ack_of(first)}), 2U);
}

TEST_P(EventBuffer, EV_BATCH_ChecksAllAcknowledgementsBeforeTheFirst) {
    const Event first = take_one(client_file);
    ucmad_ack bad = ack_of(first);
    bad.flags = 1U << 31;
    EXPECT_EQ(take(client_file, {.acks = {ack_of(first), bad}, .room = 0}).error, Error{EINVAL});
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN}) << "the first was carried out";
    bad = ack_of(first);
    bad.context = 1; // without UCMAD_ACK_SET_CONTEXT
    EXPECT_EQ(take(client_file, {.acks = {ack_of(first), bad}, .room = 0}).error, Error{EINVAL});
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN}) << "the first was carried out";
}

} // namespace
} // namespace vm
