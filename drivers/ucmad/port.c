// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* What the agents of one port share, and whose turn it is to send over a channel. */
#include <linux/slab.h>

#include "mad.h"

/* Guards the list, and who uses a port. */
static DEFINE_MUTEX(ucmad_ports_mutex);
static LIST_HEAD(ucmad_ports);

static struct ucmad_port *ucmad_port_find(const struct ib_device *ib, u8 number)
{
	struct ucmad_port *port;

	list_for_each_entry(port, &ucmad_ports, entry)
		if (port->ib == ib && port->number == number)
			return port;
	return NULL;
}

static struct ucmad_port *ucmad_port_create(const struct ucmad_transport *transport,
					    struct ib_device *ib, u8 number)
{
	struct ucmad_port *port = kzalloc(sizeof(*port), GFP_KERNEL);

	if (!port)
		return NULL;
	port->transport = transport;
	port->ib = ib;
	port->number = number;
	mutex_init(&port->mutex);
	INIT_LIST_HEAD(&port->uds);
	spin_lock_init(&port->lock);
	xa_init_flags(&port->agents, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	list_add(&port->entry, &ucmad_ports);
	return port;
}

/**
 * ucmad_port_get - Find a port, or make it known.
 * @transport: How it reaches others: always the same for one device.
 * @ib: The device; it must not go before the port is put.
 * @number: Its number.
 *
 * Return: The port, or NULL for want of memory.
 */
struct ucmad_port *ucmad_port_get(const struct ucmad_transport *transport, struct ib_device *ib,
				  u8 number)
{
	struct ucmad_port *port;

	mutex_lock(&ucmad_ports_mutex);
	port = ucmad_port_find(ib, number) ?: ucmad_port_create(transport, ib, number);
	if (port)
		port->users++;
	mutex_unlock(&ucmad_ports_mutex);
	return port;
}

void ucmad_port_put(struct ucmad_port *port)
{
	mutex_lock(&ucmad_ports_mutex);
	if (!--port->users) {
		list_del(&port->entry);
		xa_destroy(&port->agents);
		kfree(port);
	}
	mutex_unlock(&ucmad_ports_mutex);
}

void ucmad_channel_init(struct ucmad_channel *channel, const struct ucmad_channel_ops *ops,
			struct ucmad_port *port, u32 depth)
{
	channel->ops = ops;
	channel->port = port;
	channel->depth = depth;
	INIT_LIST_HEAD(&channel->lanes);
}

/* Both the agent and, of its peers, this one go to the end of their queues. */
static struct ucmad_send *ucmad_channel_next(struct ucmad_channel *channel)
{
	struct ucmad_lane *lane = list_first_entry(&channel->lanes, struct ucmad_lane, turn);
	struct ucmad_peer *peer = list_first_entry(&lane->peers, struct ucmad_peer, turn);

	list_del_init(&lane->turn);
	list_del_init(&peer->turn);
	return list_first_entry(&peer->queue, struct ucmad_send, node);
}

/**
 * ucmad_channel_pump - Send what can be sent.
 * @channel: The channel, anything of which may have changed; its port's lock is held.
 */
void ucmad_channel_pump(struct ucmad_channel *channel)
{
	struct ucmad_peer *peer;
	struct ucmad_send *send;
	int ret;

	lockdep_assert_held(&channel->port->lock);
	while (channel->posted < channel->depth && !list_empty(&channel->lanes)) {
		send = ucmad_channel_next(channel);
		peer = send->peer;
		ret = channel->ops->post(send);
		if (ret) {
			ucmad_send_complete(send, UCMAD_MAD_ERROR, IB_WC_GENERAL_ERR);
			continue;
		}
		channel->posted++;
		ucmad_send_posted(send);
		ucmad_peer_refresh(peer);
	}
}
