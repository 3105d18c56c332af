// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * What a program does with a CM ID. Each ioctl goes the same way: check the arguments, copy private
 * data, then, under the ID's mutex, ask the provider, which knows the state (CM-STATE).
 */
#include <linux/string.h>
#include <linux/uaccess.h>

#include "cm.h"
#include "compat.h"
#include "device.h"
#include "file.h"
#include "path.h"

#define UCMAD_16_BITS	0xffff

#define UCMAD_DEFAULT_BACKLOG		128
#define UCMAD_DEFAULT_RESOLVE_MS	2000
#define UCMAD_MAX_RESOLVE_MS		600000

/* May anything be begun? The ID's mutex is held. */
int ucmad_cm_check(struct ucmad_cm *cm)
{
	if (cm->removed)
		return -ENODEV;
	return cm->closing ? -ESHUTDOWN : 0;
}

static bool ucmad_cm_is_over(const struct ib_cm_id *id)
{
	enum ib_cm_state state;

	if (!id)
		return false;
	state = READ_ONCE(id->state);
	return state == IB_CM_IDLE || state == IB_CM_TIMEWAIT || state == IB_CM_DREQ_RCVD;
}

/**
 * ucmad_cm_cause - Why is the connection over?
 * @cm: The CM ID, with its mutex held.
 *
 * The provider may know of the end before the handler has told us: it was not us, so it was the
 * peer.
 *
 * Return: A positive errno, or 0 if it is not over, or this side has ended it.
 */
u32 ucmad_cm_cause(struct ucmad_cm *cm)
{
	u32 error = READ_ONCE(cm->error);

	if (!error && cm->begun && !cm->ended_here && ucmad_cm_is_over(cm->id))
		error = ECONNRESET;
	return error;
}

/* Why does the state not allow what was asked for? */
static int ucmad_cm_state_error(struct ucmad_cm *cm)
{
	return -(ucmad_cm_cause(cm) ?: EBADFD);
}

/* Copies private data or additional information, of which there is room for @max bytes. */
int ucmad_cm_copy(u8 *to, u64 from, u8 len, u8 max)
{
	if (len > max)
		return -EINVAL;
	return copy_from_user(to, u64_to_user_ptr(from), len) ? -EFAULT : 0;
}

/* Carries out an operation on the provider's ID; @op is called with the ID's mutex held. */
int ucmad_cm_do(struct ucmad_cmd *cmd, u32 handle,
		int (*op)(struct ucmad_cm *cm, struct ucmad_cm_call *call),
		struct ucmad_cm_call *call)
{
	struct ucmad_cm *cm = ucmad_cm_get(cmd->file, handle);
	int ret;

	if (IS_ERR(cm))
		return PTR_ERR(cm);
	mutex_lock(&cm->mutex);
	ret = ucmad_cm_check(cm);
	if (!ret)
		ret = cm->id ? op(cm, call) : -EINVAL;
	/* The arguments are good by now, so the state is not. */
	if (ret == -EINVAL)
		ret = ucmad_cm_state_error(cm);
	mutex_unlock(&cm->mutex);
	ucmad_cm_put(cm);
	return ret;
}

/* ---- create and listen ------------------------------------------------------------------- */

int ucmad_ioctl_cm_create(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_create *args = cmd->arg;
	struct ucmad_device *device;
	struct ucmad_cm *cm;
	int ret;

	if (args->flags)
		return -EINVAL;
	device = ucmad_device_get(cmd->file, args->device);
	if (!device)
		return -ENODEV;
	cm = ucmad_cm_new(cmd->file, device);
	ucmad_device_put(device);
	if (IS_ERR(cm))
		return PTR_ERR(cm);

	ucmad_queue_set_context(&cm->object, args->context);
	args->object = cm->object.handle;
	ret = ucmad_respond(cmd);
	if (ret)
		ucmad_object_abort(&cm->object);
	else
		ucmad_object_publish(&cm->object);
	return ret;
}

/* Service IDs that begin so are given out by the CM itself (IBTA A3.2.3.3). */
#define UCMAD_LOCAL_SERVICE_PREFIX	0x02

static bool ucmad_service_id_is_local(u64 service_id)
{
	u8 prefix = service_id >> 56;

	return prefix == UCMAD_LOCAL_SERVICE_PREFIX;
}

static int ucmad_cm_listen_with(struct ib_cm_id *id, const struct ucmad_cm_listen *args)
{
	int ret, tries = 16;

	if (!(args->flags & UCMAD_LISTEN_ASSIGN)) {
		ret = ucmad_cm_provider->listen(id, cpu_to_be64(args->service_id));
	} else {
		/* ib_cm counts without a lock, so two who ask at once may be given the same. */
		do {
			ret = ucmad_cm_provider->listen(id, IB_CM_ASSIGN_SERVICE_ID);
		} while (ret == -EBUSY && --tries);
	}
	return ret == -EBUSY ? -EADDRINUSE : ret;
}

/* The ID's mutex is held. */
static int ucmad_cm_listen(struct ucmad_cm *cm, struct ucmad_cm_listen *args)
{
	struct ib_cm_id *id;
	int ret = ucmad_cm_check(cm);

	if (ret)
		return ret;
	if (!ucmad_cm_is_idle(cm))
		return -EBADFD;
	id = ucmad_cm_id_create(cm);
	if (IS_ERR(id))
		return PTR_ERR(id);
	/* Requests may come before the call returns. */
	cm->backlog = args->backlog ?: min_t(u32, UCMAD_DEFAULT_BACKLOG, ucmad_max_backlog);
	cm->patience = args->patience ?: UCMAD_PATIENCE_DEFAULT;
	ret = ucmad_cm_listen_with(id, args);
	if (ret) {
		ucmad_cm_id_destroy(id);
		return ret;
	}
	ucmad_cm_renew(cm);
	cm->id = id;
	args->service_id = be64_to_cpu(id->service_id);
	return 0;
}

int ucmad_ioctl_cm_listen(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_listen *args = cmd->arg;
	struct ucmad_cm *cm;
	int ret;

	if (args->flags & ~UCMAD_LISTEN_ASSIGN || !ucmad_is_zero(args->reserved) ||
	    args->backlog > ucmad_max_backlog || !ucmad_cm_patience_is_valid(args->patience))
		return -EINVAL;
	if (args->flags & UCMAD_LISTEN_ASSIGN ? args->service_id :
						ucmad_service_id_is_local(args->service_id))
		return -EINVAL;
	/* Who cannot be told the service ID shall not listen on it. */
	if (ucmad_respond(cmd))
		return -EFAULT;

	cm = ucmad_cm_get(cmd->file, args->object);
	if (IS_ERR(cm))
		return PTR_ERR(cm);
	mutex_lock(&cm->mutex);
	ret = ucmad_cm_listen(cm, args);
	mutex_unlock(&cm->mutex);
	ucmad_cm_put(cm);
	return ret ?: ucmad_respond(cmd);
}

/* ---- requests ---------------------------------------------------------------------------- */

static bool ucmad_cm_req_is_valid(const struct ucmad_cm_req *args)
{
	if (args->flags & ~UCMAD_REQ_ALTERNATE || !ucmad_is_zero(args->reserved))
		return false;
	if (!(args->flags & UCMAD_REQ_ALTERNATE) && !ucmad_is_zero(args->alternate))
		return false;
	return args->qp_num <= UCMAD_24_BITS && args->starting_psn <= UCMAD_24_BITS &&
	       args->ece_vendor_id <= UCMAD_24_BITS &&
	       (args->qp_type == UCMAD_QP_RC || args->qp_type == UCMAD_QP_UC ||
		args->qp_type == UCMAD_QP_XRC_INI) &&
	       args->remote_cm_response_timeout <= 31 && args->local_cm_response_timeout <= 31 &&
	       args->retry_count <= 7 && args->rnr_retry_count <= 7 &&
	       args->max_cm_retries <= 15 && args->flow_control <= 1 && args->srq <= 1 &&
	       args->resolve_timeout_ms <= UCMAD_MAX_RESOLVE_MS &&
	       ucmad_cm_patience_is_valid(args->patience);
}

/* The ABI's numbers are those of enum ib_qp_type. */
static_assert((int)IB_QPT_RC == UCMAD_QP_RC);
static_assert((int)IB_QPT_UC == UCMAD_QP_UC);
static_assert((int)IB_QPT_XRC_INI == UCMAD_QP_XRC_INI);
static_assert((int)IB_QPT_XRC_TGT == UCMAD_QP_XRC_TGT);

int ucmad_ioctl_cm_req(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_req *args = cmd->arg;
	bool has_alternate = args->flags & UCMAD_REQ_ALTERNATE;
	struct ucmad_cm_request *request;

	if (!ucmad_cm_req_is_valid(args))
		return -EINVAL;
	request = ucmad_cm_request_alloc(args->private_data, args->private_data_len,
					 UCMAD_CM_REQ_DATA_MAX);
	if (IS_ERR(request))
		return PTR_ERR(request);
	request->patience = args->patience ?: UCMAD_PATIENCE_DEFAULT;
	request->response_ms = ucmad_cm_time_to_ms(args->local_cm_response_timeout);
	request->resolve_timeout_ms = args->resolve_timeout_ms ?: UCMAD_DEFAULT_RESOLVE_MS;
	request->req = (struct ib_cm_req_param){
		.service_id = cpu_to_be64(args->service_id),
		.qp_num = args->qp_num,
		.qp_type = args->qp_type,
		.starting_psn = args->starting_psn,
		.private_data_len = args->private_data_len,
		.responder_resources = args->responder_resources,
		.initiator_depth = args->initiator_depth,
		.remote_cm_response_timeout = args->remote_cm_response_timeout,
		.flow_control = args->flow_control,
		.local_cm_response_timeout = args->local_cm_response_timeout,
		.retry_count = args->retry_count,
		.rnr_retry_count = args->rnr_retry_count,
		.max_cm_retries = args->max_cm_retries,
		.srq = args->srq,
		.ece = { .vendor_id = args->ece_vendor_id, .attr_mod = args->ece_attr_mod },
	};

	return ucmad_cm_request_start(cmd, args->object, request, &args->primary,
				      has_alternate ? &args->alternate : NULL);
}

int ucmad_ioctl_cm_sidr_req(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_sidr_req *args = cmd->arg;
	struct ucmad_cm_request *request;

	if (!ucmad_is_zero(args->reserved) || !args->timeout_ms || args->timeout_ms > INT_MAX ||
	    args->max_cm_retries > 15 || args->resolve_timeout_ms > UCMAD_MAX_RESOLVE_MS)
		return -EINVAL;
	request = ucmad_cm_request_alloc(args->private_data, args->private_data_len,
					 UCMAD_CM_SIDR_REQ_DATA_MAX);
	if (IS_ERR(request))
		return PTR_ERR(request);
	request->is_sidr = true;
	request->patience = UCMAD_PATIENCE_NONE;
	request->resolve_timeout_ms = args->resolve_timeout_ms ?: UCMAD_DEFAULT_RESOLVE_MS;
	request->sidr = (struct ib_cm_sidr_req_param){
		.service_id = cpu_to_be64(args->service_id),
		.timeout_ms = args->timeout_ms,
		.private_data_len = args->private_data_len,
		.max_cm_retries = args->max_cm_retries,
	};

	return ucmad_cm_request_start(cmd, args->object, request, &args->path, NULL);
}

/* ---- answers ----------------------------------------------------------------------------- */

static int ucmad_cm_rep(struct ucmad_cm *cm, struct ucmad_cm_call *call)
{
	const struct ucmad_cm_rep *args = call->arg;
	int ret;

	ret = ucmad_cm_provider->send_rep(cm->id, &(struct ib_cm_rep_param){
		.qp_num = args->qp_num,
		.starting_psn = args->starting_psn,
		.private_data = call->data,
		.private_data_len = args->private_data_len,
		.responder_resources = args->responder_resources,
		.initiator_depth = args->initiator_depth,
		.failover_accepted = args->failover_accepted,
		.flow_control = args->flow_control,
		.rnr_retry_count = args->rnr_retry_count,
		.srq = args->srq,
		.ece = { .vendor_id = args->ece_vendor_id, .attr_mod = args->ece_attr_mod },
	});
	if (!ret)
		ucmad_cm_answered(cm);
	return ret;
}

int ucmad_ioctl_cm_rep(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_rep *args = cmd->arg;
	struct ucmad_cm_call call = { .arg = args };
	int ret;

	if (args->reserved || args->qp_num > UCMAD_24_BITS || args->starting_psn > UCMAD_24_BITS ||
	    args->ece_vendor_id > UCMAD_24_BITS || args->failover_accepted > 3 ||
	    args->flow_control > 1 || args->rnr_retry_count > 7 || args->srq > 1)
		return -EINVAL;
	ret = ucmad_cm_copy(call.data, args->private_data, args->private_data_len,
			    UCMAD_CM_REP_DATA_MAX);
	return ret ?: ucmad_cm_do(cmd, args->object, ucmad_cm_rep, &call);
}

/* The reason that ib_cm gives when it takes back our REQ or REP; 0 if none is under way. */
static u16 ucmad_cm_withdraw_reason(const struct ib_cm_id *id)
{
	switch (READ_ONCE(id->state)) {
	case IB_CM_REQ_SENT:
	case IB_CM_MRA_REQ_RCVD:
		return IB_CM_REJ_TIMEOUT;
	case IB_CM_REP_SENT:
	case IB_CM_MRA_REP_RCVD:
		return IB_CM_REJ_CONSUMER_DEFINED;
	default:
		return 0;
	}
}

/*
 * ib_send_cm_rej() goes on repeating our own REQ or REP, and whoever destroys the ID later waits
 * for all its tries; and a REQ's REJ with another reason than time-out is not matched by the peer.
 * Only ib_destroy_cm_id() does both right.
 */
static int ucmad_cm_withdraw(struct ucmad_cm *cm, const struct ucmad_cm_rej *args, u16 reason)
{
	if (args->reason != reason || args->private_data_len || args->ari_len)
		return -EOPNOTSUPP;
	ucmad_cm_renew(cm);
	return 0;
}

static int ucmad_cm_rej(struct ucmad_cm *cm, struct ucmad_cm_call *call)
{
	const struct ucmad_cm_rej *args = call->arg;
	u16 withdraw = ucmad_cm_withdraw_reason(cm->id);
	int ret;

	if (withdraw)
		return ucmad_cm_withdraw(cm, args, withdraw);
	ret = ucmad_cm_provider->send_rej(cm->id, args->reason, call->info, args->ari_len,
					  call->data, args->private_data_len);
	/* Without memory for the REJ it is over all the same, and was not ended by the peer. */
	if (ret != -EINVAL) {
		ucmad_cm_answered(cm);
		WRITE_ONCE(cm->ended_here, true);
	}
	return ret;
}

int ucmad_ioctl_cm_rej(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_rej *args = cmd->arg;
	struct ucmad_cm_call call = { .arg = args };
	int ret;

	if (!args->reason || !ucmad_is_zero(args->reserved))
		return -EINVAL;
	ret = ucmad_cm_copy(call.data, args->private_data, args->private_data_len,
			    UCMAD_CM_REJ_DATA_MAX);
	ret = ret ?: ucmad_cm_copy(call.info, args->ari, args->ari_len, UCMAD_CM_REJ_ARI_MAX);
	return ret ?: ucmad_cm_do(cmd, args->object, ucmad_cm_rej, &call);
}

static bool ucmad_cm_may_ask_for_time(const struct ib_cm_id *id)
{
	enum ib_cm_state state = READ_ONCE(id->state);

	return state == IB_CM_REQ_RCVD || state == IB_CM_REP_RCVD;
}

static int ucmad_cm_mra(struct ucmad_cm *cm, struct ucmad_cm_call *call)
{
	const struct ucmad_cm_mra *args = call->arg;
	unsigned int ms;
	int ret;

	if (READ_ONCE(cm->answer) == UCMAD_CM_PEER_WAITS)
		return -EALREADY;
	if (!UCMAD_COMPAT_MRA_AT_REQUEST)
		return ucmad_cm_may_ask_for_time(cm->id) ? -EOPNOTSUPP : -EINVAL;
	ret = ucmad_cm_provider->send_mra(cm->id, args->service_timeout, call->data,
					  args->private_data_len);
	if (!ret) {
		/* Our end of it comes before the peer's. */
		ms = ucmad_cm_time_to_ms(args->service_timeout);
		ucmad_cm_peer_waits(cm, ms - ms / 8);
	}
	return ret;
}

int ucmad_ioctl_cm_mra(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_mra *args = cmd->arg;
	struct ucmad_cm_call call = { .arg = args };
	int ret;

	if (!args->service_timeout || args->service_timeout > 31 || !ucmad_is_zero(args->reserved))
		return -EINVAL;
	ret = ucmad_cm_copy(call.data, args->private_data, args->private_data_len,
			    UCMAD_CM_MRA_DATA_MAX);
	return ret ?: ucmad_cm_do(cmd, args->object, ucmad_cm_mra, &call);
}

static int ucmad_cm_sidr_rep(struct ucmad_cm *cm, struct ucmad_cm_call *call)
{
	const struct ucmad_cm_sidr_rep *args = call->arg;

	return ucmad_cm_provider->send_sidr_rep(cm->id, &(struct ib_cm_sidr_rep_param){
		.qp_num = args->qp_num,
		.qkey = args->qkey,
		.status = args->status,
		.info = call->info,
		.info_length = args->info_len,
		.private_data = call->data,
		.private_data_len = args->private_data_len,
		.ece = { .vendor_id = args->ece_vendor_id, .attr_mod = args->ece_attr_mod },
	});
}

int ucmad_ioctl_cm_sidr_rep(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_sidr_rep *args = cmd->arg;
	struct ucmad_cm_call call = { .arg = args };
	int ret;

	if (!ucmad_is_zero(args->reserved) || args->qp_num > UCMAD_24_BITS ||
	    args->ece_vendor_id > UCMAD_16_BITS || args->status > IB_SIDR_UNSUPPORTED_VERSION)
		return -EINVAL;
	ret = ucmad_cm_copy(call.data, args->private_data, args->private_data_len,
			    UCMAD_CM_SIDR_REP_DATA_MAX);
	ret = ret ?: ucmad_cm_copy(call.info, args->info, args->info_len,
				   UCMAD_CM_SIDR_REP_INFO_MAX);
	return ret ?: ucmad_cm_do(cmd, args->object, ucmad_cm_sidr_rep, &call);
}

/* ---- messages that are nothing but private data ------------------------------------------ */

static int ucmad_cm_rtu(struct ucmad_cm *cm, struct ucmad_cm_call *call)
{
	const struct ucmad_cm_message *args = call->arg;
	int ret = ucmad_cm_provider->send_rtu(cm->id, call->data, args->private_data_len);

	if (!ret)
		ucmad_cm_answered(cm);
	return ret;
}

static int ucmad_cm_dreq(struct ucmad_cm *cm, struct ucmad_cm_call *call)
{
	const struct ucmad_cm_message *args = call->arg;
	bool ended_before = cm->ended_here;
	int ret;

	/* Before it is sent: the peer's own DREQ may cross it, and its handler asks. */
	WRITE_ONCE(cm->ended_here, true);
	ret = ucmad_cm_provider->send_dreq(cm->id, call->data, args->private_data_len);
	if (ret == -EINVAL)
		WRITE_ONCE(cm->ended_here, ended_before);
	return ret;
}

static int ucmad_cm_drep(struct ucmad_cm *cm, struct ucmad_cm_call *call)
{
	const struct ucmad_cm_message *args = call->arg;

	return ucmad_cm_provider->send_drep(cm->id, call->data, args->private_data_len);
}

static int ucmad_cm_message(struct ucmad_cmd *cmd, u8 max,
			    int (*op)(struct ucmad_cm *cm, struct ucmad_cm_call *call))
{
	struct ucmad_cm_message *args = cmd->arg;
	struct ucmad_cm_call call = { .arg = args };
	int ret;

	if (!ucmad_is_zero(args->reserved))
		return -EINVAL;
	ret = ucmad_cm_copy(call.data, args->private_data, args->private_data_len, max);
	return ret ?: ucmad_cm_do(cmd, args->object, op, &call);
}

int ucmad_ioctl_cm_rtu(struct ucmad_cmd *cmd)
{
	return ucmad_cm_message(cmd, UCMAD_CM_RTU_DATA_MAX, ucmad_cm_rtu);
}

int ucmad_ioctl_cm_dreq(struct ucmad_cmd *cmd)
{
	return ucmad_cm_message(cmd, UCMAD_CM_DREQ_DATA_MAX, ucmad_cm_dreq);
}

int ucmad_ioctl_cm_drep(struct ucmad_cmd *cmd)
{
	return ucmad_cm_message(cmd, UCMAD_CM_DREP_DATA_MAX, ucmad_cm_drep);
}

/* ---- notify ------------------------------------------------------------------------------ */

/*
 * ib_cm would use an alternate path that it does not have, and takes no second reference on the GID
 * of one with a GRH, but drops two later. Neither is for a program to bring about.
 */
static int ucmad_cm_path_mig(struct ucmad_cm *cm, struct ucmad_cm_call *call)
{
	switch (READ_ONCE(cm->alternate)) {
	case UCMAD_CM_ALTERNATE_LID:
		return ucmad_cm_provider->notify(cm->id, IB_EVENT_PATH_MIG);
	case UCMAD_CM_ALTERNATE_GRH:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

/*
 * ib_cm stops repeating the REP only in a work of its own. An ID that is destroyed before that
 * waits for all the tries of the REP, so wait for the work, under the mutex that a destroy needs
 * too. If a DREQ has overtaken it, no event comes, hence the time-out.
 */
static int ucmad_cm_comm_est(struct ucmad_cm *cm, struct ucmad_cm_call *call)
{
	int ret;

	reinit_completion(&cm->established);
	ret = ucmad_cm_provider->notify(cm->id, IB_EVENT_COMM_EST);
	if (!ret)
		wait_for_completion_timeout(&cm->established, HZ);
	return ret;
}

int ucmad_ioctl_cm_notify(struct ucmad_cmd *cmd)
{
	struct ucmad_cm_notify *args = cmd->arg;
	struct ucmad_cm_call call = { .arg = args };

	if (args->reserved)
		return -EINVAL;
	switch (args->event) {
	case UCMAD_CM_COMM_EST:
		return ucmad_cm_do(cmd, args->object, ucmad_cm_comm_est, &call);
	case UCMAD_CM_PATH_MIG:
		return ucmad_cm_do(cmd, args->object, ucmad_cm_path_mig, &call);
	default:
		return -EINVAL;
	}
}
