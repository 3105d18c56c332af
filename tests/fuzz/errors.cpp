// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "errors.hpp"

#include <algorithm>
#include <cerrno>
#include <rdma/ucmad.h>

namespace fuzz {

namespace {

using Errors = std::vector<int>;

const Errors any_ioctl = {EFAULT, EINVAL, E2BIG, ENOTTY, ENOENT, ENOMEM};

// Of each operation on a CM ID. The last three are "others, such as EHOSTUNREACH", of the path.
const Errors any_cm = {ENODEV,    ECONNRESET,   ETIMEDOUT,   EBADFD,
                       ESHUTDOWN, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL};

Errors own_errors(unsigned long request) {
    switch (request) {
    case UCMAD_IOCTL_EVENTS:
        return {EAGAIN, ETIMEDOUT, EINTR, EMSGSIZE, ESHUTDOWN};
    case UCMAD_IOCTL_CM_CREATE:
        return {ENODEV, EOPNOTSUPP, EMFILE};
    case UCMAD_IOCTL_CM_LISTEN:
        return {ENODEV, EBADFD, ESHUTDOWN, EADDRINUSE};
    case UCMAD_IOCTL_CM_REQ:
    case UCMAD_IOCTL_CM_SIDR_REQ:
        return {ENODEV, EBADFD, ESHUTDOWN, EADDRNOTAVAIL, EOPNOTSUPP};
    case UCMAD_IOCTL_CM_REJ:
        return {EOPNOTSUPP};
    case UCMAD_IOCTL_CM_MRA:
        return {EALREADY, EOPNOTSUPP};
    case UCMAD_IOCTL_CM_NOTIFY:
        return {EISCONN, EOPNOTSUPP};
    case UCMAD_IOCTL_MAD_REGISTER:
        return {EPERM, EADDRINUSE, EOPNOTSUPP, ENODEV, EMFILE};
    case UCMAD_IOCTL_MAD_POST:
        return {EAGAIN, EADDRNOTAVAIL, ESHUTDOWN, ENODEV};
    case UCMAD_IOCTL_MAD_CANCEL:
    case UCMAD_IOCTL_MAD_TIMEOUT:
    case UCMAD_IOCTL_MAD_QUERY:
        return {ENODEV, ESHUTDOWN};
    default:
        return {};
    }
}

bool has(const Errors& errors, int error) { return std::ranges::count(errors, error) > 0; }

} // namespace

bool is_documented(const Call& call, int error) {
    if (call.action != Action::ioctl) {
        return true;
    }
    const bool begins = call.name == "cm_create" || call.name == "cm_listen" ||
                        call.name == "cm_req" || call.name == "cm_sidr_req";
    const bool cm = call.name.starts_with("cm_") && !begins;
    return has(any_ioctl, error) || has(own_errors(call.request), error) ||
           (cm && has(any_cm, error));
}

} // namespace fuzz
