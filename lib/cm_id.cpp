// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/cm_id.hpp>

#include "abi.hpp"
#include "file.hpp"

#include <cerrno>
#include <limits>
#include <utility>

namespace ucmad {
namespace {

using detail::checked;
using detail::system_code;

/// Sets an address and its length in an ABI struct; false if there are more bytes than `limit`,
/// which the struct's member of eight bits might not even be able to say.
bool set_bytes(Bytes bytes, std::size_t limit, __u64& address, __u8& length) noexcept {
    if (bytes.size() > limit)
        return false;
    address = bytes.empty() ? 0 : detail::address_of(bytes.data());
    length = static_cast<__u8>(bytes.size());
    return true;
}

bool set_milliseconds(std::chrono::milliseconds time, __u32& member) noexcept {
    if (time.count() < 0 || time.count() > std::numeric_limits<__u32>::max())
        return false;
    member = static_cast<__u32>(time.count());
    return true;
}

} // namespace

CmId::CmId(std::shared_ptr<const detail::File> file, Handle handle) noexcept
    : Object(std::move(file), handle) {}

CmId CmId::create(const Context& context, std::uint32_t device, std::uint64_t user_context,
                  std::error_code& ec) noexcept {
    auto argument = detail::make_argument<ucmad_cm_create>();
    argument.device = device;
    argument.context = user_context;
    ec = detail::call(context.fd(), UCMAD_IOCTL_CM_CREATE, argument);
    return ec ? CmId{} : CmId{context.file_, Handle{argument.object}};
}

CmId CmId::create(const Context& context, std::uint32_t device, std::uint64_t user_context) {
    return checked("making a CM ID",
                   [&](auto& ec) { return create(context, device, user_context, ec); });
}

CmId CmId::adopt(const Context& context, Handle handle) noexcept {
    return CmId{context.file_, handle};
}

CmIdInfo CmId::query(std::error_code& ec) const noexcept {
    ucmad_cm_query argument{};
    call(UCMAD_IOCTL_CM_QUERY, argument, ec);
    return {
        .service_id = argument.service_id,
        .local_comm_id = argument.local_comm_id,
        .remote_comm_id = argument.remote_comm_id,
        .device = argument.device,
        .state = CmState{argument.state},
        .error = system_code(static_cast<int>(argument.error)),
        .backlog = argument.backlog,
        .dropped = argument.dropped,
    };
}

CmIdInfo CmId::query() const {
    return checked("query of a CM ID", [&](auto& ec) { return query(ec); });
}

std::uint64_t CmId::listen(const ListenParams& params, std::error_code& ec) const noexcept {
    ucmad_cm_listen argument{};
    argument.flags = params.service_id ? 0 : UCMAD_LISTEN_ASSIGN;
    argument.backlog = params.backlog;
    argument.service_id = params.service_id.value_or(0);
    argument.patience = params.patience;
    call(UCMAD_IOCTL_CM_LISTEN, argument, ec);
    return ec ? 0 : argument.service_id;
}

std::uint64_t CmId::listen(const ListenParams& params) const {
    return checked("listening", [&](auto& ec) { return listen(params, ec); });
}

void CmId::req(const ReqParams& params, std::error_code& ec) const noexcept {
    ucmad_cm_req argument{};
    if (!set_bytes(params.private_data, UCMAD_CM_REQ_DATA_MAX, argument.private_data,
                   argument.private_data_len) ||
        !set_milliseconds(params.resolve_timeout, argument.resolve_timeout_ms)) {
        ec = system_code(EINVAL);
        return;
    }
    argument.service_id = params.service_id;
    argument.qp_num = params.qp_num;
    argument.starting_psn = params.starting_psn;
    argument.ece_vendor_id = params.ece.vendor_id;
    argument.ece_attr_mod = params.ece.attr_mod;
    argument.qp_type = static_cast<__u8>(params.qp_type);
    argument.responder_resources = params.responder_resources;
    argument.initiator_depth = params.initiator_depth;
    argument.remote_cm_response_timeout = params.remote_cm_response_timeout;
    argument.local_cm_response_timeout = params.local_cm_response_timeout;
    argument.retry_count = params.retry_count;
    argument.rnr_retry_count = params.rnr_retry_count;
    argument.max_cm_retries = params.max_cm_retries;
    argument.flow_control = params.flow_control ? 1 : 0;
    argument.srq = params.srq ? 1 : 0;
    argument.patience = params.patience;
    argument.primary = detail::to_abi(params.primary);
    if (params.alternate) {
        argument.flags |= UCMAD_REQ_ALTERNATE;
        argument.alternate = detail::to_abi(*params.alternate);
    }
    call(UCMAD_IOCTL_CM_REQ, argument, ec);
}

void CmId::req(const ReqParams& params) const {
    checked("REQ", [&](auto& ec) { req(params, ec); });
}

void CmId::rep(const RepParams& params, std::error_code& ec) const noexcept {
    ucmad_cm_rep argument{};
    if (!set_bytes(params.private_data, UCMAD_CM_REP_DATA_MAX, argument.private_data,
                   argument.private_data_len)) {
        ec = system_code(EINVAL);
        return;
    }
    argument.qp_num = params.qp_num;
    argument.starting_psn = params.starting_psn;
    argument.ece_vendor_id = params.ece.vendor_id;
    argument.ece_attr_mod = params.ece.attr_mod;
    argument.responder_resources = params.responder_resources;
    argument.initiator_depth = params.initiator_depth;
    argument.failover_accepted = params.failover_accepted;
    argument.flow_control = params.flow_control ? 1 : 0;
    argument.rnr_retry_count = params.rnr_retry_count;
    argument.srq = params.srq ? 1 : 0;
    call(UCMAD_IOCTL_CM_REP, argument, ec);
}

void CmId::rep(const RepParams& params) const {
    checked("REP", [&](auto& ec) { rep(params, ec); });
}

void CmId::message(unsigned long request, std::size_t limit, Bytes private_data,
                   std::error_code& ec) const noexcept {
    ucmad_cm_message argument{};
    if (!set_bytes(private_data, limit, argument.private_data, argument.private_data_len)) {
        ec = system_code(EINVAL);
        return;
    }
    call(request, argument, ec);
}

void CmId::rtu(Bytes private_data, std::error_code& ec) const noexcept {
    message(UCMAD_IOCTL_CM_RTU, UCMAD_CM_RTU_DATA_MAX, private_data, ec);
}

void CmId::rtu(Bytes private_data) const {
    checked("RTU", [&](auto& ec) { rtu(private_data, ec); });
}

void CmId::dreq(Bytes private_data, std::error_code& ec) const noexcept {
    message(UCMAD_IOCTL_CM_DREQ, UCMAD_CM_DREQ_DATA_MAX, private_data, ec);
}

void CmId::dreq(Bytes private_data) const {
    checked("DREQ", [&](auto& ec) { dreq(private_data, ec); });
}

void CmId::drep(Bytes private_data, std::error_code& ec) const noexcept {
    message(UCMAD_IOCTL_CM_DREP, UCMAD_CM_DREP_DATA_MAX, private_data, ec);
}

void CmId::drep(Bytes private_data) const {
    checked("DREP", [&](auto& ec) { drep(private_data, ec); });
}

void CmId::rej(const RejParams& params, std::error_code& ec) const noexcept {
    ucmad_cm_rej argument{};
    if (!set_bytes(params.private_data, UCMAD_CM_REJ_DATA_MAX, argument.private_data,
                   argument.private_data_len) ||
        !set_bytes(params.ari, UCMAD_CM_REJ_ARI_MAX, argument.ari, argument.ari_len)) {
        ec = system_code(EINVAL);
        return;
    }
    argument.reason = static_cast<__u16>(params.reason);
    call(UCMAD_IOCTL_CM_REJ, argument, ec);
}

void CmId::rej(const RejParams& params) const {
    checked("REJ", [&](auto& ec) { rej(params, ec); });
}

void CmId::mra(std::uint8_t service_timeout, Bytes private_data,
               std::error_code& ec) const noexcept {
    ucmad_cm_mra argument{};
    if (!set_bytes(private_data, UCMAD_CM_MRA_DATA_MAX, argument.private_data,
                   argument.private_data_len)) {
        ec = system_code(EINVAL);
        return;
    }
    argument.service_timeout = service_timeout;
    call(UCMAD_IOCTL_CM_MRA, argument, ec);
}

void CmId::mra(std::uint8_t service_timeout, Bytes private_data) const {
    checked("MRA", [&](auto& ec) { mra(service_timeout, private_data, ec); });
}

void CmId::sidr_req(const SidrReqParams& params, std::error_code& ec) const noexcept {
    ucmad_cm_sidr_req argument{};
    if (!set_bytes(params.private_data, UCMAD_CM_SIDR_REQ_DATA_MAX, argument.private_data,
                   argument.private_data_len) ||
        !set_milliseconds(params.timeout, argument.timeout_ms) ||
        !set_milliseconds(params.resolve_timeout, argument.resolve_timeout_ms)) {
        ec = system_code(EINVAL);
        return;
    }
    argument.service_id = params.service_id;
    argument.max_cm_retries = params.max_cm_retries;
    argument.path = detail::to_abi(params.path);
    call(UCMAD_IOCTL_CM_SIDR_REQ, argument, ec);
}

void CmId::sidr_req(const SidrReqParams& params) const {
    checked("SIDR REQ", [&](auto& ec) { sidr_req(params, ec); });
}

void CmId::sidr_rep(const SidrRepParams& params, std::error_code& ec) const noexcept {
    ucmad_cm_sidr_rep argument{};
    if (!set_bytes(params.private_data, UCMAD_CM_SIDR_REP_DATA_MAX, argument.private_data,
                   argument.private_data_len) ||
        !set_bytes(params.info, UCMAD_CM_SIDR_REP_INFO_MAX, argument.info, argument.info_len)) {
        ec = system_code(EINVAL);
        return;
    }
    argument.qp_num = params.qp_num;
    argument.qkey = params.qkey;
    argument.ece_vendor_id = params.ece.vendor_id;
    argument.ece_attr_mod = params.ece.attr_mod;
    argument.status = static_cast<__u8>(params.status);
    call(UCMAD_IOCTL_CM_SIDR_REP, argument, ec);
}

void CmId::sidr_rep(const SidrRepParams& params) const {
    checked("SIDR REP", [&](auto& ec) { sidr_rep(params, ec); });
}

void CmId::notify(Notification what, std::error_code& ec) const noexcept {
    ucmad_cm_notify argument{};
    argument.event = static_cast<__u32>(what);
    call(UCMAD_IOCTL_CM_NOTIFY, argument, ec);
}

void CmId::notify(Notification what) const {
    checked("telling the CM", [&](auto& ec) { notify(what, ec); });
}

std::string_view state_name(CmState state) noexcept {
    static constexpr std::string_view names[] = {
        "idle",
        "listen",
        "resolving",
        "REQ sent",
        "MRA to REQ received",
        "REQ received",
        "MRA to REQ sent",
        "REP sent",
        "MRA to REP received",
        "REP received",
        "MRA to REP sent",
        "established",
        "DREQ sent",
        "DREQ received",
        "timewait",
        "SIDR REQ sent",
        "SIDR REQ received",
        "removed",
    };
    static_assert(std::size(names) == UCMAD_CM_REMOVED + 1);
    const auto index = static_cast<std::uint32_t>(state);
    return index < std::size(names) ? names[index] : "unknown state";
}

} // namespace ucmad
