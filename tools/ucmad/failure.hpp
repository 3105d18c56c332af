// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// What goes wrong, in words that say what to do, and the exit statuses of the command.
#pragma once

#include <stdexcept>
#include <string>
#include <system_error>

namespace ucmad::tool {

/// Documented in ucmad(1).
enum class ExitStatus : int {
    success = 0,
    other = 1,
    usage = 2,
    no_module = 3,
    no_permission = 4,
    no_device = 5,
    rejected = 6,
    no_answer = 7,
    connection_lost = 8,
    service_id_in_use = 9,
    interrupted = 130,
};

class Failure : public std::runtime_error {
public:
    Failure(ExitStatus status, const std::string& message, std::string hint = {})
        : std::runtime_error(message), status_(status), hint_(std::move(hint)) {}

    [[nodiscard]] ExitStatus status() const noexcept { return status_; }

    /// What the user can do; may be empty.
    [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

private:
    ExitStatus status_;
    std::string hint_;
};

/// Ctrl-C before there was anything to end cleanly.
[[nodiscard]] Failure interrupted();

/// Why the module's device cannot be opened.
[[nodiscard]] Failure open_failure(const std::system_error& error, const std::string& node);

/// A device node that the user may not open.
[[nodiscard]] Failure permission_failure(const std::string& node);

/// Anything that has no words of its own.
[[nodiscard]] Failure other_failure(const std::exception& error);

} // namespace ucmad::tool
