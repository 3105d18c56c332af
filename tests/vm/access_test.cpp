// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who may use what: permissions, network namespaces.
#include "support/fixture.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vm {
namespace {

TEST(Access, ACCESS_NodeIsNotForEverybodyUnlessUdevSaysSo) {
    struct stat node {};
    ASSERT_EQ(stat(UCMAD_DEVICE_PATH, &node), 0);
    EXPECT_TRUE(S_ISCHR(node.st_mode));
    EXPECT_EQ(node.st_uid, 0U);
    Child unprivileged([] {
        must(setgid(65534) == 0 && setuid(65534) == 0, "no change of user");
        const int fd = open(UCMAD_DEVICE_PATH, O_RDWR | O_CLOEXEC);
        struct stat seen {};
        must(stat(UCMAD_DEVICE_PATH, &seen) == 0 ? ok : last_error());
        must((fd != -1) == ((seen.st_mode & 0006) == 0006), "the mode is not what counts");
    });
}

TEST(Access, ACCESS_CmNeedsTheNodeAndNoPrivilege) {
    const File file; // opened by root, used by nobody
    main_device();   // looked up while we may
    Child unprivileged([&] {
        must(setgid(65534) == 0 && setuid(65534) == 0, "no change of user");
        for (const int gid : {ipv6_gid, ipv4_gid}) {
            Connection c(file, file, gid);
            c.complete();
        }
    });
}

TEST(Access, ACCESS_FileOpenedInAnotherNamespaceOfASharedDevice) {
    Child elsewhere([] {
        must(unshare(CLONE_NEWNET) == 0 ? ok : last_error());
        const File file;
        must(devices(file).size() == 1, "a shared device is for every namespace");
        create(file);
    });
}

// rdma can be told to keep devices to their network namespaces, as long as there is only one.
class ExclusiveNamespaces {
public:
    ExclusiveNamespaces() : set_(try_run({"rdma", "system", "set", "netns", "exclusive"}) == 0) {}
    ExclusiveNamespaces(const ExclusiveNamespaces&) = delete;
    ExclusiveNamespaces& operator=(const ExclusiveNamespaces&) = delete;
    ~ExclusiveNamespaces() {
        if (set_) {
            // Namespaces of processes that have died linger for a while.
            EXPECT_TRUE(eventually([] {
                return try_run({"rdma", "system", "set", "netns", "shared"}) == 0;
            }));
        }
    }
    bool set() const { return set_; }

private:
    bool set_;
};

TEST(Access, ACCESS_DeviceOfAnotherNamespaceCannotBeUsed) {
    const std::uint32_t index = main_device().index;
    const ExclusiveNamespaces exclusive;
    if (!exclusive.set()) {
        GTEST_SKIP() << "this kernel does not let rdma's namespaces be made exclusive";
    }
    {
        const File here;
        EXPECT_EQ(devices(here).size(), 1U);
    }
    Child elsewhere([index] {
        must(unshare(CLONE_NEWNET) == 0 ? ok : last_error());
        const File file;
        must(devices(file).empty(), "the device of another namespace is listed");
        auto arg = sized<ucmad_cm_create>();
        arg.device = index;
        must(file.call(UCMAD_IOCTL_CM_CREATE, &arg) == Error{ENODEV}, "it can be used");
    });
    elsewhere.kill();
}

} // namespace
} // namespace vm
