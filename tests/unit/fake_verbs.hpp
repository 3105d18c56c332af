// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Takes the place of the calls of libibverbs that the library makes, when linked.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ucmad::test {

/// What was asked of ibv_modify_qp(), and what the port says of itself. There may be one at a time.
struct FakeVerbs {
    FakeVerbs();
    ~FakeVerbs();
    FakeVerbs(const FakeVerbs&) = delete;
    FakeVerbs& operator=(const FakeVerbs&) = delete;

    struct Modification {
        ibv_qp_attr attr;
        int mask;
    };

    std::vector<Modification> modifications;
    int modify_error = 0;
    ibv_port_attr port{};
    int port_error = 0;
    std::map<std::uint32_t, ibv_gid> gids; ///< By index; what is not there is empty.

    ibv_device device{};
    ibv_context context{};
    ibv_qp qp{};

    /// The states that the QP was brought to.
    [[nodiscard]] std::vector<ibv_qp_state> states() const;
};

} // namespace ucmad::test
