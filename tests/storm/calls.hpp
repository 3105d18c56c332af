// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The system calls of a storm, and what each may say then: Documentation/uapi.rst, as a table.
#pragma once

#include "../vm/support/error.hpp"

#include <cstddef>

namespace storm {

enum class Call {
    open,
    query,
    devices,
    events,
    destroy,
    set_context,
    cm_create,
    cm_listen,
    cm_req,
    cm_rep,
    cm_rtu,
    cm_rej,
    cm_mra,
    cm_dreq,
    cm_drep,
    cm_sidr_req,
    cm_sidr_rep,
    cm_notify,
    cm_query,
    cm_qp_attr,
    mad_register,
    mad_post,
    mad_cancel,
    mad_timeout,
    mad_query,
};

inline constexpr std::size_t call_count = static_cast<std::size_t>(Call::mad_query) + 1;

const char* name_of(Call call);

// What else than the call itself decides on the errors that it may have.
struct Circumstances {
    bool removable = false;  // it is about a device that is removed now and then
    bool scarce = false;     // memory may run out
    bool bad_memory = false; // an address that it is given is not good
};

bool is_allowed(Call call, vm::Error error, const Circumstances& circumstances);

} // namespace storm
