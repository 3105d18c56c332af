// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// EV-POLL: readable exactly when a non-blocking "any object" call would return something.
#include "support/fixture.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

namespace vm {
namespace {

bool by_poll(const File& file) {
    pollfd entry{file.fd(), POLLIN, 0};
    must(poll(&entry, 1, 0) >= 0 ? ok : last_error());
    EXPECT_EQ(entry.revents & ~POLLIN, 0);
    return entry.revents & POLLIN;
}

bool by_select(const File& file) {
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(file.fd(), &readable);
    timeval none{};
    must(select(file.fd() + 1, &readable, nullptr, nullptr, &none) >= 0 ? ok : last_error());
    return FD_ISSET(file.fd(), &readable);
}

class Epoll {
public:
    Epoll(const File& file, std::uint32_t flags) : fd_(epoll_create1(EPOLL_CLOEXEC)) {
        epoll_event wish{};
        wish.events = EPOLLIN | flags;
        must(epoll_ctl(fd_, EPOLL_CTL_ADD, file.fd(), &wish) == 0 ? ok : last_error());
    }
    Epoll(const Epoll&) = delete;
    Epoll& operator=(const Epoll&) = delete;
    ~Epoll() { ::close(fd_); }

    bool ready(std::chrono::milliseconds wait = 0ms) const {
        epoll_event event{};
        return epoll_wait(fd_, &event, 1, static_cast<int>(wait.count())) == 1;
    }
    bool ready_in_time() const {
        return ready(std::chrono::duration_cast<std::chrono::milliseconds>(limit()));
    }

private:
    int fd_;
};

bool by_level(const File& file) { return Epoll(file, 0).ready(); }

class Poll : public GidTest {
protected:
    // All ways of asking must agree. None takes anything, so they can be asked in turn.
    void expect_readable(bool readable) const {
        EXPECT_EQ(by_poll(client_file), readable);
        EXPECT_EQ(by_select(client_file), readable);
        EXPECT_EQ(by_level(client_file), readable);
    }
    // And it must be the truth; this does take an event.
    std::optional<Event> expect_truth(bool readable) const {
        expect_readable(readable);
        Taken taken = take(client_file, {.max = 1});
        EXPECT_EQ(taken.error, readable ? ok : Error{EAGAIN});
        return taken.events.empty() ? std::nullopt : std::optional(taken.events.front());
    }

    Connection c = connection();
};
VM_FOR_BOTH_GIDS(Poll);

TEST_P(Poll, EV_POLL_IdleFileIsNotReadable) { expect_truth(false); }

TEST_P(Poll, EV_POLL_FollowsHoldAndAcknowledgement) {
    c.pile_up_events();
    const std::optional<Event> mra = expect_truth(true);
    ASSERT_TRUE(mra.has_value());
    expect_truth(false); // held
    acknowledge(client_file, {ack_of(*mra)});
    const std::optional<Event> rep = expect_truth(true);
    acknowledge(client_file, {ack_of(rep.value())});
    const std::optional<Event> rej = expect_truth(true);
    acknowledge(client_file, {ack_of(rej.value())});
    expect_truth(false); // nothing left
}

TEST_P(Poll, EV_POLL_EventTooLargeForTheBufferIsReadable) {
    c.pile_up_events();
    EXPECT_EQ(take(client_file, {.room = 8}).error, Error{EMSGSIZE});
    expect_truth(true);
}

TEST_P(Poll, EV_POLL_NewIdIsNotReadableUntilItsRequestIsAcknowledged) {
    must(c.client.req(request(c.path, c.service_id)));
    wait_until([&] { return by_poll(server_file); }, "the REQ");
    const Event req = take_one(server_file, c.listener.handle());
    must(c.client.destroy());
    born_of(server_file, req).wait_for_events(1);
    EXPECT_FALSE(by_poll(server_file));
    acknowledge(server_file, {ack_of(req)});
    EXPECT_TRUE(by_poll(server_file));
}

TEST_P(Poll, EV_POLL_NotReadableForWhatATargetedConsumerWaitsFor) {
    c.advance_to(Step::request);
    Blocking<Event> named([&] { return take_one(client_file, c.client.handle()); });
    named.wait_until_asleep();
    const Epoll epoll(client_file, 0);
    must(c.server.rej(rejection()));
    EXPECT_EQ(named.result().head.type, UCMAD_EVENT_CM_REJ);
    EXPECT_FALSE(epoll.ready());
    expect_truth(false);
}

TEST_P(Poll, EV_POLL_WhatATargetedConsumerLeavesIsReadable) {
    Blocking<Taken> named(
        [&] { return take(client_file, {.object = c.client.handle(), .timeout = limit()}); });
    named.wait_until_asleep();
    named.interrupt();
    EXPECT_EQ(named.result().error, Error{EINTR});
    c.advance_to(Step::request);
    must(c.server.rej(rejection()));
    c.client.wait_for_events(1);
    expect_truth(true);
}

TEST_P(Poll, EV_POLL_DestroyTakesReadinessAway) {
    c.pile_up_events();
    expect_readable(true);
    must(c.client.destroy());
    expect_truth(false);
}

TEST_P(Poll, EV_POLL_WakesAPoller) {
    c.advance_to(Step::request);
    Blocking<int> poller([&] {
        pollfd entry{client_file.fd(), POLLIN, 0};
        return poll(&entry, 1, static_cast<int>(limit() / 1ms));
    });
    poller.wait_until_asleep();
    must(c.server.rej(rejection()));
    EXPECT_EQ(poller.result(), 1);
}

TEST_P(Poll, EV_POLL_EdgeForEachNewEvent) {
    c.advance_to(Step::request);
    const Epoll edge(client_file, EPOLLET);
    EXPECT_FALSE(edge.ready());
    must(c.server.rep(reply()));
    EXPECT_TRUE(edge.ready_in_time());
    EXPECT_FALSE(edge.ready()) << "one event, two edges";
    acknowledge(client_file, {ack_of(take_one(client_file))});
    EXPECT_FALSE(edge.ready());
    must(c.server.destroy());
    EXPECT_TRUE(edge.ready_in_time());
}

TEST_P(Poll, EV_POLL_EdgeWhenAnAcknowledgementFreesAnEvent) {
    c.pile_up_events();
    const Event first = take_one(client_file);
    const Epoll edge(client_file, EPOLLET);
    EXPECT_FALSE(edge.ready());
    acknowledge(client_file, {ack_of(first)});
    EXPECT_TRUE(edge.ready());
    EXPECT_FALSE(edge.ready());
}

} // namespace
} // namespace vm
