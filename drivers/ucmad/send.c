// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * The life of a send. All of it happens under the port's lock.
 *
 *            start                 room in channel and window
 *   (none) ------->  QUEUED  ------------------------------>  WAITING
 *                      ^                                        |
 *                      '---- the try has timed out, another ----'
 *                            is allowed
 *   WAITING ----> QUEUED: the QP has failed on another send; the try did not count
 *   QUEUED or WAITING ----> DONE: response, sent (none asked for), last try timed out, cancelled,
 *                                 flushed, error; its completion is posted
 *
 * Beside that, and in any state, the hardware may hold the buffer of a try (@in_hardware): a
 * response can overtake the hardware's completion, and a cancel waits for neither. So the state
 * says what the program is told, the references say who may still touch the memory (MAD-REF):
 *
 *   the table     from QUEUED until DONE, so that a response or a cancel finds it
 *   the hardware  from the posting of a try until its completion
 *   the timer     from the start of a try until it is stopped, or has run
 *
 * A send that is DONE is in no table: whatever comes for it later, a response, a second cancel, a
 * time-out, finds nothing (MAD-ONE, MAD-CANCEL). A try is not repeated while the hardware still
 * holds the one before: then its end is waited for (@try_over). No step goes through the other
 * sends: the table has a bucket for each (MAD-FLAT).
 *
 * Over ib_mad all is the same, with ib_mad in the hardware's place: it holds a try until its
 * response has come or the try is abandoned. Only RMPP has time-outs and tries of its own.
 */
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "compat.h"
#include "mad.h"
#include "stats.h"

static void ucmad_send_timed_out(struct timer_list *timer);

/**
 * ucmad_send_alloc - Make a send that nobody knows of yet.
 *
 * Return: The send or NULL.
 */
struct ucmad_send *ucmad_send_alloc(void)
{
	struct ucmad_send *send = kzalloc(sizeof(*send), GFP_KERNEL_ACCOUNT);

	if (!send)
		return NULL;
	ucmad_stat_inc(UCMAD_STAT_SENDS);
	refcount_set(&send->refs, 1);
	INIT_LIST_HEAD(&send->node);
	timer_setup(&send->timer, ucmad_send_timed_out, 0);
	send->completion = ucmad_queued_alloc(GFP_KERNEL_ACCOUNT);
	if (!send->completion) {
		ucmad_send_free(send);
		return NULL;
	}
	return send;
}

/* Frees a send that was not started, or that nobody has a reference to any more. */
void ucmad_send_free(struct ucmad_send *send)
{
	if (send->completion)
		ucmad_queued_free(send->completion);
	kvfree(send->long_mad);
	kfree(send);
	ucmad_stat_dec(UCMAD_STAT_SENDS);
}

/* The last reference is gone: nobody can touch the memory, not even the hardware. */
void ucmad_send_put(struct ucmad_send *send)
{
	struct ucmad_agent *agent = send->agent;

	lockdep_assert_held(&agent->port->lock);
	if (!refcount_dec_and_test(&send->refs))
		return;
	send->peer->lane->channel->ops->unprepare(send);
	ucmad_peer_put(send->peer);
	ucmad_send_free(send);
	ucmad_agent_release_hold(agent);
}

/* ---- the table --------------------------------------------------------------------------- */

static struct hlist_head *ucmad_send_bucket(struct ucmad_agent *agent, u32 handle)
{
	lockdep_assert_held(&agent->port->lock);
	return &agent->sends[handle & agent->sends_mask];
}

/* Returns a send that is not DONE, or NULL. The port's lock is held. */
struct ucmad_send *ucmad_send_find(struct ucmad_agent *agent, u32 handle)
{
	struct ucmad_send *send;

	hlist_for_each_entry(send, ucmad_send_bucket(agent, handle), hash)
		if (send->handle == handle)
			return send;
	return NULL;
}

static void ucmad_send_insert(struct ucmad_send *send)
{
	struct ucmad_agent *agent = send->agent;

	hlist_add_head(&send->hash, ucmad_send_bucket(agent, send->handle));
	list_add_tail(&send->live, &agent->live);
}

static void ucmad_send_remove(struct ucmad_send *send)
{
	hlist_del(&send->hash);
	list_del(&send->live);
}

/* ---- post -------------------------------------------------------------------------------- */

static struct ucmad_peer *ucmad_send_find_peer(struct ucmad_agent *agent,
					       const struct ucmad_mad_address *to, bool gsi)
{
	struct ucmad_peer *peer;

	mutex_lock(&agent->mutex);
	peer = ucmad_peer_get(agent, to, gsi);
	mutex_unlock(&agent->mutex);
	return peer;
}

/* From here on it waits for its turn. */
static void ucmad_send_enqueue(struct ucmad_send *send)
{
	send->state = UCMAD_SEND_QUEUED;
	list_add_tail(&send->node, &send->peer->queue);
	ucmad_peer_refresh(send->peer);
}

static int ucmad_send_queue(struct ucmad_send *send)
{
	struct ucmad_agent *agent = send->agent;

	lockdep_assert_held(&agent->port->lock);
	if (agent->closing)
		return agent->removed ? -ENODEV : -ESHUTDOWN;
	/* One that is outstanding while four billion others came and went. */
	if (ucmad_send_find(agent, send->handle))
		return -EAGAIN;
	ucmad_send_insert(send);
	ucmad_send_enqueue(send);
	if (send->peer->state == UCMAD_PEER_FAILED)
		/* The search for its address has ended already, and found none. */
		ucmad_send_complete(send, UCMAD_MAD_UNREACHABLE, 0);
	else
		ucmad_channel_pump(send->peer->lane->channel);
	return 0;
}

/**
 * ucmad_send_start - Accept a send: from here on it has exactly one completion (MAD-ONE).
 * @send: The send, complete but for where it goes.
 * @to: Where it goes.
 * @gsi: It leaves from QP1.
 *
 * Return: 0, or an error, and then the send is still the caller's.
 */
int ucmad_send_start(struct ucmad_send *send, const struct ucmad_mad_address *to, bool gsi)
{
	struct ucmad_agent *agent = send->agent;
	const struct ucmad_channel_ops *ops;
	int ret;

	ret = ucmad_agent_hold(agent);
	if (ret)
		return ret;
	send->qpn = to->qpn;
	send->qkey = to->qkey;
	send->peer = ucmad_send_find_peer(agent, to, gsi);
	if (IS_ERR(send->peer)) {
		ret = PTR_ERR(send->peer);
		goto err_hold;
	}
	ops = send->peer->lane->channel->ops;
	ret = ops->prepare(send);

	spin_lock_bh(&agent->port->lock);
	if (ret)
		goto err_peer;
	ret = ucmad_send_queue(send);
	if (ret)
		goto err_prepared;
	spin_unlock_bh(&agent->port->lock);
	return 0;

err_prepared:
	ops->unprepare(send);
err_peer:
	ucmad_peer_put(send->peer);
	spin_unlock_bh(&agent->port->lock);
err_hold:
	ucmad_agent_release_hold(agent);
	return ret;
}

/* The timer's reference goes with it, unless it is running and takes it with itself. */
static void ucmad_send_stop_timer(struct ucmad_send *send)
{
	if (ucmad_compat_timer_delete(&send->timer))
		ucmad_send_put(send);
}

static void ucmad_send_start_timer(struct ucmad_send *send)
{
	if (!mod_timer(&send->timer, jiffies + send->timeout))
		refcount_inc(&send->refs);
}

/* No longer waits for room or for a response. */
static void ucmad_send_leave(struct ucmad_send *send)
{
	if (send->state == UCMAD_SEND_QUEUED)
		list_del_init(&send->node);
	else
		ucmad_peer_window_leave(send);
	ucmad_peer_refresh(send->peer);
}

/* What holds the try is to let go of it. */
static void ucmad_send_abandon(struct ucmad_send *send)
{
	const struct ucmad_channel_ops *ops = send->peer->lane->channel->ops;

	if (send->in_hardware && ops->abandon)
		ops->abandon(send);
}

/**
 * ucmad_send_complete - Tell the program what became of a send.
 * @send: A send that is not DONE; the port's lock is held.
 * @status: What.
 * @wc_status: Of the hardware.
 *
 * Puts the table's reference; the caller needs one of its own, or must not look at it again.
 */
void ucmad_send_complete(struct ucmad_send *send, enum ucmad_mad_status status, u32 wc_status)
{
	struct ucmad_agent *agent = send->agent;
	struct ucmad_queued *event = send->completion;
	struct ucmad_mad_completion *body = (void *)(&event->head + 1);

	lockdep_assert_held(&agent->port->lock);
	ucmad_send_leave(send);
	send->state = UCMAD_SEND_DONE;
	ucmad_send_remove(send);
	ucmad_send_abandon(send);

	if (status != UCMAD_MAD_RESPONDED)
		ucmad_queued_fill(event, UCMAD_EVENT_MAD_SEND, sizeof(*body), NULL, 0);
	body->cookie = send->cookie;
	body->handle = send->handle;
	body->status = status;
	body->wc_status = wc_status;
	body->tries = send->tries;
	send->completion = NULL;
	if (!ucmad_event_post(&agent->object, event)) {
		/* Deregister counts it instead (DEL-COUNT). */
		agent->flushed++;
		ucmad_queued_free(event);
	}

	ucmad_send_stop_timer(send);
	ucmad_send_put(send);
}

/* A try is over, and is to be followed by another. */
static void ucmad_send_requeue(struct ucmad_send *send)
{
	ucmad_peer_window_leave(send);
	ucmad_send_enqueue(send);
}

/* The hardware has it: the try begins. The port's lock is held. */
void ucmad_send_posted(struct ucmad_send *send)
{
	list_del_init(&send->node);
	send->state = UCMAD_SEND_WAITING;
	ucmad_peer_window_enter(send);
	send->in_hardware = true;
	send->tries++;
	refcount_inc(&send->refs);
	if (!send->no_response && !send->rmpp)
		ucmad_send_start_timer(send);
}

/* No response has come in time. */
static void ucmad_send_end_try(struct ucmad_send *send)
{
	if (send->retries) {
		send->retries--;
		ucmad_send_requeue(send);
		return;
	}
	/* The other end may have got another MAC address. */
	send->peer->stale = true;
	ucmad_send_complete(send, UCMAD_MAD_TIMED_OUT, 0);
}

/* The QP has failed on another send. */
static void ucmad_send_take_back(struct ucmad_send *send)
{
	/* The caller has a reference. */
	ucmad_send_stop_timer(send);
	send->tries--;
	ucmad_send_requeue(send);
}

static void ucmad_send_fail(struct ucmad_send *send, enum ib_wc_status status)
{
	bool timed_out = status == IB_WC_RESP_TIMEOUT_ERR;

	/* The way to the other end may be another one by now. */
	send->peer->stale = true;
	ucmad_send_complete(send, timed_out ? UCMAD_MAD_TIMED_OUT : UCMAD_MAD_ERROR,
			    timed_out ? 0 : status);
}

/* The caller has a reference. @innocent: the QP has failed on another send. */
static void ucmad_send_returned(struct ucmad_send *send, enum ib_wc_status status, bool innocent)
{
	bool try_over = send->try_over;

	send->in_hardware = false;
	send->try_over = false;
	if (send->state == UCMAD_SEND_DONE)
		; /* A response or a cancel was faster. */
	else if (try_over)
		ucmad_send_end_try(send);
	else if (innocent)
		ucmad_send_take_back(send);
	else if (status != IB_WC_SUCCESS)
		ucmad_send_fail(send, status);
	else if (send->no_response)
		ucmad_send_complete(send, UCMAD_MAD_SENT, 0);
}

/**
 * ucmad_send_sent - The hardware is through with a try.
 * @send: The send; the hardware's reference is put.
 * @status: How it went.
 *
 * Context: softirq, or a work of ib_mad.
 */
void ucmad_send_sent(struct ucmad_send *send, enum ib_wc_status status)
{
	struct ucmad_channel *channel = send->peer->lane->channel;
	struct ucmad_port *port = channel->port;
	bool innocent = false;

	spin_lock_bh(&port->lock);
	if (!--channel->posted)
		wake_up_var(&channel->posted);
	/* Of the send that it has failed on, too, rxe of Linux 6.12 says that it was flushed. */
	if (status != IB_WC_SUCCESS && channel->ops->failed)
		innocent = !channel->ops->failed(channel) && status == IB_WC_WR_FLUSH_ERR;
	ucmad_send_returned(send, status, innocent);
	ucmad_send_put(send);
	ucmad_channel_pump(channel);
	spin_unlock_bh(&port->lock);
}

/* Is it the answer to what was asked, from who was asked? Between two tries it is as good. */
static bool ucmad_send_fits(const struct ucmad_send *send, const struct ib_wc *wc,
			    const struct ib_grh *grh, const struct ib_mad_hdr *response)
{
	const struct ib_mad_hdr *request = (const void *)send->mad;

	return send->tries && !send->no_response && ib_response_mad(response) &&
	       request->mgmt_class == response->mgmt_class && wc->src_qp == send->qpn &&
	       /* Where a directed route leads is not an address. */
	       (request->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE ||
		ucmad_peer_is(send->peer, wc, grh));
}

/* The completion holds the response already, with the program's own transaction ID. */
static void ucmad_send_responded(struct ucmad_send *send, const struct ib_wc *wc,
				 struct ucmad_mad_completion *body)
{
	body->from = send->peer->key.address;
	body->from.qpn = wc->src_qp;
	body->from.qkey = send->qkey;
	ucmad_send_complete(send, UCMAD_MAD_RESPONDED, 0);
}

/**
 * ucmad_send_match - A MAD has come to a QP of our own: find what it responds to.
 * @port: The port.
 * @wc: How it came.
 * @grh: What was before it, if @wc says so.
 * @response: The MAD; nothing in it is trusted.
 *
 * What fits nothing is counted, if it is known whose, and dropped.
 */
void ucmad_send_match(struct ucmad_port *port, const struct ib_wc *wc, const struct ib_grh *grh,
		      void *response)
{
	struct ib_mad_hdr *header = response;
	u64 tid = be64_to_cpu(header->tid);
	struct ucmad_mad_completion *body;
	struct ucmad_channel *channel;
	struct ucmad_agent *agent;
	struct ucmad_send *send;

	spin_lock_bh(&port->lock);
	agent = xa_load(&port->agents, upper_32_bits(tid));
	if (agent) {
		send = ucmad_send_find(agent, lower_32_bits(tid));
		if (send && ucmad_send_fits(send, wc, grh, header)) {
			channel = send->peer->lane->channel;
			header->tid = send->tid;
			body = ucmad_queued_fill(send->completion, UCMAD_EVENT_MAD_SEND,
						 sizeof(*body), response, UCMAD_MAD_SIZE);
			ucmad_send_responded(send, wc, body);
			ucmad_channel_pump(channel);
		} else {
			agent->strays++;
		}
	}
	spin_unlock_bh(&port->lock);
}

/**
 * ucmad_send_answered - ib_mad has found the send that a MAD responds to.
 * @send: The send; ib_mad holds its try.
 * @received: The response.
 *
 * Return: Whether @received was kept.
 */
bool ucmad_send_answered(struct ucmad_send *send, struct ib_mad_recv_wc *received)
{
	struct ib_mad_hdr *header = &received->recv_buf.mad->mad_hdr;
	struct ucmad_agent *agent = send->agent;
	struct ucmad_mad_completion *body;
	bool kept = false, is_long = ucmad_rmpp_is_long(received);

	spin_lock_bh(&agent->port->lock);
	if (send->state != UCMAD_SEND_DONE &&
	    ucmad_send_fits(send, received->wc, received->recv_buf.grh, header)) {
		header->tid = send->tid;
		body = ucmad_rmpp_fill(send->completion, UCMAD_EVENT_MAD_SEND, sizeof(*body),
				       received);
		ucmad_send_responded(send, received->wc, body);
		kept = is_long;
	} else {
		agent->strays++;
	}
	spin_unlock_bh(&agent->port->lock);
	return kept;
}

static void ucmad_send_timed_out(struct timer_list *timer)
{
	struct ucmad_send *send = ucmad_compat_timer_container(send, timer, timer);
	struct ucmad_port *port = send->agent->port;
	struct ucmad_channel *channel = send->peer->lane->channel;

	spin_lock_bh(&port->lock);
	if (send->state != UCMAD_SEND_WAITING || timer_pending(&send->timer)) {
		/* Over, or the time-out was changed while this came. */
	} else if (send->in_hardware && send->retries) {
		send->try_over = true;
		ucmad_send_abandon(send);
	} else {
		ucmad_send_end_try(send);
	}
	ucmad_send_put(send);
	ucmad_channel_pump(channel);
	spin_unlock_bh(&port->lock);
}

static void ucmad_send_cancel_found(struct ucmad_send *send, enum ucmad_mad_status status)
{
	struct ucmad_channel *channel = send->peer->lane->channel;

	ucmad_send_complete(send, status, 0);
	ucmad_channel_pump(channel);
}

/* Cancels one send, if it is not over (MAD-CANCEL). */
void ucmad_send_cancel(struct ucmad_agent *agent, u32 handle, enum ucmad_mad_status status)
{
	struct ucmad_send *send;

	spin_lock_bh(&agent->port->lock);
	send = ucmad_send_find(agent, handle);
	if (send)
		ucmad_send_cancel_found(send, status);
	spin_unlock_bh(&agent->port->lock);
}

/* Returns false if there is none. */
static bool ucmad_send_cancel_oldest(struct ucmad_agent *agent, enum ucmad_mad_status status)
{
	struct ucmad_send *send;

	spin_lock_bh(&agent->port->lock);
	send = list_first_entry_or_null(&agent->live, struct ucmad_send, live);
	if (send)
		ucmad_send_cancel_found(send, status);
	spin_unlock_bh(&agent->port->lock);
	return send;
}

/*
 * Cancels all sends that there are when this is called, oldest first; others may be posted
 * meanwhile. Between any two of them the lock is free for others.
 */
void ucmad_send_cancel_all(struct ucmad_agent *agent, enum ucmad_mad_status status)
{
	u32 left = agent->max_in_flight;

	while (left-- && ucmad_send_cancel_oldest(agent, status))
		;
}

void ucmad_send_set_timeout(struct ucmad_agent *agent, u32 handle, u32 timeout_ms)
{
	struct ucmad_send *send;

	spin_lock_bh(&agent->port->lock);
	send = ucmad_send_find(agent, handle);
	if (send && !send->no_response && !send->rmpp) {
		send->timeout = msecs_to_jiffies(timeout_ms);
		if (send->state == UCMAD_SEND_WAITING && !send->try_over)
			ucmad_send_start_timer(send);
	}
	spin_unlock_bh(&agent->port->lock);
}
