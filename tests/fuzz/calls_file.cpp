// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The ioctls of a file and its events.
#include "call_builder.hpp"

namespace fuzz {

void add_file_calls(std::vector<Call>& list) {
    list.push_back(CallBuilder("query", UCMAD_IOCTL_QUERY, sizeof(ucmad_query))
                       .FUZZ(ucmad_query, reserved, zero)
                       .done());
    list.push_back(CallBuilder("devices", UCMAD_IOCTL_DEVICES, sizeof(ucmad_devices))
                       .FUZZ(ucmad_devices, count, number)
                       .FUZZ_POINTER(ucmad_devices, devices, data)
                       .FUZZ_USUAL(ucmad_devices, entry_size, bytes, sizeof(ucmad_device_info))
                       .FUZZ(ucmad_devices, reserved, zero)
                       .done());
    list.push_back(CallBuilder("events", UCMAD_IOCTL_EVENTS, sizeof(ucmad_events), Result::events)
                       .FUZZ(ucmad_events, flags, zero)
                       .FUZZ(ucmad_events, object, object)
                       .FUZZ(ucmad_events, ack_count, number)
                       .FUZZ_POINTER(ucmad_events, acks, array)
                       .FUZZ_POINTER(ucmad_events, buffer, data)
                       .FUZZ_USUAL(ucmad_events, buffer_len, bytes, 65536)
                       .FUZZ(ucmad_events, max_events, number)
                       .FUZZ(ucmad_events, timeout_ns, timeout)
                       .ack(0)
                       .ack(1)
                       .done());
    list.push_back(CallBuilder("destroy", UCMAD_IOCTL_DESTROY, sizeof(ucmad_destroy))
                       .FUZZ(ucmad_destroy, object, object)
                       .FUZZ(ucmad_destroy, reserved, zero)
                       .done());
    list.push_back(CallBuilder("set_context", UCMAD_IOCTL_SET_CONTEXT, sizeof(ucmad_set_context))
                       .FUZZ(ucmad_set_context, object, object)
                       .FUZZ(ucmad_set_context, context, number)
                       .done());
}

} // namespace fuzz
