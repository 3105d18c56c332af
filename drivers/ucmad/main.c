// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* The module: parameters, and what starts and ends with it. */
#include <linux/miscdevice.h>
#include <linux/module.h>

#include "cm.h"
#include "device.h"
#include "event.h"
#include "file.h"
#include "mad.h"
#include "main.h"
#include "stats.h"

unsigned int ucmad_max_objects = 65536;
module_param_named(max_objects, ucmad_max_objects, uint, 0644);
MODULE_PARM_DESC(max_objects, "Objects that one open file may have (65536)");

unsigned int ucmad_max_backlog = 4096;
module_param_named(max_backlog, ucmad_max_backlog, uint, 0644);
MODULE_PARM_DESC(max_backlog, "Largest backlog of a listener (4096)");

unsigned int ucmad_max_sends = 131072;
module_param_named(max_sends, ucmad_max_sends, uint, 0644);
MODULE_PARM_DESC(max_sends, "Sends that a MAD agent may have outstanding, and MADs waiting for it (131072)");

struct workqueue_struct *ucmad_workqueue;

static struct miscdevice ucmad_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ucmad",
	.nodename = "infiniband/ucmad",
	/* Who may open it may use the CM; udev rules widen this, as for the other nodes there. */
	.mode = 0600,
	.fops = &ucmad_fops,
	.groups = ucmad_stat_groups,
};

/**
 * ucmad_base_init - Set up what all else stands on. KUnit's suites do so before the module has.
 *
 * Return: 0 or -ENOMEM.
 */
int ucmad_base_init(void)
{
	int ret;

	ret = ucmad_event_init();
	if (ret)
		return ret;
	ucmad_workqueue = alloc_workqueue("ucmad", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!ucmad_workqueue) {
		ucmad_event_exit();
		return -ENOMEM;
	}
	return 0;
}

/* No object is left. */
void ucmad_base_exit(void)
{
	destroy_workqueue(ucmad_workqueue);
	ucmad_workqueue = NULL;
	/* Handlers may be late, see ucmad_cm_handler(); objects are freed after a grace period. */
	synchronize_rcu();
	rcu_barrier();
	ucmad_stats_check();
	ucmad_event_exit();
}

static int __init ucmad_init(void)
{
	int ret;

	ret = ucmad_base_init();
	if (ret)
		return ret;
	ret = ucmad_device_init();
	if (ret)
		goto err_base;
	ret = misc_register(&ucmad_misc);
	if (ret)
		goto err_device;
	return 0;

err_device:
	ucmad_device_exit();
err_base:
	ucmad_base_exit();
	return ret;
}

static void __exit ucmad_exit(void)
{
	misc_deregister(&ucmad_misc);
	ucmad_device_exit();
	ucmad_base_exit();
}

module_init(ucmad_init);
module_exit(ucmad_exit);

MODULE_DESCRIPTION("InfiniBand Connection Manager and MAD agents for user space");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION("0.1.0");
