// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* See play.h. */
#include "../main.h"
#include "play.h"
#include "program.h"

/**
 * struct play - A case that is being played.
 * @test: The test.
 * @fake: The CM.
 * @step: The step, for messages.
 * @handle: What the program acts on.
 * @listener: The first ID that it has made.
 * @child: The newest that was born.
 * @listening: The CM's ID of the first.
 * @event: What the program has taken last.
 */
struct play {
	struct kunit *test;
	struct ucmad_fake_cm *fake;
	char step[40];
	u32 handle;
	u32 listener;
	u32 child;
	struct ib_cm_id *listening;
	struct ucmad_program_event event;
};

/* ---- names ------------------------------------------------------------------------------- */

struct play_name {
	const char *name;
	int value;
	u16 type;
};

/* Of events: as the CM has them, and as programs do. */
static const struct play_name play_events[] = {
	{ "REQ", IB_CM_REQ_RECEIVED, UCMAD_EVENT_CM_REQ },
	{ "REQ_ERROR", IB_CM_REQ_ERROR, UCMAD_EVENT_CM_REQ_ERROR },
	{ "REP", IB_CM_REP_RECEIVED, UCMAD_EVENT_CM_REP },
	{ "REP_ERROR", IB_CM_REP_ERROR, UCMAD_EVENT_CM_REP_ERROR },
	{ "RTU", IB_CM_RTU_RECEIVED, UCMAD_EVENT_CM_RTU },
	{ "USER_ESTABLISHED", IB_CM_USER_ESTABLISHED, UCMAD_EVENT_CM_USER_ESTABLISHED },
	{ "DREQ", IB_CM_DREQ_RECEIVED, UCMAD_EVENT_CM_DREQ },
	{ "DREQ_ERROR", IB_CM_DREQ_ERROR, UCMAD_EVENT_CM_DREQ_ERROR },
	{ "DREP", IB_CM_DREP_RECEIVED, UCMAD_EVENT_CM_DREP },
	{ "TIMEWAIT_EXIT", IB_CM_TIMEWAIT_EXIT, UCMAD_EVENT_CM_TIMEWAIT_EXIT },
	{ "MRA", IB_CM_MRA_RECEIVED, UCMAD_EVENT_CM_MRA },
	{ "REJ", IB_CM_REJ_RECEIVED, UCMAD_EVENT_CM_REJ },
	{ "LAP", IB_CM_LAP_RECEIVED, UCMAD_EVENT_CM_LAP },
	{ "LAP_ERROR", IB_CM_LAP_ERROR, UCMAD_EVENT_CM_LAP_ERROR },
	{ "APR", IB_CM_APR_RECEIVED, UCMAD_EVENT_CM_APR },
	{ "SIDR_REQ", IB_CM_SIDR_REQ_RECEIVED, UCMAD_EVENT_CM_SIDR_REQ },
	{ "SIDR_REQ_ERROR", IB_CM_SIDR_REQ_ERROR, UCMAD_EVENT_CM_SIDR_REQ_ERROR },
	{ "SIDR_REP", IB_CM_SIDR_REP_RECEIVED, UCMAD_EVENT_CM_SIDR_REP },
	{ "EXPIRED", UCMAD_FAKE_NOTHING, UCMAD_EVENT_CM_EXPIRED },
	{ "DEVICE_REMOVED", UCMAD_FAKE_NOTHING, UCMAD_EVENT_DEVICE_REMOVED },
	{}
};

static const struct play_name play_errors[] = {
	{ "0", 0 },
	{ "ALREADY", EALREADY },
	{ "BADFD", EBADFD },
	{ "CONNREFUSED", ECONNREFUSED },
	{ "CONNRESET", ECONNRESET },
	{ "ISCONN", EISCONN },
	{ "NODEV", ENODEV },
	{ "NOENT", ENOENT },
	{ "NOMEM", ENOMEM },
	{ "TIMEDOUT", ETIMEDOUT },
	{}
};

static const struct play_name play_states[] = {
	{ "IDLE", UCMAD_CM_IDLE },
	{ "LISTEN", UCMAD_CM_LISTEN },
	{ "RESOLVING", UCMAD_CM_RESOLVING },
	{ "REQ_SENT", UCMAD_CM_REQ_SENT },
	{ "MRA_REQ_RCVD", UCMAD_CM_MRA_REQ_RCVD },
	{ "REQ_RCVD", UCMAD_CM_REQ_RCVD },
	{ "MRA_REQ_SENT", UCMAD_CM_MRA_REQ_SENT },
	{ "REP_SENT", UCMAD_CM_REP_SENT },
	{ "MRA_REP_RCVD", UCMAD_CM_MRA_REP_RCVD },
	{ "REP_RCVD", UCMAD_CM_REP_RCVD },
	{ "MRA_REP_SENT", UCMAD_CM_MRA_REP_SENT },
	{ "ESTABLISHED", UCMAD_CM_ESTABLISHED },
	{ "DREQ_SENT", UCMAD_CM_DREQ_SENT },
	{ "DREQ_RCVD", UCMAD_CM_DREQ_RCVD },
	{ "TIMEWAIT", UCMAD_CM_TIMEWAIT },
	{ "SIDR_REQ_SENT", UCMAD_CM_SIDR_REQ_SENT },
	{ "SIDR_REQ_RCVD", UCMAD_CM_SIDR_REQ_RCVD },
	{ "REMOVED", UCMAD_CM_REMOVED },
	{}
};

static const struct play_name play_failures[] = {
	{ "dreq", UCMAD_FAKE_DREQ },
	{ "mra", UCMAD_FAKE_MRA },
	{ "req", UCMAD_FAKE_REQ },
	{ "resolve", UCMAD_FAKE_RESOLVE },
	{}
};

static const struct play_name *play_find(const struct play_name *names, const char *name)
{
	for (; names->name; names++)
		if (!strcmp(names->name, name))
			return names;
	return NULL;
}

static const struct play_name *play_named(struct play *play, const struct play_name *names,
					  const char *name)
{
	const struct play_name *found = play_find(names, name);

	KUNIT_ASSERT_NOT_NULL_MSG(play->test, found, "no such name: \"%s\"", name);
	return found;
}

/* ---- what the CM does -------------------------------------------------------------------- */

/* The ID that an event is of: births come to the listener, all else to who was made last. */
static struct ib_cm_id *play_id(struct play *play, enum ib_cm_event_type type)
{
	bool birth = type == IB_CM_REQ_RECEIVED || type == IB_CM_SIDR_REQ_RECEIVED;
	struct ib_cm_id *id = birth ? play->listening : play->fake->newest;

	KUNIT_ASSERT_NOT_NULL_MSG(play->test, id, "at \"%s\"", play->step);
	return id;
}

static void play_event(struct play *play, const char *name, const char *error)
{
	enum ib_cm_event_type type = play_named(play, play_events, name)->value;
	int expected = error ? -play_named(play, play_errors, error)->value : 0;

	KUNIT_EXPECT_EQ_MSG(play->test, ucmad_fake_happen(play_id(play, type), type), expected,
			    "at \"%s\"", play->step);
}

static void play_known(struct play *play, const char *name)
{
	enum ib_cm_event_type type = play_named(play, play_events, name)->value;

	ucmad_fake_enter(play_id(play, type), type);
}

static void play_told(struct play *play, char *name)
{
	struct ib_cm_event event;

	name[strlen(name) - 1] = '\0';
	event = ucmad_fake_event(play_named(play, play_events, name)->value);
	KUNIT_EXPECT_EQ(play->test, 0, ucmad_fake_deliver(play_id(play, event.event), &event));
}

static void play_search_over(struct play *play, int status)
{
	struct ucmad_cm *cm = play->fake->resolve_context;

	KUNIT_ASSERT_NOT_NULL_MSG(play->test, play->fake->resolve_done, "at \"%s\"", play->step);
	ucmad_fake_resolved(play->fake, status);
	flush_work(&cm->resolved_work);
}

static void play_failure(struct play *play, const char *name, int error)
{
	play->fake->errors[play_named(play, play_failures, name)->value] = error;
}

/* ---- what the module does by itself ------------------------------------------------------ */

static struct ucmad_cm *play_cm(struct play *play)
{
	KUNIT_ASSERT_NOT_NULL_MSG(play->test, play->fake->newest, "at \"%s\"", play->step);
	return play->fake->newest->context;
}

static void play_due(struct play *play)
{
	struct ucmad_cm *cm = play_cm(play);

	KUNIT_ASSERT_TRUE_MSG(play->test, delayed_work_pending(&cm->patience_work), "at \"%s\"",
			      play->step);
	flush_delayed_work(&cm->patience_work);
}

static void play_quiet(struct play *play)
{
	KUNIT_EXPECT_FALSE_MSG(play->test, delayed_work_pending(&play_cm(play)->patience_work),
			       "at \"%s\"", play->step);
}

/* ---- what the program does --------------------------------------------------------------- */

static void play_op(struct play *play, const char *name, const char *error)
{
	int expected = error ? -play_named(play, play_errors, error)->value : 0;
	struct ucmad_cm *cm;

	KUNIT_EXPECT_EQ_MSG(play->test, ucmad_program_op_on(play->test, name, play->handle),
			    expected, "at \"%s\"", play->step);
	if (expected)
		return;
	cm = ucmad_program_cm(play->test, play->handle);
	/* A search that has failed at once tells so in the background, too. */
	flush_work(&cm->resolved_work);
	if (cm->id && cm->id->state == IB_CM_LISTEN)
		play->listening = cm->id;
}

static void play_take(struct play *play, const char *name)
{
	const struct play_name *event;
	long ret = ucmad_program_take(play->test, 0, &play->event);

	if (!strcmp(name, "-")) {
		KUNIT_EXPECT_EQ_MSG(play->test, ret, -EAGAIN, "at \"%s\"", play->step);
		KUNIT_EXPECT_FALSE(play->test, ucmad_program_poll(play->test));
		return;
	}
	event = play_named(play, play_events, name);
	KUNIT_ASSERT_EQ_MSG(play->test, ret, 0, "at \"%s\"", play->step);
	KUNIT_EXPECT_EQ_MSG(play->test, play->event.head.type, event->type, "at \"%s\"",
			    play->step);
	if (event->type != UCMAD_EVENT_CM_REQ && event->type != UCMAD_EVENT_CM_SIDR_REQ)
		return;
	play->child = play->event.head.object;
	play->handle = play->child;
}

static void play_destroy(struct play *play, const char *expected)
{
	u32 discarded = 0, count;

	KUNIT_ASSERT_EQ(play->test, kstrtou32(expected, 10, &count), 0);
	KUNIT_EXPECT_EQ(play->test, 0,
			ucmad_program_destroy(play->test, play->handle, &discarded));
	KUNIT_EXPECT_EQ_MSG(play->test, discarded, count, "at \"%s\"", play->step);
}

static void play_late(struct play *play)
{
	struct ucmad_fixture *fixture = play->test->priv;
	struct ucmad_cm *cm = ucmad_cm_get(fixture->file, play->handle);
	u32 discarded;

	KUNIT_ASSERT_FALSE(play->test, IS_ERR(cm));
	KUNIT_EXPECT_EQ(play->test, 0,
			ucmad_program_destroy(play->test, play->handle, &discarded));
	mutex_lock(&cm->mutex);
	KUNIT_EXPECT_EQ(play->test, ucmad_cm_check(cm), -ESHUTDOWN);
	mutex_unlock(&cm->mutex);
	ucmad_cm_put(cm);
}

/* ---- what is seen ------------------------------------------------------------------------ */

/* "[rep,rtu]"; the CM's record has a blank after each. */
static void play_calls(struct play *play, char *calls)
{
	strreplace(calls, ',', ' ');
	strreplace(calls, ']', ' ');
	ucmad_program_expect_calls(play->test, *calls == ' ' ? "" : calls, play->step);
}

static void play_seen(struct play *play, const char *what, const char *value)
{
	struct ucmad_cm_query query = ucmad_program_query(play->test, play->handle);
	u32 expected, seen;

	if (!strcmp(what, "state")) {
		expected = play_named(play, play_states, value)->value;
		seen = query.state;
	} else if (!strcmp(what, "error")) {
		expected = play_named(play, play_errors, value)->value;
		seen = query.error;
	} else {
		KUNIT_ASSERT_STREQ(play->test, what, "dropped");
		KUNIT_ASSERT_EQ(play->test, kstrtou32(value, 10, &expected), 0);
		seen = query.dropped;
	}
	KUNIT_EXPECT_EQ_MSG(play->test, seen, expected, "at \"%s\"", play->step);
}

/* ---- steps ------------------------------------------------------------------------------- */

/* Words with a mark at their beginning or end; returns false if it is none. */
static bool play_marked(struct play *play, char *word)
{
	switch (*word) {
	case '(':
		play_known(play, word + 1);
		return true;
	case '*':
		play->fake->late = play_named(play, play_events, word + 1)->value;
		return true;
	case '>':
		play_take(play, word + 1);
		return true;
	case '[':
		play_calls(play, word + 1);
		return true;
	case '+':
		if (!strcmp(word, "+found"))
			play->fake->resolve_late = true;
		else
			play->fake->early = play_named(play, play_events, word + 1)->value;
		return true;
	default:
		if (word[strlen(word) - 1] != ')')
			return false;
		play_told(play, word);
		return true;
	}
}

/* Words with a colon. */
static void play_about(struct play *play, const char *what, const char *value)
{
	if (!strcmp(what, "fail"))
		play_failure(play, value, -ENOMEM);
	else if (!strcmp(what, "works"))
		play_failure(play, value, 0);
	else if (!strcmp(what, "outcome"))
		KUNIT_EXPECT_EQ_MSG(play->test, -play->fake->outcome,
				    play_named(play, play_errors, value)->value, "at \"%s\"",
				    play->step);
	else
		play_seen(play, what, value);
}

/* Words that are nothing but themselves; returns false if it is none. */
static bool play_plain(struct play *play, const char *word)
{
	if (!strcmp(word, "ack"))
		KUNIT_EXPECT_EQ_MSG(play->test, ucmad_program_ack(play->test, &play->event.head),
				    0, "at \"%s\"", play->step);
	else if (!strcmp(word, "remove"))
		ucmad_fixture_remove(play->test);
	else if (!strcmp(word, "listener"))
		play->handle = play->listener;
	else if (!strcmp(word, "child"))
		play->handle = play->child;
	else if (!strcmp(word, "due") || !strcmp(word, "later"))
		play_due(play);
	else if (!strcmp(word, "quiet"))
		play_quiet(play);
	else if (!strcmp(word, "found"))
		play_search_over(play, 0);
	else if (!strcmp(word, "lost"))
		play_search_over(play, -ETIMEDOUT);
	else if (!strcmp(word, "late"))
		play_late(play);
	else
		return false;
	return true;
}

static void play_step(struct play *play, char *word)
{
	char *value = word, *what;

	strscpy(play->step, word, sizeof(play->step));
	if (play_marked(play, word) || play_plain(play, word))
		return;
	what = strsep(&value, ":");
	if (value)
		return play_about(play, what, value);
	value = word;
	what = strsep(&value, "=");
	if (!strcmp(what, "destroy"))
		play_destroy(play, value);
	else if (play_find(play_events, what))
		play_event(play, what, value);
	else
		play_op(play, what, value);
}

static void play_line(struct play *play, const char *line)
{
	size_t size = strlen(line) + 1;
	char *copy = kunit_kzalloc(play->test, size, GFP_KERNEL), *word;

	KUNIT_ASSERT_NOT_NULL(play->test, copy);
	strscpy(copy, line, size);
	while ((word = strsep(&copy, " ")))
		play_step(play, word);
}

void ucmad_play_case_name(const struct ucmad_play_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

/**
 * ucmad_play - Play a case.
 * @test: A test of a suite of programs.
 * @c: The case.
 */
void ucmad_play(struct kunit *test, const struct ucmad_play_case *c)
{
	struct play *play = kunit_kzalloc(test, sizeof(*play), GFP_KERNEL);
	struct ucmad_fixture *fixture = test->priv;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, play);
	play->test = test;
	play->fake = &fixture->cm;
	play->listener = ucmad_program_id(test);
	play->handle = play->listener;
	for (i = 0; i < ARRAY_SIZE(c->steps) && c->steps[i]; i++)
		play_line(play, c->steps[i]);
	/* Whatever was to come in the middle of something has come. */
	KUNIT_EXPECT_EQ(test, play->fake->early, UCMAD_FAKE_NOTHING);
	KUNIT_EXPECT_EQ(test, play->fake->late, UCMAD_FAKE_NOTHING);
}
