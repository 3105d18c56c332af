// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * Queues of events: hold, acknowledge, take by name, take back, destroy, birth. A case is a line of
 * steps that are played on objects a, b and c of one file:
 *
 *   +a      an event of a happens
 *   ?a1b1   a call for any object collects just these; ?- finds nothing. It is under way now
 *   @aa1a2  so does a call that asks for a by name; @a- finds nothing, @a! that a is destroyed
 *   .       the call is over: what it has was delivered; .1 only one event of it, the rest has died
 *   ^       the call is over: its buffer was bad, and what it has is put back
 *   !a1     events of a up to 1 are acknowledged; ~a1 likewise, and there is nothing to acknowledge
 *   wa, va  a call begins, ends to wait for a by name
 *   xa2     a is destroyed, and 2 of its events are discarded
 *   *ac     c is born of a REQ to a, and that is its first event; -ac: for that there is no room
 *   =1, =0  the file can be read, or cannot (EV-POLL)
 *   %a      events do not hold a from now on (EV-CONCURRENT)
 *   $20     from now on calls have room for 20 hundredths of one event, or 200 for two
 */
#include <linux/slab.h>

#include "../event_queue.h"
#include "fixture.h"

#define OBJECTS 3
/* How many births may wait at an object. */
#define BACKLOG 2

struct event_case {
	const char *name;
	const char *steps;
};

static const struct event_case event_cases[] = {
	/* States of a queue: EMPTY, READY, HELD, TARGETED, DEAD. */
	{ "nothing", "=0 ?-" },
	{ "one event", "+a =1 ?a1 =0 ." },
	{ "an event holds its object", "+a ?a1 . +a =0 ?- !a1 =1 ?a2 ." },
	{ "a call holds until its last is acknowledged", "+a +a ?a1a2 . +a !a1 =0 ?- !a2 ?a3 ." },
	{ "another object is not held", "+a +b ?a1b1 . +a +b !b1 ?b2 . !a1 ?a2 ." },
	{ "one event of each in turn (EV-FAIR)", "+a +a +a +b +b ?a1b1a2b2a3 ." },
	{ "who was served goes to the end", "+a +a +b $100 ?a1 . !a1 ?b1 . ?a2 ." },
	{ "who came first is first", "+b +a +c ?b1a1c1 ." },
	{ "order of an object's events", "+a +a +a ?a1a2a3 ." },
	{ "a concurrent object is never held", "%a +a +a =1 ?a1a2 . +a ?a3 . ~a3" },

	/* Acknowledgments (EV-ACK). */
	{ "acknowledged twice", "+a ?a1 . +a !a1 ~a1 ?a2 . ~a1 +a ?- !a2 ?a3 ." },
	{ "a later one acknowledges earlier ones", "+a +a ?a1a2 . !a2 ~a1 ~a2" },
	{ "before it happened", "+a ?a1 . ~a2 !a1" },
	{ "nothing was given out", "+a ~a1 ?a1 . !a1" },
	{ "number 0", "+a ?a1 . ~a0 !a1" },
	{ "while the call is under way", "+a ?a1 !a1 . +a =1 ?a2 . !a2" },
	{ "of one that is destroyed", "+a ?a1 . xa0 ~a1" },

	/* By name (EV-TARGET). */
	{ "by name", "+a +b @bb1 . ?a1 ." },
	{ "by name, none there", "+a @b- ?a1 ." },
	{ "by name all at once, and it holds nothing", "+a +a @aa1a2 . ~a2 +a ?a3 ." },
	{ "by name although it is held", "+a ?a1 . +a +a @aa2a3 . +a ?- !a1 ?a4 ." },
	{ "who waits by name is first", "wa +a =0 ?- @aa1 . va =0" },
	{ "who waits by name for another", "wb +a =1 ?a1 . vb" },
	{ "nobody waits any more", "wa +a =0 va =1 ?a1 ." },
	{ "two wait by name", "wa wa +a va =0 ?- va =1 ?a1 ." },

	/* A bad buffer (EV-NOLOSS). */
	{ "put back", "+a ?a1 =0 ^ =1 ?a1 ." },
	{ "put back before what came meanwhile", "+a ?a1 +a ^ ?a1a2 ." },
	{ "put back, and it holds nothing", "+a ?a1 ^ ~a1 +a ?a1a2 ." },
	{ "put back by name", "+a +a @aa1a2 ^ =1 @aa1a2 ." },
	{ "put back from two objects", "+b +a ?b1a1 ^ ?a1b1 ." },
	{ "put back after a destroy", "+a +b ?a1b1 xa1 ^ =1 ?b1 ." },
	{ "put back for who waits by name", "+a ?a1 wa ^ =0 @aa1 . va" },
	{ "put back while it was acknowledged", "+a ?a1 !a1 ^ ?a1 . !a1" },
	{ "too small a buffer", "+a $50 ?# $100 ?a1 ." },
	{ "room for one of two", "+a +b $100 ?a1 . =1 ?b1 ." },

	/* Destroy (DEL-SILENT, DEL-COUNT). */
	{ "destroyed, nothing waits", "xa0 ?-" },
	{ "destroyed, events wait", "+a +a =1 xa2 =0 ?-" },
	{ "destroyed while held", "+a ?a1 . +a xa1 ?-" },
	{ "destroyed while a call is under way", "+a +b ?a1b1 xa1 .1" },
	{ "destroyed while a call has just its events", "+a +a @aa1a2 xa2 .0" },
	{ "destroyed after the delivery", "+a ?a1 . xa0" },
	{ "destroyed while one waits by name", "wa xa0 @a!" },

	/* Birth (EV-ACCEPT, CM-BACKLOG). */
	{ "born", "*ac =1 ?c1 . +c ?- !c1 ?c2 ." },
	{ "born, asked for by the listener's name", "*ac @ac1 . +c ?- !c1 ?c2 ." },
	{ "born, the listener is not held", "*ac *ab ?c1b1 . +a ?a1 ." },
	{ "born, and something happened before it is told", "*ac +c ?c1 . ?- !c1 ?c2 ." },
	{ "no room for a birth", "+a +a -ac @aa1a2 . *ac @ac1 ." },
	{ "born, put back", "*ac ?c1 ^ =1 ?c1 . !c1" },
	{ "born, put back in order", "*ac *ab ?c1b1 ^ ?c1b1 ." },
	{ "an orphan goes with its listener", "*ac +c xa2 ?-" },
	{ "an orphan goes while a call has it", "*ac ?c1 xa1 .0" },
	{ "the listener goes after the delivery", "*ac ?c1 . xa0 +c !c1 ?c2 ." },
	{ "the born one is destroyed", "*ac ?c1 . +c xc1 ?- +a ?a1 ." },
};

static void event_case_name(const struct event_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(event, event_cases, event_case_name);

/**
 * struct event_play - A case that is being played.
 * @test: The test.
 * @step: The step, for messages.
 * @fixture: File and device.
 * @objects: a, b and c; a reference of each is held.
 * @args: Of the call under way.
 * @take: The call under way.
 * @room: How much a call has.
 */
struct event_play {
	struct kunit *test;
	const char *step;
	struct ucmad_fixture *fixture;
	struct ucmad_object *objects[OBJECTS];
	struct ucmad_events args;
	struct ucmad_take take;
	u32 room;
};

/* ---- the objects ------------------------------------------------------------------------- */

static u32 event_object_teardown(struct ucmad_object *object)
{
	ucmad_device_detach(object->device, object);
	return 0;
}

static void event_object_removed(struct ucmad_object *object)
{
	event_object_teardown(object);
}

static void event_object_release(struct ucmad_object *object)
{
	kfree_rcu(object, rcu);
}

static const struct ucmad_object_ops event_object_ops = {
	.teardown = event_object_teardown,
	.device_removed = event_object_removed,
	.release = event_object_release,
};

static struct ucmad_object *event_object(struct event_play *play, char name)
{
	struct ucmad_object **object;

	KUNIT_ASSERT_TRUE(play->test, name >= 'a' && name < 'a' + OBJECTS);
	object = &play->objects[name - 'a'];
	if (*object)
		return *object;
	*object = kzalloc(sizeof(**object), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(play->test, *object);
	ucmad_queue_init(&(*object)->queue);
	KUNIT_ASSERT_EQ(play->test, 0,
			ucmad_object_reserve(*object, play->fixture->file, play->fixture->device,
					     &event_object_ops));
	refcount_inc(&(*object)->refs);
	return *object;
}

/* One that is not born of another. */
static struct ucmad_object *event_published(struct event_play *play, char name)
{
	bool is_new = !play->objects[name - 'a'];
	struct ucmad_object *object = event_object(play, name);

	if (is_new)
		ucmad_object_publish(object);
	return object;
}

static struct ucmad_queued *event_new(struct event_play *play)
{
	struct ucmad_queued *event = ucmad_queued_alloc(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(play->test, event);
	ucmad_queued_fill(event, UCMAD_EVENT_MAD_RECEIVE, 0, NULL, 0);
	return event;
}

/* ---- steps ------------------------------------------------------------------------------- */

static void event_happens(struct event_play *play, char name)
{
	struct ucmad_object *object = event_published(play, name);

	KUNIT_EXPECT_TRUE(play->test, ucmad_event_post(object, event_new(play)));
}

static void event_birth(struct event_play *play, const char *names, int expected)
{
	struct ucmad_object *listener = event_published(play, names[0]);
	struct ucmad_object *born = event_object(play, names[1]);
	struct ucmad_queued *event = event_new(play);
	int ret = ucmad_event_post_birth(listener, BACKLOG, born, event);

	KUNIT_EXPECT_EQ(play->test, ret, expected);
	if (ret)
		ucmad_queued_free(event);
}

/* What the call has collected, as the case writes it. */
static void event_expect_batch(struct event_play *play, const char *expected)
{
	struct ucmad_queued *event;
	char got[32] = "";
	size_t len = 0;
	u32 i;

	list_for_each_entry(event, &play->take.batch.events, node)
		for (i = 0; i < OBJECTS; i++)
			if (event->object == play->objects[i])
				len += scnprintf(got + len, sizeof(got) - len, "%c%llu", 'a' + i,
						 event->head.sequence);
	KUNIT_EXPECT_TRUE_MSG(play->test, !strcmp(got, expected), "at \"%s\": collected \"%s\"",
			      play->step, got);
}

static void event_collect(struct event_play *play, struct ucmad_object *target,
			  const char *expected)
{
	int ret;

	/* The program of the call before this one, if it is under way still, is another thread. */
	KUNIT_ASSERT_TRUE(play->test, list_empty(&play->take.batch.events));
	play->take.target = target;
	play->args.buffer_len = play->room;
	ret = ucmad_take_collect(&play->take);
	switch (*expected) {
	case '-':
		KUNIT_ASSERT_EQ_MSG(play->test, ret, -EAGAIN, "at \"%s\"", play->step);
		break;
	case '!':
		KUNIT_ASSERT_EQ_MSG(play->test, ret, -ESHUTDOWN, "at \"%s\"", play->step);
		break;
	case '#':
		KUNIT_ASSERT_EQ_MSG(play->test, ret, -EMSGSIZE, "at \"%s\"", play->step);
		break;
	default:
		KUNIT_ASSERT_EQ_MSG(play->test, ret, 0, "at \"%s\"", play->step);
		event_expect_batch(play, expected);
	}
}

/* The copy has succeeded; @left: how many of its events are alive. */
static void event_deliver(struct event_play *play, const char *left)
{
	LIST_HEAD(dead);
	bool all = ucmad_take_commit(&play->take, &dead);
	u32 alive = 0;

	KUNIT_EXPECT_EQ_MSG(play->test, all, !*left, "at \"%s\"", play->step);
	ucmad_queued_free_all(&dead);
	if (!all) {
		KUNIT_ASSERT_EQ(play->test, kstrtou32(left, 10, &alive), 0);
		KUNIT_EXPECT_EQ_MSG(play->test, play->args.count, alive, "at \"%s\"", play->step);
		if (alive)
			KUNIT_EXPECT_TRUE(play->test, ucmad_take_commit(&play->take, &dead));
	}
	ucmad_queued_free_all(&play->take.batch.events);
}

static void event_put_back(struct event_play *play)
{
	LIST_HEAD(dead);

	ucmad_take_undo(&play->take, &dead);
	ucmad_queued_free_all(&dead);
}

static void event_ack(struct event_play *play, const char *step, bool expected)
{
	u32 sequence;

	KUNIT_ASSERT_EQ(play->test, kstrtou32(step + 1, 10, &sequence), 0);
	KUNIT_EXPECT_EQ_MSG(play->test, ucmad_queue_ack(event_object(play, step[0]), sequence),
			    expected, "at \"%s\"", play->step);
}

static void event_destroy(struct event_play *play, const char *step)
{
	struct ucmad_object *object = event_published(play, step[0]);
	u32 discarded = ~0, expected;

	KUNIT_ASSERT_EQ(play->test, kstrtou32(step + 1, 10, &expected), 0);
	KUNIT_EXPECT_EQ(play->test, 0,
			ucmad_object_destroy(object->file, object->handle, &discarded));
	KUNIT_EXPECT_EQ_MSG(play->test, discarded, expected, "at \"%s\"", play->step);
	KUNIT_EXPECT_EQ(play->test, -ENOENT,
			ucmad_object_destroy(object->file, object->handle, &discarded));
}

static void event_expect_readable(struct event_play *play, bool expected)
{
	KUNIT_EXPECT_EQ_MSG(play->test, !list_empty(&play->fixture->file->ready), expected,
			    "at \"%s\"", play->step);
}

static void event_set_room(struct event_play *play, const char *percent)
{
	u32 value;

	KUNIT_ASSERT_EQ(play->test, kstrtou32(percent, 10, &value), 0);
	play->room = sizeof(struct ucmad_event) * value / 100;
}

static void event_step(struct event_play *play, const char *step)
{
	play->step = step;
	switch (step[0]) {
	case '+':
		event_happens(play, step[1]);
		break;
	case '?':
		event_collect(play, NULL, step + 1);
		break;
	case '@':
		event_collect(play, event_published(play, step[1]), step + 2);
		break;
	case '.':
		event_deliver(play, step + 1);
		break;
	case '^':
		event_put_back(play);
		break;
	case '!':
	case '~':
		event_ack(play, step + 1, step[0] == '!');
		break;
	case 'w':
		ucmad_queue_target(event_published(play, step[1]), 1);
		break;
	case 'v':
		ucmad_queue_target(event_published(play, step[1]), -1);
		break;
	case 'x':
		event_destroy(play, step + 1);
		break;
	case '*':
		event_birth(play, step + 1, 0);
		break;
	case '-':
		event_birth(play, step + 1, -ENOBUFS);
		break;
	case '=':
		event_expect_readable(play, step[1] == '1');
		break;
	case '%':
		event_published(play, step[1])->queue.concurrent = true;
		break;
	case '$':
		event_set_room(play, step + 1);
		break;
	default:
		KUNIT_FAIL(play->test, "no such step: \"%s\"", step);
	}
}

static void event_play_steps(struct event_play *play, const char *steps)
{
	char *copy = kunit_kzalloc(play->test, strlen(steps) + 1, GFP_KERNEL), *step;

	KUNIT_ASSERT_NOT_NULL(play->test, copy);
	strcpy(copy, steps);
	while ((step = strsep(&copy, " ")))
		event_step(play, step);
}

static void event_play_test(struct kunit *test)
{
	const struct event_case *c = test->param_value;
	struct event_play *play = kunit_kzalloc(test, sizeof(*play), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, play);
	play->test = test;
	play->fixture = test->priv;
	play->take.file = play->fixture->file;
	play->take.args = &play->args;
	play->take.max = 100;
	INIT_LIST_HEAD(&play->take.batch.events);
	play->room = 100 * sizeof(struct ucmad_event);

	event_play_steps(play, c->steps);
	/* A call for an object holds a reference of it: so do we. */
	for (i = 0; i < OBJECTS; i++)
		if (play->objects[i])
			ucmad_object_put(play->objects[i]);
	KUNIT_EXPECT_TRUE(test, list_empty(&play->take.batch.events));
}

static struct kunit_case ucmad_event_tests[] = {
	KUNIT_CASE_PARAM(event_play_test, event_gen_params),
	{}
};

static struct kunit_suite ucmad_event_suite = {
	.name = "ucmad_event",
	.suite_init = ucmad_fixture_suite_init,
	.suite_exit = ucmad_fixture_suite_exit,
	.init = ucmad_fixture_init,
	.exit = ucmad_fixture_exit,
	.test_cases = ucmad_event_tests,
};

kunit_test_suite(ucmad_event_suite);
