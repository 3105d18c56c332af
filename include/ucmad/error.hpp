// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Errors.
///
/// A call that fails throws std::system_error; a call with a last parameter `std::error_code&` sets
/// that instead, and clears it when it succeeds. The code is the kernel's errno in
/// std::system_category(), comparable with std::errc, or, where a peer said why it refuses, a
/// RejectReason or SidrStatus in a category of its own. What the kernel's errors mean is written
/// with each ioctl in <rdma/ucmad.h>; the ones that every CM operation shares (CM-STATE):
///
/// | errno | meaning |
/// |---|---|
/// | ENOENT | the object does not exist (any more) |
/// | ENODEV | its RDMA device was removed |
/// | ECONNRESET | the peer has ended the connection, or what was to become one |
/// | ETIMEDOUT | it ended because nobody answered |
/// | EBADFD | the state of the CM ID does not allow the operation |
/// | EINVAL | an argument is wrong: private data too long, a number too large |
#pragma once

#include <ucmad/types.hpp>

#include <cstdint>
#include <string_view>
#include <system_error>

namespace ucmad {

/// Why a connection is refused or ended by a REJ message (IBTA 12.6.7.2, "reason").
///
/// An std::error_code with a RejectReason equals std::errc::connection_refused, for `timeout`
/// std::errc::timed_out.
enum class RejectReason : std::uint16_t {
    no_qp_available = 1,
    no_eec_available = 2,
    no_resources_available = 3,
    timeout = 4,
    unsupported_request = 5,
    invalid_communication_id = 6,
    invalid_communication_instance = 7,
    invalid_service_id = 8, ///< Nobody listens on the service ID.
    invalid_transport_service_type = 9,
    stale_connection = 10,
    rdc_does_not_exist = 11,
    primary_remote_port_gid_rejected = 12,
    primary_remote_port_lid_rejected = 13,
    invalid_primary_sl = 14,
    invalid_primary_traffic_class = 15,
    invalid_primary_hop_limit = 16,
    invalid_primary_packet_rate = 17,
    alternate_remote_port_gid_rejected = 18,
    alternate_remote_port_lid_rejected = 19,
    invalid_alternate_sl = 20,
    invalid_alternate_traffic_class = 21,
    invalid_alternate_hop_limit = 22,
    invalid_alternate_packet_rate = 23,
    port_and_cm_redirection = 24,
    port_redirection = 25,
    invalid_path_mtu = 26,
    insufficient_responder_resources = 27,
    consumer_reject = 28, ///< The program on the other side does not want the connection.
    rnr_retry_count_reject = 29,
    duplicate_local_communication_id = 30,
    invalid_class_version = 31,
    invalid_flow_label = 32,
    invalid_alternate_flow_label = 33,
    vendor_option_not_supported = 35,
};

/// The IBTA's name of a reason, such as "invalid service ID"; "unknown reason" for any other
/// number.
[[nodiscard]] UCMAD_API std::string_view reject_name(std::uint16_t reason) noexcept;

/// Category of RejectReason; its name is "ucmad-reject".
[[nodiscard]] UCMAD_API const std::error_category& reject_category() noexcept;
[[nodiscard]] UCMAD_API std::error_code make_error_code(RejectReason reason) noexcept;

/// Status of an answer to a SIDR REQ (IBTA 12.11.2).
enum class SidrStatus : std::uint8_t {
    success = 0,
    unsupported_service = 1,
    rejected = 2,
    no_qp = 3,
    redirect = 4,
    unsupported_version = 5,
};

/// The IBTA's name of a SIDR status; "unknown status" for any other number.
[[nodiscard]] UCMAD_API std::string_view sidr_status_name(std::uint8_t status) noexcept;

/// Category of SidrStatus; its name is "ucmad-sidr".
[[nodiscard]] UCMAD_API const std::error_category& sidr_category() noexcept;
[[nodiscard]] UCMAD_API std::error_code make_error_code(SidrStatus status) noexcept;

} // namespace ucmad

template <>
struct std::is_error_code_enum<ucmad::RejectReason> : std::true_type {};

template <>
struct std::is_error_code_enum<ucmad::SidrStatus> : std::true_type {};
