// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fixture.hpp"

#include <memory>
#include <poll.h>

namespace vm {

namespace {

std::string name_of(Shortage shortage) { return shortage == Shortage::once ? "once" : "lasting"; }

// Keeps the QP of the port.
struct Keeper {
    const File file;
    const Agent agent = enroll(file, sender());
};

std::unique_ptr<Keeper> keeper;

} // namespace

void WayFaultTest::SetUpTestSuite() {
    keeper = std::make_unique<Keeper>();
    expect_sent(keeper->agent, gsi_at(main_device().path(ipv6_gid)));
}

void WayFaultTest::TearDownTestSuite() { keeper.reset(); }

std::string shortage_name(const testing::TestParamInfo<Shortage>& info) {
    return name_of(info.param);
}

std::string gid_and_shortage_name(const testing::TestParamInfo<std::tuple<int, Shortage>>& info) {
    const auto [gid, shortage] = info.param;
    return (gid == ipv4_gid ? "ipv4_" : "ipv6_") + name_of(shortage);
}

std::string way_and_shortage_name(const testing::TestParamInfo<std::tuple<Way, Shortage>>& info) {
    const auto [way, shortage] = info.param;
    return way.name + ('_' + name_of(shortage));
}

bool is_readable(const File& file) {
    pollfd readable{file.fd(), POLLIN, 0};
    return poll(&readable, 1, 0) == 1;
}

void wait_until_readable(const File& file) {
    wait_until([&] { return is_readable(file); }, "an event");
}

ucmad_mad_register WayFaultTest::sender(const Device& device) {
    ucmad_mad_register arg = vm::sender(device);
    arg.flags = way().flags;
    return arg;
}

ucmad_mad_register WayFaultTest::responder() {
    ucmad_mad_register arg = vm::responder();
    arg.flags = way().flags;
    // What is large takes long to make.
    arg.max_in_flight = 64;
    arg.receive_queue = 64;
    return arg;
}

ucmad_mad_send send_only(const Mad& mad, const ucmad_mad_address& to) {
    ucmad_mad_send send = request_of(mad, to, 1, 0);
    send.flags = UCMAD_SEND_NO_RESPONSE;
    return send;
}

void expect_sent(const Agent& agent, const ucmad_mad_address& to) {
    const Mad mad = ping(1, 0, method_send);
    agent.post(send_only(mad, to));
    EXPECT_EQ(completion_of(agent.expect_completion()).status, UCMAD_MAD_SENT);
}

} // namespace vm
