// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// CM-TEARDOWN: what the peer is told when an ID is destroyed, in every state.
#include "support/fixture.hpp"

#include <memory>

namespace vm {
namespace {

class CmTeardown : public GidTest {
protected:
    // Destroys `dying` after `step` and returns what `peer` is told.
    static Event told(const Id& dying, const Id& peer, std::uint16_t type) {
        must(dying.destroy());
        return peer.expect(type);
    }
    static void expect_rejected(const Id& dying, const Id& peer, std::uint16_t reason) {
        const Event rej = told(dying, peer, UCMAD_EVENT_CM_REJ);
        EXPECT_EQ(rej.body<ucmad_cm_rej_event>().reason, reason);
        EXPECT_EQ(peer.query().error, static_cast<std::uint32_t>(ECONNRESET));
    }

    Connection c = connection();
};
VM_FOR_BOTH_GIDS(CmTeardown);

TEST_P(CmTeardown, CM_TEARDOWN_ReqSent) {
    c.advance_to(Step::request);
    expect_rejected(c.client, c.server, rej_timeout);
}

TEST_P(CmTeardown, CM_TEARDOWN_ReqReceived) {
    c.advance_to(Step::request);
    expect_rejected(c.server, c.client, rej_consumer);
}

TEST_P(CmTeardown, CM_TEARDOWN_MraOfReqReceived) {
    c.advance_to(Step::ask_time);
    expect_rejected(c.client, c.server, rej_timeout);
}

TEST_P(CmTeardown, CM_TEARDOWN_MraOfReqSent) {
    c.advance_to(Step::ask_time);
    expect_rejected(c.server, c.client, rej_consumer);
}

TEST_P(CmTeardown, CM_TEARDOWN_RepSent) {
    c.advance_to(Step::reply);
    expect_rejected(c.server, c.client, rej_consumer);
}

TEST_P(CmTeardown, CM_TEARDOWN_RepReceived) {
    c.advance_to(Step::reply);
    expect_rejected(c.client, c.server, rej_consumer);
}

TEST_P(CmTeardown, CM_TEARDOWN_MraOfRepReceived) {
    c.advance_to(Step::ask_time_too);
    expect_rejected(c.server, c.client, rej_consumer);
}

TEST_P(CmTeardown, CM_TEARDOWN_MraOfRepSent) {
    c.advance_to(Step::ask_time_too);
    expect_rejected(c.client, c.server, rej_consumer);
}

TEST_P(CmTeardown, CM_TEARDOWN_EstablishedClient) {
    c.advance_to(Step::ready);
    told(c.client, c.server, UCMAD_EVENT_CM_DREQ);
    EXPECT_EQ(c.server.state(), UCMAD_CM_DREQ_RCVD);
    EXPECT_EQ(c.server.drep(), ok);
}

TEST_P(CmTeardown, CM_TEARDOWN_EstablishedServer) {
    c.advance_to(Step::ready);
    told(c.server, c.client, UCMAD_EVENT_CM_DREQ);
    EXPECT_EQ(c.client.drep(), ok);
}

TEST_P(CmTeardown, CM_TEARDOWN_DreqReceived) {
    c.advance_to(Step::disconnect);
    told(c.server, c.client, UCMAD_EVENT_CM_DREP);
}

TEST_P(CmTeardown, CM_TEARDOWN_DreqSent) {
    c.advance_to(Step::disconnect);
    EXPECT_EQ(c.client.destroy(), ok);
    EXPECT_EQ(c.server.drep(), ok) << "the peer ends as if nothing had happened";
    c.server.expect(UCMAD_EVENT_CM_TIMEWAIT_EXIT);
}

TEST_P(CmTeardown, CM_TEARDOWN_Timewait) {
    c.advance_to(Step::confirm);
    EXPECT_EQ(c.client.destroy(), ok);
    c.server.expect(UCMAD_EVENT_CM_TIMEWAIT_EXIT);
}

TEST_P(CmTeardown, CM_TEARDOWN_SidrReqReceived) {
    must(c.client.sidr_req(sidr_request(c.path, c.service_id)));
    const Id server = born_of(server_file, take_one(server_file, c.listener.handle()));
    const Event rep = told(server, c.client, UCMAD_EVENT_CM_SIDR_REP);
    EXPECT_EQ(rep.body<ucmad_cm_sidr_rep_event>().status, 2) << "rejected";
}

TEST_P(CmTeardown, CM_TEARDOWN_SidrReqSent) {
    must(c.client.sidr_req(sidr_request(dead_path(), c.service_id)));
    c.client.wait_for_state(UCMAD_CM_SIDR_REQ_SENT);
    EXPECT_EQ(c.client.destroy(), ok);
}

TEST_P(CmTeardown, CM_TEARDOWN_ListenerFreesItsService) {
    ASSERT_EQ(c.listener.destroy(), ok);
    const Id again = create(server_file);
    EXPECT_EQ(again.listen(listening(c.service_id)), ok);
}

TEST_P(CmTeardown, CM_TEARDOWN_ClosingTheFileTellsEveryPeer) {
    auto dying = std::make_unique<File>();
    Connection established = connect(*dying, client_file, gid());
    Connection requested(*dying, client_file, gid());
    requested.advance_to(Step::request);
    Connection waiting(*dying, client_file, gid()); // its REQ is never taken
    must(waiting.client.req(request(waiting.path, waiting.service_id)));
    waiting.listener.wait_for_events(1);

    dying.reset();
    established.client.expect(UCMAD_EVENT_CM_DREQ);
    requested.client.expect(UCMAD_EVENT_CM_REJ);
    waiting.client.expect(UCMAD_EVENT_CM_REJ);
}

class CmTeardownResolving : public GidTest {
protected:
    ExtraDevice extra;
};
VM_FOR_BOTH_GIDS(CmTeardownResolving);

TEST_P(CmTeardownResolving, CM_TEARDOWN_Resolving) {
    const Id client = create(client_file, extra.device());
    ucmad_cm_req arg = request(extra.device().dead_path(gid()), new_service_id());
    arg.resolve_timeout_ms = 60000;
    must(client.req(arg));
    ASSERT_EQ(client.state(), UCMAD_CM_RESOLVING);
    Blocking<Error> destroy([&] { return client.destroy(); });
    EXPECT_EQ(destroy.result(), ok) << "must not wait for the resolver's time-out";
}

} // namespace
} // namespace vm
