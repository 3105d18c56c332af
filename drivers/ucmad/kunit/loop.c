// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* The port in memory; see loop.h. */
#include "loop.h"

static struct ucmad_loop *ucmad_loop_of(const struct ucmad_port *port)
{
	return container_of(port->transport, struct ucmad_loop, transport);
}

/* ---- channel ----------------------------------------------------------------------------- */

static int ucmad_loop_prepare(struct ucmad_send *send)
{
	struct ucmad_loop *loop = ucmad_loop_of(send->agent->port);

	if (loop->preparing)
		loop->preparing(send);
	if (!loop->prepare_error)
		loop->prepared++;
	return loop->prepare_error;
}

static void ucmad_loop_unprepare(struct ucmad_send *send)
{
	ucmad_loop_of(send->agent->port)->prepared--;
}

static int ucmad_loop_post(struct ucmad_send *send)
{
	struct ucmad_loop *loop = ucmad_loop_of(send->agent->port);

	lockdep_assert_held(&send->agent->port->lock);
	if (loop->post_error)
		return loop->post_error;
	loop->posts++;
	loop->held[loop->held_count++] = send;
	return 0;
}

static void ucmad_loop_abandon(struct ucmad_send *send)
{
	ucmad_loop_of(send->agent->port)->abandons++;
}

/* It is repaired when the test sets the depth again. */
static bool ucmad_loop_failed(struct ucmad_channel *channel)
{
	struct ucmad_loop *loop = container_of(channel, struct ucmad_loop, channel);
	bool is_first = channel->depth;

	loop->failures++;
	channel->depth = 0;
	return is_first;
}

static const struct ucmad_channel_ops ucmad_loop_channel_ops = {
	.prepare = ucmad_loop_prepare,
	.unprepare = ucmad_loop_unprepare,
	.post = ucmad_loop_post,
	.abandon = ucmad_loop_abandon,
	.failed = ucmad_loop_failed,
};

/* ---- transport --------------------------------------------------------------------------- */

static struct ucmad_channel *ucmad_loop_open(struct ucmad_port *port, u16 pkey_index)
{
	struct ucmad_loop *loop = ucmad_loop_of(port);

	if (loop->open_error)
		return ERR_PTR(loop->open_error);
	loop->channel.port = port;
	loop->users++;
	return &loop->channel;
}

static void ucmad_loop_close(struct ucmad_channel *channel)
{
	struct ucmad_loop *loop = container_of(channel, struct ucmad_loop, channel);

	if (!--loop->users)
		channel->port = NULL;
}

static int ucmad_loop_locate(struct ucmad_peer *peer)
{
	return ucmad_loop_of(peer->agent->port)->locate_error;
}

static void ucmad_loop_resolve(struct ucmad_peer *peer)
{
	struct ucmad_loop *loop = ucmad_loop_of(peer->agent->port);

	loop->peer = peer;
	if (!loop->slow)
		ucmad_peer_resolved(peer, true);
}

static void ucmad_loop_release(struct ucmad_peer *peer)
{
	ucmad_loop_of(peer->agent->port)->releases++;
}

void ucmad_loop_init(struct ucmad_loop *loop)
{
	loop->transport.open = ucmad_loop_open;
	loop->transport.close = ucmad_loop_close;
	loop->transport.locate = ucmad_loop_locate;
	loop->transport.resolve = ucmad_loop_resolve;
	loop->transport.release = ucmad_loop_release;
	ucmad_channel_init(&loop->channel, &ucmad_loop_channel_ops, NULL, UCMAD_LOOP_DEPTH);
}

/* ---- what the test does ------------------------------------------------------------------ */

/* How many tries the hardware takes at a time; 0: none until further notice. */
void ucmad_loop_set_depth(struct ucmad_loop *loop, u32 depth)
{
	struct ucmad_port *port = loop->channel.port;

	if (!port) {
		loop->channel.depth = depth;
		return;
	}
	spin_lock_bh(&port->lock);
	loop->channel.depth = depth;
	ucmad_channel_pump(&loop->channel);
	spin_unlock_bh(&port->lock);
}

/* The hardware is through with the nth of the tries that it holds. */
void ucmad_loop_finish(struct ucmad_loop *loop, u32 nth, enum ib_wc_status status)
{
	struct ucmad_port *port = loop->channel.port;
	struct ucmad_send *send;

	spin_lock_bh(&port->lock);
	send = loop->held[nth];
	loop->held_count--;
	memmove(&loop->held[nth], &loop->held[nth + 1],
		(loop->held_count - nth) * sizeof(loop->held[0]));
	spin_unlock_bh(&port->lock);
	ucmad_send_sent(send, status);
}

/* With all of them, oldest first, and with what is posted meanwhile. */
void ucmad_loop_finish_all(struct ucmad_loop *loop)
{
	while (loop->held_count)
		ucmad_loop_finish(loop, 0, IB_WC_SUCCESS);
}

/* What the other end makes of a send. */
void ucmad_loop_answer(struct ucmad_send *send, struct ucmad_datagram *answer)
{
	struct ib_mad_hdr *header = (void *)answer->mad;

	memset(&answer->wc, 0, sizeof(answer->wc));
	answer->wc.src_qp = send->qpn;
	answer->wc.slid = send->peer->key.address.dlid;
	memcpy(answer->mad, send->mad, sizeof(answer->mad));
	header->method |= IB_MGMT_METHOD_RESP;
}

/* It arrives; the same one may do so more than once. */
void ucmad_loop_deliver(struct ucmad_loop *loop, const struct ucmad_datagram *datagram)
{
	struct ucmad_datagram arrived = *datagram;

	ucmad_send_match(loop->channel.port, &arrived.wc, NULL, arrived.mad);
}
