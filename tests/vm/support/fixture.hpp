// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What most tests start from: both GID types, and a file for each side.
#pragma once

#include "connection.hpp"
#include "process.hpp"
#include "stats.hpp"

#include <gtest/gtest.h>

namespace vm {

// A test for each GID type, since the two take different ways through the kernel.
class GidTest : public testing::TestWithParam<int> {
protected:
    int gid() const { return GetParam(); }
    ucmad_path path() const { return main_device().path(gid()); }
    ucmad_path dead_path() const { return main_device().dead_path(gid()); }
    Connection connection() const { return {server_file, client_file, gid()}; }
    Connection connected() const { return connect(server_file, client_file, gid()); }

    const File server_file;
    const File client_file;
};

inline std::string gid_name(const testing::TestParamInfo<int>& info) {
    return info.param == ipv4_gid ? "ipv4" : "ipv6";
}

#define VM_FOR_BOTH_GIDS(suite)                                                                    \
    INSTANTIATE_TEST_SUITE_P(gid, suite, testing::Values(vm::ipv6_gid, vm::ipv4_gid), vm::gid_name)

} // namespace vm
