// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* The character device: open, close, poll, and the table of ioctls. */
#include <linux/compat.h>
#include <linux/memcontrol.h>
#include <linux/nsproxy.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>

#include "cm.h"
#include "device.h"
#include "event.h"
#include "file.h"
#include "mad.h"
#include "object.h"
#include "stats.h"

/* Returns a file without objects, of the calling process, or NULL for want of memory. */
struct ucmad_file *ucmad_file_create(void)
{
	struct ucmad_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return NULL;
	refcount_set(&file->refs, 1);
	spin_lock_init(&file->lock);
	INIT_LIST_HEAD(&file->ready);
	INIT_LIST_HEAD(&file->batches);
	init_waitqueue_head(&file->wait);
	/* Handles are published under @lock, which is taken with interrupts off. */
	xa_init_flags(&file->objects, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	file->net = get_net(current->nsproxy->net_ns);
	file->memcg = get_mem_cgroup_from_mm(current->mm);
	ucmad_stat_inc(UCMAD_STAT_FILES);
	return file;
}

static int ucmad_open(struct inode *inode, struct file *filp)
{
	struct ucmad_file *file = ucmad_file_create();

	if (!file)
		return -ENOMEM;
	filp->private_data = file;
	return stream_open(inode, filp);
}

void ucmad_file_get(struct ucmad_file *file)
{
	refcount_inc(&file->refs);
}

void ucmad_file_put(struct ucmad_file *file)
{
	if (!refcount_dec_and_test(&file->refs))
		return;
	xa_destroy(&file->objects);
	mem_cgroup_put(file->memcg);
	put_net(file->net);
	/* Who came late to an object of it may have its lock, see ucmad_cm_handler(). */
	kfree_rcu(file, rcu);
	ucmad_stat_dec(UCMAD_STAT_FILES);
}

static int ucmad_release(struct inode *inode, struct file *filp)
{
	struct ucmad_file *file = filp->private_data;

	ucmad_object_destroy_all(file);
	ucmad_file_put(file);
	return 0;
}

/* Readable exactly when an "any object" call has something to take (EV-POLL). */
static __poll_t ucmad_poll(struct file *filp, struct poll_table_struct *table)
{
	struct ucmad_file *file = filp->private_data;
	__poll_t ready;

	poll_wait(filp, &file->wait, table);
	spin_lock_irq(&file->lock);
	ready = list_empty(&file->ready) ? 0 : EPOLLIN | EPOLLRDNORM;
	spin_unlock_irq(&file->lock);
	return ready;
}

static int ucmad_ioctl_query(struct ucmad_cmd *cmd)
{
	struct ucmad_query *args = cmd->arg;

	if (args->reserved)
		return -EINVAL;
	args->abi_version = UCMAD_ABI_VERSION;
	args->features = UCMAD_FEATURE_CM | UCMAD_FEATURE_MAD;
	args->max_objects = ucmad_max_objects;
	args->max_backlog = ucmad_max_backlog;
	args->max_event_size = UCMAD_RECORD_MAX;
	return ucmad_respond(cmd);
}

static int ucmad_ioctl_destroy(struct ucmad_cmd *cmd)
{
	struct ucmad_destroy *args = cmd->arg;
	int ret;

	if (args->reserved)
		return -EINVAL;
	/* Who cannot be told what was discarded shall discard nothing (DEL-COUNT). */
	if (ucmad_respond(cmd))
		return -EFAULT;
	ret = ucmad_object_destroy(cmd->file, args->object, &args->discarded);
	return ret ?: ucmad_respond(cmd);
}

static int ucmad_ioctl_set_context(struct ucmad_cmd *cmd)
{
	struct ucmad_set_context *args = cmd->arg;
	struct ucmad_object *object = ucmad_object_get(cmd->file, args->object);

	if (!object)
		return -ENOENT;
	ucmad_queue_set_context(object, args->context);
	ucmad_object_put(object);
	return 0;
}

/* Large enough for any ioctl's struct. */
union ucmad_args {
	struct ucmad_query query;
	struct ucmad_devices devices;
	struct ucmad_events events;
	struct ucmad_destroy destroy;
	struct ucmad_set_context set_context;
	union ucmad_cm_args cm;
	union ucmad_mad_args mad;
};

/**
 * struct ucmad_ioctl - An ioctl.
 * @handler: What carries it out.
 * @min_size: Size of the first published version of its struct.
 * @size: Size of its struct as this module knows it.
 */
struct ucmad_ioctl {
	int (*handler)(struct ucmad_cmd *cmd);
	u32 min_size;
	u32 size;
};

#define UCMAD_IOCTL(_cmd, _handler, _struct, _last) \
	[_IOC_NR(_cmd)] = { _handler, offsetofend(struct _struct, _last), sizeof(struct _struct) }

static const struct ucmad_ioctl ucmad_ioctls[] = {
	UCMAD_IOCTL(UCMAD_IOCTL_QUERY, ucmad_ioctl_query, ucmad_query, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_DEVICES, ucmad_ioctl_devices, ucmad_devices, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_EVENTS, ucmad_ioctl_events, ucmad_events, acks_ignored),
	UCMAD_IOCTL(UCMAD_IOCTL_DESTROY, ucmad_ioctl_destroy, ucmad_destroy, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_SET_CONTEXT, ucmad_ioctl_set_context, ucmad_set_context, context),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_CREATE, ucmad_ioctl_cm_create, ucmad_cm_create, context),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_LISTEN, ucmad_ioctl_cm_listen, ucmad_cm_listen, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_REQ, ucmad_ioctl_cm_req, ucmad_cm_req, alternate),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_REP, ucmad_ioctl_cm_rep, ucmad_cm_rep, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_RTU, ucmad_ioctl_cm_rtu, ucmad_cm_message, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_REJ, ucmad_ioctl_cm_rej, ucmad_cm_rej, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_MRA, ucmad_ioctl_cm_mra, ucmad_cm_mra, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_DREQ, ucmad_ioctl_cm_dreq, ucmad_cm_message, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_DREP, ucmad_ioctl_cm_drep, ucmad_cm_message, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_SIDR_REQ, ucmad_ioctl_cm_sidr_req, ucmad_cm_sidr_req, path),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_SIDR_REP, ucmad_ioctl_cm_sidr_rep, ucmad_cm_sidr_rep, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_NOTIFY, ucmad_ioctl_cm_notify, ucmad_cm_notify, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_QUERY, ucmad_ioctl_cm_query, ucmad_cm_query, dropped),
	UCMAD_IOCTL(UCMAD_IOCTL_CM_QP_ATTR, ucmad_ioctl_cm_qp_attr, ucmad_cm_qp_attr, alt_ah),
	UCMAD_IOCTL(UCMAD_IOCTL_MAD_REGISTER, ucmad_ioctl_mad_register, ucmad_mad_register,
		    rmpp_version),
	UCMAD_IOCTL(UCMAD_IOCTL_MAD_POST, ucmad_ioctl_mad_post, ucmad_mad_post, error),
	UCMAD_IOCTL(UCMAD_IOCTL_MAD_CANCEL, ucmad_ioctl_mad_cancel, ucmad_mad_cancel, reserved),
	UCMAD_IOCTL(UCMAD_IOCTL_MAD_TIMEOUT, ucmad_ioctl_mad_timeout, ucmad_mad_timeout,
		    timeout_ms),
	UCMAD_IOCTL(UCMAD_IOCTL_MAD_QUERY, ucmad_ioctl_mad_query, ucmad_mad_query, reserved),
};

/**
 * ucmad_respond - Write the struct back to the program, as much of it as the program knows.
 * @cmd: The ioctl.
 *
 * Return: 0 or -EFAULT.
 */
int ucmad_respond(struct ucmad_cmd *cmd)
{
	if (copy_to_user(cmd->user, cmd->arg, min(cmd->user_size, cmd->arg_size)))
		return -EFAULT;
	return 0;
}

static long ucmad_ioctl(struct file *filp, unsigned int nr, unsigned long arg)
{
	struct ucmad_cmd cmd = {
		.file = filp->private_data,
		.filp_flags = filp->f_flags,
		.user = (void __user *)arg,
	};
	const struct ucmad_ioctl *ioctl;
	union ucmad_args args;
	int ret;

	if (_IOC_TYPE(nr) != UCMAD_IOCTL_TYPE || _IOC_NR(nr) >= ARRAY_SIZE(ucmad_ioctls) ||
	    nr != _IO(UCMAD_IOCTL_TYPE, _IOC_NR(nr)))
		return -ENOTTY;
	ioctl = &ucmad_ioctls[_IOC_NR(nr)];
	if (!ioctl->handler)
		return -ENOTTY;

	if (get_user(cmd.user_size, (u32 __user *)cmd.user))
		return -EFAULT;
	if (cmd.user_size < ioctl->min_size)
		return -EINVAL;
	if (cmd.user_size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&args, ioctl->size, cmd.user, cmd.user_size);
	if (ret)
		return ret;
	cmd.arg = &args;
	cmd.arg_size = ioctl->size;
	return ioctl->handler(&cmd);
}

const struct file_operations ucmad_fops = {
	.owner = THIS_MODULE,
	.open = ucmad_open,
	.release = ucmad_release,
	.poll = ucmad_poll,
	.unlocked_ioctl = ucmad_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
