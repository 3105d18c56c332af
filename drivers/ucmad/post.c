// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * What is posted becomes a send, in steps between which the MAD is brought in: begin gives it a
 * handle and room, inspect looks at the MAD's headers before a long MAD is brought in as a whole,
 * commit starts it. Nothing here knows where description and MAD come from.
 */
#include <linux/sizes.h>

#include "file.h"
#include "mad.h"
#include "path.h"

#define UCMAD_MAD_RETRIES_MAX	15
/* More than the largest table that a subnet administrator may send. */
#define UCMAD_MAD_LEN_MAX	SZ_16M

/* ---- begin ------------------------------------------------------------------------------- */

/* Is everything in range that does not depend on the device? */
static bool ucmad_post_address_is_valid(const struct ucmad_mad_address *to)
{
	return !(to->flags & ~UCMAD_ADDRESS_GRH) && ucmad_is_zero(to->reserved) &&
	       to->qpn <= UCMAD_24_BITS && to->flow_label <= UCMAD_20_BITS && to->sl <= 15 &&
	       to->path_bits <= 127 &&
	       (to->flags & UCMAD_ADDRESS_GRH ||
		(ucmad_is_zero(to->dgid) && !to->flow_label && !to->sgid_index && !to->hop_limit &&
		 !to->traffic_class)) &&
	       ucmad_rate_is_valid(to->rate);
}

static int ucmad_post_check(const struct ucmad_agent *agent, const struct ucmad_mad_send *args)
{
	bool response = !(args->flags & UCMAD_SEND_NO_RESPONSE);

	if (args->flags & ~UCMAD_SEND_NO_RESPONSE || args->reserved ||
	    args->mad_len < IB_MGMT_RMPP_HDR || args->mad_len > UCMAD_MAD_LEN_MAX ||
	    args->retries > UCMAD_MAD_RETRIES_MAX ||
	    args->timeout_ms > UCMAD_MAD_TIMEOUT_MAX || response != !!args->timeout_ms ||
	    (!response && args->retries))
		return -EINVAL;
	if (args->in_reply_to)
		return response || !ucmad_is_zero(args->to) ? -EINVAL : 0;
	/* QP0 speaks to QP0 only. */
	if (!args->to.qpn != !agent->qp)
		return -EINVAL;
	return ucmad_post_address_is_valid(&args->to) ? 0 : -EINVAL;
}

/* A send counts against the agent's limit until its completion was taken. */
static int ucmad_post_admit(struct ucmad_agent *agent)
{
	if (atomic_inc_return(&agent->outstanding) <= agent->max_in_flight)
		return 0;
	atomic_dec(&agent->outstanding);
	return -EAGAIN;
}

static u32 ucmad_post_next_handle(struct ucmad_agent *agent)
{
	u32 handle;

	do
		handle = atomic_inc_return(&agent->last_handle);
	while (!handle);
	return handle;
}

/**
 * ucmad_post_begin - Make a send of a description; it has a handle, but is not started.
 * @agent: The agent.
 * @args: The description.
 *
 * Return: The send, to be given its MAD, and then to ucmad_post_inspect() or ucmad_post_abort();
 * or an ERR_PTR(): -EINVAL, -EAGAIN too many are outstanding, -ENOMEM.
 */
struct ucmad_send *ucmad_post_begin(struct ucmad_agent *agent, const struct ucmad_mad_send *args)
{
	struct ucmad_send *send;
	int ret;

	ret = ucmad_post_check(agent, args);
	if (ret)
		return ERR_PTR(ret);
	ret = ucmad_post_admit(agent);
	if (ret)
		return ERR_PTR(ret);
	send = ucmad_send_alloc();
	if (!send) {
		atomic_dec(&agent->outstanding);
		return ERR_PTR(-ENOMEM);
	}
	send->agent = agent;
	send->handle = ucmad_post_next_handle(agent);
	send->mad_len = args->mad_len;
	send->no_response = args->flags & UCMAD_SEND_NO_RESPONSE;
	send->cookie = args->cookie;
	send->retries = args->retries;
	send->timeout = msecs_to_jiffies(args->timeout_ms);
	return send;
}

/* Gives up a send that was not started: nothing has happened. */
void ucmad_post_abort(struct ucmad_send *send)
{
	struct ucmad_agent *agent = send->agent;

	ucmad_send_free(send);
	atomic_dec(&agent->outstanding);
}

/* ---- inspect ----------------------------------------------------------------------------- */

/* SMPs go over QP0 and all else over QP1 (IBTA 14.2), and what asks for a response is none. */
static bool ucmad_post_mad_is_valid(const struct ucmad_send *send, const struct ib_mad_hdr *mad)
{
	const struct ucmad_agent *agent = send->agent;

	return mad->base_version == IB_MGMT_BASE_VERSION &&
	       ucmad_mad_class_is_smp(mad->mgmt_class) == !agent->qp &&
	       (!agent->rmpp || ib_is_mad_class_rmpp(mad->mgmt_class)) &&
	       (send->rmpp ? send->mad_len >= ib_get_mad_data_offset(mad->mgmt_class) :
			     send->mad_len == UCMAD_MAD_SIZE) &&
	       (send->no_response || !ib_response_mad(mad));
}

/**
 * ucmad_post_inspect - May the agent send this MAD?
 * @send: The send; of its MAD, the first UCMAD_MAD_SIZE bytes are there.
 *
 * Return: 0, and then &ucmad_send.rmpp is set, and the send is for ucmad_post_commit() or
 * ucmad_post_abort(). Or -EINVAL, and then it is for the latter.
 */
int ucmad_post_inspect(struct ucmad_send *send)
{
	send->rmpp = send->agent->rmpp && ucmad_rmpp_is_active(send->mad);
	return ucmad_post_mad_is_valid(send, (const void *)send->mad) ? 0 : -EINVAL;
}

/* ---- commit ------------------------------------------------------------------------------ */

/* Sends it to who asked, with the transaction ID that was asked with. */
static int ucmad_post_answer(struct ucmad_send *send, u64 request)
{
	struct ib_mad_hdr *mad = (void *)send->mad;
	struct ucmad_agent *agent = send->agent;
	struct ucmad_mad_address to;
	int ret;

	ret = ucmad_gsi_begin_answer(agent, request, &to, &mad->tid);
	if (ret)
		return ret;
	ret = ucmad_send_start(send, &to, true);
	ucmad_gsi_end_answer(agent, request, !ret);
	return ret;
}

/**
 * ucmad_post_commit - Start a send whose MAD is there.
 * @send: The send, from ucmad_post_inspect().
 * @args: Its description.
 *
 * Return: 0, and then it has exactly one completion (MAD-ONE). Or an error, and then it is still
 * the caller's: -ENOENT no such request to answer, or as ucmad_send_start().
 */
int ucmad_post_commit(struct ucmad_send *send, const struct ucmad_mad_send *args)
{
	struct ib_mad_hdr *mad = (void *)send->mad;
	struct ucmad_agent *agent = send->agent;

	send->tid = mad->tid;
	mad->tid = cpu_to_be64((u64)agent->tid_high << 32 | send->handle);
	return args->in_reply_to ? ucmad_post_answer(send, args->in_reply_to) :
				   ucmad_send_start(send, &args->to, agent->over_ib_mad);
}
