/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What event.c and take.c share. */
#ifndef UCMAD_EVENT_QUEUE_H
#define UCMAD_EVENT_QUEUE_H

#include <linux/poll.h>

#include "event.h"
#include "file.h"

/* There is something to take: wake one consumer that waits for it, and all who poll. */
static inline void ucmad_wake_consumer(struct ucmad_file *file)
{
	wake_up_poll(&file->wait, EPOLLIN | EPOLLRDNORM);
}

void ucmad_queue_refresh(struct ucmad_file *file, struct ucmad_queue *queue);
bool ucmad_queue_ack(struct ucmad_object *object, u64 sequence);

#endif /* UCMAD_EVENT_QUEUE_H */
