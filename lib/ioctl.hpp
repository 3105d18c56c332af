// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// The one door to the kernel. It is alone in its source file so that a unit test that links the
/// static library can put a device of its own behind it.
#pragma once

namespace ucmad::detail {

/// ioctl() on the device; returns 0 or the errno.
int device_ioctl(int fd, unsigned long request, void* argument) noexcept;

} // namespace ucmad::detail
