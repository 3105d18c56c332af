// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "abi.hpp"

#include <ucmad/path.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <system_error>

namespace ucmad {
namespace {

TEST(Gid, ParsesIpv6) {
    const Gid gid = Gid::parse("fe80::1:2");
    EXPECT_EQ(gid.bytes,
              (std::array<std::uint8_t, 16>{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2}));
    EXPECT_FALSE(gid.is_ipv4_mapped());
    EXPECT_EQ(to_string(gid), "fe80::1:2");
}

TEST(Gid, MapsIpv4) {
    const Gid gid = Gid::parse("10.0.0.1");
    EXPECT_EQ(gid.bytes, (std::array<std::uint8_t, 16>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10,
                                                       0, 0, 1}));
    EXPECT_TRUE(gid.is_ipv4_mapped());
    EXPECT_EQ(to_string(gid), "::ffff:10.0.0.1");
    EXPECT_EQ(Gid::parse(to_string(gid)), gid);
}

TEST(Gid, LongestTextIsRead) {
    const std::string longest = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255";
    EXPECT_EQ(longest.size(), 45U);
    EXPECT_EQ(to_string(Gid::parse(longest)), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
}

TEST(Gid, RefusesWhatIsNone) {
    for (const char* text : {"", " ", "10.0.0", "10.0.0.256", "fe80::1%eth0", "::g", "rxe0", "1:2",
                             "10.0.0.1 ", "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.2550"}) {
        std::error_code ec;
        EXPECT_TRUE(Gid::parse(text, ec).is_zero()) << text;
        EXPECT_EQ(ec, std::errc::invalid_argument) << text;
    }
    EXPECT_THROW(
        {
            try {
                (void)Gid::parse("nonsense");
            } catch (const std::system_error& error) {
                EXPECT_NE(std::string{error.what()}.find("'nonsense'"), std::string::npos);
                throw;
            }
        },
        std::system_error);
}

TEST(Gid, ClearsTheError) {
    std::error_code ec = std::make_error_code(std::errc::io_error);
    EXPECT_FALSE(Gid::parse("::1", ec).is_zero());
    EXPECT_FALSE(ec);
}

TEST(Gid, ZeroIsNone) {
    EXPECT_TRUE(Gid{}.is_zero());
    EXPECT_TRUE(Gid::parse("::").is_zero());
    EXPECT_FALSE(Gid::parse("::1").is_zero());
}

Path full_path() {
    Path path;
    path.dgid = Gid::parse("fe80::1");
    path.sgid = Gid::parse("fe80::2");
    path.flow_label = 0xabcde;
    path.dlid = 3;
    path.slid = 4;
    path.pkey = 0x8005;
    path.sgid_index = 6;
    path.port = 7;
    path.sl = 8;
    path.hop_limit = 9;
    path.traffic_class = 10;
    path.mtu = 5;
    path.rate = 11;
    path.packet_life_time = 12;
    path.dmac = {1, 2, 3, 4, 5, 6};
    return path;
}

TEST(Path, EveryMemberReachesTheAbiAndBack) {
    const Path path = full_path();
    ucmad_path abi = detail::to_abi(path);
    const ucmad_path zero{};
    EXPECT_EQ(std::memcmp(abi.dmac, zero.dmac, sizeof abi.dmac), 0)
        << "the module only tells the MAC address";
    std::ranges::copy(path.dmac, abi.dmac);
    EXPECT_EQ(detail::from_abi(abi), path);
    EXPECT_EQ(abi.pkey, 0x8005);
    EXPECT_EQ(abi.packet_life_time, 12);
}

} // namespace
} // namespace ucmad
