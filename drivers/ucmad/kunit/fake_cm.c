// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* See fake_cm.h. */
#include <linux/slab.h>

#include "fake_cm.h"

/* The provider at work; there is one at a time. */
static struct ucmad_fake_cm *ucmad_fake;

/* ---- rules ------------------------------------------------------------------------------- */

/* States in which an operation or an event leaves the state alone, or has its own mind. */
#define SAME (-1)

#define S(state) BIT(IB_CM_##state)
#define REQ_WAITS (S(REQ_RCVD) | S(MRA_REQ_SENT))
#define REP_WAITS (S(REP_RCVD) | S(MRA_REP_SENT))
#define REQ_UNDER_WAY (S(REQ_SENT) | S(MRA_REQ_RCVD))
#define REP_UNDER_WAY (S(REP_SENT) | S(MRA_REP_RCVD))
#define CONNECTING (REQ_WAITS | REP_WAITS | REQ_UNDER_WAY | REP_UNDER_WAY)

static const struct {
	const char *name;
	u32 states;
	int next;
} ucmad_fake_ops[UCMAD_FAKE_OPS] = {
	[UCMAD_FAKE_CREATE] = { "create", ~0, IB_CM_IDLE },
	[UCMAD_FAKE_DESTROY] = { "destroy", ~0, IB_CM_IDLE },
	[UCMAD_FAKE_LISTEN] = { "listen", S(IDLE), IB_CM_LISTEN },
	[UCMAD_FAKE_REQ] = { "req", S(IDLE), IB_CM_REQ_SENT },
	[UCMAD_FAKE_REP] = { "rep", REQ_WAITS, IB_CM_REP_SENT },
	[UCMAD_FAKE_RTU] = { "rtu", REP_WAITS, IB_CM_ESTABLISHED },
	[UCMAD_FAKE_REJ] = { "rej", CONNECTING, SAME },
	[UCMAD_FAKE_MRA] = { "mra", S(REQ_RCVD) | S(REP_RCVD), SAME },
	[UCMAD_FAKE_DREQ] = { "dreq", S(ESTABLISHED), IB_CM_DREQ_SENT },
	[UCMAD_FAKE_DREP] = { "drep", S(DREQ_RCVD), IB_CM_TIMEWAIT },
	[UCMAD_FAKE_SIDR_REQ] = { "sidr_req", S(IDLE), IB_CM_SIDR_REQ_SENT },
	[UCMAD_FAKE_SIDR_REP] = { "sidr_rep", S(SIDR_REQ_RCVD), IB_CM_IDLE },
	[UCMAD_FAKE_COMM_EST] = { "comm_est", REP_UNDER_WAY, IB_CM_ESTABLISHED },
	[UCMAD_FAKE_PATH_MIG] = { "path_mig", S(ESTABLISHED), SAME },
	[UCMAD_FAKE_QP_ATTR] = { "qp_attr", CONNECTING | S(ESTABLISHED), SAME },
	[UCMAD_FAKE_RESOLVE] = { "resolve", ~0, SAME },
};

/* The states that events bring, where the one before does not matter. */
static const int ucmad_fake_event_next[] = {
	[IB_CM_REQ_ERROR] = IB_CM_IDLE,
	[IB_CM_REQ_RECEIVED] = IB_CM_REQ_RCVD,
	[IB_CM_REP_ERROR] = IB_CM_IDLE,
	[IB_CM_REP_RECEIVED] = IB_CM_REP_RCVD,
	[IB_CM_RTU_RECEIVED] = IB_CM_ESTABLISHED,
	[IB_CM_USER_ESTABLISHED] = SAME,
	[IB_CM_DREQ_ERROR] = IB_CM_TIMEWAIT,
	[IB_CM_DREQ_RECEIVED] = IB_CM_DREQ_RCVD,
	[IB_CM_DREP_RECEIVED] = IB_CM_TIMEWAIT,
	[IB_CM_TIMEWAIT_EXIT] = IB_CM_IDLE,
	[IB_CM_MRA_RECEIVED] = SAME,
	[IB_CM_REJ_RECEIVED] = SAME,
	[IB_CM_LAP_ERROR] = SAME,
	[IB_CM_LAP_RECEIVED] = SAME,
	[IB_CM_APR_RECEIVED] = SAME,
	[IB_CM_SIDR_REQ_ERROR] = IB_CM_IDLE,
	[IB_CM_SIDR_REQ_RECEIVED] = IB_CM_SIDR_REQ_RCVD,
	[IB_CM_SIDR_REP_RECEIVED] = IB_CM_IDLE,
};

/* Where both sides have a communication ID, what remains of it is waited out. */
static enum ib_cm_state ucmad_fake_after_rej(enum ib_cm_state state)
{
	return BIT(state) & (REQ_WAITS | REQ_UNDER_WAY) ? IB_CM_IDLE : IB_CM_TIMEWAIT;
}

static enum ib_cm_state ucmad_fake_after_op(enum ib_cm_state state, enum ucmad_fake_op op)
{
	if (op == UCMAD_FAKE_REJ)
		return ucmad_fake_after_rej(state);
	if (op == UCMAD_FAKE_MRA)
		return state == IB_CM_REQ_RCVD ? IB_CM_MRA_REQ_SENT : IB_CM_MRA_REP_SENT;
	return ucmad_fake_ops[op].next == SAME ? state : ucmad_fake_ops[op].next;
}

static enum ib_cm_state ucmad_fake_after_event(enum ib_cm_state state, enum ib_cm_event_type type)
{
	if (type == IB_CM_REJ_RECEIVED)
		return ucmad_fake_after_rej(state);
	if (type == IB_CM_MRA_RECEIVED)
		return state == IB_CM_REQ_SENT ? IB_CM_MRA_REQ_RCVD : IB_CM_MRA_REP_RCVD;
	return ucmad_fake_event_next[type] == SAME ? state : ucmad_fake_event_next[type];
}

/* ---- operations -------------------------------------------------------------------------- */

static void ucmad_fake_meanwhile(struct ib_cm_id *id, int *event)
{
	int type = *event;

	*event = UCMAD_FAKE_NOTHING;
	if (type != UCMAD_FAKE_NOTHING)
		ucmad_fake->outcome = ucmad_fake_happen(id, type);
}

static void ucmad_fake_record(enum ucmad_fake_op op)
{
	strlcat(ucmad_fake->calls, ucmad_fake_ops[op].name, sizeof(ucmad_fake->calls));
	strlcat(ucmad_fake->calls, " ", sizeof(ucmad_fake->calls));
}

static int ucmad_fake_do(struct ib_cm_id *id, enum ucmad_fake_op op)
{
	int ret = 0;

	ucmad_fake_record(op);
	ucmad_fake_meanwhile(id, &ucmad_fake->early);
	if (!(BIT(id->state) & ucmad_fake_ops[op].states))
		ret = -EINVAL;
	else if (ucmad_fake->errors[op])
		ret = ucmad_fake->errors[op];
	else
		id->state = ucmad_fake_after_op(id->state, op);
	ucmad_fake_meanwhile(id, &ucmad_fake->late);
	return ret;
}

static int ucmad_fake_send(struct ib_cm_id *id, enum ucmad_fake_op op, const void *data, u8 len)
{
	struct ucmad_fake_message *last = &ucmad_fake->last;

	last->data_len = len;
	memcpy(last->data, data, len);
	return ucmad_fake_do(id, op);
}

static void ucmad_fake_keep_info(const void *info, u8 len)
{
	ucmad_fake->last.info_len = len;
	memcpy(ucmad_fake->last.info, info, len);
}

static struct ib_cm_id *ucmad_fake_id(struct ib_device *ib, ib_cm_handler handler, void *context)
{
	struct ib_cm_id *id = kzalloc(sizeof(*id), GFP_KERNEL);

	if (!id)
		return ERR_PTR(-ENOMEM);
	id->device = ib;
	id->cm_handler = handler;
	id->context = context;
	ucmad_fake->live++;
	ucmad_fake->newest = id;
	return id;
}

static struct ib_cm_id *ucmad_fake_create(struct ib_device *ib, ib_cm_handler handler,
					  void *context)
{
	ucmad_fake_record(UCMAD_FAKE_CREATE);
	if (ucmad_fake->errors[UCMAD_FAKE_CREATE])
		return ERR_PTR(ucmad_fake->errors[UCMAD_FAKE_CREATE]);
	return ucmad_fake_id(ib, handler, context);
}

static void ucmad_fake_free(struct ib_cm_id *id)
{
	if (ucmad_fake->newest == id)
		ucmad_fake->newest = NULL;
	ucmad_fake->live--;
	kfree(id);
}

/* Handlers that it waits for can run meanwhile. */
static void ucmad_fake_destroy(struct ib_cm_id *id)
{
	ucmad_fake_do(id, UCMAD_FAKE_DESTROY);
	ucmad_fake_free(id);
}

static int ucmad_fake_listen(struct ib_cm_id *id, __be64 service_id)
{
	int ret = ucmad_fake_do(id, UCMAD_FAKE_LISTEN);

	ucmad_fake->last.number = be64_to_cpu(service_id);
	if (!ret)
		id->service_id = service_id;
	return ret;
}

static int ucmad_fake_send_req(struct ib_cm_id *id, struct ib_cm_req_param *param)
{
	ucmad_fake->last.req = *param;
	ucmad_fake->last.path = *param->primary_path;
	if (param->alternate_path)
		ucmad_fake->last.alternate = *param->alternate_path;
	return ucmad_fake_send(id, UCMAD_FAKE_REQ, param->private_data, param->private_data_len);
}

static int ucmad_fake_send_rep(struct ib_cm_id *id, struct ib_cm_rep_param *param)
{
	ucmad_fake->last.rep = *param;
	return ucmad_fake_send(id, UCMAD_FAKE_REP, param->private_data, param->private_data_len);
}

static int ucmad_fake_send_rtu(struct ib_cm_id *id, const void *data, u8 len)
{
	return ucmad_fake_send(id, UCMAD_FAKE_RTU, data, len);
}

static int ucmad_fake_send_rej(struct ib_cm_id *id, enum ib_cm_rej_reason reason, void *ari,
			       u8 ari_len, const void *data, u8 len)
{
	ucmad_fake->last.number = reason;
	ucmad_fake_keep_info(ari, ari_len);
	return ucmad_fake_send(id, UCMAD_FAKE_REJ, data, len);
}

static int ucmad_fake_send_mra(struct ib_cm_id *id, u8 service_timeout, const void *data, u8 len)
{
	ucmad_fake->last.number = service_timeout;
	return ucmad_fake_send(id, UCMAD_FAKE_MRA, data, len);
}

static int ucmad_fake_send_dreq(struct ib_cm_id *id, const void *data, u8 len)
{
	return ucmad_fake_send(id, UCMAD_FAKE_DREQ, data, len);
}

static int ucmad_fake_send_drep(struct ib_cm_id *id, const void *data, u8 len)
{
	return ucmad_fake_send(id, UCMAD_FAKE_DREP, data, len);
}

static int ucmad_fake_send_sidr_req(struct ib_cm_id *id, struct ib_cm_sidr_req_param *param)
{
	ucmad_fake->last.sidr_req = *param;
	ucmad_fake->last.path = *param->path;
	return ucmad_fake_send(id, UCMAD_FAKE_SIDR_REQ, param->private_data,
			       param->private_data_len);
}

static int ucmad_fake_send_sidr_rep(struct ib_cm_id *id, struct ib_cm_sidr_rep_param *param)
{
	ucmad_fake->last.sidr_rep = *param;
	ucmad_fake_keep_info(param->info, param->info_length);
	return ucmad_fake_send(id, UCMAD_FAKE_SIDR_REP, param->private_data,
			       param->private_data_len);
}

static int ucmad_fake_notify(struct ib_cm_id *id, enum ib_event_type event)
{
	int ret;

	if (event == IB_EVENT_PATH_MIG)
		return ucmad_fake_do(id, UCMAD_FAKE_PATH_MIG);
	ret = ucmad_fake_do(id, UCMAD_FAKE_COMM_EST);
	return ret && id->state == IB_CM_ESTABLISHED ? -EISCONN : ret;
}

static int ucmad_fake_init_qp_attr(struct ib_cm_id *id, struct ib_qp_attr *attr, int *mask)
{
	int ret = ucmad_fake_do(id, UCMAD_FAKE_QP_ATTR);

	if (ret)
		return ret;
	ucmad_fake->last.number = attr->qp_state;
	*attr = ucmad_fake->attr;
	*mask = ucmad_fake->attr_mask;
	return 0;
}

static int ucmad_fake_resolve(const union ib_gid *dgid, const struct ib_gid_attr *sgid_attr,
			      struct rdma_dev_addr *addr, unsigned long timeout_ms,
			      void (*done)(int status, struct sockaddr *src,
					   struct rdma_dev_addr *addr, void *context),
			      void *context)
{
	ucmad_fake_record(UCMAD_FAKE_RESOLVE);
	if (ucmad_fake->errors[UCMAD_FAKE_RESOLVE])
		return ucmad_fake->errors[UCMAD_FAKE_RESOLVE];
	ucmad_fake->resolve_done = done;
	ucmad_fake->resolve_context = context;
	ucmad_fake->resolve_addr = addr;
	ucmad_fake->resolve_timeout_ms = timeout_ms;
	return 0;
}

static void ucmad_fake_resolve_cancel(struct rdma_dev_addr *addr)
{
	if (!ucmad_fake->resolve_done || ucmad_fake->resolve_addr != addr)
		return;
	if (ucmad_fake->resolve_late)
		ucmad_fake_resolved(ucmad_fake, 0);
	ucmad_fake->resolve_done = NULL;
}

static const struct ucmad_cm_provider ucmad_fake_provider = {
	.create = ucmad_fake_create,
	.destroy = ucmad_fake_destroy,
	.listen = ucmad_fake_listen,
	.send_req = ucmad_fake_send_req,
	.send_rep = ucmad_fake_send_rep,
	.send_rtu = ucmad_fake_send_rtu,
	.send_rej = ucmad_fake_send_rej,
	.send_mra = ucmad_fake_send_mra,
	.send_dreq = ucmad_fake_send_dreq,
	.send_drep = ucmad_fake_send_drep,
	.send_sidr_req = ucmad_fake_send_sidr_req,
	.send_sidr_rep = ucmad_fake_send_sidr_rep,
	.notify = ucmad_fake_notify,
	.init_qp_attr = ucmad_fake_init_qp_attr,
	.resolve = ucmad_fake_resolve,
	.resolve_cancel = ucmad_fake_resolve_cancel,
};

/* From here on the module has this provider. */
void ucmad_fake_cm_start(struct ucmad_fake_cm *fake)
{
	fake->early = UCMAD_FAKE_NOTHING;
	fake->late = UCMAD_FAKE_NOTHING;
	ucmad_fake = fake;
	ucmad_cm_provider = &ucmad_fake_provider;
}

void ucmad_fake_cm_stop(void)
{
	ucmad_cm_provider = &ucmad_cm_ib;
	ucmad_fake = NULL;
}

/* ---- what peers do ----------------------------------------------------------------------- */

/* A message of a peer has room for private data to its end, whatever the peer has put there. */
static const u8 *ucmad_fake_data(void)
{
	static u8 data[UCMAD_CM_DREP_DATA_MAX];
	u32 i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = UCMAD_FAKE_DATA(i);
	return data;
}

/* What a peer that had no wishes would send. */
struct ib_cm_event ucmad_fake_event(enum ib_cm_event_type type)
{
	static struct sa_path_rec path = { .rec_type = SA_PATH_REC_TYPE_IB };
	struct ib_cm_event event = { .event = type, .private_data = (void *)ucmad_fake_data() };

	switch (type) {
	case IB_CM_REQ_RECEIVED:
		event.param.req_rcvd.primary_path = &path;
		/* So long that no timer ever comes by itself. */
		event.param.req_rcvd.local_cm_response_timeout = 31;
		break;
	case IB_CM_LAP_RECEIVED:
		event.param.lap_rcvd.alternate_path = &path;
		break;
	case IB_CM_REJ_RECEIVED:
		event.param.rej_rcvd.reason = IB_CM_REJ_CONSUMER_DEFINED;
		event.param.rej_rcvd.ari = (void *)ucmad_fake_data();
		break;
	case IB_CM_APR_RECEIVED:
		event.param.apr_rcvd.apr_info = (void *)ucmad_fake_data();
		break;
	case IB_CM_SIDR_REP_RECEIVED:
		event.param.sidr_rep_rcvd.info = (void *)ucmad_fake_data();
		break;
	case IB_CM_REQ_ERROR:
	case IB_CM_REP_ERROR:
	case IB_CM_DREQ_ERROR:
	case IB_CM_LAP_ERROR:
	case IB_CM_SIDR_REQ_ERROR:
		event.param.send_status = IB_WC_RESP_TIMEOUT_ERR;
		event.private_data = NULL;
		break;
	case IB_CM_USER_ESTABLISHED:
	case IB_CM_TIMEWAIT_EXIT:
		event.private_data = NULL;
		break;
	default:
		break;
	}
	return event;
}

/* The provider knows of an event, and so has another state; the handler is still to be called. */
void ucmad_fake_enter(struct ib_cm_id *id, enum ib_cm_event_type type)
{
	id->state = ucmad_fake_after_event(id->state, type);
}

/* It calls the handler. */
int ucmad_fake_deliver(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	return id->cm_handler(id, event);
}

/* A REQ or SIDR REQ comes to a listener; who refuses the new ID leaves it to the provider. */
int ucmad_fake_bear(struct ib_cm_id *listener, const struct ib_cm_event *event)
{
	struct ib_cm_id *newest = ucmad_fake->newest;
	struct ib_cm_id *id =
		ucmad_fake_id(listener->device, listener->cm_handler, listener->context);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	id->service_id = listener->service_id;
	ucmad_fake_enter(id, event->event);
	ret = ucmad_fake_deliver(id, event);
	if (ret) {
		ucmad_fake_free(id);
		ucmad_fake->newest = newest;
	}
	return ret;
}

/* All of it at once: state and handler. */
int ucmad_fake_happen(struct ib_cm_id *id, enum ib_cm_event_type type)
{
	struct ib_cm_event event = ucmad_fake_event(type);

	if (type == IB_CM_REQ_RECEIVED || type == IB_CM_SIDR_REQ_RECEIVED)
		return ucmad_fake_bear(id, &event);
	ucmad_fake_enter(id, type);
	return ucmad_fake_deliver(id, &event);
}

/* The search for an address is over. */
void ucmad_fake_resolved(struct ucmad_fake_cm *fake, int status)
{
	void (*done)(int status, struct sockaddr *src, struct rdma_dev_addr *addr,
		     void *context) = fake->resolve_done;

	fake->resolve_done = NULL;
	done(status, NULL, fake->resolve_addr, fake->resolve_context);
}
