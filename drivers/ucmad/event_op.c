// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* UCMAD_IOCTL_EVENTS: acknowledge, wait, take, copy. What taking does to queues is in take.c. */
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "event.h"
#include "event_queue.h"
#include "file.h"
#include "object.h"

/* Acknowledgments in one call: more than the objects that a file may hold by default. */
#define UCMAD_ACKS_MAX 65536
/* So many are kept on the stack, which is enough for a server loop. */
#define UCMAD_ACKS_FAST 8
/* A batch is collected under a lock with interrupts off, so there is an end to it. */
#define UCMAD_BATCH_MAX 1024

/* ---- wait -------------------------------------------------------------------------------- */

static void ucmad_wake_next(struct ucmad_file *file)
{
	spin_lock_irq(&file->lock);
	if (!list_empty(&file->ready))
		ucmad_wake_consumer(file);
	spin_unlock_irq(&file->lock);
}

static void ucmad_wait_begin(struct ucmad_take *take, struct wait_queue_entry *wait)
{
	/* One event wakes one of those who take anything, and all who ask for its object. */
	if (take->target)
		prepare_to_wait(&take->target->queue.wait, wait, TASK_INTERRUPTIBLE);
	else
		prepare_to_wait_exclusive(&take->file->wait, wait, TASK_INTERRUPTIBLE);
}

static int ucmad_wait_and_collect(struct ucmad_take *take)
{
	wait_queue_head_t *head = take->target ? &take->target->queue.wait : &take->file->wait;
	ktime_t *expires = take->args->timeout_ns < 0 ? NULL : &take->expires;
	bool expired = false;
	DEFINE_WAIT(wait);
	int ret;

	for (;;) {
		ucmad_wait_begin(take, &wait);
		/* Looked at before signals and time, so that a wake-up is never wasted. */
		ret = ucmad_take_collect(take);
		if (ret != -EAGAIN)
			break;
		if (signal_pending(current)) {
			/* What was acknowledged is not acknowledged again. */
			ret = expires || take->args->ack_count ? -EINTR : -ERESTARTSYS;
			break;
		}
		if (expired) {
			ret = -ETIMEDOUT;
			break;
		}
		expired = !schedule_hrtimeout_range(expires, current->timer_slack_ns,
						    HRTIMER_MODE_ABS);
	}
	finish_wait(head, &wait);
	/* A wake-up may have met this call when it had looked already: hand it on. */
	if (!take->target)
		ucmad_wake_next(take->file);
	return ret;
}

static int ucmad_take_wait(struct ucmad_take *take)
{
	int ret = ucmad_take_collect(take);

	if (ret != -EAGAIN || !take->may_wait)
		return ret;
	/* From here on events of the object are kept for this call (EV-TARGET). */
	if (take->target)
		ucmad_queue_target(take->target, 1);
	ret = ucmad_wait_and_collect(take);
	if (take->target)
		ucmad_queue_target(take->target, -1);
	return ret;
}

/* ---- copy -------------------------------------------------------------------------------- */

static int ucmad_take_copy(struct ucmad_take *take, struct ucmad_cmd *cmd)
{
	u8 __user *to = u64_to_user_ptr(take->args->buffer);
	struct ucmad_queued *event;
	int ret = 0;

	list_for_each_entry(event, &take->batch.events, node) {
		if (event->received)
			ret = ucmad_rmpp_copy(event, to);
		else if (copy_to_user(to, &event->head, event->head.size))
			ret = -EFAULT;
		if (ret)
			return ret;
		to += event->head.size;
	}
	return ucmad_respond(cmd);
}

/* Returns 0 or an error, or 1 if all that was collected died before it was delivered. */
static int ucmad_take_deliver(struct ucmad_take *take, struct ucmad_cmd *cmd)
{
	LIST_HEAD(dead);
	bool delivered;
	int ret;

	do {
		ret = ucmad_take_copy(take, cmd);
		if (ret) {
			ucmad_take_undo(take, &dead);
			ucmad_queued_free_all(&dead);
			return ret;
		}
		delivered = ucmad_take_commit(take, &dead);
		ucmad_queued_free_all(&dead);
	} while (!delivered && take->args->count);

	if (!take->args->count)
		return 1;
	ucmad_queued_free_all(&take->batch.events);
	return 0;
}

static int ucmad_take(struct ucmad_take *take, struct ucmad_cmd *cmd)
{
	int ret;

	do {
		ret = ucmad_take_wait(take);
		if (ret)
			break;
		ret = ucmad_take_deliver(take, cmd);
	} while (ret > 0);

	/* Tell how large the buffer should be, or what the acknowledgments came to. */
	if (ret && ucmad_respond(cmd))
		ret = -EFAULT;
	return ret;
}

/* ---- acknowledge ------------------------------------------------------------------------- */

static int ucmad_ack_check(const struct ucmad_ack *ack)
{
	if (ack->flags & ~UCMAD_ACK_SET_CONTEXT)
		return -EINVAL;
	if (!(ack->flags & UCMAD_ACK_SET_CONTEXT) && ack->context)
		return -EINVAL;
	return 0;
}

/* Returns whether anything was held. The context is set first: EV-CONTEXT knows no gap. */
static bool ucmad_ack_one(struct ucmad_file *file, const struct ucmad_ack *ack)
{
	struct ucmad_object *object = ucmad_object_get(file, ack->object);
	bool held;

	if (!object)
		return false;
	if (ack->flags & UCMAD_ACK_SET_CONTEXT)
		ucmad_queue_set_context(object, ack->context);
	held = ucmad_queue_ack(object, ack->sequence);
	ucmad_object_put(object);
	return held;
}

static int ucmad_ack_all(struct ucmad_file *file, struct ucmad_events *args)
{
	struct ucmad_ack fast[UCMAD_ACKS_FAST], *acks = fast;
	size_t size = array_size(args->ack_count, sizeof(*acks));
	int ret = 0;
	u32 i;

	if (!args->ack_count)
		return 0;
	if (args->ack_count > UCMAD_ACKS_MAX)
		return -EINVAL;
	if (args->ack_count > UCMAD_ACKS_FAST) {
		acks = kvmalloc(size, GFP_KERNEL_ACCOUNT);
		if (!acks)
			return -ENOMEM;
	}
	if (copy_from_user(acks, u64_to_user_ptr(args->acks), size))
		ret = -EFAULT;
	for (i = 0; !ret && i < args->ack_count; i++)
		ret = ucmad_ack_check(&acks[i]);
	for (i = 0; !ret && i < args->ack_count; i++) {
		args->acks_ignored += !ucmad_ack_one(file, &acks[i]);
		cond_resched();
	}
	if (acks != fast)
		kvfree(acks);
	return ret;
}

/* ---- the ioctl --------------------------------------------------------------------------- */

int ucmad_ioctl_events(struct ucmad_cmd *cmd)
{
	struct ucmad_events *args = cmd->arg;
	struct ucmad_take take = {
		.file = cmd->file,
		.args = args,
		.batch.events = LIST_HEAD_INIT(take.batch.events),
		.max = min(args->max_events ?: UCMAD_BATCH_MAX, (u32)UCMAD_BATCH_MAX),
		.may_wait = args->timeout_ns && !(cmd->filp_flags & O_NONBLOCK),
	};
	int ret;

	if (args->flags || !IS_ALIGNED(args->buffer, 8))
		return -EINVAL;
	if (!args->buffer && (args->buffer_len || args->object))
		return -EINVAL;
	args->count = 0;
	args->bytes = 0;
	args->needed = 0;
	args->acks_ignored = 0;

	ret = ucmad_ack_all(cmd->file, args);
	if (ret)
		return ret;
	if (!args->buffer)
		return ucmad_respond(cmd);
	if (args->object) {
		take.target = ucmad_object_get(cmd->file, args->object);
		if (!take.target)
			return -ENOENT;
	}
	if (args->timeout_ns > 0)
		take.expires = ktime_add_safe(ktime_get(), ns_to_ktime(args->timeout_ns));
	ret = ucmad_take(&take, cmd);
	if (take.target)
		ucmad_object_put(take.target);
	return ret;
}
