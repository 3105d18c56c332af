// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A service that is asked for and answered, with faults on either side.
#include "fixture.hpp"

namespace vm {
namespace {

class SidrFaults : public GidFaultTest {};
VM_FOR_GIDS_AND_SHORTAGES(SidrFaults);

// The peer is told at once if there is no room for its question, or tries again.
TEST_P(SidrFaults, Request) {
    sweep([](Faults& faults) {
        const File server_file;
        const File client_file;
        const std::uint64_t service = new_service_id();
        const Id listener = new_listener(server_file, service);
        const Id client = create(client_file);
        const auto is_over = [&] { return is_readable(server_file) || is_readable(client_file); };
        const auto ask = [&] { return client.sidr_req(sidr_request(path(), service)); };
        if (faults.begin(ask) == ok) {
            faults.settle(is_over);
            wait_until(is_over, "a SIDR REQ, or that it failed");
        }
        if (is_readable(client_file)) {
            faults.failed();
            const Event event = take_one(client_file);
            acknowledge(client_file, {ack_of(event)});
            if (event.head.type == UCMAD_EVENT_CM_SIDR_REQ_ERROR) {
                const std::uint32_t error = event.body<ucmad_cm_error_event>().error;
                EXPECT_TRUE(is_want_of_memory(error)) << error;
            } else {
                EXPECT_EQ(event.head.type, UCMAD_EVENT_CM_SIDR_REP);
                EXPECT_NE(event.body<ucmad_cm_sidr_rep_event>().status, 0);
            }
        }
        if (!is_readable(server_file)) {
            client.wait_for_state(UCMAD_CM_IDLE);
            must(ask());
        }
        const Event event = take_one(server_file, listener.handle());
        must(born_of(server_file, event).sidr_rep(sidr_reply()));
        const Event rep = client.expect(UCMAD_EVENT_CM_SIDR_REP);
        EXPECT_EQ(rep.body<ucmad_cm_sidr_rep_event>().status, 0);
    });
}

TEST_P(SidrFaults, Reply) {
    const Bytes data = pattern(30, 1);
    sweep([&](Faults& faults) {
        const File server_file;
        const File client_file;
        const std::uint64_t service = new_service_id();
        const Id listener = new_listener(server_file, service);
        const Id client = create(client_file);
        must(client.sidr_req(sidr_request(path(), service)));
        const Id server = born_of(server_file, take_one(server_file, listener.handle()));
        ucmad_cm_sidr_rep arg = sidr_reply();
        set_data(arg, data);
        if (faults.during([&] { return server.sidr_rep(arg); }) != ok) {
            must(server.sidr_rep(arg));
        }
        const Bytes said = client.expect(UCMAD_EVENT_CM_SIDR_REP).data();
        EXPECT_TRUE(std::equal(data.begin(), data.end(), said.begin()));
    });
}

} // namespace
} // namespace vm
