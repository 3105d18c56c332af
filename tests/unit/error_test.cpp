// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/cm_id.hpp>
#include <ucmad/error.hpp>

#include <gtest/gtest.h>

#include <array>

namespace ucmad {
namespace {

TEST(Reject, NamesOfIbta) {
    EXPECT_EQ(reject_name(1), "no QP available");
    EXPECT_EQ(reject_name(8), "invalid service ID");
    EXPECT_EQ(reject_name(28), "consumer reject");
    EXPECT_EQ(reject_name(33), "invalid alternate flow label");
    EXPECT_EQ(reject_name(35), "vendor option not supported");
}

TEST(Reject, UnknownReasons) {
    for (const std::uint16_t reason : std::array<std::uint16_t, 4>{0, 34, 36, 65535})
        EXPECT_EQ(reject_name(reason), "unknown reason") << reason;
    EXPECT_EQ(make_error_code(RejectReason{99}).message(), "rejected: unknown reason (99)");
}

TEST(Reject, IsAnErrorCode) {
    const std::error_code code = RejectReason::invalid_service_id;
    EXPECT_EQ(code.category(), reject_category());
    EXPECT_STREQ(code.category().name(), "ucmad-reject");
    EXPECT_EQ(code.message(), "rejected: invalid service ID");
    EXPECT_EQ(code, std::errc::connection_refused);
    EXPECT_EQ(code, RejectReason::invalid_service_id);
    EXPECT_NE(code, RejectReason::consumer_reject);
}

TEST(Reject, TimeoutIsATimeout) {
    EXPECT_EQ(make_error_code(RejectReason::timeout), std::errc::timed_out);
    EXPECT_NE(make_error_code(RejectReason::timeout), std::errc::connection_refused);
}

TEST(Sidr, StatusNames) {
    EXPECT_EQ(sidr_status_name(0), "success");
    EXPECT_EQ(sidr_status_name(1), "unsupported service");
    EXPECT_EQ(sidr_status_name(5), "unsupported version");
    EXPECT_EQ(sidr_status_name(6), "unknown status");
    const std::error_code code = SidrStatus::no_qp;
    EXPECT_EQ(code.message(), "SIDR: no QP");
    EXPECT_EQ(make_error_code(SidrStatus{77}).message(), "SIDR: unknown status (77)");
    EXPECT_EQ(code, std::errc::connection_refused);
}

TEST(Sidr, SuccessIsNoError) { EXPECT_FALSE(make_error_code(SidrStatus::success)); }

TEST(State, Names) {
    EXPECT_EQ(state_name(CmState::idle), "idle");
    EXPECT_EQ(state_name(CmState::mra_rep_sent), "MRA to REP sent");
    EXPECT_EQ(state_name(CmState::removed), "removed");
    EXPECT_EQ(state_name(CmState{18}), "unknown state");
}

} // namespace
} // namespace ucmad
