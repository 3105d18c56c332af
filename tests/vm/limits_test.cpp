// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How much one file may have, and that much of it works.
#include "support/fixture.hpp"

#include <fstream>

namespace vm {
namespace {

// A module parameter that is set back at the end of the test.
class Parameter {
public:
    Parameter(const std::string& name, unsigned value)
        : path_("/sys/module/ucmad/parameters/" + name) {
        must(static_cast<bool>(std::ifstream(path_) >> before_), "no parameter " + name);
        set(value);
    }
    Parameter(const Parameter&) = delete;
    Parameter& operator=(const Parameter&) = delete;
    ~Parameter() { set(before_); }

private:
    void set(unsigned value) const { std::ofstream(path_) << value; }

    std::string path_;
    unsigned before_ = 0;
};

ucmad_query limits(const File& file) {
    auto query = sized<ucmad_query>();
    must(file.call(UCMAD_IOCTL_QUERY, &query));
    return query;
}

TEST(Limits, LIMITS_AreTold) {
    const File file;
    const ucmad_query query = limits(file);
    EXPECT_EQ(query.abi_version, static_cast<std::uint32_t>(UCMAD_ABI_VERSION));
    EXPECT_TRUE(query.features & UCMAD_FEATURE_CM);
    EXPECT_GE(query.max_objects, 10000U);
    EXPECT_GE(query.max_backlog, 128U);
}

TEST(Limits, LIMITS_DevicesAreListed) {
    const File file;
    const std::vector<ucmad_device_info> list = devices(file);
    ASSERT_EQ(list.size(), 1U);
    EXPECT_STREQ(list[0].name, "rxe0");
    EXPECT_EQ(list[0].port_count, 1U);
    EXPECT_EQ(list[0].roce_ports, 2U) << "bit 1 for port 1";
    EXPECT_NE(list[0].node_guid, 0U);
}

TEST(Limits, LIMITS_ObjectsOfOneFile) {
    const Parameter parameter("max_objects", 10);
    const File file;
    EXPECT_EQ(limits(file).max_objects, 10U);
    std::vector<Id> ids;
    for (int i = 0; i < 10; ++i) {
        ids.push_back(create(file));
    }
    auto arg = sized<ucmad_cm_create>();
    arg.device = main_device().index;
    EXPECT_EQ(file.call(UCMAD_IOCTL_CM_CREATE, &arg), Error{EMFILE});
    EXPECT_NO_THROW(create(File())) << "another file has its own limit";
    must(ids.back().destroy());
    EXPECT_EQ(file.call(UCMAD_IOCTL_CM_CREATE, &arg), ok);
}

TEST(Limits, LIMITS_FullFileDropsRequestsAndCountsThem) {
    const Parameter parameter("max_objects", 2);
    const File server_file;
    const File client_file;
    const std::uint64_t service = new_service_id();
    const Id listener = new_listener(server_file, service);
    create(server_file); // now it is full
    const Id client = create(client_file);
    must(client.req(request(main_device().path(ipv4_gid), service)));
    wait_until([&] { return listener.query().dropped == 1; }, "the dropped REQ");
    EXPECT_EQ(take(server_file, {}).error, Error{EAGAIN});
}

TEST(Limits, LIMITS_TenThousandCmIdsInOneFile) {
    constexpr std::size_t count = 10000;
    const File file;
    std::vector<Id> ids;
    for (std::size_t i = 0; i < count; ++i) {
        ids.push_back(create(file, main_device(), i));
        must(ids.back().listen(listening(new_service_id())));
    }
    EXPECT_EQ(statistic("objects"), count);
    EXPECT_EQ(ids.front().state(), UCMAD_CM_LISTEN);
    EXPECT_EQ(ids.back().state(), UCMAD_CM_LISTEN);

    // The last one is as alive as the first would be alone.
    const File client_file;
    const Id client = create(client_file);
    must(client.req(request(main_device().path(ipv4_gid), ids.back().query().service_id)));
    const Event req = take_one(file);
    EXPECT_EQ(req.head.context, count - 1);
    EXPECT_EQ(req.body<ucmad_cm_req_event>().listener, ids.back().handle());
    EXPECT_EQ(ids.back().destroy(), ok);
    EXPECT_EQ(ids.back().destroy(), Error{ENOENT});
    EXPECT_EQ(ids.front().destroy(), ok);
}

} // namespace
} // namespace vm
