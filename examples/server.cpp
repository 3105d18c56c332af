// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A server of many connections: handlers on several threads, one session object per connection.
// usage: server DEVICE SERVICE_ID THREADS
#include <infiniband/verbs.h>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <syncstream>
#include <ucmad/qp.hpp>
#include <ucmad/ucmad.hpp>

namespace {

template <typename T>
T* must(T* made, const char* what) {
    return made != nullptr ? made : throw std::system_error(errno, std::system_category(), what);
}

ibv_context* open_verbs(const std::string& name) {
    ibv_device** list = must(ibv_get_device_list(nullptr), "list of devices");
    ibv_device** device = list;
    while (*device != nullptr && ibv_get_device_name(*device) != name)
        ++device;
    ibv_context* verbs = must(ibv_open_device(must(*device, "device")), "device");
    ibv_free_device_list(list);
    return verbs;
}

struct DestroyQp {
    void operator()(ibv_qp* qp) const noexcept { ibv_destroy_qp(qp); }
};

// One connection. It goes with its CM ID, which tells the peer, and its handler.
struct Session {
    std::unique_ptr<ibv_qp, DestroyQp> qp;
    ucmad::CmId id;
    ucmad::Registration registration;
};

class Server {
public:
    Server(const std::string& device, std::uint64_t service_id)
        : verbs_(open_verbs(device)), pd_(must(ibv_alloc_pd(verbs_), "PD")),
          cq_(must(ibv_create_cq(verbs_, 1024, nullptr, nullptr, 0), "CQ")),
          listener_(context_, context_.device(device).index, {.service_id = service_id}),
          requests_(dispatcher_.add_listener(listener_.id(), [this](auto& r) { accept(r); })) {}

    void run(unsigned threads) {
        dispatcher_.start(threads);
        dispatcher_.join();
    }

private:
    // [accept]
    // Runs for several requests at a time. The REQ is acknowledged when it returns, and only then
    // can the new ID's next event be taken: by that time it has its handler.
    void accept(ucmad::Request& request) {
        if (request.req() == nullptr)
            return; // a SIDR REQ: who leaves the ID where it is refuses
        auto session = std::make_unique<Session>();
        session->id = std::move(request.id);
        try {
            session->qp = new_qp();
            for (const ibv_qp_state state : {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS})
                ucmad::modify_qp(session->qp.get(), session->id, state);
            session->id.rep({.qp_num = session->qp->qp_num});
        } catch (const std::system_error& error) {
            std::osyncstream(std::cerr) << "accept: " << error.what() << '\n';
            return; // with the session goes the ID: the peer is rejected
        }
        session->registration =
            dispatcher_.add(session->id, [this](const ucmad::EventView& event) { follow(event); });
        const std::scoped_lock lock{mutex_};
        const ucmad::Handle handle = session->id.handle();
        sessions_.emplace(handle, std::move(session));
    }
    // [accept end]

    // [follow]
    // Never runs twice at a time for one connection (EV-SERIAL).
    void follow(const ucmad::EventView& event) {
        std::osyncstream(std::cout) << "object " << static_cast<std::uint32_t>(event.object) << ": "
                                    << event.name() << std::endl;
        if (event.get_if<ucmad::RtuReceived>() != nullptr ||
            event.get_if<ucmad::MraReceived>() != nullptr)
            return; // everything else ends a connection that was accepted
        std::unique_ptr<Session> session = remove(event.object);
        std::error_code ignored; // the peer may be gone by now
        if (event.get_if<ucmad::DreqReceived>() != nullptr)
            session->id.drep({}, ignored);
        // The session is destroyed in the handler of its own event, and with it the handler.
    }
    // [follow end]

    std::unique_ptr<Session> remove(ucmad::Handle handle) {
        const std::scoped_lock lock{mutex_};
        return std::move(sessions_.extract(handle).mapped());
    }

    std::unique_ptr<ibv_qp, DestroyQp> new_qp() {
        ibv_qp_init_attr init{};
        init.qp_type = IBV_QPT_RC;
        init.cap = {1, 1, 1, 1, 0};
        init.send_cq = init.recv_cq = cq_;
        return std::unique_ptr<ibv_qp, DestroyQp>{must(ibv_create_qp(pd_, &init), "QP")};
    }

    ibv_context* verbs_;
    ibv_pd* pd_;
    ibv_cq* cq_;
    ucmad::Context context_;
    std::mutex mutex_;
    std::map<ucmad::Handle, std::unique_ptr<Session>> sessions_;
    ucmad::Dispatcher dispatcher_{context_};
    ucmad::Listener listener_;
    ucmad::Registration requests_;
};

} // namespace

int main(int argc, char** argv) try {
    if (argc != 4)
        throw std::invalid_argument("usage: server DEVICE SERVICE_ID THREADS");
    Server server{argv[1], std::stoull(argv[2], nullptr, 0)};
    server.run(static_cast<unsigned>(std::stoul(argv[3])));
} catch (const std::exception& error) {
    std::cerr << "server: " << error.what() << '\n';
    return 1;
}
