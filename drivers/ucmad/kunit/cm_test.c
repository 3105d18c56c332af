// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* Operations on CM IDs: in which state each is good, what the CM is asked for, and which error. */
#include "../compat.h"
#include "program.h"

static struct ucmad_fake_cm *cm_fake(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	return &fixture->cm;
}

/* ---- each operation in each state -------------------------------------------------------- */

#define S(state) BIT(IB_CM_##state)
#define PROTOCOL (BIT(IB_CM_SIDR_REQ_RCVD + 1) - 1)
/* The states in which the CM has no ID. */
#define S_NEW BIT(IB_CM_SIDR_REQ_RCVD + 1)
#define S_RESOLVING BIT(IB_CM_SIDR_REQ_RCVD + 2)
#define S_REMOVED BIT(IB_CM_SIDR_REQ_RCVD + 3)
#define STATES (IB_CM_SIDR_REQ_RCVD + 4)

static const char *const cm_states[STATES] = {
	[IB_CM_IDLE] = "IDLE",
	[IB_CM_LISTEN] = "LISTEN",
	[IB_CM_REQ_SENT] = "REQ_SENT",
	[IB_CM_REQ_RCVD] = "REQ_RCVD",
	[IB_CM_MRA_REQ_SENT] = "MRA_REQ_SENT",
	[IB_CM_MRA_REQ_RCVD] = "MRA_REQ_RCVD",
	[IB_CM_REP_SENT] = "REP_SENT",
	[IB_CM_REP_RCVD] = "REP_RCVD",
	[IB_CM_MRA_REP_SENT] = "MRA_REP_SENT",
	[IB_CM_MRA_REP_RCVD] = "MRA_REP_RCVD",
	[IB_CM_ESTABLISHED] = "ESTABLISHED",
	[IB_CM_DREQ_SENT] = "DREQ_SENT",
	[IB_CM_DREQ_RCVD] = "DREQ_RCVD",
	[IB_CM_TIMEWAIT] = "TIMEWAIT",
	[IB_CM_SIDR_REQ_SENT] = "SIDR_REQ_SENT",
	[IB_CM_SIDR_REQ_RCVD] = "SIDR_REQ_RCVD",
	[IB_CM_SIDR_REQ_RCVD + 1] = "new",
	[IB_CM_SIDR_REQ_RCVD + 2] = "RESOLVING",
	[IB_CM_SIDR_REQ_RCVD + 3] = "REMOVED",
};

#define REQ_WAITS (S(REQ_RCVD) | S(MRA_REQ_SENT))
#define REP_WAITS (S(REP_RCVD) | S(MRA_REP_SENT))
#define REQ_UNDER_WAY (S(REQ_SENT) | S(MRA_REQ_RCVD))
#define REP_UNDER_WAY (S(REP_SENT) | S(MRA_REP_RCVD))
#define CONNECTING (REQ_WAITS | REP_WAITS | REQ_UNDER_WAY | REP_UNDER_WAY)

/**
 * struct state_outcome - What an operation comes to in some states.
 * @states: The states.
 * @calls: What the CM is asked for.
 * @error: What the program is told.
 */
struct state_outcome {
	u32 states;
	const char *calls;
	int error;
};

/**
 * struct state_case - What an operation comes to in each state.
 * @op: The operation.
 * @asks: What the CM, which knows the state, is asked for where the operation is not good, or NULL.
 * @outcomes: Where it is good, or bad in a way of its own. Elsewhere the error is -EBADFD, or
 *	      -ENODEV if the device is gone.
 */
struct state_case {
	const char *op;
	const char *asks;
	struct state_outcome outcomes[4];
};

static const struct state_case state_cases[] = {
	/* Who begins anew has a new ID of the CM. */
	{ "listen", NULL, { { S_NEW, "create listen ", 0 },
			    { S(IDLE), "create listen destroy ", 0 } } },
	{ "req", NULL, { { S_NEW, "create req ", 0 },
			 { S(IDLE), "destroy create req ", 0 } } },
	{ "roce_req", NULL, { { S_NEW, "resolve ", 0 },
			      { S(IDLE), "destroy resolve ", 0 } } },
	{ "sidr_req", NULL, { { S_NEW, "create sidr_req ", 0 },
			      { S(IDLE), "destroy create sidr_req ", 0 } } },
	{ "roce_sidr_req", NULL, { { S_NEW, "resolve ", 0 },
				   { S(IDLE), "destroy resolve ", 0 } } },
	{ "rep", "rep ", { { REQ_WAITS, "rep ", 0 } } },
	{ "rtu", "rtu ", { { REP_WAITS, "rtu ", 0 } } },
#if UCMAD_COMPAT_MRA_AT_REQUEST
	{ "mra", "mra ", { { S(REQ_RCVD) | S(REP_RCVD), "mra ", 0 } } },
#else
	/* The CM is not asked for it. */
	{ "mra", NULL, { { S(REQ_RCVD) | S(REP_RCVD), "", -EOPNOTSUPP } } },
#endif
	{ "dreq", "dreq ", { { S(ESTABLISHED), "dreq ", 0 } } },
	{ "drep", "drep ", { { S(DREQ_RCVD), "drep ", 0 } } },
	{ "sidr_rep", "sidr_rep ", { { S(SIDR_REQ_RCVD), "sidr_rep ", 0 } } },
	{ "qp_attr", "qp_attr ", { { CONNECTING | S(ESTABLISHED), "qp_attr ", 0 } } },
	/* A REQ or REP of our own is taken back by destroying the CM's ID, or not at all. */
	{ "rej", "rej ", { { REQ_WAITS | REP_WAITS, "rej ", 0 },
			   { REP_UNDER_WAY, "destroy ", 0 },
			   { REQ_UNDER_WAY, "", -EOPNOTSUPP } } },
	{ "time_out_rej", "rej ", { { REQ_WAITS | REP_WAITS, "rej ", 0 },
				    { REQ_UNDER_WAY, "destroy ", 0 },
				    { REP_UNDER_WAY, "", -EOPNOTSUPP } } },
	{ "comm_est", "comm_est ", { { REP_UNDER_WAY, "comm_est ", 0 },
				     { S(ESTABLISHED), "comm_est ", -EISCONN } } },
	/* Without an alternate path there is nothing to ask the CM for. */
	{ "path_mig", NULL },
};

static void state_case_name(const struct state_case *c, char *name)
{
	strscpy(name, c->op, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(state, state_cases, state_case_name);

static struct state_outcome cm_expected(const struct state_case *c, u32 state)
{
	bool has_id = BIT(state) & PROTOCOL;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(c->outcomes); i++)
		if (c->outcomes[i].states & BIT(state))
			return c->outcomes[i];
	return (struct state_outcome) {
		.calls = c->asks && has_id ? c->asks : "",
		.error = BIT(state) == S_REMOVED ? -ENODEV : -EBADFD,
	};
}

static void cm_bring_to(struct kunit *test, struct ucmad_cm *cm, u32 state)
{
	switch (BIT(state)) {
	case S_NEW:
		break;
	case S_RESOLVING:
		KUNIT_ASSERT_EQ(test, 0, ucmad_program_op_on(test, "roce_req", cm->object.handle));
		break;
	case S_REMOVED:
		ucmad_fixture_remove(test);
		break;
	default:
		cm->id = ucmad_cm_id_create(cm);
		KUNIT_ASSERT_FALSE(test, IS_ERR(cm->id));
		cm->id->state = state;
	}
}

static void cm_in_state(struct kunit *test, const struct state_case *c, u32 state)
{
	struct state_outcome expected = cm_expected(c, state);
	u32 handle = ucmad_program_id(test);
	struct ucmad_cm *cm = ucmad_program_cm(test, handle);
	struct ucmad_cm_query before;
	struct ib_cm_id *id;

	KUNIT_ASSERT_EQ(test, ucmad_cm_reserve_fill(cm), 0);
	cm_bring_to(test, cm, state);
	id = cm->id;
	before = ucmad_program_query(test, handle);
	ucmad_program_forget_calls(test);
	/* What else would be waited for. */
	if (!strcmp(c->op, "comm_est") && !expected.error)
		cm_fake(test)->late = IB_CM_USER_ESTABLISHED;

	KUNIT_EXPECT_EQ_MSG(test, ucmad_program_op_on(test, c->op, handle), expected.error,
			    "in %s", cm_states[state]);
	ucmad_program_expect_calls(test, expected.calls, cm_states[state]);
	if (!expected.error)
		return;
	/* CM-STATE: it changes nothing. */
	KUNIT_EXPECT_PTR_EQ(test, cm->id, id);
	KUNIT_EXPECT_EQ_MSG(test, ucmad_program_query(test, handle).state, before.state, "in %s",
			    cm_states[state]);
}

static void cm_op_in_states(struct kunit *test)
{
	u32 state;

	for (state = 0; state < STATES; state++)
		cm_in_state(test, test->param_value, state);
}

/* ---- why it is not good ------------------------------------------------------------------ */

/**
 * struct cause_case - Why the state does not allow an operation.
 * @name: Says it in words.
 * @state: The state, none that allows an RTU.
 * @begun: &ucmad_cm.begun.
 * @ended_here: &ucmad_cm.ended_here.
 * @known: &ucmad_cm.error.
 * @error: What the program is told.
 */
struct cause_case {
	const char *name;
	enum ib_cm_state state;
	bool begun;
	bool ended_here;
	u32 known;
	int error;
};

static const struct cause_case cause_cases[] = {
	{ "nothing was begun", IB_CM_IDLE, .error = -EBADFD },
	{ "too early", IB_CM_REQ_SENT, .begun = true, .error = -EBADFD },
	{ "too late", IB_CM_ESTABLISHED, .begun = true, .error = -EBADFD },
	{ "rejected, as only the CM knows", IB_CM_IDLE, .begun = true, .error = -ECONNRESET },
	{ "rejected late, likewise", IB_CM_TIMEWAIT, .begun = true, .error = -ECONNRESET },
	{ "disconnected, likewise", IB_CM_DREQ_RCVD, .begun = true, .error = -ECONNRESET },
	{ "ended by the program", IB_CM_TIMEWAIT, .begun = true, .ended_here = true,
	  .error = -EBADFD },
	{ "ended by the program, and idle", IB_CM_IDLE, .begun = true, .ended_here = true,
	  .error = -EBADFD },
	{ "rejected", IB_CM_IDLE, .begun = true, .known = ECONNRESET, .error = -ECONNRESET },
	{ "no answer", IB_CM_IDLE, .begun = true, .known = ETIMEDOUT, .error = -ETIMEDOUT },
	{ "no answer to a SIDR REQ", IB_CM_IDLE, .known = ETIMEDOUT, .error = -ETIMEDOUT },
	{ "no answer to a DREQ", IB_CM_TIMEWAIT, .begun = true, .ended_here = true,
	  .known = ETIMEDOUT, .error = -ETIMEDOUT },
};

static void cause_case_name(const struct cause_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cause, cause_cases, cause_case_name);

static void cm_cause(struct kunit *test)
{
	const struct cause_case *c = test->param_value;
	u32 handle = ucmad_program_id(test);
	struct ucmad_cm *cm = ucmad_program_cm(test, handle);

	cm_bring_to(test, cm, c->state);
	cm->begun = c->begun;
	cm->ended_here = c->ended_here;
	cm->error = c->known;
	KUNIT_EXPECT_EQ(test, ucmad_program_op_on(test, "rtu", handle), c->error);
	/* A query says the same. */
	KUNIT_EXPECT_EQ(test, ucmad_program_query(test, handle).error,
			c->error == -EBADFD ? 0 : -c->error);
	/* Who begins anew has nothing to do with the last connection. */
	if (c->state != IB_CM_IDLE)
		return;
	KUNIT_EXPECT_EQ(test, ucmad_program_op_on(test, "req", handle), 0);
	KUNIT_EXPECT_EQ(test, ucmad_program_op_on(test, "rtu", handle), -EBADFD);
	KUNIT_EXPECT_EQ(test, ucmad_program_query(test, handle).error, 0);
}

/* ---- the CM fails ------------------------------------------------------------------------ */

/**
 * struct failure_case - The CM fails, although the state is good.
 * @op: The operation.
 * @state: A state that it is good in.
 * @fails: What the CM fails in, ...
 * @with: ... how, ...
 * @error: ... and what the program is told.
 * @calls: What the CM was asked for.
 */
struct failure_case {
	const char *op;
	u32 state;
	enum ucmad_fake_op fails;
	int with;
	int error;
	const char *calls;
};

static const struct failure_case failure_cases[] = {
	{ "listen", IB_CM_IDLE, UCMAD_FAKE_CREATE, -ENOMEM, -ENOMEM, "create " },
	{ "listen", IB_CM_IDLE, UCMAD_FAKE_LISTEN, -ENOMEM, -ENOMEM, "create listen destroy " },
	{ "listen", IB_CM_IDLE, UCMAD_FAKE_LISTEN, -EBUSY, -EADDRINUSE, "create listen destroy " },
	{ "req", IB_CM_IDLE, UCMAD_FAKE_CREATE, -ENOMEM, -ENOMEM, "destroy create " },
	{ "req", IB_CM_IDLE, UCMAD_FAKE_REQ, -ENOMEM, -ENOMEM, "destroy create req destroy " },
	{ "sidr_req", IB_CM_IDLE, UCMAD_FAKE_SIDR_REQ, -EAGAIN, -EAGAIN,
	  "destroy create sidr_req destroy " },
	{ "rep", IB_CM_REQ_RCVD, UCMAD_FAKE_REP, -ENOMEM, -ENOMEM, "rep " },
	{ "rtu", IB_CM_REP_RCVD, UCMAD_FAKE_RTU, -ENOMEM, -ENOMEM, "rtu " },
	{ "rej", IB_CM_REQ_RCVD, UCMAD_FAKE_REJ, -ENOMEM, -ENOMEM, "rej " },
	{ "dreq", IB_CM_ESTABLISHED, UCMAD_FAKE_DREQ, -ENOMEM, -ENOMEM, "dreq " },
	{ "drep", IB_CM_DREQ_RCVD, UCMAD_FAKE_DREP, -ENOMEM, -ENOMEM, "drep " },
	{ "sidr_rep", IB_CM_SIDR_REQ_RCVD, UCMAD_FAKE_SIDR_REP, -ENOMEM, -ENOMEM, "sidr_rep " },
	{ "comm_est", IB_CM_REP_SENT, UCMAD_FAKE_COMM_EST, -ENOMEM, -ENOMEM, "comm_est " },
	{ "qp_attr", IB_CM_REP_SENT, UCMAD_FAKE_QP_ATTR, -ENODATA, -ENODATA, "qp_attr " },
};

static void failure_case_name(const struct failure_case *c, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s: \"%s\" %d", c->op, c->calls, c->error);
}

KUNIT_ARRAY_PARAM(failure, failure_cases, failure_case_name);

/* What has failed can be tried again. */
static void cm_failure(struct kunit *test)
{
	const struct failure_case *c = test->param_value;
	u32 handle = ucmad_program_id(test);
	struct ucmad_cm *cm = ucmad_program_cm(test, handle);
	u32 state;

	cm_bring_to(test, cm, c->state);
	state = ucmad_program_query(test, handle).state;
	ucmad_program_forget_calls(test);
	cm_fake(test)->errors[c->fails] = c->with;
	KUNIT_EXPECT_EQ(test, ucmad_program_op_on(test, c->op, handle), c->error);
	ucmad_program_expect_calls(test, c->calls, c->op);
	KUNIT_EXPECT_EQ(test, ucmad_program_query(test, handle).state, state);

	cm_fake(test)->errors[c->fails] = 0;
	KUNIT_ASSERT_EQ(test, ucmad_cm_reserve_fill(cm), 0);
	if (c->fails == UCMAD_FAKE_COMM_EST)
		cm_fake(test)->late = IB_CM_USER_ESTABLISHED;
	KUNIT_EXPECT_EQ(test, ucmad_program_op_on(test, c->op, handle), 0);
}

/* ---- service IDs ------------------------------------------------------------------------- */

/* Somebody else is given the same service ID at a time: another is asked for, but not for ever. */
static void cm_listen_assign(struct kunit *test)
{
	char calls[sizeof(cm_fake(test)->calls)] = "create ";
	u32 i;
	struct ucmad_cm_listen args = { .object = ucmad_program_id(test),
					.flags = UCMAD_LISTEN_ASSIGN };

	cm_fake(test)->errors[UCMAD_FAKE_LISTEN] = -EBUSY;
	KUNIT_EXPECT_EQ(test, -EADDRINUSE,
			ucmad_program_ioctl(test, UCMAD_IOCTL_CM_LISTEN, &args, sizeof(args)));
	for (i = 0; i < 16; i++)
		strlcat(calls, "listen ", sizeof(calls));
	strlcat(calls, "destroy ", sizeof(calls));
	ucmad_program_expect_calls(test, calls, "busy");
	cm_fake(test)->errors[UCMAD_FAKE_LISTEN] = 0;
	KUNIT_EXPECT_EQ(test, 0,
			ucmad_program_ioctl(test, UCMAD_IOCTL_CM_LISTEN, &args, sizeof(args)));
	KUNIT_EXPECT_EQ(test, args.service_id, be64_to_cpu(IB_CM_ASSIGN_SERVICE_ID));
}

/* Who cannot be told the service ID does not listen. */
static void cm_listen_unheard(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	u32 handle = ucmad_program_id(test);
	struct ucmad_cm *cm = ucmad_program_cm(test, handle);
	struct ucmad_cm_listen args = {
		.size = sizeof(args),
		.object = handle,
		.service_id = 1,
	};

	KUNIT_ASSERT_EQ(test, ucmad_user_write(UCMAD_USER_READABLE, &args, sizeof(args)), 0);
	KUNIT_EXPECT_EQ(test, -EFAULT,
			ucmad_user_ioctl_at(fixture->filp, UCMAD_IOCTL_CM_LISTEN,
					    UCMAD_USER_READABLE));
	KUNIT_EXPECT_NULL(test, cm->id);
	ucmad_program_expect_calls(test, "", "no answer possible");
}

static struct kunit_case ucmad_cm_tests[] = {
	KUNIT_CASE_PARAM(cm_op_in_states, state_gen_params),
	KUNIT_CASE_PARAM(cm_cause, cause_gen_params),
	KUNIT_CASE_PARAM(cm_failure, failure_gen_params),
	KUNIT_CASE(cm_listen_assign),
	KUNIT_CASE(cm_listen_unheard),
	{}
};

static struct kunit_suite ucmad_cm_suite = {
	.name = "ucmad_cm",
	.suite_init = ucmad_program_suite_init,
	.suite_exit = ucmad_program_suite_exit,
	.init = ucmad_program_init,
	.exit = ucmad_program_exit,
	.test_cases = ucmad_cm_tests,
};

kunit_test_suite(ucmad_cm_suite);
