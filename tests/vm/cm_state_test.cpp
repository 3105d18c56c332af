// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// CM-STATE: each operation in each state that does not allow it, and what that leaves behind.
#include "support/fixture.hpp"

#include <algorithm>
#include <functional>
#include <infiniband/verbs.h>
#include <memory>
#include <optional>

namespace vm {
namespace {

enum class Who { client, server, listener };

// An ID in one state, and how it came there.
struct Situation {
    const char* name;
    std::uint32_t state;
    Who who;
    std::optional<Step> after; // the last step; none: before the first
};

void PrintTo(const Situation& what, std::ostream* out) { *out << what.name; }

const Situation situations[] = {
    {"idle", UCMAD_CM_IDLE, Who::client, {}},
    {"listen", UCMAD_CM_LISTEN, Who::listener, {}},
    {"req_sent", UCMAD_CM_REQ_SENT, Who::client, Step::request},
    {"req_rcvd", UCMAD_CM_REQ_RCVD, Who::server, Step::request},
    {"mra_req_rcvd", UCMAD_CM_MRA_REQ_RCVD, Who::client, Step::ask_time},
    {"mra_req_sent", UCMAD_CM_MRA_REQ_SENT, Who::server, Step::ask_time},
    {"rep_sent", UCMAD_CM_REP_SENT, Who::server, Step::reply},
    {"rep_rcvd", UCMAD_CM_REP_RCVD, Who::client, Step::reply},
    {"mra_rep_rcvd", UCMAD_CM_MRA_REP_RCVD, Who::server, Step::ask_time_too},
    {"mra_rep_sent", UCMAD_CM_MRA_REP_SENT, Who::client, Step::ask_time_too},
    {"established_client", UCMAD_CM_ESTABLISHED, Who::client, Step::ready},
    {"established_server", UCMAD_CM_ESTABLISHED, Who::server, Step::ready},
    {"dreq_sent", UCMAD_CM_DREQ_SENT, Who::client, Step::disconnect},
    {"dreq_rcvd", UCMAD_CM_DREQ_RCVD, Who::server, Step::disconnect},
    {"timewait_client", UCMAD_CM_TIMEWAIT, Who::client, Step::confirm},
    {"timewait_server", UCMAD_CM_TIMEWAIT, Who::server, Step::confirm},
};

// An operation with arguments to which nothing can be said, the states that allow it, and those
// in which it has an error of its own.
struct Operation {
    const char* name;
    std::function<Error(const Id&, const Connection&)> run;
    std::vector<std::uint32_t> allowed;
    std::vector<std::pair<std::uint32_t, int>> special = {};
};

const std::vector<std::uint32_t> connecting = {
    UCMAD_CM_REQ_SENT, UCMAD_CM_MRA_REQ_RCVD, UCMAD_CM_REQ_RCVD, UCMAD_CM_MRA_REQ_SENT,
    UCMAD_CM_REP_SENT, UCMAD_CM_MRA_REP_RCVD, UCMAD_CM_REP_RCVD, UCMAD_CM_MRA_REP_SENT};

std::vector<std::uint32_t> connecting_or_connected() {
    std::vector<std::uint32_t> states = connecting;
    states.push_back(UCMAD_CM_ESTABLISHED);
    return states;
}

// A QP can be made ready to receive as soon as the peer's is known.
std::vector<std::uint32_t> peer_known() {
    std::vector<std::uint32_t> states = connecting_or_connected();
    std::erase(states, UCMAD_CM_REQ_SENT);
    std::erase(states, UCMAD_CM_MRA_REQ_RCVD);
    return states;
}

const std::vector<Operation>& operations() {
    static const std::vector<Operation> list = {
        {"listen",
         [](auto& id, auto&) { return id.listen(listening(new_service_id())); },
         {UCMAD_CM_IDLE}},
        {"req",
         [](auto& id, auto& c) { return id.req(request(c.path, c.service_id)); },
         {UCMAD_CM_IDLE}},
        {"sidr_req",
         [](auto& id, auto& c) { return id.sidr_req(sidr_request(c.path, c.service_id)); },
         {UCMAD_CM_IDLE}},
        {"rep",
         [](auto& id, auto&) { return id.rep(reply()); },
         {UCMAD_CM_REQ_RCVD, UCMAD_CM_MRA_REQ_SENT}},
        {"rtu",
         [](auto& id, auto&) { return id.rtu(); },
         {UCMAD_CM_REP_RCVD, UCMAD_CM_MRA_REP_SENT}},
        {"rej", [](auto& id, auto&) { return id.rej(rejection()); }, connecting},
        {"mra",
         [](auto& id, auto&) { return id.mra(wait_please()); },
         {UCMAD_CM_REQ_RCVD, UCMAD_CM_REP_RCVD},
         {{UCMAD_CM_MRA_REQ_SENT, EALREADY}, {UCMAD_CM_MRA_REP_SENT, EALREADY}}},
        {"dreq", [](auto& id, auto&) { return id.dreq(); }, {UCMAD_CM_ESTABLISHED}},
        {"drep", [](auto& id, auto&) { return id.drep(); }, {UCMAD_CM_DREQ_RCVD}},
        {"sidr_rep",
         [](auto& id, auto&) { return id.sidr_rep(sidr_reply()); },
         {UCMAD_CM_SIDR_REQ_RCVD}},
        {"notify_comm_est",
         [](auto& id, auto&) { return id.notify(UCMAD_CM_COMM_EST); },
         {UCMAD_CM_REP_SENT, UCMAD_CM_MRA_REP_RCVD},
         {{UCMAD_CM_ESTABLISHED, EISCONN}}},
        {"notify_path_mig",
         [](auto& id, auto&) { return id.notify(UCMAD_CM_PATH_MIG); },
         {UCMAD_CM_ESTABLISHED}},
        {"qp_init", [](auto& id, auto&) { return id.qp_attr(IBV_QPS_INIT); },
         connecting_or_connected()},
        {"qp_rtr", [](auto& id, auto&) { return id.qp_attr(IBV_QPS_RTR); }, peer_known()},
        {"qp_rts", [](auto& id, auto&) { return id.qp_attr(IBV_QPS_RTS); }, peer_known()},
    };
    return list;
}

// Tries all that `state` forbids; `usual` is the error of what has none of its own.
void try_forbidden(const Id& id, const Connection& c, std::uint32_t state, int usual) {
    for (const Operation& operation : operations()) {
        if (std::ranges::count(operation.allowed, state)) {
            continue;
        }
        // What begins something has nothing to say of what went before.
        const bool begins = std::ranges::count(operation.allowed, UCMAD_CM_IDLE);
        int expected = begins ? EBADFD : usual;
        for (const auto& [special, error] : operation.special) {
            expected = special == state ? error : expected;
        }
        EXPECT_EQ(operation.run(id, c), Error{expected}) << operation.name;
    }
}

void expect_same(const ucmad_cm_query& before, const ucmad_cm_query& after) {
    EXPECT_EQ(before.state, after.state);
    EXPECT_EQ(before.error, after.error);
    EXPECT_EQ(before.service_id, after.service_id);
    EXPECT_EQ(before.local_comm_id, after.local_comm_id);
    EXPECT_EQ(before.remote_comm_id, after.remote_comm_id);
    EXPECT_EQ(before.backlog, after.backlog);
}

class CmStateMatrix : public testing::TestWithParam<std::tuple<Situation, int>> {};

std::string matrix_name(const testing::TestParamInfo<CmStateMatrix::ParamType>& info) {
    const auto& [situation, gid] = info.param;
    return std::string(situation.name) + (gid == ipv4_gid ? "_ipv4" : "_ipv6");
}

INSTANTIATE_TEST_SUITE_P(state, CmStateMatrix,
                         testing::Combine(testing::ValuesIn(situations),
                                          testing::Values(ipv6_gid, ipv4_gid)),
                         matrix_name);

TEST_P(CmStateMatrix, CM_STATE_ForbiddenOperationFailsAndChangesNothing) {
    const auto& [situation, gid] = GetParam();
    const File server_file;
    const File client_file;
    Connection c(server_file, client_file, gid);
    c.path.packet_life_time = 18; // TIMEWAIT lasts for seconds
    if (situation.after) {
        c.advance_to(*situation.after);
    }
    const Id id = situation.who == Who::client   ? c.client
                  : situation.who == Who::server ? c.server
                                                 : c.listener;
    const ucmad_cm_query before = id.query();
    ASSERT_EQ(before.state, situation.state);
    const bool ended_by_peer =
        situation.who == Who::server && situation.after && *situation.after >= Step::disconnect;

    try_forbidden(id, c, situation.state, ended_by_peer ? ECONNRESET : EBADFD);

    expect_same(before, id.query());
    EXPECT_TRUE(c.client.has_no_event());
    c.complete();
}

class CmState : public GidTest {
protected:
    Connection c = connection();
};
VM_FOR_BOTH_GIDS(CmState);

TEST_P(CmState, CM_STATE_SidrStates) {
    must(c.client.sidr_req(sidr_request(c.path, c.service_id)));
    const Id server = born_of(server_file, take_one(server_file, c.listener.handle()));
    ASSERT_EQ(c.client.state(), UCMAD_CM_SIDR_REQ_SENT);
    ASSERT_EQ(server.state(), UCMAD_CM_SIDR_REQ_RCVD);
    const ucmad_cm_query client_before = c.client.query();
    const ucmad_cm_query server_before = server.query();
    try_forbidden(c.client, c, UCMAD_CM_SIDR_REQ_SENT, EBADFD);
    try_forbidden(server, c, UCMAD_CM_SIDR_REQ_RCVD, EBADFD);
    expect_same(client_before, c.client.query());
    expect_same(server_before, server.query());
    must(server.sidr_rep(sidr_reply()));
    c.client.expect(UCMAD_EVENT_CM_SIDR_REP);
}

TEST_P(CmState, CM_STATE_ReplyAfterRejectIsConnReset) {
    c.advance_to(Step::request);
    must(c.client.destroy());
    c.server.wait_for_events(1);
    EXPECT_EQ(c.server.rep(reply()), Error{ECONNRESET}) << "its REJ event was not taken yet";
    EXPECT_EQ(c.server.rej(rejection()), Error{ECONNRESET});
    EXPECT_EQ(c.server.mra(wait_please()), Error{ECONNRESET});
    c.server.expect(UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(c.server.rep(reply()), Error{ECONNRESET}) << "now it was";
}

// The REJ is under way while the reply is sent: one error or none, and then the truth by an event.
TEST_P(CmState, CM_STATE_ReplyRacingWithARejectHasNoOtherError) {
    for (int round = 0; round < 20; ++round) {
        Connection racing = connection();
        racing.advance_to(Step::request);
        must(racing.client.destroy());
        const Error error = racing.server.rep(reply());
        EXPECT_TRUE(error == ok || error == Error{ECONNRESET}) << error;
        racing.server.expect(UCMAD_EVENT_CM_REJ);
        EXPECT_EQ(racing.server.rep(reply()), Error{ECONNRESET});
    }
}

TEST_P(CmState, CM_STATE_ReadyAfterRejectIsConnReset) {
    c.advance_to(Step::reply);
    must(c.server.destroy());
    c.client.wait_for_events(1);
    EXPECT_EQ(c.client.rtu(), Error{ECONNRESET});
    c.client.expect(UCMAD_EVENT_CM_REJ);
}

TEST_P(CmState, CM_STATE_DisconnectAfterThePeersIsConnReset) {
    c.advance_to(Step::ready);
    must(c.client.dreq());
    c.server.wait_for_state(UCMAD_CM_DREQ_RCVD);
    EXPECT_EQ(c.server.dreq(), Error{ECONNRESET});
    c.server.expect(UCMAD_EVENT_CM_DREQ);
    c.take(Step::confirm);
}

TEST_P(CmState, CM_STATE_AfterNobodyAnsweredIsTimedOut) {
    ucmad_cm_req arg = request(dead_path(), c.service_id);
    arg.remote_cm_response_timeout = 14;
    arg.max_cm_retries = 0;
    must(c.client.req(arg));
    c.client.wait_for_events(1);
    EXPECT_EQ(c.client.rtu(), Error{ETIMEDOUT}) << "its REQ_ERROR event was not taken yet";
    EXPECT_EQ(c.client.rej(rejection()), Error{ETIMEDOUT});
    c.client.expect(UCMAD_EVENT_CM_REQ_ERROR);
    EXPECT_EQ(c.client.rtu(), Error{ETIMEDOUT});
}

TEST_P(CmState, CM_STATE_AfterTheReplyWasNotAnsweredIsTimedOut) {
    ucmad_cm_req arg = request(c.path, c.service_id);
    arg.local_cm_response_timeout = 14;
    arg.max_cm_retries = 0;
    must(c.client.req(arg));
    c.server = born_of(server_file, take_one(server_file, c.listener.handle()));
    must(c.server.rep(reply()));
    c.server.wait_for_events(1);
    EXPECT_EQ(c.server.notify(UCMAD_CM_COMM_EST), Error{ETIMEDOUT});
    EXPECT_EQ(c.server.dreq(), Error{ETIMEDOUT});
    c.server.expect(UCMAD_EVENT_CM_REP_ERROR);
}

TEST_P(CmState, CM_STATE_SameServiceTwiceIsAddressInUse) {
    const Id second = create(client_file);
    EXPECT_EQ(second.listen(listening(c.service_id)), Error{EADDRINUSE});
    EXPECT_EQ(second.state(), UCMAD_CM_IDLE);
    must(c.listener.destroy());
    EXPECT_EQ(second.listen(listening(c.service_id)), ok);
}

class CmResolving : public GidTest {
protected:
    ExtraDevice extra;
};
VM_FOR_BOTH_GIDS(CmResolving);

TEST_P(CmResolving, CM_STATE_Resolving) {
    const Connection c(server_file, client_file, gid(), extra.device());
    ucmad_cm_req arg = request(extra.device().dead_path(gid()), c.service_id);
    arg.resolve_timeout_ms = 2000;
    must(c.client.req(arg));
    const ucmad_cm_query before = c.client.query();
    ASSERT_EQ(before.state, UCMAD_CM_RESOLVING) << "the call must not have waited";
    try_forbidden(c.client, c, UCMAD_CM_RESOLVING, EBADFD);
    expect_same(before, c.client.query());
    c.client.expect(UCMAD_EVENT_CM_REQ_ERROR);
}

} // namespace
} // namespace vm
