// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// MAD agents, as the module has them: what becomes of a send is an event. MadClient calls
/// handlers, fulfils futures and resumes coroutines instead.
#pragma once

#include <ucmad/context.hpp>
#include <ucmad/mad.hpp>
#include <ucmad/mad_address.hpp>
#include <ucmad/object.hpp>
#include <ucmad/types.hpp>

#include <bitset>
#include <chrono>
#include <cstdint>
#include <span>
#include <system_error>

namespace ucmad {

struct MadAgentParams {
    std::uint32_t device = 0; ///< DeviceInfo::index.
    std::uint8_t port = 1;
    std::uint8_t qp = 1; ///< 0 for SMPs, which RoCE does not have.
    /// Methods whose unsolicited MADs are wanted; none: the agent only sends, and the next three
    /// stay as they are.
    std::bitset<128> methods{};
    std::uint8_t mgmt_class = 0;
    std::uint8_t class_version = 0;
    Oui oui{}; ///< For classes 0x30 to 0x4f.
    /// The kernel cuts MADs of more than 256 bytes up and puts them together (RMPP).
    bool rmpp = false;
    /// Requests leave from QP1, for peers that answer nobody else; slower, and without effect over
    /// IPv4.
    bool over_ib_mad = false;
    bool concurrent = false;         ///< Its events do not hold it (EV-CONCURRENT).
    std::uint32_t max_in_flight = 0; ///< Sends outstanding at a time; 0: 1024.
    std::uint32_t receive_queue = 0; ///< Unsolicited MADs that may wait; 0: 128.
    std::uint64_t user_context = 0;  ///< Comes with each of its events (EV-CONTEXT).

    /// Adds what a ping responder wants.
    UCMAD_API MadAgentParams& responds_to_ping();
};

/// Names a send of an agent, for cancelling. Not soon used again.
enum class SendHandle : std::uint32_t { none = 0 };

/// How long to wait for a response.
struct Patience {
    std::chrono::milliseconds timeout{1000}; ///< To each try; zero: no response is wanted.
    std::uint32_t retries = 3;               ///< At most 15.
};

/// Do not wait for a response.
inline constexpr Patience no_response{std::chrono::milliseconds{0}, 0};

/// One MAD to post.
struct MadSend {
    Bytes mad{};                          ///< 256 bytes; with RMPP any number.
    MadAddress to{};                      ///< Where to; not looked at in an answer.
    Patience patience{};                  ///< Not looked at in an answer.
    std::uint64_t cookie = 0;             ///< Comes back in the completion.
    std::uint64_t in_reply_to = 0;        ///< MadReceived::request, to answer it.
    SendHandle handle = SendHandle::none; ///< Out.
};

/// What post() has accepted (MAD-PARTIAL).
struct Posted {
    std::size_t count = 0;   ///< So many from the start.
    std::error_code error{}; ///< Why no more.
};

/// What is known of an agent.
struct MadAgentInfo {
    std::uint32_t in_flight = 0; ///< Sends whose completion was not taken yet.
    std::uint32_t receives_waiting = 0;
    std::uint64_t receives_dropped = 0;
    std::uint64_t strays = 0; ///< Responses that were late, duplicate, or of a stranger.
    std::uint32_t device = 0; ///< DeviceInfo::index.
};

/// A MAD agent. Movable; see Object, whose destroy() deregisters it: afterwards the module holds
/// nothing of it (MAD-DEREG). Its events: SendCompleted, MadReceived, DeviceRemoved.
class MadAgent : public Object {
public:
    /// No agent.
    MadAgent() = default;

    /// Registers an agent. Errors: EADDRINUSE another has one of the methods; EPERM without
    /// CAP_NET_RAW (QP1) or CAP_NET_ADMIN (QP0); EOPNOTSUPP the port has no such QP; EINVAL,
    /// ENODEV, EMFILE, ENOMEM.
    [[nodiscard]] UCMAD_API static MadAgent create(const Context& context,
                                                   const MadAgentParams& params);
    [[nodiscard]] UCMAD_API static MadAgent
    create(const Context& context, const MadAgentParams& params, std::error_code& ec) noexcept;

    /// Posts any number of MADs, and fills in their handles. Each that was accepted has exactly one
    /// SendCompleted (MAD-ONE), the others have none. Errors: EAGAIN too many are outstanding;
    /// EINVAL, EFAULT, EADDRNOTAVAIL no such local GID; ENOENT no such request to answer;
    /// ESHUTDOWN, ENODEV.
    UCMAD_API Posted post(std::span<MadSend> sends) const;

    /// Posts one.
    UCMAD_API SendHandle post(MadSend send) const;
    UCMAD_API SendHandle post(MadSend send, std::error_code& ec) const noexcept;

    /// Cancels a send, or all. Never waits; what becomes of a send is told by its completion alone
    /// (MAD-CANCEL).
    UCMAD_API void cancel(SendHandle send) const noexcept;
    UCMAD_API void cancel(std::span<const SendHandle> sends) const noexcept;
    UCMAD_API void cancel_all() const noexcept;

    /// Changes the time-out of a send, from now on and for each try to come; not zero. Nothing
    /// happens if it is over.
    UCMAD_API void set_timeout(SendHandle send, std::chrono::milliseconds timeout) const;

    [[nodiscard]] UCMAD_API MadAgentInfo query() const;
    [[nodiscard]] UCMAD_API MadAgentInfo query(std::error_code& ec) const noexcept;

private:
    MadAgent(std::shared_ptr<const detail::File> file, Handle handle) noexcept;
};

} // namespace ucmad
