// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// MadClient on a real device; see device_test.cpp.
#include "eventually.hpp"

#include <ucmad/asio.hpp>
#include <ucmad/ucmad.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ucmad {
namespace {

using namespace std::chrono_literals;
using test::eventually;

Gid own_gid(const std::string& device, int index) {
    std::ifstream file{"/sys/class/infiniband/" + device + "/ports/1/gids/" +
                       std::to_string(index)};
    std::string text;
    std::getline(file, text);
    return Gid::parse(text);
}

/// A client and a responder on one port; the responder answers with the data of the request.
class DeviceMadTest : public testing::TestWithParam<std::uint16_t> {
protected:
    Context context;
    DeviceInfo info = context.devices().at(0);
    Dispatcher dispatcher{context};
    MadAddress to = gsi_address(own_gid(info.name, GetParam()), GetParam());
    MadClient client{dispatcher, context, {.device = info.index, .max_in_flight = 10000}};
    Mad mad = Ping::request();
    Mad unanswered = mad;

    DeviceMadTest() {
        MadHeader header = MadHeader::read(mad);
        header.method = MadMethod::send; // nobody wants those
        header.write(unanswered);
    }

    MadClient responder() {
        // Answers count as outstanding until one of the dispatcher's threads has taken their
        // completions.
        MadAgentParams params{.device = info.index, .max_in_flight = 10000, .receive_queue = 10000};
        MadClientHandlers handlers;
        handlers.received = [this](const IncomingMad& incoming) {
            const std::lock_guard lock{mutex};
            server->answer(incoming, Ping::answer(incoming.mad, "it is me"));
        };
        return {dispatcher, context, params.responds_to_ping(), handlers};
    }

    /// Set before the first request comes.
    void serve() {
        const std::lock_guard lock{mutex};
        server = std::make_unique<MadClient>(responder());
    }

    std::mutex mutex;
    std::unique_ptr<MadClient> server;
};
INSTANTIATE_TEST_SUITE_P(Gid, DeviceMadTest, testing::Values(0, 1));

TEST_P(DeviceMadTest, FutureHasTheAnswer) {
    serve();
    dispatcher.start(2);
    const MadResult result = client.submit(mad, to).get();
    EXPECT_EQ(result.status, SendStatus::responded);
    EXPECT_EQ(Ping::name(result.mad), "it is me");
    EXPECT_EQ(result.from.dgid, to.dgid);
    EXPECT_EQ(result.from.qpn, 1U);
}

TEST_P(DeviceMadTest, CoroutineAsksOneAfterTheOther) {
    serve();
    std::promise<int> answered;
    const auto ask = [&]() -> Detached {
        int count = 0;
        for (int i = 0; i < 20; ++i)
            count += (co_await client.request(mad, to)).status == SendStatus::responded ? 1 : 0;
        answered.set_value(count);
    };
    dispatcher.start(2);
    ask();
    EXPECT_EQ(answered.get_future().get(), 20);
}

TEST_P(DeviceMadTest, TimeOutCancelAndChangedTimeOut) {
    dispatcher.start();
    const MadResult late = client.submit(unanswered, to, {20ms, 2}).get();
    EXPECT_EQ(late.status, SendStatus::timed_out);
    EXPECT_EQ(late.tries, 3U);

    std::promise<SendStatus> cancelled;
    const SendHandle handle = client.post(unanswered, to, {1h, 0}, [&](const MadResult& result) {
        cancelled.set_value(result.status);
    });
    client.cancel(handle);
    EXPECT_EQ(cancelled.get_future().get(), SendStatus::cancelled);

    std::promise<SendStatus> hurried;
    const SendHandle slow = client.post(unanswered, to, {1h, 0}, [&](const MadResult& result) {
        hurried.set_value(result.status);
    });
    client.set_timeout(slow, 10ms);
    EXPECT_EQ(hurried.get_future().get(), SendStatus::timed_out);
    EXPECT_TRUE(eventually([&] { return client.query().in_flight == 0; }));
}

TEST_P(DeviceMadTest, EachSendEndsOnceWhateverBecomesOfIt) {
    constexpr int count = 3000;
    serve();
    dispatcher.start(2);
    std::vector<std::atomic<int>> ends(count);
    std::atomic<int> ended = 0;
    for (int i = 0; i < count; ++i) {
        const SendHandle handle =
            client.post(i % 3 == 0 ? unanswered : mad, to, {1h, 0}, [&, i](const MadResult&) {
                ++ends[static_cast<std::size_t>(i)];
                ++ended;
            });
        if (i % 6 == 0)
            client.cancel(handle);
    }
    EXPECT_TRUE(eventually([&] { return ended >= count - count / 6; }));
    EXPECT_EQ(client.deregister(), static_cast<std::size_t>(count / 6)) << "what nobody answers";
    for (const auto& end : ends)
        EXPECT_EQ(end, 1);
}

TEST_P(DeviceMadTest, AsioRunsTheHandlers) {
    serve();
    asio::io_context io;
    AsioDriver driver{io, context, dispatcher};
    int answers = 0;
    for (int i = 0; i < 10; ++i)
        client.post(mad, to, {}, [&](const MadResult& result) {
            EXPECT_EQ(result.status, SendStatus::responded);
            if (++answers == 10)
                driver.stop();
        });
    io.run();
    EXPECT_EQ(answers, 10);
}

} // namespace
} // namespace ucmad
