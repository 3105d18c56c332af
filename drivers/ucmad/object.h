/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Objects: what a program has a handle of. CM IDs and MAD agents are objects.
 *
 * Life of an object, and who holds a reference:
 *
 *   reserved    its maker only; the handle is taken but finds nothing. A new CM ID stays so until
 *		 the program is given its REQ
 *   published   the handle finds it; the file's table holds one reference, each ioctl under way
 *               one, each event of it one
 *   dead        its handle is gone (the table's reference is now the destroyer's), its queue takes
 *               and gives no event any more; ioctls that were under way may still finish
 *   freed       the last reference was put
 */
#ifndef UCMAD_OBJECT_H
#define UCMAD_OBJECT_H

#include <linux/refcount.h>
#include <linux/xarray.h>

#include "event.h"

struct ucmad_device;
struct ucmad_file;

/**
 * struct ucmad_object_ops - What a kind of object does in its own way.
 * @teardown: End all activity: once it has returned, nothing runs for the object and nothing posts
 *	      an event of it. May sleep, but never waits for user space. May be called twice, and
 *	      from two threads at once. Returns how many events it could not post since the queue
 *	      was dead (DEL-COUNT).
 * @device_removed: The RDMA device goes away: as @teardown, and later calls fail with -ENODEV.
 * @event_freed: An event that was posted was delivered or discarded; may be NULL. Any context.
 * @release: Free the memory; the last reference is gone. Must not sleep.
 */
struct ucmad_object_ops {
	u32 (*teardown)(struct ucmad_object *object);
	void (*device_removed)(struct ucmad_object *object);
	void (*event_freed)(struct ucmad_object *object, const struct ucmad_queued *event);
	void (*release)(struct ucmad_object *object);
};

/**
 * struct ucmad_object - Base of a CM ID and the like.
 * @refs: See above.
 * @handle: Its number in the table of @file; never changes.
 * @file: The file that made it; a reference is held.
 * @ops: Its kind.
 * @device: The RDMA device, until teardown; guarded by the kind's own lock.
 * @device_index: Index of that device, for ever.
 * @device_entry: In the device's list of objects; guarded by the device's lock.
 * @orphan: In the list of those that go with their listener, unheard of.
 * @queue: Its events.
 * @removed: The event that is kept ready for when the device goes away (EV-NOLOSS).
 * @rcu: Lookups run under RCU.
 */
struct ucmad_object {
	refcount_t refs;
	u32 handle;
	struct ucmad_file *file;
	const struct ucmad_object_ops *ops;
	struct ucmad_device *device;
	u32 device_index;
	struct list_head device_entry;
	struct list_head orphan;
	struct ucmad_queue queue;
	struct ucmad_queued removed;
	struct rcu_head rcu;
};

int ucmad_object_reserve(struct ucmad_object *object, struct ucmad_file *file,
			 struct ucmad_device *device, const struct ucmad_object_ops *ops);
void ucmad_object_publish(struct ucmad_object *object);
void ucmad_object_abort(struct ucmad_object *object);

struct ucmad_object *ucmad_object_get(struct ucmad_file *file, u32 handle);
struct ucmad_object *ucmad_object_get_kind(struct ucmad_file *file, u32 handle,
					   const struct ucmad_object_ops *ops);
void ucmad_object_post_removed(struct ucmad_object *object);
void ucmad_object_put(struct ucmad_object *object);

int ucmad_object_destroy(struct ucmad_file *file, u32 handle, u32 *discarded);
void ucmad_object_destroy_all(struct ucmad_file *file);

#endif /* UCMAD_OBJECT_H */
