// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// A QP of libibverbs with all that it needs, for tests on a device.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace ucmad::test {

/// Owns what a function of libibverbs has made; `make` throws the errno if that is null.
template <auto Destroy>
struct Destroyer {
    template <typename Object>
    void operator()(Object* object) const {
        (void)Destroy(object);
    }
};

template <typename Object, auto Destroy>
using Owned = std::unique_ptr<Object, Destroyer<Destroy>>;

template <typename Object>
Object* made(Object* object, const char* what) {
    if (object == nullptr)
        throw std::system_error(errno, std::system_category(), what);
    return object;
}

using VerbsContext = Owned<ibv_context, ibv_close_device>;

inline VerbsContext open_verbs(std::string_view name) {
    int count = 0;
    Owned<ibv_device*, ibv_free_device_list> list{
        made(ibv_get_device_list(&count), "ibv_get_device_list")};
    for (int i = 0; i < count; ++i)
        if (ibv_get_device_name(list.get()[i]) == name)
            return VerbsContext{made(ibv_open_device(list.get()[i]), "ibv_open_device")};
    throw std::system_error(ENODEV, std::system_category(), std::string{name});
}

/// An RC QP with a buffer for one message in each direction.
class RcQp {
public:
    static constexpr std::size_t message_size = 64;

    explicit RcQp(ibv_context* verbs)
        : pd_(made(ibv_alloc_pd(verbs), "ibv_alloc_pd")),
          cq_(made(ibv_create_cq(verbs, 4, nullptr, nullptr, 0), "ibv_create_cq")),
          memory_(made(ibv_reg_mr(pd_.get(), buffer_.data(), buffer_.size(), local_write),
                       "ibv_reg_mr")) {
        ibv_qp_init_attr init{};
        init.send_cq = cq_.get();
        init.recv_cq = cq_.get();
        init.qp_type = IBV_QPT_RC;
        init.cap = {.max_send_wr = 2,
                    .max_recv_wr = 2,
                    .max_send_sge = 1,
                    .max_recv_sge = 1,
                    .max_inline_data = 0};
        qp_.reset(made(ibv_create_qp(pd_.get(), &init), "ibv_create_qp"));
    }

    [[nodiscard]] ibv_qp* get() const { return qp_.get(); }

    void post_receive() {
        ibv_sge sge = piece(message_size);
        ibv_recv_wr request{};
        request.sg_list = &sge;
        request.num_sge = 1;
        ibv_recv_wr* bad = nullptr;
        check(ibv_post_recv(qp_.get(), &request, &bad), "ibv_post_recv");
    }

    void send(std::string_view text) {
        text.copy(buffer_.data(), message_size);
        ibv_sge sge = piece(0);
        sge.length = static_cast<std::uint32_t>(text.size());
        ibv_send_wr request{};
        request.sg_list = &sge;
        request.num_sge = 1;
        request.opcode = IBV_WR_SEND;
        request.send_flags = IBV_SEND_SIGNALED;
        ibv_send_wr* bad = nullptr;
        check(ibv_post_send(qp_.get(), &request, &bad), "ibv_post_send");
    }

    /// Waits for both the completion of the send and a message, if there is to be one; returns it.
    std::string complete(int completions) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
        std::string received;
        while (completions > 0) {
            ibv_wc wc{};
            const int count = ibv_poll_cq(cq_.get(), 1, &wc);
            if (count < 0 || std::chrono::steady_clock::now() > deadline)
                throw std::system_error(ETIMEDOUT, std::system_category(), "ibv_poll_cq");
            if (count == 0)
                continue;
            if (wc.status != IBV_WC_SUCCESS)
                throw std::runtime_error(ibv_wc_status_str(wc.status));
            if (wc.opcode == IBV_WC_RECV)
                received.assign(&buffer_[message_size], wc.byte_len);
            --completions;
        }
        return received;
    }

private:
    // As int: the macro ibv_reg_mr() mixes it with another enumeration.
    static constexpr int local_write = IBV_ACCESS_LOCAL_WRITE;

    ibv_sge piece(std::size_t offset) {
        return {.addr = reinterpret_cast<std::uintptr_t>(buffer_.data()) + offset,
                .length = message_size,
                .lkey = memory_->lkey};
    }

    static void check(int error, const char* what) {
        if (error != 0)
            throw std::system_error(error, std::system_category(), what);
    }

    std::array<char, 2 * message_size> buffer_{};
    Owned<ibv_pd, ibv_dealloc_pd> pd_;
    Owned<ibv_cq, ibv_destroy_cq> cq_;
    Owned<ibv_mr, ibv_dereg_mr> memory_;
    Owned<ibv_qp, ibv_destroy_qp> qp_;
};

} // namespace ucmad::test
