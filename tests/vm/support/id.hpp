// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A CM ID of a file: its handle with every operation. A value that owns nothing, so that a test
// can also speak of what has been destroyed.
#pragma once

#include "file.hpp"

namespace vm {

class Id {
public:
    Id() = default;
    Id(const File& file, std::uint32_t handle) : file_(&file), handle_(handle) {}

    const File& file() const { return *file_; }
    std::uint32_t handle() const { return handle_; }

    // Each sends its ioctl with `size` and `object` filled in.
    [[nodiscard]] Error listen(ucmad_cm_listen arg) const {
        return call(UCMAD_IOCTL_CM_LISTEN, &arg);
    }
    [[nodiscard]] Error req(ucmad_cm_req arg) const { return call(UCMAD_IOCTL_CM_REQ, &arg); }
    [[nodiscard]] Error rep(ucmad_cm_rep arg) const { return call(UCMAD_IOCTL_CM_REP, &arg); }
    [[nodiscard]] Error rtu(ucmad_cm_message arg = {}) const {
        return call(UCMAD_IOCTL_CM_RTU, &arg);
    }
    [[nodiscard]] Error rej(ucmad_cm_rej arg) const { return call(UCMAD_IOCTL_CM_REJ, &arg); }
    [[nodiscard]] Error mra(ucmad_cm_mra arg) const { return call(UCMAD_IOCTL_CM_MRA, &arg); }
    [[nodiscard]] Error dreq(ucmad_cm_message arg = {}) const {
        return call(UCMAD_IOCTL_CM_DREQ, &arg);
    }
    [[nodiscard]] Error drep(ucmad_cm_message arg = {}) const {
        return call(UCMAD_IOCTL_CM_DREP, &arg);
    }
    [[nodiscard]] Error sidr_req(ucmad_cm_sidr_req arg) const {
        return call(UCMAD_IOCTL_CM_SIDR_REQ, &arg);
    }
    [[nodiscard]] Error sidr_rep(ucmad_cm_sidr_rep arg) const {
        return call(UCMAD_IOCTL_CM_SIDR_REP, &arg);
    }
    [[nodiscard]] Error notify(ucmad_cm_notification what) const;
    [[nodiscard]] Error qp_attr(std::uint32_t qp_state) const;
    [[nodiscard]] Error set_context(std::uint64_t context) const;
    [[nodiscard]] Error destroy() const;

    // The same for what a test counts on: they throw on any error.
    ucmad_cm_query query() const;
    ucmad_cm_qp_attr attributes(std::uint32_t qp_state) const;
    std::uint32_t destroy_and_count() const;

    // Takes the next event of this ID by name and throws if it is of another type.
    Event expect(std::uint16_t type) const;
    // Whether there is no event of this ID to be had by name now.
    bool has_no_event() const;

    std::uint32_t state() const { return query().state; }
    void wait_for_state(std::uint32_t state) const;
    // Waits until so many events of this ID (or, of a listener, REQs) are there to be taken.
    void wait_for_events(std::uint32_t count) const;

    template <class Arg>
    [[nodiscard]] Error call(unsigned long request, Arg* arg) const {
        arg->size = sizeof(Arg);
        arg->object = handle_;
        return file_->call(request, arg);
    }

private:
    const File* file_ = nullptr;
    std::uint32_t handle_ = 0;
};

} // namespace vm
