/* SPDX-License-Identifier: ((GPL-2.0-only WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * The user ABI of ucmad: InfiniBand Connection Manager (CM) IDs and, later, Management Datagram
 * (MAD) agents through the character device /dev/infiniband/ucmad.
 *
 * Rules that hold for every ioctl:
 *
 * - It takes a pointer to one struct whose first member, @size, is the size of that struct as the
 *   program was compiled. A program older than the module may pass a shorter struct (what is
 *   missing reads as zero), a newer one a longer struct as long as what the module does not know
 *   is zero (else %E2BIG, as for one above 4096 bytes). A struct shorter than the first published
 *   version is %EINVAL.
 * - Flags that the module does not know, and reserved members that are not zero, are %EINVAL.
 * - All integers are in host byte order, service IDs and GUIDs too; GIDs and MAC addresses are
 *   byte arrays as on the wire. Pointers are passed in __u64. The layout is the same for 32-bit
 *   and 64-bit programs.
 * - An object (a CM ID) is named by a handle: a number above zero that is valid for the open file
 *   that made it, and for no other. A handle is not soon used again. Unknown: %ENOENT; an object
 *   of another kind than the ioctl is for: %ENOTTY.
 * - %EFAULT: memory that cannot be read or written. Nothing was done, or it is said what was.
 * - %ENODEV: the RDMA device of the object was removed.
 *
 * Names in capitals with a dash, such as EV-FIFO, are promises of Documentation/contract.rst.
 */
#ifndef _UAPI_RDMA_UCMAD_H
#define _UAPI_RDMA_UCMAD_H

#include <linux/ioctl.h>
#include <linux/types.h>

/** UCMAD_DEVICE_PATH - Where udev and devtmpfs put the character device. */
#define UCMAD_DEVICE_PATH	"/dev/infiniband/ucmad"

/** UCMAD_ABI_VERSION - Rises when old programs would break; additions are told by features. */
#define UCMAD_ABI_VERSION	1

/* ---- ioctl numbers; the size is in the struct, not in the number ------------------------ */

#define UCMAD_IOCTL_TYPE	0xCD

#define UCMAD_IOCTL_QUERY	_IO(UCMAD_IOCTL_TYPE, 0x00)	/* struct ucmad_query */
#define UCMAD_IOCTL_DEVICES	_IO(UCMAD_IOCTL_TYPE, 0x01)	/* struct ucmad_devices */
#define UCMAD_IOCTL_EVENTS	_IO(UCMAD_IOCTL_TYPE, 0x02)	/* struct ucmad_events */
#define UCMAD_IOCTL_DESTROY	_IO(UCMAD_IOCTL_TYPE, 0x03)	/* struct ucmad_destroy */
#define UCMAD_IOCTL_SET_CONTEXT	_IO(UCMAD_IOCTL_TYPE, 0x04)	/* struct ucmad_set_context */

#define UCMAD_IOCTL_CM_CREATE	_IO(UCMAD_IOCTL_TYPE, 0x20)	/* struct ucmad_cm_create */
#define UCMAD_IOCTL_CM_LISTEN	_IO(UCMAD_IOCTL_TYPE, 0x21)	/* struct ucmad_cm_listen */
#define UCMAD_IOCTL_CM_REQ	_IO(UCMAD_IOCTL_TYPE, 0x22)	/* struct ucmad_cm_req */
#define UCMAD_IOCTL_CM_REP	_IO(UCMAD_IOCTL_TYPE, 0x23)	/* struct ucmad_cm_rep */
#define UCMAD_IOCTL_CM_RTU	_IO(UCMAD_IOCTL_TYPE, 0x24)	/* struct ucmad_cm_message */
#define UCMAD_IOCTL_CM_REJ	_IO(UCMAD_IOCTL_TYPE, 0x25)	/* struct ucmad_cm_rej */
#define UCMAD_IOCTL_CM_MRA	_IO(UCMAD_IOCTL_TYPE, 0x26)	/* struct ucmad_cm_mra */
#define UCMAD_IOCTL_CM_DREQ	_IO(UCMAD_IOCTL_TYPE, 0x27)	/* struct ucmad_cm_message */
#define UCMAD_IOCTL_CM_DREP	_IO(UCMAD_IOCTL_TYPE, 0x28)	/* struct ucmad_cm_message */
#define UCMAD_IOCTL_CM_SIDR_REQ	_IO(UCMAD_IOCTL_TYPE, 0x29)	/* struct ucmad_cm_sidr_req */
#define UCMAD_IOCTL_CM_SIDR_REP	_IO(UCMAD_IOCTL_TYPE, 0x2a)	/* struct ucmad_cm_sidr_rep */
#define UCMAD_IOCTL_CM_NOTIFY	_IO(UCMAD_IOCTL_TYPE, 0x2b)	/* struct ucmad_cm_notify */
#define UCMAD_IOCTL_CM_QUERY	_IO(UCMAD_IOCTL_TYPE, 0x2c)	/* struct ucmad_cm_query */
#define UCMAD_IOCTL_CM_QP_ATTR	_IO(UCMAD_IOCTL_TYPE, 0x2d)	/* struct ucmad_cm_qp_attr */

#define UCMAD_IOCTL_MAD_REGISTER _IO(UCMAD_IOCTL_TYPE, 0x40)	/* struct ucmad_mad_register */
#define UCMAD_IOCTL_MAD_POST	_IO(UCMAD_IOCTL_TYPE, 0x41)	/* struct ucmad_mad_post */
#define UCMAD_IOCTL_MAD_CANCEL	_IO(UCMAD_IOCTL_TYPE, 0x42)	/* struct ucmad_mad_cancel */
#define UCMAD_IOCTL_MAD_TIMEOUT	_IO(UCMAD_IOCTL_TYPE, 0x43)	/* struct ucmad_mad_timeout */
#define UCMAD_IOCTL_MAD_QUERY	_IO(UCMAD_IOCTL_TYPE, 0x44)	/* struct ucmad_mad_query */

/* ---- the file ---------------------------------------------------------------------------- */

/** UCMAD_FEATURE_CM - CM IDs: the UCMAD_IOCTL_CM_* ioctls. */
#define UCMAD_FEATURE_CM	0x1

/** UCMAD_FEATURE_MAD - MAD agents: the UCMAD_IOCTL_MAD_* ioctls. */
#define UCMAD_FEATURE_MAD	0x2

/**
 * struct ucmad_query - What this module can do.
 * @size: sizeof(struct ucmad_query).
 * @abi_version: Out: UCMAD_ABI_VERSION of the module.
 * @features: Out: UCMAD_FEATURE_* bits.
 * @max_objects: Out: objects that one file may have at a time.
 * @max_backlog: Out: largest backlog of a listener.
 * @max_event_size: Out: a buffer of so many bytes takes any event but a MAD that RMPP has carried
 *		    (EV-TOOSMALL).
 * @reserved: Zero.
 */
struct ucmad_query {
	__u32 size;
	__u32 abi_version;
	__aligned_u64 features;
	__u32 max_objects;
	__u32 max_backlog;
	__u32 max_event_size;
	__u32 reserved;
};

#define UCMAD_DEVICE_NAME_MAX	64

/**
 * struct ucmad_device_info - One RDMA device that the file may use.
 * @index: The number that names the device until it is removed; libibverbs calls it the device
 *	   index (ibv_get_device_index()).
 * @port_count: Physical ports, numbered from 1.
 * @node_guid: Node GUID.
 * @roce_ports: Bit n is set if port n speaks RoCE (n below 64); else it speaks InfiniBand.
 * @name: Name of the device, ends in a zero byte. It can be changed by the administrator.
 */
struct ucmad_device_info {
	__u32 index;
	__u32 port_count;
	__aligned_u64 node_guid;
	__aligned_u64 roce_ports;
	char name[UCMAD_DEVICE_NAME_MAX];
};

/**
 * struct ucmad_devices - List the devices that can be used.
 * @size: sizeof(struct ucmad_devices).
 * @count: In: room for so many entries at @devices. Out: so many devices there are; what had no
 *	   room was left out.
 * @devices: Address of an array of struct ucmad_device_info; may be 0 if @count is 0.
 * @entry_size: sizeof(struct ucmad_device_info): the distance of the entries; at most 4096.
 * @reserved: Zero.
 *
 * Only devices with a CM on some port that the network namespace of the opener can reach.
 */
struct ucmad_devices {
	__u32 size;
	__u32 count;
	__aligned_u64 devices;
	__u32 entry_size;
	__u32 reserved;
};

/* ---- events ------------------------------------------------------------------------------ */

/**
 * enum ucmad_event_type - What happened; says which body follows the header.
 * @UCMAD_EVENT_DEVICE_REMOVED: The RDMA device went away; the last event of the object. No body.
 * @UCMAD_EVENT_CM_REQ: A peer asks for a connection; the object is a new CM ID in state REQ_RCVD.
 *	struct ucmad_cm_req_event, 92 bytes of data.
 * @UCMAD_EVENT_CM_REQ_ERROR: The REQ could not be sent or was not answered.
 *	struct ucmad_cm_error_event.
 * @UCMAD_EVENT_CM_REP: The peer accepts. struct ucmad_cm_rep_event, 196 bytes of data.
 * @UCMAD_EVENT_CM_REP_ERROR: The REP could not be sent or was not answered.
 *	struct ucmad_cm_error_event.
 * @UCMAD_EVENT_CM_RTU: The peer is ready to use the connection. 224 bytes of data.
 * @UCMAD_EVENT_CM_USER_ESTABLISHED: UCMAD_IOCTL_CM_NOTIFY told that data came before the RTU.
 * @UCMAD_EVENT_CM_DREQ: The peer disconnects. 220 bytes of data.
 * @UCMAD_EVENT_CM_DREQ_ERROR: The DREQ was not answered; the connection is over all the same.
 *	struct ucmad_cm_error_event.
 * @UCMAD_EVENT_CM_DREP: The peer has confirmed the disconnect. 224 bytes of data.
 * @UCMAD_EVENT_CM_TIMEWAIT_EXIT: The QP may be used again: no old packet is about any more.
 * @UCMAD_EVENT_CM_MRA: The peer asks for time. struct ucmad_cm_mra_event, 222 bytes of data.
 * @UCMAD_EVENT_CM_REJ: The peer refuses or ends the connection. struct ucmad_cm_rej_event, 148
 *	bytes of data.
 * @UCMAD_EVENT_CM_LAP: The peer proposes an alternate path (IB only); the module cannot answer it.
 *	struct ucmad_cm_lap_event, 168 bytes of data.
 * @UCMAD_EVENT_CM_APR: Answer to a LAP. struct ucmad_cm_apr_event, 148 bytes of data.
 * @UCMAD_EVENT_CM_LAP_ERROR: A LAP was not answered. struct ucmad_cm_error_event.
 * @UCMAD_EVENT_CM_SIDR_REQ: A peer asks for the QP of a service; the object is a new CM ID in
 *	state SIDR_REQ_RCVD. struct ucmad_cm_sidr_req_event, 216 bytes of data.
 * @UCMAD_EVENT_CM_SIDR_REQ_ERROR: The SIDR REQ was not answered. struct ucmad_cm_error_event.
 * @UCMAD_EVENT_CM_SIDR_REP: Answer to a SIDR REQ. struct ucmad_cm_sidr_rep_event, 136 bytes.
 * @UCMAD_EVENT_CM_EXPIRED: The program did not answer a REQ or REP within its patience; the peer
 *	was sent a REJ with reason 28 (consumer reject). struct ucmad_cm_error_event.
 *
 * @UCMAD_EVENT_MAD_SEND: A send is over; the one completion that it has (MAD-ONE).
 *	struct ucmad_mad_completion; the response, if there is one, is the data (MAD-PAIR).
 * @UCMAD_EVENT_MAD_RECEIVE: An unsolicited MAD. struct ucmad_mad_receive; the MAD is the data.
 *
 * Source of the CM ones: IBTA 1.4, 12.6 to 12.11; include/rdma/ib_cm.h in the kernel.
 */
enum ucmad_event_type {
	UCMAD_EVENT_DEVICE_REMOVED = 1,

	UCMAD_EVENT_CM_REQ = 0x100,
	UCMAD_EVENT_CM_REQ_ERROR,
	UCMAD_EVENT_CM_REP,
	UCMAD_EVENT_CM_REP_ERROR,
	UCMAD_EVENT_CM_RTU,
	UCMAD_EVENT_CM_USER_ESTABLISHED,
	UCMAD_EVENT_CM_DREQ,
	UCMAD_EVENT_CM_DREQ_ERROR,
	UCMAD_EVENT_CM_DREP,
	UCMAD_EVENT_CM_TIMEWAIT_EXIT,
	UCMAD_EVENT_CM_MRA,
	UCMAD_EVENT_CM_REJ,
	UCMAD_EVENT_CM_LAP,
	UCMAD_EVENT_CM_APR,
	UCMAD_EVENT_CM_LAP_ERROR,
	UCMAD_EVENT_CM_SIDR_REQ,
	UCMAD_EVENT_CM_SIDR_REQ_ERROR,
	UCMAD_EVENT_CM_SIDR_REP,
	UCMAD_EVENT_CM_EXPIRED,

	UCMAD_EVENT_MAD_SEND = 0x200,
	UCMAD_EVENT_MAD_RECEIVE,
};

/**
 * UCMAD_EVENT_HELD - The object is now held for whoever took this event: until it is acknowledged,
 * no "any object" call is given another event of the object (EV-SERIAL, EV-ACCEPT).
 */
#define UCMAD_EVENT_HELD	0x1

/**
 * struct ucmad_event - Head of every event in the buffer of UCMAD_IOCTL_EVENTS.
 * @size: Bytes of this record, head, body, data and padding: the next one starts there. A multiple
 *	  of 8.
 * @type: enum ucmad_event_type. The body follows this head at once.
 * @flags: UCMAD_EVENT_HELD or 0.
 * @object: Handle of the object that the event is of.
 * @data_offset: Where in this record the data starts: private data of a CM message, or a MAD.
 * @data_len: Bytes of data. Of private data always the full length that the message has room for,
 *	      since CM messages do not carry a length (IBTA 12.6).
 * @reserved: Zero.
 * @sequence: Number of the event among those of its object, from 1; a struct ucmad_ack names it.
 * @context: The object's user context at the moment of delivery (EV-CONTEXT).
 * @time: CLOCK_MONOTONIC when it happened, in nanoseconds.
 */
struct ucmad_event {
	__u32 size;
	__u16 type;
	__u16 flags;
	__u32 object;
	__u32 data_offset;
	__u32 data_len;
	__u32 reserved;
	__aligned_u64 sequence;
	__aligned_u64 context;
	__aligned_u64 time;
};

/** UCMAD_ACK_SET_CONTEXT - Give the object the context in the same step (EV-CONTEXT). */
#define UCMAD_ACK_SET_CONTEXT	0x1

/**
 * struct ucmad_ack - Acknowledge the events of one object, up to and including one.
 * @object: Its handle.
 * @flags: UCMAD_ACK_SET_CONTEXT or 0.
 * @sequence: The last event that is acknowledged.
 * @context: New context, with UCMAD_ACK_SET_CONTEXT; else zero. It is set if the object exists,
 *	     even if nothing of it was held.
 *
 * Any thread may acknowledge: a hold belongs to the object. What is not held any more (acknowledged
 * before, or the object was destroyed, which any thread may do at any time) is no error; it is
 * counted in &ucmad_events.acks_ignored.
 */
struct ucmad_ack {
	__u32 object;
	__u32 flags;
	__aligned_u64 sequence;
	__aligned_u64 context;
};

/**
 * struct ucmad_events - Acknowledge any number of events, then take any number (EV-BATCH).
 * @size: sizeof(struct ucmad_events).
 * @flags: Zero.
 * @object: Take events of this object only (EV-TARGET), of a listener also its REQ and SIDR REQ
 *	    events; 0: of any object.
 * @ack_count: Number of entries at @acks; at most 65536, else %EINVAL.
 * @acks: Address of an array of struct ucmad_ack. They are all checked before the first is carried
 *	  out (%EINVAL, %EFAULT, %ENOMEM: none was), and are carried out before anything else is
 *	  looked at, whatever the taking then says.
 * @buffer: Where the events go, 8-byte aligned. If 0, nothing is taken and the call does not wait;
 *	    @buffer_len and @object are 0 then.
 * @buffer_len: Bytes at @buffer.
 * @max_events: Take at most so many; 0: as many as fit, though never more than 1024 in one call.
 * @timeout_ns: How long to wait for the first event: nanoseconds, 0 not at all, negative for ever.
 *		With O_NONBLOCK the call never waits.
 * @count: Out: events taken.
 * @bytes: Out: bytes written to @buffer.
 * @needed: Out: if the next event was left behind for want of room, its size, else 0 (EV-TOOSMALL).
 * @acks_ignored: Out: acknowledgments of what was not held.
 *
 * An event taken with "any object" holds its object (unless the object was made for concurrent
 * delivery) until it is acknowledged; one taken by naming the object does not. A REQ or SIDR REQ
 * event holds the new CM ID either way (EV-ACCEPT).
 *
 * Errors, besides the common ones: %EAGAIN nothing there and no waiting allowed; %ETIMEDOUT;
 * %EINTR; %EMSGSIZE the first event does not fit, see @needed (nothing was taken); %ESHUTDOWN the
 * named object was destroyed meanwhile (DEL-SILENT). On %EFAULT the events stay where they were.
 *
 * Poll, epoll and select: readable (EPOLLIN) exactly when a call with @object and @timeout_ns 0
 * would return an event or %EMSGSIZE (EV-POLL).
 */
struct ucmad_events {
	__u32 size;
	__u32 flags;
	__u32 object;
	__u32 ack_count;
	__aligned_u64 acks;
	__aligned_u64 buffer;
	__u32 buffer_len;
	__u32 max_events;
	__s64 timeout_ns;
	__u32 count;
	__u32 bytes;
	__u32 needed;
	__u32 acks_ignored;
};

/* ---- objects ----------------------------------------------------------------------------- */

/**
 * struct ucmad_destroy - Destroy an object.
 * @size: sizeof(struct ucmad_destroy).
 * @object: Its handle.
 * @discarded: Out: events of the object that nobody will see any more (DEL-COUNT).
 * @reserved: Zero.
 *
 * Once it has returned, no call returns an event of the object (DEL-SILENT). It never waits for an
 * acknowledgment (DEL-NOWAIT-USER), and tells the peer what the protocol wants told (CM-TEARDOWN).
 * With a listener go the new CM IDs whose REQ was not taken yet; their peers are rejected.
 */
struct ucmad_destroy {
	__u32 size;
	__u32 object;
	__u32 discarded;
	__u32 reserved;
};

/**
 * struct ucmad_set_context - Change the user context of an object (EV-CONTEXT).
 * @size: sizeof(struct ucmad_set_context).
 * @object: Its handle.
 * @context: Delivered with each event that is taken from now on.
 */
struct ucmad_set_context {
	__u32 size;
	__u32 object;
	__aligned_u64 context;
};

/* ---- CM IDs ------------------------------------------------------------------------------ */

/* Room for private data and additional information in each message, in bytes (IBTA 12.6). */
#define UCMAD_CM_REQ_DATA_MAX		92
#define UCMAD_CM_MRA_DATA_MAX		222
#define UCMAD_CM_REJ_DATA_MAX		148
#define UCMAD_CM_REJ_ARI_MAX		72
#define UCMAD_CM_REP_DATA_MAX		196
#define UCMAD_CM_RTU_DATA_MAX		224
#define UCMAD_CM_DREQ_DATA_MAX		220
#define UCMAD_CM_DREP_DATA_MAX		224
#define UCMAD_CM_LAP_DATA_MAX		168
#define UCMAD_CM_APR_DATA_MAX		148
#define UCMAD_CM_APR_INFO_MAX		72
#define UCMAD_CM_SIDR_REQ_DATA_MAX	216
#define UCMAD_CM_SIDR_REP_DATA_MAX	136
#define UCMAD_CM_SIDR_REP_INFO_MAX	72

/**
 * enum ucmad_cm_state - State of a CM ID (IBTA 12.9; RESOLVING and REMOVED are our own).
 *
 * "Sent" and "received" are as seen from this side. MRA_REQ_SENT: the module or the program has had
 * the peer told to wait while the REQ is unanswered; MRA_REP_SENT the same for a REP.
 */
enum ucmad_cm_state {
	UCMAD_CM_IDLE,
	UCMAD_CM_LISTEN,
	UCMAD_CM_RESOLVING,
	UCMAD_CM_REQ_SENT,
	UCMAD_CM_MRA_REQ_RCVD,
	UCMAD_CM_REQ_RCVD,
	UCMAD_CM_MRA_REQ_SENT,
	UCMAD_CM_REP_SENT,
	UCMAD_CM_MRA_REP_RCVD,
	UCMAD_CM_REP_RCVD,
	UCMAD_CM_MRA_REP_SENT,
	UCMAD_CM_ESTABLISHED,
	UCMAD_CM_DREQ_SENT,
	UCMAD_CM_DREQ_RCVD,
	UCMAD_CM_TIMEWAIT,
	UCMAD_CM_SIDR_REQ_SENT,
	UCMAD_CM_SIDR_REQ_RCVD,
	UCMAD_CM_REMOVED,
};

/*
 * Errors of every CM operation (CM-STATE), in the order in which they are looked for:
 * %ENODEV the device was removed; %ECONNRESET the peer has ended the connection or what was to
 * become one, %ETIMEDOUT it ended by time-out, even where the event that tells so was not taken
 * yet, %EIO likewise because a message could not be sent; %EBADFD the state of the ID does not
 * allow the operation. None of them changes anything.
 * LISTEN, REQ and SIDR_REQ want an idle ID and know no other of these errors than %ENODEV and
 * %EBADFD. An operation that meets a destroy of the same ID in another thread fails with %ESHUTDOWN
 * or %ENOENT.
 */

/**
 * struct ucmad_path - A path to a peer (IBTA 15.2.5.16, PathRecord, less what CM does not need).
 * @dgid: GID of the peer's port. On RoCE v2 over IPv4 an IPv4-mapped IPv6 address.
 * @sgid: GID of the local port. Passed in: zero, or the GID at @sgid_index.
 * @flow_label: 20 bits.
 * @dlid: LID of the peer; 0 on RoCE.
 * @slid: LID of the local port; 0 on RoCE.
 * @pkey: Partition key; 0 stands for 0xffff, the default partition.
 * @sgid_index: Index of the local GID; says on RoCE also which network interface is used.
 * @port: Local port, from 1.
 * @sl: Service level, 0 to 15.
 * @hop_limit: On InfiniBand, above 0 for a GRH; on RoCE 0 stands for what the route says.
 * @traffic_class: Traffic class.
 * @mtu: Path MTU as in enum ibv_mtu: 1 for 256 to 5 for 4096 bytes.
 * @rate: As in enum ibv_rate; 0 for the port's own.
 * @packet_life_time: Time a packet may be under way, 4.096 us * 2^n; 0 to 31.
 * @flags: Zero.
 * @dmac: Out (in events): MAC address of the peer on RoCE; the module resolves it itself.
 * @reserved: Zero.
 */
struct ucmad_path {
	__u8 dgid[16];
	__u8 sgid[16];
	__u32 flow_label;
	__u16 dlid;
	__u16 slid;
	__u16 pkey;
	__u16 sgid_index;
	__u8 port;
	__u8 sl;
	__u8 hop_limit;
	__u8 traffic_class;
	__u8 mtu;
	__u8 rate;
	__u8 packet_life_time;
	__u8 flags;
	__u8 dmac[6];
	__u8 reserved[6];
};

/**
 * struct ucmad_cm_create - Make a CM ID.
 * @size: sizeof(struct ucmad_cm_create).
 * @flags: Zero.
 * @device: &ucmad_device_info.index.
 * @object: Out: its handle.
 * @context: User context, delivered with each of its events (EV-CONTEXT).
 *
 * Errors: %ENODEV no such device, or not in this network namespace; %EOPNOTSUPP no port of the
 * device has a CM; %EMFILE the file has &ucmad_query.max_objects objects; %ENOMEM.
 */
struct ucmad_cm_create {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 object;
	__aligned_u64 context;
};

/** UCMAD_LISTEN_ASSIGN - Let the CM choose a service ID that is free. */
#define UCMAD_LISTEN_ASSIGN	0x1

/**
 * UCMAD_PATIENCE_NONE - No MRA is sent on the program's behalf and nothing expires: a peer waits
 * as long as its own time-outs say.
 */
#define UCMAD_PATIENCE_NONE	255

/** UCMAD_PATIENCE_DEFAULT - What 0 stands for: 4.096 us * 2^24, some 69 seconds. */
#define UCMAD_PATIENCE_DEFAULT	24

/**
 * struct ucmad_cm_listen - Listen for REQ and SIDR REQ on a service ID.
 * @size: sizeof(struct ucmad_cm_listen).
 * @object: Handle of an idle CM ID.
 * @flags: UCMAD_LISTEN_ASSIGN or 0.
 * @backlog: How many REQ and SIDR REQ events may wait to be taken; 0 stands for 128. What comes on
 *	     top is dropped (a REQ, so that the peer tries again) or refused (a SIDR REQ) and
 *	     counted (CM-BACKLOG, EV-NOLOSS). At most &ucmad_query.max_backlog, else %EINVAL.
 * @service_id: The service ID; zero with UCMAD_LISTEN_ASSIGN. Out: the service ID.
 * @patience: How long a REQ may wait for the program's answer, 4.096 us * 2^n, n from 1 to 31: at
 *	      half of the peer's own time-out it is told to wait that long from then on (MRA);
 *	      after that it is rejected and the ID gets a UCMAD_EVENT_CM_EXPIRED (CM-PATIENT).
 *	      0 stands for UCMAD_PATIENCE_DEFAULT; or UCMAD_PATIENCE_NONE.
 * @reserved: Zero.
 *
 * Errors: %EADDRINUSE somebody on this host listens there already.
 */
struct ucmad_cm_listen {
	__u32 size;
	__u32 object;
	__u32 flags;
	__u32 backlog;
	__aligned_u64 service_id;
	__u8 patience;
	__u8 reserved[7];
};

/**
 * enum ucmad_qp_type - Type of the QPs to connect (IBTA 12.6.5, transport service type).
 */
enum ucmad_qp_type {
	UCMAD_QP_RC = 2,
	UCMAD_QP_UC = 3,
	UCMAD_QP_XRC_INI = 9,
	UCMAD_QP_XRC_TGT = 10,
};

/** UCMAD_REQ_ALTERNATE - @alternate is given (InfiniBand only; on RoCE %EOPNOTSUPP). */
#define UCMAD_REQ_ALTERNATE	0x1

/**
 * struct ucmad_cm_req - Ask a peer for a connection (IBTA 12.6.5).
 * @size: sizeof(struct ucmad_cm_req).
 * @object: Handle of an idle CM ID.
 * @flags: UCMAD_REQ_ALTERNATE or 0.
 * @qp_num: Local QP number, 24 bits.
 * @service_id: Service that the peer listens on.
 * @private_data: Address of the private data; 0 if @private_data_len is.
 * @starting_psn: First packet sequence number that the peer shall send, 24 bits.
 * @ece_vendor_id: Enhanced connection establishment: vendor, 24 bits.
 * @ece_attr_mod: Enhanced connection establishment: options.
 * @resolve_timeout_ms: How long to wait for the peer's MAC address on RoCE; 0 stands for 2000. At
 *			most 600000.
 * @private_data_len: At most UCMAD_CM_REQ_DATA_MAX.
 * @qp_type: UCMAD_QP_RC, UCMAD_QP_UC or UCMAD_QP_XRC_INI.
 * @responder_resources: RDMA reads and atomics that this side can serve at a time.
 * @initiator_depth: RDMA reads and atomics that this side will start at a time.
 * @remote_cm_response_timeout: How long the peer's program may take, 4.096 us * 2^n, 5 bits.
 * @local_cm_response_timeout: How long this program may take to answer a REP, likewise.
 * @retry_count: Of the QP, 3 bits.
 * @rnr_retry_count: Of the QP, 3 bits.
 * @max_cm_retries: How often to repeat the REQ (and, on the other side, the REP), 4 bits.
 * @flow_control: 1 if the QP does end-to-end flow control.
 * @srq: 1 if the QP uses a shared receive queue.
 * @patience: As in &ucmad_cm_listen.patience, for the REP that will wait for our RTU.
 * @reserved: Zero.
 * @primary: The path.
 * @alternate: The path to fail over to, with UCMAD_REQ_ALTERNATE; else zero.
 *
 * Returns as soon as the REQ is on its way. On RoCE the module finds the peer's MAC address first,
 * in the background (state RESOLVING); what goes wrong there is told by UCMAD_EVENT_CM_REQ_ERROR.
 * An ID whose connection is over may be used again once it is idle.
 */
struct ucmad_cm_req {
	__u32 size;
	__u32 object;
	__u32 flags;
	__u32 qp_num;
	__aligned_u64 service_id;
	__aligned_u64 private_data;
	__u32 starting_psn;
	__u32 ece_vendor_id;
	__u32 ece_attr_mod;
	__u32 resolve_timeout_ms;
	__u8 private_data_len;
	__u8 qp_type;
	__u8 responder_resources;
	__u8 initiator_depth;
	__u8 remote_cm_response_timeout;
	__u8 local_cm_response_timeout;
	__u8 retry_count;
	__u8 rnr_retry_count;
	__u8 max_cm_retries;
	__u8 flow_control;
	__u8 srq;
	__u8 patience;
	__u8 reserved[4];
	struct ucmad_path primary;
	struct ucmad_path alternate;
};

/**
 * struct ucmad_cm_rep - Accept a connection (IBTA 12.6.8).
 * @size: sizeof(struct ucmad_cm_rep).
 * @object: Handle of a CM ID in REQ_RCVD or MRA_REQ_SENT.
 * @private_data: Address of the private data; 0 if @private_data_len is.
 * @qp_num: Local QP number, 24 bits.
 * @starting_psn: First packet sequence number that the peer shall send, 24 bits.
 * @ece_vendor_id: Enhanced connection establishment: vendor, 24 bits.
 * @ece_attr_mod: Enhanced connection establishment: options.
 * @private_data_len: At most UCMAD_CM_REP_DATA_MAX.
 * @responder_resources: RDMA reads and atomics that this side can serve at a time.
 * @initiator_depth: RDMA reads and atomics that this side will start at a time.
 * @failover_accepted: 0 accepted, 1 not supported, 2 rejected (IBTA 12.6.8.9).
 * @flow_control: 1 if the QP does end-to-end flow control.
 * @rnr_retry_count: Of the QP, 3 bits.
 * @srq: 1 if the QP uses a shared receive queue.
 * @reserved: Zero.
 *
 * To a connection that the peer has rejected: %ECONNRESET, even if the REJ event was not taken yet.
 */
struct ucmad_cm_rep {
	__u32 size;
	__u32 object;
	__aligned_u64 private_data;
	__u32 qp_num;
	__u32 starting_psn;
	__u32 ece_vendor_id;
	__u32 ece_attr_mod;
	__u8 private_data_len;
	__u8 responder_resources;
	__u8 initiator_depth;
	__u8 failover_accepted;
	__u8 flow_control;
	__u8 rnr_retry_count;
	__u8 srq;
	__u8 reserved;
};

/**
 * struct ucmad_cm_message - Send an RTU, DREQ or DREP (IBTA 12.6.9, 12.6.10, 12.6.11).
 * @size: sizeof(struct ucmad_cm_message).
 * @object: Handle of a CM ID: for an RTU in REP_RCVD or MRA_REP_SENT, for a DREQ in ESTABLISHED,
 *	    for a DREP in DREQ_RCVD.
 * @private_data: Address of the private data; 0 if @private_data_len is.
 * @private_data_len: At most UCMAD_CM_RTU_DATA_MAX, UCMAD_CM_DREQ_DATA_MAX, UCMAD_CM_DREP_DATA_MAX.
 * @reserved: Zero.
 */
struct ucmad_cm_message {
	__u32 size;
	__u32 object;
	__aligned_u64 private_data;
	__u8 private_data_len;
	__u8 reserved[7];
};

/**
 * struct ucmad_cm_rej - Refuse a connection (IBTA 12.6.7).
 * @size: sizeof(struct ucmad_cm_rej).
 * @object: Handle of a CM ID that is being connected: REQ or REP sent or received.
 * @private_data: Address of the private data; 0 if @private_data_len is.
 * @ari: Address of the additional rejection information; 0 if @ari_len is.
 * @reason: Reason code; 28 is "consumer reject" (IBTA 12.6.7.2). Not 0.
 * @private_data_len: At most UCMAD_CM_REJ_DATA_MAX.
 * @ari_len: At most UCMAD_CM_REJ_ARI_MAX.
 * @reserved: Zero.
 *
 * While a REQ or REP of this side is under way, the kernel's CM takes it back in one way only: a
 * REQ with @reason 4 (time-out), a REP with @reason 28 (consumer reject), and neither private data
 * nor additional information; anything else is %EOPNOTSUPP. The ID is idle at once then.
 */
struct ucmad_cm_rej {
	__u32 size;
	__u32 object;
	__aligned_u64 private_data;
	__aligned_u64 ari;
	__u16 reason;
	__u8 private_data_len;
	__u8 ari_len;
	__u8 reserved[4];
};

/**
 * struct ucmad_cm_mra - Ask the peer for time (IBTA 12.6.6).
 * @size: sizeof(struct ucmad_cm_mra).
 * @object: Handle of a CM ID in REQ_RCVD or REP_RCVD.
 * @private_data: Address of the private data; 0 if @private_data_len is.
 * @private_data_len: At most UCMAD_CM_MRA_DATA_MAX.
 * @service_timeout: How long the program may take, 4.096 us * 2^n, 1 to 31. Takes the place of the
 *		     patience.
 * @reserved: Zero.
 *
 * Only needed to ask for more than the patience, or with private data: the module asks by itself.
 * %EALREADY: the peer was told already. %EOPNOTSUPP on kernels whose CM sends no MRA at request.
 */
struct ucmad_cm_mra {
	__u32 size;
	__u32 object;
	__aligned_u64 private_data;
	__u8 private_data_len;
	__u8 service_timeout;
	__u8 reserved[6];
};

/**
 * struct ucmad_cm_sidr_req - Ask a peer for the QP of a datagram service (IBTA 12.11.1).
 * @size: sizeof(struct ucmad_cm_sidr_req).
 * @object: Handle of an idle CM ID.
 * @service_id: Service that the peer listens on.
 * @private_data: Address of the private data; 0 if @private_data_len is.
 * @timeout_ms: How long to wait for each answer; 1 to 2^31 - 1.
 * @resolve_timeout_ms: As in struct ucmad_cm_req.
 * @private_data_len: At most UCMAD_CM_SIDR_REQ_DATA_MAX.
 * @max_cm_retries: How often to repeat the SIDR REQ, 4 bits.
 * @reserved: Zero.
 * @path: The path.
 */
struct ucmad_cm_sidr_req {
	__u32 size;
	__u32 object;
	__aligned_u64 service_id;
	__aligned_u64 private_data;
	__u32 timeout_ms;
	__u32 resolve_timeout_ms;
	__u8 private_data_len;
	__u8 max_cm_retries;
	__u8 reserved[6];
	struct ucmad_path path;
};

/**
 * struct ucmad_cm_sidr_rep - Answer a SIDR REQ (IBTA 12.11.2).
 * @size: sizeof(struct ucmad_cm_sidr_rep).
 * @object: Handle of a CM ID in SIDR_REQ_RCVD.
 * @private_data: Address of the private data; 0 if @private_data_len is.
 * @info: Address of the additional information; 0 if @info_len is.
 * @qp_num: QP of the service, 24 bits.
 * @qkey: Its Q_Key.
 * @ece_vendor_id: Enhanced connection establishment: vendor, 16 bits.
 * @ece_attr_mod: Enhanced connection establishment: options.
 * @status: 0 success, 1 service not supported, 2 rejected, 3 no QP, 4 redirect, 5 version not
 *	    supported.
 * @private_data_len: At most UCMAD_CM_SIDR_REP_DATA_MAX.
 * @info_len: At most UCMAD_CM_SIDR_REP_INFO_MAX.
 * @reserved: Zero.
 */
struct ucmad_cm_sidr_rep {
	__u32 size;
	__u32 object;
	__aligned_u64 private_data;
	__aligned_u64 info;
	__u32 qp_num;
	__u32 qkey;
	__u32 ece_vendor_id;
	__u32 ece_attr_mod;
	__u8 status;
	__u8 private_data_len;
	__u8 info_len;
	__u8 reserved[5];
};

/**
 * enum ucmad_cm_notification - What a program can tell the CM of.
 * @UCMAD_CM_COMM_EST: Data came on the QP before the RTU (IBV_EVENT_COMM_EST): it is connected.
 * @UCMAD_CM_PATH_MIG: The QP has failed over to the alternate path (IBV_EVENT_PATH_MIG).
 */
enum ucmad_cm_notification {
	UCMAD_CM_COMM_EST = 1,
	UCMAD_CM_PATH_MIG = 2,
};

/**
 * struct ucmad_cm_notify - Tell the CM what happened on the QP (IBTA 12.9.7, 12.8).
 * @size: sizeof(struct ucmad_cm_notify).
 * @object: Handle of a CM ID: in REP_SENT for COMM_EST, in ESTABLISHED for PATH_MIG.
 * @event: enum ucmad_cm_notification.
 * @reserved: Zero.
 *
 * %EISCONN: COMM_EST for what is established already.
 */
struct ucmad_cm_notify {
	__u32 size;
	__u32 object;
	__u32 event;
	__u32 reserved;
};

/**
 * struct ucmad_cm_query - What is known of a CM ID.
 * @size: sizeof(struct ucmad_cm_query).
 * @object: Its handle.
 * @service_id: Out: the service ID listened on or asked for, 0 if none.
 * @local_comm_id: Out: local communication ID, 0 before it has one.
 * @remote_comm_id: Out: the peer's communication ID, 0 while unknown.
 * @device: Out: &ucmad_device_info.index.
 * @state: Out: enum ucmad_cm_state.
 * @error: Out: why the last connection is over, as positive errno: ECONNRESET the peer ended it,
 *	   ETIMEDOUT nobody answered, ENODEV, or what went wrong with the path; 0 else.
 * @backlog: Out: events that wait to be taken; of a listener, also its REQ and SIDR REQ events.
 * @dropped: Out: of a listener, requests dropped or refused for want of room.
 */
struct ucmad_cm_query {
	__u32 size;
	__u32 object;
	__aligned_u64 service_id;
	__u32 local_comm_id;
	__u32 remote_comm_id;
	__u32 device;
	__u32 state;
	__u32 error;
	__u32 backlog;
	__aligned_u64 dropped;
};

/**
 * struct ucmad_ah_attr - Address vector (as struct ibv_ah_attr).
 * @dgid: GID of the peer, with @is_global.
 * @flow_label: 20 bits.
 * @dlid: LID of the peer.
 * @sgid_index: Index of the local GID.
 * @hop_limit: Hop limit.
 * @traffic_class: Traffic class.
 * @sl: Service level.
 * @src_path_bits: Low bits of the local LID.
 * @static_rate: As in enum ibv_rate.
 * @is_global: 1 if there is a GRH; always on RoCE.
 * @port_num: Local port.
 * @reserved: Zero.
 */
struct ucmad_ah_attr {
	__u8 dgid[16];
	__u32 flow_label;
	__u16 dlid;
	__u8 sgid_index;
	__u8 hop_limit;
	__u8 traffic_class;
	__u8 sl;
	__u8 src_path_bits;
	__u8 static_rate;
	__u8 is_global;
	__u8 port_num;
	__u8 reserved[2];
};

/**
 * struct ucmad_cm_qp_attr - Attributes for bringing a QP to INIT, RTR or RTS.
 * @size: sizeof(struct ucmad_cm_qp_attr).
 * @object: Handle of a CM ID that is being or is connected.
 * @qp_state: The state wanted, as in enum ibv_qp_state: 1 INIT, 2 RTR, 3 RTS.
 * @attr_mask: Out: which of the following are given, bits of enum ibv_qp_attr_mask.
 * @qp_access_flags: Out: bits of enum ibv_access_flags.
 * @dest_qp_num: Out: the peer's QP.
 * @rq_psn: Out: first sequence number to receive. Before the REP it is not known: where the QP is
 *	    brought to RTR first, put the &ucmad_cm_rep.starting_psn that is to come in its place.
 * @sq_psn: Out: first sequence number to send.
 * @path_mtu: Out: enum ibv_mtu.
 * @path_mig_state: Out: enum ibv_mig_state.
 * @pkey_index: Out: index of the partition key.
 * @alt_pkey_index: Out: the same for the alternate path.
 * @port_num: Out: local port.
 * @alt_port_num: Out: local port of the alternate path.
 * @timeout: Out: time to wait for an ACK, 4.096 us * 2^n.
 * @alt_timeout: Out: the same for the alternate path.
 * @retry_cnt: Out: retries.
 * @rnr_retry: Out: retries when the receiver is not ready.
 * @max_rd_atomic: Out: RDMA reads and atomics to start at a time.
 * @max_dest_rd_atomic: Out: RDMA reads and atomics to serve at a time.
 * @min_rnr_timer: Out: code of the time a peer waits when this side is not ready.
 * @reserved: Zero.
 * @ah: Out: address vector.
 * @alt_ah: Out: address vector of the alternate path.
 */
struct ucmad_cm_qp_attr {
	__u32 size;
	__u32 object;
	__u32 qp_state;
	__u32 attr_mask;
	__u32 qp_access_flags;
	__u32 dest_qp_num;
	__u32 rq_psn;
	__u32 sq_psn;
	__u32 path_mtu;
	__u32 path_mig_state;
	__u16 pkey_index;
	__u16 alt_pkey_index;
	__u8 port_num;
	__u8 alt_port_num;
	__u8 timeout;
	__u8 alt_timeout;
	__u8 retry_cnt;
	__u8 rnr_retry;
	__u8 max_rd_atomic;
	__u8 max_dest_rd_atomic;
	__u8 min_rnr_timer;
	__u8 reserved[3];
	struct ucmad_ah_attr ah;
	struct ucmad_ah_attr alt_ah;
};

/* ---- bodies of CM events ----------------------------------------------------------------- */

/**
 * struct ucmad_cm_req_event - Body of UCMAD_EVENT_CM_REQ (IBTA 12.6.5).
 * @listener: Handle of the listener that the REQ came to.
 * @device: &ucmad_device_info.index.
 * @service_id: Service asked for.
 * @remote_ca_guid: The peer's node GUID.
 * @remote_qkey: The peer's Q_Key (reliable datagrams only).
 * @remote_qpn: The peer's QP.
 * @starting_psn: First sequence number that this side shall send.
 * @ece_vendor_id: Enhanced connection establishment: vendor.
 * @ece_attr_mod: Enhanced connection establishment: options.
 * @bth_pkey: P_Key of the packet that brought the REQ.
 * @port: Local port.
 * @qp_type: enum ucmad_qp_type.
 * @responder_resources: RDMA reads and atomics that this side may be asked to serve at a time.
 * @initiator_depth: RDMA reads and atomics that this side may start at a time.
 * @local_cm_response_timeout: How long this program may take to answer, 4.096 us * 2^n.
 * @remote_cm_response_timeout: How long the peer's program may take, likewise.
 * @retry_count: Of the peer's QP.
 * @rnr_retry_count: Of the peer's QP.
 * @flow_control: 1 if the peer does end-to-end flow control.
 * @srq: 1 if the peer's QP uses a shared receive queue.
 * @has_alternate: 1 if @alternate is given.
 * @reserved: Zero.
 * @primary: The path, seen from this side.
 * @alternate: The alternate path.
 */
struct ucmad_cm_req_event {
	__u32 listener;
	__u32 device;
	__aligned_u64 service_id;
	__aligned_u64 remote_ca_guid;
	__u32 remote_qkey;
	__u32 remote_qpn;
	__u32 starting_psn;
	__u32 ece_vendor_id;
	__u32 ece_attr_mod;
	__u16 bth_pkey;
	__u8 port;
	__u8 qp_type;
	__u8 responder_resources;
	__u8 initiator_depth;
	__u8 local_cm_response_timeout;
	__u8 remote_cm_response_timeout;
	__u8 retry_count;
	__u8 rnr_retry_count;
	__u8 flow_control;
	__u8 srq;
	__u8 has_alternate;
	__u8 reserved[7];
	struct ucmad_path primary;
	struct ucmad_path alternate;
};

/**
 * struct ucmad_cm_rep_event - Body of UCMAD_EVENT_CM_REP (IBTA 12.6.8).
 * @remote_ca_guid: The peer's node GUID.
 * @remote_qkey: The peer's Q_Key (reliable datagrams only).
 * @remote_qpn: The peer's QP.
 * @starting_psn: First sequence number that this side shall send.
 * @ece_vendor_id: Enhanced connection establishment: vendor.
 * @ece_attr_mod: Enhanced connection establishment: options.
 * @responder_resources: RDMA reads and atomics that this side may be asked to serve at a time.
 * @initiator_depth: RDMA reads and atomics that this side may start at a time.
 * @target_ack_delay: The peer's delay of ACKs, 4.096 us * 2^n.
 * @failover_accepted: As in struct ucmad_cm_rep.
 * @flow_control: 1 if the peer does end-to-end flow control.
 * @rnr_retry_count: Of the peer's QP.
 * @srq: 1 if the peer's QP uses a shared receive queue.
 * @reserved: Zero.
 */
struct ucmad_cm_rep_event {
	__aligned_u64 remote_ca_guid;
	__u32 remote_qkey;
	__u32 remote_qpn;
	__u32 starting_psn;
	__u32 ece_vendor_id;
	__u32 ece_attr_mod;
	__u8 responder_resources;
	__u8 initiator_depth;
	__u8 target_ack_delay;
	__u8 failover_accepted;
	__u8 flow_control;
	__u8 rnr_retry_count;
	__u8 srq;
	__u8 reserved[5];
};

/**
 * struct ucmad_cm_rej_event - Body of UCMAD_EVENT_CM_REJ (IBTA 12.6.7).
 * @reason: Reason code (IBTA 12.6.7.2).
 * @ari_len: Bytes of @ari that are filled.
 * @reserved: Zero.
 * @ari: Additional rejection information.
 */
struct ucmad_cm_rej_event {
	__u16 reason;
	__u8 ari_len;
	__u8 reserved[5];
	__u8 ari[UCMAD_CM_REJ_ARI_MAX];
};

/**
 * struct ucmad_cm_mra_event - Body of UCMAD_EVENT_CM_MRA (IBTA 12.6.6).
 * @service_timeout: How long the peer's program may take, 4.096 us * 2^n.
 * @reserved: Zero.
 */
struct ucmad_cm_mra_event {
	__u8 service_timeout;
	__u8 reserved[7];
};

/**
 * struct ucmad_cm_lap_event - Body of UCMAD_EVENT_CM_LAP (IBTA 12.8.1).
 * @alternate: The path that the peer proposes, seen from this side.
 */
struct ucmad_cm_lap_event {
	struct ucmad_path alternate;
};

/**
 * struct ucmad_cm_apr_event - Body of UCMAD_EVENT_CM_APR (IBTA 12.8.2).
 * @status: 0 if the alternate path was accepted, else the code of IBTA 12.8.2.1.
 * @info_len: Bytes of @info that are filled.
 * @reserved: Zero.
 * @info: Additional information.
 */
struct ucmad_cm_apr_event {
	__u8 status;
	__u8 info_len;
	__u8 reserved[6];
	__u8 info[UCMAD_CM_APR_INFO_MAX];
};

/**
 * struct ucmad_cm_sidr_req_event - Body of UCMAD_EVENT_CM_SIDR_REQ (IBTA 12.11.1).
 * @listener: Handle of the listener that the SIDR REQ came to.
 * @device: &ucmad_device_info.index.
 * @service_id: Service asked for.
 * @pkey: Partition key that the peer asks for.
 * @bth_pkey: P_Key of the packet that brought the SIDR REQ.
 * @sgid_index: Index of the local GID that it came to; 0xffff where there is none (no GRH).
 * @port: Local port.
 * @reserved: Zero.
 */
struct ucmad_cm_sidr_req_event {
	__u32 listener;
	__u32 device;
	__aligned_u64 service_id;
	__u16 pkey;
	__u16 bth_pkey;
	__u16 sgid_index;
	__u8 port;
	__u8 reserved;
};

/**
 * struct ucmad_cm_sidr_rep_event - Body of UCMAD_EVENT_CM_SIDR_REP (IBTA 12.11.2).
 * @qp_num: QP of the service.
 * @qkey: Its Q_Key.
 * @sgid_index: Index of the local GID in use; 0xffff where there is none.
 * @status: As in struct ucmad_cm_sidr_rep.
 * @info_len: Bytes of @info that are filled.
 * @reserved: Zero.
 * @info: Additional information.
 */
struct ucmad_cm_sidr_rep_event {
	__u32 qp_num;
	__u32 qkey;
	__u16 sgid_index;
	__u8 status;
	__u8 info_len;
	__u8 reserved[4];
	__u8 info[UCMAD_CM_SIDR_REP_INFO_MAX];
};

/**
 * struct ucmad_cm_error_event - Body of *_ERROR and UCMAD_EVENT_CM_EXPIRED (CM-TRUTH).
 * @error: Why, as positive errno: ETIMEDOUT no answer, EHOSTUNREACH and the like no path, EIO it
 *	   could not be sent.
 * @wc_status: Status of the send, as in enum ibv_wc_status; 0 where no send was concerned.
 */
struct ucmad_cm_error_event {
	__u32 error;
	__u32 wc_status;
};

/* ---- MAD agents --------------------------------------------------------------------------- */

/** UCMAD_MAD_SIZE - Bytes of a MAD (IBTA 13.4.2), but for one that RMPP carries. */
#define UCMAD_MAD_SIZE		256

/** UCMAD_MAD_QKEY - Q_Key of QP1, which GSI agents are reached by (IBTA 3.5.3). */
#define UCMAD_MAD_QKEY		0x80010000

/** UCMAD_AGENT_CONCURRENT - Events do not hold the agent: any number may be handled at a time. */
#define UCMAD_AGENT_CONCURRENT	0x1

/**
 * UCMAD_AGENT_IB_MAD - Requests leave from QP1 through the kernel's ib_mad, not from a QP of our
 * own, for peers that answer nobody else. Slower, and on RoCE with IPv4 GIDs ib_mad never finds the
 * request that a response is for. Agents on QP0 and with RMPP work so in any case.
 */
#define UCMAD_AGENT_IB_MAD	0x2

/**
 * struct ucmad_mad_register - Register a MAD agent on a port.
 * @size: sizeof(struct ucmad_mad_register).
 * @flags: UCMAD_AGENT_* or 0.
 * @device: &ucmad_device_info.index.
 * @object: Out: handle of the agent.
 * @context: User context, delivered with each of its events (EV-CONTEXT).
 * @method_mask: Unsolicited MADs wanted: bit n of word n / 64 for method n (7 bits). All zero:
 *		 none, the agent only sends.
 * @max_in_flight: Sends that may be outstanding at a time; 0 stands for 1024. At most
 *		   the parameter max_sends, else %EINVAL.
 * @receive_queue: Unsolicited MADs that may wait to be taken; 0 stands for 128. What comes on top
 *		   is dropped and counted (EV-NOLOSS).
 * @port: Port, from 1.
 * @qp: 1, or 0 for SMPs (classes 0x01 and 0x81), which InfiniBand ports have.
 * @mgmt_class: Class of the unsolicited MADs; 0 without @method_mask.
 * @class_version: Its version.
 * @oui: Vendor that the unsolicited MADs are of, for classes 0x30 to 0x4f; else zero.
 * @rmpp_version: 1: the kernel cuts long MADs up and puts them together (IBTA 13.6), for classes
 *		  that know RMPP; else 0, and the program sees, and sends, single segments.
 *
 * Deregister it by UCMAD_IOCTL_DESTROY (MAD-DEREG): what is outstanding is flushed, and its
 * completions are among the events that the call counts as discarded.
 *
 * Any number of threads may post, cancel and take completions at once (MAD-SHARE).
 *
 * Errors: %EPERM without CAP_NET_RAW (QP1) or CAP_NET_ADMIN (QP0); %EADDRINUSE another agent has
 * one of the methods; %EINVAL a member is out of range; %EOPNOTSUPP the port has no such QP;
 * %ENODEV, %EMFILE, %ENOMEM as for CM IDs.
 *
 * Source: IBTA 13.4; include/rdma/ib_mad.h in the kernel.
 */
struct ucmad_mad_register {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 object;
	__aligned_u64 context;
	__aligned_u64 method_mask[2];
	__u32 max_in_flight;
	__u32 receive_queue;
	__u8 port;
	__u8 qp;
	__u8 mgmt_class;
	__u8 class_version;
	__u8 oui[3];
	__u8 rmpp_version;
};

/** UCMAD_ADDRESS_GRH - There is a GRH: @dgid, @sgid_index and what goes with them count. */
#define UCMAD_ADDRESS_GRH	0x1

/**
 * struct ucmad_mad_address - Where a MAD goes, or comes from.
 * @dgid: GID of the other end.
 * @flow_label: 20 bits.
 * @qpn: QP of the other end, 24 bits; 1 for an agent that waits for requests; 0 from QP0.
 * @qkey: Its Q_Key: UCMAD_MAD_QKEY for QP1. Over ib_mad it is not looked at.
 * @dlid: LID of the other end; 0 on RoCE.
 * @pkey_index: Index of the partition key.
 * @sgid_index: Index of the local GID.
 * @flags: UCMAD_ADDRESS_GRH or 0; on RoCE there must be a GRH.
 * @sl: Service level.
 * @hop_limit: Hop limit of the GRH; 0 stands for what the route says on RoCE, else for 64.
 * @traffic_class: Traffic class of the GRH.
 * @path_bits: Low bits of the local LID.
 * @rate: As in enum ibv_rate; 0 for the port's own.
 * @reserved: Zero.
 */
struct ucmad_mad_address {
	__u8 dgid[16];
	__u32 flow_label;
	__u32 qpn;
	__u32 qkey;
	__u16 dlid;
	__u16 pkey_index;
	__u16 sgid_index;
	__u16 flags;
	__u8 sl;
	__u8 hop_limit;
	__u8 traffic_class;
	__u8 path_bits;
	__u8 rate;
	__u8 reserved[7];
};

/** UCMAD_SEND_NO_RESPONSE - None is waited for: the send is over when it was sent. */
#define UCMAD_SEND_NO_RESPONSE	0x1

/**
 * struct ucmad_mad_send - One MAD to send.
 * @mad: Address of the MAD, as on the wire. Its transaction ID goes back to the program in the
 *	 completion; on the wire stands one of the module's own.
 * @cookie: Goes back in the completion.
 * @flags: UCMAD_SEND_NO_RESPONSE or 0.
 * @timeout_ms: How long to wait for the response to each try; 0 with UCMAD_SEND_NO_RESPONSE.
 * @retries: How often to try again, at most 15; 0 with UCMAD_SEND_NO_RESPONSE. Of a MAD that RMPP
 *	     carries, both concern its segments and acknowledgments, too.
 * @handle: Out: names the send for cancelling.
 * @mad_len: Its length: UCMAD_MAD_SIZE; of an agent with RMPP, if the MAD has the flag "active" in
 *	     its RMPP header, from the headers of its class to 16 MiB, with them standing once.
 * @reserved: Zero.
 * @in_reply_to: Answer the request whose &ucmad_mad_receive.request this is, from the QP that it
 *		 came to, with its transaction ID; @to is zero then, and no response is waited for.
 *		 Else 0.
 * @to: Where to.
 */
struct ucmad_mad_send {
	__aligned_u64 mad;
	__aligned_u64 cookie;
	__u32 flags;
	__u32 timeout_ms;
	__u32 retries;
	__u32 handle;
	__u32 mad_len;
	__u32 reserved;
	__aligned_u64 in_reply_to;
	struct ucmad_mad_address to;
};

/**
 * struct ucmad_mad_post - Send any number of MADs (MAD-PARTIAL).
 * @size: sizeof(struct ucmad_mad_post).
 * @object: Handle of the agent.
 * @sends: Address of an array of struct ucmad_mad_send.
 * @count: Its length.
 * @entry_size: sizeof(struct ucmad_mad_send).
 * @posted: Out: how many from the start of the array were accepted: each has exactly one completion
 *	    (MAD-ONE), the others have none.
 * @error: Out: why it was no more, as positive errno; 0 if all were.
 *
 * Returns 0 if at least one was accepted, else the error of the first: %EINVAL, %EFAULT; %EAGAIN
 * @max_in_flight are outstanding; %ESHUTDOWN the agent is being deregistered (MAD-SHARE); %ENOMEM;
 * %ENOENT no such request to answer (any more).
 */
struct ucmad_mad_post {
	__u32 size;
	__u32 object;
	__aligned_u64 sends;
	__u32 count;
	__u32 entry_size;
	__u32 posted;
	__u32 error;
};

/**
 * struct ucmad_mad_cancel - Cancel sends (MAD-CANCEL).
 * @size: sizeof(struct ucmad_mad_cancel).
 * @object: Handle of the agent.
 * @handles: Address of an array of handles of sends, __u32 each; 0 for all that are outstanding.
 * @count: Its length; 0 for all.
 * @reserved: Zero.
 *
 * Never blocks, and has no result: what becomes of a send is told by its completion alone. Sends
 * that are unknown or over are passed over in silence.
 */
struct ucmad_mad_cancel {
	__u32 size;
	__u32 object;
	__aligned_u64 handles;
	__u32 count;
	__u32 reserved;
};

/**
 * struct ucmad_mad_timeout - Change the time-out of an outstanding send.
 * @size: sizeof(struct ucmad_mad_timeout).
 * @object: Handle of the agent.
 * @handle: Handle of the send; unknown or over: passed over in silence.
 * @timeout_ms: From now, and for each try to come; not 0. No effect on a MAD that RMPP carries.
 */
struct ucmad_mad_timeout {
	__u32 size;
	__u32 object;
	__u32 handle;
	__u32 timeout_ms;
};

/**
 * struct ucmad_mad_query - What is known of an agent.
 * @size: sizeof(struct ucmad_mad_query).
 * @object: Its handle.
 * @in_flight: Out: sends whose completion was not taken yet.
 * @receives_waiting: Out: unsolicited MADs that wait to be taken.
 * @receives_dropped: Out: unsolicited MADs without room.
 * @strays: Out: responses that were late, duplicate, or not from the peer that was asked.
 * @device: Out: &ucmad_device_info.index.
 * @reserved: Zero.
 */
struct ucmad_mad_query {
	__u32 size;
	__u32 object;
	__u32 in_flight;
	__u32 receives_waiting;
	__aligned_u64 receives_dropped;
	__aligned_u64 strays;
	__u32 device;
	__u32 reserved;
};

/**
 * enum ucmad_mad_status - What became of a send.
 * @UCMAD_MAD_RESPONDED: The response is the data of the event.
 * @UCMAD_MAD_SENT: It was sent; no response was asked for.
 * @UCMAD_MAD_TIMED_OUT: No response to any try.
 * @UCMAD_MAD_CANCELLED: By UCMAD_IOCTL_MAD_CANCEL.
 * @UCMAD_MAD_FLUSHED: The agent was deregistered or the device removed.
 * @UCMAD_MAD_UNREACHABLE: The other end's MAC address was not found.
 * @UCMAD_MAD_ERROR: The hardware failed to send it, see &ucmad_mad_completion.wc_status.
 */
enum ucmad_mad_status {
	UCMAD_MAD_RESPONDED,
	UCMAD_MAD_SENT,
	UCMAD_MAD_TIMED_OUT,
	UCMAD_MAD_CANCELLED,
	UCMAD_MAD_FLUSHED,
	UCMAD_MAD_UNREACHABLE,
	UCMAD_MAD_ERROR,
};

/**
 * struct ucmad_mad_completion - Body of UCMAD_EVENT_MAD_SEND.
 * @cookie: &ucmad_mad_send.cookie.
 * @handle: &ucmad_mad_send.handle.
 * @status: enum ucmad_mad_status.
 * @wc_status: With UCMAD_MAD_ERROR, as in enum ibv_wc_status.
 * @tries: How often it was sent; 1 if RMPP has carried it.
 * @from: With UCMAD_MAD_RESPONDED: where the response came from.
 */
struct ucmad_mad_completion {
	__aligned_u64 cookie;
	__u32 handle;
	__u32 status;
	__u32 wc_status;
	__u32 tries;
	struct ucmad_mad_address from;
};

/**
 * struct ucmad_mad_receive - Body of UCMAD_EVENT_MAD_RECEIVE.
 * @request: Names it for an answer (&ucmad_mad_send.in_reply_to); 0 if it cannot be answered so.
 *	     It is good for one answer, and for the newest 1024 + 2 *
 *	     &ucmad_mad_register.receive_queue requests of an agent.
 * @from: Where it came from.
 */
struct ucmad_mad_receive {
	__aligned_u64 request;
	struct ucmad_mad_address from;
};

#endif /* _UAPI_RDMA_UCMAD_H */
