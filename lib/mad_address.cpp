// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/mad_address.hpp>

#include "file.hpp"

#include <array>
#include <cerrno>

namespace ucmad {

MadAddress gsi_address(const Path& path) noexcept {
    MadAddress to;
    to.dgid = path.dgid;
    to.has_grh = path.dlid == 0 || path.hop_limit > 0;
    if (!to.has_grh)
        to.dgid = {};
    else {
        to.flow_label = path.flow_label;
        to.sgid_index = path.sgid_index;
        to.hop_limit = path.hop_limit;
        to.traffic_class = path.traffic_class;
    }
    to.dlid = path.dlid;
    to.sl = path.sl;
    to.rate = path.rate;
    return to;
}

MadAddress gsi_address(const Gid& dgid, std::uint16_t sgid_index) noexcept {
    MadAddress to;
    to.dgid = dgid;
    to.sgid_index = sgid_index;
    to.has_grh = true;
    return to;
}

MadAddress gsi_address(std::uint16_t dlid) noexcept {
    MadAddress to;
    to.dlid = dlid;
    return to;
}

MadAddress smi_address(std::uint16_t dlid) noexcept {
    MadAddress to = gsi_address(dlid);
    to.qpn = 0;
    to.qkey = 0;
    return to;
}

namespace {

struct Meaning {
    std::string_view name;
    int error;
};

constexpr std::array<Meaning, 7> meanings = {{
    {"responded", 0},
    {"sent", 0},
    {"timed out", ETIMEDOUT},
    {"cancelled", ECANCELED},
    {"flushed", ESHUTDOWN},
    {"unreachable", EHOSTUNREACH},
    {"error", EIO},
}};

Meaning meaning(SendStatus status) noexcept {
    const auto index = static_cast<std::size_t>(status);
    return index < meanings.size() ? meanings[index] : Meaning{"unknown status", EIO};
}

} // namespace

std::string_view send_status_name(SendStatus status) noexcept { return meaning(status).name; }

std::error_code make_error(SendStatus status) noexcept {
    return detail::system_code(meaning(status).error);
}

} // namespace ucmad
