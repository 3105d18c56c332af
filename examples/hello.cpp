// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Both ends of an RC connection, on the first RDMA device. usage: hello GID_INDEX OWN_ADDRESS
#include <future>
#include <infiniband/verbs.h>
#include <iostream>
#include <ucmad/ucmad.hpp>

template <typename T>
T* must(T* made) {
    return made != nullptr ? made : throw std::system_error(errno, std::system_category(), "verbs");
}

ibv_qp* new_qp(ibv_context* verbs) { // it lives until the program ends
    ibv_qp_init_attr init{};
    init.qp_type = IBV_QPT_RC;
    init.cap = {1, 1, 1, 1, 0};
    init.send_cq = init.recv_cq = must(ibv_create_cq(verbs, 2, nullptr, nullptr, 0));
    return must(ibv_create_qp(must(ibv_alloc_pd(verbs)), &init));
}

int main(int argc, char** argv) try {
    if (argc != 3)
        throw std::invalid_argument("usage: hello GID_INDEX OWN_ADDRESS");
    ibv_context* verbs = must(ibv_open_device(must(*must(ibv_get_device_list(nullptr)))));
    const ucmad::Context context; // opens /dev/infiniband/ucmad
    const std::uint32_t device = context.device(ibv_get_device_name(verbs->device)).index;
    const ucmad::Listener listener{context, device, {}}; // the CM chooses the service ID

    auto server = std::async(std::launch::async, [&] {
        auto request = listener.accept(std::chrono::seconds{10}).value(); // REQs to this listener
        auto connection = ucmad::Connection::accept(std::move(request), new_qp(verbs),
                                                    {.private_data = ucmad::bytes_of("welcome")});
        return connection.wait_closed().value().name(); // what ended it
    });

    const auto sgid_index = static_cast<std::uint16_t>(std::stoul(argv[1]));
    const auto path = ucmad::roce_path(verbs, 1, sgid_index, ucmad::Gid::parse(argv[2]));
    auto client = ucmad::Connection::connect( // waits for the REP; the QP is in RTS then
        context, device, new_qp(verbs), {.service_id = listener.service_id(), .primary = path});
    const auto& data = client.peer_event().private_data; // always 196 bytes, padded with zeros
    std::cout << "server says: " << reinterpret_cast<const char*>(data.data()) << '\n';
    client.disconnect();
    std::cout << "server saw: " << server.get() << '\n';
} catch (const std::exception& error) {
    std::cerr << "hello: " << error.what() << '\n';
    return 1;
}
