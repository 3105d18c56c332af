/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Paths of the ABI to path records of ib_core, and back. */
#ifndef UCMAD_PATH_H
#define UCMAD_PATH_H

#include <rdma/ib_addr.h>
#include <rdma/ib_sa.h>

#include <rdma/ucmad.h>

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
