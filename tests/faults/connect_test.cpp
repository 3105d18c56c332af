// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Connections, step by step to their end, each step with faults. What fails has done nothing, so
// that it works the next time, and the connection with it.
#include "fixture.hpp"

namespace vm {
namespace {

// Peers try again soon, and often, where a message was lost.
ucmad_cm_req impatient(const Connection& connection) {
    ucmad_cm_req arg = request(connection.path, connection.service_id);
    arg.remote_cm_response_timeout = scaled_iba_time(15);
    arg.max_cm_retries = 15;
    return arg;
}

class ConnectFaults : public GidFaultTest {
protected:
    // A connection of two new files goes up to a step without faults, takes it with them, and then
    // goes to its end. `settled` is the side that gets an event of the step.
    static void sweep_step(Step step, const std::function<Error(const Connection&)>& operation,
                           std::uint16_t event, bool client_gets_it) {
        sweep([&](Faults& faults) {
            const File server_file;
            const File client_file;
            Connection connection(server_file, client_file, gid());
            connection.advance_to(static_cast<Step>(static_cast<int>(step) - 1));
            const Id& other = client_gets_it ? connection.client : connection.server;
            if (faults.begin([&] { return operation(connection); }) == ok) {
                faults.settle([&] { return is_readable(other.file()); });
            } else {
                must(operation(connection));
            }
            other.expect(event);
            connection.skip(step);
            connection.complete();
        });
    }
};
VM_FOR_GIDS_AND_SHORTAGES(ConnectFaults);

TEST_P(ConnectFaults, Listen) {
    sweep([](Faults& faults) {
        const File file;
        const Id id = create(file);
        ucmad_cm_listen arg{};
        arg.flags = UCMAD_LISTEN_ASSIGN;
        arg.patience = UCMAD_PATIENCE_NONE;
        faults.during([&] { return id.listen(arg); });
        if (id.state() != UCMAD_CM_LISTEN) {
            must(id.listen(arg));
        }
        const ucmad_cm_query query = id.query();
        const Id client = create(file);
        must(client.req(request(path(), query.service_id)));
        EXPECT_EQ(take_one(file, id.handle()).head.type, UCMAD_EVENT_CM_REQ);
    });
}

// The client hears of what fails in the background, and the server of the REQ if need be later.
TEST_P(ConnectFaults, Request) {
    sweep([](Faults& faults) {
        const File server_file;
        const File client_file;
        Connection connection(server_file, client_file, gid());
        const auto is_over = [&] { return is_readable(server_file) || is_readable(client_file); };
        if (faults.begin([&] { return connection.client.req(impatient(connection)); }) == ok) {
            faults.settle(is_over);
            wait_until(is_over, "a REQ, or that it failed");
        }
        if (is_readable(client_file)) {
            faults.failed();
            const Event event = connection.client.expect(UCMAD_EVENT_CM_REQ_ERROR);
            const std::uint32_t error = event.body<ucmad_cm_error_event>().error;
            EXPECT_TRUE(is_want_of_memory(error)) << error;
        }
        if (is_readable(server_file)) {
            const Event event = take_one(server_file);
            ASSERT_EQ(event.head.type, UCMAD_EVENT_CM_REQ);
            connection.server = born_of(server_file, event);
            acknowledge(server_file, {ack_of(event)});
            connection.skip(Step::request);
        } else {
            EXPECT_EQ(connection.client.state(), UCMAD_CM_IDLE);
        }
        connection.complete();
    });
}

TEST_P(ConnectFaults, AskTime) {
    sweep_step(
        Step::ask_time, [](const Connection& c) { return c.server.mra(wait_please()); },
        UCMAD_EVENT_CM_MRA, true);
}

TEST_P(ConnectFaults, Reply) {
    const Bytes data = pattern(20, 1);
    sweep_step(
        Step::reply,
        [&](const Connection& c) {
            ucmad_cm_rep arg = reply();
            set_data(arg, data);
            return c.server.rep(arg);
        },
        UCMAD_EVENT_CM_REP, true);
}

TEST_P(ConnectFaults, Ready) {
    sweep_step(
        Step::ready, [](const Connection& c) { return c.client.rtu(); }, UCMAD_EVENT_CM_RTU, false);
}

TEST_P(ConnectFaults, EstablishedByData) {
    sweep([](Faults& faults) {
        const File server_file;
        const File client_file;
        Connection connection(server_file, client_file, gid());
        connection.advance_to(Step::reply);
        const auto tell = [&] { return connection.server.notify(UCMAD_CM_COMM_EST); };
        if (faults.during(tell) != ok) {
            EXPECT_EQ(connection.server.state(), UCMAD_CM_REP_SENT);
            must(tell());
        }
        connection.server.expect(UCMAD_EVENT_CM_USER_ESTABLISHED);
        must(connection.client.rtu());
        connection.skip(Step::ready);
        connection.complete();
    });
}

} // namespace
} // namespace vm
