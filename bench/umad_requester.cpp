// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Requests through libibumad, as its tools send them: one system call each.
#include "requester.hpp"

#include <infiniband/umad.h>

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace bench {
namespace {

constexpr int timeout_ms = 1000;
constexpr int retries = 15;
constexpr int hour_ms = 3600 * 1000;

int checked(int result, const char* what) {
    if (result < 0)
        throw std::system_error(errno, std::system_category(), what);
    return result;
}

class UmadRequester : public Outstanding {
public:
    explicit UmadRequester(const Target& target)
        : port_(checked(umad_open_port(target.device.c_str(), 1), "umad_open_port")),
          agent_(checked(umad_register(port_, responder_class, 1, 0, nullptr), "umad_register")),
          outgoing_(umad_size() + ucmad::mad_size), incoming_(outgoing_.size()) {
        auto* umad = reinterpret_cast<ib_user_mad_t*>(outgoing_.data());
        umad_set_addr(umad, 0, 1, 0, static_cast<int>(ucmad::gsi_qkey));
        ib_mad_addr address{};
        std::ranges::copy(target.gid.bytes, address.gid);
        umad_set_grh(umad, &address);
        umad->addr.gid_index = static_cast<std::uint8_t>(target.gid_index); // it forgets that
        umad->addr.hop_limit = 64;
    }

    ~UmadRequester() override {
        umad_unregister(port_, agent_);
        umad_close_port(port_);
    }

    UmadRequester(const UmadRequester&) = delete;
    UmadRequester& operator=(const UmadRequester&) = delete;

    void send(std::size_t count) override {
        for (std::size_t i = 0; i < count; ++i)
            post(ucmad::MadMethod::get, timeout_ms, retries);
    }

    Ended wait() override {
        int length = ucmad::mad_size;
        const int agent = umad_recv(port_, incoming_.data(), &length, -1);
        if (agent != agent_)
            throw std::runtime_error("umad_recv: " + std::to_string(agent));
        return umad_status(incoming_.data()) == 0 ? Ended{1, 0} : Ended{0, 1};
    }

    void post_unanswered() override { post(unanswered_method, hour_ms, 0); }
    [[nodiscard]] bool can_cancel() const override { return false; }
    void cancel_last() override { throw std::logic_error("libibumad cannot cancel"); }

private:
    void post(ucmad::MadMethod method, int timeout, int tries) {
        const ucmad::Mad mad = request(method, ++transaction_);
        std::ranges::copy(mad, static_cast<std::byte*>(umad_get_mad(outgoing_.data())));
        checked(umad_send(port_, agent_, outgoing_.data(), ucmad::mad_size, timeout, tries),
                "umad_send");
    }

    int port_;
    int agent_;
    std::vector<std::byte> outgoing_;
    std::vector<std::byte> incoming_;
    std::uint32_t transaction_ = 0;
};

} // namespace

std::unique_ptr<Outstanding> umad_requester(const Target& target) {
    return std::make_unique<UmadRequester>(target);
}

} // namespace bench
