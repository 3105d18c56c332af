// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Unloading the module: refused while it is in use, and clean after its users were killed.
#include "support/fixture.hpp"
#include "support/module.hpp"

#include <cstdlib>
#include <filesystem>

namespace vm {
namespace {

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
        if (!module_path.empty() && !module_is_loaded()) {
            load_module(module_path);
        }
    }

    std::string module_path;
};

TEST_F(Module, DEL_EXIT_UnloadIsRefusedWhileAFileIsOpen) {
    const File file;
    EXPECT_EQ(unload_module(), Error{EWOULDBLOCK});
    EXPECT_TRUE(module_is_loaded());
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
    EXPECT_EQ(unload_module(), Error{EWOULDBLOCK});
    user.kill();
    EXPECT_TRUE(all_gone()) << leftovers();
    ASSERT_EQ(unload_module(), ok);
    EXPECT_FALSE(module_is_loaded());
    EXPECT_FALSE(std::filesystem::exists(UCMAD_DEVICE_PATH));

    load_module(module_path);
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
    EXPECT_EQ(unload_module(), ok);
}

} // namespace
} // namespace vm
