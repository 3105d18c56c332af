// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* What programs read of the CM's events, and what they are told together with them. */
#include "program.h"

/**
 * struct cm_told - A program that is told of one event.
 * @test: The test.
 * @handle: The CM ID that it has.
 * @event: The event, as the CM has it.
 * @got: The same, as the program gets it.
 */
struct cm_told {
	struct kunit *test;
	u32 handle;
	struct ib_cm_event event;
	struct ucmad_program_event got;
};

static struct cm_told *cm_told_of(struct kunit *test, enum ib_cm_event_type type)
{
	struct cm_told *told = kunit_kzalloc(test, sizeof(*told), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, told);
	told->test = test;
	told->handle = ucmad_program_id(test);
	told->event = ucmad_fake_event(type);
	return told;
}

static struct ib_cm_id *cm_newest(struct cm_told *told)
{
	struct ucmad_fixture *fixture = told->test->priv;

	KUNIT_ASSERT_NOT_NULL(told->test, fixture->cm.newest);
	return fixture->cm.newest;
}

/* It happens to a connection, or, if it is a birth, to a listener; and the program takes it. */
static const void *cm_tell(struct cm_told *told)
{
	enum ib_cm_event_type type = told->event.event;
	bool birth = type == IB_CM_REQ_RECEIVED || type == IB_CM_SIDR_REQ_RECEIVED;
	struct kunit *test = told->test;
	int ret;

	KUNIT_ASSERT_EQ(test, 0,
			ucmad_program_op_on(test, birth ? "listen" : "req", told->handle));
	ret = birth ? ucmad_fake_bear(cm_newest(told), &told->event) :
		      ucmad_fake_deliver(cm_newest(told), &told->event);
	KUNIT_ASSERT_EQ(test, ret, 0);
	KUNIT_ASSERT_EQ(test, ucmad_program_take(test, 0, &told->got), 0);
	return told->got.payload;
}

/* ---- type, length, private data ---------------------------------------------------------- */

/**
 * struct shape_case - The shape of an event.
 * @name: Of the event.
 * @event: As the CM has it.
 * @type: As programs have it.
 * @body_len: Bytes of body.
 * @data_len: Bytes of private data.
 */
struct shape_case {
	const char *name;
	enum ib_cm_event_type event;
	enum ucmad_event_type type;
	u32 body_len;
	u32 data_len;
};

#define BODY(body) sizeof(struct ucmad_cm_##body##_event)

/* The lengths are those of the ABI's description. */
static const struct shape_case shape_cases[] = {
	{ "REQ", IB_CM_REQ_RECEIVED, UCMAD_EVENT_CM_REQ, BODY(req), 92 },
	{ "REQ_ERROR", IB_CM_REQ_ERROR, UCMAD_EVENT_CM_REQ_ERROR, BODY(error), 0 },
	{ "REP", IB_CM_REP_RECEIVED, UCMAD_EVENT_CM_REP, BODY(rep), 196 },
	{ "REP_ERROR", IB_CM_REP_ERROR, UCMAD_EVENT_CM_REP_ERROR, BODY(error), 0 },
	{ "RTU", IB_CM_RTU_RECEIVED, UCMAD_EVENT_CM_RTU, 0, 224 },
	{ "USER_ESTABLISHED", IB_CM_USER_ESTABLISHED, UCMAD_EVENT_CM_USER_ESTABLISHED, 0, 0 },
	{ "DREQ", IB_CM_DREQ_RECEIVED, UCMAD_EVENT_CM_DREQ, 0, 220 },
	{ "DREQ_ERROR", IB_CM_DREQ_ERROR, UCMAD_EVENT_CM_DREQ_ERROR, BODY(error), 0 },
	{ "DREP", IB_CM_DREP_RECEIVED, UCMAD_EVENT_CM_DREP, 0, 224 },
	{ "TIMEWAIT_EXIT", IB_CM_TIMEWAIT_EXIT, UCMAD_EVENT_CM_TIMEWAIT_EXIT, 0, 0 },
	{ "MRA", IB_CM_MRA_RECEIVED, UCMAD_EVENT_CM_MRA, BODY(mra), 222 },
	{ "REJ", IB_CM_REJ_RECEIVED, UCMAD_EVENT_CM_REJ, BODY(rej), 148 },
	{ "LAP_ERROR", IB_CM_LAP_ERROR, UCMAD_EVENT_CM_LAP_ERROR, BODY(error), 0 },
	{ "LAP", IB_CM_LAP_RECEIVED, UCMAD_EVENT_CM_LAP, BODY(lap), 168 },
	{ "APR", IB_CM_APR_RECEIVED, UCMAD_EVENT_CM_APR, BODY(apr), 148 },
	{ "SIDR_REQ", IB_CM_SIDR_REQ_RECEIVED, UCMAD_EVENT_CM_SIDR_REQ, BODY(sidr_req), 216 },
	{ "SIDR_REQ_ERROR", IB_CM_SIDR_REQ_ERROR, UCMAD_EVENT_CM_SIDR_REQ_ERROR, BODY(error), 0 },
	{ "SIDR_REP", IB_CM_SIDR_REP_RECEIVED, UCMAD_EVENT_CM_SIDR_REP, BODY(sidr_rep), 136 },
};

static void shape_case_name(const struct shape_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(shape, shape_cases, shape_case_name);

static void cm_event_shape(struct kunit *test)
{
	const struct shape_case *c = test->param_value;
	struct cm_told *told = cm_told_of(test, c->event);
	const struct ucmad_event *head = &told->got.head;
	u32 i;

	cm_tell(told);
	KUNIT_EXPECT_EQ(test, head->type, c->type);
	KUNIT_EXPECT_EQ(test, head->data_offset, sizeof(*head) + c->body_len);
	KUNIT_EXPECT_EQ(test, head->data_len, c->data_len);
	KUNIT_EXPECT_EQ(test, head->size, ALIGN(head->data_offset + c->data_len, 8));
	KUNIT_EXPECT_EQ(test, head->flags, UCMAD_EVENT_HELD);
	KUNIT_EXPECT_EQ(test, head->sequence, 1);
	KUNIT_EXPECT_EQ(test, head->reserved, 0);
	KUNIT_EXPECT_GT(test, head->time, 0);
	for (i = 0; i < c->data_len; i++)
		KUNIT_ASSERT_EQ(test, told->got.payload[c->body_len + i], UCMAD_FAKE_DATA(i));
	/* Nothing of the kernel's memory is in the padding. */
	for (; head->data_offset + i < head->size; i++)
		KUNIT_ASSERT_EQ(test, told->got.payload[c->body_len + i], 0);
}

/* ---- bodies ------------------------------------------------------------------------------ */

/* Each member has a value that no other has, as far as its width allows. */
static void cm_event_req(struct kunit *test)
{
	struct cm_told *told = cm_told_of(test, IB_CM_REQ_RECEIVED);
	struct ib_cm_req_event_param *param = &told->event.param.req_rcvd;
	struct sa_path_rec primary = { .rec_type = SA_PATH_REC_TYPE_IB, .sl = 11 };
	struct sa_path_rec alternate = { .rec_type = SA_PATH_REC_TYPE_IB, .sl = 12 };
	const struct ucmad_cm_req_event *body;

	*param = (struct ib_cm_req_event_param) {
		.primary_path = &primary, .alternate_path = &alternate,
		.remote_ca_guid = cpu_to_be64(0x0102030405060708), .remote_qkey = 21,
		.remote_qpn = 22, .starting_psn = 23, .ece = { .vendor_id = 24, .attr_mod = 25 },
		.bth_pkey = 26, .port = 27, .qp_type = IB_QPT_UC, .responder_resources = 28,
		.initiator_depth = 29, .local_cm_response_timeout = 30,
		.remote_cm_response_timeout = 31, .retry_count = 6, .rnr_retry_count = 7,
		.flow_control = 1, .srq = 0,
	};
	body = cm_tell(told);
	KUNIT_EXPECT_EQ(test, body->listener, told->handle);
	KUNIT_EXPECT_NE(test, told->got.head.object, told->handle);
	KUNIT_EXPECT_EQ(test, body->service_id, 0x1234);
	KUNIT_EXPECT_EQ(test, body->remote_ca_guid, 0x0102030405060708);
	KUNIT_EXPECT_EQ(test, body->ece_vendor_id, 24);
	KUNIT_EXPECT_EQ(test, body->ece_attr_mod, 25);
	KUNIT_EXPECT_EQ(test, body->qp_type, UCMAD_QP_UC);
	KUNIT_EXPECT_EQ(test, body->remote_qkey, 21);
	KUNIT_EXPECT_EQ(test, body->remote_qpn, 22);
	KUNIT_EXPECT_EQ(test, body->starting_psn, 23);
	KUNIT_EXPECT_EQ(test, body->bth_pkey, 26);
	KUNIT_EXPECT_EQ(test, body->port, 27);
	KUNIT_EXPECT_EQ(test, body->responder_resources, 28);
	KUNIT_EXPECT_EQ(test, body->initiator_depth, 29);
	KUNIT_EXPECT_EQ(test, body->local_cm_response_timeout, 30);
	KUNIT_EXPECT_EQ(test, body->remote_cm_response_timeout, 31);
	KUNIT_EXPECT_EQ(test, body->retry_count, 6);
	KUNIT_EXPECT_EQ(test, body->rnr_retry_count, 7);
	KUNIT_EXPECT_EQ(test, body->flow_control, 1);
	KUNIT_EXPECT_EQ(test, body->srq, 0);
	KUNIT_EXPECT_EQ(test, body->has_alternate, 1);
	KUNIT_EXPECT_EQ(test, body->primary.sl, 11);
	KUNIT_EXPECT_EQ(test, body->primary.port, 27);
	KUNIT_EXPECT_EQ(test, body->alternate.sl, 12);
}

static void cm_event_rep(struct kunit *test)
{
	struct cm_told *told = cm_told_of(test, IB_CM_REP_RECEIVED);
	struct ib_cm_rep_event_param *param = &told->event.param.rep_rcvd;
	const struct ucmad_cm_rep_event *body;

	*param = (struct ib_cm_rep_event_param) {
		.remote_ca_guid = cpu_to_be64(0x0102030405060708), .remote_qkey = 21,
		.remote_qpn = 22, .starting_psn = 23, .ece = { .vendor_id = 24, .attr_mod = 25 },
		.responder_resources = 26, .initiator_depth = 27, .target_ack_delay = 28,
		.failover_accepted = 2, .flow_control = 1, .rnr_retry_count = 7, .srq = 0,
	};
	body = cm_tell(told);
	KUNIT_EXPECT_EQ(test, body->remote_ca_guid, 0x0102030405060708);
	KUNIT_EXPECT_EQ(test, body->ece_vendor_id, 24);
	KUNIT_EXPECT_EQ(test, body->ece_attr_mod, 25);
	KUNIT_EXPECT_EQ(test, body->remote_qkey, 21);
	KUNIT_EXPECT_EQ(test, body->remote_qpn, 22);
	KUNIT_EXPECT_EQ(test, body->starting_psn, 23);
	KUNIT_EXPECT_EQ(test, body->responder_resources, 26);
	KUNIT_EXPECT_EQ(test, body->initiator_depth, 27);
	KUNIT_EXPECT_EQ(test, body->target_ack_delay, 28);
	KUNIT_EXPECT_EQ(test, body->failover_accepted, 2);
	KUNIT_EXPECT_EQ(test, body->flow_control, 1);
	KUNIT_EXPECT_EQ(test, body->rnr_retry_count, 7);
	KUNIT_EXPECT_EQ(test, body->srq, 0);
}

static void cm_expect_info(struct kunit *test, const u8 *info, u32 len, u32 room)
{
	u32 i;

	for (i = 0; i < room; i++)
		KUNIT_ASSERT_EQ(test, info[i], i < len ? UCMAD_FAKE_DATA(i) : 0);
}

static void cm_event_rej(struct kunit *test)
{
	struct cm_told *told = cm_told_of(test, IB_CM_REJ_RECEIVED);
	const struct ucmad_cm_rej_event *body;

	told->event.param.rej_rcvd.reason = IB_CM_REJ_STALE_CONN;
	told->event.param.rej_rcvd.ari_length = 5;
	body = cm_tell(told);
	KUNIT_EXPECT_EQ(test, body->reason, IB_CM_REJ_STALE_CONN);
	KUNIT_EXPECT_EQ(test, body->ari_len, 5);
	cm_expect_info(test, body->ari, 5, sizeof(body->ari));
}

/* A length that a peer has made up leads nowhere else. */
static void cm_event_rej_made_up(struct kunit *test)
{
	struct cm_told *told = cm_told_of(test, IB_CM_REJ_RECEIVED);
	const struct ucmad_cm_rej_event *body;

	told->event.param.rej_rcvd.ari_length = 255;
	body = cm_tell(told);
	KUNIT_EXPECT_EQ(test, body->ari_len, sizeof(body->ari));
	cm_expect_info(test, body->ari, sizeof(body->ari), sizeof(body->ari));
}

static void cm_event_apr(struct kunit *test)
{
	struct cm_told *told = cm_told_of(test, IB_CM_APR_RECEIVED);
	const struct ucmad_cm_apr_event *body;

	told->event.param.apr_rcvd.ap_status = IB_CM_APR_REJECT;
	told->event.param.apr_rcvd.info_len = 255;
	body = cm_tell(told);
	KUNIT_EXPECT_EQ(test, body->status, IB_CM_APR_REJECT);
	KUNIT_EXPECT_EQ(test, body->info_len, sizeof(body->info));
	cm_expect_info(test, body->info, sizeof(body->info), sizeof(body->info));
}

static void cm_event_sidr_req(struct kunit *test)
{
	struct cm_told *told = cm_told_of(test, IB_CM_SIDR_REQ_RECEIVED);
	const struct ucmad_cm_sidr_req_event *body;

	told->event.param.sidr_req_rcvd = (struct ib_cm_sidr_req_event_param) {
		.service_id = cpu_to_be64(0x1234), .bth_pkey = 21, .pkey = 22, .port = 23,
	};
	body = cm_tell(told);
	KUNIT_EXPECT_EQ(test, body->listener, told->handle);
	KUNIT_EXPECT_EQ(test, body->service_id, 0x1234);
	KUNIT_EXPECT_EQ(test, body->bth_pkey, 21);
	KUNIT_EXPECT_EQ(test, body->pkey, 22);
	KUNIT_EXPECT_EQ(test, body->port, 23);
	KUNIT_EXPECT_EQ(test, body->sgid_index, 0xffff);
}

static void cm_event_sidr_rep(struct kunit *test)
{
	struct cm_told *told = cm_told_of(test, IB_CM_SIDR_REP_RECEIVED);
	struct ib_cm_sidr_rep_event_param *param = &told->event.param.sidr_rep_rcvd;
	const struct ib_gid_attr attr = { .index = 24 };
	const struct ucmad_cm_sidr_rep_event *body;

	param->status = IB_SIDR_NO_QP;
	param->qkey = 21;
	param->qpn = 22;
	param->info_len = 23;
	param->sgid_attr = &attr;
	body = cm_tell(told);
	KUNIT_EXPECT_EQ(test, body->status, IB_SIDR_NO_QP);
	KUNIT_EXPECT_EQ(test, body->qkey, 21);
	KUNIT_EXPECT_EQ(test, body->qp_num, 22);
	KUNIT_EXPECT_EQ(test, body->info_len, 23);
	KUNIT_EXPECT_EQ(test, body->sgid_index, 24);
	cm_expect_info(test, body->info, 23, sizeof(body->info));
}

static void cm_event_mra(struct kunit *test)
{
	struct cm_told *told = cm_told_of(test, IB_CM_MRA_RECEIVED);
	const struct ucmad_cm_mra_event *body;

	told->event.param.mra_rcvd.service_timeout = 19;
	body = cm_tell(told);
	KUNIT_EXPECT_EQ(test, body->service_timeout, 19);
}

static void cm_expect_error(struct kunit *test, enum ib_wc_status status, u32 error)
{
	struct cm_told *told = cm_told_of(test, IB_CM_REQ_ERROR);
	const struct ucmad_cm_error_event *body;

	told->event.param.send_status = status;
	body = cm_tell(told);
	KUNIT_EXPECT_EQ(test, body->wc_status, status);
	KUNIT_EXPECT_EQ(test, body->error, error);
	KUNIT_EXPECT_EQ(test, ucmad_program_query(test, told->handle).error, error);
}

static void cm_event_error(struct kunit *test)
{
	cm_expect_error(test, IB_WC_RESP_TIMEOUT_ERR, ETIMEDOUT);
}

static void cm_event_other_error(struct kunit *test)
{
	cm_expect_error(test, IB_WC_WR_FLUSH_ERR, EIO);
}

/* ---- user context ------------------------------------------------------------------------ */

static void cm_set_context(struct kunit *test, u32 handle, u64 context)
{
	struct ucmad_set_context args = { .object = handle, .context = context };

	KUNIT_EXPECT_EQ(test, 0,
			ucmad_program_ioctl(test, UCMAD_IOCTL_SET_CONTEXT, &args, sizeof(args)));
}

/* EV-CONTEXT: a new ID has its listener's until the program gives it its own. */
static void cm_event_context(struct kunit *test)
{
	struct cm_told *told = cm_told_of(test, IB_CM_REQ_RECEIVED);
	u32 child;

	cm_set_context(test, told->handle, 1);
	cm_tell(told);
	child = told->got.head.object;
	KUNIT_EXPECT_EQ(test, told->got.head.context, 1);
	/* What the listener is given now is not for who was born before. */
	cm_set_context(test, told->handle, 2);
	ucmad_fake_happen(cm_newest(told), IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, child, &told->got), 0);
	KUNIT_EXPECT_EQ(test, told->got.head.context, 1);
	ucmad_fake_happen(cm_newest(told), IB_CM_REJ_RECEIVED);
	cm_set_context(test, child, 3);
	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, child, &told->got), 0);
	KUNIT_EXPECT_EQ(test, told->got.head.context, 3);
}

static struct kunit_case ucmad_cm_event_tests[] = {
	KUNIT_CASE_PARAM(cm_event_shape, shape_gen_params),
	KUNIT_CASE(cm_event_req),
	KUNIT_CASE(cm_event_rep),
	KUNIT_CASE(cm_event_rej),
	KUNIT_CASE(cm_event_rej_made_up),
	KUNIT_CASE(cm_event_apr),
	KUNIT_CASE(cm_event_sidr_req),
	KUNIT_CASE(cm_event_sidr_rep),
	KUNIT_CASE(cm_event_mra),
	KUNIT_CASE(cm_event_error),
	KUNIT_CASE(cm_event_other_error),
	KUNIT_CASE(cm_event_context),
	{}
};

static struct kunit_suite ucmad_cm_event_suite = {
	.name = "ucmad_cm_event",
	.suite_init = ucmad_program_suite_init,
	.suite_exit = ucmad_program_suite_exit,
	.init = ucmad_program_init,
	.exit = ucmad_program_exit,
	.test_cases = ucmad_cm_event_tests,
};

kunit_test_suite(ucmad_cm_event_suite);
