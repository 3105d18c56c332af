// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * RDMA devices.
 *
 * The RDMA core tells an ib_client of devices that come and go. A device that goes must not be
 * touched once ->remove() has returned, so removal tears down every object of the device itself and
 * then waits until nobody holds a reference. It never waits for a program (DEL-HOTPLUG): teardown
 * does not, and whoever else holds a reference is in the middle of a teardown.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "file.h"
#include "object.h"

/* Guards the table; a device found in it under the lock has the table's reference. */
static DEFINE_MUTEX(ucmad_devices_lock);
static DEFINE_XARRAY(ucmad_devices);

static bool ucmad_device_has_cm(struct ib_device *ib)
{
	u32 port;

	rdma_for_each_port(ib, port)
		if (rdma_cap_ib_cm(ib, port))
			return true;
	return false;
}

/* Returns a device without objects, or NULL for want of memory. */
struct ucmad_device *ucmad_device_create(struct ib_device *ib, u32 index)
{
	struct ucmad_device *device = kzalloc(sizeof(*device), GFP_KERNEL);

	if (!device)
		return NULL;
	device->ib = ib;
	device->index = index;
	refcount_set(&device->refs, 1);
	init_completion(&device->released);
	mutex_init(&device->lock);
	INIT_LIST_HEAD(&device->objects);
	return device;
}

static int ucmad_device_add(struct ib_device *ib)
{
	struct ucmad_device *device;
	int ret;

	if (!ucmad_device_has_cm(ib))
		return -EOPNOTSUPP;
	device = ucmad_device_create(ib, ib->index);
	if (!device)
		return -ENOMEM;

	mutex_lock(&ucmad_devices_lock);
	ret = xa_insert(&ucmad_devices, device->index, device, GFP_KERNEL);
	mutex_unlock(&ucmad_devices_lock);
	if (ret)
		kfree(device);
	return ret;
}

/* Objects are taken off the list before they are told: another thread may destroy them at once. */
static struct ucmad_object *ucmad_device_next(struct ucmad_device *device)
{
	struct ucmad_object *object;

	mutex_lock(&device->lock);
	device->removed = true;
	object = list_first_entry_or_null(&device->objects, struct ucmad_object, device_entry);
	if (object) {
		list_del_init(&object->device_entry);
		/* On the list, so not torn down, so not free. */
		refcount_inc(&object->refs);
	}
	mutex_unlock(&device->lock);
	return object;
}

/**
 * ucmad_device_end - Tear down all that uses a device, and wait until nobody has a reference.
 * @device: The device, which nobody finds any more; it is freed.
 */
void ucmad_device_end(struct ucmad_device *device)
{
	struct ucmad_object *object;

	while ((object = ucmad_device_next(device))) {
		object->ops->device_removed(object);
		ucmad_object_put(object);
	}
	ucmad_device_put(device);
	wait_for_completion(&device->released);
	kfree(device);
}

static void ucmad_device_remove(struct ib_device *ib, void *client_data)
{
	struct ucmad_device *device;

	mutex_lock(&ucmad_devices_lock);
	device = xa_erase(&ucmad_devices, ib->index);
	mutex_unlock(&ucmad_devices_lock);
	if (device)
		ucmad_device_end(device);
}

static struct ib_client ucmad_client = {
	.name = "ucmad",
	.add = ucmad_device_add,
	.remove = ucmad_device_remove,
};

int ucmad_device_init(void)
{
	return ib_register_client(&ucmad_client);
}

void ucmad_device_exit(void)
{
	ib_unregister_client(&ucmad_client);
}

/**
 * ucmad_device_get - Find a device that the file may use, and take a reference.
 * @file: The file.
 * @index: Index of the device.
 *
 * Return: The device, or NULL if there is none or it is in another network namespace.
 */
struct ucmad_device *ucmad_device_get(struct ucmad_file *file, u32 index)
{
	struct ucmad_device *device;

	mutex_lock(&ucmad_devices_lock);
	device = xa_load(&ucmad_devices, index);
	if (device && rdma_dev_access_netns(device->ib, file->net))
		refcount_inc(&device->refs);
	else
		device = NULL;
	mutex_unlock(&ucmad_devices_lock);
	return device;
}

void ucmad_device_put(struct ucmad_device *device)
{
	if (refcount_dec_and_test(&device->refs))
		complete(&device->released);
}

/**
 * ucmad_device_attach - Let an object follow a device.
 * @device: The device.
 * @object: The object; from now on it is told when the device goes away.
 *
 * Return: 0 or -ENODEV.
 */
int ucmad_device_attach(struct ucmad_device *device, struct ucmad_object *object)
{
	int ret = 0;

	mutex_lock(&device->lock);
	if (device->removed) {
		ret = -ENODEV;
	} else {
		refcount_inc(&device->refs);
		object->device = device;
		list_add_tail(&object->device_entry, &device->objects);
	}
	mutex_unlock(&device->lock);
	return ret;
}

/**
 * ucmad_device_detach - An object has nothing to do with its device any more.
 * @device: The device.
 * @object: The object, torn down.
 */
void ucmad_device_detach(struct ucmad_device *device, struct ucmad_object *object)
{
	mutex_lock(&device->lock);
	list_del_init(&object->device_entry);
	mutex_unlock(&device->lock);
	ucmad_device_put(device);
}

static u64 ucmad_device_roce_ports(struct ib_device *ib)
{
	u64 ports = 0;
	u32 port;

	rdma_for_each_port(ib, port)
		if (port < 64 && rdma_protocol_roce(ib, port))
			ports |= BIT_ULL(port);
	return ports;
}

static void ucmad_device_describe(struct ucmad_device *device, struct ucmad_device_info *info)
{
	struct ib_device *ib = device->ib;

	info->index = device->index;
	info->port_count = ib->phys_port_cnt;
	info->node_guid = be64_to_cpu(ib->node_guid);
	info->roce_ports = ucmad_device_roce_ports(ib);
	strscpy(info->name, dev_name(&ib->dev), sizeof(info->name));
}

/*
 * Describes the devices that the file may use. Nothing is copied to user space here: the lock keeps
 * a device from being removed, and that must not wait for a program. Returns how many there are.
 */
static u32 ucmad_device_list(struct ucmad_file *file, struct ucmad_device_info *infos, u32 room)
{
	struct ucmad_device *device;
	unsigned long index;
	u32 count = 0;

	mutex_lock(&ucmad_devices_lock);
	xa_for_each(&ucmad_devices, index, device) {
		if (!rdma_dev_access_netns(device->ib, file->net))
			continue;
		if (count < room)
			ucmad_device_describe(device, &infos[count]);
		count++;
	}
	mutex_unlock(&ucmad_devices_lock);
	return count;
}

/* Entries grow as other structs do: a program may know less or more of one than the module. */
static int ucmad_device_copy(const struct ucmad_device_info *info, u64 to, u32 entry_size)
{
	u32 known = min_t(u32, entry_size, sizeof(*info));

	if (copy_to_user(u64_to_user_ptr(to), info, known) ||
	    clear_user(u64_to_user_ptr(to + known), entry_size - known))
		return -EFAULT;
	return 0;
}

int ucmad_ioctl_devices(struct ucmad_cmd *cmd)
{
	struct ucmad_devices *args = cmd->arg;
	struct ucmad_device_info *infos;
	u32 room, i;
	int ret = 0;

	/* The page is only a bound. */
	if (args->reserved || args->entry_size < sizeof(struct ucmad_device_info) ||
	    args->entry_size > PAGE_SIZE)
		return -EINVAL;

	room = min(args->count, ucmad_device_list(cmd->file, NULL, 0));
	infos = kcalloc(room, sizeof(*infos), GFP_KERNEL_ACCOUNT);
	if (!infos)
		return -ENOMEM;
	args->count = ucmad_device_list(cmd->file, infos, room);
	for (i = 0; !ret && i < min(args->count, room); i++)
		ret = ucmad_device_copy(&infos[i], args->devices + (u64)i * args->entry_size,
					args->entry_size);
	kfree(infos);
	return ret ?: ucmad_respond(cmd);
}
