// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * What happens to CM IDs: from an event of ib_cm to one of ours.
 *
 * The handler takes no mutex of an ID that a program knows, since ib_destroy_cm_id(), which waits
 * for the handler, is called under such a mutex.
 */
#include <linux/sched/mm.h>

#include "cm.h"
#include "device.h"
#include "file.h"
#include "path.h"
#include "stats.h"

/* The index that the ABI has where there is no local GID. */
#define UCMAD_NO_GID_INDEX 0xffff

static u16 ucmad_gid_index(const struct ib_gid_attr *attr)
{
	return attr ? attr->index : UCMAD_NO_GID_INDEX;
}

/* A length in a message is the peer's word: no more than there is room for. */
static u8 ucmad_copy_info(u8 *to, size_t room, const void *info, u8 len)
{
	len = min_t(size_t, len, room);
	memcpy(to, info, len);
	return len;
}

/* ---- births ------------------------------------------------------------------------------ */

static void ucmad_fill_req(struct ucmad_queued *queued, const struct ib_cm_id *id,
			   const struct ib_cm_event *event, const struct ucmad_cm *listener)
{
	const struct ib_cm_req_event_param *param = &event->param.req_rcvd;
	struct ucmad_cm_req_event *body =
		ucmad_queued_fill(queued, UCMAD_EVENT_CM_REQ, sizeof(*body), event->private_data,
				  UCMAD_CM_REQ_DATA_MAX);

	body->listener = listener->object.handle;
	body->device = listener->object.device_index;
	body->service_id = be64_to_cpu(id->service_id);
	body->remote_ca_guid = be64_to_cpu(param->remote_ca_guid);
	body->remote_qkey = param->remote_qkey;
	body->remote_qpn = param->remote_qpn;
	body->starting_psn = param->starting_psn;
	body->ece_vendor_id = param->ece.vendor_id;
	body->ece_attr_mod = param->ece.attr_mod;
	body->bth_pkey = param->bth_pkey;
	body->port = param->port;
	body->qp_type = param->qp_type;
	body->responder_resources = param->responder_resources;
	body->initiator_depth = param->initiator_depth;
	body->local_cm_response_timeout = param->local_cm_response_timeout;
	body->remote_cm_response_timeout = param->remote_cm_response_timeout;
	body->retry_count = param->retry_count;
	body->rnr_retry_count = param->rnr_retry_count;
	body->flow_control = param->flow_control;
	body->srq = param->srq;
	ucmad_path_from_record(&body->primary, param->primary_path, param->port,
			       param->ppath_sgid_attr);
	if (param->alternate_path) {
		body->has_alternate = 1;
		ucmad_path_from_record(&body->alternate, param->alternate_path, param->port, NULL);
	}
}

static void ucmad_fill_sidr_req(struct ucmad_queued *queued, const struct ib_cm_event *event,
				const struct ucmad_cm *listener)
{
	const struct ib_cm_sidr_req_event_param *param = &event->param.sidr_req_rcvd;
	struct ucmad_cm_sidr_req_event *body =
		ucmad_queued_fill(queued, UCMAD_EVENT_CM_SIDR_REQ, sizeof(*body),
				  event->private_data, UCMAD_CM_SIDR_REQ_DATA_MAX);

	body->listener = listener->object.handle;
	body->device = listener->object.device_index;
	body->service_id = be64_to_cpu(param->service_id);
	body->pkey = param->pkey;
	body->bth_pkey = param->bth_pkey;
	body->sgid_index = ucmad_gid_index(param->sgid_attr);
	body->port = param->port;
}

static enum ucmad_cm_alternate ucmad_alternate_of(const struct sa_path_rec *path)
{
	if (!path)
		return UCMAD_CM_ALTERNATE_NONE;
	return path->hop_limit ? UCMAD_CM_ALTERNATE_GRH : UCMAD_CM_ALTERNATE_LID;
}

/* Gives a new connection all it needs, so that want of memory can do it no harm later. */
static struct ucmad_cm *ucmad_cm_bear(struct ucmad_cm *listener, bool is_sidr,
				      struct ucmad_queued **first)
{
	struct ucmad_cm *cm = ucmad_cm_new(listener->object.file, listener->object.device);

	if (IS_ERR(cm))
		return cm;
	*first = ucmad_queued_alloc(GFP_KERNEL_ACCOUNT);
	/* Nothing follows a SIDR REQ. */
	if (*first && (is_sidr || !ucmad_cm_reserve_fill(cm)))
		return cm;
	if (*first)
		ucmad_queued_free(*first);
	ucmad_object_abort(&cm->object);
	return ERR_PTR(-ENOMEM);
}

static void ucmad_cm_begin(struct ucmad_cm *cm, const struct ib_cm_req_event_param *param,
			   u8 patience)
{
	cm->begun = true;
	cm->patience = patience;
	cm->alternate = ucmad_alternate_of(param->alternate_path);
	cm->response_ms = ucmad_cm_time_to_ms(param->local_cm_response_timeout);
	/* Before it is published, when it may be destroyed at once: this must not come after. */
	ucmad_cm_answer_due(cm);
}

/*
 * Returns 0, or an error, and then the provider destroys the ID that was not born: it says nothing
 * to the peer on -ENOMEM, so that it tries again, and rejects it on others.
 */
static int ucmad_cm_birth(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	bool is_sidr = event->event == IB_CM_SIDR_REQ_RECEIVED;
	struct ucmad_cm *listener = id->context, *cm;
	struct mem_cgroup *memcg;
	struct ucmad_queued *first;
	int ret;

	/* The listener's program pays, not the kernel's worker. */
	memcg = set_active_memcg(listener->object.file->memcg);
	cm = ucmad_cm_bear(listener, is_sidr, &first);
	set_active_memcg(memcg);
	if (IS_ERR(cm))
		goto dropped;
	cm->id = id;
	id->context = cm;
	ucmad_stat_inc(UCMAD_STAT_CM_IDS);
	if (is_sidr) {
		ucmad_fill_sidr_req(first, event, listener);
	} else {
		ucmad_fill_req(first, id, event, listener);
		ucmad_cm_begin(cm, &event->param.req_rcvd, listener->patience);
	}
	ret = ucmad_event_post_birth(&listener->object, listener->backlog, &cm->object, first);
	if (!ret)
		return 0;

	/* The works may look at it; the provider, not we, will destroy it. */
	mutex_lock(&cm->mutex);
	cm->id = NULL;
	mutex_unlock(&cm->mutex);
	ucmad_stat_dec(UCMAD_STAT_CM_IDS);
	ucmad_queued_free(first);
	ucmad_object_abort(&cm->object);
	if (ret == -ESHUTDOWN)
		return -ECONNREFUSED;
dropped:
	atomic_inc(&listener->dropped);
	ucmad_stat_inc(UCMAD_STAT_REQUESTS_DROPPED);
	return -ENOMEM;
}

/* ---- all others -------------------------------------------------------------------------- */

/* Events that are nothing but a message with private data, and of those with a body the data. */
static const struct {
	enum ucmad_event_type type;
	u16 data_len;
} ucmad_cm_events[] = {
	[IB_CM_REQ_ERROR] = { UCMAD_EVENT_CM_REQ_ERROR },
	[IB_CM_REP_ERROR] = { UCMAD_EVENT_CM_REP_ERROR },
	[IB_CM_REP_RECEIVED] = { UCMAD_EVENT_CM_REP, UCMAD_CM_REP_DATA_MAX },
	[IB_CM_RTU_RECEIVED] = { UCMAD_EVENT_CM_RTU, UCMAD_CM_RTU_DATA_MAX },
	[IB_CM_USER_ESTABLISHED] = { UCMAD_EVENT_CM_USER_ESTABLISHED },
	[IB_CM_DREQ_ERROR] = { UCMAD_EVENT_CM_DREQ_ERROR },
	[IB_CM_DREQ_RECEIVED] = { UCMAD_EVENT_CM_DREQ, UCMAD_CM_DREQ_DATA_MAX },
	[IB_CM_DREP_RECEIVED] = { UCMAD_EVENT_CM_DREP, UCMAD_CM_DREP_DATA_MAX },
	[IB_CM_TIMEWAIT_EXIT] = { UCMAD_EVENT_CM_TIMEWAIT_EXIT },
	[IB_CM_MRA_RECEIVED] = { UCMAD_EVENT_CM_MRA, UCMAD_CM_MRA_DATA_MAX },
	[IB_CM_REJ_RECEIVED] = { UCMAD_EVENT_CM_REJ, UCMAD_CM_REJ_DATA_MAX },
	[IB_CM_LAP_ERROR] = { UCMAD_EVENT_CM_LAP_ERROR },
	[IB_CM_LAP_RECEIVED] = { UCMAD_EVENT_CM_LAP, UCMAD_CM_LAP_DATA_MAX },
	[IB_CM_APR_RECEIVED] = { UCMAD_EVENT_CM_APR, UCMAD_CM_APR_DATA_MAX },
	[IB_CM_SIDR_REQ_ERROR] = { UCMAD_EVENT_CM_SIDR_REQ_ERROR },
	[IB_CM_SIDR_REP_RECEIVED] = { UCMAD_EVENT_CM_SIDR_REP, UCMAD_CM_SIDR_REP_DATA_MAX },
};

static void *ucmad_fill(struct ucmad_queued *queued, const struct ib_cm_event *event,
			size_t body_len)
{
	return ucmad_queued_fill(queued, ucmad_cm_events[event->event].type, body_len,
				 event->private_data, ucmad_cm_events[event->event].data_len);
}

static void ucmad_fill_rep(struct ucmad_queued *queued, const struct ib_cm_event *event)
{
	const struct ib_cm_rep_event_param *param = &event->param.rep_rcvd;
	struct ucmad_cm_rep_event *body = ucmad_fill(queued, event, sizeof(*body));

	body->remote_ca_guid = be64_to_cpu(param->remote_ca_guid);
	body->remote_qkey = param->remote_qkey;
	body->remote_qpn = param->remote_qpn;
	body->starting_psn = param->starting_psn;
	body->ece_vendor_id = param->ece.vendor_id;
	body->ece_attr_mod = param->ece.attr_mod;
	body->responder_resources = param->responder_resources;
	body->initiator_depth = param->initiator_depth;
	body->target_ack_delay = param->target_ack_delay;
	body->failover_accepted = param->failover_accepted;
	body->flow_control = param->flow_control;
	body->rnr_retry_count = param->rnr_retry_count;
	body->srq = param->srq;
}

static void ucmad_fill_rej(struct ucmad_queued *queued, const struct ib_cm_event *event)
{
	const struct ib_cm_rej_event_param *param = &event->param.rej_rcvd;
	struct ucmad_cm_rej_event *body = ucmad_fill(queued, event, sizeof(*body));

	body->reason = param->reason;
	body->ari_len = ucmad_copy_info(body->ari, sizeof(body->ari), param->ari,
					param->ari_length);
}

static void ucmad_fill_mra(struct ucmad_queued *queued, const struct ib_cm_event *event)
{
	struct ucmad_cm_mra_event *body = ucmad_fill(queued, event, sizeof(*body));

	body->service_timeout = event->param.mra_rcvd.service_timeout;
}

static void ucmad_fill_lap(struct ucmad_queued *queued, const struct ib_cm_event *event)
{
	struct ucmad_cm_lap_event *body = ucmad_fill(queued, event, sizeof(*body));

	ucmad_path_from_record(&body->alternate, event->param.lap_rcvd.alternate_path, 0, NULL);
}

static void ucmad_fill_apr(struct ucmad_queued *queued, const struct ib_cm_event *event)
{
	const struct ib_cm_apr_event_param *param = &event->param.apr_rcvd;
	struct ucmad_cm_apr_event *body = ucmad_fill(queued, event, sizeof(*body));

	body->status = param->ap_status;
	body->info_len = ucmad_copy_info(body->info, sizeof(body->info), param->apr_info,
					 param->info_len);
}

static void ucmad_fill_sidr_rep(struct ucmad_queued *queued, const struct ib_cm_event *event)
{
	const struct ib_cm_sidr_rep_event_param *param = &event->param.sidr_rep_rcvd;
	struct ucmad_cm_sidr_rep_event *body = ucmad_fill(queued, event, sizeof(*body));

	body->qp_num = param->qpn;
	body->qkey = param->qkey;
	body->sgid_index = ucmad_gid_index(param->sgid_attr);
	body->status = param->status;
	body->info_len = ucmad_copy_info(body->info, sizeof(body->info), param->info,
					 param->info_len);
}

static u32 ucmad_send_error(enum ib_wc_status status)
{
	return status == IB_WC_RESP_TIMEOUT_ERR ? ETIMEDOUT : EIO;
}

static void ucmad_fill_error(struct ucmad_queued *queued, const struct ib_cm_event *event)
{
	struct ucmad_cm_error_event *body = ucmad_fill(queued, event, sizeof(*body));

	body->error = ucmad_send_error(event->param.send_status);
	body->wc_status = event->param.send_status;
}

static void ucmad_fill_event(struct ucmad_queued *queued, const struct ib_cm_event *event)
{
	switch (event->event) {
	case IB_CM_REP_RECEIVED:
		return ucmad_fill_rep(queued, event);
	case IB_CM_REJ_RECEIVED:
		return ucmad_fill_rej(queued, event);
	case IB_CM_MRA_RECEIVED:
		return ucmad_fill_mra(queued, event);
	case IB_CM_LAP_RECEIVED:
		return ucmad_fill_lap(queued, event);
	case IB_CM_APR_RECEIVED:
		return ucmad_fill_apr(queued, event);
	case IB_CM_SIDR_REP_RECEIVED:
		return ucmad_fill_sidr_rep(queued, event);
	case IB_CM_REQ_ERROR:
	case IB_CM_REP_ERROR:
	case IB_CM_DREQ_ERROR:
	case IB_CM_LAP_ERROR:
	case IB_CM_SIDR_REQ_ERROR:
		return ucmad_fill_error(queued, event);
	default:
		ucmad_fill(queued, event, 0);
	}
}

static void ucmad_cm_over(struct ucmad_cm *cm, u32 error)
{
	ucmad_cm_answered(cm);
	WRITE_ONCE(cm->error, error);
}

/* Keeps what operations want to know, before the program can see the event (CM-STATE). */
static void ucmad_cm_follow(struct ucmad_cm *cm, const struct ib_cm_event *event)
{
	switch (event->event) {
	case IB_CM_REP_RECEIVED:
		ucmad_cm_answer_due(cm);
		break;
	case IB_CM_USER_ESTABLISHED:
		complete(&cm->established);
		break;
	case IB_CM_LAP_RECEIVED:
		WRITE_ONCE(cm->alternate, ucmad_alternate_of(event->param.lap_rcvd.alternate_path));
		break;
	case IB_CM_REJ_RECEIVED:
		ucmad_cm_over(cm, ECONNRESET);
		break;
	case IB_CM_DREQ_RECEIVED:
		/* Where both sides disconnect at a time, this side has ended it too. */
		if (!READ_ONCE(cm->ended_here))
			ucmad_cm_over(cm, ECONNRESET);
		break;
	case IB_CM_REQ_ERROR:
	case IB_CM_REP_ERROR:
	case IB_CM_DREQ_ERROR:
	case IB_CM_SIDR_REQ_ERROR:
		ucmad_cm_over(cm, ucmad_send_error(event->param.send_status));
		break;
	default:
		break;
	}
}

static void ucmad_cm_post(struct ucmad_cm *cm, struct ucmad_queued *queued)
{
	if (!ucmad_event_post(&cm->object, queued))
		ucmad_queued_free(queued);
}

/*
 * What was set aside is enough by the protocol; if ever it is not, that is a fault to be seen. Only
 * an object that is destroyed may have given it up already.
 */
static struct ucmad_queued *ucmad_cm_next_event(struct ucmad_cm *cm)
{
	struct ucmad_queued *queued = ucmad_cm_reserve_take(cm);

	if (!queued && WARN_ON_ONCE(!READ_ONCE(cm->object.queue.dead)))
		ucmad_stat_inc(UCMAD_STAT_EVENTS_LOST);
	return queued;
}

/* An event of our own making. */
void ucmad_cm_post_error(struct ucmad_cm *cm, enum ucmad_event_type type, u32 error, u32 wc_status)
{
	struct ucmad_queued *queued = ucmad_cm_next_event(cm);
	struct ucmad_cm_error_event *body;

	if (!queued)
		return;
	body = ucmad_queued_fill(queued, type, sizeof(*body), NULL, 0);
	body->error = error;
	body->wc_status = wc_status;
	ucmad_cm_post(cm, queued);
}

static void ucmad_cm_report(struct ucmad_cm *cm, const struct ib_cm_event *event)
{
	struct ucmad_queued *queued = ucmad_cm_next_event(cm);

	if (!queued)
		return;
	ucmad_fill_event(queued, event);
	ucmad_cm_follow(cm, event);
	ucmad_cm_post(cm, queued);
}

/*
 * ib_cm gives up its reference before it calls the handler for a message that nobody has answered
 * (cm_process_send_error()), so that the ID, and our object with it, may be destroyed meanwhile.
 * What is touched here lives until the end of an RCU read-side section: the object, its file, and
 * the code. So does the ID, which ib_cm itself uses for the call; more cannot be done from here.
 */
int ucmad_cm_handler(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	if (event->event == IB_CM_REQ_RECEIVED || event->event == IB_CM_SIDR_REQ_RECEIVED)
		return ucmad_cm_birth(id, event);

	rcu_read_lock();
	ucmad_cm_report(id->context, event);
	rcu_read_unlock();
	return 0;
}
