/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Paths of the ABI to path records of ib_core, and back. */
#ifndef UCMAD_PATH_H
#define UCMAD_PATH_H

#include <rdma/ib_addr.h>
#include <rdma/ib_sa.h>

#include <rdma/ucmad.h>

/* Widths of QP numbers, PSNs and the like, and of flow labels. */
#define UCMAD_24_BITS	0xffffff
#define UCMAD_20_BITS	0xfffff

static inline bool ucmad_rate_is_valid(u8 rate)
{
	return rate == IB_RATE_PORT_CURRENT || ib_rate_to_mult(rate) > 0;
}

/* Both ends of a RoCE path speak the same kind of IP. */
static inline bool ucmad_gids_are_of_one_kind(const union ib_gid *a, const union ib_gid *b)
{
	return ipv6_addr_v4mapped((const struct in6_addr *)a) ==
	       ipv6_addr_v4mapped((const struct in6_addr *)b);
}

int ucmad_path_to_record(struct ib_device *ib, const struct ucmad_path *path,
			 struct sa_path_rec *record, const struct ib_gid_attr **sgid_attr);
void ucmad_path_from_record(struct ucmad_path *path, const struct sa_path_rec *record, u8 port,
			    const struct ib_gid_attr *sgid_attr);

int ucmad_path_resolve(const union ib_gid *dgid, const struct ib_gid_attr *sgid_attr,
		       struct rdma_dev_addr *addr, unsigned long timeout_ms,
		       void (*done)(int status, struct sockaddr *src, struct rdma_dev_addr *addr,
				    void *context),
		       void *context);
int ucmad_path_set_resolved(struct sa_path_rec *record, const struct rdma_dev_addr *addr);

#endif /* UCMAD_PATH_H */
