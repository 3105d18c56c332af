// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Requests from a UD QP of the program's own: the limit, without matching, time-outs and retries.
// No more than a window is sent at a time, since QP1 drops what it has no room for.
#include "requester.hpp"

#include <infiniband/verbs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t grh_size = 40;
constexpr std::size_t slot_size = grh_size + ucmad::mad_size;
constexpr std::size_t window = 256;

template <typename T>
T* made(T* object, const char* what) {
    if (object == nullptr)
        throw std::system_error(errno, std::system_category(), what);
    return object;
}

void must(int error, const char* what) {
    if (error != 0)
        throw std::system_error(error, std::system_category(), what);
}

ibv_context* open_device(const std::string& name) {
    int count = 0;
    ibv_device** list = made(ibv_get_device_list(&count), "ibv_get_device_list");
    ibv_context* context = nullptr;
    for (int i = 0; i < count && context == nullptr; ++i)
        if (name == ibv_get_device_name(list[i]))
            context = ibv_open_device(list[i]);
    ibv_free_device_list(list);
    return made(context, "ibv_open_device");
}

class VerbsRequester : public Requester {
public:
    VerbsRequester(const Target& target, std::size_t depth, bool blocking)
        : slots_(std::min(depth, window)), blocking_(blocking), memory_(2 * slots_ * slot_size),
          context_(open_device(target.device)) {
        pd_ = made(ibv_alloc_pd(context_), "ibv_alloc_pd");
        mr_ = made(ibv_reg_mr(pd_, memory_.data(), memory_.size(), IBV_ACCESS_LOCAL_WRITE),
                   "ibv_reg_mr");
        channel_ = made(ibv_create_comp_channel(context_), "ibv_create_comp_channel");
        const auto entries = static_cast<int>(2 * slots_);
        send_cq_ = made(ibv_create_cq(context_, entries, nullptr, nullptr, 0), "ibv_create_cq");
        receive_cq_ = made(ibv_create_cq(context_, entries, nullptr, channel_, 0), "ibv_create_cq");
        make_qp();
        make_ah(target);
        const ucmad::Mad mad = request(ucmad::MadMethod::get, 1);
        std::ranges::copy(mad, memory_.begin());
        for (std::size_t slot = 0; slot < slots_; ++slot)
            post_receive(slot);
        must(ibv_req_notify_cq(receive_cq_, 0), "ibv_req_notify_cq");
    }

    ~VerbsRequester() override {
        ibv_destroy_ah(ah_);
        ibv_destroy_qp(qp_);
        ibv_ack_cq_events(receive_cq_, events_);
        ibv_destroy_cq(receive_cq_);
        ibv_destroy_cq(send_cq_);
        ibv_destroy_comp_channel(channel_);
        ibv_dereg_mr(mr_);
        ibv_dealloc_pd(pd_);
        ibv_close_device(context_);
    }

    VerbsRequester(const VerbsRequester&) = delete;
    VerbsRequester& operator=(const VerbsRequester&) = delete;

    void send(std::size_t count) override {
        waiting_ += count;
        for (; waiting_ > 0 && sent_ < slots_; --waiting_, ++sent_)
            post_send();
    }

    Ended wait() override {
        std::size_t count = poll();
        while (count == 0) {
            if (blocking_)
                sleep_until_completion();
            count = poll();
        }
        sent_ -= count;
        send(0);
        return {count, 0};
    }

private:
    void make_qp() {
        ibv_qp_init_attr init{};
        init.qp_type = IBV_QPT_UD;
        init.send_cq = send_cq_;
        init.recv_cq = receive_cq_;
        // A response can come before the completion of its request has freed the slot.
        init.cap.max_send_wr = static_cast<std::uint32_t>(2 * slots_);
        init.cap.max_recv_wr = static_cast<std::uint32_t>(slots_);
        init.cap.max_send_sge = init.cap.max_recv_sge = 1;
        qp_ = made(ibv_create_qp(pd_, &init), "ibv_create_qp");
        ibv_qp_attr attr{};
        attr.qp_state = IBV_QPS_INIT;
        attr.port_num = 1;
        attr.qkey = ucmad::gsi_qkey;
        must(
            ibv_modify_qp(qp_, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
            "INIT");
        attr.qp_state = IBV_QPS_RTR;
        must(ibv_modify_qp(qp_, &attr, IBV_QP_STATE), "RTR");
        attr.qp_state = IBV_QPS_RTS;
        must(ibv_modify_qp(qp_, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), "RTS");
    }

    void make_ah(const Target& target) {
        ibv_ah_attr attr{};
        std::ranges::copy(target.gid.bytes, attr.grh.dgid.raw);
        attr.grh.sgid_index = static_cast<std::uint8_t>(target.gid_index);
        attr.grh.hop_limit = 64;
        attr.is_global = 1;
        attr.port_num = 1;
        ah_ = made(ibv_create_ah(pd_, &attr), "ibv_create_ah");
    }

    [[nodiscard]] ibv_sge sge(std::size_t offset, std::size_t length) const {
        return {reinterpret_cast<std::uintptr_t>(memory_.data() + offset),
                static_cast<std::uint32_t>(length), mr_->lkey};
    }

    void post_receive(std::size_t slot) {
        ibv_sge where = sge((slots_ + slot) * slot_size, slot_size);
        ibv_recv_wr wr{};
        wr.wr_id = slot;
        wr.sg_list = &where;
        wr.num_sge = 1;
        ibv_recv_wr* bad = nullptr;
        must(ibv_post_recv(qp_, &wr, &bad), "ibv_post_recv");
    }

    void post_send() {
        ibv_wc done{};
        while (ibv_poll_cq(send_cq_, 1, &done) > 0)
            if (done.status != IBV_WC_SUCCESS)
                throw std::runtime_error(ibv_wc_status_str(done.status));
        ibv_sge what = sge(0, ucmad::mad_size);
        ibv_send_wr wr{};
        wr.sg_list = &what;
        wr.num_sge = 1;
        wr.opcode = IBV_WR_SEND;
        wr.send_flags = IBV_SEND_SIGNALED;
        wr.wr.ud.ah = ah_;
        wr.wr.ud.remote_qpn = 1;
        wr.wr.ud.remote_qkey = ucmad::gsi_qkey;
        ibv_send_wr* bad = nullptr;
        must(ibv_post_send(qp_, &wr, &bad), "ibv_post_send");
    }

    std::size_t poll() {
        std::array<ibv_wc, 64> done{};
        const int count = ibv_poll_cq(receive_cq_, static_cast<int>(done.size()), done.data());
        if (count < 0)
            throw std::runtime_error("ibv_poll_cq");
        for (int i = 0; i < count; ++i)
            post_receive(done[static_cast<std::size_t>(i)].wr_id);
        return static_cast<std::size_t>(count);
    }

    void sleep_until_completion() {
        ibv_cq* cq = nullptr;
        void* ignored = nullptr;
        must(ibv_get_cq_event(channel_, &cq, &ignored) != 0 ? errno : 0, "ibv_get_cq_event");
        ++events_;
        must(ibv_req_notify_cq(receive_cq_, 0), "ibv_req_notify_cq");
    }

    const std::size_t slots_;
    const bool blocking_;
    std::vector<std::byte> memory_;
    ibv_context* context_;
    ibv_pd* pd_ = nullptr;
    ibv_mr* mr_ = nullptr;
    ibv_comp_channel* channel_ = nullptr;
    ibv_cq* send_cq_ = nullptr;
    ibv_cq* receive_cq_ = nullptr;
    ibv_qp* qp_ = nullptr;
    ibv_ah* ah_ = nullptr;
    unsigned events_ = 0;
    std::size_t sent_ = 0;
    std::size_t waiting_ = 0;
};

} // namespace

std::unique_ptr<Requester> verbs_requester(const Target& target, std::size_t depth, bool blocking) {
    return std::make_unique<VerbsRequester>(target, depth, blocking);
}

} // namespace bench
