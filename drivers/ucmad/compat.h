/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What differs between kernel releases, and nowhere else. */
#ifndef UCMAD_COMPAT_H
#define UCMAD_COMPAT_H

#include <linux/timer.h>
#include <linux/version.h>
#include <rdma/ib_cm.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)

/* The CM sends MRAs only to a peer that repeats itself, with its own time-out and no data. */
#define UCMAD_COMPAT_MRA_AT_REQUEST 0

static inline int ucmad_compat_send_cm_mra(struct ib_cm_id *id, u8 service_timeout,
					   const void *data, u8 len)
{
	return ib_prepare_cm_mra(id);
}

#else

#define UCMAD_COMPAT_MRA_AT_REQUEST 1

static inline int ucmad_compat_send_cm_mra(struct ib_cm_id *id, u8 service_timeout,
					   const void *data, u8 len)
{
	return ib_send_cm_mra(id, service_timeout, data, len);
}

#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define ucmad_compat_timer_container timer_container_of
#else
#define ucmad_compat_timer_container from_timer
#endif

/* Stops a timer; true if it was pending. Does not wait for one that runs. */
static inline bool ucmad_compat_timer_delete(struct timer_list *timer)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return timer_delete(timer);
#else
	return del_timer(timer);
#endif
}

/* Stops a timer, and waits for it if it runs. */
static inline void ucmad_compat_timer_delete_sync(struct timer_list *timer)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	timer_delete_sync(timer);
#else
	del_timer_sync(timer);
#endif
}

#endif /* UCMAD_COMPAT_H */
