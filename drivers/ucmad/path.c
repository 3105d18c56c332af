// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* Paths of the ABI to path records of ib_core, and back; RoCE's MAC addresses. */
#include <linux/string.h>
#include <rdma/ib_cache.h>

#include "file.h"
#include "path.h"

/* Is everything in range that does not depend on the device? (IBTA 15.2.5.16) */
static bool ucmad_path_is_valid(const struct ucmad_path *path)
{
	return !path->flags && ucmad_is_zero(path->reserved) &&
	       path->flow_label <= UCMAD_20_BITS && path->sl <= 15 &&
	       path->mtu >= IB_MTU_256 && path->mtu <= IB_MTU_4096 &&
	       path->packet_life_time <= 31 &&
	       ucmad_rate_is_valid(path->rate);
}

/* The local GID, by its index; whoever names the GID too must mean the same one. */
static const struct ib_gid_attr *ucmad_path_sgid(struct ib_device *ib,
						 const struct ucmad_path *path)
{
	const struct ib_gid_attr *attr = rdma_get_gid_attr(ib, path->port, path->sgid_index);

	if (IS_ERR(attr))
		return ERR_PTR(-EADDRNOTAVAIL);
	if (!ucmad_is_zero(path->sgid) && memcmp(path->sgid, &attr->gid, sizeof(path->sgid))) {
		rdma_put_gid_attr(attr);
		return ERR_PTR(-EADDRNOTAVAIL);
	}
	return attr;
}

static int ucmad_path_set_roce(struct sa_path_rec *record, const struct ucmad_path *path,
			       const struct ib_gid_attr *attr)
{
	/* Both ends speak the same kind of IP. */
	if (path->dlid || path->slid || ucmad_is_zero(path->dgid) ||
	    !ucmad_gids_are_of_one_kind(&record->dgid, &record->sgid))
		return -EINVAL;
	record->rec_type = sa_conv_gid_to_pathrec_type(attr->gid_type);
	record->roce.route_resolved = false;
	return 0;
}

static int ucmad_path_set_ib(struct sa_path_rec *record, const struct ucmad_path *path)
{
	if (!path->dlid)
		return -EINVAL;
	record->rec_type = SA_PATH_REC_TYPE_IB;
	sa_path_set_dlid(record, path->dlid);
	sa_path_set_slid(record, path->slid);
	return 0;
}

/**
 * ucmad_path_to_record - Make a path record.
 * @ib: The device.
 * @path: What the program asks for.
 * @record: Out: the path record; on RoCE still without the peer's MAC address.
 * @sgid_attr: Out: the local GID, with a reference for the caller.
 *
 * Return: 0, -EINVAL a member is out of range or does not go with the link layer, -EADDRNOTAVAIL
 * no such local GID, -EOPNOTSUPP the port has no CM.
 */
int ucmad_path_to_record(struct ib_device *ib, const struct ucmad_path *path,
			 struct sa_path_rec *record, const struct ib_gid_attr **sgid_attr)
{
	const struct ib_gid_attr *attr;
	int ret;

	if (!ucmad_path_is_valid(path) || !rdma_is_port_valid(ib, path->port))
		return -EINVAL;
	if (!rdma_cap_ib_cm(ib, path->port))
		return -EOPNOTSUPP;
	attr = ucmad_path_sgid(ib, path);
	if (IS_ERR(attr))
		return PTR_ERR(attr);

	memset(record, 0, sizeof(*record));
	memcpy(&record->dgid, path->dgid, sizeof(record->dgid));
	record->sgid = attr->gid;
	record->flow_label = cpu_to_be32(path->flow_label);
	record->hop_limit = path->hop_limit;
	record->traffic_class = path->traffic_class;
	record->reversible = 1;
	record->numb_path = 1;
	record->pkey = cpu_to_be16(path->pkey ?: IB_DEFAULT_PKEY_FULL);
	record->sl = path->sl;
	record->mtu_selector = IB_SA_EQ;
	record->mtu = path->mtu;
	record->rate_selector = IB_SA_EQ;
	record->rate = path->rate;
	record->packet_life_time_selector = IB_SA_EQ;
	record->packet_life_time = path->packet_life_time;

	if (rdma_protocol_roce(ib, path->port))
		ret = ucmad_path_set_roce(record, path, attr);
	else
		ret = ucmad_path_set_ib(record, path);
	if (ret)
		rdma_put_gid_attr(attr);
	else
		*sgid_attr = attr;
	return ret;
}

/**
 * ucmad_path_from_record - Describe a path to the program.
 * @path: Zeroed; out: the path.
 * @record: The path record.
 * @port: Local port.
 * @sgid_attr: The local GID, if known, else NULL.
 */
void ucmad_path_from_record(struct ucmad_path *path, const struct sa_path_rec *record, u8 port,
			    const struct ib_gid_attr *sgid_attr)
{
	/* The accessors of <rdma/ib_sa.h> do not write to it, but do not say so. */
	struct sa_path_rec *rec = (struct sa_path_rec *)record;

	memcpy(path->dgid, &record->dgid, sizeof(path->dgid));
	memcpy(path->sgid, &record->sgid, sizeof(path->sgid));
	path->flow_label = be32_to_cpu(record->flow_label);
	path->pkey = be16_to_cpu(record->pkey);
	path->sgid_index = sgid_attr ? sgid_attr->index : 0;
	path->port = port;
	path->sl = record->sl;
	path->hop_limit = record->hop_limit;
	path->traffic_class = record->traffic_class;
	path->mtu = record->mtu;
	path->rate = record->rate;
	path->packet_life_time = record->packet_life_time;
	if (sa_path_is_roce(rec)) {
		memcpy(path->dmac, record->roce.dmac, sizeof(path->dmac));
	} else {
		path->dlid = be32_to_cpu(sa_path_get_dlid(rec));
		path->slid = be32_to_cpu(sa_path_get_slid(rec));
	}
}

/**
 * ucmad_path_resolve - Start to look for the MAC address of a RoCE peer.
 * @dgid: The peer's GID.
 * @sgid_attr: The local GID; says which network interface to ask on.
 * @addr: Room that lasts until @done was called or rdma_addr_cancel() has returned.
 * @timeout_ms: When to give up.
 * @done: Called once, from a work, if this succeeds.
 * @context: For @done.
 *
 * Return: 0, or an error of the routing of the local host.
 */
int ucmad_path_resolve(const union ib_gid *dgid, const struct ib_gid_attr *sgid_attr,
		       struct rdma_dev_addr *addr, unsigned long timeout_ms,
		       void (*done)(int status, struct sockaddr *src, struct rdma_dev_addr *addr,
				    void *context),
		       void *context)
{
	struct sockaddr_in6 src = {}, dst = {};

	/* Large enough for either family. */
	rdma_gid2ip((struct sockaddr *)&src, &sgid_attr->gid);
	rdma_gid2ip((struct sockaddr *)&dst, dgid);
	memset(addr, 0, sizeof(*addr));
	/* Asked for by the interface below; the namespace of the interface takes its place. */
	addr->net = &init_net;
	addr->sgid_attr = sgid_attr;
	return rdma_resolve_ip((struct sockaddr *)&src, (struct sockaddr *)&dst, addr, timeout_ms,
			       done, true, context);
}

/**
 * ucmad_path_set_resolved - Complete a path record by what was found.
 * @record: The path.
 * @addr: What ucmad_path_resolve() has found.
 *
 * Return: 0, or -EINVAL if the route needs RoCE v2 and the local GID is of RoCE v1.
 */
int ucmad_path_set_resolved(struct sa_path_rec *record, const struct rdma_dev_addr *addr)
{
	if ((addr->network == RDMA_NETWORK_IPV4 || addr->network == RDMA_NETWORK_IPV6) &&
	    record->rec_type != SA_PATH_REC_TYPE_ROCE_V2)
		return -EINVAL;
	sa_path_set_dmac(record, (u8 *)addr->dst_dev_addr);
	record->roce.route_resolved = true;
	if (!record->hop_limit)
		record->hop_limit = addr->hoplimit ?: IPV6_DEFAULT_HOPLIMIT;
	return 0;
}
