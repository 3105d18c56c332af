/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Counters of the module, one file each in /sys/class/misc/ucmad/stats. */
#ifndef UCMAD_STATS_H
#define UCMAD_STATS_H

#include <linux/atomic.h>

struct attribute_group;

/*
 * The first ones count what exists at the moment and are zero when no program uses the module; the
 * others count what happened since it was loaded.
 */
enum ucmad_stat {
	UCMAD_STAT_FILES,
	UCMAD_STAT_OBJECTS,
	UCMAD_STAT_EVENTS,
	UCMAD_STAT_CM_IDS,
	UCMAD_STAT_SENDS,
	UCMAD_STAT_LIVE_COUNT,

	UCMAD_STAT_EVENTS_DISCARDED = UCMAD_STAT_LIVE_COUNT,
	UCMAD_STAT_EVENTS_LOST,
	UCMAD_STAT_REQUESTS_DROPPED,
	UCMAD_STAT_COUNT,
};

extern atomic_long_t ucmad_stats[UCMAD_STAT_COUNT];
extern const struct attribute_group *ucmad_stat_groups[];

static inline void ucmad_stat_add(enum ucmad_stat stat, long n)
{
	atomic_long_add(n, &ucmad_stats[stat]);
}

static inline void ucmad_stat_inc(enum ucmad_stat stat)
{
	ucmad_stat_add(stat, 1);
}

static inline void ucmad_stat_dec(enum ucmad_stat stat)
{
	ucmad_stat_add(stat, -1);
}

void ucmad_stats_check(void);

#endif /* UCMAD_STATS_H */
