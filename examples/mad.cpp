// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Both ends of a vendor ping: an agent that answers, and one that asks, as a coroutine and with a
// future. usage: mad GID_INDEX OWN_ADDRESS
#include <iostream>
#include <ucmad/ucmad.hpp>

ucmad::Detached ask_twice(ucmad::MadClient& client, const ucmad::MadAddress& to,
                          std::promise<void>& done) {
    const ucmad::Mad ping = ucmad::Ping::request();
    for (int i = 0; i < 2; ++i) {
        const ucmad::MadResult result = co_await client.request(ping, to);
        if (result.error())
            std::cout << "no answer: " << result.error().message() << '\n';
        else
            std::cout << ucmad::Ping::name(result.mad) << " has answered\n";
    }
    done.set_value();
}

int main(int argc, char** argv) try {
    if (argc != 3)
        throw std::invalid_argument("usage: mad GID_INDEX OWN_ADDRESS");
    const auto sgid_index = static_cast<std::uint16_t>(std::stoul(argv[1]));
    const auto to = ucmad::gsi_address(ucmad::Gid::parse(argv[2]), sgid_index);
    const ucmad::Context context;
    const std::uint32_t device = context.devices().at(0).index;
    ucmad::Dispatcher dispatcher{context};

    ucmad::MadAgentParams params{.device = device};
    ucmad::MadClient* self = nullptr;
    ucmad::MadClient server{dispatcher,
                            context,
                            params.responds_to_ping(),
                            {.received = [&](const ucmad::IncomingMad& incoming) {
                                self->answer(incoming, ucmad::Ping::answer(incoming.mad, "server"));
                            }}};
    self = &server;
    ucmad::MadClient client{dispatcher, context, {.device = device}};
    dispatcher.start();

    std::promise<void> done;
    ask_twice(client, to, done);
    done.get_future().wait();

    // An hour to answer, and nobody does: cancelled, it ends at once.
    ucmad::Mad silent = ucmad::Ping::request();
    ucmad::MadHeader header = ucmad::MadHeader::read(silent);
    header.method = ucmad::MadMethod::send;
    header.write(silent);
    std::future<ucmad::MadResult> result = client.submit(silent, to, {std::chrono::hours{1}, 0});
    client.cancel_all();
    std::cout << "the last one: " << ucmad::send_status_name(result.get().status) << '\n';
} catch (const std::exception& error) {
    std::cerr << "mad: " << error.what() << '\n';
    return 1;
}
