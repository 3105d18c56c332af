// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/path.hpp>

#include "file.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>

namespace ucmad {
namespace {

constexpr std::array<std::uint8_t, 12> ipv4_prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

} // namespace

Gid Gid::parse(std::string_view text, std::error_code& ec) noexcept {
    ec = detail::system_code(EINVAL);
    std::array<char, INET6_ADDRSTRLEN> string{}; // inet_pton() wants a zero byte at the end
    if (text.size() >= string.size())
        return {};
    std::ranges::copy(text, string.begin());

    Gid gid;
    if (inet_pton(AF_INET6, string.data(), gid.bytes.data()) != 1) {
        std::ranges::copy(ipv4_prefix, gid.bytes.begin());
        if (inet_pton(AF_INET, string.data(), gid.bytes.data() + ipv4_prefix.size()) != 1)
            return {};
    }
    ec.clear();
    return gid;
}

Gid Gid::parse(std::string_view text) {
    std::error_code ec;
    const Gid gid = parse(text, ec);
    if (ec)
        throw std::system_error(ec,
                                '\'' + std::string{text} + "' is neither a GID nor an IP address");
    return gid;
}

bool Gid::is_ipv4_mapped() const noexcept {
    return std::equal(ipv4_prefix.begin(), ipv4_prefix.end(), bytes.begin());
}

bool Gid::is_zero() const noexcept { return *this == Gid{}; }

std::string to_string(const Gid& gid) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(AF_INET6, gid.bytes.data(), text.data(), text.size());
    return text.data();
}

} // namespace ucmad
