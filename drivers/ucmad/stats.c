// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* Counters of the module; see stats.h. */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "stats.h"

atomic_long_t ucmad_stats[UCMAD_STAT_COUNT];

struct ucmad_stat_attribute {
	struct device_attribute attr;
	enum ucmad_stat stat;
};

static ssize_t ucmad_stat_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ucmad_stat_attribute *a = container_of(attr, struct ucmad_stat_attribute, attr);

	return sysfs_emit(buf, "%ld\n", atomic_long_read(&ucmad_stats[a->stat]));
}

#define UCMAD_STAT_ATTRIBUTE(_name, _stat)					\
	static struct ucmad_stat_attribute ucmad_stat_##_name = {		\
		.attr = __ATTR(_name, 0444, ucmad_stat_show, NULL),		\
		.stat = _stat,							\
	}

UCMAD_STAT_ATTRIBUTE(files, UCMAD_STAT_FILES);
UCMAD_STAT_ATTRIBUTE(objects, UCMAD_STAT_OBJECTS);
UCMAD_STAT_ATTRIBUTE(events, UCMAD_STAT_EVENTS);
UCMAD_STAT_ATTRIBUTE(cm_ids, UCMAD_STAT_CM_IDS);
UCMAD_STAT_ATTRIBUTE(sends, UCMAD_STAT_SENDS);
UCMAD_STAT_ATTRIBUTE(events_discarded, UCMAD_STAT_EVENTS_DISCARDED);
UCMAD_STAT_ATTRIBUTE(events_lost, UCMAD_STAT_EVENTS_LOST);
UCMAD_STAT_ATTRIBUTE(requests_dropped, UCMAD_STAT_REQUESTS_DROPPED);

static struct attribute *ucmad_stat_attributes[] = {
	&ucmad_stat_files.attr.attr,
	&ucmad_stat_objects.attr.attr,
	&ucmad_stat_events.attr.attr,
	&ucmad_stat_cm_ids.attr.attr,
	&ucmad_stat_sends.attr.attr,
	&ucmad_stat_events_discarded.attr.attr,
	&ucmad_stat_events_lost.attr.attr,
	&ucmad_stat_requests_dropped.attr.attr,
	NULL,
};

static const struct attribute_group ucmad_stat_group = {
	.name = "stats",
	.attrs = ucmad_stat_attributes,
};

const struct attribute_group *ucmad_stat_groups[] = { &ucmad_stat_group, NULL };

/* The module is unloaded: what is left now has leaked. */
void ucmad_stats_check(void)
{
	enum ucmad_stat stat;

	for (stat = 0; stat < UCMAD_STAT_LIVE_COUNT; stat++)
		WARN(atomic_long_read(&ucmad_stats[stat]), "ucmad: counter %d is %ld at unload\n",
		     stat, atomic_long_read(&ucmad_stats[stat]));
}
