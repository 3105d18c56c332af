/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* One open of /dev/infiniband/ucmad. */
#ifndef UCMAD_FILE_H
#define UCMAD_FILE_H

#include <linux/fs.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>

struct net;

/*
 * Lock order, the whole of it (an outer lock is named before an inner one):
 *
 *   ucmad_devices_lock   (device.c)  the table of devices
 *   ucmad_cm.mutex       (cm.h)      one operation at a time on a CM ID
 *   ucmad_agent.mutex    (mad.h)     where the sends of a MAD agent go
 *   ucmad_device.lock    (device.h)  the objects of a device
 *   ib_cm's own locks; those of MAD agents below theirs (mad.h)
 *   ucmad_file.lock      (here)      queues of events; taken in handlers of any context
 *   ucmad_file.objects' xa_lock, wait queues
 *
 * No two mutexes of CM IDs are ever held together. A handler of ib_cm takes what stands below the
 * mutex of a CM ID, and that mutex only of an ID that is not published, so ib_destroy_cm_id(),
 * which waits for handlers, may be called under the mutex of one that is.
 */

/**
 * struct ucmad_file - One open of the character device.
 * @refs: The open file holds one, each object one.
 * @lock: Guards @ready, @batches and every member of struct ucmad_queue of every object of the
 *        file.
 * @ready: Objects of which an "any object" call may take the next event, in turn (EV-FAIR).
 * @batches: What calls are just taking.
 * @wait: Consumers that wait for any object, and poll.
 * @objects: Handle to object.
 * @next_handle: Where the search for a free handle starts, so that none is soon used again.
 * @object_count: Objects that exist; bounded by the parameter max_objects.
 * @net: Network namespace of the opener: only its RDMA devices can be used.
 * @memcg: Memory cgroup of the opener: pays for what peers make us allocate.
 * @rcu: It is freed after a grace period, as its objects are.
 */
struct ucmad_file {
	refcount_t refs;
	spinlock_t lock; /* guards @ready, @batches and all queues */
	struct list_head ready;
	struct list_head batches;
	wait_queue_head_t wait;
	struct xarray objects;
	u32 next_handle;
	atomic_t object_count;
	struct net *net;
	struct mem_cgroup *memcg;
	struct rcu_head rcu;
};

/**
 * struct ucmad_cmd - One ioctl under way.
 * @file: The file.
 * @filp_flags: O_NONBLOCK or not.
 * @user: Where the program's struct is.
 * @user_size: How large the program says it is.
 * @arg: The struct as this module knows it; what the program did not pass is zero.
 * @arg_size: Its size.
 */
struct ucmad_cmd {
	struct ucmad_file *file;
	unsigned int filp_flags;
	void __user *user;
	u32 user_size;
	void *arg;
	u32 arg_size;
};

extern const struct file_operations ucmad_fops;
extern unsigned int ucmad_max_objects;

struct ucmad_file *ucmad_file_create(void);
void ucmad_file_get(struct ucmad_file *file);
void ucmad_file_put(struct ucmad_file *file);
int ucmad_respond(struct ucmad_cmd *cmd);

/* Are all the bytes of a reserved member zero? */
#define ucmad_is_zero(member) (!memchr_inv(&(member), 0, sizeof(member)))

#endif /* UCMAD_FILE_H */
