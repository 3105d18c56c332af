// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The ioctls of MAD agents.
#include "call_builder.hpp"

namespace fuzz {

namespace {

Call registering() {
    CallBuilder builder("mad_register", UCMAD_IOCTL_MAD_REGISTER, sizeof(ucmad_mad_register),
                        Result::object);
    builder.FUZZ(ucmad_mad_register, flags, flags)
        .FUZZ(ucmad_mad_register, device, number)
        .FUZZ(ucmad_mad_register, context, number)
        .FUZZ(ucmad_mad_register, method_mask, number)
        .FUZZ(ucmad_mad_register, max_in_flight, number)
        .FUZZ(ucmad_mad_register, receive_queue, number)
        .FUZZ_USUAL(ucmad_mad_register, port, number, 1)
        .FUZZ_USUAL(ucmad_mad_register, qp, number, 1)
        .FUZZ(ucmad_mad_register, mgmt_class, number)
        .FUZZ(ucmad_mad_register, class_version, number)
        .FUZZ(ucmad_mad_register, rmpp_version, number);
    builder.add({"method_mask1", Block::arg, offsetof(ucmad_mad_register, method_mask) + 8, 8,
                 Kind::number});
    builder.add({"oui2", Block::arg, offsetof(ucmad_mad_register, oui) + 2, 1, Kind::number});
    return builder.done();
}

} // namespace

void add_mad_calls(std::vector<Call>& list) {
    list.push_back(registering());
    list.push_back(
        CallBuilder("mad_post", UCMAD_IOCTL_MAD_POST, sizeof(ucmad_mad_post), Result::sends)
            .FUZZ(ucmad_mad_post, object, object)
            .FUZZ_POINTER(ucmad_mad_post, sends, array)
            .FUZZ_USUAL(ucmad_mad_post, count, number, 1)
            .FUZZ_USUAL(ucmad_mad_post, entry_size, bytes, sizeof(ucmad_mad_send))
            .send(0)
            .send(1)
            .mad_header()
            .done());
    CallBuilder cancel("mad_cancel", UCMAD_IOCTL_MAD_CANCEL, sizeof(ucmad_mad_cancel));
    cancel.FUZZ(ucmad_mad_cancel, object, object)
        .FUZZ_POINTER(ucmad_mad_cancel, handles, array)
        .FUZZ(ucmad_mad_cancel, count, number)
        .FUZZ(ucmad_mad_cancel, reserved, zero)
        .add({"handle0", Block::array, 0, 4, Kind::send})
        .add({"handle1", Block::array, 4, 4, Kind::send});
    list.push_back(cancel.done());
    list.push_back(CallBuilder("mad_timeout", UCMAD_IOCTL_MAD_TIMEOUT, sizeof(ucmad_mad_timeout))
                       .FUZZ(ucmad_mad_timeout, object, object)
                       .FUZZ(ucmad_mad_timeout, handle, send)
                       .FUZZ_USUAL(ucmad_mad_timeout, timeout_ms, number, 5)
                       .done());
    list.push_back(CallBuilder("mad_query", UCMAD_IOCTL_MAD_QUERY, sizeof(ucmad_mad_query))
                       .FUZZ(ucmad_mad_query, object, object)
                       .FUZZ(ucmad_mad_query, reserved, zero)
                       .done());
}

} // namespace fuzz
