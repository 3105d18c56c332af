// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How the tables of calls are written down.
#pragma once

#include "call.hpp"

#include <cstddef>
#include <rdma/ucmad.h>

namespace fuzz {

class CallBuilder {
public:
    CallBuilder(std::string name, unsigned long request, std::size_t size,
                Result result = Result::none)
        : call_{std::move(name), Action::ioctl, request, size, result, {}} {
        add({"where", Block::none, 0, 8, Kind::pointer, Block::arg});
        add({"tail", Block::none, 0, 8, Kind::zero});
        add({"size", Block::arg, 0, 4, Kind::bytes, Block::none, size});
    }

    CallBuilder& add(Field field) {
        call_.fields.push_back(std::move(field));
        return *this;
    }
    CallBuilder& path(const std::string& prefix, std::size_t offset);
    // The `index`th ucmad_mad_send.
    CallBuilder& send(std::size_t index);
    CallBuilder& ack(std::size_t index);
    CallBuilder& mad_header();
    Call done() { return std::move(call_); }

private:
    Call call_;
};

// A member by its name: FUZZ(ucmad_query, reserved, zero).
#define FUZZ(type, member, kind, ...)                                                              \
    add({#member, Block::arg, offsetof(type, member),                                              \
         sizeof(type{}.member) > 8 ? 8 : sizeof(type{}.member),                                    \
         Kind::kind __VA_OPT__(, ) __VA_ARGS__})
// A pointer to a block, and a member with a usual value.
#define FUZZ_POINTER(type, member, target) FUZZ(type, member, pointer, Block::target)
#define FUZZ_USUAL(type, member, kind, usual) FUZZ(type, member, kind, Block::none, usual)

void add_file_calls(std::vector<Call>& list);
void add_cm_calls(std::vector<Call>& list);
void add_mad_calls(std::vector<Call>& list);

} // namespace fuzz
