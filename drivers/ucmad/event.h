/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Events of objects: queued, held, taken, acknowledged. The rules are at the head of event.c. */
#ifndef UCMAD_EVENT_H
#define UCMAD_EVENT_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <rdma/ucmad.h>

struct ib_mad_recv_wc;
struct ucmad_cmd;
struct ucmad_file;
struct ucmad_object;

/* Room for body and data of the largest event: a REQ with its two paths, or a completion. */
#define UCMAD_PAYLOAD_MAX \
	max_t(size_t, sizeof(struct ucmad_cm_req_event) + UCMAD_CM_REQ_DATA_MAX, \
	      sizeof(struct ucmad_mad_completion) + UCMAD_MAD_SIZE)
#define UCMAD_RECORD_MAX \
	ALIGN(sizeof(struct ucmad_event) + UCMAD_PAYLOAD_MAX, 8)

/**
 * struct ucmad_queued - An event on its way to the program.
 * @node: In the queue of @source, or in the batch of the call that takes it.
 * @object: The object that the event is of; from posting on, a reference is held.
 * @source: The object on whose queue it waits: @object, or, for the first event of a new CM ID, the
 *	    listener. A reference is held, if it is not @object.
 * @received: The whole MAD, if it is longer than what there is room for in the record, or NULL.
 * @head: The record as the program will see it; the rest of it follows at once, unless the event is
 *	  part of its object, and then it has no body.
 */
struct ucmad_queued {
	struct list_head node;
	struct ucmad_object *object;
	struct ucmad_object *source;
	struct ib_mad_recv_wc *received;
	struct ucmad_event head;
};

/**
 * struct ucmad_queue - The events of one object. All of it is guarded by the file's lock.
 * @events: What waits to be taken, in order (EV-FIFO).
 * @ready: In the file's list of objects of which an "any object" call may take the next event.
 * @wait: Consumers that wait for this object by name.
 * @context: User context.
 * @posted: Sequence number of the newest event.
 * @held: Sequence number of the newest event that holds the object; see @acked.
 * @acked: Sequence number up to which events are acknowledged: below @held, the object is held.
 * @waiting: Number of events in @events.
 * @targeted: Number of calls that wait for this object by name.
 * @concurrent: Events do not hold the object (EV-CONCURRENT).
 * @context_set: @context is the program's own choice, not the listener's.
 * @dead: The object is being destroyed: nothing goes in and nothing comes out (DEL-SILENT).
 */
struct ucmad_queue {
	struct list_head events;
	struct list_head ready;
	wait_queue_head_t wait;
	u64 context;
	u64 posted;
	u64 held;
	u64 acked;
	u32 waiting;
	u32 targeted;
	bool concurrent;
	bool context_set;
	bool dead;
};

int ucmad_event_init(void);
void ucmad_event_exit(void);

void ucmad_queue_init(struct ucmad_queue *queue);
void ucmad_queue_set_context(struct ucmad_object *object, u64 context);
u32 ucmad_queue_kill(struct ucmad_object *object, struct list_head *events,
		     struct list_head *orphans);

struct ucmad_queued *ucmad_queued_alloc(gfp_t gfp);
void ucmad_queued_free(struct ucmad_queued *event);
void ucmad_queued_free_all(struct list_head *events);
void *ucmad_queued_fill(struct ucmad_queued *event, enum ucmad_event_type type, size_t body_len,
			const void *data, size_t data_len);

bool ucmad_event_post(struct ucmad_object *object, struct ucmad_queued *event);
int ucmad_event_post_birth(struct ucmad_object *listener, u32 backlog, struct ucmad_object *born,
			   struct ucmad_queued *event);

/* event_op.c */
int ucmad_ioctl_events(struct ucmad_cmd *cmd);

/* rmpp.c */
int ucmad_rmpp_copy(const struct ucmad_queued *event, u8 __user *to);

#endif /* UCMAD_EVENT_H */
