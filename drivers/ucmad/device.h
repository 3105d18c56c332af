/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* RDMA devices: found by index, followed by their objects, removed without waiting for programs. */
#ifndef UCMAD_DEVICE_H
#define UCMAD_DEVICE_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>

struct ib_device;
struct ucmad_cmd;
struct ucmad_file;
struct ucmad_object;

/**
 * struct ucmad_device - An RDMA device that can be used.
 * @ib: The device; valid while a reference is held, since removal waits for all of them.
 * @index: Its number.
 * @refs: One of the table's, one of each object that has not been torn down.
 * @released: The last reference is gone.
 * @lock: Guards @objects and @removed.
 * @objects: The objects to tell when the device goes away.
 * @removed: It is going away; no object comes to it any more.
 */
struct ucmad_device {
	struct ib_device *ib;
	u32 index;
	refcount_t refs;
	struct completion released;
	struct mutex lock; /* guards @objects and @removed */
	struct list_head objects;
	bool removed;
};

int ucmad_device_init(void);
void ucmad_device_exit(void);

struct ucmad_device *ucmad_device_create(struct ib_device *ib, u32 index);
void ucmad_device_end(struct ucmad_device *device);

struct ucmad_device *ucmad_device_get(struct ucmad_file *file, u32 index);
void ucmad_device_put(struct ucmad_device *device);

int ucmad_device_attach(struct ucmad_device *device, struct ucmad_object *object);
void ucmad_device_detach(struct ucmad_device *device, struct ucmad_object *object);

int ucmad_ioctl_devices(struct ucmad_cmd *cmd);

#endif /* UCMAD_DEVICE_H */
