// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* Handles: what they find, when they stop to, how many there are; and references. */
#include "../event_queue.h"
#include "../object.h"
#include "../stats.h"
#include "program.h"

static struct ucmad_file *object_file(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	return fixture->file;
}

/* What a lookup by kind says, as errno. */
static int object_find_cm(struct ucmad_file *file, u32 handle)
{
	struct ucmad_cm *cm = ucmad_cm_get(file, handle);

	if (IS_ERR(cm))
		return PTR_ERR(cm);
	ucmad_cm_put(cm);
	return 0;
}

static int object_find_agent(struct ucmad_file *file, u32 handle)
{
	struct ucmad_agent *agent = ucmad_agent_get(file, handle);

	if (IS_ERR(agent))
		return PTR_ERR(agent);
	ucmad_agent_put(agent);
	return 0;
}

/* What making one comes to; should it succeed, the object goes with the file. */
static int object_make(struct ucmad_fixture *fixture)
{
	struct ucmad_cm *cm = ucmad_cm_new(fixture->file, fixture->device);

	if (IS_ERR(cm))
		return PTR_ERR(cm);
	ucmad_object_publish(&cm->object);
	return 0;
}

/* One that is not published yet. */
static struct ucmad_cm *object_reserve(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	struct ucmad_cm *cm = ucmad_cm_new(fixture->file, fixture->device);

	KUNIT_ASSERT_FALSE(test, IS_ERR(cm));
	return cm;
}

static u32 object_destroy(struct kunit *test, u32 handle)
{
	u32 discarded = 0;

	KUNIT_EXPECT_EQ(test, ucmad_object_destroy(object_file(test), handle, &discarded), 0);
	return discarded;
}

/* ---- handles ----------------------------------------------------------------------------- */

static void object_unknown_handle(struct kunit *test)
{
	u32 handle = ucmad_program_id(test), discarded;
	const u32 unknown[] = { 0, handle + 1, INT_MAX, U32_MAX };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		KUNIT_EXPECT_EQ(test, object_find_cm(object_file(test), unknown[i]), -ENOENT);
		KUNIT_EXPECT_EQ(test, -ENOENT,
				ucmad_object_destroy(object_file(test), unknown[i], &discarded));
	}
	KUNIT_EXPECT_EQ(test, object_find_cm(object_file(test), handle), 0);
}

static void object_stale_handle(struct kunit *test)
{
	u32 handle = ucmad_program_id(test), other, discarded;

	object_destroy(test, handle);
	other = ucmad_program_id(test);
	/* It is not soon used again, so a program that is late meets no stranger. */
	KUNIT_EXPECT_NE(test, other, handle);
	KUNIT_EXPECT_EQ(test, object_find_cm(object_file(test), handle), -ENOENT);
	KUNIT_EXPECT_EQ(test, -ENOENT,
			ucmad_object_destroy(object_file(test), handle, &discarded));
	KUNIT_EXPECT_EQ(test, object_find_cm(object_file(test), other), 0);
}

/* The same number in another file is another object, or none. */
static void object_foreign_handle(struct kunit *test)
{
	struct ucmad_file *other = ucmad_file_create();
	u32 handle = ucmad_program_id(test), discarded;

	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_EQ(test, object_find_cm(other, handle), -ENOENT);
	KUNIT_EXPECT_EQ(test, ucmad_object_destroy(other, handle, &discarded), -ENOENT);
	KUNIT_EXPECT_EQ(test, object_find_cm(object_file(test), handle), 0);
	ucmad_file_put(other);
}

static void object_of_another_kind(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 1);
	u32 cm = ucmad_program_id(test), handle = agent->object.handle;

	KUNIT_EXPECT_EQ(test, object_find_cm(object_file(test), handle), -ENOTTY);
	KUNIT_EXPECT_EQ(test, object_find_agent(object_file(test), cm), -ENOTTY);
	/* Looking has left no reference. */
	KUNIT_EXPECT_EQ(test, refcount_read(&agent->object.refs), 1);
	KUNIT_EXPECT_EQ(test, object_find_agent(object_file(test), handle), 0);
	KUNIT_EXPECT_EQ(test, object_find_cm(object_file(test), cm), 0);
}

/* Handles come round, and pass over those that are in use. */
static void object_handles_come_round(struct kunit *test)
{
	u32 first = ucmad_program_id(test);

	KUNIT_ASSERT_EQ(test, first, 1);
	object_file(test)->next_handle = INT_MAX;
	KUNIT_EXPECT_EQ(test, ucmad_program_id(test), INT_MAX);
	KUNIT_EXPECT_EQ(test, ucmad_program_id(test), 2);
}

/* ---- life -------------------------------------------------------------------------------- */

/* A reserved one has its handle, which finds nothing: not for any use, and not to be destroyed. */
static void object_reserved(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	struct ucmad_cm *cm = object_reserve(test);
	u32 handle = cm->object.handle, discarded;

	KUNIT_EXPECT_EQ(test, object_find_cm(fixture->file, handle), -ENOENT);
	KUNIT_EXPECT_EQ(test, ucmad_object_destroy(fixture->file, handle, &discarded), -ENOENT);
	KUNIT_EXPECT_NE(test, ucmad_program_id(test), handle);
	ucmad_object_publish(&cm->object);
	KUNIT_EXPECT_EQ(test, object_find_cm(fixture->file, handle), 0);
}

static void object_aborted(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	struct ucmad_cm *cm = object_reserve(test);
	u32 handle = cm->object.handle;

	ucmad_object_abort(&cm->object);
	KUNIT_EXPECT_EQ(test, object_find_cm(fixture->file, handle), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&fixture->file->object_count), 0);
}

/* The device goes away before its maker has published it: it is told all the same. */
static void object_removed_while_reserved(struct kunit *test)
{
	struct ucmad_cm *cm = object_reserve(test);
	struct ucmad_program_event event;

	ucmad_fixture_remove(test);
	ucmad_object_publish(&cm->object);
	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, 0, &event), 0);
	KUNIT_EXPECT_EQ(test, event.head.type, UCMAD_EVENT_DEVICE_REMOVED);
	KUNIT_EXPECT_EQ(test, event.head.object, cm->object.handle);
}

static void object_aborted_after_removal(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	struct ucmad_cm *cm = object_reserve(test);
	struct ucmad_program_event event;

	ucmad_fixture_remove(test);
	ucmad_object_abort(&cm->object);
	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, 0, &event), -EAGAIN);
	KUNIT_EXPECT_EQ(test, atomic_read(&fixture->file->object_count), 0);
}

/* ---- lookup against destroy -------------------------------------------------------------- */

/* The lookup is first: its reference keeps the object, dead, until it is put. */
static void object_found_then_destroyed(struct kunit *test)
{
	struct ucmad_file *file = object_file(test);
	u32 handle = ucmad_program_id(test);
	struct ucmad_object *object = ucmad_object_get(file, handle);
	struct ucmad_queued *event = ucmad_queued_alloc(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_ASSERT_NOT_NULL(test, event);
	object_destroy(test, handle);
	KUNIT_EXPECT_EQ(test, refcount_read(&object->refs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&file->object_count), 1);
	/* Nothing goes in any more. */
	ucmad_queued_fill(event, UCMAD_EVENT_CM_RTU, 0, NULL, 0);
	KUNIT_EXPECT_FALSE(test, ucmad_event_post(object, event));
	ucmad_queued_free(event);
	KUNIT_EXPECT_FALSE(test, ucmad_queue_ack(object, 1));
	ucmad_object_put(object);
	KUNIT_EXPECT_EQ(test, atomic_read(&file->object_count), 0);
}

/* The last reference is being put; the table has the object still, but there is none to be had. */
static void object_found_too_late(struct kunit *test)
{
	struct ucmad_file *file = object_file(test);
	u32 handle = ucmad_program_id(test);
	struct ucmad_cm *cm = ucmad_program_cm(test, handle);

	refcount_set(&cm->object.refs, 0);
	KUNIT_EXPECT_NULL(test, ucmad_object_get(file, handle));
	refcount_set(&cm->object.refs, 1);
	KUNIT_EXPECT_EQ(test, object_find_cm(file, handle), 0);
}

/* An event refers to its object, and an event of a birth to the listener, too. */
static void object_referred_to_by_events(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	u32 handle = ucmad_program_id(test);
	struct ucmad_cm *listener = ucmad_program_cm(test, handle), *child;
	struct ucmad_program_event event;

	KUNIT_ASSERT_EQ(test, ucmad_program_op_on(test, "listen", handle), 0);
	ucmad_fake_happen(fixture->cm.newest, IB_CM_REQ_RECEIVED);
	child = fixture->cm.newest->context;
	KUNIT_EXPECT_EQ(test, refcount_read(&listener->object.refs), 2);
	KUNIT_EXPECT_EQ(test, refcount_read(&child->object.refs), 2);
	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, 0, &event), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&listener->object.refs), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&child->object.refs), 1);
}

/* Until its REQ was delivered, nobody can use a new ID, by a guess of its handle. */
static void object_born_is_unknown(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	u32 handle = ucmad_program_id(test), child, discarded;
	struct ucmad_program_event event;

	KUNIT_ASSERT_EQ(test, ucmad_program_op_on(test, "listen", handle), 0);
	ucmad_fake_happen(fixture->cm.newest, IB_CM_REQ_RECEIVED);
	child = ((struct ucmad_cm *)fixture->cm.newest->context)->object.handle;
	KUNIT_EXPECT_EQ(test, ucmad_program_op_on(test, "rep", child), -ENOENT);
	KUNIT_EXPECT_EQ(test, ucmad_program_destroy(test, child, &discarded), -ENOENT);
	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, 0, &event), 0);
	KUNIT_EXPECT_EQ(test, event.head.object, child);
	KUNIT_EXPECT_EQ(test, ucmad_program_op_on(test, "rep", child), 0);
}

/* ---- limits ------------------------------------------------------------------------------ */

/* What is dead counts as long as it has memory; and so do IDs that are born. */
static void object_limit(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	unsigned int max = ucmad_max_objects;
	u32 handle = ucmad_program_id(test), child;
	struct ucmad_program_event event;

	KUNIT_ASSERT_EQ(test, ucmad_program_op_on(test, "listen", handle), 0);
	ucmad_max_objects = 2;
	KUNIT_EXPECT_EQ(test, ucmad_fake_happen(fixture->cm.newest, IB_CM_REQ_RECEIVED), 0);
	child = ((struct ucmad_cm *)fixture->cm.newest->context)->object.handle;
	KUNIT_EXPECT_EQ(test, object_make(fixture), -EMFILE);
	KUNIT_EXPECT_EQ(test, ucmad_program_take(test, 0, &event), 0);
	object_destroy(test, child);
	KUNIT_EXPECT_EQ(test, object_find_cm(fixture->file, ucmad_program_id(test)), 0);
	ucmad_max_objects = max;
}

/* A birth beyond the limit is dropped, so that the peer tries again, and counted. */
static void object_limit_at_birth(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	unsigned int max = ucmad_max_objects;
	u32 handle = ucmad_program_id(test);
	long dropped = atomic_long_read(&ucmad_stats[UCMAD_STAT_REQUESTS_DROPPED]);

	KUNIT_ASSERT_EQ(test, ucmad_program_op_on(test, "listen", handle), 0);
	ucmad_max_objects = 1;
	KUNIT_EXPECT_EQ(test, -ENOMEM,
			ucmad_fake_happen(fixture->cm.newest, IB_CM_REQ_RECEIVED));
	ucmad_max_objects = max;
	KUNIT_EXPECT_EQ(test, ucmad_program_query(test, handle).dropped, 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&ucmad_stats[UCMAD_STAT_REQUESTS_DROPPED]),
			dropped + 1);
	KUNIT_EXPECT_EQ(test, ucmad_fake_happen(fixture->cm.newest, IB_CM_REQ_RECEIVED), 0);
}

/* Nothing is made of a device that is going away. */
static void object_after_removal(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	fixture->device->removed = true;
	KUNIT_EXPECT_EQ(test, object_make(fixture), -ENODEV);
	KUNIT_EXPECT_EQ(test, atomic_read(&fixture->file->object_count), 0);
	KUNIT_EXPECT_TRUE(test, xa_empty(&fixture->file->objects));
}

/* ---- the file is closed ------------------------------------------------------------------ */

/* DEL-EXIT: whatever there is goes, with what was born unseen. */
static void object_destroy_all(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;
	u32 handle = ucmad_program_id(test), i;

	for (i = 0; i < 10; i++)
		ucmad_program_id(test);
	KUNIT_ASSERT_EQ(test, ucmad_program_op_on(test, "listen", handle), 0);
	KUNIT_ASSERT_EQ(test, ucmad_fake_happen(fixture->cm.newest, IB_CM_REQ_RECEIVED), 0);
	ucmad_object_destroy_all(fixture->file);
	KUNIT_EXPECT_TRUE(test, xa_empty(&fixture->file->objects));
	KUNIT_EXPECT_EQ(test, atomic_read(&fixture->file->object_count), 0);
	KUNIT_EXPECT_EQ(test, fixture->cm.live, 0);
}

static struct kunit_case ucmad_object_tests[] = {
	KUNIT_CASE(object_unknown_handle),
	KUNIT_CASE(object_stale_handle),
	KUNIT_CASE(object_foreign_handle),
	KUNIT_CASE(object_of_another_kind),
	KUNIT_CASE(object_handles_come_round),
	KUNIT_CASE(object_reserved),
	KUNIT_CASE(object_aborted),
	KUNIT_CASE(object_removed_while_reserved),
	KUNIT_CASE(object_aborted_after_removal),
	KUNIT_CASE(object_found_then_destroyed),
	KUNIT_CASE(object_found_too_late),
	KUNIT_CASE(object_referred_to_by_events),
	KUNIT_CASE(object_born_is_unknown),
	KUNIT_CASE(object_limit),
	KUNIT_CASE(object_limit_at_birth),
	KUNIT_CASE(object_after_removal),
	KUNIT_CASE(object_destroy_all),
	{}
};

static struct kunit_suite ucmad_object_suite = {
	.name = "ucmad_object",
	.suite_init = ucmad_program_suite_init,
	.suite_exit = ucmad_program_suite_exit,
	.init = ucmad_program_init,
	.exit = ucmad_program_exit,
	.test_cases = ucmad_object_tests,
};

kunit_test_suite(ucmad_object_suite);
