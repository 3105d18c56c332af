// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "eventually.hpp"
#include "fake_device.hpp"
#include "fake_verbs.hpp"

#include <ucmad/connection.hpp>
#include <ucmad/listener.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <future>
#include <string>
#include <vector>

namespace ucmad {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::FakeDevice;
using test::FakeVerbs;

const std::vector<ibv_qp_state> up{IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS};

class ConnectionTest : public testing::Test {
protected:
    FakeDevice device;
    FakeVerbs verbs;
    Context context{device.open()};

    /// Runs connect() on another thread, and posts events to its CM ID meanwhile.
    std::future<Connection> connect(const Connection::PostReceives& post_receives = {},
                                    Timeout timeout = 60s) {
        ReqParams params;
        params.private_data = bytes_of("hello");
        auto future = std::async(std::launch::async, [this, params, post_receives, timeout] {
            return Connection::connect(context, 3, &verbs.qp, params, post_receives, timeout);
        });
        EXPECT_TRUE(eventually([&] { return device.count(UCMAD_IOCTL_CM_REQ) == 1; }));
        return future;
    }

    /// The CM ID of the last REQ.
    Handle requested() { return Handle{device.last<ucmad_cm_req>(UCMAD_IOCTL_CM_REQ).object}; }

    void post_rep() {
        const ucmad_cm_rep_event body{};
        device.post(requested(), UCMAD_EVENT_CM_REP, std::as_bytes(std::span{&body, 1}),
                    bytes_of("welcome"));
    }

    template <typename Body>
    void post(Handle object, std::uint16_t type, const Body& body) {
        device.post(object, type, std::as_bytes(std::span{&body, 1}));
    }

    Connection connected() {
        auto future = connect();
        post_rep();
        return future.get();
    }

    static std::error_code error_of(std::future<Connection> future) {
        try {
            (void)future.get();
        } catch (const std::system_error& error) {
            return error.code();
        }
        return {};
    }
};

TEST_F(ConnectionTest, Connect) {
    std::vector<ibv_qp_state> when_receives_were_posted;
    auto future = connect([&](ibv_qp*) { when_receives_were_posted = verbs.states(); });
    const ucmad_cm_mra_event mra{};
    post(requested(), UCMAD_EVENT_CM_MRA, mra); // the peer asks for time: nothing to do but wait on
    post_rep();
    const Connection connection = future.get();
    EXPECT_EQ(connection.qp(), &verbs.qp);
    EXPECT_EQ(device.last<ucmad_cm_create>(UCMAD_IOCTL_CM_CREATE).device, 3U);
    EXPECT_EQ(device.last<ucmad_cm_req>(UCMAD_IOCTL_CM_REQ).qp_num, verbs.qp.qp_num);
    EXPECT_EQ(verbs.states(), up);
    EXPECT_EQ(when_receives_were_posted, std::vector{IBV_QPS_INIT});
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_RTU), 1U);
    EXPECT_NE(connection.peer_event().get_if<RepReceived>(), nullptr);
    EXPECT_TRUE(std::ranges::equal(connection.peer_event().private_data, bytes_of("welcome")));
}

TEST_F(ConnectionTest, ConnectCostsFourIoctls) {
    const std::size_t events = device.count(UCMAD_IOCTL_EVENTS);
    const Connection connection = connected();
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_CREATE), 1U);
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_REQ), 1U);
    EXPECT_EQ(device.count(UCMAD_IOCTL_EVENTS) - events, 1U);
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_RTU), 1U);
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_QUERY) + device.count(UCMAD_IOCTL_SET_CONTEXT), 0U);
}

TEST_F(ConnectionTest, ConnectIsRejected) {
    auto future = connect();
    const Handle handle = requested();
    ucmad_cm_rej_event rej{};
    rej.reason = 8;
    post(handle, UCMAD_EVENT_CM_REJ, rej);
    EXPECT_EQ(error_of(std::move(future)), RejectReason::invalid_service_id);
    EXPECT_FALSE(device.exists(handle));
    EXPECT_TRUE(verbs.modifications.empty());
}

TEST_F(ConnectionTest, RejectWithoutAReasonIsARejectAllTheSame) {
    auto future = connect();
    const ucmad_cm_rej_event rej{};
    post(requested(), UCMAD_EVENT_CM_REJ, rej);
    EXPECT_EQ(error_of(std::move(future)), std::errc::connection_refused);
}

TEST_F(ConnectionTest, ConnectFails) {
    auto future = connect();
    const ucmad_cm_error_event body{.error = EHOSTUNREACH, .wc_status = 0};
    post(requested(), UCMAD_EVENT_CM_REQ_ERROR, body);
    EXPECT_EQ(error_of(std::move(future)), std::errc::host_unreachable);
}

TEST_F(ConnectionTest, ConnectWhileTheDeviceGoesAway) { // DEL-HOTPLUG
    auto future = connect();
    device.post(requested(), UCMAD_EVENT_DEVICE_REMOVED);
    EXPECT_EQ(error_of(std::move(future)), std::errc::no_such_device);
}

TEST_F(ConnectionTest, ConnectTimesOut) {
    auto future = connect({}, 20ms); // the time-out is what is tested
    EXPECT_EQ(error_of(std::move(future)), std::errc::timed_out);
    EXPECT_EQ(device.objects(), 0U);
}

TEST_F(ConnectionTest, QpThatCannotBeBroughtUp) {
    verbs.modify_error = ENOMEM;
    auto future = connect();
    post_rep();
    EXPECT_EQ(error_of(std::move(future)), std::errc::not_enough_memory);
    EXPECT_EQ(device.objects(), 0U) << "destroyed, which rejects the peer";
}

class AcceptTest : public ConnectionTest {
protected:
    Listener listener{context, 3, {.service_id = 0x4711}, 5};

    Request request() {
        device.post_req(listener.id().handle());
        auto request = listener.accept();
        EXPECT_TRUE(request);
        return *std::move(request);
    }
};

TEST_F(AcceptTest, ListenerAccepts) { // EV-ACCEPT: the REQ can be taken by targeting the listener
    EXPECT_EQ(listener.service_id(), 0x4711U);
    EXPECT_FALSE(listener.accept(no_wait));
    const Request taken = request();
    EXPECT_NE(taken.req(), nullptr);
    EXPECT_EQ(taken.sidr_req(), nullptr);
    EXPECT_EQ(taken.event.context, 5U) << "its listener's";
    EXPECT_NE(taken.id.handle(), listener.id().handle());
    EXPECT_TRUE(device.held(taken.id.handle()));
}

TEST_F(AcceptTest, DroppedRequestIsDestroyed) {
    const Handle handle = request().id.handle();
    EXPECT_FALSE(device.exists(handle));
}

TEST_F(AcceptTest, ListenerWhoseDeviceGoesAway) {
    device.post(listener.id().handle(), UCMAD_EVENT_DEVICE_REMOVED);
    std::error_code ec;
    EXPECT_FALSE(listener.accept(forever, ec));
    EXPECT_EQ(ec, std::errc::no_such_device);
    EXPECT_TRUE(device.exists(listener.id().handle()));
}

TEST_F(AcceptTest, EventOfANewerModuleIsNotTakenForARequest) {
    device.post(listener.id().handle(), 0x4711);
    std::error_code ec;
    EXPECT_FALSE(listener.accept(forever, ec));
    EXPECT_EQ(ec, std::errc::bad_message);
    EXPECT_TRUE(device.exists(listener.id().handle()));
}

TEST_F(AcceptTest, CloseWakesThreadsInAccept) { // DEL-SILENT
    auto accepting = std::async(std::launch::async, [&] {
        std::error_code ec;
        EXPECT_FALSE(listener.accept(forever, ec));
        return ec.value();
    });
    ASSERT_TRUE(eventually([&] { return device.waiting() == 1; }));
    listener.close();
    EXPECT_EQ(accepting.get(), ESHUTDOWN);
    std::error_code ec;
    EXPECT_FALSE(listener.accept(forever, ec));
    EXPECT_EQ(ec.value(), EBADF);
}

TEST_F(AcceptTest, Accept) {
    Request taken = request();
    taken.context = 99;
    const Handle handle = taken.id.handle();
    device.post(handle, UCMAD_EVENT_CM_RTU);
    const Connection connection = Connection::accept(
        std::move(taken), &verbs.qp, {.starting_psn = 77, .private_data = bytes_of("yes")});
    EXPECT_EQ(connection.id().handle(), handle);
    EXPECT_EQ(verbs.states(), up);
    EXPECT_EQ(device.last<ucmad_cm_rep>(UCMAD_IOCTL_CM_REP).qp_num, verbs.qp.qp_num);
    EXPECT_EQ(verbs.modifications.at(1).attr.rq_psn, 77U);
    EXPECT_NE(connection.peer_event().get_if<ReqReceived>(), nullptr);
    EXPECT_EQ(connection.peer_event().private_data.size(), 92U);
    EXPECT_FALSE(device.held(handle));
    EXPECT_EQ(device.context(handle), 99U) << "set with the acknowledgement (EV-CONTEXT)";
}

TEST_F(AcceptTest, AcceptCostsThreeIoctls) {
    const std::size_t events = device.count(UCMAD_IOCTL_EVENTS);
    Request taken = request();
    device.post(taken.id.handle(), UCMAD_EVENT_CM_RTU);
    const Connection connection = Connection::accept(std::move(taken), &verbs.qp, {});
    EXPECT_EQ(device.count(UCMAD_IOCTL_EVENTS) - events, 2U);
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_REP), 1U);
    EXPECT_EQ(device.count(UCMAD_IOCTL_SET_CONTEXT) + device.count(UCMAD_IOCTL_CM_QUERY), 0U);
}

TEST_F(AcceptTest, AcceptOfWhatThePeerGaveUp) { // CM-STATE
    Request taken = request();
    device.fail_next(UCMAD_IOCTL_CM_REP, ECONNRESET);
    EXPECT_THROW((void)Connection::accept(std::move(taken), &verbs.qp, {}), std::system_error);
    EXPECT_EQ(device.objects(), 1U) << "the listener is left";
}

TEST_F(AcceptTest, EstablishedByTheFirstData) {
    Request taken = request();
    device.post(taken.id.handle(), UCMAD_EVENT_CM_USER_ESTABLISHED);
    EXPECT_NO_THROW((void)Connection::accept(std::move(taken), &verbs.qp, {}));
}

// ---- the end of a connection ------------------------------------------------------------------

TEST_F(ConnectionTest, Disconnect) {
    Connection connection = connected();
    verbs.modifications.clear();
    device.post(connection.id().handle(), UCMAD_EVENT_CM_DREP);
    const auto event = connection.disconnect();
    ASSERT_TRUE(event);
    EXPECT_NE(event->get_if<DrepReceived>(), nullptr);
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_DREQ), 1U);
    EXPECT_EQ(verbs.states().front(), IBV_QPS_ERR);
    EXPECT_FALSE(connection.disconnect()) << "its end was told before";
    EXPECT_FALSE(connection.wait_closed());
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_DREQ), 1U);
}

TEST_F(ConnectionTest, DisconnectWhenThePeerWasFirst) {
    Connection connection = connected();
    device.fail_next(UCMAD_IOCTL_CM_DREQ, EBADFD);
    device.post(connection.id().handle(), UCMAD_EVENT_CM_DREQ);
    const auto event = connection.disconnect();
    ASSERT_TRUE(event);
    EXPECT_NE(event->get_if<DreqReceived>(), nullptr);
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_DREP), 1U);
}

TEST_F(ConnectionTest, DisconnectPassesOnOtherErrors) {
    Connection connection = connected();
    device.fail_next(UCMAD_IOCTL_CM_DREQ, ENOMEM);
    EXPECT_THROW(connection.disconnect(), std::system_error);
}

TEST_F(ConnectionTest, PeerDisconnects) {
    Connection connection = connected();
    verbs.modifications.clear();
    EXPECT_FALSE(connection.wait_closed(no_wait));
    const ucmad_cm_lap_event lap{};
    post(connection.id().handle(), UCMAD_EVENT_CM_LAP, lap); // ends nothing
    device.post(connection.id().handle(), UCMAD_EVENT_CM_DREQ, {}, bytes_of("bye"));
    const auto event = connection.wait_closed();
    ASSERT_TRUE(event);
    EXPECT_TRUE(std::ranges::equal(event->private_data, bytes_of("bye")));
    EXPECT_EQ(device.count(UCMAD_IOCTL_CM_DREP), 1U);
    EXPECT_EQ(verbs.states(), std::vector{IBV_QPS_ERR});
}

TEST_F(ConnectionTest, EveryEndIsTold) { // CM-TRUTH
    const ucmad_cm_error_event failure{.error = ETIMEDOUT, .wc_status = 0};
    ucmad_cm_rej_event rej{};
    rej.reason = 28;
    const std::vector<std::function<void(Handle)>> ends{
        [&](Handle handle) { device.post(handle, UCMAD_EVENT_DEVICE_REMOVED); },
        [&](Handle handle) { post(handle, UCMAD_EVENT_CM_REJ, rej); },
        [&](Handle handle) { post(handle, UCMAD_EVENT_CM_DREQ_ERROR, failure); },
        [&](Handle handle) { device.post(handle, UCMAD_EVENT_CM_TIMEWAIT_EXIT); },
    };
    Connection connection = connected();
    for (const auto& end : ends) {
        Connection each = Connection{std::move(connection)};
        end(each.id().handle());
        EXPECT_TRUE(each.wait_closed());
        auto future = std::async(std::launch::async,
                                 [&] { return Connection::connect(context, 3, &verbs.qp, {}); });
        // The next one; its REQ is told from the one before by its CM ID.
        EXPECT_TRUE(
            eventually([&] { return device.waiting() == 1 && requested() != each.id().handle(); }));
        post_rep();
        connection = future.get();
    }
}

} // namespace
} // namespace ucmad
