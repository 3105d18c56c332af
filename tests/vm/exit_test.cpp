// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// DEL-EXIT: a process dies in any state; nothing of it is left, and its peers are told.
#include "support/fixture.hpp"

#include <functional>
#include <memory>
#include <sys/mman.h>

namespace vm {
namespace {

// What a child brings about before it is killed, with a file of its own.
struct Death {
    const char* name;
    std::function<void(int gid)> before;
};

void PrintTo(const Death& what, std::ostream* out) { *out << what.name; }

// Keeps a file open until the process dies.
File& keep() {
    static std::vector<std::unique_ptr<File>> kept;
    kept.push_back(std::make_unique<File>());
    return *kept.back();
}

void die_after(int gid, Step step) {
    Connection c(keep(), keep(), gid);
    c.path.packet_life_time = 18;
    c.advance_to(step);
}

void die_with_untaken_events(int gid) {
    Connection c(keep(), keep(), gid);
    c.pile_up_events();
}

void die_with_unacknowledged_events(int gid) {
    Connection c(keep(), keep(), gid);
    c.pile_up_events();
    take(c.client.file(), {.max = 2});
}

void die_with_untaken_requests(int gid) {
    Connection c(keep(), keep(), gid);
    for (int i = 0; i < 5; ++i) {
        must(create(c.client.file()).req(request(c.path, c.service_id)));
    }
    c.listener.wait_for_events(5);
}

void die_with_an_unacknowledged_request(int gid) {
    Connection c(keep(), keep(), gid);
    must(c.client.req(request(c.path, c.service_id)));
    take_one(c.listener.file());
}

void die_in_sidr(int gid) {
    Connection c(keep(), keep(), gid);
    must(c.client.sidr_req(sidr_request(c.path, c.service_id)));
    take_one(c.listener.file());
}

void die_unanswered(int gid) {
    const Id client = create(keep());
    must(client.req(request(main_device().dead_path(gid), new_service_id())));
}

void die_waiting(int) {
    File& file = keep();
    const Id id = create(file);
    static std::vector<std::unique_ptr<Blocking<Taken>>> waiters; // until the process is killed
    for (const std::uint32_t object : {0U, id.handle()}) {
        waiters.push_back(std::make_unique<Blocking<Taken>>(
            [&file, object] { return take(file, {.object = object, .timeout = -1ns}); }));
        waiters.back()->wait_until_asleep();
    }
}

const Death deaths[] = {
    {"idle", [](int) { create(keep()); }},
    {"listening", [](int) { new_listener(keep(), new_service_id()); }},
    {"requested", [](int gid) { die_after(gid, Step::request); }},
    {"mra", [](int gid) { die_after(gid, Step::ask_time); }},
    {"replied", [](int gid) { die_after(gid, Step::reply); }},
    {"established", [](int gid) { die_after(gid, Step::ready); }},
    {"disconnecting", [](int gid) { die_after(gid, Step::disconnect); }},
    {"timewait", [](int gid) { die_after(gid, Step::confirm); }},
    {"untaken_events", die_with_untaken_events},
    {"unacknowledged_events", die_with_unacknowledged_events},
    {"untaken_requests", die_with_untaken_requests},
    {"unacknowledged_request", die_with_an_unacknowledged_request},
    {"sidr", die_in_sidr},
    {"unanswered", die_unanswered},
    {"waiting", die_waiting},
};

class Exit : public testing::TestWithParam<std::tuple<Death, int>> {};

std::string death_name(const testing::TestParamInfo<Exit::ParamType>& info) {
    const auto& [death, gid] = info.param;
    return std::string(death.name) + (gid == ipv4_gid ? "_ipv4" : "_ipv6");
}

INSTANTIATE_TEST_SUITE_P(death, Exit,
                         testing::Combine(testing::ValuesIn(deaths),
                                          testing::Values(ipv6_gid, ipv4_gid)),
                         death_name);

TEST_P(Exit, DEL_EXIT_KilledProcessLeavesNothing) {
    const auto& [death, gid] = GetParam();
    Child child([&, gid = gid, &death = death] { death.before(gid); });
    EXPECT_NE(leftovers(), "") << "the child has done nothing";
    child.kill();
    EXPECT_TRUE(all_gone()) << leftovers();
}

// The child is the server; this process sees what becomes of its client.
class ExitPeer : public GidTest {
protected:
    // Runs `serve` in a child for the REQ of our client.
    std::unique_ptr<Child> serve(const std::function<void(const Id&)>& serve) {
        return std::make_unique<Child>([&] {
            File& file = keep();
            new_listener(file, service);
            *ready = 1;
            const Event req = take_one(file);
            acknowledge(file, {ack_of(req)});
            serve(born_of(file, req));
        });
    }
    // The child's constructor waits for the child, so the client has a thread of its own.
    std::future<void> request_when_ready() {
        return std::async(std::launch::async, [this] {
            wait_until([this] { return *ready == 1; }, "the child's listener");
            must(client.req(request(path(), service)));
        });
    }
    void SetUp() override {
        void* shared = mmap(nullptr, sizeof(*ready), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        must(shared == MAP_FAILED ? last_error() : ok);
        ready = new (shared) std::atomic<int>(0);
    }
    void TearDown() override { munmap(ready, sizeof(*ready)); }

    const std::uint64_t service = new_service_id();
    const Id client = create(client_file);
    std::atomic<int>* ready = nullptr;
};
VM_FOR_BOTH_GIDS(ExitPeer);

TEST_P(ExitPeer, DEL_EXIT_PeerOfARequestIsRejected) {
    auto requested = request_when_ready();
    const auto child = serve([](const Id&) {});
    requested.get();
    child->kill();
    client.expect(UCMAD_EVENT_CM_REJ);
}

TEST_P(ExitPeer, DEL_EXIT_PeerOfAConnectionIsDisconnected) {
    auto requested = request_when_ready();
    const auto child = serve([](const Id& server) { must(server.rep(reply())); });
    requested.get();
    client.expect(UCMAD_EVENT_CM_REP);
    must(client.rtu());
    child->kill();
    // What comes depends on whether the RTU or the kill was first, but something must.
    const Event end = take_one(client_file, client.handle());
    EXPECT_TRUE(end.head.type == UCMAD_EVENT_CM_DREQ || end.head.type == UCMAD_EVENT_CM_REJ);
}

TEST(ExitClose, DEL_EXIT_CloseWhileAnotherThreadIsInACall) {
    auto file = std::make_unique<File>();
    const Id id = create(*file);
    Blocking<Taken> waiter(
        [&] { return take(*file, {.object = id.handle(), .timeout = scaled(300ms)}); });
    waiter.wait_until_asleep();
    // The call keeps the file; once it is over, all is gone.
    file->close();
    EXPECT_EQ(waiter.result().error, Error{ETIMEDOUT});
    EXPECT_TRUE(all_gone()) << leftovers();
}

} // namespace
} // namespace vm
