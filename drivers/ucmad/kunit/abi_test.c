// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* Structs of programs: their size, what is reserved or out of range in them, bad addresses. */
#include "../compat.h"
#include "program.h"

static struct file *abi_file(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	return fixture->filp;
}

/* ---- sizes ------------------------------------------------------------------------------- */

struct ioctl_case {
	const char *name;
	unsigned int nr;
	u32 size;
};

#define IOCTL(_nr, _struct) { #_nr, UCMAD_IOCTL_##_nr, sizeof(struct ucmad_##_struct) }

static const struct ioctl_case ioctl_cases[] = {
	IOCTL(QUERY, query),
	IOCTL(DEVICES, devices),
	IOCTL(EVENTS, events),
	IOCTL(DESTROY, destroy),
	IOCTL(SET_CONTEXT, set_context),
	IOCTL(CM_CREATE, cm_create),
	IOCTL(CM_LISTEN, cm_listen),
	IOCTL(CM_REQ, cm_req),
	IOCTL(CM_REP, cm_rep),
	IOCTL(CM_RTU, cm_message),
	IOCTL(CM_REJ, cm_rej),
	IOCTL(CM_MRA, cm_mra),
	IOCTL(CM_DREQ, cm_message),
	IOCTL(CM_DREP, cm_message),
	IOCTL(CM_SIDR_REQ, cm_sidr_req),
	IOCTL(CM_SIDR_REP, cm_sidr_rep),
	IOCTL(CM_NOTIFY, cm_notify),
	IOCTL(CM_QUERY, cm_query),
	IOCTL(CM_QP_ATTR, cm_qp_attr),
	IOCTL(MAD_REGISTER, mad_register),
	IOCTL(MAD_POST, mad_post),
	IOCTL(MAD_CANCEL, mad_cancel),
	IOCTL(MAD_TIMEOUT, mad_timeout),
	IOCTL(MAD_QUERY, mad_query),
};

static void ioctl_case_name(const struct ioctl_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(ioctl, ioctl_cases, ioctl_case_name);

/* Of a zeroed struct that says it is so large; one byte of it may be set. */
static long abi_try(struct kunit *test, unsigned int nr, u32 size, u32 dirty)
{
	u8 *args = kunit_kzalloc(test, SZ_8K, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, args);
	*(u32 *)args = size;
	if (dirty)
		args[dirty] = 1;
	KUNIT_ASSERT_EQ(test, ucmad_user_write(UCMAD_USER_ARG, args, SZ_8K), 0);
	return ucmad_user_ioctl_at(abi_file(test), nr, UCMAD_USER_ARG);
}

static void abi_size(struct kunit *test)
{
	const struct ioctl_case *c = test->param_value;
	long ret = abi_try(test, c->nr, c->size, 0);

	KUNIT_EXPECT_NE(test, ret, -E2BIG);
	/* Newer than the module, but with nothing in what the module does not know. */
	KUNIT_EXPECT_EQ(test, abi_try(test, c->nr, c->size + 8, 0), ret);
	KUNIT_EXPECT_EQ(test, abi_try(test, c->nr, SZ_4K, 0), ret);
	KUNIT_EXPECT_EQ(test, abi_try(test, c->nr, c->size + 8, c->size), -E2BIG);
	KUNIT_EXPECT_EQ(test, abi_try(test, c->nr, c->size + 8, c->size + 7), -E2BIG);
	/* What is behind it is not its own. */
	KUNIT_EXPECT_EQ(test, abi_try(test, c->nr, c->size, c->size), ret);
	KUNIT_EXPECT_EQ(test, abi_try(test, c->nr, SZ_4K + 1, 0), -E2BIG);
	KUNIT_EXPECT_EQ(test, abi_try(test, c->nr, U32_MAX, 0), -E2BIG);
	/* Older than the first version. */
	KUNIT_EXPECT_EQ(test, abi_try(test, c->nr, c->size - 8, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, abi_try(test, c->nr, 0, 0), -EINVAL);
}

static void abi_bad_address(struct kunit *test)
{
	const struct ioctl_case *c = test->param_value;
	u32 end = UCMAD_USER_END;

	KUNIT_EXPECT_EQ(test, ucmad_user_ioctl_at(abi_file(test), c->nr, end), -EFAULT);
	/* The size can be read, the rest not to its end. */
	KUNIT_ASSERT_EQ(test, ucmad_user_write(end - 8, &c->size, sizeof(c->size)), 0);
	KUNIT_EXPECT_EQ(test, ucmad_user_ioctl_at(abi_file(test), c->nr, end - 8), -EFAULT);
}

static void abi_no_such_ioctl(struct kunit *test)
{
	const unsigned int none[] = {
		_IO(UCMAD_IOCTL_TYPE, 0x05), _IO(UCMAD_IOCTL_TYPE, 0x1f),
		_IO(UCMAD_IOCTL_TYPE, 0x2e), _IO(UCMAD_IOCTL_TYPE, 0x45),
		_IO(UCMAD_IOCTL_TYPE, 0xff), _IO(UCMAD_IOCTL_TYPE + 1, 0),
		_IOW(UCMAD_IOCTL_TYPE, 0, struct ucmad_query),
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(none); i++)
		KUNIT_EXPECT_EQ(test, -ENOTTY,
				abi_try(test, none[i], sizeof(struct ucmad_query), 0));
}

static void abi_query(struct kunit *test)
{
	struct ucmad_query args = {};

	KUNIT_EXPECT_EQ(test, ucmad_program_ioctl(test, UCMAD_IOCTL_QUERY, &args, sizeof(args)), 0);
	KUNIT_EXPECT_EQ(test, args.abi_version, UCMAD_ABI_VERSION);
	KUNIT_EXPECT_EQ(test, args.features, UCMAD_FEATURE_CM | UCMAD_FEATURE_MAD);
	KUNIT_EXPECT_EQ(test, args.max_event_size, UCMAD_RECORD_MAX);
}

/* ---- members ----------------------------------------------------------------------------- */

/**
 * struct member_case - A member of an operation's struct.
 * @op: The operation.
 * @name: The member.
 * @offset: Where it is.
 * @size: How large it is; of what is to be zero, each byte is tried.
 * @good: The largest value that is accepted.
 * @bad: The next one that is not.
 */
struct member_case {
	const char *op;
	const char *name;
	u32 offset;
	u32 size;
	u64 good;
	u64 bad;
};

#define MEMBER(_op, _struct, _member, _good, _bad)				\
	{ _op, #_member, offsetof(struct ucmad_cm_##_struct, _member),		\
	  sizeof_field(struct ucmad_cm_##_struct, _member), _good, _bad }
#define NONE(_op, _struct, _member) MEMBER(_op, _struct, _member, 0, 1)

static const struct member_case member_cases[] = {
	MEMBER("listen", listen, flags, 0, 2),
	MEMBER("listen", listen, flags, 0, UCMAD_LISTEN_ASSIGN),
	MEMBER("listen", listen, backlog, 4096, 4097),
	MEMBER("listen", listen, service_id, ~0ULL, 0x0200000000000000),
	MEMBER("listen", listen, patience, 31, 32),
	MEMBER("listen", listen, patience, UCMAD_PATIENCE_NONE, 254),
	NONE("listen", listen, reserved),
	MEMBER("req", req, flags, 0, 2),
	MEMBER("req", req, qp_num, 0xffffff, 0x1000000),
	MEMBER("req", req, starting_psn, 0xffffff, 0x1000000),
	MEMBER("req", req, ece_vendor_id, 0xffffff, 0x1000000),
	MEMBER("req", req, resolve_timeout_ms, 600000, 600001),
	MEMBER("req", req, private_data_len, 92, 93),
	MEMBER("req", req, qp_type, UCMAD_QP_UC, 4),
	MEMBER("req", req, qp_type, UCMAD_QP_XRC_INI, UCMAD_QP_XRC_TGT),
	MEMBER("req", req, qp_type, UCMAD_QP_RC, 0),
	MEMBER("req", req, remote_cm_response_timeout, 31, 32),
	MEMBER("req", req, local_cm_response_timeout, 31, 32),
	MEMBER("req", req, retry_count, 7, 8),
	MEMBER("req", req, rnr_retry_count, 7, 8),
	MEMBER("req", req, max_cm_retries, 15, 16),
	MEMBER("req", req, flow_control, 1, 2),
	MEMBER("req", req, srq, 1, 2),
	MEMBER("req", req, patience, 31, 32),
	NONE("req", req, reserved),
	/* There is none without its flag. */
	NONE("req", req, alternate.dgid),
	NONE("req", req, alternate.reserved),
	MEMBER("req", req, primary.sl, 15, 16),
	MEMBER("rep", rep, qp_num, 0xffffff, 0x1000000),
	MEMBER("rep", rep, starting_psn, 0xffffff, 0x1000000),
	MEMBER("rep", rep, ece_vendor_id, 0xffffff, 0x1000000),
	MEMBER("rep", rep, private_data_len, 196, 197),
	MEMBER("rep", rep, failover_accepted, 3, 4),
	MEMBER("rep", rep, flow_control, 1, 2),
	MEMBER("rep", rep, rnr_retry_count, 7, 8),
	MEMBER("rep", rep, srq, 1, 2),
	NONE("rep", rep, reserved),
	MEMBER("rtu", message, private_data_len, 224, 225),
	NONE("rtu", message, reserved),
	MEMBER("dreq", message, private_data_len, 220, 221),
	NONE("dreq", message, reserved),
	MEMBER("drep", message, private_data_len, 224, 225),
	NONE("drep", message, reserved),
	MEMBER("rej", rej, reason, 0xffff, 0),
	MEMBER("rej", rej, private_data_len, 148, 149),
	MEMBER("rej", rej, ari_len, 72, 73),
	NONE("rej", rej, reserved),
	MEMBER("mra", mra, service_timeout, 31, 32),
	MEMBER("mra", mra, service_timeout, 1, 0),
	NONE("mra", mra, reserved),
	MEMBER("sidr_req", sidr_req, timeout_ms, INT_MAX, 0x80000000),
	MEMBER("sidr_req", sidr_req, timeout_ms, 1, 0),
	MEMBER("sidr_req", sidr_req, resolve_timeout_ms, 600000, 600001),
	MEMBER("sidr_req", sidr_req, private_data_len, 216, 217),
	MEMBER("sidr_req", sidr_req, max_cm_retries, 15, 16),
	NONE("sidr_req", sidr_req, reserved),
	MEMBER("sidr_req", sidr_req, path.sl, 15, 16),
	MEMBER("sidr_rep", sidr_rep, qp_num, 0xffffff, 0x1000000),
	MEMBER("sidr_rep", sidr_rep, ece_vendor_id, 0xffff, 0x10000),
	MEMBER("sidr_rep", sidr_rep, status, 5, 6),
	MEMBER("sidr_rep", sidr_rep, private_data_len, 136, 137),
	MEMBER("sidr_rep", sidr_rep, info_len, 72, 73),
	NONE("sidr_rep", sidr_rep, reserved),
	MEMBER("comm_est", notify, event, UCMAD_CM_PATH_MIG, 3),
	MEMBER("comm_est", notify, event, UCMAD_CM_COMM_EST, 0),
	NONE("comm_est", notify, reserved),
	MEMBER("qp_attr", qp_attr, qp_state, IB_QPS_RTS, IB_QPS_RTS + 1),
	MEMBER("qp_attr", qp_attr, qp_state, IB_QPS_INIT, IB_QPS_RESET),
	NONE("qp_attr", qp_attr, reserved),
};

static void member_case_name(const struct member_case *c, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s: %s %llu, not %llu", c->op, c->name, c->good,
		 c->bad);
}

KUNIT_ARRAY_PARAM(member, member_cases, member_case_name);

static long abi_with(struct kunit *test, const struct member_case *c, u32 at, u32 size, u64 value)
{
	const struct ucmad_program_op *op = ucmad_program_op(c->op);
	__le64 bytes = cpu_to_le64(value);
	union ucmad_cm_args args = {};

	KUNIT_ASSERT_NOT_NULL(test, op);
	op->fill(&args);
	memcpy((u8 *)&args + at, &bytes, size);
	return ucmad_program_do(test, op, ucmad_program_id(test), &args);
}

/* What is good is not good for all: the state of a new ID is not, nor are data at address 0. */
static void abi_member(struct kunit *test)
{
	const struct member_case *c = test->param_value;
	u32 i, size = c->bad == 1 ? 1 : c->size;

	for (i = 0; i < c->size; i += size) {
		KUNIT_EXPECT_NE(test, abi_with(test, c, c->offset + i, size, c->good), -EINVAL);
		ucmad_program_forget_calls(test);
		KUNIT_EXPECT_EQ(test, abi_with(test, c, c->offset + i, size, c->bad), -EINVAL);
		ucmad_program_expect_calls(test, "", c->name);
	}
}

/* ---- private data ------------------------------------------------------------------------ */

/**
 * struct data_case - Private data, or additional information, of an operation.
 * @op: The operation.
 * @state: A state that it is good in.
 * @address: Where its address is in the struct.
 * @len: Where its length is.
 * @max: How long it can be.
 * @is_info: It is additional information.
 */
struct data_case {
	const char *op;
	enum ib_cm_state state;
	u32 address;
	u32 len;
	u32 max;
	bool is_info;
};

#define DATA(_op, _state, _struct, _address, _len, _max)			\
	{ _op, IB_CM_##_state, offsetof(struct ucmad_cm_##_struct, _address),	\
	  offsetof(struct ucmad_cm_##_struct, _len), _max }

static const struct data_case data_cases[] = {
	DATA("req", IDLE, req, private_data, private_data_len, 92),
	DATA("rep", REQ_RCVD, rep, private_data, private_data_len, 196),
	DATA("rtu", REP_RCVD, message, private_data, private_data_len, 224),
	DATA("dreq", ESTABLISHED, message, private_data, private_data_len, 220),
	DATA("drep", DREQ_RCVD, message, private_data, private_data_len, 224),
	DATA("rej", REQ_RCVD, rej, private_data, private_data_len, 148),
	{ "rej", IB_CM_REQ_RCVD, offsetof(struct ucmad_cm_rej, ari),
	  offsetof(struct ucmad_cm_rej, ari_len), 72, true },
#if UCMAD_COMPAT_MRA_AT_REQUEST
	DATA("mra", REQ_RCVD, mra, private_data, private_data_len, 222),
#endif
	DATA("sidr_req", IDLE, sidr_req, private_data, private_data_len, 216),
	DATA("sidr_rep", SIDR_REQ_RCVD, sidr_rep, private_data, private_data_len, 136),
	{ "sidr_rep", IB_CM_SIDR_REQ_RCVD, offsetof(struct ucmad_cm_sidr_rep, info),
	  offsetof(struct ucmad_cm_sidr_rep, info_len), 72, true },
};

static void data_case_name(const struct data_case *c, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s: %u", c->op, c->max);
}

KUNIT_ARRAY_PARAM(data, data_cases, data_case_name);

static long abi_with_data(struct kunit *test, const struct data_case *c, u32 handle, u32 offset)
{
	const struct ucmad_program_op *op = ucmad_program_op(c->op);
	u64 address = ucmad_user_address(offset);
	union ucmad_cm_args args = {};

	KUNIT_ASSERT_NOT_NULL(test, op);
	op->fill(&args);
	memcpy((u8 *)&args + c->address, &address, sizeof(address));
	*((u8 *)&args + c->len) = c->max;
	return ucmad_program_do(test, op, handle, &args);
}

/* All of it goes out, byte by byte; and nothing does if it cannot be read to its end. */
static void abi_data(struct kunit *test)
{
	const struct data_case *c = test->param_value;
	struct ucmad_fixture *fixture = test->priv;
	const struct ucmad_fake_message *last = &fixture->cm.last;
	u32 i, handle = ucmad_program_id(test), end = UCMAD_USER_END - c->max;
	struct ucmad_cm *cm = ucmad_program_cm(test, handle);
	u8 data[256];

	cm->id = ucmad_cm_id_create(cm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(cm->id));
	cm->id->state = c->state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = UCMAD_FAKE_DATA(i);
	KUNIT_ASSERT_EQ(test, ucmad_user_write(end, data, c->max), 0);

	ucmad_program_forget_calls(test);
	KUNIT_EXPECT_EQ(test, abi_with_data(test, c, handle, end + 1), -EFAULT);
	ucmad_program_expect_calls(test, "", c->op);
	KUNIT_EXPECT_EQ(test, abi_with_data(test, c, handle, end), 0);
	KUNIT_EXPECT_EQ(test, c->is_info ? last->info_len : last->data_len, c->max);
	KUNIT_EXPECT_EQ(test, memcmp(c->is_info ? last->info : last->data, data, c->max), 0);
}

/* ---- answers ----------------------------------------------------------------------------- */

/* DEL-COUNT: who cannot be told what was discarded discards nothing. */
static void abi_destroy_unheard(struct kunit *test)
{
	struct ucmad_destroy args = { .size = sizeof(args), .object = ucmad_program_id(test) };
	u32 discarded;

	KUNIT_ASSERT_EQ(test, ucmad_user_write(UCMAD_USER_READABLE, &args, sizeof(args)), 0);
	KUNIT_EXPECT_EQ(test, -EFAULT,
			ucmad_user_ioctl_at(abi_file(test), UCMAD_IOCTL_DESTROY,
					    UCMAD_USER_READABLE));
	KUNIT_EXPECT_EQ(test, ucmad_program_destroy(test, args.object, &discarded), 0);
}

static long abi_take_into(struct kunit *test, u64 buffer, u32 len, struct ucmad_events *args)
{
	*args = (struct ucmad_events) { .buffer = buffer, .buffer_len = len };
	return ucmad_program_ioctl(test, UCMAD_IOCTL_EVENTS, args, sizeof(*args));
}

/* An event that cannot be written, or has too little room, stays; and a new ID stays unknown. */
static void abi_events_stay(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	u32 handle = ucmad_program_id(test), child;
	struct ucmad_program_event event;
	struct ucmad_events args;

	KUNIT_ASSERT_EQ(test, ucmad_program_op_on(test, "listen", handle), 0);
	KUNIT_ASSERT_EQ(test, ucmad_fake_happen(fixture->cm.newest, IB_CM_REQ_RECEIVED), 0);
	child = ((struct ucmad_cm *)fixture->cm.newest->context)->object.handle;

	KUNIT_EXPECT_EQ(test, -EMSGSIZE,
			abi_take_into(test, ucmad_user_address(UCMAD_USER_BUFFER), 8, &args));
	KUNIT_EXPECT_EQ(test, args.count, 0);
	KUNIT_EXPECT_GE(test, UCMAD_USER_END - UCMAD_USER_BUFFER, args.needed);
	KUNIT_EXPECT_EQ(test, -EFAULT,
			abi_take_into(test, ucmad_user_address(UCMAD_USER_READABLE), SZ_4K, &args));
	/* The head fits, what follows does not. */
	KUNIT_EXPECT_EQ(test, -EFAULT,
			abi_take_into(test, ucmad_user_address(UCMAD_USER_END - 64), SZ_4K, &args));
	KUNIT_EXPECT_EQ(test, ucmad_program_op_on(test, "rep", child), -ENOENT);
	KUNIT_EXPECT_TRUE(test, ucmad_program_poll(test));

	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, 0, &event), 0);
	KUNIT_EXPECT_EQ(test, event.head.object, child);
	KUNIT_EXPECT_FALSE(test, ucmad_program_poll(test));
}

/* ---- acknowledgments --------------------------------------------------------------------- */

#define ACKS 10

static long abi_acks(struct kunit *test, const struct ucmad_ack *acks, u32 count,
		     struct ucmad_events *args)
{
	*args = (struct ucmad_events) {
		.ack_count = count,
		.acks = ucmad_user_address(UCMAD_USER_DATA),
	};
	KUNIT_ASSERT_EQ(test, 0, ucmad_user_write(UCMAD_USER_DATA, acks, ACKS * sizeof(*acks)));
	return ucmad_program_ioctl(test, UCMAD_IOCTL_EVENTS, args, sizeof(*args));
}

/* They are all checked before the first is carried out; with a context comes its flag. */
static void abi_acks_are_checked(struct kunit *test)
{
	u32 handle = ucmad_program_id(test);
	struct ucmad_cm *cm = ucmad_program_cm(test, handle);
	struct ucmad_ack acks[ACKS] = {};
	struct ucmad_events args;

	acks[0] = (struct ucmad_ack) {
		.object = handle, .flags = UCMAD_ACK_SET_CONTEXT, .context = 7,
	};
	acks[ACKS - 1].flags = 2;
	KUNIT_EXPECT_EQ(test, abi_acks(test, acks, ACKS, &args), -EINVAL);
	acks[ACKS - 1] = (struct ucmad_ack) { .context = 1 };
	KUNIT_EXPECT_EQ(test, abi_acks(test, acks, ACKS, &args), -EINVAL);
	KUNIT_EXPECT_EQ(test, abi_acks(test, acks, 65537, &args), -EINVAL);
	KUNIT_EXPECT_EQ(test, abi_acks(test, acks, 65536, &args), -EFAULT);
	KUNIT_EXPECT_EQ(test, cm->object.queue.context, 0);

	acks[ACKS - 1].context = 0;
	KUNIT_EXPECT_EQ(test, abi_acks(test, acks, ACKS, &args), 0);
	KUNIT_EXPECT_EQ(test, args.acks_ignored, ACKS);
	KUNIT_EXPECT_EQ(test, cm->object.queue.context, 7);
}

static struct kunit_case ucmad_abi_tests[] = {
	KUNIT_CASE_PARAM(abi_size, ioctl_gen_params),
	KUNIT_CASE_PARAM(abi_bad_address, ioctl_gen_params),
	KUNIT_CASE(abi_no_such_ioctl),
	KUNIT_CASE(abi_query),
	KUNIT_CASE_PARAM(abi_member, member_gen_params),
	KUNIT_CASE_PARAM(abi_data, data_gen_params),
	KUNIT_CASE(abi_destroy_unheard),
	KUNIT_CASE(abi_events_stay),
	KUNIT_CASE(abi_acks_are_checked),
	{}
};

static struct kunit_suite ucmad_abi_suite = {
	.name = "ucmad_abi",
	.suite_init = ucmad_program_suite_init,
	.suite_exit = ucmad_program_suite_exit,
	.init = ucmad_program_init,
	.exit = ucmad_program_exit,
	.test_cases = ucmad_abi_tests,
};

kunit_test_suite(ucmad_abi_suite);
