// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * What a program does with a MAD agent. User memory is touched only while the agent is not held, so
 * that deregister never waits for a program (DEL-NOWAIT-USER).
 */
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "file.h"
#include "mad.h"
#include "path.h"

#define UCMAD_MAD_RETRIES_MAX	15
/* Longer than anyone waits, and no trouble for timers. */
#define UCMAD_MAD_TIMEOUT_MAX	(24 * 3600 * MSEC_PER_SEC)
/* One call posts so many, or cancels so many. */
#define UCMAD_MAD_BATCH_MAX	65536
/* More than the largest table that a subnet administrator may send. */
#define UCMAD_MAD_LEN_MAX	SZ_16M

/* ---- post -------------------------------------------------------------------------------- */

/* Is everything in range that does not depend on the device? */
static bool ucmad_mad_address_is_valid(const struct ucmad_mad_address *to)
{
	return !(to->flags & ~UCMAD_ADDRESS_GRH) && ucmad_is_zero(to->reserved) &&
	       to->qpn <= UCMAD_24_BITS && to->flow_label <= UCMAD_20_BITS && to->sl <= 15 &&
	       to->path_bits <= 127 &&
	       (to->flags & UCMAD_ADDRESS_GRH ||
		(ucmad_is_zero(to->dgid) && !to->flow_label && !to->sgid_index && !to->hop_limit &&
		 !to->traffic_class)) &&
	       ucmad_rate_is_valid(to->rate);
}

static int ucmad_mad_send_check(const struct ucmad_agent *agent, const struct ucmad_mad_send *args)
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
	return ucmad_mad_address_is_valid(&args->to) ? 0 : -EINVAL;
}

/* SMPs go over QP0 and all else over QP1 (IBTA 14.2), and what asks for a response is none. */
static bool ucmad_mad_is_valid(const struct ucmad_send *send, const struct ib_mad_hdr *mad)
{
	const struct ucmad_agent *agent = send->agent;

	return mad->base_version == IB_MGMT_BASE_VERSION &&
	       ucmad_mad_class_is_smp(mad->mgmt_class) == !agent->qp &&
	       (!agent->rmpp || ib_is_mad_class_rmpp(mad->mgmt_class)) &&
	       (send->rmpp ? send->mad_len >= ib_get_mad_data_offset(mad->mgmt_class) :
			     send->mad_len == UCMAD_MAD_SIZE) &&
	       (send->no_response || !ib_response_mad(mad));
}

/* Brings the MAD in, and sets the transaction ID of the wire. */
static int ucmad_send_load(struct ucmad_send *send, const struct ucmad_mad_send *args)
{
	struct ib_mad_hdr *mad = (void *)send->mad;
	struct ucmad_agent *agent = send->agent;

	if (copy_from_user(send->mad, u64_to_user_ptr(args->mad),
			   min_t(size_t, args->mad_len, UCMAD_MAD_SIZE)))
		return -EFAULT;
	send->mad_len = args->mad_len;
	send->rmpp = agent->rmpp && ucmad_rmpp_is_active(mad);
	send->no_response = args->flags & UCMAD_SEND_NO_RESPONSE;
	if (!ucmad_mad_is_valid(send, mad))
		return -EINVAL;
	send->tid = mad->tid;
	send->cookie = args->cookie;
	send->retries = args->retries;
	send->timeout = msecs_to_jiffies(args->timeout_ms);
	mad->tid = cpu_to_be64((u64)agent->tid_high << 32 | send->handle);
	return send->rmpp ? ucmad_rmpp_load(send, u64_to_user_ptr(args->mad)) : 0;
}

/* Sends it to who asked, with the transaction ID that was asked with. */
static int ucmad_send_answer(struct ucmad_send *send, u64 request)
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

/* Gives the send its handle, and tells the program, before anything can come of it. */
static int ucmad_send_name(struct ucmad_send *send, struct ucmad_mad_send __user *user)
{
	struct ucmad_agent *agent = send->agent;
	int ret;

	ret = xa_alloc_cyclic_bh(&agent->sends, &send->handle, XA_ZERO_ENTRY,
				 XA_LIMIT(1, U32_MAX), &agent->next_send, GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		return ret;
	ret = put_user(send->handle, &user->handle);
	if (ret)
		xa_erase_bh(&agent->sends, send->handle);
	return ret;
}

static int ucmad_send_post(struct ucmad_send *send, struct ucmad_mad_send *args,
			   struct ucmad_mad_send __user *user)
{
	struct ucmad_agent *agent = send->agent;
	int ret;

	ret = ucmad_send_name(send, user);
	if (ret)
		return ret;
	ret = ucmad_send_load(send, args);
	if (!ret)
		ret = args->in_reply_to ? ucmad_send_answer(send, args->in_reply_to) :
					  ucmad_send_start(send, &args->to, agent->over_ib_mad);
	if (ret)
		xa_erase_bh(&agent->sends, send->handle);
	return ret;
}

/* A send counts against the agent's limit until its completion was taken. */
static int ucmad_agent_admit(struct ucmad_agent *agent)
{
	if (atomic_inc_return(&agent->outstanding) <= agent->max_in_flight)
		return 0;
	atomic_dec(&agent->outstanding);
	return -EAGAIN;
}

static int ucmad_mad_post_one(struct ucmad_agent *agent, struct ucmad_mad_send __user *user)
{
	struct ucmad_mad_send args;
	struct ucmad_send *send;
	int ret;

	if (copy_from_user(&args, user, sizeof(args)))
		return -EFAULT;
	ret = ucmad_mad_send_check(agent, &args);
	if (ret)
		return ret;
	ret = ucmad_agent_admit(agent);
	if (ret)
		return ret;
	send = ucmad_send_alloc();
	if (!send) {
		atomic_dec(&agent->outstanding);
		return -ENOMEM;
	}
	send->agent = agent;
	ret = ucmad_send_post(send, &args, user);
	if (ret) {
		ucmad_send_free(send);
		atomic_dec(&agent->outstanding);
	}
	return ret;
}

static void ucmad_mad_post_all(struct ucmad_agent *agent, struct ucmad_mad_post *args)
{
	struct ucmad_mad_send __user *sends = u64_to_user_ptr(args->sends);
	int ret = 0;

	while (args->posted < args->count) {
		ret = ucmad_mad_post_one(agent, &sends[args->posted]);
		if (ret)
			break;
		args->posted++;
		cond_resched();
	}
	args->error = -ret;
}

int ucmad_ioctl_mad_post(struct ucmad_cmd *cmd)
{
	struct ucmad_mad_post *args = cmd->arg;
	struct ucmad_agent *agent;

	if (!args->count || args->count > UCMAD_MAD_BATCH_MAX ||
	    args->entry_size != sizeof(struct ucmad_mad_send))
		return -EINVAL;
	args->posted = 0;
	args->error = 0;
	/* Who cannot be told how many were accepted shall post none (MAD-PARTIAL). */
	if (ucmad_respond(cmd))
		return -EFAULT;
	agent = ucmad_agent_get(cmd->file, args->object);
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	if (READ_ONCE(agent->removed))
		args->error = ENODEV;
	else
		ucmad_mad_post_all(agent, args);
	ucmad_agent_put(agent);
	if (ucmad_respond(cmd))
		return -EFAULT;
	return args->posted ? 0 : -args->error;
}

/* ---- cancel ------------------------------------------------------------------------------ */

static int ucmad_mad_cancel(struct ucmad_agent *agent, const u32 *handles, u32 count)
{
	u32 i;
	int ret;

	ret = ucmad_agent_hold(agent);
	if (ret)
		return ret;
	/* MAD-CANCEL: a kernel with DEBUG_ATOMIC_SLEEP reports whatever would sleep here. */
	non_block_start();
	if (!count)
		ucmad_send_cancel_all(agent, UCMAD_MAD_CANCELLED);
	for (i = 0; i < count; i++)
		ucmad_send_cancel(agent, handles[i], UCMAD_MAD_CANCELLED);
	ucmad_agent_release_hold(agent);
	non_block_end();
	return 0;
}

int ucmad_ioctl_mad_cancel(struct ucmad_cmd *cmd)
{
	struct ucmad_mad_cancel *args = cmd->arg;
	size_t size = array_size(args->count, sizeof(u32));
	struct ucmad_agent *agent;
	u32 one, *handles = &one;
	int ret = 0;

	if (args->reserved || args->count > UCMAD_MAD_BATCH_MAX || !args->handles != !args->count)
		return -EINVAL;
	if (args->count > 1) {
		handles = kvmalloc(size, GFP_KERNEL_ACCOUNT);
		if (!handles)
			return -ENOMEM;
	}
	if (copy_from_user(handles, u64_to_user_ptr(args->handles), size))
		ret = -EFAULT;
	agent = ret ? NULL : ucmad_agent_get(cmd->file, args->object);
	if (IS_ERR(agent)) {
		ret = PTR_ERR(agent);
	} else if (agent) {
		ret = ucmad_mad_cancel(agent, handles, args->count);
		ucmad_agent_put(agent);
	}
	if (handles != &one)
		kvfree(handles);
	return ret;
}

/* ---- time-out, query --------------------------------------------------------------------- */

int ucmad_ioctl_mad_timeout(struct ucmad_cmd *cmd)
{
	struct ucmad_mad_timeout *args = cmd->arg;
	struct ucmad_agent *agent;
	int ret;

	if (!args->timeout_ms || args->timeout_ms > UCMAD_MAD_TIMEOUT_MAX)
		return -EINVAL;
	agent = ucmad_agent_get(cmd->file, args->object);
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	ret = ucmad_agent_hold(agent);
	if (!ret) {
		ucmad_send_set_timeout(agent, args->handle, args->timeout_ms);
		ucmad_agent_release_hold(agent);
	}
	ucmad_agent_put(agent);
	return ret;
}

int ucmad_ioctl_mad_query(struct ucmad_cmd *cmd)
{
	struct ucmad_mad_query *args = cmd->arg;
	struct ucmad_agent *agent;
	int ret = 0;

	if (args->reserved)
		return -EINVAL;
	agent = ucmad_agent_get(cmd->file, args->object);
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	if (READ_ONCE(agent->removed))
		ret = -ENODEV;
	args->in_flight = atomic_read(&agent->outstanding);
	args->receives_waiting = atomic_read(&agent->receives);
	args->receives_dropped = atomic64_read(&agent->receives_dropped);
	args->strays = READ_ONCE(agent->strays);
	args->device = agent->object.device_index;
	ucmad_agent_put(agent);
	return ret ?: ucmad_respond(cmd);
}
