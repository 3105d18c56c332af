// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * Where the sends of an agent go. The address of a peer is resolved once, off the caller's back,
 * while sends to it wait in its queue; its address handle is used by all of them.
 *
 *   RESOLVING -> READY     sends leave as there is room
 *   RESOLVING -> FAILED    what waited has ended (unreachable); the next send tries anew
 *   READY or FAILED        forgotten, if the last time nobody answered and it was idle since: the
 *                          next send starts afresh, with the local and remote address of the day
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "compat.h"
#include "mad.h"

/* A peer may have so many requests to answer at a time: half of what fits into its QP1. */
#define UCMAD_PEER_WINDOW	256
/* What it has not answered by then is lost, or has left its QP1 and is with its agent. */
#define UCMAD_PEER_WINDOW_MS	200
/* An agent keeps so many peers; those that are idle give way. */
#define UCMAD_PEERS_MAX		4096

static const struct rhashtable_params ucmad_peer_params = {
	.head_offset = offsetof(struct ucmad_peer, hash),
	.key_offset = offsetof(struct ucmad_peer, key),
	.key_len = sizeof(struct ucmad_peer_key),
	.automatic_shrinking = true,
};

int ucmad_peers_init(struct ucmad_agent *agent)
{
	mutex_init(&agent->mutex);
	INIT_LIST_HEAD(&agent->lanes);
	INIT_LIST_HEAD(&agent->idle);
	return rhashtable_init(&agent->peers, &ucmad_peer_params);
}

static struct ucmad_lane *ucmad_lane_find(struct ucmad_agent *agent, struct ucmad_channel *channel)
{
	struct ucmad_lane *lane;

	list_for_each_entry(lane, &agent->lanes, entry)
		if (lane->channel == channel)
			return lane;
	return NULL;
}

static void ucmad_lane_release_channel(struct ucmad_agent *agent, struct ucmad_channel *channel)
{
	if (!agent->gsi || channel != &agent->gsi->channel)
		agent->port->transport->close(channel);
}

static struct ucmad_lane *ucmad_lane_get(struct ucmad_agent *agent, u16 pkey_index, bool gsi)
{
	struct ucmad_channel *channel;
	struct ucmad_lane *lane;

	channel = gsi ? &agent->gsi->channel :
			agent->port->transport->open(agent->port, pkey_index);
	if (IS_ERR(channel))
		return ERR_CAST(channel);
	lane = ucmad_lane_find(agent, channel);
	if (lane) {
		ucmad_lane_release_channel(agent, channel);
		return lane;
	}
	lane = kzalloc(sizeof(*lane), GFP_KERNEL_ACCOUNT);
	if (!lane) {
		ucmad_lane_release_channel(agent, channel);
		return ERR_PTR(-ENOMEM);
	}
	lane->channel = channel;
	INIT_LIST_HEAD(&lane->turn);
	INIT_LIST_HEAD(&lane->peers);
	list_add(&lane->entry, &agent->lanes);
	return lane;
}

static void ucmad_lane_free(struct ucmad_agent *agent, struct ucmad_lane *lane)
{
	list_del(&lane->entry);
	ucmad_lane_release_channel(agent, lane->channel);
	kfree(lane);
}

static void ucmad_peer_fail(struct ucmad_peer *peer)
{
	struct ucmad_send *send, *next;

	peer->state = UCMAD_PEER_FAILED;
	list_for_each_entry_safe(send, next, &peer->queue, node)
		ucmad_send_complete(send, UCMAD_MAD_UNREACHABLE, 0);
}

/**
 * ucmad_peer_resolved - The search for a peer's address is over.
 * @peer: A peer that is RESOLVING.
 * @found: Can it be sent to?
 */
void ucmad_peer_resolved(struct ucmad_peer *peer, bool found)
{
	struct ucmad_port *port = peer->agent->port;

	spin_lock_bh(&port->lock);
	if (found) {
		peer->state = UCMAD_PEER_READY;
		ucmad_peer_refresh(peer);
		ucmad_channel_pump(peer->lane->channel);
	} else {
		ucmad_peer_fail(peer);
	}
	spin_unlock_bh(&port->lock);
}

/* ---- window ------------------------------------------------------------------------------ */

/* A try to the peer has begun. The port's lock is held. */
void ucmad_peer_window_enter(struct ucmad_send *send)
{
	send->sent_at = jiffies;
	list_add_tail(&send->node, &send->peer->window);
	send->peer->window_used++;
}

/* It is over, or was taken out before. The port's lock is held. */
void ucmad_peer_window_leave(struct ucmad_send *send)
{
	if (list_empty(&send->node))
		return;
	list_del_init(&send->node);
	send->peer->window_used--;
}

static unsigned long ucmad_peer_window_end(const struct ucmad_peer *peer)
{
	const struct ucmad_send *oldest = list_first_entry(&peer->window, struct ucmad_send, node);

	return oldest->sent_at + msecs_to_jiffies(UCMAD_PEER_WINDOW_MS);
}

static void ucmad_peer_window_expired(struct timer_list *timer)
{
	struct ucmad_peer *peer = ucmad_compat_timer_container(peer, timer, window_timer);
	struct ucmad_port *port = peer->agent->port;

	spin_lock_bh(&port->lock);
	while (!list_empty(&peer->window) &&
	       time_after_eq(jiffies, ucmad_peer_window_end(peer)))
		ucmad_peer_window_leave(list_first_entry(&peer->window, struct ucmad_send, node));
	ucmad_peer_refresh(peer);
	ucmad_channel_pump(peer->lane->channel);
	spin_unlock_bh(&port->lock);
}

/* ---- life -------------------------------------------------------------------------------- */

/* The agent's mutex is held; no send uses it and none comes to. */
static void ucmad_peer_destroy(struct ucmad_peer *peer)
{
	struct ucmad_agent *agent = peer->agent;

	rhashtable_remove_fast(&agent->peers, &peer->hash, ucmad_peer_params);
	agent->peer_count--;
	ucmad_compat_timer_delete_sync(&peer->window_timer);
	agent->port->transport->release(peer);
	kfree(peer);
}

/* Makes room for one more. The agent's mutex is held. */
static int ucmad_peer_evict(struct ucmad_agent *agent)
{
	struct ucmad_peer *peer;

	if (agent->peer_count < UCMAD_PEERS_MAX)
		return 0;
	spin_lock_bh(&agent->port->lock);
	peer = list_first_entry_or_null(&agent->idle, struct ucmad_peer, idle);
	if (peer)
		list_del_init(&peer->idle);
	spin_unlock_bh(&agent->port->lock);
	if (!peer)
		return -EAGAIN;
	ucmad_peer_destroy(peer);
	return 0;
}

static struct ucmad_peer *ucmad_peer_create(struct ucmad_agent *agent,
					    const struct ucmad_peer_key *key)
{
	struct ucmad_peer *peer;
	int ret;

	ret = ucmad_peer_evict(agent);
	if (ret)
		return ERR_PTR(ret);
	peer = kzalloc(sizeof(*peer), GFP_KERNEL_ACCOUNT);
	if (!peer)
		return ERR_PTR(-ENOMEM);
	peer->key = *key;
	peer->agent = agent;
	peer->state = UCMAD_PEER_FAILED;
	INIT_LIST_HEAD(&peer->queue);
	INIT_LIST_HEAD(&peer->window);
	timer_setup(&peer->window_timer, ucmad_peer_window_expired, 0);
	INIT_LIST_HEAD(&peer->turn);
	INIT_LIST_HEAD(&peer->idle);

	ret = agent->port->transport->locate(peer);
	if (ret)
		goto err_free;
	peer->lane = ucmad_lane_get(agent, key->address.pkey_index, key->gsi);
	if (IS_ERR(peer->lane)) {
		ret = PTR_ERR(peer->lane);
		goto err_located;
	}
	ret = rhashtable_insert_fast(&agent->peers, &peer->hash, ucmad_peer_params);
	if (ret)
		goto err_located;
	agent->peer_count++;
	return peer;

err_located:
	agent->port->transport->release(peer);
err_free:
	kfree(peer);
	return ERR_PTR(ret);
}

/* A peer that did not answer, or was not found, is forgotten once nothing is sent to it. */
static struct ucmad_peer *ucmad_peer_find(struct ucmad_agent *agent,
					  const struct ucmad_peer_key *key)
{
	struct ucmad_peer *peer = rhashtable_lookup_fast(&agent->peers, key, ucmad_peer_params);
	bool forget;

	if (!peer)
		return NULL;
	spin_lock_bh(&agent->port->lock);
	forget = !peer->sends && (peer->stale || peer->state == UCMAD_PEER_FAILED);
	if (forget)
		list_del_init(&peer->idle);
	spin_unlock_bh(&agent->port->lock);
	if (!forget)
		return peer;
	ucmad_peer_destroy(peer);
	return NULL;
}

/* Counts a send of the peer in. Returns whether its address is to be resolved first. */
static bool ucmad_peer_use(struct ucmad_peer *peer)
{
	struct ucmad_port *port = peer->agent->port;
	bool resolve;

	spin_lock_bh(&port->lock);
	resolve = peer->state == UCMAD_PEER_FAILED;
	peer->sends++;
	list_del_init(&peer->idle);
	if (resolve)
		peer->state = UCMAD_PEER_RESOLVING;
	spin_unlock_bh(&port->lock);
	return resolve;
}

/**
 * ucmad_peer_get - Find a peer, for one send.
 * @agent: The agent, its mutex held.
 * @to: Where it is; valid as far as that does not depend on the device.
 * @gsi: To be reached from QP1.
 *
 * Return: The peer, or an ERR_PTR(): -EINVAL the address does not go with the link layer,
 * -EADDRNOTAVAIL no such local GID, -EAGAIN too many peers have sends, -ENOMEM.
 */
struct ucmad_peer *ucmad_peer_get(struct ucmad_agent *agent, const struct ucmad_mad_address *to,
				  bool gsi)
{
	struct ucmad_peer_key key = { .address = *to, .gsi = gsi };
	struct ucmad_peer *peer;

	lockdep_assert_held(&agent->mutex);
	key.address.qpn = 0;
	key.address.qkey = 0;
	peer = ucmad_peer_find(agent, &key);
	if (!peer) {
		peer = ucmad_peer_create(agent, &key);
		if (IS_ERR(peer))
			return peer;
	}
	if (ucmad_peer_use(peer))
		agent->port->transport->resolve(peer);
	return peer;
}

/* A send to it is no more. The port's lock is held. */
void ucmad_peer_put(struct ucmad_peer *peer)
{
	lockdep_assert_held(&peer->agent->port->lock);
	if (!--peer->sends)
		list_add_tail(&peer->idle, &peer->agent->idle);
}

/**
 * ucmad_peer_refresh - Give it its turn, or take it away: nothing else decides that.
 * @peer: The peer, anything of which may have changed; the port's lock is held.
 */
void ucmad_peer_refresh(struct ucmad_peer *peer)
{
	bool wants = peer->state == UCMAD_PEER_READY && !list_empty(&peer->queue);
	bool full = peer->window_used >= UCMAD_PEER_WINDOW;
	struct ucmad_lane *lane = peer->lane;

	lockdep_assert_held(&peer->agent->port->lock);
	if (wants && full && !timer_pending(&peer->window_timer))
		mod_timer(&peer->window_timer, ucmad_peer_window_end(peer));
	if (!wants || full)
		list_del_init(&peer->turn);
	else if (list_empty(&peer->turn))
		list_add_tail(&peer->turn, &lane->peers);

	if (list_empty(&lane->peers))
		list_del_init(&lane->turn);
	else if (list_empty(&lane->turn))
		list_add_tail(&lane->turn, &lane->channel->lanes);
}

/* Did a datagram come from this peer? */
bool ucmad_peer_is(const struct ucmad_peer *peer, const struct ib_wc *wc, const struct ib_grh *grh)
{
	const struct ucmad_mad_address *to = &peer->key.address;
	union ib_gid from, here;

	if (!(to->flags & UCMAD_ADDRESS_GRH))
		return wc->slid == to->dlid;
	return wc->wc_flags & IB_WC_GRH && !ucmad_address_of_wc(wc, grh, &from, &here) &&
	       !memcmp(&from, to->dgid, sizeof(from));
}

/* The agent is torn down, and all its sends are gone. */
void ucmad_peers_destroy(struct ucmad_agent *agent)
{
	struct ucmad_peer *peer, *next_peer;
	struct ucmad_lane *lane, *next_lane;

	mutex_lock(&agent->mutex);
	list_for_each_entry_safe(peer, next_peer, &agent->idle, idle) {
		list_del(&peer->idle);
		ucmad_peer_destroy(peer);
		cond_resched();
	}
	list_for_each_entry_safe(lane, next_lane, &agent->lanes, entry)
		ucmad_lane_free(agent, lane);
	rhashtable_destroy(&agent->peers);
	mutex_unlock(&agent->mutex);
}
