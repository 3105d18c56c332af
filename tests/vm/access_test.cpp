// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who may use what: permissions, network namespaces.
#include "support/agent.hpp"
#include "support/fixture.hpp"

#include <array>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

// Takes all capabilities from this thread but these.
void keep_capabilities(std::uint64_t kept) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    must(syscall(SYS_capget, &header, sets.data()) == 0 ? ok : last_error());
    for (__user_cap_data_struct& set : sets) {
        set.effective &= static_cast<std::uint32_t>(kept);
        kept >>= 32;
    }
    must(syscall(SYS_capset, &header, sets.data()) == 0 ? ok : last_error());
}

constexpr std::uint64_t capability(int number) { return std::uint64_t{1} << number; }

ucmad_mad_register sender_from_qp(std::uint8_t qp) {
    ucmad_mad_register arg = sender();
    arg.qp = qp;
    return arg;
}

// Each QP has its capability, and neither suffices for the other. That RoCE has no QP0 is not told
// to those who may not have it.
TEST(Access, ACCESS_AgentsNeedACapability) {
    const File file; // opened with all of them
    main_device();
    Child unprivileged([&] {
        must(setgid(65534) == 0 && setuid(65534) == 0, "no change of user");
        must(try_enroll(file, sender_from_qp(1)) == Error{EPERM}, "anybody has QP1");
        must(try_enroll(file, sender_from_qp(0)) == Error{EPERM}, "anybody has QP0");
    });
    Child raw([&] {
        keep_capabilities(capability(CAP_NET_RAW));
        must(try_enroll(file, sender_from_qp(1)));
        must(try_enroll(file, sender_from_qp(0)) == Error{EPERM}, "CAP_NET_RAW gives QP0");
    });
    Child admin([&] {
        keep_capabilities(capability(CAP_NET_ADMIN));
        must(try_enroll(file, sender_from_qp(1)) == Error{EPERM}, "CAP_NET_ADMIN gives QP1");
        must(try_enroll(file, sender_from_qp(0)) == Error{EOPNOTSUPP}, "there is a QP0");
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
