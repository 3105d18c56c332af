// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// EV-NOLOSS, CM-BACKLOG: every event arrives, and what has no room is refused where it came from.
#include "support/fixture.hpp"

#include <map>
#include <set>

namespace vm {
namespace {

class NoLoss : public GidTest {
protected:
    // REQs that are repeated every half second, and often.
    ucmad_cm_req persistent_request() const {
        ucmad_cm_req arg = request(path(), service);
        arg.remote_cm_response_timeout = 17;
        arg.max_cm_retries = 15;
        return arg;
    }
    Id listen(std::uint32_t backlog) const {
        const Id listener = create(server_file);
        must(listener.listen(listening(service, backlog)));
        return listener;
    }

    const std::uint64_t service = new_service_id();
};
VM_FOR_BOTH_GIDS(NoLoss);

TEST_P(NoLoss, EV_NOLOSS_EveryEventOfManyConnectionsArrives) {
    // Without MRAs at request, each takes two seconds.
    const std::size_t connections = has_mra_at_request() ? 100 : 10;
    std::vector<Connection> all;
    for (std::size_t i = 0; i < connections; ++i) {
        all.push_back(connection());
        all.back().pile_up_events(); // nobody takes anything meanwhile
    }
    std::map<std::uint32_t, std::uint64_t> last;
    std::vector<ucmad_ack> acks;
    for (std::size_t left = connections * 3; left;) {
        const Taken taken = take(client_file, {.timeout = limit(), .acks = std::move(acks)});
        ASSERT_EQ(taken.error, ok);
        for (const Event& event : taken.events) {
            EXPECT_EQ(event.head.sequence, ++last[event.head.object]);
            left -= event.head.sequence <= 3 ? 1 : 0; // the fourth is a TIMEWAIT_EXIT
        }
        acks = acks_of(taken.events);
    }
    EXPECT_EQ(last.size(), connections);
}

TEST_P(NoLoss, CM_BACKLOG_FloodIsBoundedAndCounted) {
    constexpr std::uint32_t backlog = 4;
    constexpr std::uint32_t flood = 12;
    const Id listener = listen(backlog);
    const unsigned long before = statistic("requests_dropped");
    for (std::uint32_t i = 0; i < flood; ++i) {
        must(create(client_file).req(request(path(), service)));
    }
    wait_until([&] { return listener.query().dropped == flood - backlog; }, "the dropped REQs");
    EXPECT_EQ(listener.query().backlog, backlog);
    EXPECT_EQ(statistic("requests_dropped") - before, flood - backlog);
    // The IDs that exist are those of the clients, the listener and what waits: no more memory.
    EXPECT_EQ(statistic("objects"), flood + 1 + backlog);
}

TEST_P(NoLoss, EV_NOLOSS_RequestPastTheBacklogArrivesWhenThePeerTriesAgain) {
    constexpr std::uint32_t requests = 6;
    const Id listener = listen(2);
    std::set<std::uint32_t> wanted;
    for (std::uint32_t i = 0; i < requests; ++i) {
        const ucmad_cm_req arg = persistent_request();
        must(create(client_file).req(arg));
        wanted.insert(arg.qp_num);
    }
    wait_until([&] { return listener.query().dropped >= requests - 2; }, "the dropped REQs");
    while (!wanted.empty()) {
        const Event req = take_one(server_file);
        ASSERT_EQ(req.head.type, UCMAD_EVENT_CM_REQ);
        // Again, if the peer has sent it once more before it got our REJ.
        wanted.erase(req.body<ucmad_cm_req_event>().remote_qpn);
        must(born_of(server_file, req).rej(rejection()));
    }
    EXPECT_EQ(listener.query().backlog, 0U);
}

TEST_P(NoLoss, CM_BACKLOG_TakingMakesRoom) {
    const Id listener = listen(1);
    must(create(client_file).req(request(path(), service)));
    listener.wait_for_events(1);
    take_one(server_file, listener.handle());
    EXPECT_EQ(listener.query().backlog, 0U);
    must(create(client_file).req(request(path(), service)));
    EXPECT_EQ(take_one(server_file, listener.handle()).head.type, UCMAD_EVENT_CM_REQ);
    EXPECT_EQ(listener.query().dropped, 0U);
}

TEST_P(NoLoss, CM_BACKLOG_SidrRequestPastItIsRefused) {
    const Id listener = listen(1);
    must(create(client_file).sidr_req(sidr_request(path(), service)));
    listener.wait_for_events(1);
    const Id second = create(client_file);
    must(second.sidr_req(sidr_request(path(), service)));
    const Event rep = second.expect(UCMAD_EVENT_CM_SIDR_REP);
    EXPECT_NE(rep.body<ucmad_cm_sidr_rep_event>().status, 0);
    EXPECT_EQ(listener.query().dropped, 1U);
    EXPECT_EQ(listener.query().backlog, 1U);
}

TEST_P(NoLoss, CM_BACKLOG_DefaultIs128) {
    const Id listener = listen(0);
    for (int i = 0; i < 130; ++i) {
        must(create(client_file).req(request(path(), service)));
        // One after the other, since a flood on the wire can itself lose packets.
        const std::uint64_t sent = static_cast<std::uint64_t>(i) + 1;
        wait_until(
            [&] {
                const ucmad_cm_query q = listener.query();
                return q.backlog + q.dropped == sent;
            },
            "a REQ");
    }
    EXPECT_EQ(listener.query().backlog, 128U);
    EXPECT_EQ(listener.query().dropped, 2U);
}

} // namespace
} // namespace vm
