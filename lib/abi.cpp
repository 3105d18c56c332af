// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "abi.hpp"

#include <ucmad/cm_id.hpp>
#include <ucmad/context.hpp>
#include <ucmad/mad.hpp>

#include <algorithm>
#include <cstddef>

namespace ucmad {

// The library's numbers are the ABI's, so that they can be passed by a cast.
static_assert(static_cast<int>(SendStatus::responded) == UCMAD_MAD_RESPONDED);
static_assert(static_cast<int>(SendStatus::error) == UCMAD_MAD_ERROR);
static_assert(gsi_qkey == UCMAD_MAD_QKEY);
static_assert(mad_size == UCMAD_MAD_SIZE);
static_assert(sizeof(Ack) == sizeof(ucmad_ack));
static_assert(offsetof(Ack, object) == offsetof(ucmad_ack, object));
static_assert(offsetof(Ack, flags) == offsetof(ucmad_ack, flags));
static_assert(offsetof(Ack, sequence) == offsetof(ucmad_ack, sequence));
static_assert(offsetof(Ack, context) == offsetof(ucmad_ack, context));
static_assert(ack_sets_context == UCMAD_ACK_SET_CONTEXT);
static_assert(default_device_path == UCMAD_DEVICE_PATH);
static_assert(patience_none == UCMAD_PATIENCE_NONE);
static_assert(static_cast<int>(CmState::idle) == UCMAD_CM_IDLE);
static_assert(static_cast<int>(CmState::resolving) == UCMAD_CM_RESOLVING);
static_assert(static_cast<int>(CmState::established) == UCMAD_CM_ESTABLISHED);
static_assert(static_cast<int>(CmState::sidr_req_rcvd) == UCMAD_CM_SIDR_REQ_RCVD);
static_assert(static_cast<int>(CmState::removed) == UCMAD_CM_REMOVED);
static_assert(static_cast<int>(QpType::rc) == UCMAD_QP_RC);
static_assert(static_cast<int>(QpType::uc) == UCMAD_QP_UC);
static_assert(static_cast<int>(QpType::xrc_ini) == UCMAD_QP_XRC_INI);
static_assert(static_cast<int>(QpType::xrc_tgt) == UCMAD_QP_XRC_TGT);
static_assert(static_cast<int>(Notification::communication_established) == UCMAD_CM_COMM_EST);
static_assert(static_cast<int>(Notification::path_migrated) == UCMAD_CM_PATH_MIG);

namespace detail {

ucmad_path to_abi(const Path& path) noexcept {
    ucmad_path abi{};
    std::ranges::copy(path.dgid.bytes, abi.dgid);
    std::ranges::copy(path.sgid.bytes, abi.sgid);
    abi.flow_label = path.flow_label;
    abi.dlid = path.dlid;
    abi.slid = path.slid;
    abi.pkey = path.pkey;
    abi.sgid_index = path.sgid_index;
    abi.port = path.port;
    abi.sl = path.sl;
    abi.hop_limit = path.hop_limit;
    abi.traffic_class = path.traffic_class;
    abi.mtu = path.mtu;
    abi.rate = path.rate;
    abi.packet_life_time = path.packet_life_time;
    // Not the MAC address: the module only tells it, so the path of an event can be passed back.
    return abi;
}

Path from_abi(const ucmad_path& abi) noexcept {
    Path path;
    std::ranges::copy(abi.dgid, path.dgid.bytes.begin());
    std::ranges::copy(abi.sgid, path.sgid.bytes.begin());
    path.flow_label = abi.flow_label;
    path.dlid = abi.dlid;
    path.slid = abi.slid;
    path.pkey = abi.pkey;
    path.sgid_index = abi.sgid_index;
    path.port = abi.port;
    path.sl = abi.sl;
    path.hop_limit = abi.hop_limit;
    path.traffic_class = abi.traffic_class;
    path.mtu = abi.mtu;
    path.rate = abi.rate;
    path.packet_life_time = abi.packet_life_time;
    std::ranges::copy(abi.dmac, path.dmac.begin());
    return path;
}

ucmad_mad_address to_abi(const MadAddress& address) noexcept {
    ucmad_mad_address abi{};
    std::ranges::copy(address.dgid.bytes, abi.dgid);
    abi.flow_label = address.flow_label;
    abi.qpn = address.qpn;
    abi.qkey = address.qkey;
    abi.dlid = address.dlid;
    abi.pkey_index = address.pkey_index;
    abi.sgid_index = address.sgid_index;
    abi.flags = address.has_grh ? UCMAD_ADDRESS_GRH : 0;
    abi.sl = address.sl;
    abi.hop_limit = address.hop_limit;
    abi.traffic_class = address.traffic_class;
    abi.path_bits = address.path_bits;
    abi.rate = address.rate;
    return abi;
}

MadAddress from_abi(const ucmad_mad_address& abi) noexcept {
    MadAddress address;
    std::ranges::copy(abi.dgid, address.dgid.bytes.begin());
    address.flow_label = abi.flow_label;
    address.qpn = abi.qpn;
    address.qkey = abi.qkey;
    address.dlid = abi.dlid;
    address.pkey_index = abi.pkey_index;
    address.sgid_index = abi.sgid_index;
    address.has_grh = (abi.flags & UCMAD_ADDRESS_GRH) != 0;
    address.sl = abi.sl;
    address.hop_limit = abi.hop_limit;
    address.traffic_class = abi.traffic_class;
    address.path_bits = abi.path_bits;
    address.rate = abi.rate;
    return address;
}

} // namespace detail
} // namespace ucmad
