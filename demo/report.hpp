// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

namespace demo {

/// The account of the demonstration: a line for each step, with what was seen, and whether that is
/// what was expected.
class Report {
public:
    void heading(std::string_view text) const;

    /// Prints what was seen in a step.
    template <typename... Arguments>
    void expect(bool as_expected, std::string_view step, fmt::format_string<Arguments...> seen,
                Arguments&&... arguments) {
        tell(as_expected, step, fmt::format(seen, std::forward<Arguments>(arguments)...));
    }

    /// Prints the last line; returns the exit status.
    [[nodiscard]] int summary() const;

private:
    void tell(bool as_expected, std::string_view step, std::string_view seen);

    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    unsigned met_ = 0;
    unsigned failed_ = 0;
};

/// "3.21 ms".
[[nodiscard]] std::string text_of(std::chrono::nanoseconds time);

} // namespace demo
