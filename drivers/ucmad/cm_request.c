// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * From a path to a REQ or SIDR REQ on its way.
 *
 * On InfiniBand the message is sent at once. On RoCE the peer's MAC address is looked for first, in
 * the background: the ID is RESOLVING, and what goes wrong is told by an event, as if the message
 * had been sent and not answered.
 */
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "cm.h"
#include "device.h"
#include "file.h"
#include "main.h"
#include "path.h"

/**
 * ucmad_cm_request_alloc - Make a request, with its private data.
 * @data: Address in the program.
 * @len: Bytes there.
 * @max: How many there may be.
 */
struct ucmad_cm_request *ucmad_cm_request_alloc(u64 data, u8 len, u8 max)
{
	struct ucmad_cm_request *request;
	int ret;

	request = kzalloc(sizeof(*request), GFP_KERNEL_ACCOUNT);
	if (!request)
		return ERR_PTR(-ENOMEM);
	ret = ucmad_cm_copy(request->data, data, len, max);
	if (ret) {
		kfree(request);
		return ERR_PTR(ret);
	}
	return request;
}

void ucmad_cm_request_free(struct ucmad_cm_request *request)
{
	if (!request)
		return;
	if (request->sgid_attr)
		rdma_put_gid_attr(request->sgid_attr);
	kfree(request);
}

static int ucmad_cm_request_set_paths(struct ucmad_cm *cm, struct ucmad_cm_request *request,
				      const struct ucmad_path *primary,
				      const struct ucmad_path *alternate)
{
	struct ib_device *ib = cm->object.device->ib;
	const struct ib_gid_attr *attr;
	int ret;

	ret = ucmad_path_to_record(ib, primary, &request->primary, &request->sgid_attr);
	if (ret || !alternate)
		return ret;
	/* The peer's CM cannot resolve a second MAC address, and would reject the REQ. */
	if (rdma_protocol_roce(ib, primary->port))
		return -EOPNOTSUPP;
	ret = ucmad_path_to_record(ib, alternate, &request->alternate, &attr);
	if (ret)
		return ret;
	rdma_put_gid_attr(attr);
	if (request->alternate.pkey != request->primary.pkey ||
	    request->alternate.mtu != request->primary.mtu)
		return -EINVAL;
	return 0;
}

static int ucmad_cm_request_send(struct ucmad_cm *cm, struct ucmad_cm_request *request)
{
	struct ib_cm_id *id = ucmad_cm_id_create(cm);
	int ret;

	if (IS_ERR(id))
		return PTR_ERR(id);
	if (request->is_sidr) {
		request->sidr.path = &request->primary;
		request->sidr.sgid_attr = request->sgid_attr;
		request->sidr.private_data = request->data;
		ret = ucmad_cm_provider->send_sidr_req(id, &request->sidr);
	} else {
		request->req.primary_path = &request->primary;
		request->req.ppath_sgid_attr = request->sgid_attr;
		request->req.private_data = request->data;
		ret = ucmad_cm_provider->send_req(id, &request->req);
	}
	if (ret) {
		ucmad_cm_id_destroy(id);
		return ret;
	}
	cm->id = id;
	cm->begun = !request->is_sidr;
	return 0;
}

static void ucmad_cm_resolve_done(int status, struct sockaddr *src, struct rdma_dev_addr *addr,
				  void *context)
{
	struct ucmad_cm *cm = context;

	/* A work of our own: this one may be waited for under the mutex, and so cannot take it. */
	cm->resolve_status = status;
	queue_work(ucmad_workqueue, &cm->resolved_work);
}

static void ucmad_cm_resolve(struct ucmad_cm *cm, struct ucmad_cm_request *request)
{
	int ret;

	/* The last resolution is over, but may not have left the list of those under way. */
	ucmad_cm_provider->resolve_cancel(&cm->resolve_addr);
	cm->request = request;
	ret = ucmad_cm_provider->resolve(&request->primary.dgid, request->sgid_attr,
					 &cm->resolve_addr, request->resolve_timeout_ms,
					 ucmad_cm_resolve_done, cm);
	if (ret)
		ucmad_cm_resolve_done(ret, NULL, &cm->resolve_addr, cm);
}

void ucmad_cm_resolved(struct work_struct *work)
{
	struct ucmad_cm *cm = container_of(work, struct ucmad_cm, resolved_work);
	struct ucmad_cm_request *request;
	int ret;

	mutex_lock(&cm->mutex);
	request = cm->request;
	cm->request = NULL;
	if (request) {
		ret = cm->resolve_status;
		if (!ret)
			ret = ucmad_path_set_resolved(&request->primary, &cm->resolve_addr);
		if (!ret)
			ret = ucmad_cm_request_send(cm, request);
		if (ret) {
			WRITE_ONCE(cm->error, -ret);
			ucmad_cm_post_error(cm,
					    request->is_sidr ? UCMAD_EVENT_CM_SIDR_REQ_ERROR :
							       UCMAD_EVENT_CM_REQ_ERROR,
					    -ret, 0);
		}
	}
	mutex_unlock(&cm->mutex);
	ucmad_cm_request_free(request);
}

/* May the ID begin something new? Its mutex is held. */
bool ucmad_cm_is_idle(struct ucmad_cm *cm)
{
	return !cm->request && (!cm->id || READ_ONCE(cm->id->state) == IB_CM_IDLE);
}

/* Forget the last attempt; the ID is idle and its mutex is held. */
void ucmad_cm_renew(struct ucmad_cm *cm)
{
	struct ib_cm_id *id = cm->id;

	cm->id = NULL;
	if (id) {
		ucmad_cm_id_destroy(id);
		/* The last attempt's end is told, and is not taken for the end of the next. */
		synchronize_rcu();
	}
	cm->begun = false;
	cm->ended_here = false;
	WRITE_ONCE(cm->alternate, UCMAD_CM_ALTERNATE_NONE);
	WRITE_ONCE(cm->error, 0);
	ucmad_cm_answered(cm);
}

/* The ID's mutex is held. The request is owned by this function, whatever it returns. */
static int ucmad_cm_request_begin(struct ucmad_cm *cm, struct ucmad_cm_request *request,
				  const struct ucmad_path *primary,
				  const struct ucmad_path *alternate)
{
	int ret = ucmad_cm_check(cm);

	if (!ret && !ucmad_cm_is_idle(cm))
		ret = -EBADFD;
	if (!ret)
		ret = ucmad_cm_request_set_paths(cm, request, primary, alternate);
	if (!ret)
		ret = ucmad_cm_reserve_fill(cm);
	if (ret) {
		ucmad_cm_request_free(request);
		return ret;
	}

	ucmad_cm_renew(cm);
	cm->patience = request->patience;
	cm->response_ms = request->response_ms;
	if (alternate) {
		request->req.alternate_path = &request->alternate;
		WRITE_ONCE(cm->alternate, alternate->hop_limit ? UCMAD_CM_ALTERNATE_GRH :
								  UCMAD_CM_ALTERNATE_LID);
	}
	if (sa_path_is_roce(&request->primary)) {
		ucmad_cm_resolve(cm, request);
		return 0;
	}
	ret = ucmad_cm_request_send(cm, request);
	ucmad_cm_request_free(request);
	return ret;
}

/**
 * ucmad_cm_request_start - Send a request, or start to look for its path.
 * @cmd: The ioctl.
 * @handle: Handle of the CM ID.
 * @request: The request; owned by this function, whatever it returns.
 * @primary: Its path.
 * @alternate: Its alternate path or NULL.
 */
int ucmad_cm_request_start(struct ucmad_cmd *cmd, u32 handle, struct ucmad_cm_request *request,
			   const struct ucmad_path *primary, const struct ucmad_path *alternate)
{
	struct ucmad_cm *cm = ucmad_cm_get(cmd->file, handle);
	int ret;

	if (IS_ERR(cm)) {
		ucmad_cm_request_free(request);
		return PTR_ERR(cm);
	}
	mutex_lock(&cm->mutex);
	ret = ucmad_cm_request_begin(cm, request, primary, alternate);
	mutex_unlock(&cm->mutex);
	ucmad_cm_put(cm);
	return ret;
}
