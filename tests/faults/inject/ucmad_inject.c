// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * Lets one thing after another fail that the module under test asks the kernel for, whoever runs
 * the module: a program's call, a handler of ib_cm or ib_mad, a work, a softirq. What may fail are
 * calls of the functions in the table below that come, through whatever stands between, from the
 * module. Calls that come on the same path count as one, but for the second of them: a loop is to
 * be broken in its middle, too, but not at each of a thousand turns.
 *
 *   arm     "N 0": let the N-th such call fail.
 *           "N 1": let it fail and all that follow, as when memory stays short.
 *           "0 0": no more.
 *   result  How many failed, and the first of them.
 *   broken  The name of a function of the table: let all such calls of it fail, whatever is armed.
 *           "": let it work again.
 *
 * For x86-64 kernels with frame pointers. A path ends where an interrupt or softirq begins, since
 * there the frames change the stack or the pointer is marked.
 */
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <asm/text-patching.h>

/* How a call fails. */
#define NO_MEMORY ((unsigned long)-ENOMEM)
#define NO_ENTRY ((unsigned long)-ENODATA)
#define NO_POINTER 0UL
#define YES 1UL

/**
 * struct point - A function whose calls may fail.
 * @symbol: Its name.
 * @value: What it returns then.
 * @is_memory: It is an allocation, whose failure lasts when memory is short.
 * @is_direct: Only if the module itself has called it.
 */
struct point {
	const char *symbol;
	unsigned long value;
	bool is_memory;
	bool is_direct;
};

static const struct point points[] = {
	{ "should_failslab", NO_MEMORY, .is_memory = true },
	{ "should_fail_alloc_page", YES, .is_memory = true },
	{ "__vmalloc_node_range", NO_POINTER, .is_memory = true },
	{ "should_fail_usercopy", YES },
	{ "kmem_cache_create_usercopy", NO_POINTER, .is_direct = true },
	{ "alloc_workqueue", NO_POINTER, .is_direct = true },
	{ "misc_register", NO_MEMORY, .is_direct = true },
	{ "ib_register_client", NO_MEMORY, .is_direct = true },
	{ "__ib_alloc_pd", NO_MEMORY, .is_direct = true },
	{ "__ib_alloc_cq_any", NO_MEMORY, .is_direct = true },
	/* As rxe says it. */
	{ "ib_create_qp_kernel", (unsigned long)-EINVAL, .is_direct = true },
	{ "ib_modify_qp", NO_MEMORY, .is_direct = true },
	{ "rxe_post_send", NO_MEMORY },
	{ "rxe_post_recv", NO_MEMORY, .is_direct = true },
	{ "rdma_create_ah", NO_MEMORY, .is_direct = true },
	{ "rdma_resolve_ip", NO_MEMORY, .is_direct = true },
	{ "rdma_get_gid_attr", NO_ENTRY, .is_direct = true },
	{ "ib_register_mad_agent", NO_MEMORY, .is_direct = true },
	{ "ib_create_send_mad", NO_MEMORY, .is_direct = true },
	{ "ib_post_send_mad", NO_MEMORY, .is_direct = true },
	{ "ib_create_cm_id", NO_MEMORY, .is_direct = true },
	{ "ib_cm_listen", NO_MEMORY, .is_direct = true },
};

/*
 * What is called by these is not the module's business: the device's own (which may fail as a
 * whole), what fails as a whole, and the kernel's checkers, which give up if they fail.
 */
static const char *const spared[] = {
	"rxe_", "ib_create_qp_kernel", "__ib_alloc_pd", "__ib_alloc_cq", "kmem_cache_create",
	"alloc_workqueue", "misc_register", "ib_register_client", "__vmalloc", "vmalloc",
	"kmemleak", "__kmemleak", "__stack_depot", "kasan_", "__kasan", "debug_object",
	"__debug_object", "fill_pool", "allocate_slab", "new_slab", "___slab_alloc",
};

#define MODULE_TAG " [ucmad]"
#define DEPTH 64
#define ROUTES 4096

/**
 * struct route - A way from the module to a point.
 * @key: What identifies it; 0 if this is not in use.
 * @calls: How many have come on it.
 * @is_spared: They do not fail.
 */
struct route {
	u64 key;
	u32 calls;
	bool is_spared;
};

/*
 * Guards what follows. Nobody probes what is done under it, so a probe never meets it held by its
 * own processor; lockdep, for which a probe is as an NMI, cannot know that.
 */
static arch_spinlock_t lock = __ARCH_SPIN_LOCK_UNLOCKED;
static struct route routes[ROUTES];
static u32 nth, candidates, injected;
static bool lasting;
static const struct point *broken;
static unsigned long first_point, first_caller;

static struct kprobe probes[ARRAY_SIZE(points)];

/* ---- the way here ------------------------------------------------------------------------ */

static bool has_prefix(unsigned long address, const char *prefix)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, address);
	return str_has_prefix(name, prefix);
}

static bool is_spared_function(unsigned long address)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(spared); i++)
		if (has_prefix(address, spared[i]))
			return true;
	return false;
}

static bool is_of_module(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];

	if (address < MODULES_VADDR || address >= MODULES_END)
		return false;
	sprint_symbol(name, address);
	return strstr(name, MODULE_TAG);
}

/* The return addresses above the entry of a function, as long as they are of the same stack. */
static u32 walk(const struct pt_regs *regs, unsigned long *entries)
{
	unsigned long frame = regs->bp, previous = regs->sp;
	u32 count = 0;

	entries[count++] = *(unsigned long *)regs->sp;
	while (count < DEPTH && IS_ALIGNED(frame, sizeof(long)) && frame >= previous &&
	       frame < previous + THREAD_SIZE) {
		entries[count++] = ((unsigned long *)frame)[1];
		previous = frame;
		frame = *(unsigned long *)frame;
	}
	return count;
}

/* Returns the number of entries up to the end of the module's own, or 0 if it has none. */
static u32 find_own(const unsigned long *entries, u32 count, u32 *first)
{
	u32 i, end = 0;

	for (i = 0; i < count; i++) {
		if (is_of_module(entries[i])) {
			if (!end)
				*first = i;
			end = i + 1;
		} else if (end) {
			break;
		}
	}
	return end;
}

static u64 key_of(const struct point *point, const unsigned long *entries, u32 count)
{
	u64 key = point - points + 1;
	u32 i;

	for (i = 0; i < count; i++)
		key = hash_64(key ^ entries[i], 64) + i;
	return key ?: 1;
}

/* ---- whose turn it is -------------------------------------------------------------------- */

static struct route *find_route(u64 key)
{
	u32 i, at;

	for (i = 0; i < ROUTES; i++) {
		at = (key + i) % ROUTES;
		if (!routes[at].key || routes[at].key == key)
			return &routes[at];
	}
	return NULL;
}

static bool is_spared_route(const struct point *point, const unsigned long *entries, u32 first)
{
	u32 i;

	if (point->is_direct && first)
		return true;
	for (i = 0; i < first; i++)
		if (is_spared_function(entries[i]))
			return true;
	return false;
}

static bool is_due(const struct point *point, const unsigned long *entries, u32 first, u32 end)
{
	u64 key = key_of(point, entries, end);
	struct route *route = find_route(key);

	if (!route)
		return false;
	if (!route->key) {
		route->key = key;
		route->is_spared = is_spared_route(point, entries, first) ||
				  (lasting && !point->is_memory);
	}
	if (route->is_spared)
		return false;
	route->calls++;
	if (route->calls <= 2)
		candidates++;
	else if (!lasting || candidates < nth)
		return false;
	return lasting ? candidates >= nth : candidates == nth;
}

static bool should_fail(const struct point *point, const struct pt_regs *regs)
{
	unsigned long entries[DEPTH], flags;
	u32 count, first, end;
	bool fails = false;

	if (!READ_ONCE(nth) && !READ_ONCE(broken))
		return false;
	count = walk(regs, entries);
	end = find_own(entries, count, &first);
	if (!end)
		return false;
	if (point == READ_ONCE(broken))
		return !is_spared_route(point, entries, first);
	local_irq_save(flags);
	arch_spin_lock(&lock);
	if (nth && is_due(point, entries, first, end)) {
		fails = true;
		if (!injected++) {
			first_point = regs->ip;
			first_caller = entries[first];
		}
	}
	arch_spin_unlock(&lock);
	local_irq_restore(flags);
	return fails;
}

/* Callers that have no way to fail. */
static bool must_succeed(const struct point *point, const struct pt_regs *regs)
{
	if (!strcmp(point->symbol, "should_failslab"))
		return regs->si & __GFP_NOFAIL;
	if (!strcmp(point->symbol, "should_fail_alloc_page"))
		return regs->di & __GFP_NOFAIL;
	return false;
}

static int enter(struct kprobe *probe, struct pt_regs *regs)
{
	const struct point *point = &points[probe - probes];

	if (must_succeed(point, regs) || !should_fail(point, regs))
		return 0;
	/* As if it had returned. */
	regs->ax = point->value;
	int3_emulate_ret(regs);
	return 1;
}

/* That there is one keeps the kernel from making the probe a jump, which could not return. */
static void leave(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

/* ---- parameters -------------------------------------------------------------------------- */

/* Whoever allocates anything meets the probes, so they are there only when they are needed. */
static int set_probes(bool on)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(probes); i++)
		ret = on ? enable_kprobe(&probes[i]) : disable_kprobe(&probes[i]);
	return ret;
}

static int arm_set(const char *text, const struct kernel_param *param)
{
	u32 new_nth, new_lasting;
	unsigned long flags;

	if (sscanf(text, "%u %u", &new_nth, &new_lasting) != 2)
		return -EINVAL;
	local_irq_save(flags);
	arch_spin_lock(&lock);
	WRITE_ONCE(nth, new_nth);
	/* What has happened stays to be read until something else is asked for. */
	if (new_nth) {
		memset(routes, 0, sizeof(routes));
		lasting = new_lasting;
		candidates = 0;
		injected = 0;
		first_point = 0;
		first_caller = 0;
	}
	arch_spin_unlock(&lock);
	local_irq_restore(flags);
	return set_probes(nth || broken);
}

static int broken_set(const char *text, const struct kernel_param *param)
{
	const struct point *point = points;

	while (point < points + ARRAY_SIZE(points) && !sysfs_streq(text, point->symbol))
		point++;
	if (point == points + ARRAY_SIZE(points)) {
		if (!sysfs_streq(text, ""))
			return -ENOENT;
		point = NULL;
	}
	WRITE_ONCE(broken, point);
	return set_probes(nth || broken);
}

static int result_get(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%u %ps in %pS\n", READ_ONCE(injected), (void *)first_point,
			  (void *)first_caller);
}

static const struct kernel_param_ops arm_ops = { .set = arm_set };
static const struct kernel_param_ops broken_ops = { .set = broken_set };
static const struct kernel_param_ops result_ops = { .get = result_get };

module_param_cb(arm, &arm_ops, NULL, 0200);
MODULE_PARM_DESC(arm, "N and whether failures last");
module_param_cb(broken, &broken_ops, NULL, 0200);
MODULE_PARM_DESC(broken, "a function whose calls fail");
module_param_cb(result, &result_ops, NULL, 0400);
MODULE_PARM_DESC(result, "how many calls failed, and the first of them");

/* ---- the module -------------------------------------------------------------------------- */

static int __init ucmad_inject_init(void)
{
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		probes[i].symbol_name = points[i].symbol;
		probes[i].pre_handler = enter;
		probes[i].post_handler = leave;
		probes[i].flags = KPROBE_FLAG_DISABLED;
		ret = register_kprobe(&probes[i]);
		if (ret) {
			pr_err("ucmad_inject: no probe at %s: %d\n", points[i].symbol, ret);
			while (i--)
				unregister_kprobe(&probes[i]);
			return ret;
		}
	}
	return 0;
}

static void __exit ucmad_inject_exit(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		unregister_kprobe(&probes[i]);
}

module_init(ucmad_inject_init);
module_exit(ucmad_inject_exit);

MODULE_DESCRIPTION("Lets what the module ucmad asks the kernel for fail");
MODULE_LICENSE("Dual BSD/GPL");
