// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Unloading the module: refused while it is in use, and clean after its users were killed.
#include "support/fixture.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/syscall.h>
#include <unistd.h>

namespace vm {
namespace {

Error unload() { return syscall(SYS_delete_module, "ucmad", O_NONBLOCK) == 0 ? ok : last_error(); }

bool is_loaded() { return std::filesystem::exists("/sys/module/ucmad"); }

void load(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    must(fd == -1 ? last_error() : ok);
    const Error error = syscall(SYS_finit_module, fd, "", 0) == 0 ? ok : last_error();
    close(fd);
    must(error);
    wait_until([] { return access(UCMAD_DEVICE_PATH, R_OK | W_OK) == 0; }, "the device node");
}

class Module : public testing::Test {
protected:
    void SetUp() override {
        const char* path = std::getenv("UCMAD_MODULE");
        if (!path) {
            GTEST_SKIP() << "UCMAD_MODULE does not say where the module is";
        }
        module_path = path;
    }
    void TearDown() override {
        if (!module_path.empty() && !is_loaded()) {
            load(module_path);
        }
    }

    std::string module_path;
};

TEST_F(Module, DEL_EXIT_UnloadIsRefusedWhileAFileIsOpen) {
    const File file;
    EXPECT_EQ(unload(), Error{EWOULDBLOCK});
    EXPECT_TRUE(is_loaded());
    create(file); // works on
}

TEST_F(Module, DEL_EXIT_UnloadsAfterItsUsersWereKilled) {
    Child user([] {
        static File file;
        for (const int gid : {ipv6_gid, ipv4_gid}) {
            connect(file, file, gid); // lives as long as the file
            Connection piled_up(file, file, gid);
            piled_up.pile_up_events();
            take(file, {.max = 2}); // and never acknowledges
            must(create(file).req(request(main_device().dead_path(gid), new_service_id())));
        }
    });
    EXPECT_EQ(unload(), Error{EWOULDBLOCK});
    user.kill();
    EXPECT_TRUE(all_gone()) << leftovers();
    ASSERT_EQ(unload(), ok);
    EXPECT_FALSE(is_loaded());
    EXPECT_FALSE(std::filesystem::exists(UCMAD_DEVICE_PATH));

    load(module_path);
    const File file;
    Connection again(file, file, ipv4_gid);
    again.complete();
}

TEST_F(Module, DEL_HOTPLUG_DeviceRemovedBeforeTheModule) {
    {
        ExtraDevice extra;
        const File file;
        create(file, extra.device());
        extra.remove();
    }
    EXPECT_TRUE(all_gone()) << leftovers();
    EXPECT_EQ(unload(), ok);
}

} // namespace
} // namespace vm
