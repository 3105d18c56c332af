// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// CM-PATIENT: a program that is slow to answer keeps its peer. Time is what is tested here, so the
// sleeps are those of a slow program.
#include "support/fixture.hpp"

namespace vm {
namespace {

// How long a peer waits for an answer before it tries again, or gives up: a second or more.
const std::uint8_t response_timeout = scaled_iba_time(18);
// Patiences of the same and of twice the length.
const std::uint8_t short_patience = response_timeout;
const std::uint8_t long_patience = scaled_iba_time(19);

class CmPatient : public GidTest {
protected:
    // What it takes for a peer to be told to wait at all.
    const std::uint8_t enough_retries = has_mra_at_request() ? 0 : 1;

    Id listen(std::uint8_t patience) const {
        const Id listener = create(server_file);
        must(listener.listen(listening(service, 0, patience)));
        return listener;
    }
    ucmad_cm_req impatient_request(std::uint8_t retries) const {
        ucmad_cm_req arg = request(path(), service);
        arg.remote_cm_response_timeout = response_timeout;
        arg.local_cm_response_timeout = response_timeout;
        arg.max_cm_retries = retries;
        return arg;
    }
    Id take_req() const {
        const Event event = take_one(server_file);
        must(event.head.type == UCMAD_EVENT_CM_REQ, "no REQ");
        acknowledge(server_file, {ack_of(event)});
        return born_of(server_file, event);
    }
    // Longer than the peer would have waited with all its tries.
    static void be_slow(int retries) {
        std::this_thread::sleep_for(iba_time(response_timeout) * (retries + 1) +
                                    iba_time(response_timeout) / 2);
    }

    const std::uint64_t service = new_service_id();
    const Id client = create(client_file);
};
VM_FOR_BOTH_GIDS(CmPatient);

TEST_P(CmPatient, CM_PATIENT_SlowReplyOfAPeerWithoutRetries) {
    if (!has_mra_at_request()) {
        GTEST_SKIP() << "this kernel's CM only tells a peer to wait that repeats itself";
    }
    listen(0);
    must(client.req(impatient_request(0)));
    const Id server = take_req();
    be_slow(0);
    EXPECT_EQ(server.state(), UCMAD_CM_MRA_REQ_SENT);
    ASSERT_EQ(server.rep(reply()), ok);
    const Event mra = client.expect(UCMAD_EVENT_CM_MRA);
    EXPECT_GE(mra.body<ucmad_cm_mra_event>().service_timeout, UCMAD_PATIENCE_DEFAULT);
    client.expect(UCMAD_EVENT_CM_REP);
    EXPECT_EQ(client.rtu(), ok);
    server.expect(UCMAD_EVENT_CM_RTU);
}

TEST_P(CmPatient, CM_PATIENT_SlowReplyOfAPeerWithRetries) {
    listen(0);
    must(client.req(impatient_request(1)));
    const Id server = take_req();
    be_slow(1);
    ASSERT_EQ(server.rep(reply()), ok);
    client.expect(UCMAD_EVENT_CM_MRA);
    client.expect(UCMAD_EVENT_CM_REP);
}

TEST_P(CmPatient, CM_PATIENT_RequestThatIsNotEvenTaken) {
    listen(0);
    must(client.req(impatient_request(enough_retries)));
    client.expect(UCMAD_EVENT_CM_MRA);
    be_slow(enough_retries);
    ASSERT_EQ(take_req().rep(reply()), ok);
    client.expect(UCMAD_EVENT_CM_REP);
}

TEST_P(CmPatient, CM_PATIENT_SlowReadyToUse) {
    listen(UCMAD_PATIENCE_NONE);
    ucmad_cm_req arg = impatient_request(enough_retries);
    arg.patience = 0;
    must(client.req(arg));
    const Id server = take_req();
    must(server.rep(reply()));
    client.expect(UCMAD_EVENT_CM_REP);
    be_slow(enough_retries);
    EXPECT_EQ(client.state(), UCMAD_CM_MRA_REP_SENT);
    ASSERT_EQ(client.rtu(), ok);
    server.expect(UCMAD_EVENT_CM_MRA);
    server.expect(UCMAD_EVENT_CM_RTU);
}

TEST_P(CmPatient, CM_PATIENT_QuickAnswerNeedsNoMra) {
    listen(0);
    ucmad_cm_req arg = request(path(), service);
    arg.patience = 0;
    must(client.req(arg));
    const Id server = take_req();
    must(server.rep(reply()));
    client.expect(UCMAD_EVENT_CM_REP);
    must(client.rtu());
    server.expect(UCMAD_EVENT_CM_RTU);
}

TEST_P(CmPatient, CM_PATIENT_EndsWithARejAndAnEvent) {
    const auto start = Clock::now();
    listen(long_patience);
    must(client.req(impatient_request(enough_retries)));
    const Id server = take_req();
    const Event mra = client.expect(UCMAD_EVENT_CM_MRA);
    EXPECT_GT(mra.body<ucmad_cm_mra_event>().service_timeout, long_patience)
        << "the peer would give up as this side does, and the REJ come too late";
    const Event rej = client.expect(UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(rej.body<ucmad_cm_rej_event>().reason, rej_consumer);
    // As ib_cm reckons: 4 us * 2^n.
    EXPECT_GE(Clock::now() - start, iba_time(long_patience) / 4096 * 3900)
        << "the program had less time than it was given";
    const Event expired = server.expect(UCMAD_EVENT_CM_EXPIRED);
    EXPECT_EQ(expired.body<ucmad_cm_error_event>().error, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_EQ(server.rep(reply()), Error{ETIMEDOUT});
}

TEST_P(CmPatient, CM_PATIENT_EndsForAReadyToUseToo) {
    listen(UCMAD_PATIENCE_NONE);
    ucmad_cm_req arg = impatient_request(enough_retries);
    arg.patience = long_patience;
    must(client.req(arg));
    const Id server = take_req();
    must(server.rep(reply()));
    client.expect(UCMAD_EVENT_CM_REP);
    server.expect(UCMAD_EVENT_CM_MRA);
    const Event rej = server.expect(UCMAD_EVENT_CM_REJ);
    EXPECT_EQ(rej.body<ucmad_cm_rej_event>().reason, rej_consumer);
    client.expect(UCMAD_EVENT_CM_EXPIRED);
    EXPECT_EQ(client.rtu(), Error{ETIMEDOUT});
}

TEST_P(CmPatient, CM_PATIENT_NoneLetsThePeerTimeOut) {
    listen(UCMAD_PATIENCE_NONE);
    must(client.req(impatient_request(0)));
    const Id server = take_req();
    const Event error = client.expect(UCMAD_EVENT_CM_REQ_ERROR); // and no MRA before
    EXPECT_EQ(error.body<ucmad_cm_error_event>().error, static_cast<std::uint32_t>(ETIMEDOUT));
    EXPECT_TRUE(server.has_no_event());
}

TEST_P(CmPatient, CM_PATIENT_ExplicitMraTakesItsPlace) {
    if (!has_mra_at_request()) {
        GTEST_SKIP() << "this kernel's CM sends no MRA on request";
    }
    listen(short_patience);
    must(client.req(impatient_request(0)));
    const Id server = take_req();
    must(server.mra(wait_please(24)));
    const Event mra = client.expect(UCMAD_EVENT_CM_MRA);
    EXPECT_EQ(mra.body<ucmad_cm_mra_event>().service_timeout, 24);
    be_slow(1);
    EXPECT_EQ(server.rep(reply()), ok) << "the patience of the listener must not count any more";
    client.expect(UCMAD_EVENT_CM_REP);
}

TEST_P(CmPatient, CM_PATIENT_AnsweredInTimeDoesNotExpireLater) {
    listen(short_patience);
    ucmad_cm_req arg = impatient_request(3);
    arg.patience = short_patience;
    must(client.req(arg));
    const Id server = take_req();
    must(server.rep(reply()));
    client.expect(UCMAD_EVENT_CM_REP);
    must(client.rtu());
    server.expect(UCMAD_EVENT_CM_RTU);
    be_slow(1);
    EXPECT_TRUE(server.has_no_event());
    EXPECT_TRUE(client.has_no_event());
    EXPECT_EQ(client.state(), UCMAD_CM_ESTABLISHED);
    EXPECT_EQ(server.state(), UCMAD_CM_ESTABLISHED);
}

} // namespace
} // namespace vm
