// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fake_verbs.hpp"

#include <cerrno>

namespace ucmad::test {
namespace {

FakeVerbs* current = nullptr;

} // namespace

FakeVerbs::FakeVerbs() {
    context.device = &device; // abi_compat stays null: no driver is behind it
    qp.context = &context;
    qp.qp_num = 0x123456;
    current = this;
}

FakeVerbs::~FakeVerbs() { current = nullptr; }

std::vector<ibv_qp_state> FakeVerbs::states() const {
    std::vector<ibv_qp_state> states;
    for (const Modification& each : modifications)
        states.push_back(each.attr.qp_state);
    return states;
}

} // namespace ucmad::test

using ucmad::test::current;

extern "C" {

int ibv_modify_qp(ibv_qp*, ibv_qp_attr* attr, int mask) {
    current->modifications.push_back({*attr, mask});
    return current->modify_error;
}

#undef ibv_query_port
int ibv_query_port(ibv_context*, std::uint8_t, _compat_ibv_port_attr* attr) {
    *reinterpret_cast<ibv_port_attr*>(attr) = current->port;
    return current->port_error;
}

int _ibv_query_gid_ex(ibv_context*, std::uint32_t, std::uint32_t index, ibv_gid_entry* entry,
                      std::uint32_t, std::size_t) {
    const auto found = current->gids.find(index);
    if (found == current->gids.end())
        return ENODATA;
    entry->gid = found->second;
    return 0;
}

const char* ibv_get_device_name(ibv_device*) { return "fake0"; }
}
