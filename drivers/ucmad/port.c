// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* What the agents of one port share: QPs of our own, and whose turn it is to send over one. */
#include <linux/slab.h>

#include "mad.h"

/* Guards the list, who uses a port, and the QPs of each port. */
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

static struct ucmad_port *ucmad_port_create(struct ib_device *ib, u8 number)
{
	struct ucmad_port *port = kzalloc(sizeof(*port), GFP_KERNEL);

	if (!port)
		return NULL;
	port->ib = ib;
	port->number = number;
	INIT_LIST_HEAD(&port->uds);
	spin_lock_init(&port->lock);
	xa_init_flags(&port->agents, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	list_add(&port->entry, &ucmad_ports);
	return port;
}

/* Returns the port, or NULL for want of memory. Its device must not go before it is put. */
struct ucmad_port *ucmad_port_get(struct ib_device *ib, u8 number)
{
	struct ucmad_port *port;

	mutex_lock(&ucmad_ports_mutex);
	port = ucmad_port_find(ib, number) ?: ucmad_port_create(ib, number);
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

static struct ucmad_ud *ucmad_port_ud_find(const struct ucmad_port *port, u16 pkey_index)
{
	struct ucmad_ud *ud;

	list_for_each_entry(ud, &port->uds, entry)
		if (ud->pkey_index == pkey_index)
			return ud;
	return NULL;
}

/* Returns the channel of our QP with a P_Key index, made on demand, or an ERR_PTR(). */
struct ucmad_channel *ucmad_port_ud_get(struct ucmad_port *port, u16 pkey_index)
{
	struct ucmad_ud *ud;

	mutex_lock(&ucmad_ports_mutex);
	ud = ucmad_port_ud_find(port, pkey_index);
	if (!ud) {
		ud = ucmad_ud_create(port, pkey_index);
		if (!IS_ERR(ud))
			list_add(&ud->entry, &port->uds);
	}
	if (!IS_ERR(ud))
		ud->users++;
	mutex_unlock(&ucmad_ports_mutex);
	return IS_ERR(ud) ? ERR_CAST(ud) : &ud->channel;
}

void ucmad_port_ud_put(struct ucmad_channel *channel)
{
	struct ucmad_ud *ud = container_of(channel, struct ucmad_ud, channel);

	mutex_lock(&ucmad_ports_mutex);
	if (!--ud->users) {
		list_del(&ud->entry);
		ucmad_ud_destroy(ud);
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

/**
 * ucmad_wc_gids - Both ends of what was received.
 * @wc: How it came; there is a GRH.
 * @grh: What was before it: a GRH, or on RoCE v2 an IP header of either version.
 * @from: Out: the sender's GID.
 * @to: Out: our GID.
 *
 * Return: 0, or an error if it is neither.
 */
int ucmad_wc_gids(const struct ib_wc *wc, const struct ib_grh *grh, union ib_gid *from,
		  union ib_gid *to)
{
	const union rdma_network_hdr *header = (const void *)grh;
	enum rdma_network_type type = RDMA_NETWORK_IB;

	if (wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE)
		type = wc->network_hdr_type;
	else if (ib_get_rdma_header_version(header) == 4)
		type = RDMA_NETWORK_IPV4;
	return ib_get_gids_from_rdma_hdr(header, type, from, to);
}
