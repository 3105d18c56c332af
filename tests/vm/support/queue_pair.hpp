// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A real RC QP with one buffer for each direction, by libibverbs.
#pragma once

#include "id.hpp"

#include <infiniband/verbs.h>
#include <memory>
#include <string>

namespace vm {

class QueuePair {
public:
    static constexpr std::size_t message_size = 3000; // several packets

    explicit QueuePair(const std::string& device_name);

    std::uint32_t number() const { return qp_->qp_num; }
    // Asks the module for the attributes of INIT, RTR and RTS, and applies them.
    void bring_up(const Id& id);

    void post_receive();
    // Sends and waits until the peer's QP has acknowledged it.
    void send(const Bytes& message);
    Bytes receive();

private:
    template <auto destroy>
    struct Destroy {
        template <class T>
        void operator()(T* object) const {
            destroy(object);
        }
    };
    template <class T, auto destroy>
    using Owned = std::unique_ptr<T, Destroy<destroy>>;

    Owned<ibv_context, ibv_close_device> context_;
    Owned<ibv_pd, ibv_dealloc_pd> pd_;
    Owned<ibv_cq, ibv_destroy_cq> send_cq_;
    Owned<ibv_cq, ibv_destroy_cq> receive_cq_;
    Bytes send_buffer_ = Bytes(message_size);
    Bytes receive_buffer_ = Bytes(message_size);
    Owned<ibv_mr, ibv_dereg_mr> send_mr_;
    Owned<ibv_mr, ibv_dereg_mr> receive_mr_;
    Owned<ibv_qp, ibv_destroy_qp> qp_;
};

} // namespace vm
