// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Members with values that make no sense, one at a time. Each is refused, nothing has changed, and
// the same struct with the right value then works.
#include "support/fixture.hpp"
#include "support/memory.hpp"

#include <functional>

namespace vm {
namespace {

template <class Arg>
struct Bad {
    const char* what;
    std::function<void(Arg&)> spoil;
    int error = EINVAL;
};

class BadValue : public GidTest {
protected:
    // `good` must be refused once spoilt in each way, and then be accepted as it is, or have
    // another error.
    template <class Arg>
    static void expect_refused(const Id& id, unsigned long request, const Arg& good,
                               const std::vector<Bad<Arg>>& ways, Error in_the_end = ok) {
        const ucmad_cm_query before = id.query();
        for (const Bad<Arg>& way : ways) {
            Arg arg = good;
            way.spoil(arg);
            EXPECT_EQ(id.call(request, &arg), Error{way.error}) << way.what;
        }
        const ucmad_cm_query after = id.query();
        EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0) << "something has changed";
        Arg arg = good;
        EXPECT_EQ(id.call(request, &arg), in_the_end);
    }

    // Private data that is too long, or not there.
    template <class Arg>
    static std::vector<Bad<Arg>> bad_data(std::uint8_t max) {
        return {
            {"data too long",
             [max](Arg& a) {
                 static const Bytes data = pattern(256, 1);
                 a.private_data = address(data.data());
                 a.private_data_len = static_cast<std::uint8_t>(max + 1);
             }},
            {"data of 255 bytes", [](Arg& a) { a.private_data_len = 255; }},
            {"no data", [](Arg& a) { a.private_data_len = 4; }, EFAULT},
            {"unmapped data",
             [](Arg& a) {
                 a.private_data = unmapped;
                 a.private_data_len = 1;
             },
             EFAULT},
            {"data of the kernel",
             [](Arg& a) {
                 a.private_data = 0xffff'8880'0000'0000;
                 a.private_data_len = 1;
             },
             EFAULT},
            {"data that ends early",
             [max](Arg& a) {
                 static const Guarded memory(8);
                 a.private_data = address(memory.data());
                 a.private_data_len = max;
             },
             EFAULT},
        };
    }
    template <class Arg>
    static std::vector<Bad<Arg>> with_data(std::vector<Bad<Arg>> ways, std::uint8_t max) {
        const std::vector<Bad<Arg>> data = bad_data<Arg>(max);
        ways.insert(ways.end(), data.begin(), data.end());
        return ways;
    }

    // Nonsense in the path at `member`.
    template <class Arg>
    std::vector<Bad<Arg>> bad_path(ucmad_path Arg::*member) const {
        std::vector<Bad<ucmad_path>> ways = {
            {"port 0", [](auto& p) { p.port = 0; }},
            {"port 99", [](auto& p) { p.port = 99; }},
            {"GID index 9999", [](auto& p) { p.sgid_index = 9999; }, EADDRNOTAVAIL},
            {"another's GID", [](auto& p) { p.sgid[0] = 0x20; }, EADDRNOTAVAIL},
            {"no destination", [](auto& p) { std::fill_n(p.dgid, 16, std::uint8_t{0}); }},
            {"destination of the other family",
             [this](auto& p) { std::copy_n(main_device().path(1 - gid()).dgid, 16, p.dgid); }},
            {"MTU 0", [](auto& p) { p.mtu = 0; }},
            {"MTU 6", [](auto& p) { p.mtu = 6; }},
            {"rate 1", [](auto& p) { p.rate = 1; }},
            {"rate 255", [](auto& p) { p.rate = 255; }},
            {"SL 16", [](auto& p) { p.sl = 16; }},
            {"flow label of 21 bits", [](auto& p) { p.flow_label = 1U << 20; }},
            {"life time 32", [](auto& p) { p.packet_life_time = 32; }},
            {"DLID on RoCE", [](auto& p) { p.dlid = 1; }},
            {"SLID on RoCE", [](auto& p) { p.slid = 1; }},
        };
        std::vector<Bad<Arg>> result;
        for (const Bad<ucmad_path>& way : ways) {
            result.push_back({way.what, [=](Arg& arg) { way.spoil(arg.*member); }, way.error});
        }
        return result;
    }

    Connection c = connection();
};
VM_FOR_BOTH_GIDS(BadValue);

TEST_P(BadValue, BAD_INPUT_Req) {
    using Req = ucmad_cm_req;
    std::vector<Bad<Req>> ways = {
        {"QP of 25 bits", [](Req& a) { a.qp_num = 1U << 24; }},
        {"PSN of 25 bits", [](Req& a) { a.starting_psn = 1U << 24; }},
        {"ECE vendor of 25 bits", [](Req& a) { a.ece_vendor_id = 1U << 24; }},
        {"QP type 0", [](Req& a) { a.qp_type = 0; }},
        {"QP type UD", [](Req& a) { a.qp_type = 4; }},
        {"QP type XRC_TGT", [](Req& a) { a.qp_type = UCMAD_QP_XRC_TGT; }},
        {"QP type 255", [](Req& a) { a.qp_type = 255; }},
        {"remote time-out 32", [](Req& a) { a.remote_cm_response_timeout = 32; }},
        {"local time-out 32", [](Req& a) { a.local_cm_response_timeout = 32; }},
        {"8 retries", [](Req& a) { a.retry_count = 8; }},
        {"8 RNR retries", [](Req& a) { a.rnr_retry_count = 8; }},
        {"16 CM retries", [](Req& a) { a.max_cm_retries = 16; }},
        {"flow control 2", [](Req& a) { a.flow_control = 2; }},
        {"SRQ 2", [](Req& a) { a.srq = 2; }},
        {"patience 32", [](Req& a) { a.patience = 32; }},
        {"patience 254", [](Req& a) { a.patience = 254; }},
        {"alternate path on RoCE",
         [](Req& a) {
             a.flags = UCMAD_REQ_ALTERNATE;
             a.alternate = a.primary;
         },
         EOPNOTSUPP},
        {"alternate path that is not given", [](Req& a) { a.flags = UCMAD_REQ_ALTERNATE; },
         EOPNOTSUPP},
    };
    const auto path = bad_path(&Req::primary);
    ways.insert(ways.end(), path.begin(), path.end());
    expect_refused(c.client, UCMAD_IOCTL_CM_REQ, request(c.path, c.service_id),
                   with_data(ways, UCMAD_CM_REQ_DATA_MAX));
    EXPECT_EQ(take_one(server_file).head.type, UCMAD_EVENT_CM_REQ);
}

TEST_P(BadValue, BAD_INPUT_SidrReq) {
    using Req = ucmad_cm_sidr_req;
    std::vector<Bad<Req>> ways = {
        {"no time-out", [](Req& a) { a.timeout_ms = 0; }},
        {"16 CM retries", [](Req& a) { a.max_cm_retries = 16; }},
    };
    const auto path = bad_path(&Req::path);
    ways.insert(ways.end(), path.begin(), path.end());
    expect_refused(c.client, UCMAD_IOCTL_CM_SIDR_REQ, sidr_request(c.path, c.service_id),
                   with_data(ways, UCMAD_CM_SIDR_REQ_DATA_MAX));
    EXPECT_EQ(take_one(server_file).head.type, UCMAD_EVENT_CM_SIDR_REQ);
}

TEST_P(BadValue, BAD_INPUT_Listen) {
    using Listen = ucmad_cm_listen;
    auto limits = sized<ucmad_query>();
    must(server_file.call(UCMAD_IOCTL_QUERY, &limits));
    const std::vector<Bad<Listen>> ways = {
        {"backlog", [&](Listen& a) { a.backlog = limits.max_backlog + 1; }},
        {"backlog of all bits", [](Listen& a) { a.backlog = ~0U; }},
        {"patience 32", [](Listen& a) { a.patience = 32; }},
        {"patience 254", [](Listen& a) { a.patience = 254; }},
        {"assign what is given", [](Listen& a) { a.flags = UCMAD_LISTEN_ASSIGN; }},
        {"a service ID that only the CM assigns",
         [](Listen& a) { a.service_id = 0x0200'0000'0000'0001; }},
        {"the CM's own name for any", [](Listen& a) { a.service_id = 0x0200'0000'0000'0000; }},
    };
    expect_refused(create(server_file), UCMAD_IOCTL_CM_LISTEN, listening(new_service_id()), ways);
}

TEST_P(BadValue, BAD_INPUT_Rep) {
    using Rep = ucmad_cm_rep;
    c.advance_to(Step::request);
    expect_refused(c.server, UCMAD_IOCTL_CM_REP, reply(),
                   with_data<Rep>(
                       {
                           {"QP of 25 bits", [](Rep& a) { a.qp_num = 1U << 24; }},
                           {"PSN of 25 bits", [](Rep& a) { a.starting_psn = 1U << 24; }},
                           {"ECE vendor of 25 bits", [](Rep& a) { a.ece_vendor_id = 1U << 24; }},
                           {"failover 4", [](Rep& a) { a.failover_accepted = 4; }},
                           {"flow control 2", [](Rep& a) { a.flow_control = 2; }},
                           {"8 RNR retries", [](Rep& a) { a.rnr_retry_count = 8; }},
                           {"SRQ 2", [](Rep& a) { a.srq = 2; }},
                       },
                       UCMAD_CM_REP_DATA_MAX));
    c.client.expect(UCMAD_EVENT_CM_REP);
}

TEST_P(BadValue, BAD_INPUT_Rej) {
    using Rej = ucmad_cm_rej;
    c.advance_to(Step::request);
    expect_refused(
        c.server, UCMAD_IOCTL_CM_REJ, rejection(),
        with_data<Rej>(
            {
                {"no reason", [](Rej& a) { a.reason = 0; }},
                {"information too long", [](Rej& a) { a.ari_len = UCMAD_CM_REJ_ARI_MAX + 1; }},
                {"no information", [](Rej& a) { a.ari_len = 1; }, EFAULT},
            },
            UCMAD_CM_REJ_DATA_MAX));
    c.client.expect(UCMAD_EVENT_CM_REJ);
}

TEST_P(BadValue, BAD_INPUT_Mra) {
    using Mra = ucmad_cm_mra;
    c.advance_to(Step::request);
    expect_refused(c.server, UCMAD_IOCTL_CM_MRA, wait_please(),
                   with_data<Mra>(
                       {
                           {"no time", [](Mra& a) { a.service_timeout = 0; }},
                           {"time 32", [](Mra& a) { a.service_timeout = 32; }},
                           {"time 255", [](Mra& a) { a.service_timeout = 255; }},
                       },
                       UCMAD_CM_MRA_DATA_MAX),
                   has_mra_at_request() ? ok : Error{EOPNOTSUPP});
    if (has_mra_at_request()) {
        c.client.expect(UCMAD_EVENT_CM_MRA);
    }
}

TEST_P(BadValue, BAD_INPUT_RtuDreqDrep) {
    const auto too_much = [](std::uint8_t max) { return bad_data<ucmad_cm_message>(max); };
    const ucmad_cm_message good{};
    c.advance_to(Step::reply);
    expect_refused(c.client, UCMAD_IOCTL_CM_RTU, good, too_much(UCMAD_CM_RTU_DATA_MAX));
    c.server.expect(UCMAD_EVENT_CM_RTU);
    expect_refused(c.client, UCMAD_IOCTL_CM_DREQ, good, too_much(UCMAD_CM_DREQ_DATA_MAX));
    c.server.expect(UCMAD_EVENT_CM_DREQ);
    expect_refused(c.server, UCMAD_IOCTL_CM_DREP, good, too_much(UCMAD_CM_DREP_DATA_MAX));
    c.client.expect(UCMAD_EVENT_CM_DREP);
}

TEST_P(BadValue, BAD_INPUT_SidrRep) {
    using Rep = ucmad_cm_sidr_rep;
    must(c.client.sidr_req(sidr_request(c.path, c.service_id)));
    const Id server = born_of(server_file, take_one(server_file));
    expect_refused(server, UCMAD_IOCTL_CM_SIDR_REP, sidr_reply(),
                   with_data<Rep>(
                       {
                           {"QP of 25 bits", [](Rep& a) { a.qp_num = 1U << 24; }},
                           {"ECE vendor of 17 bits", [](Rep& a) { a.ece_vendor_id = 1U << 16; }},
                           {"status 6", [](Rep& a) { a.status = 6; }},
                           {"information too long",
                            [](Rep& a) { a.info_len = UCMAD_CM_SIDR_REP_INFO_MAX + 1; }},
                           {"no information", [](Rep& a) { a.info_len = 1; }, EFAULT},
                       },
                       UCMAD_CM_SIDR_REP_DATA_MAX));
    c.client.expect(UCMAD_EVENT_CM_SIDR_REP);
}

TEST_P(BadValue, BAD_INPUT_Notify) {
    using Notify = ucmad_cm_notify;
    c.advance_to(Step::reply);
    Notify good{};
    good.event = UCMAD_CM_COMM_EST;
    expect_refused(c.server, UCMAD_IOCTL_CM_NOTIFY, good,
                   std::vector<Bad<Notify>>{
                       {"event 0", [](Notify& a) { a.event = 0; }},
                       {"event 3", [](Notify& a) { a.event = 3; }},
                       {"event of all bits", [](Notify& a) { a.event = ~0U; }},
                   });
    c.server.expect(UCMAD_EVENT_CM_USER_ESTABLISHED);
}

TEST_P(BadValue, BAD_INPUT_PathMigratedWithoutAnAlternatePath) {
    c.advance_to(Step::ready);
    EXPECT_NE(c.client.notify(UCMAD_CM_PATH_MIG), ok);
    EXPECT_NE(c.server.notify(UCMAD_CM_PATH_MIG), ok);
    c.complete();
}

TEST_P(BadValue, BAD_INPUT_QpAttr) {
    using Attr = ucmad_cm_qp_attr;
    c.advance_to(Step::ready);
    Attr good{};
    good.qp_state = 3;
    expect_refused(c.client, UCMAD_IOCTL_CM_QP_ATTR, good,
                   std::vector<Bad<Attr>>{
                       {"RESET", [](Attr& a) { a.qp_state = 0; }},
                       {"SQD", [](Attr& a) { a.qp_state = 4; }},
                       {"state 99", [](Attr& a) { a.qp_state = 99; }},
                   });
}

TEST(BadFileValue, BAD_INPUT_CreateForNoDevice) {
    const File file;
    auto arg = sized<ucmad_cm_create>();
    for (const std::uint32_t device : {0x7fff'ffffU, ~0U}) {
        arg.device = device;
        EXPECT_EQ(file.call(UCMAD_IOCTL_CM_CREATE, &arg), Error{ENODEV});
    }
}

TEST(BadFileValue, BAD_INPUT_Devices) {
    const File file;
    auto arg = sized<ucmad_devices>();
    arg.count = 1;
    arg.entry_size = sizeof(ucmad_device_info);
    EXPECT_EQ(file.call(UCMAD_IOCTL_DEVICES, &arg), Error{EFAULT}) << "no array";
    const Guarded short_array(sizeof(ucmad_device_info) - 1);
    arg.count = 1;
    arg.devices = address(short_array.data());
    EXPECT_EQ(file.call(UCMAD_IOCTL_DEVICES, &arg), Error{EFAULT}) << "an array that ends early";
    ucmad_device_info info{};
    arg.count = 1;
    arg.devices = address(&info);
    arg.entry_size = 0;
    EXPECT_EQ(file.call(UCMAD_IOCTL_DEVICES, &arg), Error{EINVAL}) << "entries of no size";
    arg.count = 0;
    arg.devices = 0;
    arg.entry_size = sizeof info;
    EXPECT_EQ(file.call(UCMAD_IOCTL_DEVICES, &arg), ok) << "just asking how many";
    EXPECT_GE(arg.count, 1U);
}

} // namespace
} // namespace vm
