// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * The life of a send, by explicit steps: each state and transition at the head of send.c, and each
 * race in both orders. What happens to one send, in which order, and what must come of it, is a row
 * of a table.
 */
#include "../compat.h"
#include "fixture.h"

/* What can happen to a send. */
enum step {
	END,
	/* The hardware is through with the try; or failed; or flushed it, the QP having failed. */
	SENT,
	SENT_ERROR,
	SENT_FLUSHED,
	SENT_FLUSHED_FIRST,
	/* The other end's answer arrives; or an answer that is not the right one. */
	ANSWER,
	FROM_OTHER_QP,
	FROM_OTHER_PEER,
	OF_OTHER_CLASS,
	OF_OTHER_SEND,
	OF_OTHER_AGENT,
	NOT_A_RESPONSE,
	/* The time is over; or in two steps, so that something can come between. */
	EXPIRE,
	TIMER_STARTS,
	TIMER_RUNS,
	/* What the program does. */
	CANCEL,
	CANCEL_ALL,
	CANCEL_OTHER,
	SET_TIMEOUT,
	/* Another thread deregisters the agent, or removes its device, as far as it comes. */
	DEREGISTER,
	REMOVE_DEVICE,
	/* The channel takes nothing, and takes something again, as after a repair of the QP. */
	BLOCK,
	UNBLOCK,
	/* The search for the peer's address ends. */
	FOUND,
	NOT_FOUND,
};

#define STEPS_MAX 10

/**
 * struct send_case - What happens to one send, and what must come of it.
 * @name: Says it in words.
 * @steps: What happens once it is posted.
 * @status: How it ends ...
 * @wc_status: ... with which status of the hardware ...
 * @tries: ... after how many tries.
 * @strays: MADs that were not for it.
 * @retries: As posted.
 * @no_response: As posted.
 * @slow: The peer's address is not known at once.
 * @blocked: The channel takes nothing at first.
 * @post_error: The hardware refuses it.
 * @held: After the steps, memory and deregister still wait for the hardware (MAD-REF).
 * @unposted: The completion is counted by deregister, not posted.
 */
struct send_case {
	const char *name;
	enum step steps[STEPS_MAX];
	enum ucmad_mad_status status;
	enum ib_wc_status wc_status;
	u32 tries;
	u32 strays;
	u32 retries;
	bool no_response;
	bool slow;
	bool blocked;
	int post_error;
	bool held;
	bool unposted;
};

#define RESPONDED	.status = UCMAD_MAD_RESPONDED
#define TIMED_OUT	.status = UCMAD_MAD_TIMED_OUT
#define CANCELLED	.status = UCMAD_MAD_CANCELLED
#define FLUSHED		.status = UCMAD_MAD_FLUSHED
#define UNREACHABLE	.status = UCMAD_MAD_UNREACHABLE
#define ALL_SENT	.status = UCMAD_MAD_SENT, .no_response = true
#define FAILED(_wc)	.status = UCMAD_MAD_ERROR, .wc_status = (_wc)

static const struct send_case send_cases[] = {
	/* One try. */
	{ "answered", { SENT, ANSWER }, RESPONDED, .tries = 1 },
	{ "nobody answers", { SENT, EXPIRE }, TIMED_OUT, .tries = 1 },
	{ "cancelled", { SENT, CANCEL }, CANCELLED, .tries = 1 },
	{ "cancelled with all", { SENT, CANCEL_ALL }, CANCELLED, .tries = 1 },
	{ "another is cancelled", { SENT, CANCEL_OTHER, ANSWER }, RESPONDED, .tries = 1 },
	{ "the hardware fails", { SENT_ERROR }, FAILED(IB_WC_LOC_QP_OP_ERR), .tries = 1 },
	{ "flushed, though the QP has failed on no other", { SENT_FLUSHED_FIRST },
	  FAILED(IB_WC_WR_FLUSH_ERR), .tries = 1 },
	{ "the hardware refuses", { END }, FAILED(IB_WC_GENERAL_ERR), .post_error = -ENOMEM },
	{ "no response wanted", { SENT }, ALL_SENT, .tries = 1 },
	{ "no response wanted, one comes", { ANSWER, SENT }, ALL_SENT, .tries = 1, .strays = 1 },
	{ "no response wanted, cancelled", { CANCEL, SENT }, CANCELLED, .no_response = true,
	  .tries = 1 },
	{ "no response wanted, cancelled too late", { SENT, CANCEL }, ALL_SENT, .tries = 1 },
	{ "no response wanted, the hardware fails", { SENT_ERROR }, FAILED(IB_WC_LOC_QP_OP_ERR),
	  .no_response = true, .tries = 1 },
	{ "no response wanted, so no time-out", { SET_TIMEOUT, SENT }, ALL_SENT, .tries = 1 },

	/* Who answers (MAD-PAIR): had that been taken, the cancel would come too late. */
	{ "from another QP", { SENT, FROM_OTHER_QP, CANCEL }, CANCELLED, .tries = 1, .strays = 1 },
	{ "from another peer", { SENT, FROM_OTHER_PEER, CANCEL }, CANCELLED, .tries = 1,
	  .strays = 1 },
	{ "of another class", { SENT, OF_OTHER_CLASS, CANCEL }, CANCELLED, .tries = 1,
	  .strays = 1 },
	{ "to another send", { SENT, OF_OTHER_SEND, CANCEL }, CANCELLED, .tries = 1, .strays = 1 },
	{ "to another agent", { SENT, OF_OTHER_AGENT, CANCEL }, CANCELLED, .tries = 1 },
	{ "a request", { SENT, NOT_A_RESPONSE, CANCEL }, CANCELLED, .tries = 1, .strays = 1 },
	{ "before it was sent", { ANSWER, UNBLOCK, SENT, ANSWER }, RESPONDED, .blocked = true,
	  .tries = 1, .strays = 1 },
	{ "twice", { SENT, ANSWER, ANSWER }, RESPONDED, .tries = 1, .strays = 1 },

	/* The response against the hardware's completion. */
	{ "answered before the hardware is through", { ANSWER }, RESPONDED, .tries = 1,
	  .held = true },
	{ "answered, then the hardware is through", { ANSWER, SENT }, RESPONDED, .tries = 1 },
	{ "answered, then the hardware fails", { ANSWER, SENT_ERROR }, RESPONDED, .tries = 1 },
	{ "answered, then the QP has failed", { ANSWER, SENT_FLUSHED }, RESPONDED, .tries = 1 },

	/* Cancel against the hardware's completion. */
	{ "cancelled before the hardware is through", { CANCEL }, CANCELLED, .tries = 1,
	  .held = true },
	{ "cancelled, then the hardware is through", { CANCEL, SENT }, CANCELLED, .tries = 1 },
	{ "cancelled, then the hardware fails", { CANCEL, SENT_ERROR }, CANCELLED, .tries = 1 },
	{ "the hardware fails, then cancelled", { SENT_ERROR, CANCEL },
	  FAILED(IB_WC_LOC_QP_OP_ERR), .tries = 1 },

	/* Cancel against the response. */
	{ "cancelled, then answered", { SENT, CANCEL, ANSWER }, CANCELLED, .tries = 1,
	  .strays = 1 },
	{ "answered, then cancelled", { SENT, ANSWER, CANCEL }, RESPONDED, .tries = 1 },
	{ "cancelled, then answered, held", { CANCEL, ANSWER }, CANCELLED, .tries = 1, .strays = 1,
	  .held = true },
	{ "answered, then cancelled, held", { ANSWER, CANCEL }, RESPONDED, .tries = 1,
	  .held = true },
	{ "cancelled twice", { CANCEL, CANCEL, SENT }, CANCELLED, .tries = 1 },

	/* Cancel, response and a new time-out against the timer. */
	{ "cancelled, then the time is over", { SENT, TIMER_STARTS, CANCEL, TIMER_RUNS },
	  CANCELLED, .tries = 1 },
	{ "the time is over, then cancelled", { SENT, EXPIRE, CANCEL }, TIMED_OUT, .tries = 1 },
	{ "answered, then the time is over", { SENT, TIMER_STARTS, ANSWER, TIMER_RUNS },
	  RESPONDED, .tries = 1 },
	{ "the time is over, then answered", { SENT, EXPIRE, ANSWER }, TIMED_OUT, .tries = 1,
	  .strays = 1 },
	{ "prolonged, then the time is over",
	  { SENT, TIMER_STARTS, SET_TIMEOUT, TIMER_RUNS, ANSWER }, RESPONDED, .tries = 1 },
	{ "the new time is over", { SENT, SET_TIMEOUT, EXPIRE }, TIMED_OUT, .tries = 1 },
	{ "prolonged too late", { SENT, EXPIRE, SET_TIMEOUT }, TIMED_OUT, .tries = 1 },
	{ "prolonged while it waits for its turn", { SET_TIMEOUT, UNBLOCK, SENT, EXPIRE },
	  TIMED_OUT, .blocked = true, .tries = 1 },

	/* The hardware's completion against the timer. */
	{ "the time is over before the hardware is through", { EXPIRE }, TIMED_OUT, .tries = 1,
	  .held = true },
	{ "the time is over, then the hardware is through", { EXPIRE, SENT }, TIMED_OUT,
	  .tries = 1 },
	{ "the hardware fails, then the time is over", { TIMER_STARTS, SENT_ERROR, TIMER_RUNS },
	  FAILED(IB_WC_LOC_QP_OP_ERR), .tries = 1 },

	/* Several tries (MAD-ONE). */
	{ "answered at the second try", { SENT, EXPIRE, SENT, ANSWER }, RESPONDED, .retries = 1,
	  .tries = 2 },
	{ "no try is answered", { SENT, EXPIRE, SENT, EXPIRE, SENT, EXPIRE }, TIMED_OUT,
	  .retries = 2, .tries = 3 },
	{ "cancelled in the second try", { SENT, EXPIRE, CANCEL, SENT }, CANCELLED, .retries = 1,
	  .tries = 2 },
	{ "the hardware fails in the second try", { SENT, EXPIRE, SENT_ERROR },
	  FAILED(IB_WC_LOC_QP_OP_ERR), .retries = 1, .tries = 2 },
	{ "answered between tries", { SENT, BLOCK, EXPIRE, ANSWER }, RESPONDED, .retries = 1,
	  .tries = 1 },
	{ "cancelled between tries", { SENT, BLOCK, EXPIRE, CANCEL }, CANCELLED, .retries = 1,
	  .tries = 1 },
	{ "waits between tries", { SENT, BLOCK, EXPIRE, UNBLOCK, SENT, ANSWER }, RESPONDED,
	  .retries = 1, .tries = 2 },
	{ "both tries are answered", { SENT, EXPIRE, ANSWER, ANSWER, SENT }, RESPONDED,
	  .retries = 1, .tries = 2, .strays = 1 },
	{ "a try is over while the hardware holds it", { EXPIRE, SENT, SENT, ANSWER }, RESPONDED,
	  .retries = 1, .tries = 2 },
	{ "a try is over, answered while held", { EXPIRE, ANSWER, SENT }, RESPONDED, .retries = 1,
	  .tries = 1 },
	{ "a try is over, cancelled while held", { EXPIRE, CANCEL }, CANCELLED, .retries = 1,
	  .tries = 1, .held = true },
	{ "a try is over, prolonged while held", { EXPIRE, SET_TIMEOUT, SENT, SENT, EXPIRE },
	  TIMED_OUT, .retries = 1, .tries = 2 },
	{ "a try is over, then the hardware fails", { EXPIRE, SENT_ERROR, UNBLOCK, SENT, ANSWER },
	  RESPONDED, .retries = 1, .tries = 2 },
	{ "a try is over, then the QP has failed", { EXPIRE, SENT_FLUSHED, UNBLOCK, SENT, ANSWER },
	  RESPONDED, .retries = 1, .tries = 2 },

	/* The QP has failed on another send: that try does not count. */
	{ "taken back and repeated", { SENT_FLUSHED, UNBLOCK, SENT, ANSWER }, RESPONDED,
	  .tries = 1 },
	{ "taken back, then answered", { SENT_FLUSHED, ANSWER, UNBLOCK, SENT, ANSWER }, RESPONDED,
	  .tries = 1, .strays = 1 },
	{ "taken back, then cancelled", { SENT_FLUSHED, CANCEL }, CANCELLED },
	{ "taken back while the timer runs",
	  { TIMER_STARTS, SENT_FLUSHED, TIMER_RUNS, UNBLOCK, SENT, ANSWER }, RESPONDED,
	  .tries = 1 },
	{ "taken back and repeated while the timer runs",
	  { TIMER_STARTS, SENT_FLUSHED, UNBLOCK, TIMER_RUNS, SENT, ANSWER }, RESPONDED,
	  .tries = 1 },
	{ "taken back, no response wanted", { SENT_FLUSHED, UNBLOCK, SENT }, ALL_SENT, .tries = 1 },

	/* Not sent yet. */
	{ "cancelled while it waits for its turn", { CANCEL }, CANCELLED, .blocked = true },
	{ "sent when there is room", { UNBLOCK, SENT, ANSWER }, RESPONDED, .blocked = true,
	  .tries = 1 },
	{ "its peer is found", { FOUND, SENT, ANSWER }, RESPONDED, .slow = true, .tries = 1 },
	{ "its peer is not found", { NOT_FOUND }, UNREACHABLE, .slow = true },
	{ "cancelled, then its peer is found", { CANCEL, FOUND }, CANCELLED, .slow = true },
	{ "cancelled, then its peer is not found", { CANCEL, NOT_FOUND }, CANCELLED,
	  .slow = true },
	{ "its peer is not found, then cancelled", { NOT_FOUND, CANCEL }, UNREACHABLE,
	  .slow = true },

	/* Deregister against all of that (MAD-DEREG). */
	{ "deregistered in the queue", { DEREGISTER }, FLUSHED, .blocked = true, .unposted = true },
	{ "deregistered in the hardware", { DEREGISTER }, FLUSHED, .tries = 1, .held = true,
	  .unposted = true },
	{ "deregistered, then the hardware is through", { DEREGISTER, SENT }, FLUSHED, .tries = 1,
	  .unposted = true },
	{ "sent, then deregistered", { SENT, DEREGISTER }, FLUSHED, .tries = 1, .unposted = true },
	{ "deregistered, then answered", { DEREGISTER, ANSWER, SENT }, FLUSHED, .tries = 1,
	  .strays = 1, .unposted = true },
	{ "answered, then deregistered", { ANSWER, DEREGISTER, SENT }, RESPONDED, .tries = 1,
	  .unposted = true },
	{ "deregistered while the timer runs", { SENT, TIMER_STARTS, DEREGISTER, TIMER_RUNS },
	  FLUSHED, .tries = 1, .unposted = true },
	{ "timed out, then deregistered", { SENT, EXPIRE, DEREGISTER }, TIMED_OUT, .tries = 1,
	  .unposted = true },
	{ "deregistered, then cancelled", { DEREGISTER, CANCEL, SENT }, FLUSHED, .tries = 1,
	  .unposted = true },
	{ "cancelled, then deregistered", { CANCEL, DEREGISTER, SENT }, CANCELLED, .tries = 1,
	  .unposted = true },
	{ "deregistered between tries", { SENT, BLOCK, EXPIRE, DEREGISTER }, FLUSHED,
	  .retries = 1, .tries = 1, .unposted = true },

	/* And the device that goes (DEL-HOTPLUG). */
	{ "the device goes", { SENT, REMOVE_DEVICE }, FLUSHED, .tries = 1 },
	{ "the device goes, then the hardware is through", { REMOVE_DEVICE, SENT }, FLUSHED,
	  .tries = 1 },
	{ "the device goes, held", { REMOVE_DEVICE }, FLUSHED, .tries = 1, .held = true },
	{ "answered, then the device goes", { ANSWER, REMOVE_DEVICE, SENT }, RESPONDED,
	  .tries = 1 },
	{ "the device goes while the timer runs",
	  { SENT, TIMER_STARTS, REMOVE_DEVICE, TIMER_RUNS }, FLUSHED, .tries = 1 },
	{ "the device goes, then cancelled", { REMOVE_DEVICE, CANCEL, SENT }, FLUSHED,
	  .tries = 1 },
};

static void send_case_name(const struct send_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(send, send_cases, send_case_name);

/**
 * struct send_play - A case that is being played.
 * @fixture: What it is played with.
 * @agent: The agent; a reference is held.
 * @handle: The send's handle.
 * @answer: What the other end makes of it.
 * @timer: Its timer, while it is between TIMER_STARTS and TIMER_RUNS, and keeps the send.
 * @destroyer: Deregisters the agent or removes the device.
 * @destroying: It does so.
 */
struct send_play {
	struct ucmad_fixture *fixture;
	struct ucmad_agent *agent;
	u32 handle;
	struct ucmad_datagram answer;
	struct timer_list *timer;
	struct ucmad_destroyer destroyer;
	bool destroying;
};

/* The timer's own step from pending to running. */
static void play_timer_starts(struct kunit *test, struct send_play *play)
{
	struct ucmad_send *send = ucmad_fixture_find(play->agent, play->handle);

	KUNIT_ASSERT_NOT_NULL(test, send);
	KUNIT_ASSERT_TRUE(test, ucmad_compat_timer_delete(&send->timer));
	play->timer = &send->timer;
}

static void play_timer_runs(struct send_play *play)
{
	play->timer->function(play->timer);
	play->timer = NULL;
}

static void play_deliver(struct send_play *play, enum step step)
{
	struct ucmad_datagram datagram = play->answer;
	struct ib_mad_hdr *header = (void *)datagram.mad;

	switch (step) {
	case FROM_OTHER_QP:
		datagram.wc.src_qp++;
		break;
	case FROM_OTHER_PEER:
		datagram.wc.slid++;
		break;
	case OF_OTHER_CLASS:
		header->mgmt_class = IB_MGMT_CLASS_BM;
		break;
	case OF_OTHER_SEND:
		header->tid ^= cpu_to_be64(BIT_ULL(20));
		break;
	case OF_OTHER_AGENT:
		header->tid ^= cpu_to_be64(BIT_ULL(52));
		break;
	case NOT_A_RESPONSE:
		header->method &= ~IB_MGMT_METHOD_RESP;
		break;
	default:
		break;
	}
	ucmad_loop_deliver(&play->fixture->loop, &datagram);
}

/* Whatever there is in the hardware is this send's. */
static void play_finish(struct kunit *test, struct send_play *play, enum ib_wc_status status)
{
	KUNIT_ASSERT_EQ(test, play->fixture->loop.held_count, 1);
	ucmad_loop_finish(&play->fixture->loop, 0, status);
}

static void play_destroy(struct kunit *test, struct send_play *play, enum step step)
{
	if (step == DEREGISTER)
		ucmad_destroy_start(&play->destroyer, play->agent);
	else
		ucmad_remove_start(&play->destroyer, test);
	play->destroying = true;
	ucmad_destroy_closed(test, play->agent);
}

static void play_step(struct kunit *test, struct send_play *play, enum step step)
{
	struct ucmad_loop *loop = &play->fixture->loop;

	switch (step) {
	case SENT:
		play_finish(test, play, IB_WC_SUCCESS);
		break;
	case SENT_ERROR:
		play_finish(test, play, IB_WC_LOC_QP_OP_ERR);
		break;
	case SENT_FLUSHED:
		/* The QP has failed on another send. */
		ucmad_loop_set_depth(loop, 0);
		play_finish(test, play, IB_WC_WR_FLUSH_ERR);
		break;
	case SENT_FLUSHED_FIRST:
		play_finish(test, play, IB_WC_WR_FLUSH_ERR);
		break;
	case EXPIRE:
		play_timer_starts(test, play);
		play_timer_runs(play);
		break;
	case TIMER_STARTS:
		play_timer_starts(test, play);
		break;
	case TIMER_RUNS:
		play_timer_runs(play);
		break;
	case CANCEL:
		ucmad_send_cancel(play->agent, play->handle, UCMAD_MAD_CANCELLED);
		break;
	case CANCEL_ALL:
		ucmad_send_cancel_all(play->agent, UCMAD_MAD_CANCELLED);
		break;
	case CANCEL_OTHER:
		ucmad_send_cancel(play->agent, play->handle + 1, UCMAD_MAD_CANCELLED);
		break;
	case SET_TIMEOUT:
		ucmad_send_set_timeout(play->agent, play->handle, MSEC_PER_SEC * 3600);
		break;
	case DEREGISTER:
	case REMOVE_DEVICE:
		play_destroy(test, play, step);
		break;
	case BLOCK:
		ucmad_loop_set_depth(loop, 0);
		break;
	case UNBLOCK:
		ucmad_loop_set_depth(loop, UCMAD_LOOP_DEPTH);
		break;
	case FOUND:
	case NOT_FOUND:
		ucmad_peer_resolved(loop->peer, step == FOUND);
		break;
	default:
		play_deliver(play, step);
		break;
	}
}

/* Posts what the case says. */
static void play_post(struct kunit *test, struct send_play *play, const struct send_case *c)
{
	struct ucmad_mad_send args = ucmad_fixture_request(7, 0x1234567890);
	struct ucmad_loop *loop = &play->fixture->loop;
	struct ucmad_send *send;

	args.retries = c->retries;
	if (c->no_response) {
		args.flags = UCMAD_SEND_NO_RESPONSE;
		args.timeout_ms = 0;
	}
	loop->slow = c->slow;
	loop->post_error = c->post_error;
	if (c->blocked)
		ucmad_loop_set_depth(loop, 0);
	KUNIT_ASSERT_EQ(test, ucmad_fixture_post(play->agent, &args, &play->handle), 0);
	send = ucmad_fixture_find(play->agent, play->handle);
	if (send)
		ucmad_loop_answer(send, &play->answer);
}

static void play_expect_completion(struct kunit *test, struct send_play *play,
				   const struct send_case *c)
{
	struct ucmad_mad_completion completion = {};
	struct ucmad_event head = {};

	KUNIT_ASSERT_TRUE(test, ucmad_fixture_take(&play->agent->object, &head, &completion));
	KUNIT_EXPECT_EQ(test, head.type, UCMAD_EVENT_MAD_SEND);
	KUNIT_EXPECT_EQ(test, completion.cookie, 0x1234567890);
	KUNIT_EXPECT_EQ(test, completion.handle, play->handle);
	KUNIT_EXPECT_EQ(test, completion.status, c->status);
	KUNIT_EXPECT_EQ(test, completion.wc_status, c->wc_status);
	KUNIT_EXPECT_EQ(test, completion.tries, c->tries);
	KUNIT_EXPECT_EQ(test, head.data_len, c->status == UCMAD_MAD_RESPONDED ? UCMAD_MAD_SIZE : 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&play->agent->outstanding), 0);
}

/* That is all: of the agent there is nothing more, but that its device has gone. */
static void play_expect_no_more(struct kunit *test, struct send_play *play)
{
	struct ucmad_mad_completion completion;
	struct ucmad_event head;

	if (play->destroying && play->destroyer.device) {
		KUNIT_ASSERT_TRUE(test,
				  ucmad_fixture_take(&play->agent->object, &head, &completion));
		KUNIT_EXPECT_EQ(test, head.type, UCMAD_EVENT_DEVICE_REMOVED);
	}
	KUNIT_EXPECT_FALSE(test, ucmad_fixture_take(&play->agent->object, &head, &completion));
}

/* Memory goes, and who destroys comes back, when the hardware lets go; and not before. */
static void play_expect_release(struct kunit *test, struct send_play *play,
				const struct send_case *c)
{
	KUNIT_EXPECT_EQ(test, ucmad_fixture_live_sends(test), c->held);
	if (c->held) {
		KUNIT_EXPECT_GE(test, play->fixture->loop.abandons, 1);
		if (play->destroying)
			KUNIT_EXPECT_FALSE(test, completion_done(&play->destroyer.done));
		play_finish(test, play, IB_WC_SUCCESS);
	}
	KUNIT_EXPECT_EQ(test, ucmad_fixture_live_sends(test), 0);
	if (play->destroying)
		ucmad_destroy_finish(test, &play->destroyer);
}

static void send_play_test(struct kunit *test)
{
	const struct send_case *c = test->param_value;
	struct send_play *play = kunit_kzalloc(test, sizeof(*play), GFP_KERNEL);
	const enum step *step;

	KUNIT_ASSERT_NOT_NULL(test, play);
	play->fixture = test->priv;
	play->agent = ucmad_fixture_agent(test, 1);
	refcount_inc(&play->agent->object.refs);
	play_post(test, play, c);
	for (step = c->steps; *step != END; step++)
		play_step(test, play, *step);

	KUNIT_EXPECT_EQ(test, play->agent->strays, c->strays);
	play_expect_release(test, play, c);
	if (c->unposted)
		KUNIT_EXPECT_EQ(test, play->destroyer.discarded, 1);
	else
		play_expect_completion(test, play, c);
	play_expect_no_more(test, play);
	ucmad_agent_put(play->agent);
}

static struct kunit_case ucmad_send_tests[] = {
	KUNIT_CASE_PARAM(send_play_test, send_gen_params),
	{}
};

static struct kunit_suite ucmad_send_suite = {
	.name = "ucmad_send",
	.suite_init = ucmad_fixture_suite_init,
	.suite_exit = ucmad_fixture_suite_exit,
	.init = ucmad_fixture_init,
	.exit = ucmad_fixture_exit,
	.test_cases = ucmad_send_tests,
};

kunit_test_suite(ucmad_send_suite);
