// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Events: what the module tells a program.
///
/// An EventView looks into the buffer of the EventBatch that it was taken with; an Event owns its
/// private data and can be kept. Numbers are in host byte order, GIDs and MAC addresses are bytes
/// as on the wire; times of InfiniBand messages are codes, see decode_time().
#pragma once

#include <ucmad/error.hpp>
#include <ucmad/mad_address.hpp>
#include <ucmad/path.hpp>
#include <ucmad/types.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace ucmad {

/// Enhanced connection establishment: what each side tells the other of its vendor's options.
struct Ece {
    std::uint32_t vendor_id = 0; ///< 24 bits.
    std::uint32_t attr_mod = 0;

    friend constexpr bool operator==(const Ece&, const Ece&) = default;
};

/// Type of the QPs to connect (IBTA 12.6.5, transport service type); numbers as in enum
/// ibv_qp_type.
enum class QpType : std::uint8_t { rc = 2, uc = 3, xrc_ini = 9, xrc_tgt = 10 };

/// Up to 72 bytes of additional information in a REJ, APR or SIDR REP.
struct AdditionalInfo {
    std::array<std::byte, 72> data{};
    std::uint8_t length = 0; ///< So many bytes of data are filled.

    [[nodiscard]] Bytes bytes() const noexcept { return Bytes{data}.first(length); }
};

/// Why something that was sent did not succeed (CM-TRUTH).
struct Failure {
    std::error_code error{};     ///< ETIMEDOUT no answer; EHOSTUNREACH and the like no path.
    std::uint32_t wc_status = 0; ///< Status of the send, as enum ibv_wc_status; 0 if none failed.
};

/// The RDMA device went away; the last event of the object (DEL-HOTPLUG).
struct DeviceRemoved {};

/// A peer asks for a connection. The object of the event is a new CM ID; see CmId::adopt(). 92
/// bytes of private data.
struct ReqReceived {
    Handle listener{};                    ///< The listener that the REQ came to.
    std::uint32_t device = 0;             ///< DeviceInfo::index.
    std::uint64_t service_id = 0;         ///< Service asked for.
    std::uint64_t remote_ca_guid = 0;     ///< The peer's node GUID.
    std::uint32_t remote_qkey = 0;        ///< The peer's Q_Key (reliable datagrams only).
    std::uint32_t remote_qpn = 0;         ///< The peer's QP.
    std::uint32_t starting_psn = 0;       ///< First sequence number that this side shall send.
    Ece ece{};                            ///< The peer's ECE options.
    std::uint16_t bth_pkey = 0;           ///< P_Key of the packet that brought the REQ.
    std::uint8_t port = 0;                ///< Local port.
    QpType qp_type = QpType::rc;          ///< Type of the QPs to connect.
    std::uint8_t responder_resources = 0; ///< RDMA reads this side may be asked to serve at a time.
    std::uint8_t initiator_depth = 0;     ///< RDMA reads this side may start at a time.
    std::uint8_t local_cm_response_timeout = 0;  ///< How long this program may take to answer.
    std::uint8_t remote_cm_response_timeout = 0; ///< How long the peer's program may take.
    std::uint8_t retry_count = 0;                ///< Of the peer's QP.
    std::uint8_t rnr_retry_count = 0;            ///< Of the peer's QP.
    bool flow_control = false;                   ///< The peer does end-to-end flow control.
    bool srq = false;                            ///< The peer's QP uses a shared receive queue.
    bool has_alternate = false;                  ///< `alternate` is given.
    Path primary{};                              ///< The path, seen from this side.
    Path alternate{};                            ///< The path to fail over to.
};

/// The REQ could not be sent or was not answered.
struct ReqError : Failure {};

/// The peer accepts. 196 bytes of private data.
struct RepReceived {
    std::uint64_t remote_ca_guid = 0;     ///< The peer's node GUID.
    std::uint32_t remote_qkey = 0;        ///< The peer's Q_Key (reliable datagrams only).
    std::uint32_t remote_qpn = 0;         ///< The peer's QP.
    std::uint32_t starting_psn = 0;       ///< First sequence number that this side shall send.
    Ece ece{};                            ///< The peer's ECE options.
    std::uint8_t responder_resources = 0; ///< RDMA reads this side may be asked to serve at a time.
    std::uint8_t initiator_depth = 0;     ///< RDMA reads this side may start at a time.
    std::uint8_t target_ack_delay = 0;    ///< The peer's delay of ACKs.
    std::uint8_t failover_accepted = 0;   ///< As RepParams::failover_accepted.
    bool flow_control = false;            ///< The peer does end-to-end flow control.
    std::uint8_t rnr_retry_count = 0;     ///< Of the peer's QP.
    bool srq = false;                     ///< The peer's QP uses a shared receive queue.
};

/// The REP could not be sent or was not answered.
struct RepError : Failure {};

/// The peer is ready to use the connection. 224 bytes of private data.
struct RtuReceived {};

/// CmId::notify() told that data came before the RTU: the connection is established.
struct UserEstablished {};

/// The peer disconnects. 220 bytes of private data.
struct DreqReceived {};

/// The DREQ was not answered; the connection is over all the same.
struct DreqError : Failure {};

/// The peer has confirmed the disconnect. 224 bytes of private data.
struct DrepReceived {};

/// The QP may be used again: no old packet is about any more.
struct TimewaitExit {};

/// The peer asks for time. 222 bytes of private data.
struct MraReceived {
    std::uint8_t service_timeout = 0; ///< How long the peer's program may take.
};

/// The peer refuses or ends the connection. 148 bytes of private data.
struct RejReceived {
    RejectReason reason{}; ///< May be a number that has no name here, see reject_name().
    AdditionalInfo ari{};  ///< Additional rejection information.
};

/// The peer proposes an alternate path (InfiniBand only); the module cannot answer it. 168 bytes of
/// private data.
struct LapReceived {
    Path alternate{}; ///< Seen from this side.
};

/// Answer to a LAP. 148 bytes of private data.
struct AprReceived {
    std::uint8_t status = 0; ///< 0 accepted, else as in IBTA 12.8.2.1.
    AdditionalInfo info{};
};

/// A LAP was not answered.
struct LapError : Failure {};

/// A peer asks for the QP of a datagram service. The object of the event is a new CM ID; see
/// CmId::adopt(). 216 bytes of private data.
struct SidrReqReceived {
    Handle listener{};            ///< The listener that the SIDR REQ came to.
    std::uint32_t device = 0;     ///< DeviceInfo::index.
    std::uint64_t service_id = 0; ///< Service asked for.
    std::uint16_t pkey = 0;       ///< Partition key that the peer asks for.
    std::uint16_t bth_pkey = 0;   ///< P_Key of the packet that brought the SIDR REQ.
    std::uint16_t sgid_index = 0; ///< Local GID that it came to; 0xffff where there is none.
    std::uint8_t port = 0;        ///< Local port.
};

/// The SIDR REQ was not answered.
struct SidrReqError : Failure {};

/// Answer to a SIDR REQ. 136 bytes of private data.
struct SidrRepReceived {
    std::uint32_t qp_num = 0;     ///< QP of the service.
    std::uint32_t qkey = 0;       ///< Its Q_Key.
    std::uint16_t sgid_index = 0; ///< Local GID in use; 0xffff where there is none.
    SidrStatus status{};
    AdditionalInfo info{};
};

/// The program did not answer a REQ or REP within its patience; the peer was rejected (CM-PATIENT).
struct Expired : Failure {};

/// A send of a MAD agent is over. The response, if there is one, is the data of the event.
struct SendCompleted {
    std::uint64_t cookie = 0; ///< MadSend::cookie.
    std::uint32_t handle = 0; ///< MadSend::handle.
    SendStatus status{};
    std::uint32_t wc_status = 0; ///< With SendStatus::error, as enum ibv_wc_status.
    std::uint32_t tries = 0;     ///< How often it was sent.
    MadAddress from{};           ///< Where the response came from.
};

/// An unsolicited MAD has come to an agent; it is the data of the event.
struct MadReceived {
    std::uint64_t request = 0; ///< Names it for an answer; 0: it cannot be answered.
    MadAddress from{};         ///< Who has sent it.
};

/// An event of a module that is newer than this library. It can be acknowledged like any other.
struct UnknownEvent {
    std::uint16_t type = 0; ///< As in struct ucmad_event.
};

using EventBody =
    std::variant<DeviceRemoved, ReqReceived, ReqError, RepReceived, RepError, RtuReceived,
                 UserEstablished, DreqReceived, DreqError, DrepReceived, TimewaitExit, MraReceived,
                 RejReceived, LapReceived, AprReceived, LapError, SidrReqReceived, SidrReqError,
                 SidrRepReceived, Expired, SendCompleted, MadReceived, UnknownEvent>;

/// The name of an event's type: "REQ", "REQ error", "device removed", ...
[[nodiscard]] UCMAD_API std::string_view event_name(const EventBody& body) noexcept;

/// What EventView and Event share. The time is that of CLOCK_MONOTONIC.
struct EventBase {
    Handle object{};            ///< The object that the event is of.
    bool held = false;          ///< The object is held until the event is acknowledged (EV-SERIAL).
    std::uint64_t sequence = 0; ///< Number of the event among those of its object, from 1.
    std::uint64_t context =
        0; ///< The object's user context at the moment of delivery (EV-CONTEXT).
    std::chrono::steady_clock::time_point time; ///< When it happened.
    EventBody body;                             ///< What happened.

    /// The body if the event is of that type, else null: `event.get_if<RejReceived>()`.
    template <typename Body>
    [[nodiscard]] const Body* get_if() const noexcept {
        return std::get_if<Body>(&body);
    }

    [[nodiscard]] std::string_view name() const noexcept { return event_name(body); }
};

/// An event in the buffer of an EventBatch, valid until that takes the next ones.
struct EventView : EventBase {
    /// Private data of a CM message: always the full length that the message has room for, since it
    /// does not say how much of it the peer has filled. Or a MAD.
    Bytes private_data{};
};

/// An event that owns its data.
struct Event : EventBase {
    Event() = default;
    explicit Event(const EventView& view)
        : EventBase(view), private_data(view.private_data.begin(), view.private_data.end()) {}

    std::vector<std::byte> private_data; ///< See EventView::private_data.
};

/// Flag of an Ack: it sets the user context.
inline constexpr std::uint32_t ack_sets_context = 1;

/// Acknowledges the events of one object, up to and including one. It is the ABI's struct
/// ucmad_ack.
struct Ack {
    Handle object{};
    std::uint32_t flags = 0;
    std::uint64_t sequence = 0;
    std::uint64_t context = 0;

    Ack() = default;
    explicit Ack(const EventBase& event) noexcept
        : object(event.object), sequence(event.sequence) {}

    /// Gives the object a user context in the same step (EV-CONTEXT).
    Ack(const EventBase& event, std::uint64_t new_context) noexcept
        : object(event.object), flags(ack_sets_context), sequence(event.sequence),
          context(new_context) {}
};

} // namespace ucmad
