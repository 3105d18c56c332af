// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * What a program does with a MAD agent. User memory is touched only while the agent is not held, so
 * that deregister never waits for a program (DEL-NOWAIT-USER).
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "file.h"
#include "mad.h"

/* One call posts so many, or cancels so many. */
#define UCMAD_MAD_BATCH_MAX	65536

/* ---- post -------------------------------------------------------------------------------- */

/* Brings the MAD in: a long one only if its headers are in order. */
static int ucmad_mad_load(struct ucmad_send *send, const void __user *mad)
{
	int ret;

	if (copy_from_user(send->mad, mad, min_t(size_t, send->mad_len, UCMAD_MAD_SIZE)))
		return -EFAULT;
	ret = ucmad_post_inspect(send);
	return !ret && send->rmpp ? ucmad_rmpp_load(send, mad) : ret;
}

static int ucmad_mad_post_one(struct ucmad_agent *agent, struct ucmad_mad_send __user *user)
{
	struct ucmad_mad_send args;
	struct ucmad_send *send;
	int ret;

	if (copy_from_user(&args, user, sizeof(args)))
		return -EFAULT;
	send = ucmad_post_begin(agent, &args);
	if (IS_ERR(send))
		return PTR_ERR(send);
	/* The program knows the handle before anything can come of the send. */
	ret = put_user(send->handle, &user->handle);
	if (!ret)
		ret = ucmad_mad_load(send, u64_to_user_ptr(args.mad));
	if (!ret)
		ret = ucmad_post_commit(send, &args);
	if (ret)
		ucmad_post_abort(send);
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
