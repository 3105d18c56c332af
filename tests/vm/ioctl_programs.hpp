// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Small programs, each one side of a connection as an application would write it, for a test that
// counts their system calls. The suite's own binary runs them: --program NAME SERVICE_ID.
#pragma once

#include <cstdint>
#include <string>

namespace vm {

inline constexpr const char* program_option = "--program";
inline constexpr int loop_rounds = 10;

// getppid() marks where the part that is counted begins and ends.
int run_program(const std::string& name, std::uint64_t service_id);

} // namespace vm
