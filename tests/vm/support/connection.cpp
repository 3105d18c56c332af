// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "connection.hpp"

#include <atomic>
#include <cstdio>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace vm {

namespace {

// For a peer that is to repeat itself: 67 ms.
constexpr std::uint8_t soon = 14;

// Shared with children that are forked later.
std::uint32_t next_number() {
    static std::atomic<std::uint32_t>& counter = [&]() -> auto& {
        void* memory = mmap(nullptr, sizeof(std::atomic<std::uint32_t>), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        must(memory == MAP_FAILED ? last_error() : ok);
        // Apart from what a program that ran a moment ago has used.
        const auto start = static_cast<std::uint32_t>(getpid() & 0x7f) << 16;
        return *new (memory) std::atomic<std::uint32_t>(start);
    }
    ();
    return counter++;
}

} // namespace

std::uint32_t new_qp_number() {
    // Real QPs of rxe have small numbers.
    return 0x100000 + next_number() % 0xe00000;
}

std::uint64_t new_service_id() { return 0x1000'0000'0000'0000 + next_number(); }

Id create(const File& file, const Device& device, std::uint64_t context) {
    auto arg = sized<ucmad_cm_create>();
    arg.device = device.index;
    arg.context = context;
    must(file.call(UCMAD_IOCTL_CM_CREATE, &arg));
    return {file, arg.object};
}

bool has_mra_at_request() {
    static const bool has = [] {
        utsname kernel{};
        must(uname(&kernel) == 0 ? ok : last_error());
        int major = 0;
        int minor = 0;
        must(std::sscanf(kernel.release, "%d.%d", &major, &minor) == 2, "no version");
        return std::pair(major, minor) < std::pair(6, 16);
    }();
    return has;
}

ucmad_cm_listen listening(std::uint64_t service_id, std::uint32_t backlog, std::uint8_t patience) {
    ucmad_cm_listen arg{};
    arg.service_id = service_id;
    arg.backlog = backlog;
    arg.patience = patience;
    return arg;
}

ucmad_cm_req request(const ucmad_path& path, std::uint64_t service_id) {
    ucmad_cm_req arg{};
    arg.qp_num = new_qp_number();
    arg.service_id = service_id;
    arg.qp_type = UCMAD_QP_RC;
    arg.remote_cm_response_timeout = 24;
    arg.local_cm_response_timeout = 24;
    arg.max_cm_retries = 3;
    arg.patience = UCMAD_PATIENCE_NONE;
    arg.primary = path;
    return arg;
}

ucmad_cm_rep reply() {
    ucmad_cm_rep arg{};
    arg.qp_num = new_qp_number();
    return arg;
}

ucmad_cm_rej rejection(std::uint16_t reason) {
    ucmad_cm_rej arg{};
    arg.reason = reason;
    return arg;
}

ucmad_cm_mra wait_please(std::uint8_t service_timeout) {
    ucmad_cm_mra arg{};
    arg.service_timeout = service_timeout;
    return arg;
}

ucmad_cm_sidr_req sidr_request(const ucmad_path& path, std::uint64_t service_id) {
    ucmad_cm_sidr_req arg{};
    arg.service_id = service_id;
    arg.timeout_ms = 60000;
    arg.path = path;
    return arg;
}

ucmad_cm_sidr_rep sidr_reply(std::uint8_t status) {
    ucmad_cm_sidr_rep arg{};
    arg.status = status;
    arg.qp_num = 1;
    return arg;
}

Id new_listener(const File& file, std::uint64_t service_id, const Device& device) {
    const Id id = create(file, device);
    must(id.listen(listening(service_id)));
    return id;
}

Connection::Connection(const File& server_file, const File& client_file, int gid_index,
                       const Device& device)
    : path(device.path(gid_index)), service_id(new_service_id()),
      listener(new_listener(server_file, service_id, device)), client(create(client_file, device)),
      device_(device), request_(request(path, service_id)) {}

// Where the kernel's CM sends MRAs by itself: this side is patient, and the other does not wait
// long before it repeats what it has sent.
void Connection::expect_repetitions(Step step) {
    if (step == Step::ask_time) {
        must(listener.destroy());
        listener = create(listener.file(), device_);
        must(listener.listen(listening(service_id, 0, 0)));
        request_.remote_cm_response_timeout = soon;
    } else {
        request_.patience = 0;
        request_.local_cm_response_timeout = soon;
    }
    request_.max_cm_retries = 15;
}

void Connection::ask_time(const Id& id, const Id& peer) {
    if (has_mra_at_request()) {
        must(id.mra(wait_please()));
    }
    peer.expect(UCMAD_EVENT_CM_MRA);
}

void Connection::take(Step step) {
    switch (step) {
    case Step::request: {
        request_.primary = path;
        request_.qp_num = new_qp_number();
        must(client.req(request_));
        const Event event = take_one(listener.file(), listener.handle());
        must(event.head.type == UCMAD_EVENT_CM_REQ, "no REQ");
        server = born_of(listener.file(), event);
        acknowledge(listener.file(), {ack_of(event)});
        break;
    }
    case Step::ask_time:
        ask_time(server, client);
        break;
    case Step::reply:
        must(server.rep(reply()));
        client.expect(UCMAD_EVENT_CM_REP);
        break;
    case Step::ask_time_too:
        ask_time(client, server);
        break;
    case Step::ready:
        must(client.rtu());
        server.expect(UCMAD_EVENT_CM_RTU);
        break;
    case Step::disconnect:
        must(client.dreq());
        server.expect(UCMAD_EVENT_CM_DREQ);
        break;
    case Step::confirm:
        must(server.drep());
        client.expect(UCMAD_EVENT_CM_DREP);
        break;
    }
    skip(step);
}

void Connection::advance_to(Step last) {
    if ((last == Step::ask_time || last == Step::ask_time_too) && !has_mra_at_request()) {
        expect_repetitions(last);
    }
    for (Step step = next_; step <= last; step = static_cast<Step>(static_cast<int>(step) + 1)) {
        const bool mra = step == Step::ask_time || step == Step::ask_time_too;
        if (!mra || step == last) {
            take(step);
        }
    }
}

void Connection::complete() {
    advance_to(Step::confirm);
    for (const Id& id : {client, server}) {
        id.expect(UCMAD_EVENT_CM_TIMEWAIT_EXIT);
        id.wait_for_state(UCMAD_CM_IDLE);
    }
}

void Connection::cause_events() {
    path.packet_life_time = 18; // no TIMEWAIT_EXIT for seconds
    if (has_mra_at_request()) {
        advance_to(Step::request);
        must(server.mra(wait_please()));
    } else {
        expect_repetitions(Step::ask_time);
        advance_to(Step::request);
    }
    client.wait_for_state(UCMAD_CM_MRA_REQ_RCVD);
    reply_and_reject();
}

void Connection::reply_and_reject() {
    must(server.rep(reply()));
    client.wait_for_state(UCMAD_CM_REP_RCVD);
    must(server.destroy());
    client.wait_for_state(UCMAD_CM_TIMEWAIT);
}

void Connection::pile_up_events() {
    cause_events();
    client.wait_for_events(3);
}

Connection connect(const File& server_file, const File& client_file, int gid_index,
                   const Device& device) {
    Connection connection(server_file, client_file, gid_index, device);
    connection.advance_to(Step::ready);
    return connection;
}

} // namespace vm
