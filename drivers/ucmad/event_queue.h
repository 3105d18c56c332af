/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What event.c, take.c and event_op.c share. */
#ifndef UCMAD_EVENT_QUEUE_H
#define UCMAD_EVENT_QUEUE_H

#include <linux/poll.h>

#include "event.h"
#include "file.h"

/**
 * struct ucmad_batch - Events that a call has taken and not delivered yet.
 * @entry: In &ucmad_file.batches while that is so; guarded, as @events, by the file's lock.
 * @events: The events.
 */
struct ucmad_batch {
	struct list_head entry;
	struct list_head events;
};

/**
 * struct ucmad_take - One call that takes events.
 * @file: The file.
 * @target: The object asked for by name; a reference is held. NULL for any.
 * @args: The program's struct; the results are written into it.
 * @batch: The events taken.
 * @max: How many to take at most.
 * @expires: When to give up.
 * @may_wait: Is there to be any waiting?
 */
struct ucmad_take {
	struct ucmad_file *file;
	struct ucmad_object *target;
	struct ucmad_events *args;
	struct ucmad_batch batch;
	u32 max;
	ktime_t expires;
	bool may_wait;
};

/* There is something to take: wake one consumer that waits for it, and all who poll. */
static inline void ucmad_wake_consumer(struct ucmad_file *file)
{
	wake_up_poll(&file->wait, EPOLLIN | EPOLLRDNORM);
}

void ucmad_queue_refresh(struct ucmad_file *file, struct ucmad_queue *queue);
void ucmad_queue_target(struct ucmad_object *object, int change);
bool ucmad_queue_ack(struct ucmad_object *object, u64 sequence);

/* take.c */
int ucmad_take_collect(struct ucmad_take *take);
bool ucmad_take_commit(struct ucmad_take *take, struct list_head *dead);
void ucmad_take_undo(struct ucmad_take *take, struct list_head *dead);

#endif /* UCMAD_EVENT_QUEUE_H */
