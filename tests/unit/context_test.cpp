// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "eventually.hpp"
#include "fake_device.hpp"

#include <ucmad/cm_id.hpp>
#include <ucmad/context.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <fcntl.h>
#include <future>
#include <poll.h>
#include <string>

namespace ucmad {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::FakeDevice;

std::string message_of(const std::function<void()>& function, int expected_errno) {
    try {
        function();
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code().value(), expected_errno) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Open, SaysWhatToDoWithoutTheModule) {
    const std::string message =
        message_of([] { Context context{std::string{"/nonexistent/ucmad"}}; }, ENOENT);
    EXPECT_TRUE(contains(message, "/nonexistent/ucmad")) << message;
    EXPECT_TRUE(contains(message, "modprobe ucmad")) << message;
}

TEST(Open, RefusesAnotherAbi) {
    FakeDevice device;
    device.info.abi_version = UCMAD_ABI_VERSION + 1;
    const int fd = device.open();
    const std::string message = message_of([&] { Context context{fd}; }, EPROTO);
    EXPECT_TRUE(contains(message, std::to_string(UCMAD_ABI_VERSION + 1))) << message;
    EXPECT_LT(fcntl(fd, F_GETFD), 0) << "it was the Context's, and is closed";
}

TEST(Open, WhatIsNotTheDevice) {
    FakeDevice device;
    device.fail_next(UCMAD_IOCTL_QUERY, ENOTTY);
    (void)message_of([&] { Context context{device.open()}; }, ENOTTY);
}

class ContextTest : public testing::Test {
protected:
    FakeDevice device;
    Context context{device.open()};
    EventBatch batch;
};

TEST_F(ContextTest, ClosesItsDescriptorWithItsLastObject) {
    int fd = -1;
    {
        CmId id;
        {
            Context other{device.open()};
            fd = other.fd();
            id = CmId::create(other, 0);
        }
        EXPECT_GE(fcntl(fd, F_GETFD), 0) << "the CM ID still needs it";
    }
    EXPECT_LT(fcntl(fd, F_GETFD), 0);
    EXPECT_EQ(device.objects(), 0U);
}

TEST_F(ContextTest, Query) {
    const ModuleInfo info = context.query();
    EXPECT_EQ(info.abi_version, 1U);
    EXPECT_EQ(info.features, UCMAD_FEATURE_CM);
    EXPECT_EQ(info.max_objects, 65536U);
    EXPECT_EQ(info.max_backlog, 4096U);
    EXPECT_EQ(info.max_event_size, 1024U);
}

ucmad_device_info device_info(std::uint32_t index, const std::string& name) {
    ucmad_device_info info{};
    info.index = index;
    info.port_count = 2;
    info.node_guid = 0x1234;
    info.roce_ports = 1U << 1;
    std::ranges::copy(name, info.name);
    return info;
}

TEST_F(ContextTest, Devices) {
    EXPECT_TRUE(context.devices().empty());
    for (std::uint32_t i = 0; i < 20; ++i) // more than the first call has room for
        device.devices.push_back(device_info(i, "rxe" + std::to_string(i)));
    const auto devices = context.devices();
    ASSERT_EQ(devices.size(), 20U);
    EXPECT_EQ(devices[19].index, 19U);
    EXPECT_EQ(devices[19].name, "rxe19");
    EXPECT_EQ(devices[19].port_count, 2U);
    EXPECT_EQ(devices[19].node_guid, 0x1234U);
    EXPECT_TRUE(devices[19].is_roce(1));
    EXPECT_FALSE(devices[19].is_roce(2));
    EXPECT_FALSE(devices[19].is_roce(200));
}

TEST_F(ContextTest, DeviceByName) {
    device.devices = {device_info(4, "rxe0"), device_info(5, "mlx5_0")};
    EXPECT_EQ(context.device("mlx5_0").index, 5U);
    const std::string message = message_of([&] { (void)context.device("mlx5"); }, ENODEV);
    EXPECT_TRUE(contains(message, "'mlx5'") && contains(message, "rxe0, mlx5_0")) << message;
}

TEST_F(ContextTest, NameThatFillsItsArray) {
    device.devices = {device_info(1, std::string(UCMAD_DEVICE_NAME_MAX, 'n'))};
    EXPECT_EQ(context.devices().at(0).name.size(), std::size_t{UCMAD_DEVICE_NAME_MAX});
}

TEST_F(ContextTest, NothingInTimeIsNoError) {
    EXPECT_EQ(context.take(batch, {.timeout = no_wait}), 0U);
    EXPECT_EQ(context.take(batch, {.timeout = 1ms}), 0U); // the time-out is what is tested
    const Handle object = device.add_object();
    EXPECT_FALSE(context.next(object, no_wait));
    EXPECT_FALSE(context.next(object, 1ms));
}

TEST_F(ContextTest, TakesAndAcknowledgesInOneCall) { // EV-BATCH
    const Handle a = device.add_object(11);
    const Handle b = device.add_object(22);
    device.post(a, UCMAD_EVENT_CM_RTU, {}, bytes_of("data"));
    device.post(b, UCMAD_EVENT_CM_DREQ);
    ASSERT_EQ(context.take(batch), 2U);
    EXPECT_EQ(batch[0].context, 11U);
    EXPECT_EQ(batch[1].context, 22U);
    EXPECT_TRUE(device.held(a));
    batch.ack_all();
    EXPECT_EQ(batch.pending_acks(), 2U);
    device.post(a, UCMAD_EVENT_CM_DREQ);

    const std::size_t calls = device.count(UCMAD_IOCTL_EVENTS);
    ASSERT_EQ(context.take(batch), 1U) << "the acknowledged object is ready again";
    EXPECT_EQ(device.count(UCMAD_IOCTL_EVENTS), calls + 1);
    EXPECT_EQ(batch.pending_acks(), 0U);
    EXPECT_FALSE(device.held(b));
    EXPECT_EQ(batch[0].sequence, 2U);
}

TEST_F(ContextTest, SetsTheContextWithTheAcknowledgement) { // EV-CONTEXT
    const Handle object = device.add_object(1);
    device.post(object, UCMAD_EVENT_CM_RTU);
    ASSERT_EQ(context.take(batch), 1U);
    batch.ack(batch[0], 2);
    EXPECT_EQ(context.flush(batch), 0U);
    EXPECT_EQ(device.context(object), 2U);
    EXPECT_FALSE(device.held(object));
    EXPECT_EQ(batch.pending_acks(), 0U);
}

TEST_F(ContextTest, CountsAcknowledgementsOfNothing) {
    const Handle object = device.add_object();
    device.post(object, UCMAD_EVENT_CM_RTU);
    ASSERT_EQ(context.take(batch), 1U);
    const Ack acks[] = {Ack{batch[0]}, Ack{batch[0]}};
    EXPECT_EQ(context.ack(acks), 1U);
}

TEST_F(ContextTest, DoesNotAcknowledgeWhatHoldsNothing) { // EV-TARGET
    const Handle object = device.add_object();
    device.post(object, UCMAD_EVENT_CM_RTU);
    ASSERT_EQ(context.take(batch, {.object = object}), 1U);
    EXPECT_FALSE(batch[0].held);
    batch.ack(batch[0]);
    batch.ack(batch[0], 5);
    EXPECT_EQ(batch.pending_acks(), 0U);
}

TEST_F(ContextTest, TakesOfOneObjectOnly) { // EV-TARGET
    const Handle a = device.add_object();
    const Handle b = device.add_object();
    device.post(a, UCMAD_EVENT_CM_RTU);
    device.post(b, UCMAD_EVENT_CM_DREQ);
    device.post(b, UCMAD_EVENT_CM_TIMEWAIT_EXIT);
    ASSERT_EQ(context.take(batch, {.object = b}), 2U);
    EXPECT_EQ(batch[0].object, b);
    EXPECT_EQ(batch[1].object, b);
    EXPECT_EQ(device.queued(a), 1U);
}

TEST_F(ContextTest, TakesNoMoreThanAsked) {
    const Handle object = device.add_object();
    for (int i = 0; i < 5; ++i)
        device.post(object, UCMAD_EVENT_CM_RTU);
    EXPECT_EQ(context.take(batch, {.max_events = 2}), 2U);
    EXPECT_EQ(device.queued(object), 3U);
    const auto event = context.next(object);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->sequence, 3U) << "next() takes one only";
    EXPECT_EQ(device.queued(object), 2U);
}

TEST_F(ContextTest, GrowsTheBuffer) { // EV-TOOSMALL
    EventBatch small{8};
    const Handle object = device.add_object();
    const std::string data(4000, 'x');
    device.post(object, UCMAD_EVENT_CM_RTU, {}, bytes_of(data));
    ASSERT_EQ(context.take(small), 1U);
    EXPECT_TRUE(std::ranges::equal(small[0].private_data, bytes_of(data)));
    // Once it was grown it stays so: one call.
    small.ack_all();
    device.post(object, UCMAD_EVENT_CM_RTU, {}, bytes_of(data));
    const std::size_t calls = device.count(UCMAD_IOCTL_EVENTS);
    ASSERT_EQ(context.take(small), 1U);
    EXPECT_EQ(device.count(UCMAD_IOCTL_EVENTS), calls + 1);
}

TEST_F(ContextTest, NextGrowsItsBuffer) { // EV-TOOSMALL
    const Handle object = device.add_object();
    const std::string data(4000, 'x');
    device.post(object, UCMAD_EVENT_CM_RTU, {}, bytes_of(data));
    const auto event = context.next(object);
    ASSERT_TRUE(event);
    EXPECT_TRUE(std::ranges::equal(event->private_data, bytes_of(data)));
}

TEST_F(ContextTest, AcknowledgesOnceThoughTheBufferWasTooSmall) { // EV-TOOSMALL
    EventBatch small{64};
    const Handle a = device.add_object();
    device.post(a, UCMAD_EVENT_CM_RTU);
    ASSERT_EQ(context.take(small), 1U);
    small.ack_all();
    device.post(a, UCMAD_EVENT_CM_RTU, {}, bytes_of(std::string(500, 'y')));
    ASSERT_EQ(context.take(small), 1U);
    EXPECT_EQ(device.last<ucmad_events>(UCMAD_IOCTL_EVENTS).ack_count, 0U)
        << "the second try has none";
    EXPECT_TRUE(device.held(a));
}

TEST_F(ContextTest, KeepsAcknowledgementsThatWereNotCarriedOut) {
    const Handle object = device.add_object();
    device.post(object, UCMAD_EVENT_CM_RTU);
    ASSERT_EQ(context.take(batch), 1U);
    batch.ack_all();
    std::error_code ec;
    device.fail_next(UCMAD_IOCTL_EVENTS, EFAULT);
    EXPECT_EQ(context.take(batch, {.timeout = no_wait}, ec), 0U);
    EXPECT_EQ(ec.value(), EFAULT);
    EXPECT_EQ(batch.pending_acks(), 1U);
    device.fail_next(UCMAD_IOCTL_EVENTS, EFAULT);
    EXPECT_EQ(context.flush(batch, ec), 0U);
    EXPECT_EQ(batch.pending_acks(), 1U);
    EXPECT_EQ(context.take(batch, {.timeout = no_wait}, ec), 0U);
    EXPECT_FALSE(ec) << "the error is cleared";
    EXPECT_EQ(batch.pending_acks(), 0U);
}

TEST_F(ContextTest, SignalIsAnError) {
    device.fail_next(UCMAD_IOCTL_EVENTS, EINTR);
    std::error_code ec;
    EXPECT_EQ(context.take(batch, {}, ec), 0U);
    EXPECT_EQ(ec, std::errc::interrupted);
    device.fail_next(UCMAD_IOCTL_EVENTS, EINTR);
    (void)message_of([&] { context.take(batch); }, EINTR);
}

TEST_F(ContextTest, ThreadsThatWaitForADestroyedObjectAreWoken) { // DEL-SILENT
    CmId id = CmId::create(context, 0);
    const Handle handle = id.handle();
    auto waiter = std::async(std::launch::async, [&] {
        std::error_code ec;
        EXPECT_FALSE(context.next(handle, forever, {}, ec));
        return ec;
    });
    ASSERT_TRUE(eventually([&] { return device.waiting() == 1; }));
    id.destroy();
    EXPECT_EQ(waiter.get().value(), ESHUTDOWN);
    (void)message_of([&] { (void)context.next(handle); }, ENOENT);
}

TEST_F(ContextTest, BlocksUntilAnEventComes) {
    const Handle object = device.add_object();
    auto waiter = std::async(std::launch::async, [&] { return context.next(object); });
    ASSERT_TRUE(eventually([&] { return device.waiting() == 1; }));
    device.post(object, UCMAD_EVENT_CM_RTU);
    EXPECT_TRUE(waiter.get());
}

TEST_F(ContextTest, Polls) { // EV-POLL
    pollfd poll_fd{.fd = context.fd(), .events = POLLIN, .revents = 0};
    const Handle object = device.add_object();
    EXPECT_EQ(poll(&poll_fd, 1, 0), 0);
    device.post(object, UCMAD_EVENT_CM_RTU);
    EXPECT_EQ(poll(&poll_fd, 1, 0), 1);
    ASSERT_EQ(context.take(batch), 1U);
    EXPECT_EQ(poll(&poll_fd, 1, 0), 0);
}

TEST_F(ContextTest, PassesTheTimeout) {
    (void)context.take(batch, {.timeout = 3ms}); // the time-out is what is tested
    EXPECT_EQ(device.last<ucmad_events>(UCMAD_IOCTL_EVENTS).timeout_ns, 3'000'000);
    device.post(device.add_object(), UCMAD_EVENT_CM_RTU);
    (void)context.take(batch);
    EXPECT_LT(device.last<ucmad_events>(UCMAD_IOCTL_EVENTS).timeout_ns, 0);
}

} // namespace
} // namespace ucmad
