// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// CM IDs: one end of a connection, a listener, or one end of a SIDR exchange.
#pragma once

#include <ucmad/context.hpp>
#include <ucmad/event.hpp>
#include <ucmad/object.hpp>
#include <ucmad/path.hpp>
#include <ucmad/types.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace ucmad {

/// State of a CM ID (IBTA 12.9; `resolving` and `removed` are ucmad's own). "Sent" and "received"
/// are as seen from this side.
enum class CmState : std::uint32_t {
    idle,
    listen,
    resolving, ///< The peer's MAC address is being looked for, the REQ is not sent yet.
    req_sent,
    mra_req_rcvd,
    req_rcvd,
    mra_req_sent, ///< The peer was told to wait while the REQ is unanswered.
    rep_sent,
    mra_rep_rcvd,
    rep_rcvd,
    mra_rep_sent, ///< The peer was told to wait while the REP is unanswered.
    established,
    dreq_sent,
    dreq_rcvd,
    timewait,
    sidr_req_sent,
    sidr_req_rcvd,
    removed, ///< The RDMA device went away.
};

/// The state's name as the IBTA writes it, such as "REQ sent"; "unknown state" for any other
/// number.
[[nodiscard]] UCMAD_API std::string_view state_name(CmState state) noexcept;

/// How long a message may wait for the program, see decode_time(): the module has the peer told to
/// wait (MRA), and rejects it after that time (CM-PATIENT). Codes 1 to 31, and:
inline constexpr std::uint8_t patience_default = 0; ///< Some 69 seconds.
inline constexpr std::uint8_t patience_none = 255;  ///< No MRA is sent and nothing expires.

struct ListenParams {
    /// None: the CM chooses a service ID that is free.
    std::optional<std::uint64_t> service_id{};
    /// REQs and SIDR REQs that may wait to be taken; 0 stands for 128. See ModuleInfo::max_backlog.
    std::uint32_t backlog = 0;
    std::uint8_t patience = patience_default; ///< For the REQs.
};

/// A REQ (IBTA 12.6.5). The defaults suit an RC QP.
struct ReqParams {
    std::uint64_t service_id = 0;   ///< Service that the peer listens on.
    std::uint32_t qp_num = 0;       ///< Local QP, 24 bits.
    std::uint32_t starting_psn = 0; ///< First sequence number that the peer shall send, 24 bits.
    QpType qp_type = QpType::rc;    ///< Not xrc_tgt.
    Path primary{};
    std::optional<Path> alternate{};              ///< InfiniBand only.
    Bytes private_data{};                         ///< At most 92 bytes.
    Ece ece{};                                    ///< ECE options.
    std::uint8_t responder_resources = 1;         ///< RDMA reads this side can serve at a time.
    std::uint8_t initiator_depth = 1;             ///< RDMA reads this side will start at a time.
    std::uint8_t remote_cm_response_timeout = 20; ///< How long the peer's program may take.
    std::uint8_t local_cm_response_timeout = 20;  ///< How long this program may take for a REP.
    std::uint8_t retry_count = 7;                 ///< Of the QP, 3 bits.
    std::uint8_t rnr_retry_count = 7;             ///< Of the QP, 3 bits; 7: without end.
    std::uint8_t max_cm_retries = 15;             ///< How often to repeat the REQ, 4 bits.
    bool flow_control = true;                     ///< The QP does end-to-end flow control.
    bool srq = false;                             ///< The QP uses a shared receive queue.
    std::uint8_t patience = patience_default;     ///< For the REP.
    /// How long to look for the peer's MAC address on RoCE; 0: two seconds.
    std::chrono::milliseconds resolve_timeout{0};
};

/// A REP (IBTA 12.6.8).
struct RepParams {
    std::uint32_t qp_num = 0;       ///< Local QP, 24 bits.
    std::uint32_t starting_psn = 0; ///< First sequence number that the peer shall send, 24 bits.
    Bytes private_data{};           ///< At most 196 bytes.
    Ece ece{};                      ///< ECE options.
    std::uint8_t responder_resources = 1; ///< RDMA reads this side can serve at a time.
    std::uint8_t initiator_depth = 1;     ///< RDMA reads this side will start at a time.
    std::uint8_t failover_accepted = 1;   ///< 0 accepted, 1 not supported, 2 rejected.
    bool flow_control = true;             ///< The QP does end-to-end flow control.
    std::uint8_t rnr_retry_count = 7;     ///< Of the QP, 3 bits; 7: without end.
    bool srq = false;                     ///< The QP uses a shared receive queue.
};

/// A REJ (IBTA 12.6.7).
struct RejParams {
    RejectReason reason = RejectReason::consumer_reject;
    Bytes private_data{}; ///< At most 148 bytes.
    Bytes ari{};          ///< Additional rejection information, at most 72 bytes.
};

/// A SIDR REQ (IBTA 12.11.1).
struct SidrReqParams {
    std::uint64_t service_id = 0; ///< Service that the peer listens on.
    Path path{};
    Bytes private_data{};                         ///< At most 216 bytes.
    std::chrono::milliseconds timeout{1000};      ///< How long to wait for each answer; not 0.
    std::chrono::milliseconds resolve_timeout{0}; ///< As ReqParams::resolve_timeout.
    std::uint8_t max_cm_retries = 15;             ///< How often to repeat the SIDR REQ, 4 bits.
};

/// A SIDR REP (IBTA 12.11.2).
struct SidrRepParams {
    SidrStatus status = SidrStatus::success;
    std::uint32_t qp_num = 0; ///< QP of the service, 24 bits.
    std::uint32_t qkey = 0;   ///< Its Q_Key.
    Bytes private_data{};     ///< At most 136 bytes.
    Bytes info{};             ///< Additional information, at most 72 bytes.
    Ece ece{};                ///< ECE options; the vendor has 16 bits here.
};

/// What a program can tell the CM of (IBTA 12.9.7, 12.8).
enum class Notification : std::uint32_t {
    communication_established = 1, ///< Data came before the RTU (IBV_EVENT_COMM_EST).
    path_migrated = 2, ///< The QP failed over to the alternate path (IBV_EVENT_PATH_MIG).
};

/// What is known of a CM ID.
struct CmIdInfo {
    std::uint64_t service_id = 0;     ///< Listened on or asked for; 0 if none.
    std::uint32_t local_comm_id = 0;  ///< 0 before it has one.
    std::uint32_t remote_comm_id = 0; ///< 0 while unknown.
    std::uint32_t device = 0;         ///< DeviceInfo::index.
    CmState state = CmState::idle;
    std::error_code error{};   ///< Why the last connection is over; none if it is not.
    std::uint32_t backlog = 0; ///< Of a listener: events that wait to be taken.
    std::uint64_t dropped = 0; ///< Of a listener: requests dropped or refused for want of room.
};

/// A CM ID. Movable; see Object. Destroying it tells the peer what the protocol wants told
/// (CM-TEARDOWN).
class CmId : public Object {
public:
    /// No CM ID.
    CmId() = default;

    /// Makes a CM ID on a device. `user_context` comes with each of its events (EV-CONTEXT).
    /// Errors: ENODEV, EOPNOTSUPP no port of the device has a CM, EMFILE the file has too many
    /// objects, ENOMEM.
    [[nodiscard]] UCMAD_API static CmId create(const Context& context, std::uint32_t device,
                                               std::uint64_t user_context = 0);
    [[nodiscard]] UCMAD_API static CmId create(const Context& context, std::uint32_t device,
                                               std::uint64_t user_context,
                                               std::error_code& ec) noexcept;

    /// Takes over the new CM ID of a REQ or SIDR REQ event, that is, event.object; or what
    /// release() gave.
    [[nodiscard]] UCMAD_API static CmId adopt(const Context& context, Handle handle) noexcept;

    [[nodiscard]] UCMAD_API CmIdInfo query() const;
    [[nodiscard]] UCMAD_API CmIdInfo query(std::error_code& ec) const noexcept;

    /// Listens for REQs and SIDR REQs. Returns the service ID. Errors: EADDRINUSE somebody on this
    /// host listens there, EINVAL the backlog is too large.
    UCMAD_API std::uint64_t listen(const ListenParams& params) const;
    UCMAD_API std::uint64_t listen(const ListenParams& params, std::error_code& ec) const noexcept;

    /// Asks a peer for a connection; returns when the REQ is on its way. The answer is an event:
    /// REP, REJ or REQ error.
    UCMAD_API void req(const ReqParams& params) const;
    UCMAD_API void req(const ReqParams& params, std::error_code& ec) const noexcept;

    /// Accepts a connection. ECONNRESET if the peer has rejected it, even if that event was not
    /// taken yet.
    UCMAD_API void rep(const RepParams& params) const;
    UCMAD_API void rep(const RepParams& params, std::error_code& ec) const noexcept;

    /// Says that this side is ready; private data of at most 224 bytes.
    UCMAD_API void rtu(Bytes private_data = {}) const;
    UCMAD_API void rtu(Bytes private_data, std::error_code& ec) const noexcept;

    /// Refuses a connection.
    UCMAD_API void rej(const RejParams& params) const;
    UCMAD_API void rej(const RejParams& params, std::error_code& ec) const noexcept;

    /// Asks the peer for time, see decode_time(), in place of the patience; private data of at most
    /// 222 bytes. The module asks by itself (CM-PATIENT); this is for more time. EALREADY: the peer
    /// was told. EOPNOTSUPP: the kernel's CM sends no MRA at request.
    UCMAD_API void mra(std::uint8_t service_timeout, Bytes private_data = {}) const;
    UCMAD_API void mra(std::uint8_t service_timeout, Bytes private_data,
                       std::error_code& ec) const noexcept;

    /// Disconnects; private data of at most 220 bytes. The answer is an event: DREP or DREQ error.
    UCMAD_API void dreq(Bytes private_data = {}) const;
    UCMAD_API void dreq(Bytes private_data, std::error_code& ec) const noexcept;

    /// Confirms a disconnect; private data of at most 224 bytes.
    UCMAD_API void drep(Bytes private_data = {}) const;
    UCMAD_API void drep(Bytes private_data, std::error_code& ec) const noexcept;

    /// Asks a peer for the QP of a datagram service. The answer is an event: SIDR REP or SIDR REQ
    /// error.
    UCMAD_API void sidr_req(const SidrReqParams& params) const;
    UCMAD_API void sidr_req(const SidrReqParams& params, std::error_code& ec) const noexcept;

    /// Answers a SIDR REQ.
    UCMAD_API void sidr_rep(const SidrRepParams& params) const;
    UCMAD_API void sidr_rep(const SidrRepParams& params, std::error_code& ec) const noexcept;

    /// Tells the CM what happened on the QP. EISCONN: established already.
    UCMAD_API void notify(Notification what) const;
    UCMAD_API void notify(Notification what, std::error_code& ec) const noexcept;

private:
    friend class Listener;

    CmId(std::shared_ptr<const detail::File> file, Handle handle) noexcept;

    void message(unsigned long request, std::size_t limit, Bytes private_data,
                 std::error_code& ec) const noexcept;
};

} // namespace ucmad
