// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * Queues of events: post, hold, acknowledge. take.c hands them out.
 *
 * Each object has a queue of events in the order in which they happened (EV-FIFO). A queue is in
 * one of these states, and always exactly as this table says, under the file's lock:
 *
 *   EMPTY     nothing waits
 *   READY     the head may go to whoever asks for any object; on the file's list of ready queues
 *   HELD      events wait, but one that was taken with "any object" is unacknowledged (EV-SERIAL),
 *             or the REQ that the object was born of is (EV-ACCEPT)
 *   TARGETED  events wait, but so do calls for this object by name (EV-TARGET)
 *   DEAD      the object is being destroyed (DEL-SILENT)
 *
 * A hold is two numbers: events up to @held were given out such that they hold the object, events
 * up to @acked were acknowledged; the object is held while acked < held. It belongs to the object,
 * so any thread may acknowledge, and a second or late acknowledgment finds nothing to do.
 * Concurrent objects (EV-CONCURRENT) are never held.
 *
 * The first event of a new CM ID, its REQ, waits on the queue of the listener, where it can be
 * asked for by the only name that the program knows. Its @object is the new ID all the same: that
 * one is held (it is born so), the listener is not, and several threads may accept at a time.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <rdma/ib_mad.h>

#include "event.h"
#include "event_queue.h"
#include "file.h"
#include "object.h"
#include "stats.h"
#include "trace.h"

static struct kmem_cache *ucmad_queued_cache;

int ucmad_event_init(void)
{
	/* The record in it is copied to programs. */
	size_t head = offsetof(struct ucmad_queued, head);

	ucmad_queued_cache = kmem_cache_create_usercopy("ucmad_event", head + UCMAD_RECORD_MAX, 8,
							SLAB_ACCOUNT, head, UCMAD_RECORD_MAX, NULL);
	return ucmad_queued_cache ? 0 : -ENOMEM;
}

void ucmad_event_exit(void)
{
	kmem_cache_destroy(ucmad_queued_cache);
}

/**
 * ucmad_queued_alloc - Set memory aside for an event, whichever it will be.
 * @gfp: How to allocate; with __GFP_ACCOUNT on behalf of a program.
 */
struct ucmad_queued *ucmad_queued_alloc(gfp_t gfp)
{
	struct ucmad_queued *event = kmem_cache_zalloc(ucmad_queued_cache, gfp);

	if (event)
		ucmad_stat_inc(UCMAD_STAT_EVENTS);
	return event;
}

/**
 * ucmad_queued_free - An event was delivered or will never be.
 * @event: Not on any list; its references are put.
 */
void ucmad_queued_free(struct ucmad_queued *event)
{
	struct ucmad_object *object = event->object, *source = event->source;

	if (object && object->ops->event_freed)
		object->ops->event_freed(object, event);
	if (event->received)
		ib_free_recv_mad(event->received);
	if (!object || event != &object->removed) {
		kmem_cache_free(ucmad_queued_cache, event);
		ucmad_stat_dec(UCMAD_STAT_EVENTS);
	}
	if (source != object)
		ucmad_object_put(source);
	if (object)
		ucmad_object_put(object);
}

/* Frees all events of a list, and leaves it empty. */
void ucmad_queued_free_all(struct list_head *events)
{
	struct ucmad_queued *event, *next;

	list_for_each_entry_safe(event, next, events, node) {
		list_del(&event->node);
		ucmad_queued_free(event);
	}
}

/**
 * ucmad_queued_fill - Say what happened.
 * @event: Memory from ucmad_queued_alloc().
 * @type: What.
 * @body_len: Bytes of the type's body, a multiple of 8.
 * @data: Private data, or NULL.
 * @data_len: Bytes of it; 0 without @data.
 *
 * Return: The body, zeroed, to be filled by the caller.
 */
void *ucmad_queued_fill(struct ucmad_queued *event, enum ucmad_event_type type, size_t body_len,
			const void *data, size_t data_len)
{
	struct ucmad_event *head = &event->head;
	void *body = head + 1;

	if (!data)
		data_len = 0;
	head->type = type;
	head->data_offset = sizeof(*head) + body_len;
	head->data_len = data_len;
	head->size = ALIGN(head->data_offset + data_len, 8);
	if (data_len)
		memcpy(body + body_len, data, data_len);
	return body;
}

void ucmad_queue_init(struct ucmad_queue *queue)
{
	INIT_LIST_HEAD(&queue->events);
	INIT_LIST_HEAD(&queue->ready);
	init_waitqueue_head(&queue->wait);
}

/**
 * ucmad_queue_refresh - Bring a queue to the state that it is in; nothing else decides READY.
 * @file: The file, locked.
 * @queue: A queue of one of its objects, anything of which may have changed.
 */
void ucmad_queue_refresh(struct ucmad_file *file, struct ucmad_queue *queue)
{
	lockdep_assert_held(&file->lock);

	if (queue->dead || list_empty(&queue->events) || queue->targeted ||
	    queue->acked < queue->held) {
		list_del_init(&queue->ready);
		/* What came meanwhile, or was put back, is for who waits. */
		if (queue->targeted && !list_empty(&queue->events))
			wake_up(&queue->wait);
	} else if (list_empty(&queue->ready)) {
		list_add_tail(&queue->ready, &file->ready);
		ucmad_wake_consumer(file);
	}
}

/**
 * ucmad_queue_set_context - Change the user context (EV-CONTEXT).
 * @object: The object.
 * @context: What each event that is taken from now on carries.
 */
void ucmad_queue_set_context(struct ucmad_object *object, u64 context)
{
	struct ucmad_file *file = object->file;

	spin_lock_irq(&file->lock);
	object->queue.context = context;
	object->queue.context_set = true;
	spin_unlock_irq(&file->lock);
}

/**
 * ucmad_queue_target - A call begins or ends to wait for an object by name (EV-TARGET).
 * @object: The object.
 * @change: 1 or -1.
 */
void ucmad_queue_target(struct ucmad_object *object, int change)
{
	struct ucmad_file *file = object->file;

	spin_lock_irq(&file->lock);
	object->queue.targeted += change;
	ucmad_queue_refresh(file, &object->queue);
	spin_unlock_irq(&file->lock);
}

/**
 * ucmad_queue_ack - Acknowledge events of an object up to one.
 * @object: The object.
 * @sequence: The last one.
 *
 * Return: Was any of them held?
 */
bool ucmad_queue_ack(struct ucmad_object *object, u64 sequence)
{
	struct ucmad_queue *queue = &object->queue;
	struct ucmad_file *file = object->file;
	bool held;

	spin_lock_irq(&file->lock);
	held = !queue->dead && queue->acked < queue->held && sequence > queue->acked &&
	       sequence <= queue->posted;
	if (held) {
		queue->acked = min(sequence, queue->held);
		ucmad_queue_refresh(file, queue);
	}
	spin_unlock_irq(&file->lock);
	return held;
}

/*
 * Looks through events for those of a queue that dies. A new object among them is one that the
 * program never heard of: an orphan.
 */
static u32 ucmad_queue_discard(struct ucmad_object *object, struct list_head *events,
			       struct list_head *orphans)
{
	struct ucmad_queued *event;
	u32 discarded = 0;

	list_for_each_entry(event, events, node) {
		if (event->source != object)
			continue;
		discarded++;
		if (event->object != object)
			list_add_tail(&event->object->orphan, orphans);
	}
	return discarded;
}

/**
 * ucmad_queue_kill - Nothing goes into the queue or comes out of it from here on (DEL-SILENT).
 * @object: The object.
 * @events: Gets what waited in the queue; to be freed by the caller.
 * @orphans: Gets the new objects whose first event waited here; they are not published.
 *
 * Return: How many events are discarded: those that waited, and those that calls are just taking;
 * such a call looks again under the lock before it delivers, and drops what is dead by then.
 */
u32 ucmad_queue_kill(struct ucmad_object *object, struct list_head *events,
		     struct list_head *orphans)
{
	struct ucmad_queue *queue = &object->queue;
	struct ucmad_file *file = object->file;
	struct ucmad_batch *batch;
	u32 discarded;

	spin_lock_irq(&file->lock);
	queue->dead = true;
	discarded = ucmad_queue_discard(object, &queue->events, orphans);
	list_for_each_entry(batch, &file->batches, entry)
		discarded += ucmad_queue_discard(object, &batch->events, orphans);
	list_splice_init(&queue->events, events);
	queue->waiting = 0;
	ucmad_queue_refresh(file, queue);
	wake_up_all(&queue->wait);
	spin_unlock_irq(&file->lock);
	return discarded;
}

static void ucmad_queue_add(struct ucmad_file *file, struct ucmad_object *source,
			    struct ucmad_object *object, struct ucmad_queued *event)
{
	refcount_inc(&object->refs);
	if (source != object)
		refcount_inc(&source->refs);
	event->object = object;
	event->source = source;
	event->head.object = object->handle;
	event->head.sequence = ++object->queue.posted;
	event->head.time = ktime_get_ns();
	list_add_tail(&event->node, &source->queue.events);
	source->queue.waiting++;
	trace_ucmad_event_post(event);
	ucmad_queue_refresh(file, &source->queue);
}

/**
 * ucmad_event_post - An event of an object happened.
 * @object: The object.
 * @event: The event, filled; the queue owns it if this succeeds.
 *
 * Return: false if the object is being destroyed; the caller keeps the event.
 * Context: Any.
 */
bool ucmad_event_post(struct ucmad_object *object, struct ucmad_queued *event)
{
	struct ucmad_file *file = object->file;
	unsigned long flags;
	bool alive;

	spin_lock_irqsave(&file->lock, flags);
	alive = !object->queue.dead;
	if (alive)
		ucmad_queue_add(file, object, object, event);
	spin_unlock_irqrestore(&file->lock, flags);
	return alive;
}

/**
 * ucmad_event_post_birth - A new object came to be, and this is its first event.
 * @listener: The object that the event waits on.
 * @backlog: How many events may wait there (CM-BACKLOG).
 * @born: The new object, reserved. It is published when the event is delivered, so that no program
 *	  can use its handle, by a guess, before it was told.
 * @event: Its first event, filled; the queue owns it if this succeeds.
 *
 * Return: 0, or, and then nothing has happened, -ESHUTDOWN if the listener is being destroyed,
 * -ENOBUFS if its backlog is full.
 */
int ucmad_event_post_birth(struct ucmad_object *listener, u32 backlog, struct ucmad_object *born,
			   struct ucmad_queued *event)
{
	struct ucmad_file *file = listener->file;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&file->lock, flags);
	if (listener->queue.dead) {
		ret = -ESHUTDOWN;
	} else if (listener->queue.waiting >= backlog) {
		ret = -ENOBUFS;
	} else {
		/* Born held, until the program has acknowledged this event (EV-ACCEPT). */
		born->queue.held = born->queue.posted + 1;
		event->head.flags = UCMAD_EVENT_HELD;
		ucmad_queue_add(file, listener, born, event);
	}
	spin_unlock_irqrestore(&file->lock, flags);
	return ret;
}
