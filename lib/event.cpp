// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/event.hpp>

#include "abi.hpp"
#include "file.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

namespace ucmad {
namespace {

/// Converts the body of one type of event; there is one overload for each struct of the ABI.
ReqReceived convert(const ucmad_cm_req_event& abi) noexcept {
    return {
        .listener = Handle{abi.listener},
        .device = abi.device,
        .service_id = abi.service_id,
        .remote_ca_guid = abi.remote_ca_guid,
        .remote_qkey = abi.remote_qkey,
        .remote_qpn = abi.remote_qpn,
        .starting_psn = abi.starting_psn,
        .ece = {abi.ece_vendor_id, abi.ece_attr_mod},
        .bth_pkey = abi.bth_pkey,
        .port = abi.port,
        .qp_type = QpType{abi.qp_type},
        .responder_resources = abi.responder_resources,
        .initiator_depth = abi.initiator_depth,
        .local_cm_response_timeout = abi.local_cm_response_timeout,
        .remote_cm_response_timeout = abi.remote_cm_response_timeout,
        .retry_count = abi.retry_count,
        .rnr_retry_count = abi.rnr_retry_count,
        .flow_control = abi.flow_control != 0,
        .srq = abi.srq != 0,
        .has_alternate = abi.has_alternate != 0,
        .primary = detail::from_abi(abi.primary),
        .alternate = detail::from_abi(abi.alternate),
    };
}

RepReceived convert(const ucmad_cm_rep_event& abi) noexcept {
    return {
        .remote_ca_guid = abi.remote_ca_guid,
        .remote_qkey = abi.remote_qkey,
        .remote_qpn = abi.remote_qpn,
        .starting_psn = abi.starting_psn,
        .ece = {abi.ece_vendor_id, abi.ece_attr_mod},
        .responder_resources = abi.responder_resources,
        .initiator_depth = abi.initiator_depth,
        .target_ack_delay = abi.target_ack_delay,
        .failover_accepted = abi.failover_accepted,
        .flow_control = abi.flow_control != 0,
        .rnr_retry_count = abi.rnr_retry_count,
        .srq = abi.srq != 0,
    };
}

/// Never more than there is room for, whatever the length says.
AdditionalInfo convert_info(const __u8 (&data)[72], std::uint8_t length) noexcept {
    AdditionalInfo info;
    info.length = std::min<std::uint8_t>(length, sizeof data);
    std::memcpy(info.data.data(), data, sizeof data);
    return info;
}

RejReceived convert(const ucmad_cm_rej_event& abi) noexcept {
    return {.reason = RejectReason{abi.reason}, .ari = convert_info(abi.ari, abi.ari_len)};
}

MraReceived convert(const ucmad_cm_mra_event& abi) noexcept {
    return {.service_timeout = abi.service_timeout};
}

LapReceived convert(const ucmad_cm_lap_event& abi) noexcept {
    return {.alternate = detail::from_abi(abi.alternate)};
}

AprReceived convert(const ucmad_cm_apr_event& abi) noexcept {
    return {.status = abi.status, .info = convert_info(abi.info, abi.info_len)};
}

SidrReqReceived convert(const ucmad_cm_sidr_req_event& abi) noexcept {
    return {
        .listener = Handle{abi.listener},
        .device = abi.device,
        .service_id = abi.service_id,
        .pkey = abi.pkey,
        .bth_pkey = abi.bth_pkey,
        .sgid_index = abi.sgid_index,
        .port = abi.port,
    };
}

SidrRepReceived convert(const ucmad_cm_sidr_rep_event& abi) noexcept {
    return {
        .qp_num = abi.qp_num,
        .qkey = abi.qkey,
        .sgid_index = abi.sgid_index,
        .status = SidrStatus{abi.status},
        .info = convert_info(abi.info, abi.info_len),
    };
}

SendCompleted convert(const ucmad_mad_completion& abi) noexcept {
    return {
        .cookie = abi.cookie,
        .handle = abi.handle,
        .status = SendStatus{abi.status},
        .wc_status = abi.wc_status,
        .tries = abi.tries,
        .from = detail::from_abi(abi.from),
    };
}

MadReceived convert(const ucmad_mad_receive& abi) noexcept {
    return {.request = abi.request, .from = detail::from_abi(abi.from)};
}

Failure convert(const ucmad_cm_error_event& abi) noexcept {
    return {.error = detail::system_code(static_cast<int>(abi.error)), .wc_status = abi.wc_status};
}

/// A body of which the ABI has the struct. What a newer module has put behind that is passed over.
template <typename Body, typename Abi>
std::optional<EventBody> read(Bytes bytes) noexcept {
    Abi abi{};
    if (bytes.size() < sizeof abi)
        return std::nullopt;
    std::memcpy(&abi, bytes.data(), sizeof abi);
    return Body{convert(abi)};
}

template <typename Body>
std::optional<EventBody> read_failure(Bytes bytes) noexcept {
    return read<Body, ucmad_cm_error_event>(bytes);
}

/// None if the bytes are too few for the type.
std::optional<EventBody> read_body(std::uint16_t type, Bytes bytes) noexcept {
    switch (type) {
    case UCMAD_EVENT_DEVICE_REMOVED:
        return DeviceRemoved{};
    case UCMAD_EVENT_CM_REQ:
        return read<ReqReceived, ucmad_cm_req_event>(bytes);
    case UCMAD_EVENT_CM_REQ_ERROR:
        return read_failure<ReqError>(bytes);
    case UCMAD_EVENT_CM_REP:
        return read<RepReceived, ucmad_cm_rep_event>(bytes);
    case UCMAD_EVENT_CM_REP_ERROR:
        return read_failure<RepError>(bytes);
    case UCMAD_EVENT_CM_RTU:
        return RtuReceived{};
    case UCMAD_EVENT_CM_USER_ESTABLISHED:
        return UserEstablished{};
    case UCMAD_EVENT_CM_DREQ:
        return DreqReceived{};
    case UCMAD_EVENT_CM_DREQ_ERROR:
        return read_failure<DreqError>(bytes);
    case UCMAD_EVENT_CM_DREP:
        return DrepReceived{};
    case UCMAD_EVENT_CM_TIMEWAIT_EXIT:
        return TimewaitExit{};
    case UCMAD_EVENT_CM_MRA:
        return read<MraReceived, ucmad_cm_mra_event>(bytes);
    case UCMAD_EVENT_CM_REJ:
        return read<RejReceived, ucmad_cm_rej_event>(bytes);
    case UCMAD_EVENT_CM_LAP:
        return read<LapReceived, ucmad_cm_lap_event>(bytes);
    case UCMAD_EVENT_CM_APR:
        return read<AprReceived, ucmad_cm_apr_event>(bytes);
    case UCMAD_EVENT_CM_LAP_ERROR:
        return read_failure<LapError>(bytes);
    case UCMAD_EVENT_CM_SIDR_REQ:
        return read<SidrReqReceived, ucmad_cm_sidr_req_event>(bytes);
    case UCMAD_EVENT_CM_SIDR_REQ_ERROR:
        return read_failure<SidrReqError>(bytes);
    case UCMAD_EVENT_CM_SIDR_REP:
        return read<SidrRepReceived, ucmad_cm_sidr_rep_event>(bytes);
    case UCMAD_EVENT_CM_EXPIRED:
        return read_failure<Expired>(bytes);
    case UCMAD_EVENT_MAD_SEND:
        return read<SendCompleted, ucmad_mad_completion>(bytes);
    case UCMAD_EVENT_MAD_RECEIVE:
        return read<MadReceived, ucmad_mad_receive>(bytes);
    default:
        return UnknownEvent{.type = type};
    }
}

/// Reads the record at the start of `bytes` and cuts it off; none if it makes no sense.
std::optional<EventView> read_record(Bytes& bytes) noexcept {
    ucmad_event head{};
    if (bytes.size() < sizeof head)
        return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.size < sizeof head || head.size > bytes.size() || head.size % 8 != 0)
        return std::nullopt;
    const Bytes record = bytes.first(head.size);
    std::size_t body_end = record.size();
    if (head.data_len != 0) {
        body_end = head.data_offset;
        if (body_end < sizeof head || body_end > record.size() ||
            head.data_len > record.size() - body_end)
            return std::nullopt;
    }
    const auto body = read_body(head.type, record.subspan(sizeof head, body_end - sizeof head));
    if (!body)
        return std::nullopt;

    EventView event;
    event.object = Handle{head.object};
    event.held = (head.flags & UCMAD_EVENT_HELD) != 0;
    event.sequence = head.sequence;
    event.context = head.context;
    event.time = std::chrono::steady_clock::time_point{std::chrono::nanoseconds{head.time}};
    event.body = *body;
    if (head.data_len != 0)
        event.private_data = record.subspan(body_end, head.data_len);
    bytes = bytes.subspan(head.size);
    return event;
}

} // namespace

namespace detail {

std::error_code decode_events(Bytes records, std::vector<EventView>& events) {
    while (!records.empty()) {
        const auto event = read_record(records);
        if (!event)
            return system_code(EBADMSG);
        events.push_back(*event);
    }
    return {};
}

} // namespace detail

std::string_view event_name(const EventBody& body) noexcept {
    static constexpr std::string_view names[] = {
        "device removed",
        "REQ",
        "REQ error",
        "REP",
        "REP error",
        "RTU",
        "user established",
        "DREQ",
        "DREQ error",
        "DREP",
        "timewait exit",
        "MRA",
        "REJ",
        "LAP",
        "APR",
        "LAP error",
        "SIDR REQ",
        "SIDR REQ error",
        "SIDR REP",
        "expired",
        "send completed",
        "MAD received",
        "unknown event",
    };
    static_assert(std::size(names) == std::variant_size_v<EventBody>);
    return names[body.index()];
}

} // namespace ucmad
