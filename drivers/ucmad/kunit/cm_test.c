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

/**
 * struct state_case - What an operation does in some states.
 * @op: The operation.
 * @states: The states.
 * @calls: What the CM is asked for.
 * @error: What the program is told.
 */
struct state_case {
	const char *op;
	u32 states;
	const char *calls;
	int error;
};

/* Wants a new ID of the CM: what is done for one that is new, and for one that is idle again. */
#define BEGINS(_op, _new, _idle)						\
	{ _op, S_NEW, _new, 0 },						\
	{ _op, S(IDLE), _idle, 0 },						\
	{ _op, (PROTOCOL & ~S(IDLE)) | S_RESOLVING, "", -EBADFD },		\
	{ _op, S_REMOVED, "", -ENODEV }

/* What the CM is not even asked for where it has no ID. */
#define NEEDS_ID(_op)								\
	{ _op, S_NEW | S_RESOLVING, "", -EBADFD },				\
	{ _op, S_REMOVED, "", -ENODEV }

/* It is the CM that knows the state. */
#define GOES_ON(_op, _good)							\
	{ _op, _good, _op " ", 0 },						\
	{ _op, PROTOCOL & ~(_good), _op " ", -EBADFD },				\
	NEEDS_ID(_op)

#define REQ_WAITS (S(REQ_RCVD) | S(MRA_REQ_SENT))
#define REP_WAITS (S(REP_RCVD) | S(MRA_REP_SENT))
#define REQ_UNDER_WAY (S(REQ_SENT) | S(MRA_REQ_RCVD))
#define REP_UNDER_WAY (S(REP_SENT) | S(MRA_REP_RCVD))
#define CONNECTING (REQ_WAITS | REP_WAITS | REQ_UNDER_WAY | REP_UNDER_WAY)

static const struct state_case state_cases[] = {
	BEGINS("listen", "create listen ", "create listen destroy "),
	BEGINS("req", "create req ", "destroy create req "),
	BEGINS("roce_req", "resolve ", "destroy resolve "),
	BEGINS("sidr_req", "create sidr_req ", "destroy create sidr_req "),
	BEGINS("roce_sidr_req", "resolve ", "destroy resolve "),
	GOES_ON("rep", REQ_WAITS),
	GOES_ON("rtu", REP_WAITS),
#if UCMAD_COMPAT_MRA_AT_REQUEST
	GOES_ON("mra", S(REQ_RCVD) | S(REP_RCVD)),
#endif
	GOES_ON("dreq", S(ESTABLISHED)),
	GOES_ON("drep", S(DREQ_RCVD)),
	GOES_ON("sidr_rep", S(SIDR_REQ_RCVD)),
	GOES_ON("qp_attr", CONNECTING | S(ESTABLISHED)),

	/* A REQ or REP of our own is taken back by destroying the CM's ID, or not at all. */
	{ "rej", REQ_WAITS | REP_WAITS, "rej ", 0 },
	{ "rej", REP_UNDER_WAY, "destroy ", 0 },
	{ "rej", REQ_UNDER_WAY, "", -EOPNOTSUPP },
	{ "rej", PROTOCOL & ~CONNECTING, "rej ", -EBADFD },
	NEEDS_ID("rej"),
	{ "time_out_rej", REQ_WAITS | REP_WAITS, "rej ", 0 },
	{ "time_out_rej", REQ_UNDER_WAY, "destroy ", 0 },
	{ "time_out_rej", REP_UNDER_WAY, "", -EOPNOTSUPP },
	{ "time_out_rej", PROTOCOL & ~CONNECTING, "rej ", -EBADFD },
	NEEDS_ID("time_out_rej"),

	{ "comm_est", REP_UNDER_WAY, "comm_est ", 0 },
	{ "comm_est", S(ESTABLISHED), "comm_est ", -EISCONN },
	{ "comm_est", PROTOCOL & ~REP_UNDER_WAY & ~S(ESTABLISHED), "comm_est ", -EBADFD },
	NEEDS_ID("comm_est"),
	/* Without an alternate path there is nothing to ask the CM for. */
	{ "path_mig", PROTOCOL, "", -EBADFD },
	NEEDS_ID("path_mig"),
};

static void state_case_name(const struct state_case *c, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s in %#x: \"%s\" %d", c->op, c->states, c->calls,
		 c->error);
}

KUNIT_ARRAY_PARAM(state, state_cases, state_case_name);

static void cm_bring_to(struct kunit *test, struct ucmad_cm *cm, u32 state)
{
	struct ucmad_fixture *fixture = test->priv;

	switch (BIT(state)) {
	case S_NEW:
		break;
	case S_RESOLVING:
		KUNIT_ASSERT_EQ(test, 0, ucmad_program_op_on(test, "roce_req", cm->object.handle));
		break;
	case S_REMOVED:
		ucmad_device_end(fixture->device);
		fixture->device = NULL;
		break;
	default:
		cm->id = ucmad_cm_id_create(cm);
		KUNIT_ASSERT_FALSE(test, IS_ERR(cm->id));
		cm->id->state = state;
	}
}

static void cm_in_state(struct kunit *test, const struct state_case *c, u32 state)
{
	u32 handle = ucmad_program_id(test);
	struct ucmad_cm *cm = ucmad_program_cm(test, handle);
	struct ucmad_cm_query before;
	struct ib_cm_id *id;

	KUNIT_ASSERT_EQ(test, ucmad_cm_reserve_fill(cm), 0);
	cm_bring_to(test, cm, state);
	id = cm->id;
	before = ucmad_program_query(test, handle);
	cm_fake(test)->calls[0] = '\0';
	/* What else would be waited for. */
	if (!strcmp(c->op, "comm_est") && !c->error)
		cm_fake(test)->late = IB_CM_USER_ESTABLISHED;

	KUNIT_EXPECT_EQ_MSG(test, ucmad_program_op_on(test, c->op, handle), c->error, "in %s",
			    cm_states[state]);
	ucmad_program_expect_calls(test, c->calls, cm_states[state]);
	if (!c->error)
		return;
	/* CM-STATE: it changes nothing. */
	KUNIT_EXPECT_PTR_EQ(test, cm->id, id);
	KUNIT_EXPECT_EQ_MSG(test, ucmad_program_query(test, handle).state, before.state, "in %s",
			    cm_states[state]);
}

static void cm_op_in_states(struct kunit *test)
{
	const struct state_case *c = test->param_value;
	u32 state;

	for (state = 0; state < STATES; state++)
		if (c->states & BIT(state))
			cm_in_state(test, c, state);
}

/* The table has each operation in each state, and once. */
static void cm_table_is_complete(struct kunit *test)
{
	u32 i, j, states;

	for (i = 0; i < ARRAY_SIZE(state_cases); i++) {
		states = 0;
		for (j = 0; j < ARRAY_SIZE(state_cases); j++) {
			if (strcmp(state_cases[i].op, state_cases[j].op))
				continue;
			KUNIT_EXPECT_EQ_MSG(test, states & state_cases[j].states, 0, "%s",
					    state_cases[j].op);
			states |= state_cases[j].states;
		}
		KUNIT_EXPECT_EQ_MSG(test, states, BIT(STATES) - 1, "%s", state_cases[i].op);
	}
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
	KUNIT_EXPECT_EQ(test, ucmad_program_query(test, handle).error, c->known);
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
	cm_fake(test)->calls[0] = '\0';
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

#define ASSIGN_TRIES "listen listen listen listen "

/* Somebody else is given the same service ID at the same time: another is asked for, not for ever. */
static void cm_listen_assign(struct kunit *test)
{
	struct ucmad_cm_listen args = { .object = ucmad_program_id(test),
					.flags = UCMAD_LISTEN_ASSIGN };

	cm_fake(test)->errors[UCMAD_FAKE_LISTEN] = -EBUSY;
	KUNIT_EXPECT_EQ(test, -EADDRINUSE,
			ucmad_program_ioctl(test, UCMAD_IOCTL_CM_LISTEN, &args, sizeof(args)));
	ucmad_program_expect_calls(test, "create " ASSIGN_TRIES ASSIGN_TRIES ASSIGN_TRIES
				   ASSIGN_TRIES "destroy ", "busy");
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
	KUNIT_CASE(cm_table_is_complete),
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
