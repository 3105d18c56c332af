// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "ioctl_programs.hpp"

#include "support/connection.hpp"

#include <cstdio>
#include <sys/syscall.h>
#include <unistd.h>

namespace vm {

namespace {

void mark() { ::syscall(SYS_getppid); }

void accept_one(std::uint64_t service_id) {
    const File file;
    new_listener(file, service_id);
    mark();
    const Event req = take_one(file);
    must(born_of(file, req).rep(reply()));
    const Event rtu = take_one(file, 0, {ack_with_context(req, 1)});
    mark();
    must(rtu.head.type == UCMAD_EVENT_CM_RTU && rtu.head.context == 1, "no RTU");
}

void connect_one(std::uint64_t service_id) {
    const File file;
    const ucmad_path path = main_device().path(ipv4_gid);
    mark();
    const Id id = create(file);
    must(id.req(request(path, service_id)));
    id.expect(UCMAD_EVENT_CM_REP);
    must(id.rtu());
    mark();
}

// A server that takes and acknowledges in one call a round; each round it gets a REQ and refuses.
void serve(std::uint64_t service_id) {
    const File file;
    new_listener(file, service_id);
    mark();
    std::vector<ucmad_ack> acks;
    for (int round = 0; round < loop_rounds; ++round) {
        const Event req = take_one(file, 0, std::move(acks));
        must(born_of(file, req).rej(rejection()));
        acks = {ack_of(req)};
    }
    mark();
}

} // namespace

int run_program(const std::string& name, std::uint64_t service_id) {
    try {
        if (name == "accept") {
            accept_one(service_id);
        } else if (name == "connect") {
            connect_one(service_id);
        } else if (name == "serve") {
            serve(service_id);
        } else {
            must(false, "no program " + name);
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
        return 1;
    }
}

} // namespace vm
