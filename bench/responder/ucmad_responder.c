// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * Answers requests of a vendor class at QP1 of every port, in the handler in which they come, so
 * that what is measured is who asks. A Get of the class is answered with the same data.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#define UCMAD_RESPONDER_CLASS	0x33

static const u8 ucmad_responder_oui[3] = { 0x00, 0x14, 0x05 };

/**
 * struct ucmad_responder_peer - Somebody who has asked.
 * @next: The next one.
 * @gid: Its GID.
 * @ah: Address handle for the answers.
 */
struct ucmad_responder_peer {
	struct ucmad_responder_peer *next;
	union ib_gid gid;
	struct ib_ah *ah;
};

/**
 * struct ucmad_responder - The agent of one port.
 * @next: The next port of the device.
 * @agent: The registration.
 * @peers: All who have asked: a benchmark has two of them.
 */
struct ucmad_responder {
	struct ucmad_responder *next;
	struct ib_mad_agent *agent;
	struct ucmad_responder_peer *peers;
};

static int ucmad_responder_gid(const struct ib_wc *wc, const struct ib_grh *grh, union ib_gid *from)
{
	enum rdma_network_type type = RDMA_NETWORK_IB;
	union ib_gid to;

	if (wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE)
		type = wc->network_hdr_type;
	else if (ib_get_rdma_header_version((const union rdma_network_hdr *)grh) == 4)
		type = RDMA_NETWORK_IPV4;
	return ib_get_gids_from_rdma_hdr((const union rdma_network_hdr *)grh, type, from, &to);
}

static struct ucmad_responder_peer *ucmad_responder_add_peer(struct ucmad_responder *responder,
							     const union ib_gid *gid,
							     const struct ib_mad_recv_wc *received)
{
	struct ib_mad_agent *agent = responder->agent;
	struct ucmad_responder_peer *peer = kzalloc(sizeof(*peer), GFP_KERNEL);

	if (!peer)
		return NULL;
	peer->ah = ib_create_ah_from_wc(agent->qp->pd, received->wc, received->recv_buf.grh,
					agent->port_num);
	if (IS_ERR(peer->ah)) {
		kfree(peer);
		return NULL;
	}
	peer->gid = *gid;
	peer->next = responder->peers;
	responder->peers = peer;
	return peer;
}

/* Handlers of a port run one after the other. */
static struct ib_ah *ucmad_responder_ah(struct ucmad_responder *responder,
					const struct ib_mad_recv_wc *received)
{
	struct ucmad_responder_peer *peer;
	union ib_gid from;

	if (ucmad_responder_gid(received->wc, received->recv_buf.grh, &from))
		return NULL;
	for (peer = responder->peers; peer; peer = peer->next)
		if (!memcmp(&from, &peer->gid, sizeof(from)))
			return peer->ah;
	peer = ucmad_responder_add_peer(responder, &from, received);
	return peer ? peer->ah : NULL;
}

static void ucmad_responder_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *sent,
				     struct ib_mad_recv_wc *received)
{
	struct ib_ah *ah = ucmad_responder_ah(agent->context, received);
	struct ib_mad_send_buf *answer;
	struct ib_mad_hdr *header;

	if (!ah)
		goto out;
	answer = ib_create_send_mad(agent, received->wc->src_qp, received->wc->pkey_index, 0,
				    IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA, GFP_KERNEL,
				    IB_MGMT_BASE_VERSION);
	if (IS_ERR(answer))
		goto out;
	header = answer->mad;
	memcpy(header, received->recv_buf.mad, sizeof(struct ib_mad));
	header->method |= IB_MGMT_METHOD_RESP;
	answer->ah = ah;
	if (ib_post_send_mad(answer, NULL))
		ib_free_send_mad(answer);
out:
	ib_free_recv_mad(received);
}

static void ucmad_responder_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	ib_free_send_mad(wc->send_buf);
}

static void ucmad_responder_free(struct ucmad_responder *responder)
{
	struct ucmad_responder_peer *peer;

	ib_unregister_mad_agent(responder->agent);
	while (responder->peers) {
		peer = responder->peers;
		responder->peers = peer->next;
		rdma_destroy_ah(peer->ah, RDMA_DESTROY_AH_SLEEPABLE);
		kfree(peer);
	}
	kfree(responder);
}

static struct ucmad_responder *ucmad_responder_create(struct ib_device *device, u32 port)
{
	struct ib_mad_reg_req request = {
		.mgmt_class = UCMAD_RESPONDER_CLASS,
		.mgmt_class_version = 1,
	};
	struct ucmad_responder *responder = kzalloc(sizeof(*responder), GFP_KERNEL);

	if (!responder)
		return NULL;
	memcpy(request.oui, ucmad_responder_oui, sizeof(request.oui));
	set_bit(IB_MGMT_METHOD_GET, request.method_mask);
	responder->agent = ib_register_mad_agent(device, port, IB_QPT_GSI, &request, 0,
						 ucmad_responder_sent, ucmad_responder_received,
						 responder, 0);
	if (IS_ERR(responder->agent)) {
		kfree(responder);
		return NULL;
	}
	return responder;
}

static struct ib_client ucmad_responder_client;

static int ucmad_responder_add(struct ib_device *device)
{
	struct ucmad_responder *first = NULL, *responder;
	u32 port;

	rdma_for_each_port(device, port) {
		responder = ucmad_responder_create(device, port);
		if (responder) {
			responder->next = first;
			first = responder;
		}
	}
	if (!first)
		return -EOPNOTSUPP;
	ib_set_client_data(device, &ucmad_responder_client, first);
	return 0;
}

static void ucmad_responder_remove(struct ib_device *device, void *data)
{
	struct ucmad_responder *responder = data, *next;

	for (; responder; responder = next) {
		next = responder->next;
		ucmad_responder_free(responder);
	}
}

static struct ib_client ucmad_responder_client = {
	.name = "ucmad_responder",
	.add = ucmad_responder_add,
	.remove = ucmad_responder_remove,
};

static int __init ucmad_responder_init(void)
{
	return ib_register_client(&ucmad_responder_client);
}

static void __exit ucmad_responder_exit(void)
{
	ib_unregister_client(&ucmad_responder_client);
}

module_init(ucmad_responder_init);
module_exit(ucmad_responder_exit);

MODULE_DESCRIPTION("Answers requests of a vendor class, for benchmarks");
MODULE_LICENSE("Dual BSD/GPL");
