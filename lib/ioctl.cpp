// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "ioctl.hpp"

#include <cerrno>
#include <sys/ioctl.h>

namespace ucmad::detail {

int device_ioctl(int fd, unsigned long request, void* argument) noexcept {
    return ioctl(fd, request, argument) < 0 ? errno : 0;
}

} // namespace ucmad::detail
