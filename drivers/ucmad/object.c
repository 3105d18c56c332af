// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* Handles and the life of objects; see object.h. */
#include <linux/limits.h>

#include "device.h"
#include "file.h"
#include "object.h"
#include "stats.h"
#include "trace.h"

/**
 * ucmad_object_reserve - Start the life of an object: a handle, a device, an empty queue.
 * @object: Zeroed memory; the caller frees it if this fails, ->release() does later.
 * @file: The file.
 * @device: The RDMA device; the object takes a reference of its own.
 * @ops: Its kind.
 *
 * Return: 0, -EMFILE if the file has too many objects, -ENODEV if the device is going away,
 * -ENOMEM.
 */
int ucmad_object_reserve(struct ucmad_object *object, struct ucmad_file *file,
			 struct ucmad_device *device, const struct ucmad_object_ops *ops)
{
	int ret;

	if (atomic_inc_return(&file->object_count) > READ_ONCE(ucmad_max_objects)) {
		ret = -EMFILE;
		goto err_count;
	}
	refcount_set(&object->refs, 1);
	object->file = file;
	object->ops = ops;
	object->device_index = device->index;

	ret = xa_alloc_cyclic_irq(&file->objects, &object->handle, XA_ZERO_ENTRY,
				  XA_LIMIT(1, INT_MAX), &file->next_handle, GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		goto err_count;
	ret = ucmad_device_attach(device, object);
	if (ret)
		goto err_handle;

	ucmad_file_get(file);
	ucmad_stat_inc(UCMAD_STAT_OBJECTS);
	return 0;

err_handle:
	xa_erase_irq(&file->objects, object->handle);
err_count:
	atomic_dec(&file->object_count);
	return ret;
}

/**
 * ucmad_object_publish - Let the handle find the object.
 * @object: A reserved object; the caller's reference becomes the table's.
 *
 * Needs no memory: the reservation holds the place in the table.
 */
void ucmad_object_publish(struct ucmad_object *object)
{
	struct xarray *objects = &object->file->objects;
	unsigned long flags;

	xa_lock_irqsave(objects, flags);
	__xa_store(objects, object->handle, object, 0);
	xa_unlock_irqrestore(objects, flags);
	trace_ucmad_object_publish(object);
}

/**
 * ucmad_object_get - Find an object and take a reference.
 * @file: The file.
 * @handle: The handle.
 *
 * Return: The object or NULL.
 */
struct ucmad_object *ucmad_object_get(struct ucmad_file *file, u32 handle)
{
	struct ucmad_object *object;

	rcu_read_lock();
	object = xa_load(&file->objects, handle);
	if (object && !refcount_inc_not_zero(&object->refs))
		object = NULL;
	rcu_read_unlock();
	return object;
}

/**
 * ucmad_object_get_kind - Find an object of one kind and take a reference.
 * @file: The file.
 * @handle: The handle.
 * @ops: The kind.
 *
 * Return: The object, ERR_PTR(-ENOENT), or ERR_PTR(-ENOTTY) for an object of another kind.
 */
struct ucmad_object *ucmad_object_get_kind(struct ucmad_file *file, u32 handle,
					   const struct ucmad_object_ops *ops)
{
	struct ucmad_object *object = ucmad_object_get(file, handle);

	if (!object)
		return ERR_PTR(-ENOENT);
	if (object->ops != ops) {
		ucmad_object_put(object);
		return ERR_PTR(-ENOTTY);
	}
	return object;
}

/* The last event of an object whose device has gone, after its teardown (DEL-HOTPLUG). */
void ucmad_object_post_removed(struct ucmad_object *object)
{
	/* Nothing can follow it now. If the object is being destroyed, nobody wants it either. */
	ucmad_queued_fill(&object->removed, UCMAD_EVENT_DEVICE_REMOVED, 0, NULL, 0);
	ucmad_event_post(object, &object->removed);
}

void ucmad_object_put(struct ucmad_object *object)
{
	struct ucmad_file *file = object->file;

	if (!refcount_dec_and_test(&object->refs))
		return;
	atomic_dec(&file->object_count);
	ucmad_stat_dec(UCMAD_STAT_OBJECTS);
	object->ops->release(object);
	ucmad_file_put(file);
}

static u32 ucmad_object_kill(struct ucmad_object *object);

/* The handle leads to nobody from here on; whoever erased it destroys the object. */
static struct ucmad_object *ucmad_object_unpublish(struct ucmad_file *file, u32 handle)
{
	struct ucmad_object *object;

	xa_lock_irq(&file->objects);
	object = xa_load(&file->objects, handle);
	if (object)
		__xa_erase(&file->objects, handle);
	xa_unlock_irq(&file->objects);
	return object;
}

/* New objects whose first event nobody has seen go with their listener. */
static u32 ucmad_object_kill_orphans(struct list_head *orphans)
{
	struct ucmad_object *object, *next;
	u32 discarded = 0;

	list_for_each_entry_safe(object, next, orphans, orphan) {
		list_del(&object->orphan);
		xa_erase_irq(&object->file->objects, object->handle);
		discarded += ucmad_object_kill(object);
	}
	return discarded;
}

/* Returns how many events were discarded (DEL-COUNT). Puts the reference that was the table's. */
static u32 ucmad_object_kill(struct ucmad_object *object)
{
	LIST_HEAD(orphans);
	LIST_HEAD(events);
	u32 discarded;

	discarded = ucmad_queue_kill(object, &events, &orphans);
	discarded += object->ops->teardown(object);
	ucmad_stat_add(UCMAD_STAT_EVENTS_DISCARDED, discarded);
	discarded += ucmad_object_kill_orphans(&orphans);
	ucmad_queued_free_all(&events);
	trace_ucmad_object_destroy(object, discarded);
	ucmad_object_put(object);
	return discarded;
}

/**
 * ucmad_object_abort - Give up an object that was not published.
 * @object: A reserved object; the device may have been removed meanwhile, and that be an event.
 */
void ucmad_object_abort(struct ucmad_object *object)
{
	xa_erase_irq(&object->file->objects, object->handle);
	ucmad_object_kill(object);
}

/**
 * ucmad_object_destroy - Destroy an object by its handle.
 * @file: The file.
 * @handle: The handle.
 * @discarded: How many events were discarded.
 *
 * Return: 0, or -ENOENT if there is no such object (any more).
 */
int ucmad_object_destroy(struct ucmad_file *file, u32 handle, u32 *discarded)
{
	struct ucmad_object *object = ucmad_object_unpublish(file, handle);

	if (!object)
		return -ENOENT;
	*discarded = ucmad_object_kill(object);
	return 0;
}

/**
 * ucmad_object_destroy_all - The file was closed: destroy what is left (DEL-EXIT).
 * @file: The file; no ioctl is under way.
 *
 * A listener may have new CM IDs born until it is destroyed itself, so look until nothing is found.
 */
void ucmad_object_destroy_all(struct ucmad_file *file)
{
	struct ucmad_object *object;
	unsigned long handle;
	u32 discarded;

	do {
		xa_for_each(&file->objects, handle, object) {
			ucmad_object_destroy(file, handle, &discarded);
			cond_resched();
		}
	} while (!xa_empty(&file->objects));
}
