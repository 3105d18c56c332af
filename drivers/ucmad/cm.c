// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * The life of a CM ID; see object.h for what all objects share, and struct ucmad_cm for its locks.
 *
 * The state of the protocol is the provider's alone (IDLE to TIMEWAIT); we do not keep a copy that
 * could be wrong (CM-TRUTH). Our own states are those where the provider has no ID yet: IDLE before
 * the first attempt, RESOLVING while the path is looked for, and REMOVED.
 */
#include <linux/slab.h>

#include "cm.h"
#include "device.h"
#include "file.h"
#include "stats.h"

const struct ucmad_cm_provider *ucmad_cm_provider = &ucmad_cm_ib;

static u32 ucmad_cm_teardown(struct ucmad_object *object)
{
	struct ucmad_cm *cm = container_of(object, struct ucmad_cm, object);
	struct ucmad_cm_request *request;
	struct ib_cm_id *id;
	bool first;

	mutex_lock(&cm->mutex);
	first = !cm->closing;
	cm->closing = true;
	id = cm->id;
	cm->id = NULL;
	request = cm->request;
	cm->request = NULL;
	mutex_unlock(&cm->mutex);

	/* First what can start the works, then the works. Each finds nothing to do by now. */
	ucmad_cm_provider->resolve_cancel(&cm->resolve_addr);
	if (id)
		ucmad_cm_id_destroy(id);
	cancel_work_sync(&cm->resolved_work);
	cancel_delayed_work_sync(&cm->patience_work);

	ucmad_cm_request_free(request);
	if (first)
		ucmad_device_detach(object->device, object);
	/* ib_cm posts nothing that was not posted before. */
	return 0;
}

static void ucmad_cm_device_removed(struct ucmad_object *object)
{
	struct ucmad_cm *cm = container_of(object, struct ucmad_cm, object);

	mutex_lock(&cm->mutex);
	cm->removed = true;
	mutex_unlock(&cm->mutex);

	ucmad_cm_teardown(object);
	ucmad_object_post_removed(object);
}

static void ucmad_cm_release(struct ucmad_object *object)
{
	struct ucmad_cm *cm = container_of(object, struct ucmad_cm, object);
	unsigned long flags;
	LIST_HEAD(reserve);

	/* A handler that came late may look there, see ucmad_cm_handler(). */
	spin_lock_irqsave(&cm->lock, flags);
	list_splice_init(&cm->reserve, &reserve);
	spin_unlock_irqrestore(&cm->lock, flags);
	ucmad_queued_free_all(&reserve);
	kfree_rcu(cm, object.rcu);
}

static const struct ucmad_object_ops ucmad_cm_ops = {
	.teardown = ucmad_cm_teardown,
	.device_removed = ucmad_cm_device_removed,
	.release = ucmad_cm_release,
};

/**
 * ucmad_cm_new - Make a CM ID that is not published yet.
 * @file: The file.
 * @device: Its device.
 *
 * Return: The CM ID or an ERR_PTR(), see ucmad_object_reserve().
 */
struct ucmad_cm *ucmad_cm_new(struct ucmad_file *file, struct ucmad_device *device)
{
	struct ucmad_cm *cm = kzalloc(sizeof(*cm), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!cm)
		return ERR_PTR(-ENOMEM);
	mutex_init(&cm->mutex);
	spin_lock_init(&cm->lock);
	INIT_LIST_HEAD(&cm->reserve);
	init_completion(&cm->established);
	INIT_DELAYED_WORK(&cm->patience_work, ucmad_cm_patience);
	INIT_WORK(&cm->resolved_work, ucmad_cm_resolved);
	ucmad_queue_init(&cm->object.queue);

	ret = ucmad_object_reserve(&cm->object, file, device, &ucmad_cm_ops);
	if (ret) {
		kfree(cm);
		return ERR_PTR(ret);
	}
	return cm;
}

/**
 * ucmad_cm_get - Find a CM ID and take a reference.
 * @file: The file.
 * @handle: Its handle.
 *
 * Return: The CM ID, or as ucmad_object_get_kind().
 */
struct ucmad_cm *ucmad_cm_get(struct ucmad_file *file, u32 handle)
{
	struct ucmad_object *object = ucmad_object_get_kind(file, handle, &ucmad_cm_ops);

	return IS_ERR(object) ? ERR_CAST(object) : container_of(object, struct ucmad_cm, object);
}

void ucmad_cm_put(struct ucmad_cm *cm)
{
	ucmad_object_put(&cm->object);
}

/* Makes an ID of the provider for one attempt to listen or connect. */
struct ib_cm_id *ucmad_cm_id_create(struct ucmad_cm *cm)
{
	struct ib_cm_id *id =
		ucmad_cm_provider->create(cm->object.device->ib, ucmad_cm_handler, cm);

	if (!IS_ERR(id))
		ucmad_stat_inc(UCMAD_STAT_CM_IDS);
	return id;
}

/*
 * Tells the peer what the protocol wants told (CM-TEARDOWN), and waits for handlers, but for one
 * that is to tell that a message was not answered; see ucmad_cm_handler().
 */
void ucmad_cm_id_destroy(struct ib_cm_id *id)
{
	ucmad_cm_provider->destroy(id);
	ucmad_stat_dec(UCMAD_STAT_CM_IDS);
}

/**
 * ucmad_cm_reserve_fill - Set aside what is needed to report all that may come (EV-NOLOSS).
 * @cm: The CM ID, with its mutex held or not yet published.
 *
 * Return: 0, or -ENOMEM with less set aside; it will do for fewer events, but nothing is begun.
 */
int ucmad_cm_reserve_fill(struct ucmad_cm *cm)
{
	struct ucmad_queued *event;

	while (cm->reserved < UCMAD_CM_RESERVE) {
		event = ucmad_queued_alloc(GFP_KERNEL_ACCOUNT);
		if (!event)
			return -ENOMEM;
		spin_lock_irq(&cm->lock);
		list_add(&event->node, &cm->reserve);
		cm->reserved++;
		spin_unlock_irq(&cm->lock);
	}
	return 0;
}

/* Takes an event from what was set aside, or NULL. */
struct ucmad_queued *ucmad_cm_reserve_take(struct ucmad_cm *cm)
{
	struct ucmad_queued *event;
	unsigned long flags;

	spin_lock_irqsave(&cm->lock, flags);
	event = list_first_entry_or_null(&cm->reserve, struct ucmad_queued, node);
	if (event) {
		list_del(&event->node);
		cm->reserved--;
	}
	spin_unlock_irqrestore(&cm->lock, flags);
	return event;
}
