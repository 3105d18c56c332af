// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fake_device.hpp"
#include "fake_verbs.hpp"

#include <ucmad/path.hpp>
#include <ucmad/qp.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace ucmad {
namespace {

using test::FakeDevice;
using test::FakeVerbs;

class QpTest : public testing::Test {
protected:
    FakeDevice device;
    FakeVerbs verbs;
    Context context{device.open()};
    CmId id = CmId::create(context, 0);
    std::error_code ec;
};

TEST_F(QpTest, EveryAttributeIsPassedOn) {
    auto answer = ucmad_cm_qp_attr{};
    answer.qp_state = IBV_QPS_RTR;
    answer.attr_mask = IBV_QP_STATE | IBV_QP_AV;
    answer.qp_access_flags = IBV_ACCESS_REMOTE_READ;
    answer.dest_qp_num = 1;
    answer.rq_psn = 2;
    answer.sq_psn = 3;
    answer.path_mtu = IBV_MTU_2048;
    answer.path_mig_state = IBV_MIG_REARM;
    answer.pkey_index = 4;
    answer.alt_pkey_index = 5;
    answer.port_num = 6;
    answer.alt_port_num = 7;
    answer.timeout = 8;
    answer.alt_timeout = 9;
    answer.retry_cnt = 10;
    answer.rnr_retry = 11;
    answer.max_rd_atomic = 12;
    answer.max_dest_rd_atomic = 13;
    answer.min_rnr_timer = 14;
    answer.ah.dgid[15] = 15;
    answer.ah.flow_label = 16;
    answer.ah.dlid = 17;
    answer.ah.sgid_index = 18;
    answer.ah.hop_limit = 19;
    answer.ah.traffic_class = 20;
    answer.ah.sl = 21;
    answer.ah.src_path_bits = 22;
    answer.ah.static_rate = 23;
    answer.ah.is_global = 1;
    answer.ah.port_num = 24;
    answer.alt_ah.dlid = 25;
    device.answer(UCMAD_IOCTL_CM_QP_ATTR, answer);

    modify_qp(&verbs.qp, id, IBV_QPS_RTR);
    const auto asked = device.last<ucmad_cm_qp_attr>(UCMAD_IOCTL_CM_QP_ATTR);
    EXPECT_EQ(asked.size, sizeof asked);
    EXPECT_EQ(asked.object, static_cast<__u32>(id.handle()));
    EXPECT_EQ(asked.qp_state, std::uint32_t{IBV_QPS_RTR});

    ASSERT_EQ(verbs.modifications.size(), 1U);
    const auto& [attr, mask] = verbs.modifications[0];
    EXPECT_EQ(mask, IBV_QP_STATE | IBV_QP_AV);
    EXPECT_EQ(attr.qp_state, IBV_QPS_RTR);
    EXPECT_EQ(attr.qp_access_flags, unsigned{IBV_ACCESS_REMOTE_READ});
    EXPECT_EQ(attr.dest_qp_num, 1U);
    EXPECT_EQ(attr.rq_psn, 2U);
    EXPECT_EQ(attr.sq_psn, 3U);
    EXPECT_EQ(attr.path_mtu, IBV_MTU_2048);
    EXPECT_EQ(attr.path_mig_state, IBV_MIG_REARM);
    EXPECT_EQ(attr.pkey_index, 4);
    EXPECT_EQ(attr.alt_pkey_index, 5);
    EXPECT_EQ(attr.port_num, 6);
    EXPECT_EQ(attr.alt_port_num, 7);
    EXPECT_EQ(attr.timeout, 8);
    EXPECT_EQ(attr.alt_timeout, 9);
    EXPECT_EQ(attr.retry_cnt, 10);
    EXPECT_EQ(attr.rnr_retry, 11);
    EXPECT_EQ(attr.max_rd_atomic, 12);
    EXPECT_EQ(attr.max_dest_rd_atomic, 13);
    EXPECT_EQ(attr.min_rnr_timer, 14);
    EXPECT_EQ(attr.ah_attr.grh.dgid.raw[15], 15);
    EXPECT_EQ(attr.ah_attr.grh.flow_label, 16U);
    EXPECT_EQ(attr.ah_attr.dlid, 17);
    EXPECT_EQ(attr.ah_attr.grh.sgid_index, 18);
    EXPECT_EQ(attr.ah_attr.grh.hop_limit, 19);
    EXPECT_EQ(attr.ah_attr.grh.traffic_class, 20);
    EXPECT_EQ(attr.ah_attr.sl, 21);
    EXPECT_EQ(attr.ah_attr.src_path_bits, 22);
    EXPECT_EQ(attr.ah_attr.static_rate, 23);
    EXPECT_EQ(attr.ah_attr.is_global, 1);
    EXPECT_EQ(attr.ah_attr.port_num, 24);
    EXPECT_EQ(attr.alt_ah_attr.dlid, 25);
}

TEST_F(QpTest, AcceptingSideTakesWhatTheRepWillSay) {
    auto answer = ucmad_cm_qp_attr{};
    answer.sq_psn = 3;
    answer.max_rd_atomic = 12;
    answer.max_dest_rd_atomic = 13;
    device.answer(UCMAD_IOCTL_CM_QP_ATTR, answer);
    modify_qp(&verbs.qp, id, IBV_QPS_RTR,
              {.starting_psn = 77, .responder_resources = 4, .initiator_depth = 5});
    ASSERT_EQ(verbs.modifications.size(), 1U);
    const ibv_qp_attr& attr = verbs.modifications[0].attr;
    EXPECT_EQ(attr.rq_psn, 77U) << "what the peer sends starts there";
    EXPECT_EQ(attr.sq_psn, 3U) << "this is the peer's";
    EXPECT_EQ(attr.max_dest_rd_atomic, 4);
    EXPECT_EQ(attr.max_rd_atomic, 5);

    device.fail_next(UCMAD_IOCTL_CM_QP_ATTR, EBADFD);
    modify_qp(&verbs.qp, id, IBV_QPS_RTR, RepParams{}, ec);
    EXPECT_EQ(ec.value(), EBADFD);
    EXPECT_EQ(verbs.modifications.size(), 1U);
}

TEST_F(QpTest, ErrorsOfTheCmLeaveTheQpAlone) {
    device.fail_next(UCMAD_IOCTL_CM_QP_ATTR, EBADFD);
    modify_qp(&verbs.qp, id, IBV_QPS_RTS, ec);
    EXPECT_EQ(ec.value(), EBADFD);
    EXPECT_TRUE(verbs.modifications.empty());
}

TEST_F(QpTest, ErrorsOfVerbsComeThrough) {
    verbs.modify_error = EINVAL;
    modify_qp(&verbs.qp, id, IBV_QPS_INIT, ec);
    EXPECT_EQ(ec, std::errc::invalid_argument);
    EXPECT_THROW(modify_qp(&verbs.qp, id, IBV_QPS_INIT), std::system_error);
    EXPECT_THROW(qp_to_error(&verbs.qp), std::system_error);
}

TEST_F(QpTest, ToError) {
    qp_to_error(&verbs.qp);
    EXPECT_EQ(verbs.states(), std::vector{IBV_QPS_ERR});
    EXPECT_EQ(verbs.modifications[0].mask, int{IBV_QP_STATE});
}

TEST_F(QpTest, EmptyCmIdFails) {
    (void)qp_attributes(CmId{}, IBV_QPS_INIT, ec);
    EXPECT_EQ(ec.value(), EBADF);
}

// ---- paths from what a port says --------------------------------------------------------------

class VerbsPathTest : public testing::Test {
protected:
    VerbsPathTest() {
        verbs.port.active_mtu = IBV_MTU_1024;
        verbs.gids[0] = raw("fe80::2");
        verbs.gids[1] = raw("10.0.0.2");
    }

    static ibv_gid raw(const char* text) {
        ibv_gid gid{};
        std::ranges::copy(Gid::parse(text).bytes, gid.raw);
        return gid;
    }

    int error_of_roce_path(std::uint16_t index, const char* dgid) {
        try {
            (void)roce_path(&verbs.context, 1, index, Gid::parse(dgid));
        } catch (const std::system_error& error) {
            message = error.what();
            return error.code().value();
        }
        return 0;
    }

    FakeVerbs verbs;
    std::string message;
};

TEST_F(VerbsPathTest, Roce) {
    const Path path = roce_path(&verbs.context, 1, 1, Gid::parse("10.0.0.1"));
    EXPECT_EQ(path.dgid, Gid::parse("10.0.0.1"));
    EXPECT_EQ(path.sgid, Gid::parse("10.0.0.2"));
    EXPECT_EQ(path.sgid_index, 1);
    EXPECT_EQ(path.port, 1);
    EXPECT_EQ(path.mtu, IBV_MTU_1024);
    EXPECT_EQ(path.dlid, 0);
}

TEST_F(VerbsPathTest, RoceErrors) {
    EXPECT_EQ(error_of_roce_path(0, "fe80::1"), 0);
    EXPECT_EQ(error_of_roce_path(0, "10.0.0.1"), EAFNOSUPPORT);
    EXPECT_EQ(error_of_roce_path(1, "fe80::1"), EAFNOSUPPORT);
    EXPECT_NE(message.find("::ffff:10.0.0.2 to fe80::1"), std::string::npos) << message;
    EXPECT_EQ(error_of_roce_path(9, "fe80::1"), EINVAL);
    EXPECT_NE(message.find("fake0 port 1 has no GID at index 9"), std::string::npos) << message;
    verbs.port_error = EIO;
    EXPECT_EQ(error_of_roce_path(0, "fe80::1"), EIO);
}

TEST_F(VerbsPathTest, InfiniBand) {
    verbs.port.lid = 4;
    verbs.port.sm_sl = 2;
    const Path path = infiniband_path(&verbs.context, 1, 7, Gid::parse("fe80::7"));
    EXPECT_EQ(path.slid, 4);
    EXPECT_EQ(path.dlid, 7);
    EXPECT_EQ(path.sl, 2);
    EXPECT_EQ(path.sgid, Gid::parse("fe80::2"));
    EXPECT_EQ(path.dgid, Gid::parse("fe80::7"));
    EXPECT_EQ(path.mtu, IBV_MTU_1024);
    verbs.port.lid = 0;
    EXPECT_THROW((void)infiniband_path(&verbs.context, 1, 7, Gid{}), std::system_error);
}

} // namespace
} // namespace ucmad
