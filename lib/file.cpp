// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "file.hpp"

#include <unistd.h>

namespace ucmad::detail {

File::~File() { close(fd_); }

} // namespace ucmad::detail
