// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// All that the command prints: for people, or with --json one object a line.
#pragma once

#include "failure.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <string_view>

namespace ucmad::tool {

/// Keeps the order of the keys.
using Json = nlohmann::ordered_json;

class Output {
public:
    struct Options {
        bool json = false;
        bool verbose = false;
    };

    explicit Output(Options options) noexcept : options_(options) {}

    [[nodiscard]] bool json() const noexcept { return options_.json; }
    [[nodiscard]] bool verbose() const noexcept { return options_.verbose; }

    // What cannot be written to standard output is a std::system_error.

    /// What the command is for: text on standard output, as it is.
    void result(const Json& object, std::string_view text) const;

    /// What happens beside that: a line on standard error.
    void status(const Json& object, std::string_view line) const;

    /// With --verbose: a line on standard error, also with --json.
    template <typename... Arguments>
    void detail(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
        if (options_.verbose)
            fmt::print(stderr, "  {}\n",
                       fmt::format(format, std::forward<Arguments>(arguments)...));
    }

    void error(std::string_view command, const Failure& failure) const;

private:
    Options options_;
};

} // namespace ucmad::tool
