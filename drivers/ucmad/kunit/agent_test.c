// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* What agents of one port do to each other, to their peers and to posts that come at a bad time. */
#include "fixture.h"

static struct ucmad_loop *agent_loop(struct kunit *test)
{
	struct ucmad_fixture *fixture = test->priv;

	return &fixture->loop;
}

static void agent_expect(struct kunit *test, struct ucmad_agent *agent, u64 cookie,
			 enum ucmad_mad_status status)
{
	struct ucmad_mad_completion completion = {};
	struct ucmad_event head = {};

	KUNIT_ASSERT_TRUE(test, ucmad_fixture_take(&agent->object, &head, &completion));
	KUNIT_EXPECT_EQ(test, completion.cookie, cookie);
	KUNIT_EXPECT_EQ(test, completion.status, status);
}

static int agent_post(struct ucmad_agent *agent, u16 dlid, u64 cookie)
{
	struct ucmad_mad_send args = ucmad_fixture_request(dlid, cookie);
	u32 handle;

	return ucmad_fixture_post(agent, &args, &handle);
}

static void agent_post_many(struct kunit *test, struct ucmad_agent *agent, u16 dlid, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		KUNIT_ASSERT_EQ(test, agent_post(agent, dlid, i), 0);
}

/* The cookie of the nth try that the hardware holds. */
static u64 agent_held(struct kunit *test, u32 nth)
{
	struct ucmad_loop *loop = agent_loop(test);

	KUNIT_ASSERT_LT(test, nth, loop->held_count);
	return loop->held[nth]->cookie;
}

/* ---- limits and errors ------------------------------------------------------------------- */

/* A completion that was not taken counts, too: it needs memory, and the program is behind. */
static void agent_limit(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 2);

	agent_post_many(test, agent, 1, 2);
	KUNIT_EXPECT_EQ(test, agent_post(agent, 1, 2), -EAGAIN);
	ucmad_send_cancel_all(agent, UCMAD_MAD_CANCELLED);
	KUNIT_EXPECT_EQ(test, agent_post(agent, 1, 2), -EAGAIN);
	agent_expect(test, agent, 0, UCMAD_MAD_CANCELLED);
	KUNIT_EXPECT_EQ(test, agent_post(agent, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, agent_post(agent, 1, 3), -EAGAIN);
}

/* A post that fails leaves nothing: not a place of the limit, not a peer, not a channel. */
static void agent_post_fails(struct kunit *test)
{
	struct ucmad_loop *loop = agent_loop(test);
	int *const errors[] = { &loop->locate_error, &loop->open_error, &loop->prepare_error };
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 1);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		*errors[i] = -ENOMEM;
		KUNIT_EXPECT_EQ(test, agent_post(agent, 1, i), -ENOMEM);
		*errors[i] = 0;
		KUNIT_EXPECT_EQ(test, ucmad_fixture_live_sends(test), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&agent->outstanding), 0);
	}
	KUNIT_EXPECT_EQ(test, agent_post(agent, 1, 9), 0);
}

/* Handles come round: one that is still outstanding then is not mixed up with another. */
static void agent_handles_come_round(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 10);
	struct ucmad_mad_send args = ucmad_fixture_request(1, 0);
	u32 first, handle;

	KUNIT_ASSERT_EQ(test, ucmad_fixture_post(agent, &args, &first), 0);
	atomic_set(&agent->last_handle, U32_MAX - 1);
	KUNIT_ASSERT_EQ(test, ucmad_fixture_post(agent, &args, &handle), 0);
	KUNIT_EXPECT_EQ(test, handle, U32_MAX);
	/* 0 is none, and 1 is taken. */
	KUNIT_EXPECT_EQ(test, first, 1);
	KUNIT_EXPECT_EQ(test, ucmad_fixture_post(agent, &args, &handle), -EAGAIN);
	KUNIT_ASSERT_EQ(test, ucmad_fixture_post(agent, &args, &handle), 0);
	KUNIT_EXPECT_EQ(test, handle, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&agent->outstanding), 3);
}

/* ---- post against deregister ------------------------------------------------------------- */

static void agent_post_after(struct kunit *test, bool removed)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 1);
	struct ucmad_destroyer *destroyer = kunit_kzalloc(test, sizeof(*destroyer), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, destroyer);
	refcount_inc(&agent->object.refs);
	if (removed)
		ucmad_remove_start(destroyer, test);
	else
		ucmad_destroy_start(destroyer, agent);
	ucmad_destroy_finish(test, destroyer);
	KUNIT_EXPECT_EQ(test, agent_post(agent, 1, 0), removed ? -ENODEV : -ESHUTDOWN);
	ucmad_agent_put(agent);
}

static void agent_post_after_deregister(struct kunit *test)
{
	agent_post_after(test, false);
}

static void agent_post_after_removal(struct kunit *test)
{
	agent_post_after(test, true);
}

/* The post has its handle, and deregister comes and returns, before it goes on. */
static void agent_deregister_between_steps(struct kunit *test)
{
	struct ucmad_mad_send args = ucmad_fixture_request(1, 0);
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 1);
	u32 discarded, handle = agent->object.handle;
	struct ucmad_send *send;

	refcount_inc(&agent->object.refs);
	send = ucmad_post_begin(agent, &args);
	KUNIT_ASSERT_FALSE(test, IS_ERR(send));
	ucmad_fixture_fill(send);
	KUNIT_EXPECT_EQ(test, ucmad_object_destroy(agent->object.file, handle, &discarded), 0);
	KUNIT_EXPECT_EQ(test, discarded, 0);
	KUNIT_EXPECT_EQ(test, ucmad_post_inspect(send), 0);
	KUNIT_EXPECT_EQ(test, ucmad_post_commit(send, &args), -ESHUTDOWN);
	ucmad_post_abort(send);
	ucmad_agent_put(agent);
}

static struct kunit *agent_test;
static struct ucmad_destroyer *agent_destroyer;

/* Deregister has come as far as it can, while the post is in its middle: it waits for the post. */
static void agent_deregister_meanwhile(struct ucmad_send *send)
{
	ucmad_destroy_start(agent_destroyer, send->agent);
	ucmad_destroy_closed(agent_test, send->agent);
	KUNIT_EXPECT_FALSE(agent_test, completion_done(&agent_destroyer->done));
}

static void agent_deregister_in_the_middle(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 1);

	agent_test = test;
	agent_destroyer = kunit_kzalloc(test, sizeof(*agent_destroyer), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, agent_destroyer);
	refcount_inc(&agent->object.refs);
	agent_loop(test)->preparing = agent_deregister_meanwhile;
	KUNIT_EXPECT_EQ(test, agent_post(agent, 1, 0), -ESHUTDOWN);
	ucmad_destroy_finish(test, agent_destroyer);
	KUNIT_EXPECT_EQ(test, agent_destroyer->discarded, 0);
	ucmad_agent_put(agent);
}

/* ---- turns ------------------------------------------------------------------------------- */

/* Who has one send does not wait behind who has many, and of one agent's peers neither. */
static void agent_turns(struct kunit *test)
{
	struct ucmad_agent *many = ucmad_fixture_agent(test, 100);
	struct ucmad_agent *one = ucmad_fixture_agent(test, 1);
	struct ucmad_loop *loop = agent_loop(test);

	ucmad_loop_set_depth(loop, 0);
	agent_post_many(test, many, 1, 10);
	KUNIT_ASSERT_EQ(test, agent_post(many, 2, 100), 0);
	KUNIT_ASSERT_EQ(test, agent_post(one, 1, 200), 0);
	ucmad_loop_set_depth(loop, 5);
	KUNIT_ASSERT_EQ(test, loop->held_count, 5);
	KUNIT_EXPECT_EQ(test, agent_held(test, 0), 0);
	KUNIT_EXPECT_EQ(test, agent_held(test, 1), 200);
	KUNIT_EXPECT_EQ(test, agent_held(test, 2), 100);
	KUNIT_EXPECT_EQ(test, agent_held(test, 3), 1);
	KUNIT_EXPECT_EQ(test, agent_held(test, 4), 2);
	/* The hardware never holds more than it may, and each place is used again. */
	ucmad_loop_finish(loop, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, loop->held_count, 5);
	KUNIT_EXPECT_EQ(test, agent_held(test, 4), 3);
}

/* A QP that has failed takes back what it flushed, and nothing leaves before it is repaired. */
static void agent_failed_channel(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 10);
	struct ucmad_loop *loop = agent_loop(test);
	u32 i;

	agent_post_many(test, agent, 1, 3);
	ucmad_loop_finish(loop, 0, IB_WC_LOC_QP_OP_ERR);
	agent_expect(test, agent, 0, UCMAD_MAD_ERROR);
	KUNIT_EXPECT_EQ(test, loop->failures, 1);
	ucmad_loop_finish(loop, 0, IB_WC_WR_FLUSH_ERR);
	ucmad_loop_finish(loop, 0, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, loop->held_count, 0);
	ucmad_loop_set_depth(loop, UCMAD_LOOP_DEPTH);
	KUNIT_ASSERT_EQ(test, loop->held_count, 2);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, loop->held[i]->tries, 1);
}

/* ---- windows ----------------------------------------------------------------------------- */

#define WINDOW 256

static void agent_window(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 400);
	struct ucmad_loop *loop = agent_loop(test);
	struct ucmad_datagram answer;
	u32 i;

	agent_post_many(test, agent, 1, WINDOW + 10);
	KUNIT_EXPECT_EQ(test, loop->posts, WINDOW);
	/* Another peer is not concerned. */
	KUNIT_ASSERT_EQ(test, agent_post(agent, 2, 999), 0);
	KUNIT_EXPECT_EQ(test, loop->posts, WINDOW + 1);

	/* Each answer makes room for one, whichever is answered. */
	for (i = 0; i < 3; i++) {
		ucmad_loop_answer(loop->held[7 * i], &answer);
		ucmad_loop_deliver(loop, &answer);
		KUNIT_EXPECT_EQ(test, loop->posts, WINDOW + 2 + i);
	}
	/* So does a cancel. */
	ucmad_send_cancel(agent, loop->held[100]->handle, UCMAD_MAD_CANCELLED);
	KUNIT_EXPECT_EQ(test, loop->posts, WINDOW + 5);
	ucmad_loop_finish_all(loop);
}

/* What is not answered after a while has left the other end's queue: others may go. */
static void agent_window_expires(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 400);
	struct ucmad_loop *loop = agent_loop(test);
	struct ucmad_peer *peer;
	u32 i;

	agent_post_many(test, agent, 1, WINDOW + 10);
	peer = loop->peer;
	for (i = 0; i < 4; i++)
		loop->held[i]->sent_at -= HZ;
	ucmad_fixture_expire(test, &peer->window_timer);
	KUNIT_EXPECT_EQ(test, loop->posts, WINDOW + 4);
	KUNIT_EXPECT_EQ(test, peer->window_used, WINDOW);
	/* It comes again for those that still wait. */
	KUNIT_EXPECT_TRUE(test, timer_pending(&peer->window_timer));
	/* Who left the window so is not counted out of it again. */
	ucmad_send_cancel(agent, loop->held[0]->handle, UCMAD_MAD_CANCELLED);
	KUNIT_EXPECT_EQ(test, loop->posts, WINDOW + 4);
	ucmad_loop_finish_all(loop);
}

/* ---- peers ------------------------------------------------------------------------------- */

/* All who wait for a peer that is not found hear so; who comes later has it searched anew. */
static void agent_peer_not_found(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 10);
	struct ucmad_loop *loop = agent_loop(test);
	struct ucmad_peer *peer;

	loop->slow = true;
	agent_post_many(test, agent, 1, 2);
	peer = loop->peer;
	ucmad_peer_resolved(peer, false);
	agent_expect(test, agent, 0, UCMAD_MAD_UNREACHABLE);
	agent_expect(test, agent, 1, UCMAD_MAD_UNREACHABLE);
	KUNIT_EXPECT_EQ(test, loop->releases, 0);
	KUNIT_ASSERT_EQ(test, agent_post(agent, 1, 3), 0);
	KUNIT_EXPECT_EQ(test, loop->releases, 1);
	ucmad_peer_resolved(loop->peer, true);
	KUNIT_EXPECT_EQ(test, agent_held(test, 0), 3);
}

/* The search ends before the send that began it is queued: it hears so all the same. */
static void agent_found_too_early(struct ucmad_send *send)
{
	ucmad_peer_resolved(send->peer, false);
}

static void agent_peer_not_found_early(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 10);
	struct ucmad_loop *loop = agent_loop(test);

	loop->slow = true;
	loop->preparing = agent_found_too_early;
	KUNIT_ASSERT_EQ(test, agent_post(agent, 1, 3), 0);
	agent_expect(test, agent, 3, UCMAD_MAD_UNREACHABLE);
}

/* A peer that did not answer is forgotten once it is idle: it may have another MAC address. */
static void agent_peer_stale(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 10);
	struct ucmad_loop *loop = agent_loop(test);
	struct ucmad_send *send;

	agent_post_many(test, agent, 1, 2);
	send = loop->held[0];
	ucmad_loop_finish_all(loop);
	ucmad_fixture_expire(test, &send->timer);
	/* It has another send. */
	KUNIT_ASSERT_EQ(test, agent_post(agent, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, loop->releases, 0);
	ucmad_loop_finish_all(loop);
	ucmad_send_cancel_all(agent, UCMAD_MAD_CANCELLED);
	KUNIT_ASSERT_EQ(test, agent_post(agent, 1, 3), 0);
	KUNIT_EXPECT_EQ(test, loop->releases, 1);
}

#define PEERS_MAX 4096

/* Only so many peers are kept: the one that is idle longest goes, and none that is in use. */
static void agent_peer_evicted(struct kunit *test)
{
	struct ucmad_agent *agent = ucmad_fixture_agent(test, 2 * PEERS_MAX);
	struct ucmad_loop *loop = agent_loop(test);
	u32 i;

	ucmad_loop_set_depth(loop, 0);
	for (i = 1; i <= PEERS_MAX; i++)
		KUNIT_ASSERT_EQ(test, agent_post(agent, i, i), 0);
	KUNIT_EXPECT_EQ(test, agent_post(agent, PEERS_MAX + 1, 0), -EAGAIN);
	KUNIT_EXPECT_EQ(test, agent_post(agent, 1, 0), 0);
	ucmad_send_cancel_all(agent, UCMAD_MAD_CANCELLED);
	KUNIT_EXPECT_EQ(test, agent_post(agent, PEERS_MAX + 1, 0), 0);
	KUNIT_EXPECT_EQ(test, loop->releases, 1);
	KUNIT_EXPECT_EQ(test, agent->peer_count, PEERS_MAX);
}

static struct kunit_case ucmad_agent_tests[] = {
	KUNIT_CASE(agent_limit),
	KUNIT_CASE(agent_post_fails),
	KUNIT_CASE(agent_handles_come_round),
	KUNIT_CASE(agent_post_after_deregister),
	KUNIT_CASE(agent_post_after_removal),
	KUNIT_CASE(agent_deregister_between_steps),
	KUNIT_CASE(agent_deregister_in_the_middle),
	KUNIT_CASE(agent_turns),
	KUNIT_CASE(agent_failed_channel),
	KUNIT_CASE(agent_window),
	KUNIT_CASE(agent_window_expires),
	KUNIT_CASE(agent_peer_not_found),
	KUNIT_CASE(agent_peer_not_found_early),
	KUNIT_CASE(agent_peer_stale),
	KUNIT_CASE(agent_peer_evicted),
	{}
};

static struct kunit_suite ucmad_agent_suite = {
	.name = "ucmad_agent",
	.suite_init = ucmad_fixture_suite_init,
	.suite_exit = ucmad_fixture_suite_exit,
	.init = ucmad_fixture_init,
	.exit = ucmad_fixture_exit,
	.test_cases = ucmad_agent_tests,
};

kunit_test_suite(ucmad_agent_suite);
