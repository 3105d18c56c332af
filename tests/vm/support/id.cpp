// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "id.hpp"

#include <sstream>

namespace vm {

Error Id::notify(ucmad_cm_notification what) const {
    ucmad_cm_notify arg{};
    arg.event = what;
    return call(UCMAD_IOCTL_CM_NOTIFY, &arg);
}

Error Id::qp_attr(std::uint32_t qp_state) const {
    ucmad_cm_qp_attr arg{};
    arg.qp_state = qp_state;
    return call(UCMAD_IOCTL_CM_QP_ATTR, &arg);
}

Error Id::set_context(std::uint64_t context) const {
    ucmad_set_context arg{};
    arg.context = context;
    return call(UCMAD_IOCTL_SET_CONTEXT, &arg);
}

Error Id::destroy() const {
    ucmad_destroy arg{};
    return call(UCMAD_IOCTL_DESTROY, &arg);
}

ucmad_cm_query Id::query() const {
    ucmad_cm_query arg{};
    must(call(UCMAD_IOCTL_CM_QUERY, &arg));
    return arg;
}

ucmad_cm_qp_attr Id::attributes(std::uint32_t qp_state) const {
    ucmad_cm_qp_attr arg{};
    arg.qp_state = qp_state;
    must(call(UCMAD_IOCTL_CM_QP_ATTR, &arg));
    return arg;
}

std::uint32_t Id::destroy_and_count() const {
    ucmad_destroy arg{};
    must(call(UCMAD_IOCTL_DESTROY, &arg));
    return arg.discarded;
}

Event Id::expect(std::uint16_t type) const {
    Event event = take_one(*file_, handle_);
    if (event.head.type != type) {
        std::ostringstream text;
        text << "event of type 0x" << std::hex << event.head.type << " where 0x" << type
             << " was due";
        must(false, text.str());
    }
    return event;
}

bool Id::has_no_event() const { return take(*file_, {.object = handle_}).error == Error{EAGAIN}; }

void Id::wait_for_state(std::uint32_t state) const {
    wait_until([&] { return this->state() == state; }, "state " + std::to_string(state));
}

void Id::wait_for_events(std::uint32_t count) const {
    wait_until([&] { return query().backlog >= count; }, std::to_string(count) + " events");
}

} // namespace vm
