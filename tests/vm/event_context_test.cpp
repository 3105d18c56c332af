// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// EV-CONTEXT: whose context an event carries, and from when on.
#include "support/fixture.hpp"

namespace vm {
namespace {

class EventContext : public GidTest {
protected:
    // A connection whose listener has a context, with its REQ taken but not acknowledged.
    void request_to(std::uint64_t listener_context) {
        must(c.listener.set_context(listener_context));
        must(c.client.req(request(c.path, c.service_id)));
        req = take_one(server_file);
        must(req.head.type == UCMAD_EVENT_CM_REQ, "no REQ");
        c.server = born_of(server_file, req);
    }
    void give_up() const {
        must(c.client.destroy());
        c.server.wait_for_events(1);
    }

    Connection c = connection();
    Event req{};
};
VM_FOR_BOTH_GIDS(EventContext);

TEST_P(EventContext, EV_CONTEXT_OfCreation) {
    const std::uint64_t context = 0xfedc'ba98'7654'3210;
    c.client = create(client_file, main_device(), context);
    c.pile_up_events();
    for (const Event& event : take(client_file, {.max = 3}).events) {
        EXPECT_EQ(event.head.context, context);
    }
}

TEST_P(EventContext, EV_CONTEXT_IsThatOfTheMomentOfDelivery) {
    c.pile_up_events();
    EXPECT_EQ(take_one(client_file, c.client.handle()).head.context, 0U);
    ASSERT_EQ(c.client.set_context(7), ok);
    EXPECT_EQ(take_one(client_file, c.client.handle()).head.context, 7U);
    ASSERT_EQ(c.client.set_context(8), ok);
    EXPECT_EQ(take_one(client_file, c.client.handle()).head.context, 8U);
}

TEST_P(EventContext, EV_CONTEXT_NewIdCarriesItsListeners) {
    request_to(0x1157);
    EXPECT_EQ(req.head.context, 0x1157U);
    give_up();
    EXPECT_EQ(take_one(server_file, 0, {ack_of(req)}).head.context, 0x1157U);
}

TEST_P(EventContext, EV_CONTEXT_SetInTheStepThatAcknowledgesTheRequest) {
    request_to(0x1157);
    give_up();
    // One call lets go of the ID, names it, and takes its REJ: no event ever lacks the name.
    const Event rej = take_one(server_file, 0, {ack_with_context(req, 0xc0de)});
    EXPECT_EQ(rej.head.type, UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(rej.head.context, 0xc0deU);
}

TEST_P(EventContext, EV_CONTEXT_SetWithAnAcknowledgementIsSeenByAWaiterOfAnotherThread) {
    request_to(0x1157);
    Blocking<Event> other([&] { return take_one(server_file); });
    other.wait_until_asleep();
    give_up();
    EXPECT_FALSE(other.done());
    acknowledge(server_file, {ack_with_context(req, 0xc0de)});
    EXPECT_EQ(other.result().head.context, 0xc0deU);
}

TEST_P(EventContext, EV_CONTEXT_OfANewIdLeavesItsListenersAlone) {
    request_to(0x1157);
    acknowledge(server_file, {ack_with_context(req, 0xc0de)});
    const Id second = create(client_file);
    must(second.req(request(c.path, c.service_id)));
    EXPECT_EQ(take_one(server_file).head.context, 0x1157U);
}

} // namespace
} // namespace vm
