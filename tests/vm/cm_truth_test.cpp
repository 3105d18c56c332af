// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// CM-TRUTH: whatever ends a connection, or keeps it from coming about, is told with its cause.
#include "support/fixture.hpp"

#include <infiniband/verbs.h>

namespace vm {
namespace {

class CmTruth : public GidTest {
protected:
    // What an ID looks like that has no connection any more and never believes it has.
    static void expect_over(const Id& id, int error) {
        const ucmad_cm_query query = id.query();
        EXPECT_EQ(Error{static_cast<int>(query.error)}, Error{error});
        EXPECT_TRUE(query.state == UCMAD_CM_IDLE || query.state == UCMAD_CM_TIMEWAIT)
            << query.state;
    }
    // 67 ms, or more where the kernel is slow.
    static std::uint8_t short_time() { return scaled_iba_time(14); }

    Connection c = connection();
};
VM_FOR_BOTH_GIDS(CmTruth);

TEST_P(CmTruth, CM_TRUTH_NobodyListens) {
    must(c.client.req(request(c.path, new_service_id())));
    const Event rej = c.client.expect(UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(rej.body<ucmad_cm_rej_event>().reason, rej_invalid_service_id);
    expect_over(c.client, ECONNRESET);
}

TEST_P(CmTruth, CM_TRUTH_RejectedWithReasonInformationAndData) {
    c.advance_to(Step::request);
    const Bytes data = pattern(UCMAD_CM_REJ_DATA_MAX, 1);
    const Bytes ari = pattern(UCMAD_CM_REJ_ARI_MAX, 2);
    ucmad_cm_rej arg = rejection(24);
    set_data(arg, data);
    arg.ari = address(ari.data());
    arg.ari_len = static_cast<std::uint8_t>(ari.size());
    must(c.server.rej(arg));
    const Event rej = c.client.expect(UCMAD_EVENT_CM_REJ);
    const auto body = rej.body<ucmad_cm_rej_event>();
    EXPECT_EQ(body.reason, 24);
    EXPECT_EQ(Bytes(body.ari, body.ari + body.ari_len), ari);
    EXPECT_EQ(rej.data(), data);
    expect_over(c.client, ECONNRESET);
    EXPECT_EQ(c.server.state(), UCMAD_CM_IDLE);
}

TEST_P(CmTruth, CM_TRUTH_ReplyRejected) {
    c.advance_to(Step::reply);
    const Bytes data = pattern(UCMAD_CM_REJ_DATA_MAX, 3);
    ucmad_cm_rej arg = rejection();
    set_data(arg, data);
    must(c.client.rej(arg));
    const Event rej = c.server.expect(UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(rej.body<ucmad_cm_rej_event>().reason, rej_consumer);
    EXPECT_EQ(rej.data(), data);
    expect_over(c.server, ECONNRESET);
}

// The kernel's CM takes back what is under way in one way only; others must not be half done.
TEST_P(CmTruth, CM_TRUTH_RequestWithdrawn) {
    c.advance_to(Step::request);
    EXPECT_EQ(c.client.rej(rejection(rej_consumer)), Error{EOPNOTSUPP});
    EXPECT_EQ(c.client.state(), UCMAD_CM_REQ_SENT);
    must(c.client.rej(rejection(rej_timeout)));
    EXPECT_EQ(c.client.state(), UCMAD_CM_IDLE);
    const Event rej = c.server.expect(UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(rej.body<ucmad_cm_rej_event>().reason, rej_timeout);
    expect_over(c.server, ECONNRESET);
}

TEST_P(CmTruth, CM_TRUTH_ReplyWithdrawn) {
    c.advance_to(Step::reply);
    const Bytes data = pattern(4, 4);
    ucmad_cm_rej arg = rejection();
    set_data(arg, data);
    EXPECT_EQ(c.server.rej(arg), Error{EOPNOTSUPP});
    EXPECT_EQ(c.server.rej(rejection(20)), Error{EOPNOTSUPP});
    EXPECT_EQ(c.server.state(), UCMAD_CM_REP_SENT);
    must(c.server.rej(rejection()));
    EXPECT_EQ(c.server.state(), UCMAD_CM_IDLE);
    const Event rej = c.client.expect(UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(rej.body<ucmad_cm_rej_event>().reason, rej_consumer);
    expect_over(c.client, ECONNRESET);
}

TEST_P(CmTruth, CM_TRUTH_PeerNeverAnswers) {
    const auto start = Clock::now();
    ucmad_cm_req arg = request(dead_path(), c.service_id);
    arg.remote_cm_response_timeout = short_time();
    arg.max_cm_retries = 1;
    must(c.client.req(arg));
    const Event event = c.client.expect(UCMAD_EVENT_CM_REQ_ERROR);
    EXPECT_GE(Clock::now() - start, 2 * 64ms) << "gave up before the last try had its time";
    const auto body = event.body<ucmad_cm_error_event>();
    EXPECT_EQ(Error{static_cast<int>(body.error)}, Error{ETIMEDOUT});
    EXPECT_EQ(body.wc_status, static_cast<std::uint32_t>(IBV_WC_RESP_TIMEOUT_ERR));
    expect_over(c.client, ETIMEDOUT);
}

TEST_P(CmTruth, CM_TRUTH_ReplyNeverAnswered) {
    ucmad_cm_req arg = request(c.path, c.service_id);
    arg.local_cm_response_timeout = short_time();
    arg.max_cm_retries = 1;
    must(c.client.req(arg));
    c.server = born_of(server_file, take_one(server_file, c.listener.handle()));
    must(c.server.rep(reply()));
    const Event event = c.server.expect(UCMAD_EVENT_CM_REP_ERROR);
    EXPECT_EQ(Error{static_cast<int>(event.body<ucmad_cm_error_event>().error)}, Error{ETIMEDOUT});
    expect_over(c.server, ETIMEDOUT);
}

TEST_P(CmTruth, CM_TRUTH_DisconnectNeverConfirmed) {
    ucmad_cm_req arg = request(c.path, c.service_id);
    arg.remote_cm_response_timeout = scaled_iba_time(17); // of the DREQ too
    must(c.client.req(arg));
    c.server = born_of(server_file, take_one(server_file, c.listener.handle()));
    must(c.server.rep(reply()));
    c.client.expect(UCMAD_EVENT_CM_REP);
    must(c.client.rtu());
    c.server.expect(UCMAD_EVENT_CM_RTU);
    must(c.client.dreq());
    const Event event = c.client.expect(UCMAD_EVENT_CM_DREQ_ERROR);
    EXPECT_EQ(Error{static_cast<int>(event.body<ucmad_cm_error_event>().error)}, Error{ETIMEDOUT});
    c.client.expect(UCMAD_EVENT_CM_TIMEWAIT_EXIT);
    c.server.expect(UCMAD_EVENT_CM_DREQ);
    EXPECT_EQ(c.server.state(), UCMAD_CM_DREQ_RCVD);
}

TEST_P(CmTruth, CM_TRUTH_BothDisconnectAtOnce) {
    c.advance_to(Step::ready);
    must(c.client.dreq());
    const Error second = c.server.dreq();
    EXPECT_TRUE(second == ok || second == Error{ECONNRESET}) << second;
    // If the client's DREQ came first, the client waits for the server's answer.
    for (const Id& id : {c.server, c.client}) {
        const Event end = take_one(id.file(), id.handle());
        if (end.head.type == UCMAD_EVENT_CM_DREQ) {
            // Where both have sent a DREQ, the other's DREP may have ended it meanwhile.
            const Error answer = id.drep();
            EXPECT_TRUE(answer == ok || answer == Error{EBADFD}) << answer;
        } else {
            EXPECT_EQ(end.head.type, UCMAD_EVENT_CM_DREP);
        }
    }
    for (const Id& id : {c.server, c.client}) {
        EXPECT_TRUE(eventually([&] {
            const std::uint32_t state = id.state();
            return state == UCMAD_CM_TIMEWAIT || state == UCMAD_CM_IDLE;
        }));
    }
}

// A REQ for a QP that is already connected: the old connection is a leftover (IBTA 12.9.8.3.1).
TEST_P(CmTruth, CM_TRUTH_StaleConnection) {
    ucmad_cm_req arg = request(c.path, c.service_id);
    must(c.client.req(arg));
    c.server = born_of(server_file, take_one(server_file, c.listener.handle()));
    must(c.server.rep(reply()));
    c.client.expect(UCMAD_EVENT_CM_REP);
    must(c.client.rtu());
    c.server.expect(UCMAD_EVENT_CM_RTU);

    const Id again = create(client_file);
    must(again.req(arg));
    const Event rej = again.expect(UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(rej.body<ucmad_cm_rej_event>().reason, 10) << "stale connection";
    c.client.expect(UCMAD_EVENT_CM_DREQ);
    EXPECT_NE(c.server.state(), UCMAD_CM_ESTABLISHED);
    must(c.client.drep());
    c.server.expect(UCMAD_EVENT_CM_DREP);
}

TEST_P(CmTruth, CM_TRUTH_SidrServiceUnknown) {
    must(c.client.sidr_req(sidr_request(c.path, new_service_id())));
    const Event rep = c.client.expect(UCMAD_EVENT_CM_SIDR_REP);
    EXPECT_EQ(rep.body<ucmad_cm_sidr_rep_event>().status, 1) << "unsupported service";
}

TEST_P(CmTruth, CM_TRUTH_SidrNeverAnswered) {
    ucmad_cm_sidr_req arg = sidr_request(dead_path(), c.service_id);
    arg.timeout_ms = 50;
    arg.max_cm_retries = 1;
    must(c.client.sidr_req(arg));
    const Event event = c.client.expect(UCMAD_EVENT_CM_SIDR_REQ_ERROR);
    EXPECT_EQ(Error{static_cast<int>(event.body<ucmad_cm_error_event>().error)}, Error{ETIMEDOUT});
    expect_over(c.client, ETIMEDOUT);
}

// Over IPv6 only: IPv4 takes what has no route to be on the link of the interface.
TEST(CmTruthRoute, CM_TRUTH_NoRouteToThePeer) {
    const File file;
    const Id client = create(file);
    const std::uint8_t nowhere[16] = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    ucmad_path path = main_device().path(ipv6_gid);
    std::copy_n(nowhere, 16, path.dgid);
    must(client.req(request(path, new_service_id())));
    const auto body = client.expect(UCMAD_EVENT_CM_REQ_ERROR).body<ucmad_cm_error_event>();
    EXPECT_EQ(Error{static_cast<int>(body.error)}, Error{ENETUNREACH});
    EXPECT_EQ(body.wc_status, 0U);
    EXPECT_EQ(client.query().error, body.error);
    EXPECT_EQ(client.state(), UCMAD_CM_IDLE);
}

class CmTruthUnreachable : public GidTest {
protected:
    ExtraDevice extra;
};
VM_FOR_BOTH_GIDS(CmTruthUnreachable);

TEST_P(CmTruthUnreachable, CM_TRUTH_NobodyHasThisAddress) {
    const Id client = create(client_file, extra.device());
    ucmad_cm_req arg = request(extra.device().dead_path(gid()), new_service_id());
    arg.resolve_timeout_ms = 500;
    const auto start = Clock::now();
    must(client.req(arg));
    EXPECT_LT(Clock::now() - start, 500ms) << "the caller waited for the address";
    const Event event = client.expect(UCMAD_EVENT_CM_REQ_ERROR);
    const int error = static_cast<int>(event.body<ucmad_cm_error_event>().error);
    EXPECT_TRUE(error == ETIMEDOUT || error == EHOSTUNREACH) << Error{error};
    EXPECT_EQ(client.state(), UCMAD_CM_IDLE);
    EXPECT_EQ(client.query().error, static_cast<std::uint32_t>(error));
    // And the ID is good for another try.
    EXPECT_EQ(client.req(request(extra.device().path(gid()), new_service_id())), ok);
    client.expect(UCMAD_EVENT_CM_REJ);
}

} // namespace
} // namespace vm
