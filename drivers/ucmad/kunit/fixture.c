// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* See fixture.h. */
#include <linux/delay.h>

#include "../compat.h"
#include "../event_queue.h"
#include "../main.h"
#include "../stats.h"
#include "fake_device.h"
#include "fixture.h"

/* Nothing here takes so long, unless it hangs. */
#define UCMAD_PATIENCE (20 * HZ)

/* Some kernels run the tests of a module before its init function, and some after it. */
static bool ucmad_fixture_owns_base;

int ucmad_fixture_suite_init(struct kunit_suite *suite)
{
	ucmad_fixture_owns_base = !ucmad_workqueue;
	return ucmad_fixture_owns_base ? ucmad_base_init() : 0;
}

void ucmad_fixture_suite_exit(struct kunit_suite *suite)
{
	if (ucmad_fixture_owns_base)
		ucmad_base_exit();
}

int ucmad_fixture_init(struct kunit *test)
{
	struct ucmad_fixture *fixture = kunit_kzalloc(test, sizeof(*fixture), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fixture);
	test->priv = fixture;
	fixture->sends = atomic_long_read(&ucmad_stats[UCMAD_STAT_SENDS]);
	fixture->events = atomic_long_read(&ucmad_stats[UCMAD_STAT_EVENTS]);
	ucmad_loop_init(&fixture->loop);
	fixture->file = ucmad_file_create();
	fixture->device = ucmad_device_create(ucmad_fake_device, 0);
	return fixture->file && fixture->device ? 0 : -ENOMEM;
}

/* Whatever the test has left, all of it goes, and nothing stays behind. */
void ucmad_fixture_exit(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	struct ucmad_loop *loop = &fixture->loop;

	ucmad_loop_set_depth(loop, 0);
	ucmad_loop_finish_all(loop);
	ucmad_object_destroy_all(fixture->file);
	ucmad_file_put(fixture->file);
	if (fixture->device)
		ucmad_device_end(fixture->device);
	/* Agents are freed after a grace period. */
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, loop->held_count, 0);
	KUNIT_EXPECT_EQ(test, loop->prepared, 0);
	KUNIT_EXPECT_EQ(test, loop->users, 0);
	KUNIT_EXPECT_EQ(test, ucmad_fixture_live_sends(test), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&ucmad_stats[UCMAD_STAT_EVENTS]), fixture->events);
}

/* Sends of this test that still have memory. */
long ucmad_fixture_live_sends(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	return atomic_long_read(&ucmad_stats[UCMAD_STAT_SENDS]) - fixture->sends;
}

/* The device goes away. */
void ucmad_fixture_remove(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	ucmad_device_end(fixture->device);
	fixture->device = NULL;
}

/* An agent that only sends. */
struct ucmad_agent *ucmad_fixture_agent(struct kunit *test, u32 max_in_flight)
{
	struct ucmad_fixture *fixture = test->priv;
	struct ucmad_mad_register args = { .port = 1, .qp = 1, .max_in_flight = max_in_flight };
	struct ucmad_agent *agent;

	agent = ucmad_agent_create(fixture->file, fixture->device, &fixture->loop.transport, &args);
	KUNIT_ASSERT_FALSE(test, IS_ERR(agent));
	ucmad_object_publish(&agent->object);
	return agent;
}

/* A time-out that never comes by itself: the test has it come. */
struct ucmad_mad_send ucmad_fixture_request(u16 dlid, u64 cookie)
{
	return (struct ucmad_mad_send) {
		.cookie = cookie,
		.timeout_ms = 3600 * MSEC_PER_SEC,
		.mad_len = UCMAD_MAD_SIZE,
		.to = { .dlid = dlid, .qpn = 1, .qkey = UCMAD_MAD_QKEY },
	};
}

/* A request, as good as any. */
void ucmad_fixture_fill(struct ucmad_send *send)
{
	struct ib_mad_hdr *mad = (void *)send->mad;

	mad->base_version = IB_MGMT_BASE_VERSION;
	mad->mgmt_class = IB_MGMT_CLASS_PERF_MGMT;
	mad->method = IB_MGMT_METHOD_GET;
	mad->tid = cpu_to_be64(~send->cookie);
}

int ucmad_fixture_post(struct ucmad_agent *agent, const struct ucmad_mad_send *args, u32 *handle)
{
	struct ucmad_send *send = ucmad_post_begin(agent, args);
	int ret;

	if (IS_ERR(send))
		return PTR_ERR(send);
	*handle = send->handle;
	ucmad_fixture_fill(send);
	ret = ucmad_post_inspect(send);
	if (!ret)
		ret = ucmad_post_commit(send, args);
	if (ret)
		ucmad_post_abort(send);
	return ret;
}

/* Returns a send that is not over, or NULL. */
struct ucmad_send *ucmad_fixture_find(struct ucmad_agent *agent, u32 handle)
{
	struct ucmad_send *send;

	spin_lock_bh(&agent->port->lock);
	send = ucmad_send_find(agent, handle);
	spin_unlock_bh(&agent->port->lock);
	return send;
}

/* A timer that is pending is due now. */
void ucmad_fixture_expire(struct kunit *test, struct timer_list *timer)
{
	KUNIT_ASSERT_TRUE(test, ucmad_compat_timer_delete(timer));
	timer->function(timer);
}

/* Takes the next event of an object, if there is one. */
bool ucmad_fixture_take(struct ucmad_object *object, struct ucmad_event *head,
			struct ucmad_mad_completion *completion)
{
	struct ucmad_events args = { .buffer_len = UCMAD_RECORD_MAX };
	struct ucmad_take take = {
		.file = object->file,
		.target = object,
		.args = &args,
		.batch.events = LIST_HEAD_INIT(take.batch.events),
		.max = 1,
	};
	struct ucmad_queued *event;
	LIST_HEAD(dead);

	if (ucmad_take_collect(&take))
		return false;
	ucmad_take_commit(&take, &dead);
	event = list_first_entry(&take.batch.events, struct ucmad_queued, node);
	*head = event->head;
	if (head->type == UCMAD_EVENT_MAD_SEND)
		memcpy(completion, &event->head + 1, sizeof(*completion));
	ucmad_queued_free_all(&take.batch.events);
	return true;
}

/* ---- destroy, in another thread ---------------------------------------------------------- */

static void ucmad_destroy_work(struct work_struct *work)
{
	struct ucmad_destroyer *destroyer = container_of(work, struct ucmad_destroyer, work);

	if (destroyer->device)
		ucmad_device_end(destroyer->device);
	else
		ucmad_object_destroy(destroyer->file, destroyer->handle, &destroyer->discarded);
	complete(&destroyer->done);
}

static void ucmad_destroyer_start(struct ucmad_destroyer *destroyer)
{
	init_completion(&destroyer->done);
	INIT_WORK(&destroyer->work, ucmad_destroy_work);
	queue_work(ucmad_workqueue, &destroyer->work);
}

/* Begins to deregister an agent. */
void ucmad_destroy_start(struct ucmad_destroyer *destroyer, struct ucmad_agent *agent)
{
	*destroyer = (struct ucmad_destroyer) {
		.file = agent->object.file,
		.handle = agent->object.handle,
	};
	ucmad_destroyer_start(destroyer);
}

/* Begins to remove the device. */
void ucmad_remove_start(struct ucmad_destroyer *destroyer, struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	*destroyer = (struct ucmad_destroyer) { .device = fixture->device };
	fixture->device = NULL;
	ucmad_destroyer_start(destroyer);
}

/* Returns once an agent that is being destroyed takes nothing more, and has flushed what it had. */
void ucmad_destroy_closed(struct kunit *test, struct ucmad_agent *agent)
{
	unsigned long end = jiffies + UCMAD_PATIENCE;

	while (!READ_ONCE(agent->closing) || !list_empty_careful(&agent->live)) {
		KUNIT_ASSERT_LT(test, jiffies, end);
		usleep_range(50, 100);
	}
	/* The last was removed under the port's lock; that may be gone, so wait for its owner. */
	synchronize_rcu();
}

void ucmad_destroy_finish(struct kunit *test, struct ucmad_destroyer *destroyer)
{
	KUNIT_ASSERT_NE(test, wait_for_completion_timeout(&destroyer->done, UCMAD_PATIENCE), 0);
	flush_work(&destroyer->work);
}
