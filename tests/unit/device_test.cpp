// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// The library on a real device: needs the module and an RDMA device whose GIDs 0 and 1 reach
/// itself, as in the guest of tools/vm/run.
#include "eventually.hpp"
#include "verbs_rc.hpp"

#include <ucmad/qp.hpp>
#include <ucmad/ucmad.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <future>
#include <list>
#include <mutex>
#include <string>
#include <vector>

namespace ucmad {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::RcQp;

/// Private data comes at full length, filled up with zeros.
std::string text_of(Bytes bytes) { return reinterpret_cast<const char*>(bytes.data()); }

class DeviceTest : public testing::TestWithParam<std::uint16_t> {
protected:
    Context context;
    DeviceInfo info = context.devices().at(0);
    test::VerbsContext verbs = test::open_verbs(info.name);
    Path path = own_path();

    /// From the GID under test to itself.
    Path own_path() {
        ibv_gid gid{};
        EXPECT_EQ(ibv_query_gid(verbs.get(), 1, GetParam(), &gid), 0);
        Gid dgid;
        std::ranges::copy(gid.raw, dgid.bytes.begin());
        return roce_path(verbs.get(), 1, GetParam(), dgid);
    }

    ReqParams req_to(std::uint64_t service_id) {
        ReqParams params;
        params.service_id = service_id;
        params.primary = path;
        params.private_data = bytes_of("hello");
        params.starting_psn = 0x123456; // no packet gets through unless both QPs know of it
        return params;
    }

    std::error_code connect_fails(const ReqParams& params) {
        RcQp qp{verbs.get()};
        try {
            (void)Connection::connect(context, info.index, qp.get(), params);
        } catch (const std::system_error& error) {
            return error.code();
        }
        return {};
    }
};

INSTANTIATE_TEST_SUITE_P(Gid, DeviceTest, testing::Values(0, 1));

TEST_P(DeviceTest, ConnectPingDisconnect) {
    const Listener listener{context, info.index, {}};
    auto server = std::async(std::launch::async, [&] {
        RcQp qp{verbs.get()};
        auto request = listener.accept(30s).value();
        EXPECT_EQ(text_of(request.event.private_data), "hello");
        EXPECT_EQ(request.req()->primary.dgid, path.dgid);
        auto connection =
            Connection::accept(std::move(request), qp.get(),
                               {.starting_psn = 0x654321, .private_data = bytes_of("welcome")},
                               [&](ibv_qp*) { qp.post_receive(); });
        EXPECT_EQ(qp.complete(1), "ping");
        qp.send("pong");
        EXPECT_EQ(qp.complete(1), "");
        const auto event = connection.wait_closed(30s);
        EXPECT_TRUE(event && event->get_if<DreqReceived>());
    });
    RcQp qp{verbs.get()};
    auto connection =
        Connection::connect(context, info.index, qp.get(), req_to(listener.service_id()),
                            [&](ibv_qp*) { qp.post_receive(); });
    EXPECT_EQ(text_of(connection.peer_event().private_data), "welcome");
    EXPECT_EQ(connection.id().query().state, CmState::established);
    qp.send("ping");
    EXPECT_EQ(qp.complete(2), "pong");
    const auto event = connection.disconnect(30s);
    ASSERT_TRUE(event);
    EXPECT_NE(event->get_if<DrepReceived>(), nullptr) << event->name();
    server.get();
}

TEST_P(DeviceTest, NobodyListens) {
    EXPECT_EQ(connect_fails(req_to(0x4711)), RejectReason::invalid_service_id);
}

TEST_P(DeviceTest, RejectedWithAReason) {
    const Listener listener{context, info.index, {}};
    auto server = std::async(std::launch::async, [&] {
        const Request request = listener.accept(30s).value();
        request.id.rej({.reason = RejectReason::no_resources_available,
                        .private_data = bytes_of("full"),
                        .ari = bytes_of("later")});
    });
    CmId id = CmId::create(context, info.index);
    ReqParams params = req_to(listener.service_id());
    const RcQp qp{verbs.get()};
    params.qp_num = qp.get()->qp_num;
    id.req(params);
    const auto event = id.next(30s);
    server.get();
    ASSERT_TRUE(event);
    const auto* rej = event->get_if<RejReceived>();
    ASSERT_NE(rej, nullptr) << event->name();
    EXPECT_EQ(rej->reason, RejectReason::no_resources_available);
    EXPECT_TRUE(std::ranges::equal(rej->ari.bytes(), bytes_of("later")));
    EXPECT_EQ(text_of(event->private_data), "full");
}

TEST_P(DeviceTest, RequestThatIsDroppedIsRejected) { // CM-TEARDOWN
    const Listener listener{context, info.index, {}};
    auto server = std::async(std::launch::async, [&] { (void)listener.accept(30s).value(); });
    EXPECT_EQ(connect_fails(req_to(listener.service_id())), std::errc::connection_refused);
    server.get();
}

TEST_P(DeviceTest, Sidr) {
    const Listener listener{context, info.index, {}};
    auto server = std::async(std::launch::async, [&] {
        const Request request = listener.accept(30s).value();
        EXPECT_EQ(request.req(), nullptr);
        ASSERT_NE(request.sidr_req(), nullptr);
        request.id.sidr_rep({.qp_num = 0x1234, .qkey = 0x80010000, .private_data = bytes_of("me")});
    });
    const CmId id = CmId::create(context, info.index);
    SidrReqParams params;
    params.service_id = listener.service_id();
    params.path = path;
    params.private_data = bytes_of("who");
    id.sidr_req(params);
    const auto event = id.next(30s);
    server.get();
    ASSERT_TRUE(event);
    const auto* rep = event->get_if<SidrRepReceived>();
    ASSERT_NE(rep, nullptr) << event->name();
    EXPECT_EQ(rep->status, SidrStatus::success);
    EXPECT_EQ(rep->qp_num, 0x1234U);
    EXPECT_EQ(rep->qkey, 0x80010000U);
    EXPECT_EQ(text_of(event->private_data), "me");
}

TEST_P(DeviceTest, ThreadsInAcceptAreWokenByClose) { // DEL-SILENT
    Listener listener{context, info.index, {}};
    std::atomic<bool> about_to_wait = false;
    auto server = std::async(std::launch::async, [&] {
        about_to_wait = true;
        std::error_code ec;
        EXPECT_FALSE(listener.accept(30s, ec));
        return ec.value();
    });
    ASSERT_TRUE(eventually([&] { return about_to_wait.load(); }));
    const Handle handle = listener.id().handle();
    listener.close();
    const int error = server.get();
    // ENOENT or EBADF: close() was the faster one.
    EXPECT_TRUE(error == ESHUTDOWN || error == ENOENT || error == EBADF) << error;
    std::error_code ec;
    EXPECT_FALSE(context.next(handle, no_wait, {}, ec));
    EXPECT_EQ(ec, std::errc::no_such_file_or_directory);
}

/// A server that is driven by events: every connection answers one ping and goes with its handler.
class EventServer {
public:
    EventServer(const Context& context, std::uint32_t device, ibv_context* verbs)
        : verbs_(verbs), id_(CmId::create(context, device)), dispatcher_(context) {
        service_id_ = id_.listen({});
        registration_ =
            dispatcher_.add_listener(id_, [this](Request& request) { accept(request); });
        dispatcher_.start(4);
    }

    [[nodiscard]] std::uint64_t service_id() const { return service_id_; }
    [[nodiscard]] int closed() const { return closed_; }
    [[nodiscard]] bool wrong() const { return wrong_; }

    [[nodiscard]] std::size_t peers() {
        const std::lock_guard lock{mutex_};
        return peers_.size();
    }

private:
    struct Peer {
        explicit Peer(ibv_context* verbs) : qp(verbs) {}

        RcQp qp;
        CmId id;
        Registration registration;
        std::list<Peer>::iterator self;
    };

    void accept(Request& request) {
        Peer* peer = nullptr;
        {
            const std::lock_guard lock{mutex_};
            peer = &peers_.emplace_back(verbs_);
            peer->self = std::prev(peers_.end());
        }
        peer->id = std::move(request.id);
        request.context = reinterpret_cast<std::uintptr_t>(peer);
        peer->registration = dispatcher_.add(
            peer->id, [this, peer](const EventView& event) { handle(*peer, event); });
        const RepParams rep{.qp_num = peer->qp.get()->qp_num, .starting_psn = 0x654321};
        modify_qp(peer->qp.get(), peer->id, IBV_QPS_INIT);
        peer->qp.post_receive();
        modify_qp(peer->qp.get(), peer->id, IBV_QPS_RTR, rep);
        modify_qp(peer->qp.get(), peer->id, IBV_QPS_RTS, rep);
        peer->id.rep(rep);
    }

    void handle(Peer& peer, const EventView& event) {
        if (event.context != reinterpret_cast<std::uintptr_t>(&peer)) // EV-CONTEXT
            wrong_ = true;
        if (event.get_if<RtuReceived>() != nullptr) {
            wrong_ = wrong_ || peer.qp.complete(1) != "ping";
            // Whether it arrived is the client's to check. Its completion is not waited for: with
            // rxe of 6.1, of a thousand sends that have arrived one may never be completed.
            peer.qp.send("pong");
        } else if (event.get_if<DreqReceived>() != nullptr) {
            peer.id.drep();
            ++closed_;
            const std::lock_guard lock{mutex_};
            peers_.erase(peer.self); // with the CM ID and the registration that this runs for
        }
    }

    ibv_context* verbs_;
    CmId id_;
    std::uint64_t service_id_ = 0;
    std::atomic<int> closed_ = 0;
    std::atomic<bool> wrong_ = false;
    std::mutex mutex_;
    std::list<Peer> peers_;
    Dispatcher dispatcher_;
    Registration registration_;
};

TEST_P(DeviceTest, ServerOfHandlers) {
    const Context server_context;
    EventServer server{server_context, info.index, verbs.get()};
    constexpr int threads = 3;
    constexpr int rounds = 5;
    std::vector<std::future<void>> clients;
    for (int i = 0; i < threads; ++i)
        clients.push_back(std::async(std::launch::async, [&] {
            for (int round = 0; round < rounds; ++round) {
                RcQp qp{verbs.get()};
                auto connection =
                    Connection::connect(context, info.index, qp.get(), req_to(server.service_id()),
                                        [&](ibv_qp*) { qp.post_receive(); });
                qp.send("ping");
                EXPECT_EQ(qp.complete(2), "pong");
                EXPECT_TRUE(connection.disconnect(30s));
            }
        }));
    for (auto& client : clients)
        client.get();
    EXPECT_TRUE(eventually([&] { return server.closed() == threads * rounds; }));
    EXPECT_TRUE(eventually([&] { return server.peers() == 0; }));
    EXPECT_FALSE(server.wrong());
}

TEST(Unreachable, IsToldByAnEvent) { // CM-TRUTH
    const Context context;
    const DeviceInfo info = context.devices().at(0);
    const auto verbs = test::open_verbs(info.name);
    const RcQp qp{verbs.get()};
    ReqParams params;
    params.service_id = 1;
    params.resolve_timeout = 300ms;
    params.primary = roce_path(verbs.get(), 1, 1, Gid::parse("10.0.0.99"));
    params.max_cm_retries = 1;
    params.remote_cm_response_timeout = 14;
    try {
        (void)Connection::connect(context, info.index, qp.get(), params);
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_TRUE(error.code() == std::errc::host_unreachable ||
                    error.code() == std::errc::timed_out)
            << error.what();
    }
}

} // namespace
} // namespace ucmad
