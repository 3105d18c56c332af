// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* The provider that real programs have: the kernel's ib_cm. */
#include "cm.h"
#include "compat.h"
#include "path.h"

const struct ucmad_cm_provider ucmad_cm_ib = {
	.create = ib_create_cm_id,
	.destroy = ib_destroy_cm_id,
	.listen = ib_cm_listen,
	.send_req = ib_send_cm_req,
	.send_rep = ib_send_cm_rep,
	.send_rtu = ib_send_cm_rtu,
	.send_rej = ib_send_cm_rej,
	.send_mra = ucmad_compat_send_cm_mra,
	.send_dreq = ib_send_cm_dreq,
	.send_drep = ib_send_cm_drep,
	.send_sidr_req = ib_send_cm_sidr_req,
	.send_sidr_rep = ib_send_cm_sidr_rep,
	.notify = ib_cm_notify,
	.init_qp_attr = ib_cm_init_qp_attr,
	.resolve = ucmad_path_resolve,
	.resolve_cancel = rdma_addr_cancel,
};
