// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// The little of libibverbs that the command and the demo need: an open device, and an RC QP with
/// its buffers.
#pragma once

#include <ucmad/cm_id.hpp>
#include <ucmad/types.hpp>

#include <infiniband/verbs.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace ucmad::tool {

/// Frees an object of libibverbs.
template <auto function>
struct Release {
    template <typename Object>
    void operator()(Object* object) const noexcept {
        function(object);
    }
};

template <typename Object, auto function>
using Owned = std::unique_ptr<Object, Release<function>>;

/// A device node that cannot be opened.
class NodeError : public std::system_error {
public:
    NodeError(int error, std::string node)
        : std::system_error(error, std::system_category(), "cannot open " + node),
          node_(std::move(node)) {}

    [[nodiscard]] const std::string& node() const noexcept { return node_; }

private:
    std::string node_;
};

class RcQueuePair;

/// An open device with a protection domain, and a channel that tells of completions.
class VerbsDevice {
public:
    /// Errors: NodeError; ENODEV if libibverbs knows no device of that name.
    explicit VerbsDevice(const std::string& name);

    [[nodiscard]] ibv_context* context() const noexcept { return context_.get(); }
    [[nodiscard]] ibv_pd* pd() const noexcept { return pd_.get(); }
    [[nodiscard]] ibv_comp_channel* channel() const noexcept { return channel_.get(); }

    /// For poll(): readable when next_ready() would return a QP.
    [[nodiscard]] int completion_fd() const noexcept { return channel_->fd; }

    /// A QP that has completions, which are to be taken with RcQueuePair::poll() at once; null if
    /// there is none. Does not wait.
    [[nodiscard]] RcQueuePair* next_ready() const;

private:
    Owned<ibv_context, ibv_close_device> context_;
    Owned<ibv_pd, ibv_dealloc_pd> pd_;
    Owned<ibv_comp_channel, ibv_destroy_comp_channel> channel_;
};

/// A packet sequence number to start with, of 24 bits.
[[nodiscard]] std::uint32_t random_psn();

/// An RC QP that sends and receives messages of up to a fixed size, with a ring of buffers each
/// way. The device must outlive it.
class RcQueuePair {
public:
    /// `depth`: messages that can be under way in each direction.
    RcQueuePair(const VerbsDevice& device, std::size_t message_size, std::uint32_t depth);
    RcQueuePair(const RcQueuePair&) = delete;
    RcQueuePair& operator=(const RcQueuePair&) = delete;
    ~RcQueuePair() = default;

    [[nodiscard]] ibv_qp* qp() const noexcept { return qp_.get(); }
    std::uint64_t tag = 0; ///< For the owner's use, to know it again from next_ready().

    [[nodiscard]] std::uint32_t number() const noexcept { return qp_->qp_num; }
    [[nodiscard]] std::size_t message_size() const noexcept { return message_size_; }

    /// Brings the QP from RESET to RTS, once the peer's QP is known, with all receives posted.
    void bring_up(const CmId& id);
    /// The same on the accepting side, before the REP: `answer` is what it will say.
    void bring_up(const CmId& id, const RepParams& answer);

    /// Posts all receives; in INIT.
    void post_receives();

    /// Messages that were sent and not acknowledged by the peer's QP yet.
    [[nodiscard]] std::uint32_t sends_under_way() const noexcept { return sends_under_way_; }
    [[nodiscard]] bool can_send() const noexcept { return sends_under_way_ < depth_; }

    /// Sends a copy of the message, of at most message_size() bytes; only if can_send().
    void send(Bytes message);

    /// Takes all completions, and hands over each message that came. Its buffer is used again when
    /// the function returns.
    void poll(const std::function<void(Bytes)>& on_message);

    /// How the first work request that failed did so; none did: nothing.
    [[nodiscard]] std::optional<ibv_wc_status> failure() const noexcept { return failure_; }

private:
    friend class VerbsDevice;

    void request_notification();
    void post_receive(std::uint32_t slot);
    void complete(const ibv_wc& completion, const std::function<void(Bytes)>& on_message);
    [[nodiscard]] ibv_sge buffer(std::uint32_t slot, std::size_t length) noexcept;

    std::size_t message_size_;
    std::uint32_t depth_;
    std::vector<std::byte> memory_; ///< `depth_` slots to receive into, then as many to send from.
    Owned<ibv_mr, ibv_dereg_mr> mr_;
    Owned<ibv_cq, ibv_destroy_cq> cq_;
    Owned<ibv_qp, ibv_destroy_qp> qp_;
    std::uint32_t sends_under_way_ = 0;
    std::uint32_t next_send_ = 0;
    std::optional<ibv_wc_status> failure_;
};

} // namespace ucmad::tool
