// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "queue_pair.hpp"

#include <algorithm>

namespace vm {

namespace {

ibv_context* open_device(const std::string& name) {
    int count = 0;
    ibv_device** list = ibv_get_device_list(&count);
    must(list != nullptr, "no list of devices");
    ibv_context* context = nullptr;
    for (int i = 0; i < count; ++i) {
        if (name == ibv_get_device_name(list[i])) {
            context = ibv_open_device(list[i]);
        }
    }
    ibv_free_device_list(list);
    must(context != nullptr, "libibverbs cannot open " + name);
    return context;
}

ibv_ah_attr to_verbs(const ucmad_ah_attr& from) {
    ibv_ah_attr to{};
    std::copy_n(from.dgid, 16, to.grh.dgid.raw);
    to.grh.flow_label = from.flow_label;
    to.grh.sgid_index = from.sgid_index;
    to.grh.hop_limit = from.hop_limit;
    to.grh.traffic_class = from.traffic_class;
    to.dlid = from.dlid;
    to.sl = from.sl;
    to.src_path_bits = from.src_path_bits;
    to.static_rate = from.static_rate;
    to.is_global = from.is_global;
    to.port_num = from.port_num;
    return to;
}

ibv_qp_attr to_verbs(const ucmad_cm_qp_attr& from) {
    ibv_qp_attr to{};
    to.qp_state = static_cast<ibv_qp_state>(from.qp_state);
    to.qp_access_flags = from.qp_access_flags;
    to.dest_qp_num = from.dest_qp_num;
    to.rq_psn = from.rq_psn;
    to.sq_psn = from.sq_psn;
    to.path_mtu = static_cast<ibv_mtu>(from.path_mtu);
    to.pkey_index = from.pkey_index;
    to.port_num = from.port_num;
    to.timeout = from.timeout;
    to.retry_cnt = from.retry_cnt;
    to.rnr_retry = from.rnr_retry;
    to.max_rd_atomic = from.max_rd_atomic;
    to.max_dest_rd_atomic = from.max_dest_rd_atomic;
    to.min_rnr_timer = from.min_rnr_timer;
    to.ah_attr = to_verbs(from.ah);
    return to;
}

// One success from the queue, within the usual limit.
void complete_one(ibv_cq* cq, const char* what) {
    ibv_wc completion{};
    wait_until([&] { return ibv_poll_cq(cq, 1, &completion) == 1; }, what);
    must(completion.status == IBV_WC_SUCCESS, ibv_wc_status_str(completion.status));
}

ibv_sge entry(Bytes& buffer, const ibv_mr& mr) {
    return {address(buffer.data()), static_cast<std::uint32_t>(buffer.size()), mr.lkey};
}

} // namespace

QueuePair::QueuePair(const std::string& device_name)
    : context_(open_device(device_name)), pd_(ibv_alloc_pd(context_.get())),
      send_cq_(ibv_create_cq(context_.get(), 1, nullptr, nullptr, 0)),
      receive_cq_(ibv_create_cq(context_.get(), 1, nullptr, nullptr, 0)),
      send_mr_(ibv_reg_mr(pd_.get(), send_buffer_.data(), message_size, 0)),
      receive_mr_(ibv_reg_mr(pd_.get(), receive_buffer_.data(), message_size,
                             int{IBV_ACCESS_LOCAL_WRITE})) {
    ibv_qp_init_attr init{};
    init.qp_type = IBV_QPT_RC;
    init.send_cq = send_cq_.get();
    init.recv_cq = receive_cq_.get();
    init.cap = {.max_send_wr = 1,
                .max_recv_wr = 1,
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = 0};
    qp_.reset(ibv_create_qp(pd_.get(), &init));
    must(qp_ != nullptr, "no QP");
}

void QueuePair::bring_up(const Id& id) {
    for (const ibv_qp_state state : {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS}) {
        const ucmad_cm_qp_attr given = id.attributes(state);
        ibv_qp_attr attr = to_verbs(given);
        must(Error{ibv_modify_qp(qp_.get(), &attr, static_cast<int>(given.attr_mask))});
    }
}

void QueuePair::post_receive() {
    ibv_sge sge = entry(receive_buffer_, *receive_mr_);
    ibv_recv_wr work{};
    work.sg_list = &sge;
    work.num_sge = 1;
    ibv_recv_wr* bad = nullptr;
    must(Error{ibv_post_recv(qp_.get(), &work, &bad)});
}

void QueuePair::send(const Bytes& message) {
    must(message.size() == message_size, "the memory region is for messages of one size");
    std::ranges::copy(message, send_buffer_.begin());
    ibv_sge sge = entry(send_buffer_, *send_mr_);
    ibv_send_wr work{};
    work.sg_list = &sge;
    work.num_sge = 1;
    work.opcode = IBV_WR_SEND;
    work.send_flags = IBV_SEND_SIGNALED;
    ibv_send_wr* bad = nullptr;
    must(Error{ibv_post_send(qp_.get(), &work, &bad)});
    complete_one(send_cq_.get(), "completion of a send");
}

Bytes QueuePair::receive() {
    complete_one(receive_cq_.get(), "completion of a receive");
    return receive_buffer_;
}

} // namespace vm
