// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* Requests over an unreliable datagram QP of our own. */
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "mad.h"
#include "main.h"

/* Enough to keep a port busy; more would only wait in the driver instead of in our queues. */
#define UCMAD_UD_SENDS		512
/* As many responses may come at once as requests are WAITING, of all the peers. */
#define UCMAD_UD_RECEIVES	2048
/* ib_drain_rq() adds one to them. */
#define UCMAD_UD_RECEIVE_DEPTH	(UCMAD_UD_RECEIVES + 1)

/**
 * struct ucmad_ud - An unreliable datagram QP of our own: requests leave from it, and responses
 *		     come to it, since an agent answers to the QP that asked (IBTA 13.5.3).
 * @channel: Base.
 * @entry: In &ucmad_port.uds; guarded, as @users, by the port's mutex.
 * @pkey_index: Its P_Key index; a UD QP has one.
 * @users: Lanes that use it.
 * @send_cq: Completions of sends, polled in softirqs.
 * @receive_cq: Completions of receives, likewise.
 * @qp: The QP.
 * @receives: Buffers for what comes.
 * @started: The QP has left RESET, and may have been given receives; known to who makes or repairs
 *	     it.
 * @broken: The QP has failed, and is not used until it was repaired; written under the port's lock.
 *	    What is to be sent waits for the repair, but fails if that does.
 * @repair: Repairs it.
 */
struct ucmad_ud {
	struct ucmad_channel channel;
	struct list_head entry;
	u16 pkey_index;
	u32 users;
	struct ib_cq *send_cq;
	struct ib_cq *receive_cq;
	struct ib_qp *qp;
	struct list_head receives;
	bool started;
	bool broken;
	struct delayed_work repair;
};

/**
 * struct ucmad_receive - Room for what comes.
 * @entry: In &ucmad_ud.receives.
 * @cqe: How its completion finds it.
 * @ud: The QP.
 * @dma: Address of what follows for the hardware.
 * @grh: What precedes a datagram (IBTA 11.4.1.2).
 * @mad: The MAD.
 */
struct ucmad_receive {
	struct list_head entry;
	struct ib_cqe cqe;
	struct ucmad_ud *ud;
	u64 dma;
	struct ib_grh grh;
	u8 mad[UCMAD_MAD_SIZE];
};

#define UCMAD_RECEIVE_SIZE (sizeof(struct ib_grh) + UCMAD_MAD_SIZE)

static void ucmad_ud_received(struct ib_cq *cq, struct ib_wc *wc);

static int ucmad_ud_post_receive(struct ucmad_receive *receive)
{
	struct ucmad_ud *ud = receive->ud;
	struct ib_sge sge = {
		.addr = receive->dma,
		.length = UCMAD_RECEIVE_SIZE,
		.lkey = ud->channel.pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .wr_cqe = &receive->cqe, .sg_list = &sge, .num_sge = 1 };

	receive->cqe.done = ucmad_ud_received;
	return ib_post_recv(ud->qp, &wr, NULL);
}

static void ucmad_ud_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ucmad_receive *receive = container_of(wc->wr_cqe, struct ucmad_receive, cqe);
	struct ucmad_ud *ud = receive->ud;
	struct ib_device *ib = ud->channel.port->ib;

	/* Flushed: the QP is being destroyed or repaired. */
	if (wc->status != IB_WC_SUCCESS)
		return;
	ib_dma_sync_single_for_cpu(ib, receive->dma, UCMAD_RECEIVE_SIZE, DMA_FROM_DEVICE);
	if (wc->byte_len == UCMAD_RECEIVE_SIZE)
		ucmad_send_match(ud->channel.port, wc, &receive->grh, receive->mad);
	ib_dma_sync_single_for_device(ib, receive->dma, UCMAD_RECEIVE_SIZE, DMA_FROM_DEVICE);
	/* Who repairs the QP posts all of them. */
	if (!READ_ONCE(ud->broken))
		ucmad_ud_post_receive(receive);
}

static void ucmad_ud_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	ucmad_send_sent(container_of(wc->wr_cqe, struct ucmad_send, cqe), wc->status);
}

static int ucmad_ud_prepare(struct ucmad_send *send)
{
	struct ib_device *ib = send->agent->port->ib;

	send->cqe.done = ucmad_ud_sent;
	send->dma = ib_dma_map_single(ib, send->mad, sizeof(send->mad), DMA_TO_DEVICE);
	return ib_dma_mapping_error(ib, send->dma) ? -ENOMEM : 0;
}

static void ucmad_ud_unprepare(struct ucmad_send *send)
{
	ib_dma_unmap_single(send->agent->port->ib, send->dma, sizeof(send->mad), DMA_TO_DEVICE);
}

static int ucmad_ud_post(struct ucmad_send *send)
{
	struct ucmad_channel *channel = send->peer->lane->channel;
	struct ucmad_ud *ud = container_of(channel, struct ucmad_ud, channel);
	struct ib_sge sge = {
		.addr = send->dma,
		.length = sizeof(send->mad),
		.lkey = channel->pd->local_dma_lkey,
	};
	struct ib_ud_wr wr = {
		.wr = {
			.wr_cqe = &send->cqe,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IB_WR_SEND,
			.send_flags = IB_SEND_SIGNALED,
		},
		.ah = send->peer->ah,
		.remote_qpn = send->qpn,
		.remote_qkey = send->qkey,
	};

	/* It cannot be repaired, for now. */
	if (ud->broken)
		return -EIO;
	return ib_post_send(ud->qp, &wr.wr, NULL);
}

/* After that the QP flushes whatever it is given, until it is taken through its states anew. */
static bool ucmad_ud_failed(struct ucmad_channel *channel)
{
	struct ucmad_ud *ud = container_of(channel, struct ucmad_ud, channel);

	if (ud->broken)
		return false;
	WRITE_ONCE(ud->broken, true);
	channel->depth = 0;
	queue_delayed_work(ucmad_workqueue, &ud->repair, 0);
	return true;
}

static const struct ucmad_channel_ops ucmad_ud_ops = {
	.failed = ucmad_ud_failed,
	.prepare = ucmad_ud_prepare,
	.unprepare = ucmad_ud_unprepare,
	.post = ucmad_ud_post,
};

/* Takes the QP from RESET to RTS (IBTA 10.3.1). */
static int ucmad_ud_start_qp(struct ucmad_ud *ud)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.pkey_index = ud->pkey_index,
		.port_num = ud->channel.port->number,
		.qkey = UCMAD_MAD_QKEY,
	};
	int ret;

	ret = ib_modify_qp(ud->qp, &attr,
			   IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY);
	if (ret)
		return ret;
	ud->started = true;
	attr.qp_state = IB_QPS_RTR;
	ret = ib_modify_qp(ud->qp, &attr, IB_QP_STATE);
	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTS;
	return ib_modify_qp(ud->qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN);
}

/* Takes its receives back. A QP in RESET has none, and cannot be drained. */
static void ucmad_ud_drain(struct ucmad_ud *ud)
{
	if (ud->started)
		ib_drain_rq(ud->qp);
}

/* Back to work: with all its receives, and nothing to send. */
static int ucmad_ud_restart(struct ucmad_ud *ud)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RESET };
	struct ucmad_receive *receive;
	int ret;

	ret = ib_modify_qp(ud->qp, &attr, IB_QP_STATE);
	if (ret)
		return ret;
	ud->started = false;
	ret = ucmad_ud_start_qp(ud);
	if (ret)
		return ret;
	list_for_each_entry(receive, &ud->receives, entry) {
		ret = ucmad_ud_post_receive(receive);
		if (ret)
			break;
	}
	return ret;
}

static void ucmad_ud_repair(struct work_struct *work)
{
	struct ucmad_ud *ud = container_of(work, struct ucmad_ud, repair.work);
	struct ucmad_channel *channel = &ud->channel;
	int ret;

	/* Handlers that have not seen that it is broken may still post a receive. */
	synchronize_rcu();
	ucmad_ud_drain(ud);
	wait_var_event(&channel->posted, !READ_ONCE(channel->posted));
	ret = ucmad_ud_restart(ud);
	spin_lock_bh(&channel->port->lock);
	if (ret)
		queue_delayed_work(ucmad_workqueue, &ud->repair, HZ);
	else
		WRITE_ONCE(ud->broken, false);
	/* Either they are sent, or they fail: nobody knows when it will work (MAD-ONE). */
	channel->depth = UCMAD_UD_SENDS;
	ucmad_channel_pump(channel);
	spin_unlock_bh(&channel->port->lock);
}

static int ucmad_ud_create_qp(struct ucmad_ud *ud)
{
	struct ib_device *ib = ud->channel.port->ib;
	struct ib_qp_init_attr attr = {
		.cap = {
			.max_send_wr = UCMAD_UD_SENDS,
			.max_recv_wr = UCMAD_UD_RECEIVE_DEPTH,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_UD,
		.port_num = ud->channel.port->number,
	};
	int ret;

	ud->channel.pd = ib_alloc_pd(ib, 0);
	if (IS_ERR(ud->channel.pd))
		return PTR_ERR(ud->channel.pd);
	ud->send_cq = ib_alloc_cq_any(ib, ud, UCMAD_UD_SENDS, IB_POLL_SOFTIRQ);
	if (IS_ERR(ud->send_cq)) {
		ret = PTR_ERR(ud->send_cq);
		goto err_pd;
	}
	ud->receive_cq = ib_alloc_cq_any(ib, ud, UCMAD_UD_RECEIVE_DEPTH, IB_POLL_SOFTIRQ);
	if (IS_ERR(ud->receive_cq)) {
		ret = PTR_ERR(ud->receive_cq);
		goto err_send_cq;
	}
	attr.send_cq = ud->send_cq;
	attr.recv_cq = ud->receive_cq;
	ud->qp = ib_create_qp(ud->channel.pd, &attr);
	if (IS_ERR(ud->qp)) {
		ret = PTR_ERR(ud->qp);
		goto err_receive_cq;
	}
	return 0;

err_receive_cq:
	ib_free_cq(ud->receive_cq);
err_send_cq:
	ib_free_cq(ud->send_cq);
err_pd:
	ib_dealloc_pd(ud->channel.pd);
	return ret;
}

static void ucmad_ud_free_receive(struct ucmad_receive *receive)
{
	ib_dma_unmap_single(receive->ud->channel.port->ib, receive->dma, UCMAD_RECEIVE_SIZE,
			    DMA_FROM_DEVICE);
	kfree(receive);
}

static int ucmad_ud_add_receive(struct ucmad_ud *ud)
{
	struct ib_device *ib = ud->channel.port->ib;
	struct ucmad_receive *receive = kzalloc(sizeof(*receive), GFP_KERNEL);
	int ret;

	if (!receive)
		return -ENOMEM;
	receive->ud = ud;
	receive->dma = ib_dma_map_single(ib, &receive->grh, UCMAD_RECEIVE_SIZE, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(ib, receive->dma)) {
		kfree(receive);
		return -ENOMEM;
	}
	ret = ucmad_ud_post_receive(receive);
	if (ret)
		ucmad_ud_free_receive(receive);
	else
		list_add(&receive->entry, &ud->receives);
	return ret;
}

/*
 * ib_poll_handler() of ib_core lets go of the CQ, as far as ib_free_cq() can see, and then arms it
 * once more. So wait for the softirq itself, as RCU does, while no other can start.
 */
static void ucmad_ud_free_cq(struct ib_cq *cq)
{
	irq_poll_disable(&cq->iop);
	synchronize_rcu();
	irq_poll_enable(&cq->iop);
	ib_free_cq(cq);
}

/* Nobody sends over it any more; its address handles are destroyed. */
static void ucmad_ud_destroy(struct ucmad_ud *ud)
{
	struct ucmad_receive *receive, *next;

	cancel_delayed_work_sync(&ud->repair);
	/* No handler posts a receive again. Of sends none is left: the agents waited for them. */
	ucmad_ud_drain(ud);
	ib_destroy_qp(ud->qp);
	ucmad_ud_free_cq(ud->receive_cq);
	ucmad_ud_free_cq(ud->send_cq);
	list_for_each_entry_safe(receive, next, &ud->receives, entry)
		ucmad_ud_free_receive(receive);
	ib_dealloc_pd(ud->channel.pd);
	kfree(ud);
}

/* All that it is asked for is good, so a driver that says -EINVAL is short of something. */
static struct ucmad_ud *ucmad_ud_error(int error)
{
	return ERR_PTR(error == -EINVAL ? -ENOMEM : error);
}

/* Returns the QP, or an ERR_PTR(). */
static struct ucmad_ud *ucmad_ud_create(struct ucmad_port *port, u16 pkey_index)
{
	struct ucmad_ud *ud = kzalloc(sizeof(*ud), GFP_KERNEL);
	u32 i;
	int ret;

	if (!ud)
		return ERR_PTR(-ENOMEM);
	ucmad_channel_init(&ud->channel, &ucmad_ud_ops, port, UCMAD_UD_SENDS);
	ud->pkey_index = pkey_index;
	INIT_LIST_HEAD(&ud->receives);
	INIT_DELAYED_WORK(&ud->repair, ucmad_ud_repair);
	ret = ucmad_ud_create_qp(ud);
	if (ret) {
		kfree(ud);
		return ucmad_ud_error(ret);
	}
	ret = ucmad_ud_start_qp(ud);
	for (i = 0; !ret && i < UCMAD_UD_RECEIVES; i++)
		ret = ucmad_ud_add_receive(ud);
	if (ret) {
		ucmad_ud_destroy(ud);
		return ucmad_ud_error(ret);
	}
	return ud;
}

static struct ucmad_ud *ucmad_ud_find(const struct ucmad_port *port, u16 pkey_index)
{
	struct ucmad_ud *ud;

	list_for_each_entry(ud, &port->uds, entry)
		if (ud->pkey_index == pkey_index)
			return ud;
	return NULL;
}

/* Returns the channel of our QP with a P_Key index, made on demand, or an ERR_PTR(). */
static struct ucmad_channel *ucmad_ud_open(struct ucmad_port *port, u16 pkey_index)
{
	struct ucmad_ud *ud;

	mutex_lock(&port->mutex);
	ud = ucmad_ud_find(port, pkey_index);
	if (!ud) {
		ud = ucmad_ud_create(port, pkey_index);
		if (!IS_ERR(ud))
			list_add(&ud->entry, &port->uds);
	}
	if (!IS_ERR(ud))
		ud->users++;
	mutex_unlock(&port->mutex);
	return IS_ERR(ud) ? ERR_CAST(ud) : &ud->channel;
}

static void ucmad_ud_close(struct ucmad_channel *channel)
{
	struct ucmad_port *port = channel->port;
	struct ucmad_ud *ud = container_of(channel, struct ucmad_ud, channel);

	mutex_lock(&port->mutex);
	if (!--ud->users) {
		list_del(&ud->entry);
		ucmad_ud_destroy(ud);
	}
	mutex_unlock(&port->mutex);
}

const struct ucmad_transport ucmad_ud_transport = {
	.open = ucmad_ud_open,
	.close = ucmad_ud_close,
	.locate = ucmad_address_locate,
	.resolve = ucmad_address_resolve,
	.release = ucmad_address_release,
};
