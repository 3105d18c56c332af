// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// MAD-ONE and MAD-SHARE under load: threads post, cancel and take completions on shared agents
// while others register and deregister agents. Each cookie comes back exactly once, or is among
// those that a deregister says it has discarded.
#include "support/mad_test.hpp"

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

namespace vm {
namespace {

constexpr std::size_t threads = 8;
constexpr std::size_t batch = 50;

// An agent that several threads share. It is deregistered after so many sends, and another one
// takes its place.
class Shared {
public:
    Shared(const File& file, const ucmad_mad_register& arg) : agent_(enroll(file, arg)) {}

    const Agent& agent() const { return agent_; }

    void accepted(std::size_t count) { accepted_ += count; }
    void completed() { ++completed_; }
    // The first to call it deregisters; true: that was this call.
    bool end() {
        if (ended_.exchange(true)) {
            return false;
        }
        discarded_ = agent_.id().destroy_and_count();
        return true;
    }
    std::size_t posted() const { return accepted_; }
    // Once nobody uses it any more.
    void expect_balance() const {
        EXPECT_EQ(accepted_, completed_ + discarded_);
        accounted += accepted_;
    }

    static inline std::atomic<std::size_t> accounted{0};

private:
    Agent agent_;
    std::atomic<std::size_t> accepted_{0};
    std::atomic<std::size_t> completed_{0};
    std::atomic<bool> ended_{false};
    std::atomic<std::size_t> discarded_{0};
};

class MadStorm : public MadTest {
protected:
    std::shared_ptr<Shared> current() {
        const std::lock_guard lock(mutex_);
        return shared_;
    }

    // Whoever sees that an agent has had enough replaces it; its last user checks its account.
    void replace(const std::shared_ptr<Shared>& old) {
        const std::lock_guard lock(mutex_);
        if (shared_ == old) {
            shared_ = fresh();
        }
    }

    std::shared_ptr<Shared> fresh() const {
        ucmad_mad_register arg = sender();
        arg.flags |= UCMAD_AGENT_CONCURRENT;
        arg.max_in_flight = 20000;
        return {new Shared(client_file, arg), [](const Shared* shared) {
                    shared->expect_balance();
                    delete shared;
                }};
    }

    // A cookie comes back to whoever takes it, and never twice.
    void take_some(const std::shared_ptr<Shared>& shared) {
        const Taken taken =
            take(client_file, {.object = shared->agent().handle(), .max = 2 * batch});
        for (const Event& event : taken.events) {
            const std::uint64_t cookie = completion_of(event).cookie;
            ASSERT_EQ(seen_.at(cookie).exchange(1), 0) << cookie << " twice";
            shared->completed();
        }
    }

    // `cookies` are the thread's own, not used yet; those that are accepted are taken out.
    void post_some(const std::shared_ptr<Shared>& shared, std::mt19937& random,
                   std::deque<std::uint64_t>& cookies) {
        const Mad asked = ping(1, 1);
        const Mad silent = unanswered();
        while (cookies.size() < batch) {
            cookies.push_back(next_cookie_++);
        }
        std::vector<ucmad_mad_send> sends;
        for (std::size_t i = 0; i < batch; ++i) {
            const bool answered = random() % 2 == 0;
            const std::uint32_t timeout =
                random() % 4 == 0 ? static_cast<std::uint32_t>(1 + random() % 20) : 60000;
            sends.push_back(
                request_of(answered ? asked : silent, to, cookies[i], timeout,
                           timeout < 60000 ? static_cast<std::uint32_t>(random() % 2) : 0));
        }
        const Posted posted = shared->agent().post(sends);
        shared->accepted(posted.count);
        sent_ += posted.count;
        cookies.erase(cookies.begin(), cookies.begin() + posted.count);
        std::vector<std::uint32_t> victims;
        for (std::size_t i = 0; i < posted.count; ++i) {
            if (random() % 2 == 0) {
                victims.push_back(sends[i].handle);
            }
        }
        if (!victims.empty()) {
            (void)shared->agent().cancel(victims); // the agent may be gone
        }
    }

    void work(std::uint32_t seed) {
        std::mt19937 random(seed);
        std::deque<std::uint64_t> cookies;
        while (sent_ < total_) {
            const std::shared_ptr<Shared> shared = current();
            post_some(shared, random, cookies);
            take_some(shared);
            if (random() % 64 == 0) {
                (void)shared->agent().cancel_all();
            }
            if (shared->posted() > total_ / 20 && shared->end()) {
                replace(shared);
            }
        }
    }

    // Answers whatever comes, until it is told to end.
    void serve(const std::atomic<bool>& over) const {
        while (!over) {
            const Taken taken = take(server_file, {.timeout = 10ms});
            for (const Event& event : taken.events) {
                if (event.head.type == UCMAD_EVENT_MAD_RECEIVE) {
                    // Too old, or too many of them: whoever asked asks again, or does not.
                    (void)server_->try_answer_to(event);
                }
            }
        }
    }

    void start(std::size_t total) {
        total_ = total;
        seen_ = std::vector<std::atomic<int>>(total + 2 * threads * batch);
        ucmad_mad_register arg = responder();
        arg.flags |= UCMAD_AGENT_CONCURRENT;
        server_.emplace(enroll(server_file, arg));
        shared_ = fresh();
    }

    std::size_t sent() const { return sent_; }
    void end() {
        shared_->end();
        shared_.reset();
    }

private:
    std::size_t total_ = 0;
    std::optional<Agent> server_;
    std::mutex mutex_; // which agent is shared now
    std::shared_ptr<Shared> shared_;
    std::vector<std::atomic<int>> seen_;
    std::atomic<std::uint64_t> next_cookie_{0};
    std::atomic<std::size_t> sent_{0};
};
VM_FOR_ALL_WAYS(MadStorm);

TEST_P(MadStorm, MAD_ONE_MAD_SHARE_MAD_REF_EachCookieComesBackOnce) {
    // ib_mad walks a list for each.
    const std::size_t total = (over_ib_mad() ? 20000U : 200000U) / (has_checks() ? 100 : 1);
    const std::size_t before = Shared::accounted;
    start(total);
    std::atomic<bool> over{false};
    std::jthread server([&] { serve(over); });
    {
        std::vector<std::jthread> workers;
        for (std::uint32_t i = 0; i < threads; ++i) {
            workers.emplace_back([this, i] { work(i); });
        }
    }
    over = true;
    server.join();
    end();
    EXPECT_GE(sent(), total);
    EXPECT_EQ(Shared::accounted - before, sent());
    EXPECT_TRUE(eventually([] { return statistic("sends") == 0; }));
}

} // namespace
} // namespace vm
