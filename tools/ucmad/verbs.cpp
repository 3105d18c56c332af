// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "verbs.hpp"

#include <ucmad/qp.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <random>
#include <unistd.h>

namespace ucmad::tool {
namespace {

[[noreturn]] void fail(int error, const std::string& what) {
    throw std::system_error(error, std::system_category(), what);
}

/// For the functions of libibverbs that return an errno.
void check(int error, const char* what) {
    if (error != 0)
        fail(error, what);
}

/// For those that return null and set errno.
template <typename Object>
Object* check(Object* object, const char* what) {
    if (object == nullptr)
        fail(errno, what);
    return object;
}

ibv_context* open_device(const std::string& name) {
    int count = 0;
    const std::unique_ptr<ibv_device*, Release<ibv_free_device_list>> list{
        check(ibv_get_device_list(&count), "list of the RDMA devices")};
    const std::span devices{list.get(), static_cast<std::size_t>(count)};
    const auto found = std::ranges::find(devices, name, ibv_get_device_name);
    if (found == devices.end())
        fail(ENODEV, "libibverbs does not know the RDMA device " + name);
    if (ibv_context* context = ibv_open_device(*found))
        return context;
    int error = errno;
    const std::string node = "/dev/infiniband/" + std::string{(*found)->dev_name};
    if (access(node.c_str(), R_OK | W_OK) != 0)
        error = errno; // what ibv_open_device() leaves there is of its last attempt only
    throw NodeError(error, node);
}

ibv_qp* create_qp(ibv_pd* pd, ibv_cq* cq, std::uint32_t depth) {
    ibv_qp_init_attr init{};
    init.qp_type = IBV_QPT_RC;
    init.send_cq = cq;
    init.recv_cq = cq;
    init.sq_sig_all = 1;
    init.cap.max_send_wr = depth;
    init.cap.max_recv_wr = depth;
    init.cap.max_send_sge = 1;
    init.cap.max_recv_sge = 1;
    return check(ibv_create_qp(pd, &init), "creating a QP");
}

} // namespace

std::uint32_t random_psn() { return std::random_device{}() & 0xffffffU; }

VerbsDevice::VerbsDevice(const std::string& name)
    : context_(open_device(name)),
      pd_(check(ibv_alloc_pd(context_.get()), "allocating a protection domain")),
      channel_(check(ibv_create_comp_channel(context_.get()), "creating a completion channel")) {
    if (fcntl(channel_->fd, F_SETFL, O_NONBLOCK) != 0)
        fail(errno, "setting up a completion channel");
}

RcQueuePair* VerbsDevice::next_ready() const {
    ibv_cq* cq = nullptr;
    void* queue_pair = nullptr;
    if (ibv_get_cq_event(channel_.get(), &cq, &queue_pair) != 0) {
        if (errno == EAGAIN || errno == EINTR)
            return nullptr;
        fail(errno, "waiting for completions");
    }
    ibv_ack_cq_events(cq, 1);
    auto* ready = static_cast<RcQueuePair*>(queue_pair);
    ready->request_notification(); // before the completions are taken, so that none is missed
    return ready;
}

RcQueuePair::RcQueuePair(const VerbsDevice& device, std::size_t message_size, std::uint32_t depth)
    : message_size_(message_size), depth_(depth), memory_(std::size_t{2} * depth * message_size),
      mr_(check(
          ibv_reg_mr(device.pd(), memory_.data(), memory_.size(), int{IBV_ACCESS_LOCAL_WRITE}),
          "registering memory")),
      cq_(check(
          ibv_create_cq(device.context(), static_cast<int>(2 * depth), this, device.channel(), 0),
          "creating a completion queue")),
      qp_(create_qp(device.pd(), cq_.get(), depth)) {
    request_notification();
}

void RcQueuePair::request_notification() {
    check(ibv_req_notify_cq(cq_.get(), 0), "asking for completion events");
}

void RcQueuePair::bring_up(const CmId& id) {
    modify_qp(qp(), id, IBV_QPS_INIT);
    post_receives();
    modify_qp(qp(), id, IBV_QPS_RTR);
    modify_qp(qp(), id, IBV_QPS_RTS);
}

void RcQueuePair::bring_up(const CmId& id, const RepParams& answer) {
    modify_qp(qp(), id, IBV_QPS_INIT);
    post_receives();
    modify_qp(qp(), id, IBV_QPS_RTR, answer);
    modify_qp(qp(), id, IBV_QPS_RTS, answer);
}

ibv_sge RcQueuePair::buffer(std::uint32_t slot, std::size_t length) noexcept {
    return {
        .addr = reinterpret_cast<std::uintptr_t>(memory_.data() + slot * message_size_),
        .length = static_cast<std::uint32_t>(length),
        .lkey = mr_->lkey,
    };
}

void RcQueuePair::post_receives() {
    for (std::uint32_t slot = 0; slot < depth_; ++slot)
        post_receive(slot);
}

void RcQueuePair::post_receive(std::uint32_t slot) {
    ibv_sge sge = buffer(slot, message_size_);
    ibv_recv_wr work{};
    work.wr_id = slot;
    work.sg_list = &sge;
    work.num_sge = 1;
    ibv_recv_wr* bad = nullptr;
    check(ibv_post_recv(qp(), &work, &bad), "posting a receive");
}

void RcQueuePair::send(Bytes message) {
    // An RC QP completes its sends in order, so the oldest slot is free.
    const std::uint32_t slot = depth_ + next_send_ % depth_;
    ibv_sge sge = buffer(slot, message.size());
    std::ranges::copy(message, memory_.begin() + static_cast<std::ptrdiff_t>(slot * message_size_));
    ibv_send_wr work{};
    work.wr_id = slot;
    work.sg_list = &sge;
    work.num_sge = 1;
    work.opcode = IBV_WR_SEND;
    ibv_send_wr* bad = nullptr;
    check(ibv_post_send(qp(), &work, &bad), "posting a send");
    ++next_send_;
    ++sends_under_way_;
}

void RcQueuePair::poll(const std::function<void(Bytes)>& on_message) {
    std::array<ibv_wc, 16> completions;
    for (;;) {
        const int count =
            ibv_poll_cq(cq_.get(), static_cast<int>(completions.size()), completions.data());
        if (count < 0)
            fail(EIO, "polling a completion queue");
        if (count == 0)
            return;
        for (const ibv_wc& completion :
             std::span{completions}.first(static_cast<std::size_t>(count)))
            complete(completion, on_message);
    }
}

void RcQueuePair::complete(const ibv_wc& completion, const std::function<void(Bytes)>& on_message) {
    const auto slot = static_cast<std::uint32_t>(completion.wr_id);
    const bool is_send = slot >= depth_;
    if (is_send)
        --sends_under_way_;
    if (completion.status != IBV_WC_SUCCESS) {
        if (!failure_)
            failure_ = completion.status;
    } else if (!is_send) {
        on_message(Bytes{memory_}.subspan(slot * message_size_, completion.byte_len));
        post_receive(slot);
    }
}

} // namespace ucmad::tool
