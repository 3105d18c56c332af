// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * Addresses of MADs and devices: what of an address goes with a port, the search for the hardware
 * address behind a GID, the address handle, and where a datagram has come from.
 */
#include <rdma/ib_cache.h>

#include "mad.h"
#include "main.h"
#include "path.h"

#define UCMAD_RESOLVE_MS	2000

/* The local GID goes with the attributes, by a reference of their own. */
static struct ib_ah *ucmad_address_create_ah(struct ucmad_peer *peer)
{
	const struct ucmad_mad_address *to = &peer->key.address;
	struct ib_device *ib = peer->agent->port->ib;
	struct rdma_ah_attr attr = {};
	struct ib_ah *ah;

	attr.type = rdma_ah_find_type(ib, peer->agent->port->number);
	rdma_ah_set_port_num(&attr, peer->agent->port->number);
	rdma_ah_set_sl(&attr, to->sl);
	rdma_ah_set_static_rate(&attr, to->rate);
	rdma_ah_set_dlid(&attr, to->dlid);
	rdma_ah_set_path_bits(&attr, to->path_bits);
	if (peer->sgid_attr) {
		union ib_gid dgid;

		memcpy(&dgid, to->dgid, sizeof(dgid));
		rdma_hold_gid_attr(peer->sgid_attr);
		rdma_move_grh_sgid_attr(&attr, &dgid, to->flow_label,
					to->hop_limit ?: peer->resolve_addr.hoplimit ?: 64,
					to->traffic_class, peer->sgid_attr);
	}
	if (attr.type == RDMA_AH_ATTR_TYPE_ROCE)
		memcpy(attr.roce.dmac, peer->resolve_addr.dst_dev_addr, ETH_ALEN);
	ah = rdma_create_ah(peer->lane->channel->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	rdma_destroy_ah_attr(&attr);
	return ah;
}

static void ucmad_address_resolved(struct work_struct *work)
{
	struct ucmad_peer *peer = container_of(work, struct ucmad_peer, resolved_work);
	struct ib_ah *ah = NULL;

	if (!peer->resolve_status)
		ah = ucmad_address_create_ah(peer);
	if (!IS_ERR(ah))
		peer->ah = ah;
	ucmad_peer_resolved(peer, peer->ah);
}

static void ucmad_address_resolve_done(int status, struct sockaddr *src,
				       struct rdma_dev_addr *addr, void *context)
{
	struct ucmad_peer *peer = context;

	peer->resolve_status = status;
	queue_work(ucmad_workqueue, &peer->resolved_work);
}

/**
 * ucmad_address_resolve - See &ucmad_transport.resolve.
 * @peer: The peer.
 */
void ucmad_address_resolve(struct ucmad_peer *peer)
{
	struct ucmad_port *port = peer->agent->port;
	union ib_gid dgid;
	int ret = 0;

	/* The last resolution is over, but may not have left the list of those under way. */
	rdma_addr_cancel(&peer->resolve_addr);
	if (rdma_protocol_roce(port->ib, port->number)) {
		memcpy(&dgid, peer->key.address.dgid, sizeof(dgid));
		ret = ucmad_path_resolve(&dgid, peer->sgid_attr,
					 &peer->resolve_addr, UCMAD_RESOLVE_MS,
					 ucmad_address_resolve_done, peer);
		if (!ret)
			return;
	}
	ucmad_address_resolve_done(ret, NULL, &peer->resolve_addr, peer);
}

/* Both ends speak the same kind of IP, to one station. */
static bool ucmad_address_roce_is_valid(const struct ucmad_mad_address *to,
					const struct ib_gid_attr *sgid_attr)
{
	const struct in6_addr *dgid = (const void *)to->dgid;

	return !to->dlid && !ipv6_addr_any(dgid) && !rdma_is_multicast_addr((void *)dgid) &&
	       ucmad_gids_are_of_one_kind((const union ib_gid *)dgid, &sgid_attr->gid);
}

/**
 * ucmad_address_locate - See &ucmad_transport.locate.
 * @peer: The peer.
 *
 * Return: 0, -EINVAL the address does not go with the link layer, -EADDRNOTAVAIL no such local GID.
 */
int ucmad_address_locate(struct ucmad_peer *peer)
{
	struct ucmad_port *port = peer->agent->port;
	const struct ucmad_mad_address *to = &peer->key.address;
	bool roce = rdma_protocol_roce(port->ib, port->number);
	const struct ib_gid_attr *attr;
	u16 pkey;

	INIT_WORK(&peer->resolved_work, ucmad_address_resolved);
	if (ib_get_cached_pkey(port->ib, port->number, to->pkey_index, &pkey))
		return -EINVAL;
	if (!roce && !to->dlid)
		return -EINVAL;
	if (!(to->flags & UCMAD_ADDRESS_GRH))
		return roce ? -EINVAL : 0;
	attr = rdma_get_gid_attr(port->ib, port->number, to->sgid_index);
	if (IS_ERR(attr))
		return -EADDRNOTAVAIL;
	if (roce && !ucmad_address_roce_is_valid(to, attr)) {
		rdma_put_gid_attr(attr);
		return -EINVAL;
	}
	peer->sgid_attr = attr;
	return 0;
}

/**
 * ucmad_address_release - See &ucmad_transport.release.
 * @peer: The peer.
 */
void ucmad_address_release(struct ucmad_peer *peer)
{
	rdma_addr_cancel(&peer->resolve_addr);
	cancel_work_sync(&peer->resolved_work);
	if (peer->ah)
		rdma_destroy_ah(peer->ah, RDMA_DESTROY_AH_SLEEPABLE);
	if (peer->sgid_attr)
		rdma_put_gid_attr(peer->sgid_attr);
}

/**
 * ucmad_address_of_wc - Both ends of what was received.
 * @wc: How it came; there is a GRH.
 * @grh: What was before it: a GRH, or on RoCE v2 an IP header of either version.
 * @from: Out: the sender's GID.
 * @to: Out: our GID.
 *
 * Return: 0, or an error if it is neither.
 */
int ucmad_address_of_wc(const struct ib_wc *wc, const struct ib_grh *grh, union ib_gid *from,
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
