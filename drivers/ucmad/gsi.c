// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * Through ib_mad, which owns QP0 and QP1: unsolicited MADs and the answers to them; of agents over
 * ib_mad also their requests. ib_mad finds what a response is for, and would time out and repeat;
 * we do the latter ourselves, but for RMPP, so that the tries are counted.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "file.h"
#include "main.h"
#include "mad.h"

#define UCMAD_GSI_SENDS 128
/* Longer than any try: ib_mad holds a request until it is abandoned. */
#define UCMAD_GSI_WAIT_MS (2 * 24 * 3600 * MSEC_PER_SEC)
/* RMPP repeats an answer that is not acknowledged so often. */
#define UCMAD_GSI_RMPP_RETRIES 7

/**
 * struct ucmad_request - A MAD that was received and can be answered.
 * @from: Who sent it.
 * @tid: Its transaction ID.
 * @taken: A call is just answering it; guarded, as the table, by the table's lock.
 */
struct ucmad_request {
	struct ucmad_mad_address from;
	__be64 tid;
	bool taken;
};

/* ---- send -------------------------------------------------------------------------------- */

static struct ib_mad_send_buf *ucmad_gsi_create(struct ucmad_send *send,
						struct ib_mad_agent *ib_agent)
{
	struct ib_mad_send_buf *buf;

	buf = ib_create_send_mad(ib_agent, send->qpn, send->peer->key.address.pkey_index, 0,
				 IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA, GFP_KERNEL_ACCOUNT,
				 IB_MGMT_BASE_VERSION);
	if (!IS_ERR(buf))
		memcpy(buf->mad, send->mad, sizeof(send->mad));
	return buf;
}

static int ucmad_gsi_prepare(struct ucmad_send *send)
{
	struct ib_mad_agent *ib_agent = send->agent->gsi->ib_agent;
	struct ib_mad_send_buf *buf;

	buf = send->rmpp ? ucmad_rmpp_create(send, ib_agent) : ucmad_gsi_create(send, ib_agent);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	buf->context[0] = send;
	send->gsi_buf = buf;
	INIT_LIST_HEAD(&send->gsi_node);
	return 0;
}

static void ucmad_gsi_unprepare(struct ucmad_send *send)
{
	ib_free_send_mad(send->gsi_buf);
}

static void ucmad_gsi_set_patience(struct ucmad_send *send)
{
	struct ib_mad_send_buf *buf = send->gsi_buf;

	buf->retries = 0;
	if (!send->rmpp) {
		buf->timeout_ms = send->no_response ? 0 : UCMAD_GSI_WAIT_MS;
	} else if (send->no_response) {
		buf->timeout_ms = 0;
		buf->retries = UCMAD_GSI_RMPP_RETRIES;
	} else {
		buf->timeout_ms = jiffies_to_msecs(send->timeout);
		buf->retries = send->retries;
	}
}

static int ucmad_gsi_post(struct ucmad_send *send)
{
	struct ucmad_gsi *gsi = send->agent->gsi;

	send->gsi_buf->ah = send->peer->ah;
	ucmad_gsi_set_patience(send);
	if (!send->agent->over_ib_mad)
		return ib_post_send_mad(send->gsi_buf, NULL);
	list_add_tail(&send->gsi_node, &gsi->to_post);
	queue_work(ucmad_workqueue, &gsi->post_work);
	return 0;
}

static bool ucmad_gsi_is_unwanted(const struct ucmad_send *send)
{
	return send->state == UCMAD_SEND_DONE || send->try_over;
}

/*
 * Not while the work is just posting it: ib_mad, which counts its references once more before a
 * send by RMPP, would never tell of its end. The work looks afterwards.
 */
static void ucmad_gsi_abandon(struct ucmad_send *send)
{
	if (!send->gsi_posting)
		ib_cancel_mad(send->gsi_buf);
}

static struct ucmad_send *ucmad_gsi_next_to_post(struct ucmad_gsi *gsi)
{
	struct ucmad_send *send;

	send = list_first_entry_or_null(&gsi->to_post, struct ucmad_send, gsi_node);
	if (send) {
		list_del_init(&send->gsi_node);
		refcount_inc(&send->refs);
	}
	return send;
}

/* Returns an error, if ib_mad will not tell of the end of this try. */
static int ucmad_gsi_post_unlocked(struct ucmad_send *send, spinlock_t *lock)
{
	int ret;

	if (ucmad_gsi_is_unwanted(send))
		return -ECANCELED;
	send->gsi_posting = true;
	spin_unlock_bh(lock);
	ret = ib_post_send_mad(send->gsi_buf, NULL);
	spin_lock_bh(lock);
	send->gsi_posting = false;
	/* As long as the hardware has it: its end may have been told meanwhile. */
	if (!ret && send->in_hardware && ucmad_gsi_is_unwanted(send))
		ucmad_gsi_abandon(send);
	return ret;
}

static void ucmad_gsi_post_all(struct work_struct *work)
{
	struct ucmad_gsi *gsi = container_of(work, struct ucmad_gsi, post_work);
	struct ucmad_port *port = gsi->channel.port;
	struct ucmad_send *send;
	int ret;

	spin_lock_bh(&port->lock);
	for (;;) {
		send = ucmad_gsi_next_to_post(gsi);
		if (!send)
			break;
		ret = ucmad_gsi_post_unlocked(send, &port->lock);
		spin_unlock_bh(&port->lock);
		if (ret)
			ucmad_send_sent(send, IB_WC_GENERAL_ERR);
		spin_lock_bh(&port->lock);
		ucmad_send_put(send);
	}
	spin_unlock_bh(&port->lock);
}

static const struct ucmad_channel_ops ucmad_gsi_ops = {
	.prepare = ucmad_gsi_prepare,
	.unprepare = ucmad_gsi_unprepare,
	.post = ucmad_gsi_post,
	.abandon = ucmad_gsi_abandon,
};

static void ucmad_gsi_sent(struct ib_mad_agent *ib_agent, struct ib_mad_send_wc *wc)
{
	ucmad_send_sent(wc->send_buf->context[0], wc->status);
}

/**
 * ucmad_gsi_begin_answer - Find what is to be answered; one call at a time can do so.
 * @agent: The agent.
 * @handle: Handle of the request.
 * @from: Out: where the answer goes.
 * @tid: Out: its transaction ID.
 *
 * Return: 0, and then ucmad_gsi_end_answer() must follow, or -ENOENT.
 */
int ucmad_gsi_begin_answer(struct ucmad_agent *agent, u64 handle, struct ucmad_mad_address *from,
			   __be64 *tid)
{
	struct ucmad_request *request;

	xa_lock_bh(&agent->requests);
	request = handle <= U32_MAX ? xa_load(&agent->requests, handle) : NULL;
	if (request && request->taken)
		request = NULL;
	if (request) {
		request->taken = true;
		*from = request->from;
		*tid = request->tid;
	}
	xa_unlock_bh(&agent->requests);
	return request ? 0 : -ENOENT;
}

/* The request was answered, or can be answered still. */
void ucmad_gsi_end_answer(struct ucmad_agent *agent, u64 handle, bool answered)
{
	struct ucmad_request *request;

	xa_lock_bh(&agent->requests);
	request = xa_load(&agent->requests, handle);
	if (request)
		request->taken = false;
	if (answered)
		__xa_erase(&agent->requests, handle);
	xa_unlock_bh(&agent->requests);
	if (answered)
		kfree(request);
}

/* ---- receive ----------------------------------------------------------------------------- */

static void ucmad_gsi_set_grh(struct ucmad_agent *agent, struct ucmad_mad_address *from,
			      const struct ib_wc *wc, const struct ib_grh *grh)
{
	struct ucmad_port *port = agent->port;
	const struct ib_gid_attr *attr;
	union ib_gid remote, local;
	enum ib_gid_type type = IB_GID_TYPE_IB;

	if (!(wc->wc_flags & IB_WC_GRH) || ucmad_address_of_wc(wc, grh, &remote, &local))
		return;
	if (rdma_protocol_roce(port->ib, port->number))
		type = IB_GID_TYPE_ROCE_UDP_ENCAP;
	attr = rdma_find_gid_by_port(port->ib, &local, type, port->number, NULL);
	if (IS_ERR(attr))
		return;
	from->sgid_index = attr->index;
	rdma_put_gid_attr(attr);
	from->flags = UCMAD_ADDRESS_GRH;
	memcpy(from->dgid, &remote, sizeof(from->dgid));
}

static void ucmad_gsi_set_from(struct ucmad_agent *agent, struct ucmad_mad_address *from,
			       const struct ib_mad_recv_wc *received)
{
	const struct ib_wc *wc = received->wc;

	from->qpn = wc->src_qp;
	from->qkey = agent->qp ? UCMAD_MAD_QKEY : 0;
	from->dlid = rdma_protocol_roce(agent->port->ib, agent->port->number) ? 0 : wc->slid;
	from->pkey_index = wc->pkey_index;
	from->sl = wc->sl;
	from->path_bits = wc->dlid_path_bits;
	ucmad_gsi_set_grh(agent, from, wc, received->recv_buf.grh);
}

/* So many requests, the newest, can be answered; who answers none of them owes nothing. */
static u32 ucmad_gsi_requests_kept(const struct ucmad_agent *agent)
{
	return 1024 + 2 * agent->receive_queue;
}

/* Remembers who asked. Returns 0 for want of memory. Handlers of a port run one after the other. */
static u32 ucmad_gsi_add_request(struct ucmad_agent *agent, const struct ucmad_mad_address *from,
				 __be64 tid)
{
	struct ucmad_request *request = kzalloc(sizeof(*request), GFP_KERNEL_ACCOUNT);
	u32 handle;

	if (!request)
		return 0;
	request->from = *from;
	request->tid = tid;
	if (xa_alloc_cyclic_bh(&agent->requests, &handle, request, XA_LIMIT(1, U32_MAX),
			       &agent->next_request, GFP_KERNEL_ACCOUNT) < 0) {
		kfree(request);
		return 0;
	}
	kfree(xa_erase_bh(&agent->requests, handle - ucmad_gsi_requests_kept(agent)));
	return handle;
}

/* What came to a GID that is not ours, as an interface without ARP lets happen, has no sender. */
static bool ucmad_gsi_is_answerable(const struct ucmad_agent *agent,
				    const struct ucmad_mad_address *from,
				    const struct ib_mad_hdr *header)
{
	return !ib_response_mad(header) &&
	       (from->flags & UCMAD_ADDRESS_GRH ||
		!rdma_protocol_roce(agent->port->ib, agent->port->number));
}

static bool ucmad_gsi_post_receive(struct ucmad_agent *agent, struct ib_mad_recv_wc *received)
{
	const struct ib_mad_hdr *header = &received->recv_buf.mad->mad_hdr;
	struct ucmad_mad_receive *body;
	struct ucmad_queued *event;
	bool answerable;

	event = ucmad_queued_alloc(GFP_KERNEL_ACCOUNT);
	if (!event)
		return false;
	body = ucmad_rmpp_fill(event, UCMAD_EVENT_MAD_RECEIVE, sizeof(*body), received);
	ucmad_gsi_set_from(agent, &body->from, received);
	answerable = ucmad_gsi_is_answerable(agent, &body->from, header);
	if (answerable)
		body->request = ucmad_gsi_add_request(agent, &body->from, header->tid);
	/* Without memory to remember it, it is dropped, and the peer tries again. */
	if ((body->request || !answerable) && ucmad_event_post(&agent->object, event))
		return true;
	event->received = NULL;
	ucmad_queued_free(event);
	return false;
}

/* Returns whether @received was kept. */
static bool ucmad_gsi_take_unsolicited(struct ucmad_agent *agent, struct ib_mad_recv_wc *received)
{
	bool is_long = ucmad_rmpp_is_long(received);

	if (atomic_inc_return(&agent->receives) <= agent->receive_queue &&
	    ucmad_gsi_post_receive(agent, received))
		return is_long;
	atomic_dec(&agent->receives);
	atomic64_inc(&agent->receives_dropped);
	return false;
}

static void ucmad_gsi_received(struct ib_mad_agent *ib_agent, struct ib_mad_send_buf *sent,
			       struct ib_mad_recv_wc *received)
{
	struct ucmad_agent *agent = ib_agent->context;
	/* The program pays, not the kernel's worker. */
	struct mem_cgroup *memcg = set_active_memcg(agent->object.file->memcg);

	bool kept;

	kept = sent ? ucmad_send_answered(sent->context[0], received) :
		      ucmad_gsi_take_unsolicited(agent, received);
	set_active_memcg(memcg);
	if (!kept)
		ib_free_recv_mad(received);
}

/* ---- registration ------------------------------------------------------------------------ */

/* What it means, since all else was checked before. */
static int ucmad_gsi_error(int error)
{
	switch (error) {
	case -EINVAL:
		return -EADDRINUSE;
	case -EPROTONOSUPPORT:
		return -EOPNOTSUPP;
	default:
		return error;
	}
}

/**
 * ucmad_gsi_register - Let unsolicited MADs come to an agent, or its requests go through ib_mad.
 * @agent: The agent, not published yet, but ready for events.
 * @args: What it wants; valid.
 *
 * Return: 0, -EADDRINUSE if another agent has one of the methods, or another error of ib_mad.
 */
int ucmad_gsi_register(struct ucmad_agent *agent, const struct ucmad_mad_register *args)
{
	struct ucmad_port *port = agent->port;
	struct ib_mad_reg_req request = {
		.mgmt_class = args->mgmt_class,
		.mgmt_class_version = args->class_version,
	};
	struct ucmad_gsi *gsi = kzalloc(sizeof(*gsi), GFP_KERNEL_ACCOUNT);
	u32 depth = agent->over_ib_mad ? agent->max_in_flight : UCMAD_GSI_SENDS;
	int ret;

	if (!gsi)
		return -ENOMEM;
	INIT_LIST_HEAD(&gsi->to_post);
	INIT_WORK(&gsi->post_work, ucmad_gsi_post_all);
	memcpy(request.oui, args->oui, sizeof(request.oui));
	bitmap_from_arr64(request.method_mask, args->method_mask, IB_MGMT_MAX_METHODS);
	ucmad_channel_init(&gsi->channel, &ucmad_gsi_ops, port, depth);
	agent->gsi = gsi;
	gsi->ib_agent = ib_register_mad_agent(port->ib, port->number,
					      agent->qp ? IB_QPT_GSI : IB_QPT_SMI,
					      args->mgmt_class ? &request : NULL,
					      args->rmpp_version, ucmad_gsi_sent,
					      ucmad_gsi_received, agent, 0);
	if (IS_ERR(gsi->ib_agent)) {
		ret = PTR_ERR(gsi->ib_agent);
		agent->gsi = NULL;
		kfree(gsi);
		return ucmad_gsi_error(ret);
	}
	gsi->channel.pd = gsi->ib_agent->qp->pd;
	return 0;
}

/* Waits for handlers. All answers were sent, and their address handles are destroyed. */
void ucmad_gsi_unregister(struct ucmad_agent *agent)
{
	struct ucmad_request *request;
	unsigned long handle;

	if (!agent->gsi)
		return;
	cancel_work_sync(&agent->gsi->post_work);
	ib_unregister_mad_agent(agent->gsi->ib_agent);
	kfree(agent->gsi);
	agent->gsi = NULL;
	/* A call may just be answering one. */
	xa_for_each(&agent->requests, handle, request)
		kfree(xa_erase_bh(&agent->requests, handle));
	xa_destroy(&agent->requests);
}
