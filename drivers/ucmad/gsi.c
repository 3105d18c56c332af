// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* Unsolicited MADs, and the answers to them, through ib_mad, which owns QP1. */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "file.h"
#include "mad.h"

#define UCMAD_GSI_SENDS 128

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

/* ---- answers ----------------------------------------------------------------------------- */

static int ucmad_gsi_prepare(struct ucmad_send *send)
{
	struct ucmad_mad_address *to = &send->peer->key.address;
	struct ib_mad_send_buf *buf;

	buf = ib_create_send_mad(send->agent->gsi->ib_agent, send->qpn, to->pkey_index, 0,
				 IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	memcpy(buf->mad, send->mad, sizeof(send->mad));
	buf->context[0] = send;
	send->gsi_buf = buf;
	return 0;
}

static void ucmad_gsi_unprepare(struct ucmad_send *send)
{
	ib_free_send_mad(send->gsi_buf);
}

static int ucmad_gsi_post(struct ucmad_send *send)
{
	send->gsi_buf->ah = send->peer->ah;
	return ib_post_send_mad(send->gsi_buf, NULL);
}

/* ib_mad repairs its QP itself. */
static void ucmad_gsi_failed(struct ucmad_channel *channel)
{
}

static const struct ucmad_channel_ops ucmad_gsi_ops = {
	.failed = ucmad_gsi_failed,
	.prepare = ucmad_gsi_prepare,
	.unprepare = ucmad_gsi_unprepare,
	.post = ucmad_gsi_post,
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

	if (!(wc->wc_flags & IB_WC_GRH) || ucmad_wc_gids(wc, grh, &remote, &local))
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
	from->qkey = UCMAD_MAD_QKEY;
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

static bool ucmad_gsi_post_receive(struct ucmad_agent *agent,
				   const struct ib_mad_recv_wc *received)
{
	const struct ib_mad_hdr *header = &received->recv_buf.mad->mad_hdr;
	struct ucmad_mad_receive *body;
	struct ucmad_queued *event;

	event = ucmad_queued_alloc(GFP_KERNEL_ACCOUNT);
	if (!event)
		return false;
	body = ucmad_queued_fill(event, UCMAD_EVENT_MAD_RECEIVE, sizeof(*body), header,
				 UCMAD_MAD_SIZE);
	ucmad_gsi_set_from(agent, &body->from, received);
	if (!ib_response_mad(header))
		body->request = ucmad_gsi_add_request(agent, &body->from, header->tid);
	if (ucmad_event_post(&agent->object, event))
		return true;
	ucmad_queued_free(event);
	return false;
}

static void ucmad_gsi_received(struct ib_mad_agent *ib_agent, struct ib_mad_send_buf *sent,
			       struct ib_mad_recv_wc *received)
{
	struct ucmad_agent *agent = ib_agent->context;
	/* The program pays, not the kernel's worker. */
	struct mem_cgroup *memcg = set_active_memcg(agent->object.file->memcg);

	if (atomic_inc_return(&agent->receives) > agent->receive_queue ||
	    !ucmad_gsi_post_receive(agent, received)) {
		atomic_dec(&agent->receives);
		atomic64_inc(&agent->receives_dropped);
	}
	set_active_memcg(memcg);
	ib_free_recv_mad(received);
}

/* ---- registration ------------------------------------------------------------------------ */

/**
 * ucmad_gsi_register - Let unsolicited MADs come to an agent.
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
	int ret;

	if (!gsi)
		return -ENOMEM;
	memcpy(request.oui, args->oui, sizeof(request.oui));
	bitmap_from_arr64(request.method_mask, args->method_mask, IB_MGMT_MAX_METHODS);
	ucmad_channel_init(&gsi->channel, &ucmad_gsi_ops, port, UCMAD_GSI_SENDS);
	agent->gsi = gsi;
	gsi->ib_agent = ib_register_mad_agent(port->ib, port->number, IB_QPT_GSI, &request, 0,
					      ucmad_gsi_sent, ucmad_gsi_received, agent, 0);
	if (IS_ERR(gsi->ib_agent)) {
		ret = PTR_ERR(gsi->ib_agent);
		agent->gsi = NULL;
		kfree(gsi);
		/* What else it means was checked before. */
		return ret == -EINVAL ? -EADDRINUSE : ret;
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
	ib_unregister_mad_agent(agent->gsi->ib_agent);
	kfree(agent->gsi);
	agent->gsi = NULL;
	/* A call may just be answering one. */
	xa_for_each(&agent->requests, handle, request)
		kfree(xa_erase_bh(&agent->requests, handle));
	xa_destroy(&agent->requests);
}
