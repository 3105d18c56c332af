// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fake_device.hpp"

#include <ucmad/cm_id.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <functional>
#include <string>

namespace ucmad {
namespace {

using namespace std::chrono_literals;
using test::FakeDevice;

class CmIdTest : public testing::Test {
protected:
    FakeDevice device;
    Context context{device.open()};
    CmId id = CmId::create(context, 5, 77);
    std::error_code ec;

    /// The bytes that an address in an ABI struct stands for.
    static std::string text(__u64 address, std::size_t length) {
        return {reinterpret_cast<const char*>(address), length};
    }
};

TEST_F(CmIdTest, Create) {
    EXPECT_TRUE(id);
    const auto argument = device.last<ucmad_cm_create>(UCMAD_IOCTL_CM_CREATE);
    EXPECT_EQ(argument.size, sizeof argument);
    EXPECT_EQ(argument.device, 5U);
    EXPECT_EQ(argument.context, 77U);
}

TEST_F(CmIdTest, CreateFails) {
    device.fail_next(UCMAD_IOCTL_CM_CREATE, EMFILE);
    EXPECT_FALSE(CmId::create(context, 0, 0, ec));
    EXPECT_EQ(ec, std::errc::too_many_files_open);
    device.fail_next(UCMAD_IOCTL_CM_CREATE, ENODEV);
    EXPECT_THROW((void)CmId::create(context, 0), std::system_error);
}

TEST_F(CmIdTest, DestroysItself) {
    const Handle handle = id.handle();
    id = CmId{};
    EXPECT_FALSE(device.exists(handle));
    EXPECT_EQ(device.count(UCMAD_IOCTL_DESTROY), 1U);
}

TEST_F(CmIdTest, MovesWithoutDestroying) {
    const Handle handle = id.handle();
    CmId other = std::move(id);
    EXPECT_FALSE(id); // NOLINT(bugprone-use-after-move): what is left is documented to be empty
    EXPECT_EQ(other.handle(), handle);
    CmId& same = other;
    other = std::move(same);
    EXPECT_EQ(other.handle(), handle);
    EXPECT_TRUE(device.exists(handle));
}

TEST_F(CmIdTest, AssignmentDestroysTheOld) {
    const Handle old = id.handle();
    id = CmId::create(context, 0);
    EXPECT_FALSE(device.exists(old));
    EXPECT_TRUE(device.exists(id.handle()));
}

TEST_F(CmIdTest, DestroyCountsAndIsDoneOnce) { // DEL-COUNT
    device.post(id.handle(), UCMAD_EVENT_CM_RTU);
    device.post(id.handle(), UCMAD_EVENT_CM_DREQ);
    EXPECT_EQ(id.destroy(), 2U);
    EXPECT_FALSE(id);
    EXPECT_EQ(id.destroy(), 0U);
    EXPECT_EQ(device.count(UCMAD_IOCTL_DESTROY), 1U);
}

TEST_F(CmIdTest, ReleaseAndAdopt) {
    const Handle handle = id.release();
    EXPECT_FALSE(id);
    EXPECT_TRUE(device.exists(handle));
    { const CmId adopted = CmId::adopt(context, handle); }
    EXPECT_FALSE(device.exists(handle));
}

TEST_F(CmIdTest, EmptyIdFailsCleanly) {
    CmId empty;
    EXPECT_EQ(empty.fd(), -1);
    empty.rtu({}, ec);
    EXPECT_EQ(ec.value(), EBADF);
    EXPECT_FALSE(empty.next(no_wait, {}, ec));
    EXPECT_EQ(ec.value(), EBADF);
    EXPECT_EQ(empty.destroy(ec), 0U);
    EXPECT_FALSE(ec);
}

TEST_F(CmIdTest, SetContext) {
    id.set_context(123);
    EXPECT_EQ(device.context(id.handle()), 123U);
}

TEST_F(CmIdTest, Query) {
    auto answer = ucmad_cm_query{};
    answer.service_id = 1;
    answer.local_comm_id = 2;
    answer.remote_comm_id = 3;
    answer.device = 4;
    answer.state = UCMAD_CM_TIMEWAIT;
    answer.error = ECONNRESET;
    answer.backlog = 6;
    answer.dropped = 7;
    device.answer(UCMAD_IOCTL_CM_QUERY, answer);
    const CmIdInfo info = id.query();
    EXPECT_EQ(info.service_id, 1U);
    EXPECT_EQ(info.local_comm_id, 2U);
    EXPECT_EQ(info.remote_comm_id, 3U);
    EXPECT_EQ(info.device, 4U);
    EXPECT_EQ(info.state, CmState::timewait);
    EXPECT_EQ(info.error, std::errc::connection_reset);
    EXPECT_EQ(info.backlog, 6U);
    EXPECT_EQ(info.dropped, 7U);
}

TEST_F(CmIdTest, Listen) {
    EXPECT_EQ(id.listen({.service_id = 0x4711, .backlog = 9, .patience = patience_none}), 0x4711U);
    auto argument = device.last<ucmad_cm_listen>(UCMAD_IOCTL_CM_LISTEN);
    EXPECT_EQ(argument.object, static_cast<__u32>(id.handle()));
    EXPECT_EQ(argument.flags, 0U);
    EXPECT_EQ(argument.backlog, 9U);
    EXPECT_EQ(argument.service_id, 0x4711U);
    EXPECT_EQ(argument.patience, UCMAD_PATIENCE_NONE);
}

TEST_F(CmIdTest, ListenOnAnAssignedServiceId) {
    auto answer = ucmad_cm_listen{};
    answer.service_id = 0x815;
    device.answer(UCMAD_IOCTL_CM_LISTEN, answer);
    EXPECT_EQ(id.listen({}), 0x815U);
    EXPECT_EQ(device.last<ucmad_cm_listen>(UCMAD_IOCTL_CM_LISTEN).flags, UCMAD_LISTEN_ASSIGN);
}

TEST_F(CmIdTest, Req) {
    ReqParams params;
    params.service_id = 1;
    params.qp_num = 2;
    params.starting_psn = 3;
    params.qp_type = QpType::uc;
    params.primary.dgid = Gid::parse("fe80::1");
    params.primary.port = 4;
    params.private_data = bytes_of("hello");
    params.ece = {5, 6};
    params.responder_resources = 7;
    params.initiator_depth = 8;
    params.remote_cm_response_timeout = 9;
    params.local_cm_response_timeout = 10;
    params.retry_count = 1;
    params.rnr_retry_count = 2;
    params.max_cm_retries = 11;
    params.flow_control = false;
    params.srq = true;
    params.patience = 12;
    params.resolve_timeout = 1500ms;
    id.req(params);
    const auto argument = device.last<ucmad_cm_req>(UCMAD_IOCTL_CM_REQ);
    EXPECT_EQ(argument.size, sizeof argument);
    EXPECT_EQ(argument.object, static_cast<__u32>(id.handle()));
    EXPECT_EQ(argument.flags, 0U);
    EXPECT_EQ(argument.service_id, 1U);
    EXPECT_EQ(argument.qp_num, 2U);
    EXPECT_EQ(argument.starting_psn, 3U);
    EXPECT_EQ(argument.qp_type, UCMAD_QP_UC);
    EXPECT_EQ(argument.primary.dgid[0], 0xfe);
    EXPECT_EQ(argument.primary.port, 4);
    EXPECT_EQ(text(argument.private_data, argument.private_data_len), "hello");
    EXPECT_EQ(argument.ece_vendor_id, 5U);
    EXPECT_EQ(argument.ece_attr_mod, 6U);
    EXPECT_EQ(argument.responder_resources, 7);
    EXPECT_EQ(argument.initiator_depth, 8);
    EXPECT_EQ(argument.remote_cm_response_timeout, 9);
    EXPECT_EQ(argument.local_cm_response_timeout, 10);
    EXPECT_EQ(argument.retry_count, 1);
    EXPECT_EQ(argument.rnr_retry_count, 2);
    EXPECT_EQ(argument.max_cm_retries, 11);
    EXPECT_EQ(argument.flow_control, 0);
    EXPECT_EQ(argument.srq, 1);
    EXPECT_EQ(argument.patience, 12);
    EXPECT_EQ(argument.resolve_timeout_ms, 1500U);
    EXPECT_EQ(argument.alternate.port, 0);
}

TEST_F(CmIdTest, ReqWithAlternatePath) {
    ReqParams params;
    params.alternate = Path{};
    params.alternate->port = 2;
    id.req(params);
    const auto argument = device.last<ucmad_cm_req>(UCMAD_IOCTL_CM_REQ);
    EXPECT_EQ(argument.flags, UCMAD_REQ_ALTERNATE);
    EXPECT_EQ(argument.alternate.port, 2);
}

TEST_F(CmIdTest, Rep) {
    id.rep({.qp_num = 1,
            .starting_psn = 2,
            .private_data = bytes_of("welcome"),
            .ece = {3, 4},
            .responder_resources = 5,
            .initiator_depth = 6,
            .failover_accepted = 2,
            .flow_control = true,
            .rnr_retry_count = 7,
            .srq = true});
    const auto argument = device.last<ucmad_cm_rep>(UCMAD_IOCTL_CM_REP);
    EXPECT_EQ(argument.size, sizeof argument);
    EXPECT_EQ(argument.qp_num, 1U);
    EXPECT_EQ(argument.starting_psn, 2U);
    EXPECT_EQ(text(argument.private_data, argument.private_data_len), "welcome");
    EXPECT_EQ(argument.ece_vendor_id, 3U);
    EXPECT_EQ(argument.ece_attr_mod, 4U);
    EXPECT_EQ(argument.responder_resources, 5);
    EXPECT_EQ(argument.initiator_depth, 6);
    EXPECT_EQ(argument.failover_accepted, 2);
    EXPECT_EQ(argument.flow_control, 1);
    EXPECT_EQ(argument.rnr_retry_count, 7);
    EXPECT_EQ(argument.srq, 1);
}

TEST_F(CmIdTest, Rej) {
    id.rej({.reason = RejectReason::no_resources_available,
            .private_data = bytes_of("full"),
            .ari = bytes_of("later")});
    const auto argument = device.last<ucmad_cm_rej>(UCMAD_IOCTL_CM_REJ);
    EXPECT_EQ(argument.reason, 3);
    EXPECT_EQ(text(argument.private_data, argument.private_data_len), "full");
    EXPECT_EQ(text(argument.ari, argument.ari_len), "later");
}

TEST_F(CmIdTest, Mra) {
    id.mra(21, bytes_of("wait"));
    const auto argument = device.last<ucmad_cm_mra>(UCMAD_IOCTL_CM_MRA);
    EXPECT_EQ(argument.service_timeout, 21);
    EXPECT_EQ(text(argument.private_data, argument.private_data_len), "wait");
}

TEST_F(CmIdTest, Sidr) {
    SidrReqParams req;
    req.service_id = 1;
    req.path.port = 2;
    req.private_data = bytes_of("who");
    req.timeout = 300ms;
    req.resolve_timeout = 400ms;
    req.max_cm_retries = 3;
    id.sidr_req(req);
    const auto asked = device.last<ucmad_cm_sidr_req>(UCMAD_IOCTL_CM_SIDR_REQ);
    EXPECT_EQ(asked.size, sizeof asked);
    EXPECT_EQ(asked.service_id, 1U);
    EXPECT_EQ(asked.path.port, 2);
    EXPECT_EQ(text(asked.private_data, asked.private_data_len), "who");
    EXPECT_EQ(asked.timeout_ms, 300U);
    EXPECT_EQ(asked.resolve_timeout_ms, 400U);
    EXPECT_EQ(asked.max_cm_retries, 3);

    id.sidr_rep({.status = SidrStatus::redirect,
                 .qp_num = 4,
                 .qkey = 5,
                 .private_data = bytes_of("me"),
                 .info = bytes_of("there"),
                 .ece = {6, 7}});
    const auto told = device.last<ucmad_cm_sidr_rep>(UCMAD_IOCTL_CM_SIDR_REP);
    EXPECT_EQ(told.size, sizeof told);
    EXPECT_EQ(told.status, 4);
    EXPECT_EQ(told.qp_num, 4U);
    EXPECT_EQ(told.qkey, 5U);
    EXPECT_EQ(text(told.private_data, told.private_data_len), "me");
    EXPECT_EQ(text(told.info, told.info_len), "there");
    EXPECT_EQ(told.ece_vendor_id, 6U);
    EXPECT_EQ(told.ece_attr_mod, 7U);
}

TEST_F(CmIdTest, Notify) {
    id.notify(Notification::path_migrated);
    EXPECT_EQ(device.last<ucmad_cm_notify>(UCMAD_IOCTL_CM_NOTIFY).event,
              std::uint32_t{UCMAD_CM_PATH_MIG});
}

TEST_F(CmIdTest, KernelErrorsComeThrough) {
    device.fail_next(UCMAD_IOCTL_CM_REP, ECONNRESET);
    id.rep({}, ec);
    EXPECT_EQ(ec, std::errc::connection_reset);
    id.rep({}, ec);
    EXPECT_FALSE(ec) << "success clears the error";
    device.fail_next(UCMAD_IOCTL_CM_REP, EBADFD);
    try {
        id.rep({});
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code().value(), EBADFD);
        EXPECT_EQ(std::string{error.what()}.rfind("REP", 0), 0U) << error.what();
    }
}

TEST_F(CmIdTest, PrivateDataAtFullLengthAndBeyond) {
    const std::string zeros(300, '\0');
    struct Case {
        unsigned long request;
        std::size_t limit;
        std::function<void(Bytes)> send;
    };
    const Case cases[] = {
        {UCMAD_IOCTL_CM_REQ, 92,
         [&](Bytes bytes) {
             ReqParams params;
             params.private_data = bytes;
             id.req(params, ec);
         }},
        {UCMAD_IOCTL_CM_REP, 196, [&](Bytes bytes) { id.rep({.private_data = bytes}, ec); }},
        {UCMAD_IOCTL_CM_RTU, 224, [&](Bytes bytes) { id.rtu(bytes, ec); }},
        {UCMAD_IOCTL_CM_DREQ, 220, [&](Bytes bytes) { id.dreq(bytes, ec); }},
        {UCMAD_IOCTL_CM_DREP, 224, [&](Bytes bytes) { id.drep(bytes, ec); }},
        {UCMAD_IOCTL_CM_MRA, 222, [&](Bytes bytes) { id.mra(1, bytes, ec); }},
        {UCMAD_IOCTL_CM_REJ, 148, [&](Bytes bytes) { id.rej({.private_data = bytes}, ec); }},
        {UCMAD_IOCTL_CM_REJ, 72, [&](Bytes bytes) { id.rej({.ari = bytes}, ec); }},
        {UCMAD_IOCTL_CM_SIDR_REQ, 216,
         [&](Bytes bytes) {
             SidrReqParams params;
             params.private_data = bytes;
             id.sidr_req(params, ec);
         }},
        {UCMAD_IOCTL_CM_SIDR_REP, 136,
         [&](Bytes bytes) { id.sidr_rep({.private_data = bytes}, ec); }},
        {UCMAD_IOCTL_CM_SIDR_REP, 72, [&](Bytes bytes) { id.sidr_rep({.info = bytes}, ec); }},
    };
    for (const Case& each : cases) {
        const std::size_t before = device.count(each.request);
        each.send(bytes_of(zeros).first(each.limit));
        EXPECT_FALSE(ec) << each.limit;
        EXPECT_EQ(device.count(each.request), before + 1);
        // 256 more would pass for the same length in eight bits.
        for (const std::size_t too_many : {each.limit + 1, std::size_t{256}}) {
            each.send(bytes_of(zeros).first(too_many));
            EXPECT_EQ(ec, std::errc::invalid_argument) << too_many;
        }
        EXPECT_EQ(device.count(each.request), before + 1) << "nothing was sent";
    }
}

TEST_F(CmIdTest, TimesThatDoNotFit) {
    ReqParams req;
    req.resolve_timeout = -1ms;
    id.req(req, ec);
    EXPECT_EQ(ec, std::errc::invalid_argument);
    SidrReqParams sidr;
    sidr.timeout = std::chrono::hours{24 * 365};
    id.sidr_req(sidr, ec);
    EXPECT_EQ(ec, std::errc::invalid_argument);
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_REQ) + device.count(UCMAD_IOCTL_CM_SIDR_REQ), 0U);
}

} // namespace
} // namespace ucmad
