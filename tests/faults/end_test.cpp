// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How connections end while memory is short. For want of memory the peer may not be told, but on
// this side the end is the end, and is this side's own.
#include "fixture.hpp"

namespace vm {
namespace {

class EndFaults : public GidFaultTest {};
VM_FOR_GIDS_AND_SHORTAGES(EndFaults);

// What the program ended itself is not blamed on the peer (CM-TRUTH).
void expect_ended_here(const Id& id) {
    EXPECT_EQ(id.rtu(), Error{EBADFD});
    EXPECT_EQ(id.query().error, 0U);
}

// Ends in IDLE, and good for another connection.
void expect_idle_again(const Id& id, const ucmad_path& path) {
    id.wait_for_state(UCMAD_CM_IDLE);
    EXPECT_EQ(id.req(request(path, new_service_id())), ok);
}

// Done again after a bad address, which changes nothing.
Error end_during(Faults& faults, const std::function<Error()>& operation) {
    const Error error = faults.during(operation);
    return error == Error{EFAULT} ? operation() : error;
}

TEST_P(EndFaults, RejectRequest) {
    const Bytes data = pattern(10, 1);
    sweep([&](Faults& faults) {
        const File server_file;
        const File client_file;
        Connection connection(server_file, client_file, gid());
        connection.advance_to(Step::request);
        ucmad_cm_rej arg = rejection();
        set_data(arg, data);
        const Error error = end_during(faults, [&] { return connection.server.rej(arg); });
        expect_ended_here(connection.server);
        expect_idle_again(connection.server, path());
        if (error == ok) {
            connection.client.expect(UCMAD_EVENT_CM_REJ);
            EXPECT_EQ(connection.client.rtu(), Error{ECONNRESET});
        }
    });
}

TEST_P(EndFaults, RejectReply) {
    sweep([](Faults& faults) {
        const File server_file;
        const File client_file;
        Connection connection(server_file, client_file, gid());
        connection.advance_to(Step::reply);
        const Error error = end_during(faults, [&] { return connection.client.rej(rejection()); });
        expect_ended_here(connection.client);
        if (error == ok) {
            connection.server.expect(UCMAD_EVENT_CM_REJ);
        }
        expect_idle_again(connection.client, path());
    });
}

TEST_P(EndFaults, Disconnect) {
    sweep([](Faults& faults) {
        const File server_file;
        const File client_file;
        Connection connection = connect(server_file, client_file, gid());
        const Error error = end_during(faults, [&] { return connection.client.dreq(); });
        expect_ended_here(connection.client);
        if (error == ok) {
            connection.server.expect(UCMAD_EVENT_CM_DREQ);
            must(connection.server.drep());
            connection.client.expect(UCMAD_EVENT_CM_DREP);
        }
        connection.client.expect(UCMAD_EVENT_CM_TIMEWAIT_EXIT);
        expect_idle_again(connection.client, path());
    });
}

TEST_P(EndFaults, Confirm) {
    sweep([](Faults& faults) {
        const File server_file;
        const File client_file;
        Connection connection(server_file, client_file, gid());
        connection.advance_to(Step::disconnect);
        const Error error = end_during(faults, [&] { return connection.server.drep(); });
        connection.server.expect(UCMAD_EVENT_CM_TIMEWAIT_EXIT);
        if (error == ok) {
            connection.client.expect(UCMAD_EVENT_CM_DREP);
        }
        expect_idle_again(connection.server, path());
    });
}

// A destroy does its work even if it can tell nobody of it, neither peer nor program.
TEST_P(EndFaults, Destroy) {
    for (const Step last : {Step::request, Step::reply, Step::ready}) {
        sweep([&](Faults& faults) {
            const File server_file;
            const File client_file;
            Connection connection(server_file, client_file, gid());
            connection.advance_to(last);
            const Id& id = connection.server;
            const Count objects("objects");
            if (faults.during([&] { return id.destroy(); }) != ok && !objects.more()) {
                EXPECT_EQ(id.destroy(), ok);
            }
            EXPECT_EQ(id.destroy(), Error{ENOENT});
        });
    }
}

class PatienceFaults : public GidFaultTest {
protected:
    // A REQ that waits for the program.
    static Connection waiting(const File& server_file, const File& client_file) {
        Connection connection(server_file, client_file, gid());
        must(connection.listener.destroy());
        connection.listener = create(server_file);
        must(connection.listener.listen(listening(connection.service_id, 0, patience)));
        ucmad_cm_req arg = request(path(), connection.service_id);
        arg.remote_cm_response_timeout = response_timeout;
        arg.local_cm_response_timeout = response_timeout;
        must(connection.client.req(arg));
        const Event event = take_one(server_file);
        must(event.head.type == UCMAD_EVENT_CM_REQ, "no REQ");
        acknowledge(server_file, {ack_of(event)});
        connection.server = born_of(server_file, event);
        return connection;
    }

    static constexpr std::uint8_t response_timeout = 18; // a second
    static constexpr std::uint8_t patience = 16;
};
VM_FOR_GIDS_AND_SHORTAGES(PatienceFaults);

// The peer is told to wait as soon as there is memory to say so.
TEST_P(PatienceFaults, PeerIsToldToWait) {
    sweep([](Faults& faults) {
        const File server_file;
        const File client_file;
        const Connection connection = waiting(server_file, client_file);
        faults.begin([] { return ok; });
        faults.settle([&] { return is_readable(client_file); });
        connection.client.expect(UCMAD_EVENT_CM_MRA);
    });
}

// The program is told that its time is over, whether or not the peer is.
TEST_P(PatienceFaults, PatienceIsOver) {
    sweep([](Faults& faults) {
        const File server_file;
        const File client_file;
        const Connection connection = waiting(server_file, client_file);
        connection.client.expect(UCMAD_EVENT_CM_MRA);
        faults.begin([] { return ok; });
        faults.settle([&] { return is_readable(server_file); });
        connection.server.expect(UCMAD_EVENT_CM_EXPIRED);
        EXPECT_EQ(connection.server.rep(reply()), Error{ETIMEDOUT});
        if (!faults.injected()) {
            connection.client.expect(UCMAD_EVENT_CM_REJ);
        }
    });
}

} // namespace
} // namespace vm
