// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * The bare ABI, without the library: two CM IDs of one file listen, connect, exchange a message over
 * an RC QP and disconnect.
 *
 * usage: abi DEVICE_INDEX PORT GID_INDEX     (device index and so on as `ucmad devices` shows them)
 *
 * Everything that the module is asked for is in rdma/ucmad.h; the QPs are libibverbs'.
 */
#include <err.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/ucmad.h>

enum { TIMEOUT_EXPONENT = 20, MESSAGE_SIZE = 64 };

static const char greeting[] = "hello over RDMA";

static int fd;

/* Every struct says its own size first; every failure is fatal to an example. */
#define ASK(request, args) \
	do { \
		(args)->size = sizeof(*(args)); \
		if (ioctl(fd, request, args)) \
			err(1, "%s", #request); \
	} while (0)

struct qp {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	char buffer[MESSAGE_SIZE];
};

static void qp_open(struct qp *qp, struct ibv_context *verbs)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	qp->pd = ibv_alloc_pd(verbs);
	qp->cq = ibv_create_cq(verbs, 8, NULL, NULL, 0);
	if (!qp->pd || !qp->cq)
		err(1, "PD and CQ");
	init.send_cq = init.recv_cq = qp->cq;
	qp->qp = ibv_create_qp(qp->pd, &init);
	qp->mr = ibv_reg_mr(qp->pd, qp->buffer, sizeof(qp->buffer), IBV_ACCESS_LOCAL_WRITE);
	if (!qp->qp || !qp->mr)
		err(1, "QP and MR");
}

static void qp_close(struct qp *qp)
{
	ibv_dereg_mr(qp->mr);
	ibv_destroy_qp(qp->qp);
	ibv_destroy_cq(qp->cq);
	ibv_dealloc_pd(qp->pd);
}

/* Brings the QP to INIT, RTR and RTS with what the CM knows of the connection. */
static void qp_connect(struct qp *qp, __u32 id)
{
	for (__u32 state = IBV_QPS_INIT; state <= IBV_QPS_RTS; state++) {
		struct ucmad_cm_qp_attr cm = { .object = id, .qp_state = state };
		struct ibv_qp_attr attr = { .qp_state = (enum ibv_qp_state)state };

		ASK(UCMAD_IOCTL_CM_QP_ATTR, &cm);
		attr.qp_access_flags = cm.qp_access_flags;
		attr.pkey_index = cm.pkey_index;
		attr.port_num = cm.port_num;
		attr.path_mtu = (enum ibv_mtu)cm.path_mtu;
		attr.dest_qp_num = cm.dest_qp_num;
		attr.rq_psn = cm.rq_psn;
		attr.sq_psn = cm.sq_psn;
		attr.timeout = cm.timeout;
		attr.retry_cnt = cm.retry_cnt;
		attr.rnr_retry = cm.rnr_retry;
		attr.max_rd_atomic = cm.max_rd_atomic;
		attr.max_dest_rd_atomic = cm.max_dest_rd_atomic;
		attr.min_rnr_timer = cm.min_rnr_timer;
		memcpy(&attr.ah_attr.grh.dgid, cm.ah.dgid, sizeof(cm.ah.dgid));
		attr.ah_attr.grh.flow_label = cm.ah.flow_label;
		attr.ah_attr.grh.sgid_index = cm.ah.sgid_index;
		attr.ah_attr.grh.hop_limit = cm.ah.hop_limit;
		attr.ah_attr.grh.traffic_class = cm.ah.traffic_class;
		attr.ah_attr.dlid = cm.ah.dlid;
		attr.ah_attr.sl = cm.ah.sl;
		attr.ah_attr.is_global = cm.ah.is_global;
		attr.ah_attr.port_num = cm.ah.port_num;
		if (ibv_modify_qp(qp->qp, &attr, (int)cm.attr_mask))
			err(1, "modify QP to state %u", state);
	}
}

static void qp_wait(struct qp *qp)
{
	struct ibv_wc wc;
	int n;

	do {
		n = ibv_poll_cq(qp->cq, 1, &wc);
	} while (!n);
	if (n < 0 || wc.status != IBV_WC_SUCCESS)
		errx(1, "completion: %s", n < 0 ? "none" : ibv_wc_status_str(wc.status));
}

static struct ibv_sge qp_sge(struct qp *qp)
{
	return (struct ibv_sge){ (uintptr_t)qp->buffer, sizeof(qp->buffer), qp->mr->lkey };
}

static void qp_receive(struct qp *qp)
{
	struct ibv_sge sge = qp_sge(qp);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(qp->qp, &wr, &bad))
		err(1, "post receive");
}

static void qp_send(struct qp *qp)
{
	struct ibv_sge sge = qp_sge(qp);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;

	if (ibv_post_send(qp->qp, &wr, &bad))
		err(1, "post send");
	qp_wait(qp);
}

/* Waits for the next event of one object, by name (EV-TARGET), and acknowledges what it is given. */
static __u32 expect(__u32 object, __u16 type)
{
	static _Alignas(8) char buffer[1024];
	const struct ucmad_event *event = (const void *)buffer;
	struct ucmad_events take = {
		.object = object,
		.buffer = (uintptr_t)buffer,
		.buffer_len = sizeof(buffer),
		.max_events = 1,
		.timeout_ns = 20 * 1000000000LL,
	};
	struct ucmad_ack ack;
	struct ucmad_events acknowledge = { .ack_count = 1, .acks = (uintptr_t)&ack };

	ASK(UCMAD_IOCTL_EVENTS, &take);
	if (event->type != type)
		errx(1, "object %u: event 0x%x, expected 0x%x", object, event->type, type);
	ack = (struct ucmad_ack){ .object = event->object, .sequence = event->sequence };
	ASK(UCMAD_IOCTL_EVENTS, &acknowledge);
	return event->object;
}

static __u32 create(__u32 device)
{
	struct ucmad_cm_create create = { .device = device };

	ASK(UCMAD_IOCTL_CM_CREATE, &create);
	return create.object;
}

static void message(unsigned long request, __u32 id)
{
	struct ucmad_cm_message message = { .object = id };

	ASK(request, &message);
}

static void destroy(__u32 id)
{
	struct ucmad_destroy destroy = { .object = id };

	ASK(UCMAD_IOCTL_DESTROY, &destroy);
}

static struct ibv_context *open_verbs(__u32 index)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *verbs = NULL;

	for (int i = 0; list && list[i]; i++)
		if (ibv_get_device_index(list[i]) == (int)index)
			verbs = ibv_open_device(list[i]);
	if (!verbs)
		errx(1, "no device with index %u", index);
	ibv_free_device_list(list);
	return verbs;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		errx(2, "usage: %s DEVICE_INDEX PORT GID_INDEX", argv[0]);
	__u32 device = (__u32)atoi(argv[1]);
	struct ibv_context *verbs = open_verbs(device);
	struct qp server_qp = { 0 }, client_qp = { 0 };
	union ibv_gid gid;

	fd = open(UCMAD_DEVICE_PATH, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", UCMAD_DEVICE_PATH);
	if (ibv_query_gid(verbs, (uint8_t)atoi(argv[2]), atoi(argv[3]), &gid))
		err(1, "GID %s", argv[3]);
	qp_open(&server_qp, verbs);
	qp_open(&client_qp, verbs);

	__u32 listener = create(device), client = create(device);
	struct ucmad_cm_listen listen = { .object = listener, .flags = UCMAD_LISTEN_ASSIGN };

	ASK(UCMAD_IOCTL_CM_LISTEN, &listen);

	struct ucmad_cm_req req = {
		.object = client,
		.qp_num = client_qp.qp->qp_num,
		.service_id = listen.service_id,
		.qp_type = UCMAD_QP_RC,
		.responder_resources = 1,
		.initiator_depth = 1,
		.remote_cm_response_timeout = TIMEOUT_EXPONENT,
		.local_cm_response_timeout = TIMEOUT_EXPONENT,
		.retry_count = 7,
		.rnr_retry_count = 7,
		.max_cm_retries = 3,
		.primary = { .port = (__u8)atoi(argv[2]), .sgid_index = (__u16)atoi(argv[3]),
			     .mtu = IBV_MTU_1024, .packet_life_time = 14 },
	};
	memcpy(req.primary.dgid, &gid, sizeof(gid)); /* our own: both ends are here */
	ASK(UCMAD_IOCTL_CM_REQ, &req);

	__u32 server = expect(listener, UCMAD_EVENT_CM_REQ);
	struct ucmad_cm_rep rep = { .object = server, .qp_num = server_qp.qp->qp_num,
				    .responder_resources = 1, .initiator_depth = 1,
				    .rnr_retry_count = 7 };

	qp_connect(&server_qp, server);
	qp_receive(&server_qp);
	ASK(UCMAD_IOCTL_CM_REP, &rep);

	expect(client, UCMAD_EVENT_CM_REP);
	qp_connect(&client_qp, client);
	message(UCMAD_IOCTL_CM_RTU, client);
	expect(server, UCMAD_EVENT_CM_RTU);

	strcpy(client_qp.buffer, greeting);
	qp_send(&client_qp);
	qp_wait(&server_qp);
	printf("service 0x%llx, GID index %s: received \"%s\"\n",
	       (unsigned long long)listen.service_id, argv[3], server_qp.buffer);
	if (strcmp(server_qp.buffer, greeting))
		errx(1, "that is not what was sent");

	message(UCMAD_IOCTL_CM_DREQ, client);
	expect(server, UCMAD_EVENT_CM_DREQ);
	message(UCMAD_IOCTL_CM_DREP, server);
	expect(client, UCMAD_EVENT_CM_DREP);

	destroy(client);
	destroy(server);
	destroy(listener);
	qp_close(&client_qp);
	qp_close(&server_qp);
	ibv_close_device(verbs);
	return close(fd);
}
