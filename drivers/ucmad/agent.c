// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * The life of a MAD agent; see object.h for what all objects share.
 *
 * Deregister (MAD-DEREG) goes in this order: nothing is accepted any more; what is outstanding is
 * flushed; the agent's own hold is released, and the last send, or the last call under way, to
 * release its hold lets it go on. By then neither the hardware nor a timer knows anything of the
 * agent. None of the holds waits for a program: calls touch user memory before and after they have
 * one.
 */
#include <linux/slab.h>

#include "device.h"
#include "file.h"
#include "mad.h"

#define UCMAD_DEFAULT_IN_FLIGHT		1024
#define UCMAD_DEFAULT_RECEIVE_QUEUE	128
/* Beyond that, several sends share a bucket. */
#define UCMAD_SEND_BUCKETS_MAX		65536

/* What ib_mad has room for (drivers/infiniband/core/mad_priv.h). */
#define UCMAD_CLASS_LIMIT	0x50
#define UCMAD_CLASS_VERSION_LIMIT	0x83

/* The port and all that sends needed of it; nobody uses it any more. */
static void ucmad_agent_leave_port(struct ucmad_agent *agent)
{
	struct ucmad_port *port = agent->port;

	/* Who released the last hold did so under the lock, and may not have unlocked it yet. */
	spin_lock_bh(&port->lock);
	if (agent->tid_high && !agent->over_ib_mad)
		xa_erase(&port->agents, agent->tid_high);
	spin_unlock_bh(&port->lock);
	ucmad_peers_destroy(agent);
	ucmad_gsi_unregister(agent);
	ucmad_port_put(port);
	kvfree(agent->sends);
}

/* Returns whether this call is the one to tear down. */
static bool ucmad_agent_close(struct ucmad_agent *agent)
{
	bool first;

	mutex_lock(&agent->mutex);
	first = !agent->closing;
	if (first) {
		spin_lock_bh(&agent->port->lock);
		agent->closing = true;
		spin_unlock_bh(&agent->port->lock);
	}
	mutex_unlock(&agent->mutex);
	return first;
}

static u32 ucmad_agent_teardown(struct ucmad_object *object)
{
	struct ucmad_agent *agent = container_of(object, struct ucmad_agent, object);

	if (ucmad_agent_close(agent)) {
		ucmad_send_cancel_all(agent, UCMAD_MAD_FLUSHED);
		ucmad_agent_release_hold(agent);
		wait_for_completion(&agent->quiet);
		ucmad_agent_leave_port(agent);
		complete_all(&agent->left);
		ucmad_device_detach(object->device, object);
	} else {
		wait_for_completion(&agent->left);
	}
	return agent->flushed;
}

static void ucmad_agent_device_removed(struct ucmad_object *object)
{
	struct ucmad_agent *agent = container_of(object, struct ucmad_agent, object);

	WRITE_ONCE(agent->removed, true);
	ucmad_agent_teardown(object);
	ucmad_object_post_removed(object);
}

static void ucmad_agent_event_freed(struct ucmad_object *object, const struct ucmad_queued *event)
{
	struct ucmad_agent *agent = container_of(object, struct ucmad_agent, object);

	if (event->head.type == UCMAD_EVENT_MAD_SEND)
		atomic_dec(&agent->outstanding);
	else if (event->head.type == UCMAD_EVENT_MAD_RECEIVE)
		atomic_dec(&agent->receives);
}

static void ucmad_agent_release(struct ucmad_object *object)
{
	struct ucmad_agent *agent = container_of(object, struct ucmad_agent, object);

	kfree_rcu(agent, object.rcu);
}

static const struct ucmad_object_ops ucmad_agent_ops = {
	.teardown = ucmad_agent_teardown,
	.device_removed = ucmad_agent_device_removed,
	.event_freed = ucmad_agent_event_freed,
	.release = ucmad_agent_release,
};

/**
 * ucmad_agent_get - Find an agent and take a reference.
 * @file: The file.
 * @handle: Its handle.
 *
 * Return: The agent, or as ucmad_object_get_kind().
 */
struct ucmad_agent *ucmad_agent_get(struct ucmad_file *file, u32 handle)
{
	struct ucmad_object *object = ucmad_object_get_kind(file, handle, &ucmad_agent_ops);

	return IS_ERR(object) ? ERR_CAST(object) : container_of(object, struct ucmad_agent, object);
}

void ucmad_agent_put(struct ucmad_agent *agent)
{
	ucmad_object_put(&agent->object);
}

/**
 * ucmad_agent_hold - Keep deregister from returning, and so the port from going.
 * @agent: The agent; a reference is held. User memory must not be touched while this hold is.
 *
 * Return: 0, -ENODEV its device was removed, -ESHUTDOWN it is deregistered.
 */
int ucmad_agent_hold(struct ucmad_agent *agent)
{
	if (refcount_inc_not_zero(&agent->holds))
		return 0;
	return READ_ONCE(agent->removed) ? -ENODEV : -ESHUTDOWN;
}

void ucmad_agent_release_hold(struct ucmad_agent *agent)
{
	if (refcount_dec_and_test(&agent->holds))
		complete_all(&agent->quiet);
}

/* ---- register ---------------------------------------------------------------------------- */

static bool ucmad_agent_class_is_of_qp(const struct ucmad_mad_register *args)
{
	return ucmad_mad_class_is_smp(args->mgmt_class) == !args->qp;
}

static bool ucmad_agent_class_is_valid(const struct ucmad_mad_register *args)
{
	bool has_oui = !ucmad_is_zero(args->oui);

	/* It only sends. */
	if (ucmad_is_zero(args->method_mask))
		return !args->mgmt_class && !args->class_version && !has_oui;
	if (!ucmad_agent_class_is_of_qp(args) || args->class_version >= UCMAD_CLASS_VERSION_LIMIT ||
	    (args->rmpp_version && !ib_is_mad_class_rmpp(args->mgmt_class)))
		return false;
	if (args->mgmt_class >= IB_MGMT_CLASS_VENDOR_RANGE2_START &&
	    args->mgmt_class <= IB_MGMT_CLASS_VENDOR_RANGE2_END)
		return has_oui;
	return !has_oui && args->mgmt_class &&
	       (!args->qp || args->mgmt_class < UCMAD_CLASS_LIMIT);
}

static int ucmad_agent_check(const struct ucmad_mad_register *args)
{
	u32 max = READ_ONCE(ucmad_max_sends);

	if (args->flags & ~(UCMAD_AGENT_CONCURRENT | UCMAD_AGENT_IB_MAD) || args->qp > 1 ||
	    args->rmpp_version > 1 || (args->rmpp_version && !args->qp) ||
	    args->max_in_flight > max || args->receive_queue > max ||
	    !ucmad_agent_class_is_valid(args))
		return -EINVAL;
	if (!capable(args->qp ? CAP_NET_RAW : CAP_NET_ADMIN))
		return -EPERM;
	return 0;
}

/* Makes the agent known to its port: responses and, if it wants them, unsolicited MADs come. */
static int ucmad_agent_join_port(struct ucmad_agent *agent, const struct ucmad_mad_register *args)
{
	struct ucmad_port *port = agent->port;
	u32 tid_high;
	int ret;

	if (agent->over_ib_mad || args->mgmt_class) {
		ret = ucmad_gsi_register(agent, args);
		if (ret)
			return ret;
	}
	if (agent->over_ib_mad) {
		agent->tid_high = agent->gsi->ib_agent->hi_tid;
		return 0;
	}
	ret = xa_alloc_cyclic_bh(&port->agents, &tid_high, agent, XA_LIMIT(1, U32_MAX),
				 &port->next_agent, GFP_KERNEL);
	if (ret < 0)
		return ret;
	/* Not before: a place that was looked at and not taken may be another's by now. */
	agent->tid_high = tid_high;
	return 0;
}

static struct ucmad_agent *ucmad_agent_new(struct ucmad_file *file, struct ucmad_device *device,
					   const struct ucmad_transport *transport,
					   const struct ucmad_mad_register *args)
{
	struct ucmad_agent *agent = kzalloc(sizeof(*agent), GFP_KERNEL_ACCOUNT);
	u32 buckets;
	int ret;

	if (!agent)
		return ERR_PTR(-ENOMEM);
	refcount_set(&agent->holds, 1);
	init_completion(&agent->quiet);
	init_completion(&agent->left);
	INIT_LIST_HEAD(&agent->live);
	xa_init_flags(&agent->requests, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	agent->qp = args->qp;
	agent->rmpp = args->rmpp_version;
	agent->over_ib_mad = !args->qp || agent->rmpp || args->flags & UCMAD_AGENT_IB_MAD;
	agent->max_in_flight = args->max_in_flight ?: UCMAD_DEFAULT_IN_FLIGHT;
	buckets = roundup_pow_of_two(min_t(u32, agent->max_in_flight, UCMAD_SEND_BUCKETS_MAX));
	agent->sends_mask = buckets - 1;
	agent->receive_queue = args->receive_queue ?: UCMAD_DEFAULT_RECEIVE_QUEUE;
	ucmad_queue_init(&agent->object.queue);
	agent->object.queue.concurrent = args->flags & UCMAD_AGENT_CONCURRENT;

	agent->sends = kvcalloc(buckets, sizeof(*agent->sends), GFP_KERNEL_ACCOUNT);
	if (!agent->sends) {
		ret = -ENOMEM;
		goto err_free;
	}
	ret = ucmad_peers_init(agent);
	if (ret)
		goto err_sends;
	agent->port = ucmad_port_get(transport, device->ib, args->port);
	if (!agent->port) {
		ret = -ENOMEM;
		goto err_peers;
	}
	/* The device may be removed from here on: then all must be in place but what follows. */
	ret = ucmad_object_reserve(&agent->object, file, device, &ucmad_agent_ops);
	if (ret)
		goto err_port;
	ucmad_queue_set_context(&agent->object, args->context);
	return agent;

err_port:
	ucmad_port_put(agent->port);
err_peers:
	ucmad_peers_destroy(agent);
err_sends:
	kvfree(agent->sends);
err_free:
	kfree(agent);
	return ERR_PTR(ret);
}

/**
 * ucmad_agent_create - Make an agent, which is ready for everything but not published.
 * @file: The file.
 * @device: The RDMA device.
 * @transport: How its port reaches others.
 * @args: What it is to be; valid.
 *
 * Return: The agent, or an ERR_PTR(): -EADDRINUSE, -EMFILE, -ENODEV, -ENOMEM, -EOPNOTSUPP.
 */
struct ucmad_agent *ucmad_agent_create(struct ucmad_file *file, struct ucmad_device *device,
				       const struct ucmad_transport *transport,
				       const struct ucmad_mad_register *args)
{
	struct ucmad_agent *agent = ucmad_agent_new(file, device, transport, args);
	int ret;

	if (IS_ERR(agent))
		return agent;
	/* A hold, so that a removal of the device meanwhile waits. */
	ret = ucmad_agent_hold(agent);
	if (!ret) {
		ret = ucmad_agent_join_port(agent, args);
		ucmad_agent_release_hold(agent);
	}
	if (ret) {
		ucmad_object_abort(&agent->object);
		return ERR_PTR(ret);
	}
	return agent;
}

static int ucmad_agent_register(struct ucmad_cmd *cmd, struct ucmad_device *device)
{
	struct ucmad_mad_register *args = cmd->arg;
	struct ucmad_agent *agent;
	int ret;

	if (!rdma_is_port_valid(device->ib, args->port))
		return -EINVAL;
	if (!(args->qp ? rdma_cap_ib_mad(device->ib, args->port) :
			 rdma_cap_ib_smi(device->ib, args->port)))
		return -EOPNOTSUPP;
	agent = ucmad_agent_create(cmd->file, device, &ucmad_ud_transport, args);
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	args->object = agent->object.handle;
	ret = ucmad_respond(cmd);
	if (ret) {
		ucmad_object_abort(&agent->object);
		return ret;
	}
	ucmad_object_publish(&agent->object);
	return 0;
}

int ucmad_ioctl_mad_register(struct ucmad_cmd *cmd)
{
	struct ucmad_mad_register *args = cmd->arg;
	struct ucmad_device *device;
	int ret;

	ret = ucmad_agent_check(args);
	if (ret)
		return ret;
	device = ucmad_device_get(cmd->file, args->device);
	if (!device)
		return -ENODEV;
	ret = ucmad_agent_register(cmd, device);
	ucmad_device_put(device);
	return ret;
}
