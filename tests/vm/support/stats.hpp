// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The module's own counters: /sys/class/misc/ucmad/stats/.
#pragma once

#include <string>

namespace vm {

// One of what Documentation/testing.rst lists: files, objects, events, cm_ids, sends, ...
unsigned long statistic(const std::string& name);

// The counters of what lives that are not zero, as text; empty if all is gone (DEL-EXIT).
std::string leftovers();

// Whether all is gone, after a bounded wait: the kernel releases a killed process's files late.
bool all_gone();

} // namespace vm
