// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The QP attributes that the module gives bring real QPs to where data flows both ways.
#include "support/fixture.hpp"
#include "support/queue_pair.hpp"

namespace vm {
namespace {

class Qp : public GidTest {};
VM_FOR_BOTH_GIDS(Qp);

void send_and_receive(QueuePair& from, QueuePair& to, unsigned seed) {
    const Bytes message = pattern(QueuePair::message_size, seed);
    to.post_receive();
    from.send(message);
    EXPECT_EQ(to.receive(), message);
}

TEST_P(Qp, QP_AttributesConnectRealQueuePairs) {
    Connection c = connection();
    QueuePair client_qp(main_device().name);
    QueuePair server_qp(main_device().name);

    ucmad_cm_req req = request(c.path, c.service_id);
    req.qp_num = client_qp.number();
    req.starting_psn = 0x101;
    req.responder_resources = 1;
    req.initiator_depth = 1;
    req.retry_count = 7;
    req.rnr_retry_count = 7;
    must(c.client.req(req));
    c.server = born_of(server_file, take_one(server_file, c.listener.handle()));

    ucmad_cm_rep rep = reply();
    rep.qp_num = server_qp.number();
    rep.starting_psn = 0x202;
    rep.responder_resources = 1;
    rep.initiator_depth = 1;
    rep.rnr_retry_count = 7;
    must(c.server.rep(rep));
    // Not before: the CM learns from the REP which PSN this side wants to receive first.
    server_qp.bring_up(c.server);

    c.client.expect(UCMAD_EVENT_CM_REP);
    client_qp.bring_up(c.client);
    must(c.client.rtu());
    c.server.expect(UCMAD_EVENT_CM_RTU);

    for (unsigned round = 0; round < 10; ++round) {
        send_and_receive(client_qp, server_qp, 2 * round);
        send_and_receive(server_qp, client_qp, 2 * round + 1);
    }
    c.take(Step::disconnect);
    c.complete();
}

TEST_P(Qp, QP_AttributesAreThoseOfTheMessages) {
    Connection c = connection();
    ucmad_cm_req req = request(c.path, c.service_id);
    req.starting_psn = 0xa1;
    req.responder_resources = 2;
    req.initiator_depth = 3;
    req.retry_count = 5;
    must(c.client.req(req));
    c.server = born_of(server_file, take_one(server_file, c.listener.handle()));
    ucmad_cm_rep rep = reply();
    rep.starting_psn = 0xb2;
    rep.responder_resources = 3;
    rep.initiator_depth = 2;
    rep.rnr_retry_count = 6;
    must(c.server.rep(rep));
    c.client.expect(UCMAD_EVENT_CM_REP);

    const ucmad_cm_qp_attr init = c.client.attributes(IBV_QPS_INIT);
    EXPECT_EQ(init.attr_mask, static_cast<unsigned>(IBV_QP_STATE | IBV_QP_ACCESS_FLAGS |
                                                    IBV_QP_PKEY_INDEX | IBV_QP_PORT));
    EXPECT_EQ(init.port_num, 1);
    EXPECT_TRUE(init.qp_access_flags & IBV_ACCESS_REMOTE_READ);

    const ucmad_cm_qp_attr rtr = c.client.attributes(IBV_QPS_RTR);
    EXPECT_EQ(rtr.dest_qp_num, rep.qp_num);
    EXPECT_EQ(rtr.rq_psn, req.starting_psn);
    EXPECT_EQ(rtr.path_mtu, c.path.mtu);
    EXPECT_EQ(rtr.max_dest_rd_atomic, 2);
    EXPECT_EQ(rtr.ah.is_global, 1);
    EXPECT_EQ(rtr.ah.sgid_index, gid());
    EXPECT_EQ(rtr.ah.port_num, 1);
    EXPECT_TRUE(std::equal(rtr.ah.dgid, rtr.ah.dgid + 16, c.path.dgid));

    const ucmad_cm_qp_attr rts = c.client.attributes(IBV_QPS_RTS);
    EXPECT_EQ(rts.sq_psn, rep.starting_psn);
    EXPECT_EQ(rts.retry_cnt, req.retry_count);
    EXPECT_EQ(rts.rnr_retry, rep.rnr_retry_count);
    EXPECT_EQ(rts.max_rd_atomic, 3);

    const ucmad_cm_qp_attr server_rtr = c.server.attributes(IBV_QPS_RTR);
    EXPECT_EQ(server_rtr.dest_qp_num, req.qp_num);
    EXPECT_EQ(server_rtr.rq_psn, rep.starting_psn);
    EXPECT_EQ(c.server.attributes(IBV_QPS_RTS).sq_psn, req.starting_psn);
}

} // namespace
} // namespace vm
