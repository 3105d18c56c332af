// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * A module that does one thing wrong, for the tests of tools/vm/run: what=MISTAKE when it is
 * inserted.
 */
#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

static char *what;
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "the mistake to make");

static int shift = 40;
module_param(shift, int, 0444);
MODULE_PARM_DESC(shift, "for what=undefined: too far for an int");

static void warn(void)
{
	WARN(1, "ucmad_fault was asked for a warning\n");
}

static void lock_order(void)
{
	static DEFINE_MUTEX(first);
	static DEFINE_MUTEX(second);

	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void sleep_in_atomic(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

static void undefined(void)
{
	pr_info("ucmad_fault: %d\n", 1 << shift);
}

static void leak(void)
{
	char *lost = kmalloc(100, GFP_KERNEL);

	/* The compiler must not see that nobody needs it. */
	OPTIMIZER_HIDE_VAR(lost);
}

static void no_expiry(struct timer_list *timer)
{
}

static void free_active(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, no_expiry, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
	/* The checker has removed the timer by now; without it this kernel is lost anyway. */
}

static void use_after_free(void)
{
	char *gone = kmalloc(100, GFP_KERNEL);

	kfree(gone);
	OPTIMIZER_HIDE_VAR(gone);
	WRITE_ONCE(gone[50], 1);
}

static unsigned int raced;

static void race(struct work_struct *work)
{
	unsigned long end = jiffies + HZ / 2;

	while (time_before(jiffies, end)) {
		raced++;
		/* The compiler is not to add it up first. */
		barrier();
	}
}

static void unlocked(void)
{
	static DECLARE_WORK(other, race);

	queue_work(system_unbound_wq, &other);
	race(NULL);
	flush_work(&other);
}

static const struct {
	const char *name;
	void (*make)(void);
} mistakes[] = {
	{ "warn", warn },
	{ "lock-order", lock_order },
	{ "sleep-in-atomic", sleep_in_atomic },
	{ "undefined", undefined },
	{ "leak", leak },
	{ "free-active", free_active },
	{ "use-after-free", use_after_free },
	{ "data-race", unlocked },
};

/* Neither is __init: back traces are to name them after the module is loaded. */
static int ucmad_fault_load(void)
{
	size_t i;

	for (i = 0; what && i < ARRAY_SIZE(mistakes); i++) {
		if (!strcmp(what, mistakes[i].name)) {
			mistakes[i].make();
			return 0;
		}
	}
	return -EINVAL;
}

static void ucmad_fault_unload(void)
{
}

module_init(ucmad_fault_load);
module_exit(ucmad_fault_unload);

MODULE_DESCRIPTION("Makes mistakes for the tests of tools/vm/run");
MODULE_LICENSE("Dual BSD/GPL");
