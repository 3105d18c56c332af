// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What one side puts into a message arrives at the other: private data byte for byte and at full
// length, and every member.
#include "support/fixture.hpp"

namespace vm {
namespace {

class CmMessages : public GidTest {
protected:
    ucmad_cm_req full_request() const {
        ucmad_cm_req arg = request(c.path, c.service_id);
        arg.starting_psn = 0xabcdef;
        arg.ece_vendor_id = 0x123456;
        arg.ece_attr_mod = 0x89abcdef;
        arg.responder_resources = 3;
        arg.initiator_depth = 5;
        arg.local_cm_response_timeout = 23;
        arg.retry_count = 6;
        arg.rnr_retry_count = 5;
        arg.flow_control = 1;
        arg.srq = 1;
        arg.primary.packet_life_time = 14;
        arg.primary.traffic_class = 0x20;
        arg.primary.hop_limit = 33;
        arg.primary.flow_label = 0x54321;
        return arg;
    }

    Connection c = connection();
};
VM_FOR_BOTH_GIDS(CmMessages);

TEST_P(CmMessages, CM_MESSAGES_ReqMembers) {
    const ucmad_cm_req sent = full_request();
    must(c.client.req(sent));
    const Event event = take_one(server_file);
    ASSERT_EQ(event.head.type, UCMAD_EVENT_CM_REQ);
    const auto req = event.body<ucmad_cm_req_event>();
    EXPECT_EQ(req.listener, c.listener.handle());
    EXPECT_EQ(req.device, main_device().index);
    EXPECT_EQ(req.service_id, c.service_id);
    EXPECT_EQ(req.remote_ca_guid, devices(server_file).front().node_guid);
    EXPECT_EQ(req.remote_qpn, sent.qp_num);
    EXPECT_EQ(req.starting_psn, sent.starting_psn);
    EXPECT_EQ(req.ece_vendor_id, sent.ece_vendor_id);
    EXPECT_EQ(req.ece_attr_mod, sent.ece_attr_mod);
    EXPECT_EQ(req.bth_pkey, 0xffff);
    EXPECT_EQ(req.port, 1);
    EXPECT_EQ(req.qp_type, UCMAD_QP_RC);
    // What the one side serves, the other may start.
    EXPECT_EQ(req.initiator_depth, sent.responder_resources);
    EXPECT_EQ(req.responder_resources, sent.initiator_depth);
    EXPECT_EQ(req.local_cm_response_timeout, sent.remote_cm_response_timeout);
    EXPECT_EQ(req.remote_cm_response_timeout, sent.local_cm_response_timeout);
    EXPECT_EQ(req.retry_count, sent.retry_count);
    EXPECT_EQ(req.rnr_retry_count, sent.rnr_retry_count);
    EXPECT_EQ(req.flow_control, 1);
    EXPECT_EQ(req.srq, 1);
    EXPECT_EQ(req.has_alternate, 0);
}

TEST_P(CmMessages, CM_MESSAGES_ReqPathIsSeenFromTheOtherSide) {
    const ucmad_cm_req sent = full_request();
    must(c.client.req(sent));
    const ucmad_path path = take_one(server_file).body<ucmad_cm_req_event>().primary;
    const Gid own = main_device().gid(gid()).value();
    EXPECT_TRUE(std::equal(own.begin(), own.end(), path.dgid));
    EXPECT_TRUE(std::equal(own.begin(), own.end(), path.sgid));
    EXPECT_EQ(path.sgid_index, gid());
    EXPECT_EQ(path.port, 1);
    EXPECT_EQ(path.pkey, 0xffff);
    EXPECT_EQ(path.mtu, sent.primary.mtu);
    EXPECT_EQ(path.traffic_class, sent.primary.traffic_class);
    EXPECT_EQ(path.flow_label, sent.primary.flow_label);
    EXPECT_GT(path.packet_life_time, 0);
    EXPECT_LE(path.packet_life_time, 31);
    const std::uint8_t dmac[6] = {2, 0, 0, 0, 0, 1}; // as tools/vm/guest-init sets it
    EXPECT_TRUE(std::equal(dmac, dmac + 6, path.dmac));
}

TEST_P(CmMessages, CM_MESSAGES_AnswerToTheMembersOfAReqCanUseItsPath) {
    must(c.client.req(full_request()));
    const ucmad_path back = take_one(server_file).body<ucmad_cm_req_event>().primary;
    // The path of the event is one to the peer: a REQ back along it arrives.
    const Id other = create(server_file);
    ucmad_path usable = back;
    std::fill_n(usable.dmac, 6, std::uint8_t{0});
    const Id client_listener = create(client_file);
    const std::uint64_t service = new_service_id();
    must(client_listener.listen(listening(service)));
    must(other.req(request(usable, service)));
    EXPECT_EQ(take_one(client_file).head.type, UCMAD_EVENT_CM_REQ);
}

TEST_P(CmMessages, CM_MESSAGES_RepMembers) {
    must(c.client.req(full_request()));
    c.server = born_of(server_file, take_one(server_file));
    ucmad_cm_rep sent = reply();
    sent.starting_psn = 0x123456;
    sent.ece_vendor_id = 0xabcdef;
    sent.ece_attr_mod = 0x76543210;
    sent.responder_resources = 7;
    sent.initiator_depth = 2;
    sent.failover_accepted = 1;
    sent.flow_control = 1;
    sent.rnr_retry_count = 4;
    sent.srq = 1;
    must(c.server.rep(sent));
    const auto rep = c.client.expect(UCMAD_EVENT_CM_REP).body<ucmad_cm_rep_event>();
    EXPECT_EQ(rep.remote_ca_guid, devices(server_file).front().node_guid);
    EXPECT_EQ(rep.remote_qpn, sent.qp_num);
    EXPECT_EQ(rep.starting_psn, sent.starting_psn);
    EXPECT_EQ(rep.ece_vendor_id, sent.ece_vendor_id);
    EXPECT_EQ(rep.ece_attr_mod, sent.ece_attr_mod);
    EXPECT_EQ(rep.initiator_depth, sent.responder_resources);
    EXPECT_EQ(rep.responder_resources, sent.initiator_depth);
    EXPECT_EQ(rep.failover_accepted, sent.failover_accepted);
    EXPECT_EQ(rep.flow_control, 1);
    EXPECT_EQ(rep.rnr_retry_count, sent.rnr_retry_count);
    EXPECT_EQ(rep.srq, 1);
}

TEST_P(CmMessages, CM_MESSAGES_PrivateDataAtFullLength) {
    const Bytes req_data = pattern(UCMAD_CM_REQ_DATA_MAX, 1);
    const Bytes mra_data = pattern(UCMAD_CM_MRA_DATA_MAX, 2);
    const Bytes rep_data = pattern(UCMAD_CM_REP_DATA_MAX, 3);
    const Bytes mra2_data = pattern(UCMAD_CM_MRA_DATA_MAX, 4);
    const Bytes rtu_data = pattern(UCMAD_CM_RTU_DATA_MAX, 5);
    const Bytes dreq_data = pattern(UCMAD_CM_DREQ_DATA_MAX, 6);
    const Bytes drep_data = pattern(UCMAD_CM_DREP_DATA_MAX, 7);

    ucmad_cm_req req = request(c.path, c.service_id);
    set_data(req, req_data);
    must(c.client.req(req));
    const Event req_event = take_one(server_file);
    EXPECT_EQ(req_event.data(), req_data);
    c.server = born_of(server_file, req_event);

    ucmad_cm_mra mra = wait_please(21);
    if (has_mra_at_request()) {
        set_data(mra, mra_data);
        must(c.server.mra(mra));
        const Event mra_event = c.client.expect(UCMAD_EVENT_CM_MRA);
        EXPECT_EQ(mra_event.data(), mra_data);
        EXPECT_EQ(mra_event.body<ucmad_cm_mra_event>().service_timeout, 21);
    }

    ucmad_cm_rep rep = reply();
    set_data(rep, rep_data);
    must(c.server.rep(rep));
    EXPECT_EQ(c.client.expect(UCMAD_EVENT_CM_REP).data(), rep_data);

    if (has_mra_at_request()) {
        set_data(mra, mra2_data);
        must(c.client.mra(mra));
        EXPECT_EQ(c.server.expect(UCMAD_EVENT_CM_MRA).data(), mra2_data);
    }

    ucmad_cm_message message{};
    set_data(message, rtu_data);
    must(c.client.rtu(message));
    EXPECT_EQ(c.server.expect(UCMAD_EVENT_CM_RTU).data(), rtu_data);

    set_data(message, dreq_data);
    must(c.server.dreq(message)); // this time it is the server that ends it
    EXPECT_EQ(c.client.expect(UCMAD_EVENT_CM_DREQ).data(), dreq_data);

    set_data(message, drep_data);
    must(c.client.drep(message));
    EXPECT_EQ(c.server.expect(UCMAD_EVENT_CM_DREP).data(), drep_data);
}

TEST_P(CmMessages, CM_MESSAGES_ShortPrivateDataIsPaddedWithZeros) {
    const Bytes data = pattern(5, 9);
    ucmad_cm_req req = request(c.path, c.service_id);
    set_data(req, data);
    must(c.client.req(req));
    Bytes padded = data;
    padded.resize(UCMAD_CM_REQ_DATA_MAX);
    EXPECT_EQ(take_one(server_file).data(), padded);
}

TEST_P(CmMessages, CM_MESSAGES_UnreliableConnection) {
    ucmad_cm_req req = request(c.path, c.service_id);
    req.qp_type = UCMAD_QP_UC;
    must(c.client.req(req));
    EXPECT_EQ(take_one(server_file).body<ucmad_cm_req_event>().qp_type, UCMAD_QP_UC);
}

TEST_P(CmMessages, CM_MESSAGES_ExtendedReliableConnection) {
    ucmad_cm_req req = request(c.path, c.service_id);
    req.qp_type = UCMAD_QP_XRC_INI;
    must(c.client.req(req));
    EXPECT_EQ(take_one(server_file).body<ucmad_cm_req_event>().qp_type, UCMAD_QP_XRC_TGT);
}

TEST_P(CmMessages, CM_MESSAGES_Sidr) {
    const Bytes req_data = pattern(UCMAD_CM_SIDR_REQ_DATA_MAX, 1);
    const Bytes rep_data = pattern(UCMAD_CM_SIDR_REP_DATA_MAX, 2);
    const Bytes info = pattern(UCMAD_CM_SIDR_REP_INFO_MAX, 3);

    ucmad_cm_sidr_req req = sidr_request(c.path, c.service_id);
    set_data(req, req_data);
    must(c.client.sidr_req(req));
    const Event req_event = take_one(server_file);
    ASSERT_EQ(req_event.head.type, UCMAD_EVENT_CM_SIDR_REQ);
    EXPECT_EQ(req_event.data(), req_data);
    const auto got = req_event.body<ucmad_cm_sidr_req_event>();
    EXPECT_EQ(got.listener, c.listener.handle());
    EXPECT_EQ(got.device, main_device().index);
    EXPECT_EQ(got.service_id, c.service_id);
    EXPECT_EQ(got.pkey, 0xffff);
    EXPECT_EQ(got.bth_pkey, 0xffff);
    EXPECT_EQ(got.sgid_index, gid());
    EXPECT_EQ(got.port, 1);

    ucmad_cm_sidr_rep rep = sidr_reply();
    rep.qp_num = 0xabcdef;
    rep.qkey = 0x11223344;
    set_data(rep, rep_data);
    rep.info = address(info.data());
    rep.info_len = static_cast<std::uint8_t>(info.size());
    const Id server = born_of(server_file, req_event);
    must(server.sidr_rep(rep));
    const Event rep_event = c.client.expect(UCMAD_EVENT_CM_SIDR_REP);
    const auto answer = rep_event.body<ucmad_cm_sidr_rep_event>();
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(answer.qp_num, rep.qp_num);
    EXPECT_EQ(answer.qkey, rep.qkey);
    EXPECT_EQ(answer.sgid_index, gid());
    EXPECT_EQ(rep_event.data(), rep_data);
    // Some kernels' CM sends the information, but leaves its length at zero.
    EXPECT_TRUE(answer.info_len == info.size() || answer.info_len == 0) << int{answer.info_len};
    EXPECT_TRUE(std::equal(answer.info, answer.info + answer.info_len, info.begin()));
    EXPECT_EQ(c.client.state(), UCMAD_CM_IDLE);
    EXPECT_EQ(server.state(), UCMAD_CM_IDLE);
}

TEST_P(CmMessages, CM_MESSAGES_SidrRefused) {
    must(c.client.sidr_req(sidr_request(c.path, c.service_id)));
    must(born_of(server_file, take_one(server_file)).sidr_rep(sidr_reply(3)));
    const Event rep = c.client.expect(UCMAD_EVENT_CM_SIDR_REP);
    EXPECT_EQ(rep.body<ucmad_cm_sidr_rep_event>().status, 3) << "no QP";
}

TEST_P(CmMessages, CM_MESSAGES_NotifyEstablishes) {
    c.advance_to(Step::reply);
    ASSERT_EQ(c.server.notify(UCMAD_CM_COMM_EST), ok);
    c.server.expect(UCMAD_EVENT_CM_USER_ESTABLISHED);
    EXPECT_EQ(c.server.state(), UCMAD_CM_ESTABLISHED);
    EXPECT_EQ(c.server.notify(UCMAD_CM_COMM_EST), Error{EISCONN});
    must(c.client.rtu()); // comes late and is of no interest
    must(c.server.dreq());
    c.client.expect(UCMAD_EVENT_CM_DREQ);
}

TEST_P(CmMessages, CM_MESSAGES_QueryKnowsBothCommunicationIds) {
    EXPECT_EQ(c.client.query().service_id, 0U);
    EXPECT_EQ(c.client.query().local_comm_id, 0U);
    EXPECT_EQ(c.listener.query().service_id, c.service_id);
    c.advance_to(Step::ready);
    const ucmad_cm_query client = c.client.query();
    const ucmad_cm_query server = c.server.query();
    EXPECT_NE(client.local_comm_id, 0U);
    EXPECT_EQ(client.local_comm_id, server.remote_comm_id);
    EXPECT_EQ(client.remote_comm_id, server.local_comm_id);
    EXPECT_EQ(client.service_id, c.service_id);
    EXPECT_EQ(server.service_id, c.service_id);
    EXPECT_EQ(client.device, main_device().index);
    EXPECT_EQ(client.error, 0U);
}

TEST_P(CmMessages, CM_MESSAGES_AssignedServiceId) {
    const Id id = create(server_file);
    ucmad_cm_listen arg = listening(0);
    arg.flags = UCMAD_LISTEN_ASSIGN;
    must(id.call(UCMAD_IOCTL_CM_LISTEN, &arg));
    EXPECT_NE(arg.service_id, 0U);
    EXPECT_EQ(id.query().service_id, arg.service_id);
    must(c.client.req(request(c.path, arg.service_id)));
    EXPECT_EQ(take_one(server_file, id.handle()).body<ucmad_cm_req_event>().service_id,
              arg.service_id);
}

TEST_P(CmMessages, CM_MESSAGES_IdCanBeUsedAgain) {
    for (int round = 0; round < 3; ++round) {
        c.advance_to(Step::request);
        must(c.server.rej(rejection()));
        c.client.expect(UCMAD_EVENT_CM_REJ);
        const Id client = c.client;
        c = connection();
        must(c.client.destroy());
        c.client = client;
    }
    c.complete();
    EXPECT_EQ(c.client.state(), UCMAD_CM_IDLE);
    must(c.client.req(request(c.path, c.service_id)));
    EXPECT_EQ(take_one(server_file, c.listener.handle()).head.type, UCMAD_EVENT_CM_REQ);
    EXPECT_EQ(c.client.query().error, 0U) << "of the connection before";
}

} // namespace
} // namespace vm
