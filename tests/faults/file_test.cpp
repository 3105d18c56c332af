// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The file, its objects and its events, while the kernel has no memory or cannot reach a program's.
#include "fixture.hpp"

#include <fcntl.h>
#include <infiniband/verbs.h>
#include <unistd.h>

namespace vm {
namespace {

class FileFaults : public FaultTest {};
VM_FOR_SHORTAGES(FileFaults);

// Without a shortage of memory these can meet a bad address alone.
class AddressFaults : public FaultTest {};
VM_WITH_MEMORY(AddressFaults);

TEST_P(FileFaults, Open) {
    sweep([](Faults& faults) {
        int fd = -1;
        const auto open_file = [&] {
            fd = open(UCMAD_DEVICE_PATH, O_RDWR | O_CLOEXEC);
            return fd == -1 ? last_error() : ok;
        };
        if (faults.during(open_file) != ok) {
            EXPECT_EQ(open_file(), ok);
        }
        EXPECT_EQ(close(fd), 0);
    });
}

TEST_P(AddressFaults, Query) {
    sweep([](Faults& faults) {
        const File file;
        auto arg = sized<ucmad_query>();
        faults.during([&] { return file.call(UCMAD_IOCTL_QUERY, &arg); });
        EXPECT_EQ(file.call(UCMAD_IOCTL_QUERY, &arg), ok);
    });
}

TEST_P(FileFaults, Devices) {
    sweep([](Faults& faults) {
        const File file;
        std::array<ucmad_device_info, 4> infos{};
        auto arg = sized<ucmad_devices>();
        arg.count = infos.size();
        arg.devices = address(infos.data());
        arg.entry_size = sizeof infos[0];
        faults.during([&] { return file.call(UCMAD_IOCTL_DEVICES, &arg); });
        EXPECT_EQ(devices(file).size(), 1U);
    });
}

TEST_P(FileFaults, Create) {
    sweep([](Faults& faults) {
        const File file;
        auto arg = sized<ucmad_cm_create>();
        arg.device = main_device().index;
        faults.during([&] { return file.call(UCMAD_IOCTL_CM_CREATE, &arg); });
        EXPECT_EQ(statistic("objects"), faults.has_failed() ? 0U : 1U);
        create(file);
    });
}

TEST_P(AddressFaults, SetContext) {
    sweep([](Faults& faults) {
        const File file;
        const Id id = create(file);
        faults.during([&] { return id.set_context(1); });
        EXPECT_EQ(id.set_context(2), ok);
    });
}

TEST_P(AddressFaults, Destroy) {
    sweep([](Faults& faults) {
        const File file;
        const Id id = create(file);
        // It may be gone and the program not know how many events went with it.
        if (faults.during([&] { return id.destroy(); }) != ok && statistic("objects")) {
            EXPECT_EQ(id.destroy(), ok);
        }
        EXPECT_EQ(statistic("objects"), 0U);
    });
}

TEST_P(AddressFaults, QueryAndAttributes) {
    sweep([](Faults& faults) {
        const File file;
        Connection connection = connect(file, file, ipv4_gid);
        ucmad_cm_query query{};
        faults.during([&] {
            const Error error = connection.client.call(UCMAD_IOCTL_CM_QUERY, &query);
            return error == ok ? connection.client.qp_attr(IBV_QPS_RTR) : error;
        });
        EXPECT_EQ(connection.client.state(), UCMAD_CM_ESTABLISHED);
        EXPECT_EQ(connection.client.qp_attr(IBV_QPS_RTR), ok);
        connection.complete();
    });
}

} // namespace
} // namespace vm
