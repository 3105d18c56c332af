// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* What a program can learn of a CM ID: its state, and the attributes for its QP. */
#include <linux/string.h>

#include "cm.h"
#include "file.h"

static const u8 ucmad_cm_states[] = {
	[IB_CM_IDLE] = UCMAD_CM_IDLE,
	[IB_CM_LISTEN] = UCMAD_CM_LISTEN,
	[IB_CM_REQ_SENT] = UCMAD_CM_REQ_SENT,
	[IB_CM_REQ_RCVD] = UCMAD_CM_REQ_RCVD,
	[IB_CM_MRA_REQ_SENT] = UCMAD_CM_MRA_REQ_SENT,
	[IB_CM_MRA_REQ_RCVD] = UCMAD_CM_MRA_REQ_RCVD,
	[IB_CM_REP_SENT] = UCMAD_CM_REP_SENT,
	[IB_CM_REP_RCVD] = UCMAD_CM_REP_RCVD,
	[IB_CM_MRA_REP_SENT] = UCMAD_CM_MRA_REP_SENT,
	[IB_CM_MRA_REP_RCVD] = UCMAD_CM_MRA_REP_RCVD,
	[IB_CM_ESTABLISHED] = UCMAD_CM_ESTABLISHED,
	[IB_CM_DREQ_SENT] = UCMAD_CM_DREQ_SENT,
	[IB_CM_DREQ_RCVD] = UCMAD_CM_DREQ_RCVD,
	[IB_CM_TIMEWAIT] = UCMAD_CM_TIMEWAIT,
	[IB_CM_SIDR_REQ_SENT] = UCMAD_CM_SIDR_REQ_SENT,
	[IB_CM_SIDR_REQ_RCVD] = UCMAD_CM_SIDR_REQ_RCVD,
};

/* The ID's mutex is held. */
static enum ucmad_cm_state ucmad_cm_state(const struct ucmad_cm *cm)
{
	if (cm->removed)
		return UCMAD_CM_REMOVED;
	if (cm->request)
		return UCMAD_CM_RESOLVING;
	return cm->id ? ucmad_cm_states[READ_ONCE(cm->id->state)] : UCMAD_CM_IDLE;
}

/* The ID's mutex is held. */
static void ucmad_cm_describe(struct ucmad_cm *cm, struct ucmad_cm_query *args)
{
	const struct ib_cm_id *id = cm->id;

	args->service_id = id ? be64_to_cpu(id->service_id) : 0;
	args->local_comm_id = id ? be32_to_cpu(id->local_id) : 0;
	args->remote_comm_id = id ? be32_to_cpu(id->remote_id) : 0;
	args->device = cm->object.device_index;
	args->state = ucmad_cm_state(cm);
	args->error = cm->removed ? ENODEV : ucmad_cm_cause(cm);
	args->backlog = READ_ONCE(cm->object.queue.waiting);
	args->dropped = atomic_read(&cm->dropped);
}

int ucmad_ioctl_cm_query(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_query *args = cmd->arg;
	struct ucmad_cm *cm = ucmad_cm_get(cmd->file, args->object);

	if (IS_ERR(cm))
		return PTR_ERR(cm);
	mutex_lock(&cm->mutex);
	ucmad_cm_describe(cm, args);
	mutex_unlock(&cm->mutex);
	ucmad_cm_put(cm);
	return ucmad_respond(cmd);
}

static void ucmad_ah_attr(struct ucmad_ah_attr *to, const struct rdma_ah_attr *from)
{
	const struct ib_global_route *grh;

	to->dlid = rdma_ah_get_dlid(from);
	to->sl = rdma_ah_get_sl(from);
	to->src_path_bits = rdma_ah_get_path_bits(from);
	to->static_rate = rdma_ah_get_static_rate(from);
	to->port_num = rdma_ah_get_port_num(from);
	if (!(rdma_ah_get_ah_flags(from) & IB_AH_GRH))
		return;
	grh = rdma_ah_read_grh(from);
	to->is_global = 1;
	memcpy(to->dgid, grh->dgid.raw, sizeof(to->dgid));
	to->flow_label = grh->flow_label;
	to->sgid_index = grh->sgid_index;
	to->hop_limit = grh->hop_limit;
	to->traffic_class = grh->traffic_class;
}

static void ucmad_qp_attr(struct ucmad_cm_qp_attr *to, const struct ib_qp_attr *from, int mask)
{
	to->attr_mask = mask;
	to->qp_access_flags = from->qp_access_flags;
	to->dest_qp_num = from->dest_qp_num;
	to->rq_psn = from->rq_psn;
	to->sq_psn = from->sq_psn;
	to->path_mtu = from->path_mtu;
	to->path_mig_state = from->path_mig_state;
	to->pkey_index = from->pkey_index;
	to->alt_pkey_index = from->alt_pkey_index;
	to->port_num = from->port_num;
	to->alt_port_num = from->alt_port_num;
	to->timeout = from->timeout;
	to->alt_timeout = from->alt_timeout;
	to->retry_cnt = from->retry_cnt;
	to->rnr_retry = from->rnr_retry;
	to->max_rd_atomic = from->max_rd_atomic;
	to->max_dest_rd_atomic = from->max_dest_rd_atomic;
	to->min_rnr_timer = from->min_rnr_timer;
	if (mask & IB_QP_AV)
		ucmad_ah_attr(&to->ah, &from->ah_attr);
	if (mask & IB_QP_ALT_PATH)
		ucmad_ah_attr(&to->alt_ah, &from->alt_ah_attr);
}

static int ucmad_cm_qp_attr(struct ucmad_cm *cm, struct ucmad_cm_call *call)
{
	struct ucmad_cm_qp_attr *answer = call->arg;
	struct ib_qp_attr attr = { .qp_state = answer->qp_state };
	int mask;
	int ret = ucmad_cm_provider->init_qp_attr(cm->id, &attr, &mask);

	if (!ret)
		ucmad_qp_attr(answer, &attr, mask);
	return ret;
}

int ucmad_ioctl_cm_qp_attr(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_qp_attr *args = cmd->arg;
	/* Nothing of what the program passed is left in what is answered. */
	struct ucmad_cm_qp_attr answer = {
		.size = args->size,
		.object = args->object,
		.qp_state = args->qp_state,
	};
	struct ucmad_cm_call call = { .arg = &answer };
	int ret;

	if (!ucmad_is_zero(args->reserved) || args->qp_state < IB_QPS_INIT ||
	    args->qp_state > IB_QPS_RTS)
		return -EINVAL;
	ret = ucmad_cm_do(cmd, args->object, ucmad_cm_qp_attr, &call);
	if (ret)
		return ret;
	*args = answer;
	return ucmad_respond(cmd);
}
