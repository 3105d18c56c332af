// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Brings a QP of libibverbs to the states that a connection needs, with the attributes that the CM
/// has agreed on with the peer. The one header that needs libibverbs.
#pragma once

#include <ucmad/cm_id.hpp>
#include <ucmad/types.hpp>

#include <infiniband/verbs.h>

#include <system_error>

namespace ucmad {

/// Attributes for ibv_modify_qp(), and which of them are given.
struct QpAttributes {
    ibv_qp_attr attr{};
    int mask = 0; ///< enum ibv_qp_attr_mask.
};

/// Asks the CM for the attributes of a transition to IBV_QPS_INIT, IBV_QPS_RTR or IBV_QPS_RTS. A
/// program may change them before it hands them to ibv_modify_qp(). The PSNs and depths are those
/// of the CM messages; on the accepting side, before the REP, they are not what that will say: see
/// modify_qp() with an answer.
///
/// Errors: EINVAL for any other state; those of every CM operation, see <ucmad/error.hpp>.
[[nodiscard]] UCMAD_API QpAttributes qp_attributes(const CmId& id, ibv_qp_state state);
[[nodiscard]] UCMAD_API QpAttributes qp_attributes(const CmId& id, ibv_qp_state state,
                                                   std::error_code& ec) noexcept;

/// Brings the QP to that state: qp_attributes(), then ibv_modify_qp(). RESET to INIT can be done
/// once the REQ was sent or received, INIT to RTR once this side knows the peer's QP (the REQ or
/// REP was received), RTR to RTS likewise.
UCMAD_API void modify_qp(ibv_qp* qp, const CmId& id, ibv_qp_state state);
UCMAD_API void modify_qp(ibv_qp* qp, const CmId& id, ibv_qp_state state,
                         std::error_code& ec) noexcept;

/// The same for the accepting side before its REP, when the CM does not know yet what that will
/// say: the starting PSN and the depths are `answer`'s, which rep() is to be called with.
UCMAD_API void modify_qp(ibv_qp* qp, const CmId& id, ibv_qp_state state, const RepParams& answer);
UCMAD_API void modify_qp(ibv_qp* qp, const CmId& id, ibv_qp_state state, const RepParams& answer,
                         std::error_code& ec) noexcept;

/// Brings the QP to the error state: what is posted on it completes as flushed.
UCMAD_API void qp_to_error(ibv_qp* qp);
UCMAD_API void qp_to_error(ibv_qp* qp, std::error_code& ec) noexcept;

} // namespace ucmad
