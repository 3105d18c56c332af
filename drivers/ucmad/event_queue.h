/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What event.c and take.c share. */
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

/* There is something to take: wake one consumer that waits for it, and all who poll. */
static inline void ucmad_wake_consumer(struct ucmad_file *file)
{
	wake_up_poll(&file->wait, EPOLLIN | EPOLLRDNORM);
}

void ucmad_queue_refresh(struct ucmad_file *file, struct ucmad_queue *queue);
bool ucmad_queue_ack(struct ucmad_object *object, u64 sequence);

#endif /* UCMAD_EVENT_QUEUE_H */
