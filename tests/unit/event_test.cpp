// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "abi.hpp"

#include <ucmad/event.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace ucmad {
namespace {

template <typename Struct>
Bytes raw(const Struct& value) {
    return std::as_bytes(std::span{&value, 1});
}

/// Builds what the module would write.
class Records {
public:
    /// Appends a record; `change` may spoil its head.
    template <typename Change>
    Records& add(std::uint16_t type, Bytes body, Bytes data, Change change) {
        ucmad_event head{};
        const std::size_t end = sizeof head + body.size();
        head.size = static_cast<__u32>((end + data.size() + 7) / 8 * 8);
        head.type = type;
        head.object = 7;
        head.sequence = 3;
        head.context = 0x1122334455667788;
        head.time = 1'000'000'007;
        head.data_offset = static_cast<__u32>(end);
        head.data_len = static_cast<__u32>(data.size());
        const std::size_t start = bytes_.size();
        bytes_.resize(start + head.size);
        change(head);
        std::memcpy(&bytes_[start], &head, sizeof head);
        std::ranges::copy(body, &bytes_[start + sizeof head]);
        std::ranges::copy(data, &bytes_[start + end]);
        return *this;
    }

    Records& add(std::uint16_t type, Bytes body = {}, Bytes data = {}) {
        return add(type, body, data, [](auto&) {});
    }

    void cut(std::size_t bytes) { bytes_.resize(bytes_.size() - bytes); }

    std::error_code decode() { return detail::decode_events(bytes_, events); }

    std::vector<EventView> events;

private:
    std::vector<std::byte> bytes_;
};

TEST(Event, HeadAndData) {
    Records records;
    const std::string text(224, 'x');
    records.add(UCMAD_EVENT_CM_RTU, {}, bytes_of(text),
                [](ucmad_event& head) { head.flags = UCMAD_EVENT_HELD; });
    ASSERT_FALSE(records.decode());
    ASSERT_EQ(records.events.size(), 1U);
    const EventView& event = records.events[0];
    EXPECT_EQ(event.object, Handle{7});
    EXPECT_EQ(event.sequence, 3U);
    EXPECT_EQ(event.context, 0x1122334455667788U);
    EXPECT_EQ(event.time.time_since_epoch(), std::chrono::nanoseconds{1'000'000'007});
    EXPECT_TRUE(event.held);
    EXPECT_NE(event.get_if<RtuReceived>(), nullptr);
    EXPECT_EQ(event.get_if<DreqReceived>(), nullptr);
    EXPECT_TRUE(std::ranges::equal(event.private_data, bytes_of(text)));
}

TEST(Event, OwnedEventOutlivesTheBuffer) {
    Event event;
    {
        Records records;
        records.add(UCMAD_EVENT_CM_DREQ, {}, bytes_of("bye"));
        ASSERT_FALSE(records.decode());
        event = Event{records.events[0]};
    }
    EXPECT_TRUE(std::ranges::equal(event.private_data, bytes_of("bye")));
    EXPECT_EQ(event.name(), "DREQ");
}

TEST(Event, SeveralRecords) {
    Records records;
    records.add(UCMAD_EVENT_CM_RTU, {}, bytes_of("12345678"));
    records.add(UCMAD_EVENT_CM_TIMEWAIT_EXIT);
    records.add(UCMAD_EVENT_DEVICE_REMOVED);
    ASSERT_FALSE(records.decode());
    ASSERT_EQ(records.events.size(), 3U);
    EXPECT_EQ(records.events[1].name(), "timewait exit");
    EXPECT_EQ(records.events[2].name(), "device removed");
    EXPECT_TRUE(records.events[2].private_data.empty());
}

TEST(Event, Req) {
    ucmad_cm_req_event body{};
    body.listener = 2;
    body.device = 3;
    body.service_id = 0x1000000000004711;
    body.remote_ca_guid = 0x0202;
    body.remote_qkey = 5;
    body.remote_qpn = 0x123456;
    body.starting_psn = 0x654321;
    body.ece_vendor_id = 8;
    body.ece_attr_mod = 9;
    body.bth_pkey = 0xffff;
    body.port = 1;
    body.qp_type = UCMAD_QP_UC;
    body.responder_resources = 10;
    body.initiator_depth = 11;
    body.local_cm_response_timeout = 12;
    body.remote_cm_response_timeout = 13;
    body.retry_count = 5;
    body.rnr_retry_count = 6;
    body.flow_control = 1;
    body.srq = 1;
    body.has_alternate = 1;
    body.primary.port = 1;
    body.primary.dmac[5] = 0x42;
    body.alternate.sl = 3;
    const std::string data(UCMAD_CM_REQ_DATA_MAX, 'd');
    Records records;
    records.add(UCMAD_EVENT_CM_REQ, raw(body), bytes_of(data));
    ASSERT_FALSE(records.decode());
    const auto* req = records.events.at(0).get_if<ReqReceived>();
    ASSERT_NE(req, nullptr);
    EXPECT_EQ(req->listener, Handle{2});
    EXPECT_EQ(req->device, 3U);
    EXPECT_EQ(req->service_id, 0x1000000000004711U);
    EXPECT_EQ(req->remote_ca_guid, 0x0202U);
    EXPECT_EQ(req->remote_qkey, 5U);
    EXPECT_EQ(req->remote_qpn, 0x123456U);
    EXPECT_EQ(req->starting_psn, 0x654321U);
    EXPECT_EQ(req->ece, (Ece{8, 9}));
    EXPECT_EQ(req->bth_pkey, 0xffff);
    EXPECT_EQ(req->port, 1);
    EXPECT_EQ(req->qp_type, QpType::uc);
    EXPECT_EQ(req->responder_resources, 10);
    EXPECT_EQ(req->initiator_depth, 11);
    EXPECT_EQ(req->local_cm_response_timeout, 12);
    EXPECT_EQ(req->remote_cm_response_timeout, 13);
    EXPECT_EQ(req->retry_count, 5);
    EXPECT_EQ(req->rnr_retry_count, 6);
    EXPECT_TRUE(req->flow_control);
    EXPECT_TRUE(req->srq);
    EXPECT_TRUE(req->has_alternate);
    EXPECT_EQ(req->primary.dmac[5], 0x42);
    EXPECT_EQ(req->alternate.sl, 3);
    EXPECT_TRUE(std::ranges::equal(records.events[0].private_data, bytes_of(data)));
}

TEST(Event, Rep) {
    ucmad_cm_rep_event body{};
    body.remote_ca_guid = 1;
    body.remote_qkey = 2;
    body.remote_qpn = 3;
    body.starting_psn = 4;
    body.ece_vendor_id = 5;
    body.ece_attr_mod = 6;
    body.responder_resources = 7;
    body.initiator_depth = 8;
    body.target_ack_delay = 9;
    body.failover_accepted = 2;
    body.flow_control = 1;
    body.rnr_retry_count = 7;
    body.srq = 1;
    Records records;
    records.add(UCMAD_EVENT_CM_REP, raw(body));
    ASSERT_FALSE(records.decode());
    const auto* rep = records.events.at(0).get_if<RepReceived>();
    ASSERT_NE(rep, nullptr);
    EXPECT_EQ(rep->remote_ca_guid, 1U);
    EXPECT_EQ(rep->remote_qkey, 2U);
    EXPECT_EQ(rep->remote_qpn, 3U);
    EXPECT_EQ(rep->starting_psn, 4U);
    EXPECT_EQ(rep->ece, (Ece{5, 6}));
    EXPECT_EQ(rep->responder_resources, 7);
    EXPECT_EQ(rep->initiator_depth, 8);
    EXPECT_EQ(rep->target_ack_delay, 9);
    EXPECT_EQ(rep->failover_accepted, 2);
    EXPECT_TRUE(rep->flow_control);
    EXPECT_EQ(rep->rnr_retry_count, 7);
    EXPECT_TRUE(rep->srq);
}

TEST(Event, RejWithAdditionalInformation) {
    ucmad_cm_rej_event body{};
    body.reason = 24;
    body.ari_len = 3;
    body.ari[0] = 1;
    body.ari[2] = 3;
    Records records;
    records.add(UCMAD_EVENT_CM_REJ, raw(body));
    ASSERT_FALSE(records.decode());
    const auto* rej = records.events.at(0).get_if<RejReceived>();
    ASSERT_NE(rej, nullptr);
    EXPECT_EQ(rej->reason, RejectReason::port_and_cm_redirection);
    ASSERT_EQ(rej->ari.bytes().size(), 3U);
    EXPECT_EQ(rej->ari.bytes()[2], std::byte{3});
}

TEST(Event, LengthOfInformationIsBounded) {
    ucmad_cm_apr_event body{};
    body.info_len = 255;
    Records records;
    records.add(UCMAD_EVENT_CM_APR, raw(body));
    ASSERT_FALSE(records.decode());
    EXPECT_EQ(records.events.at(0).get_if<AprReceived>()->info.bytes().size(), 72U);
}

TEST(Event, Sidr) {
    ucmad_cm_sidr_req_event req{};
    req.listener = 1;
    req.device = 2;
    req.service_id = 3;
    req.pkey = 4;
    req.bth_pkey = 5;
    req.sgid_index = 0xffff;
    req.port = 6;
    ucmad_cm_sidr_rep_event rep{};
    rep.qp_num = 7;
    rep.qkey = 0x80010000;
    rep.sgid_index = 8;
    rep.status = 2;
    rep.info_len = 1;
    Records records;
    records.add(UCMAD_EVENT_CM_SIDR_REQ, raw(req)).add(UCMAD_EVENT_CM_SIDR_REP, raw(rep));
    ASSERT_FALSE(records.decode());
    const auto* got_req = records.events.at(0).get_if<SidrReqReceived>();
    ASSERT_NE(got_req, nullptr);
    EXPECT_EQ(got_req->listener, Handle{1});
    EXPECT_EQ(got_req->device, 2U);
    EXPECT_EQ(got_req->service_id, 3U);
    EXPECT_EQ(got_req->pkey, 4);
    EXPECT_EQ(got_req->bth_pkey, 5);
    EXPECT_EQ(got_req->sgid_index, 0xffff);
    EXPECT_EQ(got_req->port, 6);
    const auto* got_rep = records.events.at(1).get_if<SidrRepReceived>();
    ASSERT_NE(got_rep, nullptr);
    EXPECT_EQ(got_rep->qp_num, 7U);
    EXPECT_EQ(got_rep->qkey, 0x80010000U);
    EXPECT_EQ(got_rep->sgid_index, 8);
    EXPECT_EQ(got_rep->status, SidrStatus::rejected);
    EXPECT_EQ(got_rep->info.bytes().size(), 1U);
}

TEST(Event, FailuresSayWhy) {
    ucmad_cm_error_event body{};
    body.error = ETIMEDOUT;
    body.wc_status = 12;
    Records records;
    for (const std::uint16_t type :
         {UCMAD_EVENT_CM_REQ_ERROR, UCMAD_EVENT_CM_REP_ERROR, UCMAD_EVENT_CM_DREQ_ERROR,
          UCMAD_EVENT_CM_LAP_ERROR, UCMAD_EVENT_CM_SIDR_REQ_ERROR, UCMAD_EVENT_CM_EXPIRED})
        records.add(type, raw(body));
    ASSERT_FALSE(records.decode());
    ASSERT_EQ(records.events.size(), 6U);
    for (const EventView& event : records.events) {
        const Failure failure = std::visit(
            [](const auto& what) {
                if constexpr (std::is_base_of_v<Failure, std::decay_t<decltype(what)>>)
                    return static_cast<const Failure&>(what);
                else
                    return Failure{};
            },
            event.body);
        EXPECT_EQ(failure.error, std::errc::timed_out) << event.name();
        EXPECT_EQ(failure.wc_status, 12U) << event.name();
    }
    EXPECT_NE(records.events[0].get_if<ReqError>(), nullptr);
    EXPECT_NE(records.events[5].get_if<Expired>(), nullptr);
}

TEST(Event, MadsOfAgents) {
    ucmad_mad_completion done{};
    done.cookie = 77;
    done.handle = 5;
    done.status = UCMAD_MAD_ERROR;
    done.wc_status = 12;
    done.tries = 3;
    done.from.qpn = 1;
    done.from.sgid_index = 9;
    done.from.flags = UCMAD_ADDRESS_GRH;
    ucmad_mad_receive received{};
    received.request = 8;
    received.from.dlid = 4;
    const std::vector<std::byte> mad(300, std::byte{7});
    Records records;
    records.add(UCMAD_EVENT_MAD_SEND, raw(done));
    records.add(UCMAD_EVENT_MAD_RECEIVE, raw(received), mad);
    ASSERT_FALSE(records.decode());
    const auto* completed = records.events.at(0).get_if<SendCompleted>();
    ASSERT_NE(completed, nullptr);
    EXPECT_EQ(completed->cookie, 77U);
    EXPECT_EQ(completed->handle, 5U);
    EXPECT_EQ(completed->status, SendStatus::error);
    EXPECT_EQ(completed->wc_status, 12U);
    EXPECT_EQ(completed->tries, 3U);
    EXPECT_EQ(completed->from.sgid_index, 9);
    EXPECT_TRUE(completed->from.has_grh);
    const auto* incoming = records.events.at(1).get_if<MadReceived>();
    ASSERT_NE(incoming, nullptr);
    EXPECT_EQ(incoming->request, 8U);
    EXPECT_EQ(incoming->from.dlid, 4);
    EXPECT_FALSE(incoming->from.has_grh);
    EXPECT_EQ(records.events.at(1).private_data.size(), mad.size());
}

TEST(Event, MraAndLap) {
    const ucmad_cm_mra_event mra{.service_timeout = 21, .reserved = {}};
    ucmad_cm_lap_event lap{};
    lap.alternate.dlid = 77;
    Records records;
    records.add(UCMAD_EVENT_CM_MRA, raw(mra)).add(UCMAD_EVENT_CM_LAP, raw(lap));
    ASSERT_FALSE(records.decode());
    EXPECT_EQ(records.events.at(0).get_if<MraReceived>()->service_timeout, 21);
    EXPECT_EQ(records.events.at(1).get_if<LapReceived>()->alternate.dlid, 77);
}

/// Every type of the ABI has its own name and body here, in the ABI's order.
TEST(Event, EveryTypeIsKnown) {
    const std::vector<std::byte> body(
        1024); // longer than any: what is behind the known part is let be
    std::vector<std::uint16_t> types{UCMAD_EVENT_DEVICE_REMOVED};
    for (std::uint16_t type = UCMAD_EVENT_CM_REQ; type <= UCMAD_EVENT_CM_EXPIRED; ++type)
        types.push_back(type);
    types.insert(types.end(), {UCMAD_EVENT_MAD_SEND, UCMAD_EVENT_MAD_RECEIVE});
    ASSERT_EQ(types.size() + 1, std::variant_size_v<EventBody>);
    Records records;
    for (const std::uint16_t type : types)
        records.add(type, body);
    ASSERT_FALSE(records.decode());
    for (std::size_t i = 0; i < types.size(); ++i)
        EXPECT_EQ(records.events.at(i).body.index(), i);
    EXPECT_EQ(event_name(UnknownEvent{}), "unknown event");
}

TEST(Event, TypesOfANewerModuleAreKept) {
    Records records;
    records.add(0x4711, bytes_of("whatever"), bytes_of("data"));
    ASSERT_FALSE(records.decode());
    ASSERT_NE(records.events.at(0).get_if<UnknownEvent>(), nullptr);
    EXPECT_EQ(records.events[0].get_if<UnknownEvent>()->type, 0x4711);
    EXPECT_EQ(records.events[0].sequence, 3U) << "it can be acknowledged";
    EXPECT_TRUE(std::ranges::equal(records.events[0].private_data, bytes_of("data")));
}

// ---- bad input: the events before the bad one are kept, and nothing is read out of bounds -----

TEST(BadEvent, Truncated) {
    for (const std::size_t bytes : {1U, 8U, 39U}) {
        Records records;
        records.add(UCMAD_EVENT_CM_RTU).add(UCMAD_EVENT_CM_RTU);
        records.cut(bytes);
        EXPECT_EQ(records.decode(), std::errc::bad_message) << bytes;
        EXPECT_EQ(records.events.size(), 1U) << bytes;
    }
}

TEST(BadEvent, Sizes) {
    for (const std::uint32_t size : {0U, 8U, 40U, 52U, 56U, 0xfffffff8U}) {
        Records records;
        records.add(UCMAD_EVENT_CM_RTU, {}, {}, [&](ucmad_event& head) { head.size = size; });
        EXPECT_EQ(records.decode(), std::errc::bad_message) << size;
        EXPECT_TRUE(records.events.empty()) << size;
    }
}

TEST(BadEvent, DataOutsideOfTheRecord) {
    struct {
        std::uint32_t offset, length;
    } const cases[] = {{48, 9}, {56, 1}, {47, 1}, {0, 8}, {0xffffffff, 0xffffffff}};
    for (const auto& [offset, length] : cases) {
        Records records;
        records.add(UCMAD_EVENT_CM_RTU, {}, bytes_of("12345678"),
                    [offset = offset, length = length](ucmad_event& head) {
                        head.data_offset = offset;
                        head.data_len = length;
                    });
        EXPECT_EQ(records.decode(), std::errc::bad_message) << offset << ' ' << length;
    }
}

TEST(BadEvent, BodyTooShort) {
    const std::vector<std::byte> body(sizeof(ucmad_cm_req_event) - 8);
    Records records;
    records.add(UCMAD_EVENT_CM_REQ, body);
    EXPECT_EQ(records.decode(), std::errc::bad_message);
    Records with_data; // the data must not be read as the missing part of the body
    with_data.add(UCMAD_EVENT_CM_REQ, body, bytes_of("0123456789abcdef"));
    EXPECT_EQ(with_data.decode(), std::errc::bad_message);
}

} // namespace
} // namespace ucmad
