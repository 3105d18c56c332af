// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Devices and the module itself come and go, and our QP is repaired, with faults.
#include "fixture.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vm {
namespace {

class DeviceFaults : public FaultTest {};
VM_FOR_SHORTAGES(DeviceFaults);

// A device that the module has no memory for is none of its devices.
TEST_P(DeviceFaults, Add) {
    ExtraDevice extra;
    sweep([&](Faults& faults) {
        extra.remove();
        faults.during([&] {
            extra.add_link();
            return ok;
        });
        if (!find_device(extra.device().name)) {
            faults.failed();
            extra.remove();
            extra.add();
        }
        EXPECT_TRUE(find_device(extra.device().name).has_value());
    });
}

// Its end needs no memory: every object is told.
TEST_P(DeviceFaults, RemoveNeedsNoMemory) {
    ExtraDevice extra;
    const File file;
    const Id id = create(file, extra.device());
    const Agent agent = enroll(file, sender(extra.device()));
    const ucmad_mad_address to = gsi_at(extra.device().path(ipv6_gid));
    expect_sent(agent, to); // the search for the address is over: that does need memory
    const Mad mad = ping(1, 0, method_send);
    agent.post(request_of(mad, to, 1));
    Faults faults(1, GetParam());
    faults.during([&] {
        extra.remove();
        return ok;
    });
    EXPECT_EQ(faults.injected(), 0U) << faults.where();
    id.expect(UCMAD_EVENT_DEVICE_REMOVED);
    EXPECT_EQ(completion_of(agent.expect_completion()).status, UCMAD_MAD_FLUSHED);
    agent.id().expect(UCMAD_EVENT_DEVICE_REMOVED);
}

class RepairFaults : public FaultTest {};
VM_WITH_MEMORY(RepairFaults);

// A repair that fails is tried again until our QP works.
TEST_P(RepairFaults, Repair) {
    const ExtraDevice extra;
    const ucmad_mad_address to = gsi_at(extra.device().path(ipv4_gid));
    sweep([&](Faults& faults) {
        const File file;
        const Agent agent = enroll(file, sender(extra.device()));
        expect_sent(agent, to);
        const Mad mad = ping(1, 0, method_send);
        extra.set_link(false);
        faults.begin([&] { return agent.try_post(send_only(mad, to)); });
        // Nobody is told when the repair is over, but it begins at once.
        const auto enough = Clock::now() + scaled(200ms);
        faults.settle([&] { return Clock::now() > enough; });
        extra.set_link(true);
        if (agent.query().in_flight) {
            EXPECT_NE(completion_of(agent.expect_completion()).status, UCMAD_MAD_SENT);
        }
        EXPECT_TRUE(eventually([&] {
            agent.post(send_only(mad, to));
            return completion_of(agent.expect_completion()).status == UCMAD_MAD_SENT;
        }));
    });
}

class Repair : public testing::TestWithParam<int> {};
VM_FOR_BOTH_GIDS(Repair);

// Neither what waits for a repair that fails, nor what comes while it cannot succeed.
TEST_P(Repair, MAD_ONE_NothingWaitsForOneThatFails) {
    const ExtraDevice extra;
    const ucmad_mad_address to = gsi_at(extra.device().path(GetParam()));
    const File file;
    const Agent agent = enroll(file, sender(extra.device()));
    expect_sent(agent, to);
    const Mad mad = ping(1, 0, method_send);
    const auto end_of_another = [&] {
        agent.post(send_only(mad, to));
        return completion_of(agent.expect_completion()).status;
    };
    extra.set_link(false);
    {
        const Broken broken("ib_modify_qp");
        EXPECT_EQ(end_of_another(), UCMAD_MAD_ERROR);
        extra.set_link(true); // the address can be found again, sooner or later
        EXPECT_TRUE(eventually([&] { return end_of_another() == UCMAD_MAD_ERROR; }));
        EXPECT_EQ(end_of_another(), UCMAD_MAD_ERROR);
    }
    EXPECT_TRUE(eventually([&] { return end_of_another() == UCMAD_MAD_SENT; }))
        << "it was not repaired";
}

class LoadFaults : public FaultTest {};
VM_FOR_SHORTAGES(LoadFaults);

Error load(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    must(fd == -1 ? last_error() : ok);
    const Error error = syscall(SYS_finit_module, fd, "", 0) == 0 ? ok : last_error();
    close(fd);
    return error;
}

TEST_P(LoadFaults, Load) {
    const char* path = std::getenv("UCMAD_MODULE");
    if (!path) {
        GTEST_SKIP() << "UCMAD_MODULE does not say where the module is";
    }
    main_device(); // known from before, as of all sweeps
    sweep([&](Faults& faults) {
        must(syscall(SYS_delete_module, "ucmad", O_NONBLOCK) == 0 ? ok : last_error());
        if (faults.during([&] { return load(path); }) != ok) {
            must(load(path));
        }
        // A device that there was no memory for comes with the module's next life.
        if (!find_device(main_device().name)) {
            faults.failed();
            must(syscall(SYS_delete_module, "ucmad", O_NONBLOCK) == 0 ? ok : last_error());
            must(load(path));
        }
        EXPECT_TRUE(find_device(main_device().name).has_value());
    });
}

} // namespace
} // namespace vm
