// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The module itself, for tests that unload it.
#pragma once

#include "error.hpp"

#include <string>

namespace vm {

// Does not wait: EWOULDBLOCK while it is in use.
Error unload_module();
bool module_is_loaded();
// Returns once the device node is there.
void load_module(const std::string& path);

} // namespace vm
