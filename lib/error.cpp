// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/error.hpp>

#include <array>
#include <string>

namespace ucmad {
namespace {

/// Indexed by the reason (IBTA 12.6.7.2); empty where there is none of that number.
constexpr std::array<std::string_view, 36> reject_names = {
    "",
    "no QP available",
    "no EEC available",
    "no resources available",
    "timeout",
    "unsupported request",
    "invalid communication ID",
    "invalid communication instance",
    "invalid service ID",
    "invalid transport service type",
    "stale connection",
    "RDC does not exist",
    "primary remote port GID rejected",
    "primary remote port LID rejected",
    "invalid primary SL",
    "invalid primary traffic class",
    "invalid primary hop limit",
    "invalid primary packet rate",
    "alternate remote port GID rejected",
    "alternate remote port LID rejected",
    "invalid alternate SL",
    "invalid alternate traffic class",
    "invalid alternate hop limit",
    "invalid alternate packet rate",
    "port and CM redirection",
    "port redirection",
    "invalid path MTU",
    "insufficient responder resources",
    "consumer reject",
    "RNR retry count reject",
    "duplicate local communication ID",
    "invalid class version",
    "invalid flow label",
    "invalid alternate flow label",
    "",
    "vendor option not supported",
};

constexpr std::array<std::string_view, 6> sidr_names = {
    "success", "unsupported service", "rejected", "no QP", "redirect", "unsupported version",
};

/// "rejected: invalid service ID", "rejected: unknown reason (99)".
std::string message_of(std::string_view prefix, std::string_view name, int value, bool known) {
    std::string text{prefix};
    text += name;
    if (!known)
        text += " (" + std::to_string(value) + ")";
    return text;
}

class RejectCategory final : public std::error_category {
public:
    [[nodiscard]] const char* name() const noexcept override { return "ucmad-reject"; }

    [[nodiscard]] std::string message(int value) const override {
        const auto reason = static_cast<std::uint16_t>(value);
        const bool known = reason < reject_names.size() && !reject_names[reason].empty();
        return message_of("rejected: ", reject_name(reason), value, known);
    }

    [[nodiscard]] std::error_condition default_error_condition(int value) const noexcept override {
        return value == static_cast<int>(RejectReason::timeout) ? std::errc::timed_out
                                                                : std::errc::connection_refused;
    }
};

class SidrCategory final : public std::error_category {
public:
    [[nodiscard]] const char* name() const noexcept override { return "ucmad-sidr"; }

    [[nodiscard]] std::string message(int value) const override {
        const auto status = static_cast<std::uint8_t>(value);
        return message_of("SIDR: ", sidr_status_name(status), value, status < sidr_names.size());
    }

    [[nodiscard]] std::error_condition default_error_condition(int) const noexcept override {
        return std::errc::connection_refused;
    }
};

} // namespace

std::string_view reject_name(std::uint16_t reason) noexcept {
    if (reason >= reject_names.size() || reject_names[reason].empty())
        return "unknown reason";
    return reject_names[reason];
}

const std::error_category& reject_category() noexcept {
    static const RejectCategory category;
    return category;
}

std::error_code make_error_code(RejectReason reason) noexcept {
    return {static_cast<int>(reason), reject_category()};
}

std::string_view sidr_status_name(std::uint8_t status) noexcept {
    return status < sidr_names.size() ? sidr_names[status] : "unknown status";
}

const std::error_category& sidr_category() noexcept {
    static const SidrCategory category;
    return category;
}

std::error_code make_error_code(SidrStatus status) noexcept {
    return {static_cast<int>(status), sidr_category()};
}

} // namespace ucmad
