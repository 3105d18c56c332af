// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The ioctls of CM IDs.
#include "call_builder.hpp"

namespace fuzz {

namespace {

Call requesting() {
    CallBuilder builder("cm_req", UCMAD_IOCTL_CM_REQ, sizeof(ucmad_cm_req));
    builder.FUZZ(ucmad_cm_req, object, object)
        .FUZZ(ucmad_cm_req, flags, flags)
        .FUZZ(ucmad_cm_req, qp_num, queue_pair)
        .FUZZ(ucmad_cm_req, service_id, service)
        .FUZZ_POINTER(ucmad_cm_req, private_data, data)
        .FUZZ(ucmad_cm_req, starting_psn, number)
        .FUZZ(ucmad_cm_req, ece_vendor_id, number)
        .FUZZ(ucmad_cm_req, ece_attr_mod, number)
        .FUZZ(ucmad_cm_req, resolve_timeout_ms, number)
        .FUZZ(ucmad_cm_req, private_data_len, bytes)
        .FUZZ_USUAL(ucmad_cm_req, qp_type, number, UCMAD_QP_RC)
        .FUZZ(ucmad_cm_req, responder_resources, number)
        .FUZZ(ucmad_cm_req, initiator_depth, number)
        .FUZZ_USUAL(ucmad_cm_req, remote_cm_response_timeout, number, 20)
        .FUZZ_USUAL(ucmad_cm_req, local_cm_response_timeout, number, 20)
        .FUZZ(ucmad_cm_req, retry_count, number)
        .FUZZ(ucmad_cm_req, rnr_retry_count, number)
        .FUZZ_USUAL(ucmad_cm_req, max_cm_retries, number, 3)
        .FUZZ(ucmad_cm_req, flow_control, number)
        .FUZZ(ucmad_cm_req, srq, number)
        .FUZZ(ucmad_cm_req, patience, number)
        .FUZZ(ucmad_cm_req, reserved, zero)
        .path("primary", offsetof(ucmad_cm_req, primary));
    builder.add({"alternate", Block::arg, offsetof(ucmad_cm_req, alternate), 8, Kind::zero});
    return builder.done();
}

Call replying() {
    return CallBuilder("cm_rep", UCMAD_IOCTL_CM_REP, sizeof(ucmad_cm_rep))
        .FUZZ(ucmad_cm_rep, object, object)
        .FUZZ_POINTER(ucmad_cm_rep, private_data, data)
        .FUZZ(ucmad_cm_rep, qp_num, queue_pair)
        .FUZZ(ucmad_cm_rep, starting_psn, number)
        .FUZZ(ucmad_cm_rep, ece_vendor_id, number)
        .FUZZ(ucmad_cm_rep, private_data_len, bytes)
        .FUZZ(ucmad_cm_rep, responder_resources, number)
        .FUZZ(ucmad_cm_rep, initiator_depth, number)
        .FUZZ(ucmad_cm_rep, failover_accepted, number)
        .FUZZ(ucmad_cm_rep, flow_control, number)
        .FUZZ(ucmad_cm_rep, rnr_retry_count, number)
        .FUZZ(ucmad_cm_rep, srq, number)
        .FUZZ(ucmad_cm_rep, reserved, zero)
        .done();
}

Call message(const char* name, unsigned long request) {
    return CallBuilder(name, request, sizeof(ucmad_cm_message))
        .FUZZ(ucmad_cm_message, object, object)
        .FUZZ_POINTER(ucmad_cm_message, private_data, data)
        .FUZZ(ucmad_cm_message, private_data_len, bytes)
        .FUZZ(ucmad_cm_message, reserved, zero)
        .done();
}

void add_refusals(std::vector<Call>& list) {
    list.push_back(CallBuilder("cm_rej", UCMAD_IOCTL_CM_REJ, sizeof(ucmad_cm_rej))
                       .FUZZ(ucmad_cm_rej, object, object)
                       .FUZZ_POINTER(ucmad_cm_rej, private_data, data)
                       .FUZZ_POINTER(ucmad_cm_rej, ari, info)
                       .FUZZ_USUAL(ucmad_cm_rej, reason, number, 28)
                       .FUZZ(ucmad_cm_rej, private_data_len, bytes)
                       .FUZZ(ucmad_cm_rej, ari_len, bytes)
                       .FUZZ(ucmad_cm_rej, reserved, zero)
                       .done());
    list.push_back(CallBuilder("cm_mra", UCMAD_IOCTL_CM_MRA, sizeof(ucmad_cm_mra))
                       .FUZZ(ucmad_cm_mra, object, object)
                       .FUZZ_POINTER(ucmad_cm_mra, private_data, data)
                       .FUZZ(ucmad_cm_mra, private_data_len, bytes)
                       .FUZZ_USUAL(ucmad_cm_mra, service_timeout, number, 20)
                       .FUZZ(ucmad_cm_mra, reserved, zero)
                       .done());
}

void add_sidr(std::vector<Call>& list) {
    list.push_back(CallBuilder("cm_sidr_req", UCMAD_IOCTL_CM_SIDR_REQ, sizeof(ucmad_cm_sidr_req))
                       .FUZZ(ucmad_cm_sidr_req, object, object)
                       .FUZZ(ucmad_cm_sidr_req, service_id, service)
                       .FUZZ_POINTER(ucmad_cm_sidr_req, private_data, data)
                       .FUZZ_USUAL(ucmad_cm_sidr_req, timeout_ms, number, 1000)
                       .FUZZ(ucmad_cm_sidr_req, resolve_timeout_ms, number)
                       .FUZZ(ucmad_cm_sidr_req, private_data_len, bytes)
                       .FUZZ(ucmad_cm_sidr_req, max_cm_retries, number)
                       .FUZZ(ucmad_cm_sidr_req, reserved, zero)
                       .path("path", offsetof(ucmad_cm_sidr_req, path))
                       .done());
    list.push_back(CallBuilder("cm_sidr_rep", UCMAD_IOCTL_CM_SIDR_REP, sizeof(ucmad_cm_sidr_rep))
                       .FUZZ(ucmad_cm_sidr_rep, object, object)
                       .FUZZ_POINTER(ucmad_cm_sidr_rep, private_data, data)
                       .FUZZ_POINTER(ucmad_cm_sidr_rep, info, info)
                       .FUZZ(ucmad_cm_sidr_rep, qp_num, queue_pair)
                       .FUZZ(ucmad_cm_sidr_rep, qkey, number)
                       .FUZZ(ucmad_cm_sidr_rep, ece_vendor_id, number)
                       .FUZZ(ucmad_cm_sidr_rep, status, number)
                       .FUZZ(ucmad_cm_sidr_rep, private_data_len, bytes)
                       .FUZZ(ucmad_cm_sidr_rep, info_len, bytes)
                       .FUZZ(ucmad_cm_sidr_rep, reserved, zero)
                       .done());
}

void add_inquiries(std::vector<Call>& list) {
    list.push_back(CallBuilder("cm_notify", UCMAD_IOCTL_CM_NOTIFY, sizeof(ucmad_cm_notify))
                       .FUZZ(ucmad_cm_notify, object, object)
                       .FUZZ_USUAL(ucmad_cm_notify, event, number, UCMAD_CM_COMM_EST)
                       .FUZZ(ucmad_cm_notify, reserved, zero)
                       .done());
    list.push_back(CallBuilder("cm_query", UCMAD_IOCTL_CM_QUERY, sizeof(ucmad_cm_query))
                       .FUZZ(ucmad_cm_query, object, object)
                       .done());
    list.push_back(CallBuilder("cm_qp_attr", UCMAD_IOCTL_CM_QP_ATTR, sizeof(ucmad_cm_qp_attr))
                       .FUZZ(ucmad_cm_qp_attr, object, object)
                       .FUZZ_USUAL(ucmad_cm_qp_attr, qp_state, number, 1)
                       .FUZZ(ucmad_cm_qp_attr, reserved, zero)
                       .done());
}

} // namespace

void add_cm_calls(std::vector<Call>& list) {
    list.push_back(
        CallBuilder("cm_create", UCMAD_IOCTL_CM_CREATE, sizeof(ucmad_cm_create), Result::object)
            .FUZZ(ucmad_cm_create, flags, zero)
            .FUZZ(ucmad_cm_create, device, number)
            .FUZZ(ucmad_cm_create, context, number)
            .done());
    list.push_back(CallBuilder("cm_listen", UCMAD_IOCTL_CM_LISTEN, sizeof(ucmad_cm_listen))
                       .FUZZ(ucmad_cm_listen, object, object)
                       .FUZZ(ucmad_cm_listen, flags, flags)
                       .FUZZ(ucmad_cm_listen, backlog, number)
                       .FUZZ(ucmad_cm_listen, service_id, service)
                       .FUZZ(ucmad_cm_listen, patience, number)
                       .FUZZ(ucmad_cm_listen, reserved, zero)
                       .done());
    list.push_back(requesting());
    list.push_back(replying());
    list.push_back(message("cm_rtu", UCMAD_IOCTL_CM_RTU));
    list.push_back(message("cm_dreq", UCMAD_IOCTL_CM_DREQ));
    list.push_back(message("cm_drep", UCMAD_IOCTL_CM_DREP));
    add_refusals(list);
    add_sidr(list);
    add_inquiries(list);
}

} // namespace fuzz
