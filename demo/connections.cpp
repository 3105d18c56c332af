// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A server with two connections at a time, each served by a thread of its own, which waits for the
// events of its own connection only (EV-TARGET).
#include "latency.hpp"
#include "setting.hpp"

#include <array>
#include <barrier>
#include <future>
#include <unistd.h>

namespace demo {
namespace {

constexpr int rounds = 100;

/// What one side of a connection has to tell.
struct Account {
    pid_t thread = 0;
    ucmad::CmIdInfo info; ///< When the connection was established.
    std::optional<ucmad::Event> end;
    int messages = 0;
    ucmad::tool::Latency latency;
    Clock::duration connecting{};
    Clock::time_point first_ping;
    Clock::time_point last_ping;
};

Account serve_one(const ucmad::Listener& listener, const Setting& setting) {
    Account account;
    account.thread = gettid();
    Endpoint endpoint{setting};
    auto request = listener.accept(limit);
    if (!request)
        throw std::system_error(ETIMEDOUT, std::system_category(), "nobody connected");
    auto connection = ucmad::Connection::accept(*std::move(request), endpoint.qp(), {},
                                                endpoint.post_receives(), limit);
    account.info = connection.id().query();
    for (; account.messages < rounds; ++account.messages)
        endpoint.send(endpoint.receive());
    account.end = connection.wait_closed(limit);
    return account;
}

void ping(Endpoint& endpoint, Account& account) {
    account.first_ping = Clock::now();
    for (int round = 0; round < rounds; ++round) {
        const std::vector<std::byte> ping(Endpoint::message_size, static_cast<std::byte>(round));
        const auto sent_at = Clock::now();
        endpoint.send(ping);
        if (endpoint.receive() == ping)
            ++account.messages;
        account.latency.add(Clock::now() - sent_at);
    }
    account.last_ping = Clock::now();
}

/// Takes part in a barrier, also where its thread fails: the other one shall not wait for it.
class Participant {
public:
    explicit Participant(std::barrier<>& barrier) : barrier_(barrier) {}
    ~Participant() { barrier_.arrive_and_drop(); }
    Participant(const Participant&) = delete;
    Participant& operator=(const Participant&) = delete;

    void meet() { barrier_.arrive_and_wait(); }

private:
    std::barrier<>& barrier_;
};

Account be_client(const Setting& setting, std::uint64_t service_id, std::barrier<>& both) {
    Participant participant{both};
    Account account;
    account.thread = gettid();
    const ucmad::Context context;
    Endpoint endpoint{setting};
    const auto start = Clock::now();
    auto connection =
        ucmad::Connection::connect(context, setting.device.index, endpoint.qp(),
                                   endpoint.req_for(service_id), endpoint.post_receives(), limit);
    account.connecting = Clock::now() - start;
    account.info = connection.id().query();
    participant.meet(); // both are connected now
    ping(endpoint, account);
    participant.meet(); // both are still connected
    account.end = connection.disconnect(limit);
    return account;
}

/// The server that a client was connected to.
const Account& partner_of(const Account& client, const std::array<Account, 2>& servers) {
    return servers[servers[0].info.local_comm_id == client.info.remote_comm_id ? 0 : 1];
}

bool match(const Account& client, const Account& server) {
    return client.info.remote_comm_id == server.info.local_comm_id &&
           client.info.local_comm_id == server.info.remote_comm_id;
}

void tell_connected(Report& report, const std::array<Account, 2>& clients,
                    const std::array<Account, 2>& servers) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
        const Account& server = partner_of(clients[i], servers);
        report.expect(match(clients[i], server) && servers[0].thread != servers[1].thread,
                      fmt::format("connection {}", i + 1),
                      "ID {:#010x} to {:#010x} in {}, served by thread {}",
                      clients[i].info.local_comm_id, clients[i].info.remote_comm_id,
                      text_of(clients[i].connecting), server.thread);
    }
}

void tell_pings(Report& report, const std::array<Account, 2>& clients) {
    const auto overlap = std::min(clients[0].last_ping, clients[1].last_ping) -
                         std::max(clients[0].first_ping, clients[1].first_ping);
    const auto median = [&](std::size_t i) {
        return ucmad::tool::microseconds(clients[i].latency.quantile(0.5));
    };
    report.expect(clients[0].messages == rounds && clients[1].messages == rounds &&
                      overlap > Clock::duration::zero(),
                  "ping on both",
                  "{} and {} of {} answers, median {:.0f} and {:.0f} us, {} of it "
                  "side by side",
                  clients[0].messages, clients[1].messages, rounds, median(0), median(1),
                  text_of(overlap));
}

void tell_disconnected(Report& report, const std::array<Account, 2>& clients,
                       const std::array<Account, 2>& servers) {
    const auto is_clean = [](const Account& client, const Account& server) {
        return client.end && client.end->get_if<ucmad::DrepReceived>() != nullptr && server.end &&
               server.end->get_if<ucmad::DreqReceived>() != nullptr;
    };
    report.expect(is_clean(clients[0], servers[0]) && is_clean(clients[1], servers[1]),
                  "clean disconnect", "servers saw {} and {}, clients {} and {}",
                  text_of(servers[0].end), text_of(servers[1].end), text_of(clients[0].end),
                  text_of(clients[1].end));
}

} // namespace

void two_connections(Report& report, const Setting& setting) {
    const ucmad::Context server; // one file for both
    const ucmad::Listener listener = listen(server, setting);
    std::barrier both{2};
    const auto serve = [&] {
        return std::async(std::launch::async, [&] { return serve_one(listener, setting); });
    };
    const auto connect = [&] {
        return std::async(std::launch::async,
                          [&] { return be_client(setting, listener.service_id(), both); });
    };
    std::array servers{serve(), serve()};
    std::array clients{connect(), connect()};
    const std::array client_accounts{clients[0].get(), clients[1].get()};
    const std::array server_accounts{servers[0].get(), servers[1].get()};
    tell_connected(report, client_accounts, server_accounts);
    tell_pings(report, client_accounts);
    tell_disconnected(report, client_accounts, server_accounts);
}

} // namespace demo
