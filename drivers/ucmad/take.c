// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * Taking events, in three steps, so that nothing is copied to user space under a spinlock, and yet
 * nothing is lost on a bad address and nothing is delivered after a destroy:
 *
 *   collect   under the file's lock: move events that fit from queues to the batch, hold objects
 *   copy      without a lock: write records and results to user space; on a fault put all back
 *   commit    under the file's lock: what belongs to an object that died meanwhile is dropped (the
 *             destroyer has counted it); if there was any, copy what remains once more
 *
 * An event counts as delivered at the commit: a destroy that comes later returns later. Here are
 * the steps under the lock; event_op.c has what is between them.
 */
#include "event.h"
#include "event_queue.h"
#include "file.h"
#include "object.h"
#include "trace.h"

/* ---- collect ----------------------------------------------------------------------------- */

/* Moves the head of a queue to the batch. False if it does not fit or the batch is complete. */
static bool ucmad_take_one(struct ucmad_take *take, struct ucmad_queue *source)
{
	struct ucmad_queued *event;
	struct ucmad_events *args = take->args;
	struct ucmad_queue *queue;

	if (args->count >= take->max)
		return false;
	event = list_first_entry(&source->events, struct ucmad_queued, node);
	if (event->head.size > args->buffer_len - args->bytes) {
		args->needed = event->head.size;
		return false;
	}
	queue = &event->object->queue;
	if (queue != source) {
		if (!queue->context_set)
			queue->context = source->context;
	} else if (!take->target && !queue->concurrent) {
		queue->held = event->head.sequence;
		/* One that was put back may come after later ones that were acknowledged. */
		queue->acked = min(queue->acked, queue->held - 1);
		event->head.flags = UCMAD_EVENT_HELD;
	} else {
		event->head.flags = 0;
	}
	event->head.context = queue->context;

	list_move_tail(&event->node, &take->batch.events);
	source->waiting--;
	args->bytes += event->head.size;
	args->count++;
	return true;
}

static void ucmad_collect_target(struct ucmad_take *take)
{
	struct ucmad_queue *queue = &take->target->queue;

	while (!list_empty(&queue->events) && ucmad_take_one(take, queue))
		;
	ucmad_queue_refresh(take->file, queue);
}

/* One event of each ready object in turn, and again (EV-FAIR): who was served goes to the end. */
static void ucmad_collect_any(struct ucmad_take *take)
{
	struct ucmad_file *file = take->file;
	struct ucmad_queue *queue;
	struct ucmad_queued *event;

	while (!list_empty(&file->ready)) {
		queue = list_first_entry(&file->ready, struct ucmad_queue, ready);
		if (!ucmad_take_one(take, queue))
			break;
		if (list_empty(&queue->events))
			list_del_init(&queue->ready);
		else
			list_move_tail(&queue->ready, &file->ready);
	}
	/* Objects that are held now stayed on the list for the sake of this very batch. */
	list_for_each_entry(event, &take->batch.events, node)
		ucmad_queue_refresh(file, &event->source->queue);
	/* Each becoming ready wakes one consumer; what this one leaves is for the next. */
	if (!list_empty(&file->ready))
		ucmad_wake_consumer(file);
}

/**
 * ucmad_take_collect - Move what there is to the batch.
 * @take: The call; its batch is empty.
 *
 * Return: 0 if there is something to deliver, -EAGAIN if there is nothing yet, -EMSGSIZE if there
 * is too little room for it, -ESHUTDOWN if the object asked for is being destroyed.
 */
int ucmad_take_collect(struct ucmad_take *take)
{
	struct ucmad_file *file = take->file;
	struct ucmad_events *args = take->args;
	int ret = 0;

	args->count = 0;
	args->bytes = 0;
	args->needed = 0;

	spin_lock_irq(&file->lock);
	if (!take->target)
		ucmad_collect_any(take);
	else if (take->target->queue.dead)
		ret = -ESHUTDOWN;
	else
		ucmad_collect_target(take);
	if (args->count)
		list_add(&take->batch.entry, &file->batches);
	spin_unlock_irq(&file->lock);

	if (ret || args->count)
		return ret;
	return args->needed ? -EMSGSIZE : -EAGAIN;
}

/* ---- commit ------------------------------------------------------------------------------ */

static bool ucmad_take_is_dead(const struct ucmad_queued *event)
{
	return event->object->queue.dead || event->source->queue.dead;
}

/* The program has the event; of a new object also its handle, which leads to it from now on. */
static void ucmad_take_delivered(struct ucmad_queued *event)
{
	if (event->source != event->object)
		ucmad_object_publish(event->object);
	trace_ucmad_event_take(event);
}

/**
 * ucmad_take_commit - What was copied is delivered, unless some of it died meanwhile.
 * @take: The call.
 * @dead: Gets that; the batch is without it then.
 *
 * Return: Whether all of it is alive, and so is delivered.
 */
bool ucmad_take_commit(struct ucmad_take *take, struct list_head *dead)
{
	struct ucmad_events *args = take->args;
	struct ucmad_queued *event, *next;
	bool delivered;

	spin_lock_irq(&take->file->lock);
	list_for_each_entry_safe(event, next, &take->batch.events, node) {
		if (!ucmad_take_is_dead(event))
			continue;
		list_move_tail(&event->node, dead);
		args->bytes -= event->head.size;
		args->count--;
	}
	delivered = list_empty(dead);
	if (delivered || !args->count)
		list_del(&take->batch.entry);
	if (delivered)
		list_for_each_entry(event, &take->batch.events, node)
			ucmad_take_delivered(event);
	spin_unlock_irq(&take->file->lock);
	return delivered;
}

/* Back to its place in the order: other calls may have taken, or put back, its neighbours. */
static void ucmad_take_put_back(struct ucmad_queued *event)
{
	struct ucmad_queue *source = &event->source->queue;
	struct ucmad_queued *next;

	/* Of births, all that wait are of other objects, and their order is that of their time. */
	list_for_each_entry(next, &source->events, node)
		if (next->head.time > event->head.time ||
		    (next->object == event->object && next->head.sequence > event->head.sequence))
			break;
	list_move_tail(&event->node, &next->node);
	source->waiting++;
	/* The hold of this very batch, and no other. */
	if (event->object == event->source && event->head.flags & UCMAD_EVENT_HELD &&
	    source->held == event->head.sequence)
		source->held = source->acked;
}

/**
 * ucmad_take_undo - Put the batch back to where it came from, as if it had never been taken.
 * @take: The call.
 * @dead: Gets what died meanwhile.
 */
void ucmad_take_undo(struct ucmad_take *take, struct list_head *dead)
{
	struct ucmad_queued *event, *next;

	spin_lock_irq(&take->file->lock);
	list_del(&take->batch.entry);
	list_for_each_entry_safe_reverse(event, next, &take->batch.events, node) {
		if (ucmad_take_is_dead(event)) {
			list_move(&event->node, dead);
			continue;
		}
		ucmad_take_put_back(event);
		ucmad_queue_refresh(take->file, &event->source->queue);
	}
	spin_unlock_irq(&take->file->lock);
}
