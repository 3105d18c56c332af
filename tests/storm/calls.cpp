// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "calls.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

namespace storm {

namespace {

struct Rule {
    const char* name;
    bool of_device; // it is about a device, and so may find that removed
    std::vector<int> errors;
};

using Errors = std::vector<int>;

// An operation on a CM ID that others use, too, and destroy.
Rule on_id(const char* name, const Errors& more = {}) {
    Errors errors = {ENOENT, ESHUTDOWN, EBADFD, ECONNRESET, ETIMEDOUT};
    errors.insert(errors.end(), more.begin(), more.end());
    return {name, true, errors};
}

// What begins something new on a CM ID knows fewer of them.
Rule beginning(const char* name, const Errors& more = {}) {
    Errors errors = {ENOENT, ESHUTDOWN, EBADFD};
    errors.insert(errors.end(), more.begin(), more.end());
    return {name, true, errors};
}

// In the order of Call.
const std::array<Rule, call_count> rules = {{
    {"open", false, {}},
    {"query", false, {}},
    {"devices", false, {}},
    {"events", false, {EAGAIN, ETIMEDOUT, ENOENT, ESHUTDOWN, EINTR, EMSGSIZE}},
    {"destroy", false, {ENOENT}},
    {"set_context", false, {ENOENT}},
    {"cm_create", true, {}},
    beginning("cm_listen", {EADDRINUSE}),
    beginning("cm_req"),
    on_id("cm_rep"),
    on_id("cm_rtu"),
    on_id("cm_rej", {EOPNOTSUPP}),
    on_id("cm_mra", {EALREADY, EOPNOTSUPP}),
    on_id("cm_dreq"),
    on_id("cm_drep"),
    beginning("cm_sidr_req"),
    on_id("cm_sidr_rep"),
    on_id("cm_notify", {EISCONN, EOPNOTSUPP}),
    {"cm_query", false, {ENOENT}},
    on_id("cm_qp_attr"),
    {"mad_register", true, {EADDRINUSE}},
    {"mad_post", true, {ENOENT, ESHUTDOWN, EAGAIN}},
    {"mad_cancel", true, {ENOENT, ESHUTDOWN}},
    {"mad_timeout", true, {ENOENT, ESHUTDOWN}},
    {"mad_query", true, {ENOENT, ESHUTDOWN}},
}};

const Rule& rule_of(Call call) { return rules.at(static_cast<std::size_t>(call)); }

// The device, its addresses or the way to others may go at any moment.
bool is_of_removal(int number) {
    return number == ENODEV || number == EADDRNOTAVAIL || number == ENETUNREACH ||
           number == EHOSTUNREACH || number == EIO;
}

} // namespace

const char* name_of(Call call) { return rule_of(call).name; }

bool is_allowed(Call call, vm::Error error, const Circumstances& circumstances) {
    const Rule& rule = rule_of(call);
    return error == vm::ok || std::ranges::count(rule.errors, error.number) ||
           (rule.of_device && circumstances.removable && is_of_removal(error.number)) ||
           (circumstances.scarce && error.number == ENOMEM) ||
           (circumstances.bad_memory && error.number == EFAULT);
}

} // namespace storm
