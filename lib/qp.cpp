// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/qp.hpp>

#include "abi.hpp"
#include "file.hpp"

#include <algorithm>

namespace ucmad {
namespace {

using detail::checked;
using detail::system_code;

ibv_ah_attr convert(const ucmad_ah_attr& abi) noexcept {
    ibv_ah_attr ah{};
    std::ranges::copy(abi.dgid, ah.grh.dgid.raw);
    ah.grh.flow_label = abi.flow_label;
    ah.grh.sgid_index = abi.sgid_index;
    ah.grh.hop_limit = abi.hop_limit;
    ah.grh.traffic_class = abi.traffic_class;
    ah.dlid = abi.dlid;
    ah.sl = abi.sl;
    ah.src_path_bits = abi.src_path_bits;
    ah.static_rate = abi.static_rate;
    ah.is_global = abi.is_global;
    ah.port_num = abi.port_num;
    return ah;
}

ibv_qp_attr convert(const ucmad_cm_qp_attr& abi) noexcept {
    ibv_qp_attr attr{};
    attr.qp_state = static_cast<ibv_qp_state>(abi.qp_state);
    attr.qp_access_flags = abi.qp_access_flags;
    attr.dest_qp_num = abi.dest_qp_num;
    attr.rq_psn = abi.rq_psn;
    attr.sq_psn = abi.sq_psn;
    attr.path_mtu = static_cast<ibv_mtu>(abi.path_mtu);
    attr.path_mig_state = static_cast<ibv_mig_state>(abi.path_mig_state);
    attr.pkey_index = abi.pkey_index;
    attr.alt_pkey_index = abi.alt_pkey_index;
    attr.port_num = abi.port_num;
    attr.alt_port_num = abi.alt_port_num;
    attr.timeout = abi.timeout;
    attr.alt_timeout = abi.alt_timeout;
    attr.retry_cnt = abi.retry_cnt;
    attr.rnr_retry = abi.rnr_retry;
    attr.max_rd_atomic = abi.max_rd_atomic;
    attr.max_dest_rd_atomic = abi.max_dest_rd_atomic;
    attr.min_rnr_timer = abi.min_rnr_timer;
    attr.ah_attr = convert(abi.ah);
    attr.alt_ah_attr = convert(abi.alt_ah);
    return attr;
}

/// Nothing, if the attributes were not to be had.
void apply(ibv_qp* qp, QpAttributes attributes, std::error_code& ec) noexcept {
    if (!ec)
        ec = system_code(ibv_modify_qp(qp, &attributes.attr, attributes.mask));
}

} // namespace

QpAttributes qp_attributes(const CmId& id, ibv_qp_state state, std::error_code& ec) noexcept {
    auto argument = detail::make_argument<ucmad_cm_qp_attr>();
    argument.object = static_cast<__u32>(id.handle());
    argument.qp_state = static_cast<__u32>(state);
    ec = detail::call(id.fd(), UCMAD_IOCTL_CM_QP_ATTR, argument);
    if (ec)
        return {};
    return {.attr = convert(argument), .mask = static_cast<int>(argument.attr_mask)};
}

QpAttributes qp_attributes(const CmId& id, ibv_qp_state state) {
    return checked("QP attributes", [&](auto& ec) { return qp_attributes(id, state, ec); });
}

void modify_qp(ibv_qp* qp, const CmId& id, ibv_qp_state state, std::error_code& ec) noexcept {
    apply(qp, qp_attributes(id, state, ec), ec);
}

void modify_qp(ibv_qp* qp, const CmId& id, ibv_qp_state state) {
    checked("changing the state of a QP", [&](auto& ec) { modify_qp(qp, id, state, ec); });
}

void modify_qp(ibv_qp* qp, const CmId& id, ibv_qp_state state, const RepParams& answer,
               std::error_code& ec) noexcept {
    QpAttributes attributes = qp_attributes(id, state, ec);
    attributes.attr.rq_psn = answer.starting_psn;
    attributes.attr.max_dest_rd_atomic = answer.responder_resources;
    attributes.attr.max_rd_atomic = answer.initiator_depth;
    apply(qp, attributes, ec);
}

void modify_qp(ibv_qp* qp, const CmId& id, ibv_qp_state state, const RepParams& answer) {
    checked("changing the state of a QP", [&](auto& ec) { modify_qp(qp, id, state, answer, ec); });
}

void qp_to_error(ibv_qp* qp, std::error_code& ec) noexcept {
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_ERR;
    ec = system_code(ibv_modify_qp(qp, &attr, IBV_QP_STATE));
}

void qp_to_error(ibv_qp* qp) {
    checked("bringing a QP to the error state", [&](auto& ec) { qp_to_error(qp, ec); });
}

} // namespace ucmad
