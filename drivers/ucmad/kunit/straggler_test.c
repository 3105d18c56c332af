// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * A handler for a message that nobody has answered, which ib_cm calls when the ID is destroyed
 * already: see ucmad_cm_handler().
 */
#include "../main.h"
#include "program.h"

/*
 * How long a straggler holds up who must wait for it. Nobody's order depends on it: who does not
 * wait says so as soon as it is through.
 */
#define STRAGGLER_DELAY	(HZ / 4)

/**
 * struct straggler - A call of the handler, in another thread.
 * @work: The thread.
 * @id: What ib_cm still has of its ID.
 * @inside: The call has begun: who waits for all readers of RCU waits for it.
 * @overtaken: The test is through with what the call is late for.
 */
struct straggler {
	struct work_struct work;
	struct ib_cm_id id;
	struct completion inside;
	bool overtaken;
};

static void straggler_work(struct work_struct *work)
{
	struct straggler *straggler = container_of(work, struct straggler, work);
	struct ib_cm_event event = ucmad_fake_event(IB_CM_REQ_ERROR);
	unsigned long end = jiffies + STRAGGLER_DELAY;

	rcu_read_lock();
	complete(&straggler->inside);
	while (!READ_ONCE(straggler->overtaken) && time_before(jiffies, end))
		cpu_relax();
	straggler->id.cm_handler(&straggler->id, &event);
	rcu_read_unlock();
}

/* The ID is idle, but the call that says why has only begun. */
static struct straggler *straggler_start(struct kunit *test, struct ib_cm_id *id)
{
	struct straggler *straggler = kunit_kzalloc(test, sizeof(*straggler), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, straggler);
	ucmad_fake_enter(id, IB_CM_REQ_ERROR);
	straggler->id = *id;
	init_completion(&straggler->inside);
	INIT_WORK(&straggler->work, straggler_work);
	queue_work(ucmad_workqueue, &straggler->work);
	wait_for_completion(&straggler->inside);
	return straggler;
}

static void straggler_finish(struct straggler *straggler)
{
	WRITE_ONCE(straggler->overtaken, true);
	flush_work(&straggler->work);
}

/* What it uses is still there, and nobody is told. */
static void straggler_after_destroy(struct kunit *test)
{
	u32 handle = ucmad_program_id(test), discarded;
	struct ucmad_program_event event;
	struct straggler *straggler;

	KUNIT_ASSERT_EQ(test, ucmad_program_op_on(test, "req", handle), 0);
	straggler = straggler_start(test, ucmad_program_cm(test, handle)->id);
	KUNIT_EXPECT_EQ(test, ucmad_program_destroy(test, handle, &discarded), 0);
	straggler_finish(straggler);
	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, 0, &event), -EAGAIN);
}

/* The end of the last attempt is told before the next begins, and is not taken for its end. */
static void straggler_after_renewal(struct kunit *test)
{
	u32 handle = ucmad_program_id(test);
	struct ucmad_program_event event;
	struct straggler *straggler;

	KUNIT_ASSERT_EQ(test, ucmad_program_op_on(test, "req", handle), 0);
	straggler = straggler_start(test, ucmad_program_cm(test, handle)->id);
	KUNIT_EXPECT_EQ(test, ucmad_program_op_on(test, "req", handle), 0);
	straggler_finish(straggler);
	KUNIT_EXPECT_EQ(test, ucmad_program_query(test, handle).error, 0);
	KUNIT_EXPECT_EQ(test, ucmad_program_query(test, handle).state, UCMAD_CM_REQ_SENT);
	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, 0, &event), 0);
	KUNIT_EXPECT_EQ(test, event.head.type, UCMAD_EVENT_CM_REQ_ERROR);
	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, 0, &event), -EAGAIN);
}

static struct kunit_case ucmad_straggler_tests[] = {
	KUNIT_CASE(straggler_after_destroy),
	KUNIT_CASE(straggler_after_renewal),
	{}
};

static struct kunit_suite ucmad_straggler_suite = {
	.name = "ucmad_straggler",
	.suite_init = ucmad_program_suite_init,
	.suite_exit = ucmad_program_suite_exit,
	.init = ucmad_program_init,
	.exit = ucmad_program_exit,
	.test_cases = ucmad_straggler_tests,
};

kunit_test_suite(ucmad_straggler_suite);
