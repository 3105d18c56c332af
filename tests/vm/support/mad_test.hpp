// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What most tests of MAD agents start from: each way that their requests can take.
#pragma once

#include "agent.hpp"
#include "fixture.hpp"

namespace vm {

// Over ib_mad only with IPv6: with IPv4 it finds no request that a response is for.
struct Way {
    int gid;
    std::uint32_t flags;
    const char* name;

    friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};

inline constexpr std::array ways = {
    Way{ipv6_gid, 0, "ipv6"},
    Way{ipv4_gid, 0, "ipv4"},
    Way{ipv6_gid, UCMAD_AGENT_IB_MAD, "ipv6_ib_mad"},
};

class MadTest : public testing::TestWithParam<Way> {
protected:
    static int gid() { return GetParam().gid; }
    static bool over_ib_mad() { return (GetParam().flags & UCMAD_AGENT_IB_MAD) != 0; }
    static ucmad_path path() { return main_device().path(gid()); }
    static Mad unanswered() { return ping(1, 0, method_send); }

    // As the functions of these names, for the way that is being tested.
    static ucmad_mad_register sender(const Device& device = main_device()) {
        ucmad_mad_register arg = vm::sender(device);
        arg.flags = GetParam().flags;
        return arg;
    }
    static ucmad_mad_register responder() {
        ucmad_mad_register arg = vm::responder();
        arg.flags = GetParam().flags;
        return arg;
    }

    const ucmad_mad_address to = gsi_at(path());
    const File server_file;
    const File client_file;
};

inline std::string way_name(const testing::TestParamInfo<Way>& info) { return info.param.name; }

#define VM_FOR_ALL_WAYS(suite)                                                                     \
    INSTANTIATE_TEST_SUITE_P(way, suite, testing::ValuesIn(vm::ways), vm::way_name)

} // namespace vm
