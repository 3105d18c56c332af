// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A storm: threads do all there is to do on one file, each ID is anybody's. No promise is broken in
// it, and in the end all is clean.
#include "support/fixture.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <random>

namespace vm {
namespace {

constexpr std::uint32_t first_seed = 20240607;

// IDs that all threads know; what one takes out may have been destroyed by another.
class Pool {
public:
    void add(const Id& id) {
        const std::scoped_lock guard(lock_);
        ids_.push_back(id);
    }
    Id any(std::mt19937& random) {
        const std::scoped_lock guard(lock_);
        return ids_.empty() ? Id() : ids_[random() % ids_.size()];
    }

private:
    std::mutex lock_;
    std::vector<Id> ids_;
};

class Storm : public GidTest {
protected:
    // Errors that the ABI names; anything else in a storm is a fault.
    void check(Error error, std::initializer_list<int> allowed) {
        if (error == ok) {
            return;
        }
        for (const int number : allowed) {
            if (error == Error{number}) {
                return;
            }
        }
        ADD_FAILURE() << error;
    }
    void check_operation(Error error) {
        check(error,
              {ENOENT, ESHUTDOWN, EBADFD, ECONNRESET, ETIMEDOUT, EALREADY, EISCONN, EOPNOTSUPP});
    }

    void operate(std::mt19937& random, const Id& id) {
        switch (random() % 9) {
        case 0:
            return check_operation(id.rep(reply()));
        case 1:
            return check_operation(id.rtu());
        case 2:
            return check_operation(id.rej(rejection()));
        case 3:
            return check_operation(id.mra(wait_please()));
        case 4:
            return check_operation(id.dreq());
        case 5:
            return check_operation(id.drep());
        case 6:
            return check_operation(id.qp_attr(static_cast<std::uint32_t>(1 + random() % 3)));
        case 7:
            return check(id.destroy(), {ENOENT});
        default:
            return check(id.set_context(random()), {ENOENT});
        }
    }

    void begin(std::mt19937& random) {
        ucmad_cm_req arg = request(path(), services[random() % services.size()]);
        arg.remote_cm_response_timeout = 17;
        arg.local_cm_response_timeout = 17;
        arg.patience = 18;
        const Id id = create(server_file);
        check_operation(id.req(arg));
        pool.add(id);
    }

    void handle(const Event& event) {
        if (event.head.type == UCMAD_EVENT_CM_REQ) {
            pool.add(born_of(server_file, event));
        }
        const std::scoped_lock guard(lock);
        // EV-FIFO: what is taken in one thread rises; what two threads take may be noted late.
        std::uint64_t& last = seen[{std::this_thread::get_id(), event.head.object}];
        EXPECT_GT(event.head.sequence, last);
        last = event.head.sequence;
    }

    void take_some(std::mt19937& random, std::vector<ucmad_ack>& acks) {
        Take wish{.max = 1 + static_cast<std::uint32_t>(random() % 4),
                  .timeout = random() % 2 ? Duration(1ms) : Duration(0),
                  .acks = std::move(acks)};
        if (random() % 4 == 0) {
            wish.object = pool.any(random).handle();
        }
        const Taken taken = take(server_file, wish);
        check(taken.error, {EAGAIN, ETIMEDOUT, ENOENT, ESHUTDOWN});
        for (const Event& event : taken.events) {
            handle(event);
        }
        // Acknowledged, or not, or later: nobody must depend on it.
        acks = random() % 8 ? acks_of(taken.events) : std::vector<ucmad_ack>{};
    }

    void rage(std::uint32_t seed, int operations) {
        std::mt19937 random(seed);
        std::vector<ucmad_ack> acks;
        for (int i = 0; i < operations; ++i) {
            switch (random() % 4) {
            case 0:
                begin(random);
                break;
            case 1:
            case 2:
                take_some(random, acks);
                break;
            default:
                if (const Id id = pool.any(random); id.handle()) {
                    operate(random, id);
                }
            }
        }
    }

    std::vector<std::uint64_t> services;
    Pool pool;
    std::mutex lock;
    std::map<std::pair<std::thread::id, std::uint32_t>, std::uint64_t> seen;
};
VM_FOR_BOTH_GIDS(Storm);

TEST_P(Storm, CONCURRENCY_StormOnOneFileEndsClean) {
    for (int i = 0; i < 3; ++i) {
        services.push_back(new_service_id());
        new_listener(server_file, services.back());
    }
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 0; i < 4; ++i) {
        threads.emplace_back([this, i] { rage(first_seed + i, 500); });
    }
    threads.clear();
    // All that is left goes with the file; that nothing stays is checked after every test.
    EXPECT_EQ(statistic("events_lost"), 0U) << "EV-NOLOSS";
}

// A server as it should be: threads that each take, handle and acknowledge in one call a round.
TEST_P(Storm, CONCURRENCY_ServerOfManyThreadsServesManyClients) {
    constexpr int clients = 60;
    const std::uint64_t service = new_service_id();
    new_listener(server_file, service);
    std::atomic<int> established{0};
    std::atomic<int> finished{0};
    const auto handle_server_event = [&](const Event& event) {
        const Id id = born_of(server_file, event);
        if (event.head.type == UCMAD_EVENT_CM_REQ) {
            EXPECT_EQ(id.rep(reply()), ok);
        } else if (event.head.type == UCMAD_EVENT_CM_RTU) {
            ++established;
        } else if (event.head.type == UCMAD_EVENT_CM_DREQ) {
            EXPECT_EQ(id.drep(), ok);
        } else if (event.head.type == UCMAD_EVENT_CM_TIMEWAIT_EXIT) {
            EXPECT_EQ(id.destroy(), ok);
            ++finished;
        } else {
            ADD_FAILURE() << "event " << event.head.type;
        }
    };
    std::vector<std::jthread> servers;
    for (int i = 0; i < 3; ++i) {
        servers.emplace_back([&](const std::stop_token& stop) {
            std::vector<ucmad_ack> acks;
            while (!stop.stop_requested()) {
                const Taken taken = take(server_file, {.timeout = 20ms, .acks = std::move(acks)});
                std::ranges::for_each(taken.events, handle_server_event);
                acks = acks_of(taken.events);
            }
        });
    }
    std::vector<std::future<void>> all;
    for (int t = 0; t < 2; ++t) {
        all.push_back(std::async(std::launch::async, [&] {
            for (int i = 0; i < clients / 2; ++i) {
                const Id client = create(client_file);
                must(client.req(request(path(), service)));
                client.expect(UCMAD_EVENT_CM_REP);
                must(client.rtu());
                must(client.dreq());
                client.expect(UCMAD_EVENT_CM_DREP);
                must(client.destroy());
            }
        }));
    }
    for (std::future<void>& client : all) {
        EXPECT_NO_THROW(client.get());
    }
    EXPECT_TRUE(eventually([&] { return finished == clients; })) << finished;
    servers.clear();
    // The client's DREQ may overtake its RTU, which is nothing to report then.
    EXPECT_GT(established, 0);
}

} // namespace
} // namespace vm
