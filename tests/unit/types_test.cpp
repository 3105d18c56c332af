// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/types.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ucmad {
namespace {

using namespace std::chrono_literals;

TEST(Time, CodesAreIbta) {
    EXPECT_EQ(decode_time(0), 4096ns);
    EXPECT_EQ(decode_time(1), 8192ns);
    EXPECT_EQ(decode_time(20), 4096ns * (1 << 20));
    EXPECT_EQ(decode_time(31), 4096ns * (std::int64_t{1} << 31));
    EXPECT_EQ(decode_time(255), decode_time(31)) << "too large codes saturate";
}

TEST(Time, EncodeRoundsUp) {
    EXPECT_EQ(encode_time(-1ns), 0);
    EXPECT_EQ(encode_time(4096ns), 0);
    EXPECT_EQ(encode_time(4097ns), 1);
    EXPECT_EQ(encode_time(24h), 31) << "longer than any code says";
    for (std::uint8_t code = 0; code < 32; ++code)
        EXPECT_EQ(encode_time(decode_time(code)), code);
}

TEST(BytesOf, LiteralWithoutItsZero) {
    EXPECT_EQ(bytes_of("hello").size(), 5U);
    EXPECT_EQ(bytes_of("").size(), 0U);
    EXPECT_EQ(bytes_of("a")[0], std::byte{'a'});
}

TEST(BytesOf, String) {
    const std::string text = "some text";
    EXPECT_EQ(bytes_of(text).size(), text.size());
    EXPECT_EQ(static_cast<const void*>(bytes_of(text).data()), text.data());
}

} // namespace
} // namespace ucmad
