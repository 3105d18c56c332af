// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// EV-BATCH: how many ioctls a program needs, counted by strace.
#include "ioctl_programs.hpp"
#include "support/fixture.hpp"

#include <filesystem>
#include <fstream>

namespace vm {
namespace {

class IoctlCount : public testing::Test {
protected:
    // Starts a program under strace.
    std::unique_ptr<Blocking<int>> start(const std::string& program) {
        const std::string self = std::filesystem::read_symlink("/proc/self/exe");
        return std::make_unique<Blocking<int>>([this, self, program] {
            return try_run({"strace", "-f", "-o", trace, "-e", "trace=ioctl,getppid", self,
                            program_option, program, std::to_string(service)});
        });
    }

    // Sends a REQ to the program; tries again as long as it does not listen yet.
    Id request_to_program() const {
        for (;;) {
            const Id client = create(file);
            must(client.req(request(main_device().path(ipv4_gid), service)));
            const Event answer = take_one(file, client.handle());
            const bool unknown = answer.head.type == UCMAD_EVENT_CM_REJ &&
                                 answer.body<ucmad_cm_rej_event>().reason == rej_invalid_service_id;
            if (!unknown) {
                return client;
            }
            must(client.destroy());
            std::this_thread::sleep_for(20ms);
        }
    }

    // ioctls of the module between the marks: all, or those with this number.
    int counted(const std::string& number = "") const {
        std::ifstream lines(trace);
        int marks = 0;
        int count = 0;
        for (std::string line; std::getline(lines, line);) {
            if (line.find("getppid(") != std::string::npos) {
                ++marks;
            } else if (marks == 1 && line.find("0xcd, " + number) != std::string::npos) {
                ++count;
            }
        }
        EXPECT_EQ(marks, 2) << "strace has not seen the program to its end";
        return count;
    }

    const File file;
    const std::uint64_t service = new_service_id();
    const std::string trace = testing::TempDir() + "ucmad-ioctl-trace";
};

TEST_F(IoctlCount, EV_BATCH_AcceptingCostsAtMostThreeIoctls) {
    const auto program = start("accept");
    const Id client = request_to_program();
    must(client.rtu());
    ASSERT_EQ(program->result(), 0);
    EXPECT_LE(counted(), 3);
    EXPECT_GE(counted(), 1) << "nothing was counted";
}

TEST_F(IoctlCount, EV_BATCH_ConnectingCostsAtMostFourIoctls) {
    const Id listener = new_listener(file, service);
    const auto program = start("connect");
    must(born_of(file, take_one(file, listener.handle())).rep(reply()));
    ASSERT_EQ(program->result(), 0);
    EXPECT_LE(counted(), 4);
    EXPECT_GE(counted(), 1) << "nothing was counted";
}

TEST_F(IoctlCount, EV_BATCH_ServerLoopCostsOneIoctlARound) {
    const auto program = start("serve");
    for (int round = 0; round < loop_rounds; ++round) {
        request_to_program();
    }
    ASSERT_EQ(program->result(), 0);
    EXPECT_EQ(counted("0x2,"), loop_rounds);
}

} // namespace
} // namespace vm
