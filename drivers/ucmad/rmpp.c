// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * Long MADs, which ib_mad's RMPP cuts into segments and puts together (IBTA 13.6). Every segment
 * has the headers of the class at its start; in a program's hands they are there once.
 */
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "mad.h"

/* ---- to be sent -------------------------------------------------------------------------- */

/**
 * ucmad_rmpp_is_active - Does a MAD ask to be carried by RMPP?
 * @mad: A MAD of a class that knows RMPP.
 */
bool ucmad_rmpp_is_active(const void *mad)
{
	const struct ib_rmpp_mad *rmpp = mad;

	/* ib_get_rmpp_flags() does not take a const header in all kernels. */
	return rmpp->rmpp_hdr.rmpp_rtime_flags & IB_MGMT_RMPP_FLAG_ACTIVE;
}

/**
 * ucmad_rmpp_load - Bring a long MAD in.
 * @send: The send, with its length set.
 * @mad: Where the program has it.
 *
 * Return: 0, -EFAULT, -ENOMEM.
 */
int ucmad_rmpp_load(struct ucmad_send *send, const void __user *mad)
{
	send->long_mad = kvmalloc(send->mad_len, GFP_KERNEL_ACCOUNT);
	if (!send->long_mad)
		return -ENOMEM;
	return copy_from_user(send->long_mad, mad, send->mad_len) ? -EFAULT : 0;
}

static void ucmad_rmpp_fill_segments(struct ib_mad_send_buf *buf, const void *data)
{
	size_t left = buf->data_len, size;
	int number;

	for (number = 1; left; number++) {
		size = min_t(size_t, left, buf->seg_size);
		memcpy(ib_get_rmpp_segment(buf, number), data, size);
		data += size;
		left -= size;
	}
}

/**
 * ucmad_rmpp_create - Make ib_mad's copy of a MAD that RMPP is to carry.
 * @send: The send; its own copy is freed.
 * @ib_agent: The registration.
 *
 * Return: The copy, or an ERR_PTR().
 */
struct ib_mad_send_buf *ucmad_rmpp_create(struct ucmad_send *send, struct ib_mad_agent *ib_agent)
{
	const struct ib_mad_hdr *header = (const void *)send->mad;
	int header_len = ib_get_mad_data_offset(header->mgmt_class);
	struct ib_mad_send_buf *buf;

	buf = ib_create_send_mad(ib_agent, send->qpn, send->peer->key.address.pkey_index, 1,
				 header_len, send->mad_len - header_len, GFP_KERNEL_ACCOUNT,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return buf;
	/* The RMPP header between these two is ib_mad's own. */
	memcpy(buf->mad, send->mad, IB_MGMT_MAD_HDR);
	memcpy(buf->mad + IB_MGMT_RMPP_HDR, send->mad + IB_MGMT_RMPP_HDR,
	       header_len - IB_MGMT_RMPP_HDR);
	ucmad_rmpp_fill_segments(buf, send->long_mad + header_len);
	kvfree(send->long_mad);
	send->long_mad = NULL;
	return buf;
}

/* ---- received ---------------------------------------------------------------------------- */

/* Is there more of it than an event has room for? */
bool ucmad_rmpp_is_long(const struct ib_mad_recv_wc *received)
{
	return received->mad_len > UCMAD_MAD_SIZE;
}

/**
 * ucmad_rmpp_fill - Say in an event that a MAD has come through ib_mad.
 * @event: As ucmad_queued_fill().
 * @type: Likewise.
 * @body_len: Likewise.
 * @received: The MAD; if it is long, it is the event's from now on.
 *
 * Return: The body.
 */
void *ucmad_rmpp_fill(struct ucmad_queued *event, enum ucmad_event_type type, size_t body_len,
		      struct ib_mad_recv_wc *received)
{
	void *body = ucmad_queued_fill(event, type, body_len, received->recv_buf.mad,
				       min_t(size_t, received->mad_len, UCMAD_MAD_SIZE));

	if (ucmad_rmpp_is_long(received)) {
		event->received = received;
		event->head.data_len = received->mad_len;
		event->head.size = ALIGN(event->head.data_offset + event->head.data_len, 8);
	}
	return body;
}

/**
 * ucmad_rmpp_copy - Hand a record with a long MAD to the program.
 * @event: The event.
 * @to: Where the record goes.
 *
 * Return: 0 or -EFAULT.
 */
int ucmad_rmpp_copy(const struct ucmad_queued *event, u8 __user *to)
{
	const struct ib_mad_recv_wc *received = event->received;
	int skip = ib_get_mad_data_offset(received->recv_buf.mad->mad_hdr.mgmt_class);
	size_t inside = event->head.data_offset + UCMAD_MAD_SIZE;
	size_t left = event->head.data_len - UCMAD_MAD_SIZE, size;
	const struct ib_mad_recv_buf *segment = &received->recv_buf;

	if (copy_to_user(to, &event->head, inside))
		return -EFAULT;
	to += inside;
	list_for_each_entry_continue(segment, &received->rmpp_list, list) {
		size = min_t(size_t, left, UCMAD_MAD_SIZE - skip);
		if (copy_to_user(to, (const u8 *)segment->mad + skip, size))
			return -EFAULT;
		to += size;
		left -= size;
	}
	/* What ib_mad has not got, if a peer lied about the length, and the padding. */
	left += event->head.size - event->head.data_offset - event->head.data_len;
	return clear_user(to, left) ? -EFAULT : 0;
}
