// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "summary.hpp"

#include "board.hpp"

#include <cstring>
#include <iostream>

namespace storm {

namespace {

void print_call(Call call) {
    const auto& of_call = board().results.at(static_cast<std::size_t>(call));
    std::cout << name_of(call) << ':';
    for (std::size_t error = 0; error < of_call.size(); ++error) {
        if (of_call.at(error)) {
            const char* name = error ? strerrorname_np(static_cast<int>(error)) : "ok";
            std::cout << ' ' << (name ? name : "?") << ' ' << of_call.at(error);
        }
    }
    std::cout << '\n';
}

} // namespace

void print_summary(bool with_calls) {
    for (std::size_t call = 0; with_calls && call < call_count; ++call) {
        print_call(static_cast<Call>(call));
    }
    std::cout << board().calls() << " calls, " << board().events << " events, " << board().cookies
              << " cookies, " << board().audited << " files audited\n";
}

} // namespace storm
