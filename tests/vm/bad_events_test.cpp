// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// UCMAD_IOCTL_EVENTS with bad memory: no event is lost, no order changed, no hold left behind.
#include "support/fixture.hpp"
#include "support/memory.hpp"

namespace vm {
namespace {

class BadEvents : public GidTest {
protected:
    void SetUp() override { c.pile_up_events(); }

    static ucmad_events wish(const void* buffer, std::uint32_t room) {
        auto arg = sized<ucmad_events>();
        arg.buffer = address(buffer);
        arg.buffer_len = room;
        return arg;
    }
    Error try_take(ucmad_events arg) const { return client_file.call(UCMAD_IOCTL_EVENTS, &arg); }

    void expect_all_events() const {
        std::vector<ucmad_ack> acks;
        for (const int type : {UCMAD_EVENT_CM_MRA, UCMAD_EVENT_CM_REP, UCMAD_EVENT_CM_REJ}) {
            const Taken taken = take(client_file, {.max = 1, .acks = acks});
            ASSERT_EQ(taken.error, ok);
            EXPECT_EQ(taken.events.at(0).head.type, type);
            EXPECT_EQ(taken.acks_ignored, 0U);
            acks = acks_of(taken.events);
        }
    }

    Connection c = connection();
};
VM_FOR_BOTH_GIDS(BadEvents);

TEST_P(BadEvents, BAD_INPUT_EV_NOLOSS_BufferThatIsNotThere) {
    for (const std::uint64_t buffer : {unmapped, std::uint64_t{0xffff'8880'0000'0000}}) {
        ucmad_events arg = wish(nullptr, 4096);
        arg.buffer = buffer;
        EXPECT_EQ(try_take(arg), Error{EFAULT});
        arg.object = c.client.handle();
        EXPECT_EQ(try_take(arg), Error{EFAULT});
        arg.timeout_ns = -1; // must not wait for ever where there is something to take
        EXPECT_EQ(try_take(arg), Error{EFAULT});
    }
    expect_all_events();
}

TEST_P(BadEvents, BAD_INPUT_EV_NOLOSS_BufferThatEndsEarly) {
    const std::uint32_t first = take(client_file, {.room = 8}).needed;
    // Room for less than one event, for one, and for one and a half, before memory ends.
    for (const std::uint32_t mapped : {16U, first, first + 104}) {
        const Guarded memory(std::size_t{mapped + 7} / 8 * 8);
        EXPECT_EQ(try_take(wish(memory.data(), 8192)), Error{EFAULT}) << mapped;
        ucmad_events named = wish(memory.data(), 8192);
        named.object = c.client.handle();
        EXPECT_EQ(try_take(named), Error{EFAULT}) << mapped;
    }
    expect_all_events();
}

TEST_P(BadEvents, BAD_INPUT_EV_NOLOSS_BufferThatCannotBeWritten) {
    const Guarded memory(4096);
    memory.make_readonly();
    EXPECT_EQ(try_take(wish(memory.data(), 4096)), Error{EFAULT});
    expect_all_events();
}

TEST_P(BadEvents, BAD_INPUT_EV_NOLOSS_StructThatCannotBeWritten) {
    std::vector<std::uint64_t> buffer(1024);
    const ucmad_events arg = wish(buffer.data(), 8192);
    const Guarded memory(sizeof arg);
    std::memcpy(memory.data(), &arg, sizeof arg);
    memory.make_readonly();
    EXPECT_EQ(client_file.call(UCMAD_IOCTL_EVENTS, memory.data()), Error{EFAULT});
    expect_all_events();
}

TEST_P(BadEvents, BAD_INPUT_EV_NOLOSS_RequestOfAListener) {
    must(create(client_file).req(request(path(), c.service_id)));
    c.listener.wait_for_events(1);
    ucmad_events arg = wish(nullptr, 4096);
    arg.buffer = unmapped;
    EXPECT_EQ(server_file.call(UCMAD_IOCTL_EVENTS, &arg), Error{EFAULT});
    const Event req = take_one(server_file);
    EXPECT_EQ(req.head.type, UCMAD_EVENT_CM_REQ);
    EXPECT_TRUE(req.head.flags & UCMAD_EVENT_HELD);
}

TEST_P(BadEvents, BAD_INPUT_EV_NOLOSS_FaultFromManyThreads) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 300; ++round) {
                ucmad_events arg = wish(nullptr, 4096);
                arg.buffer = unmapped;
                const Error error = try_take(arg);
                // While one thread's attempt is under way, there is nothing for the others.
                EXPECT_TRUE(error == Error{EFAULT} || error == Error{EAGAIN}) << error;
            }
        });
    }
    threads.clear();
    expect_all_events();
}

TEST_P(BadEvents, BAD_INPUT_Buffer) {
    std::vector<std::uint64_t> buffer(1024);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(buffer.data());
    for (const int offset : {1, 2, 4, 7}) {
        EXPECT_EQ(try_take(wish(bytes + offset, 4096)), Error{EINVAL}) << offset;
    }
    EXPECT_EQ(try_take(wish(nullptr, 4096)), Error{EINVAL}) << "a length without a buffer";
    EXPECT_EQ(try_take(wish(bytes, 0)), Error{EMSGSIZE}) << "a buffer without a length";
    ucmad_events unknown = wish(bytes, 8192);
    unknown.object = 0x7fff'fff0;
    EXPECT_EQ(try_take(unknown), Error{ENOENT});
    expect_all_events();
}

TEST_P(BadEvents, BAD_INPUT_Acknowledgements) {
    ucmad_events arg = wish(nullptr, 0);
    arg.ack_count = 1;
    EXPECT_EQ(try_take(arg), Error{EFAULT}) << "no array";
    arg.acks = unmapped;
    EXPECT_EQ(try_take(arg), Error{EFAULT});
    const Guarded memory(sizeof(ucmad_ack) + 8);
    arg.acks = address(memory.data());
    arg.ack_count = 2;
    EXPECT_EQ(try_take(arg), Error{EFAULT}) << "an array that ends early";
    for (const std::uint32_t count : {1U << 24, 1U << 31, ~0U}) {
        arg.ack_count = count;
        const Error error = try_take(arg);
        EXPECT_TRUE(error == Error{EINVAL} || error == Error{EFAULT}) << error;
    }
    expect_all_events();
}

TEST_P(BadEvents, BAD_INPUT_AcknowledgementOfWhatWasNotTaken) {
    ucmad_ack ack{};
    ack.object = c.client.handle();
    for (const std::uint64_t sequence : {0ULL, 1ULL, 4ULL, ~0ULL}) {
        ack.sequence = sequence;
        EXPECT_EQ(acknowledge(client_file, {ack}), 1U) << sequence;
    }
    const Event first = take_one(client_file);
    for (const std::uint64_t sequence : {0ULL, 4ULL, ~0ULL}) {
        ack.sequence = sequence;
        EXPECT_EQ(acknowledge(client_file, {ack}), 1U) << sequence;
    }
    EXPECT_EQ(take(client_file, {}).error, Error{EAGAIN}) << "a wrong number has freed it";
    acknowledge(client_file, {ack_of(first)});
    c.client.expect(UCMAD_EVENT_CM_REP);
}

} // namespace
} // namespace vm
