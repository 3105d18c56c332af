// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* See program.h. */
#include <linux/poll.h>

#include "../object.h"
#include "../stats.h"
#include "program.h"

/* ---- file, device, CM -------------------------------------------------------------------- */

int ucmad_program_suite_init(struct kunit_suite *suite)
{
	int ret;

	ret = ucmad_fixture_suite_init(suite);
	if (ret)
		return ret;
	ret = ucmad_user_init();
	if (ret)
		goto err_base;
	ret = ucmad_fake_device_init();
	if (ret)
		goto err_user;
	return 0;

err_user:
	ucmad_user_exit();
err_base:
	ucmad_fixture_suite_exit(suite);
	return ret;
}

void ucmad_program_suite_exit(struct kunit_suite *suite)
{
	/* Some kernels call this even where the other has failed. */
	if (!ucmad_fake_device)
		return;
	ucmad_fake_device_exit();
	ucmad_user_exit();
	ucmad_fixture_suite_exit(suite);
}

int ucmad_program_init(struct kunit *test)
{
	struct file *filp = kunit_kzalloc(test, sizeof(*filp), GFP_KERNEL);
	struct ucmad_fixture *fixture;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, filp);
	ret = ucmad_fixture_init(test);
	if (ret)
		return ret;
	fixture = test->priv;
	filp->private_data = fixture->file;
	fixture->filp = filp;
	fixture->cm_ids = atomic_long_read(&ucmad_stats[UCMAD_STAT_CM_IDS]);
	ucmad_fake_cm_start(&fixture->cm);
	return 0;
}

void ucmad_program_exit(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	ucmad_fixture_exit(test);
	KUNIT_EXPECT_EQ(test, fixture->cm.live, 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&ucmad_stats[UCMAD_STAT_CM_IDS]), fixture->cm_ids);
	ucmad_fake_cm_stop();
}

/* ---- operations -------------------------------------------------------------------------- */

static void program_fill_path(struct ucmad_path *path, u8 port)
{
	*path = (struct ucmad_path) { .port = port, .mtu = IB_MTU_1024, .dgid = { 0xfe, 0x80 } };
	path->dgid[15] = 9;
	path->dlid = port == UCMAD_FAKE_PORT_ROCE ? 0 : 9;
}

static void program_fill_listen(union ucmad_cm_args *args)
{
	args->listen.service_id = 0x1234;
	args->listen.patience = UCMAD_PATIENCE_NONE;
}

static void program_fill_req(union ucmad_cm_args *args)
{
	args->req.service_id = 0x1234;
	args->req.qp_type = UCMAD_QP_RC;
	args->req.patience = UCMAD_PATIENCE_NONE;
	/* So long that no timer ever comes by itself. */
	args->req.local_cm_response_timeout = 31;
	program_fill_path(&args->req.primary, UCMAD_FAKE_PORT_IB);
}

static void program_fill_roce_req(union ucmad_cm_args *args)
{
	program_fill_req(args);
	program_fill_path(&args->req.primary, UCMAD_FAKE_PORT_ROCE);
}

static void program_fill_sidr_req(union ucmad_cm_args *args)
{
	args->sidr_req.service_id = 0x1234;
	args->sidr_req.timeout_ms = 1000;
	program_fill_path(&args->sidr_req.path, UCMAD_FAKE_PORT_IB);
}

static void program_fill_roce_sidr_req(union ucmad_cm_args *args)
{
	program_fill_sidr_req(args);
	program_fill_path(&args->sidr_req.path, UCMAD_FAKE_PORT_ROCE);
}

static void program_fill_patient_listen(union ucmad_cm_args *args)
{
	program_fill_listen(args);
	args->listen.patience = UCMAD_PATIENCE_DEFAULT;
}

static void program_fill_small_listen(union ucmad_cm_args *args)
{
	program_fill_listen(args);
	args->listen.backlog = 1;
}

static void program_fill_small_patient_listen(union ucmad_cm_args *args)
{
	program_fill_patient_listen(args);
	args->listen.backlog = 1;
}

static void program_fill_patient_req(union ucmad_cm_args *args)
{
	program_fill_req(args);
	args->req.patience = UCMAD_PATIENCE_DEFAULT;
}

static void program_fill_rej(union ucmad_cm_args *args)
{
	args->rej.reason = IB_CM_REJ_CONSUMER_DEFINED;
}

static void program_fill_time_out_rej(union ucmad_cm_args *args)
{
	args->rej.reason = IB_CM_REJ_TIMEOUT;
}

static void program_fill_mra(union ucmad_cm_args *args)
{
	args->mra.service_timeout = UCMAD_PATIENCE_DEFAULT;
}

static void program_fill_comm_est(union ucmad_cm_args *args)
{
	args->notify.event = UCMAD_CM_COMM_EST;
}

static void program_fill_path_mig(union ucmad_cm_args *args)
{
	args->notify.event = UCMAD_CM_PATH_MIG;
}

static void program_fill_qp_attr(union ucmad_cm_args *args)
{
	args->qp_attr.qp_state = IB_QPS_RTR;
}

static void program_fill_nothing(union ucmad_cm_args *args)
{
}

#define OP(_name, _nr, _struct, _fill) \
	{ _name, UCMAD_IOCTL_CM_##_nr, sizeof(struct ucmad_cm_##_struct), program_fill_##_fill }

static const struct ucmad_program_op program_ops[] = {
	OP("listen", LISTEN, listen, listen),
	OP("patient_listen", LISTEN, listen, patient_listen),
	OP("small_listen", LISTEN, listen, small_listen),
	OP("small_patient_listen", LISTEN, listen, small_patient_listen),
	OP("req", REQ, req, req),
	OP("patient_req", REQ, req, patient_req),
	OP("roce_req", REQ, req, roce_req),
	OP("rep", REP, rep, nothing),
	OP("rtu", RTU, message, nothing),
	OP("rej", REJ, rej, rej),
	OP("time_out_rej", REJ, rej, time_out_rej),
	OP("mra", MRA, mra, mra),
	OP("dreq", DREQ, message, nothing),
	OP("drep", DREP, message, nothing),
	OP("sidr_req", SIDR_REQ, sidr_req, sidr_req),
	OP("roce_sidr_req", SIDR_REQ, sidr_req, roce_sidr_req),
	OP("sidr_rep", SIDR_REP, sidr_rep, nothing),
	OP("comm_est", NOTIFY, notify, comm_est),
	OP("path_mig", NOTIFY, notify, path_mig),
	OP("qp_attr", QP_ATTR, qp_attr, qp_attr),
};

/* Returns the operation with a name, or NULL. */
const struct ucmad_program_op *ucmad_program_op(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(program_ops); i++)
		if (!strcmp(program_ops[i].name, name))
			return &program_ops[i];
	return NULL;
}

long ucmad_program_ioctl(struct kunit *test, unsigned int nr, void *args, u32 size)
{
	struct ucmad_fixture *fixture = test->priv;

	return ucmad_user_ioctl(fixture->filp, nr, args, size);
}

/* With a struct that was filled, and perhaps changed. */
long ucmad_program_do(struct kunit *test, const struct ucmad_program_op *op, u32 handle,
		      union ucmad_cm_args *args)
{
	/* The second member of all of them. */
	args->message.object = handle;
	return ucmad_program_ioctl(test, op->nr, args, op->size);
}

/* An operation that could not be better. */
long ucmad_program_op_on(struct kunit *test, const char *name, u32 handle)
{
	const struct ucmad_program_op *op = ucmad_program_op(name);
	union ucmad_cm_args args = {};

	KUNIT_ASSERT_NOT_NULL_MSG(test, op, "no operation \"%s\"", name);
	op->fill(&args);
	return ucmad_program_do(test, op, handle, &args);
}

/* ---- IDs --------------------------------------------------------------------------------- */

/* A new CM ID; returns its handle. The ioctl would look for the device in the module's table. */
u32 ucmad_program_id(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	struct ucmad_cm *cm = ucmad_cm_new(fixture->file, fixture->device);

	KUNIT_ASSERT_FALSE(test, IS_ERR(cm));
	ucmad_object_publish(&cm->object);
	return cm->object.handle;
}

/* What the handle leads to. It lasts as long as the test does not destroy it. */
struct ucmad_cm *ucmad_program_cm(struct kunit *test, u32 handle)
{
	struct ucmad_fixture *fixture = test->priv;
	struct ucmad_cm *cm = ucmad_cm_get(fixture->file, handle);

	KUNIT_ASSERT_FALSE(test, IS_ERR(cm));
	ucmad_cm_put(cm);
	return cm;
}

long ucmad_program_destroy(struct kunit *test, u32 handle, u32 *discarded)
{
	struct ucmad_destroy args = { .object = handle };
	long ret = ucmad_program_ioctl(test, UCMAD_IOCTL_DESTROY, &args, sizeof(args));

	*discarded = args.discarded;
	return ret;
}

struct ucmad_cm_query ucmad_program_query(struct kunit *test, u32 handle)
{
	struct ucmad_cm_query args = { .object = handle };

	KUNIT_EXPECT_EQ(test, 0,
			ucmad_program_ioctl(test, UCMAD_IOCTL_CM_QUERY, &args, sizeof(args)));
	return args;
}

/* ---- events ------------------------------------------------------------------------------ */

/* Takes one event of an object, or of any if there is no handle; without waiting. */
long ucmad_program_take(struct kunit *test, u32 handle, struct ucmad_program_event *event)
{
	struct ucmad_events args = {
		.object = handle,
		.buffer = ucmad_user_address(UCMAD_USER_BUFFER),
		.buffer_len = sizeof(*event),
		.max_events = 1,
	};
	long ret = ucmad_program_ioctl(test, UCMAD_IOCTL_EVENTS, &args, sizeof(args));

	if (!ret)
		ret = ucmad_user_read(event, UCMAD_USER_BUFFER, args.bytes);
	return ret;
}

/* Returns how many acknowledgments were ignored: 0 or 1. */
u32 ucmad_program_ack(struct kunit *test, const struct ucmad_event *head)
{
	struct ucmad_ack ack = { .object = head->object, .sequence = head->sequence };
	struct ucmad_events args = {
		.ack_count = 1,
		.acks = ucmad_user_address(UCMAD_USER_DATA),
	};

	KUNIT_ASSERT_EQ(test, ucmad_user_write(UCMAD_USER_DATA, &ack, sizeof(ack)), 0);
	KUNIT_EXPECT_EQ(test, 0,
			ucmad_program_ioctl(test, UCMAD_IOCTL_EVENTS, &args, sizeof(args)));
	return args.acks_ignored;
}

/* Is the file readable? */
bool ucmad_program_poll(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	return ucmad_fops.poll(fixture->filp, NULL) & EPOLLIN;
}

/* ---- what came of it --------------------------------------------------------------------- */

void ucmad_program_forget_calls(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	fixture->cm.calls[0] = '\0';
}

/* What the CM was asked for since the last time. */
void ucmad_program_expect_calls(struct kunit *test, const char *expected, const char *where)
{
	struct ucmad_fixture *fixture = test->priv;

	KUNIT_EXPECT_TRUE_MSG(test, !strcmp(fixture->cm.calls, expected),
			      "%s: the CM was asked for \"%s\", not \"%s\"", where,
			      fixture->cm.calls, expected);
	ucmad_program_forget_calls(test);
}
