/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * MAD agents. agent.c: their life; post.c: what is posted becomes a send; send.c: its life; peer.c:
 * where sends go; port.c: what agents of a port share; ud.c and gsi.c: what sends leave from;
 * address.c: addresses and devices; rmpp.c: long MADs; mad_op.c: what a program does.
 *
 * Locks, inner to &ucmad_device.lock and outer to &ucmad_file.lock (see file.h):
 *
 *   ucmad_agent.mutex    peers and lanes of an agent; never held while user memory is touched
 *   ucmad_ports_mutex    (port.c) the ports
 *   ucmad_port.mutex     its QPs
 *   ucmad_port.lock      states of sends, queues of peers, turns; taken in softirqs
 *   locks of ib_mad and of drivers that take effect in ib_post_send()
 *   xa_lock of ucmad_agent.requests, and of ucmad_port.agents
 */
#ifndef UCMAD_MAD_H
#define UCMAD_MAD_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/rhashtable-types.h>
#include <linux/timer.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "event.h"
#include "object.h"

struct ucmad_agent;
struct ucmad_channel;
struct ucmad_cmd;
struct ucmad_peer;
struct ucmad_port;
struct ucmad_send;

/**
 * struct ucmad_transport - How a port reaches others: by its device, or, for KUnit, in memory.
 *			    All may sleep; of @locate to @release the agent's mutex is held.
 * @open: Get the channel for requests with a P_Key index, or an ERR_PTR().
 * @close: Give it back.
 * @locate: Prepare a new peer, if its address goes with the port.
 * @resolve: Begin the search for how it is reached; ucmad_peer_resolved() tells the end.
 * @release: Undo both; the search is over, or ends now.
 */
struct ucmad_transport {
	struct ucmad_channel *(*open)(struct ucmad_port *port, u16 pkey_index);
	void (*close)(struct ucmad_channel *channel);
	int (*locate)(struct ucmad_peer *peer);
	void (*resolve)(struct ucmad_peer *peer);
	void (*release)(struct ucmad_peer *peer);
};

/**
 * struct ucmad_port - What the agents of one port share.
 * @entry: In the list of ports; guarded, as @users, by the mutex of that list.
 * @transport: How it reaches others.
 * @ib: The device; the agents' references keep it.
 * @number: Number of the port.
 * @users: Its agents.
 * @mutex: Guards @uds.
 * @uds: Our QPs: one for each P_Key index in use.
 * @lock: See above.
 * @agents: High half of the transaction IDs to agent.
 * @next_agent: Where the search for a free one starts.
 */
struct ucmad_port {
	struct list_head entry;
	const struct ucmad_transport *transport;
	struct ib_device *ib;
	u8 number;
	u32 users;
	struct mutex mutex; /* guards @uds */
	struct list_head uds;
	spinlock_t lock; /* states of sends, queues of peers, turns */
	struct xarray agents;
	u32 next_agent;
};

/**
 * struct ucmad_channel_ops - What differs between a QP of our own and QP1.
 * @prepare: Get what the tries of a send need. May sleep.
 * @unprepare: Undo that. The port's lock is held.
 * @post: Give a try to the hardware. The port's lock is held. Its end is told to
 *	  ucmad_send_sent().
 * @abandon: Nobody waits for the end of this try any more: let it come soon. The port's lock is
 *	     held. NULL if it does so by itself.
 * @failed: A try could not be sent; NULL if that concerns nobody else. Returns whether it is the
 *	    first since the channel works, and so the one that it has failed on. The port's lock is
 *	    held.
 */
struct ucmad_channel_ops {
	int (*prepare)(struct ucmad_send *send);
	void (*unprepare)(struct ucmad_send *send);
	int (*post)(struct ucmad_send *send);
	void (*abandon)(struct ucmad_send *send);
	bool (*failed)(struct ucmad_channel *channel);
};

/**
 * struct ucmad_channel - What sends leave from.
 * @ops: Its kind.
 * @port: Its port.
 * @pd: Protection domain of its address handles.
 * @lanes: Agents with something to send, in turn. This and @posted: the port's lock.
 * @posted: Tries that the hardware holds.
 * @depth: How many of them there may be; 0 while the QP is repaired.
 */
struct ucmad_channel {
	const struct ucmad_channel_ops *ops;
	struct ucmad_port *port;
	struct ib_pd *pd;
	struct list_head lanes;
	u32 posted;
	u32 depth;
};

/**
 * struct ucmad_lane - What one agent has to send over one channel.
 * @channel: The channel.
 * @entry: In &ucmad_agent.lanes; guarded by the agent's mutex.
 * @turn: In &ucmad_channel.lanes while @peers is not empty; this and @peers: the port's lock.
 * @peers: Peers with something to send and room in their window, in turn.
 */
struct ucmad_lane {
	struct ucmad_channel *channel;
	struct list_head entry;
	struct list_head turn;
	struct list_head peers;
};

enum ucmad_peer_state {
	UCMAD_PEER_RESOLVING,
	UCMAD_PEER_READY,
	UCMAD_PEER_FAILED,
};

/**
 * struct ucmad_peer_key - What an address handle depends on.
 * @address: The address less QP and Q_Key, which are of the single send.
 * @gsi: Reached from QP1.
 */
struct ucmad_peer_key {
	struct ucmad_mad_address address;
	u32 gsi;
};

/**
 * struct ucmad_peer - One destination of one agent.
 * @hash: In &ucmad_agent.peers.
 * @key: See there.
 * @agent: The agent.
 * @lane: How it is reached.
 * @state: Is the address handle there? This and what follows up to @ah: the port's lock.
 * @sends: Sends that name it and still have memory.
 * @queue: Sends that wait for room.
 * @window: WAITING sends that may still be in the other end's queue, oldest first.
 * @window_used: How many.
 * @window_timer: Lets those go that are too old for that, while others wait for their room.
 * @turn: In &ucmad_lane.peers.
 * @idle: In &ucmad_agent.idle while @sends is 0.
 * @stale: To be forgotten when it is next idle.
 * @ah: The address handle; set before the state is READY.
 * @sgid_attr: The local GID, if there is a GRH; a reference is held.
 * @resolve_addr: Belongs to the address resolution while it runs.
 * @resolve_status: Its outcome.
 * @resolved_work: Comes when it is done.
 */
struct ucmad_peer {
	struct rhash_head hash;
	struct ucmad_peer_key key;
	struct ucmad_agent *agent;
	struct ucmad_lane *lane;
	enum ucmad_peer_state state;
	u32 sends;
	struct list_head queue;
	struct list_head window;
	u32 window_used;
	struct timer_list window_timer;
	struct list_head turn;
	struct list_head idle;
	bool stale;
	struct ib_ah *ah;
	const struct ib_gid_attr *sgid_attr;
	struct rdma_dev_addr resolve_addr;
	int resolve_status;
	struct work_struct resolved_work;
};

/**
 * struct ucmad_gsi - An agent's registration with ib_mad, which owns QP0 and QP1.
 * @channel: Answers leave from here, and requests of agents over ib_mad.
 * @ib_agent: The registration.
 * @to_post: Tries that @post_work gives to ib_mad, which may sleep over an SMP; the port's lock.
 * @post_work: Does so, for agents over ib_mad.
 */
struct ucmad_gsi {
	struct ucmad_channel channel;
	struct ib_mad_agent *ib_agent;
	struct list_head to_post; /* of struct ucmad_send */
	struct work_struct post_work;
};

/**
 * struct ucmad_agent - A MAD agent.
 * @object: Base.
 * @port: Its port.
 * @over_ib_mad: Its requests, too, go through ib_mad: QP0, RMPP, or as the program wants it.
 * @rmpp: Long MADs are carried by RMPP.
 * @qp: 0 or 1: what it speaks for.
 * @tid_high: High half of the transaction IDs of its sends: of ib_mad's making, or the agent's key
 *	      in &ucmad_port.agents.
 * @holds: One of the agent's own, one of each send that has memory, one of each call under way.
 * @quiet: The last of them is gone (MAD-DEREG).
 * @left: So is all else that the port knew of it.
 * @sends: Hash table of sends that are not DONE, by handle, which is the low half of the
 *	   transaction ID; the port's lock.
 * @sends_mask: Number of its buckets, a power of two, less one.
 * @live: The same sends, oldest first; the port's lock.
 * @last_handle: Of a send. They are given in turn: none is soon used again, and buckets are filled
 *		 evenly.
 * @outstanding: Sends whose completion was not taken yet.
 * @max_in_flight: How many of them there may be.
 * @closing: Nothing is accepted any more; written under the port's lock.
 * @removed: The device is gone; written before @closing.
 * @flushed: Completions for which there was no queue any more; the port's lock.
 * @strays: Responses that fit no send of the agent; the port's lock.
 * @gsi: Registration for unsolicited MADs, or NULL.
 * @requests: Received requests that can be answered by their handle.
 * @next_request: Where the search for a free handle starts.
 * @receives: Unsolicited MADs that wait to be taken.
 * @receives_dropped: Those without room.
 * @receive_queue: How many may wait, and how many can be answered.
 * @mutex: See above; guards what follows.
 * @peers: Address to peer.
 * @peer_count: How many.
 * @lanes: Ways to channels.
 * @idle: Peers without sends, longest so first; guarded by the port's lock.
 */
struct ucmad_agent {
	struct ucmad_object object;
	struct ucmad_port *port;
	bool over_ib_mad;
	bool rmpp;
	u8 qp;
	u32 tid_high;
	refcount_t holds;
	struct completion quiet;
	struct completion left;
	struct hlist_head *sends;
	u32 sends_mask;
	struct list_head live;
	atomic_t last_handle;
	atomic_t outstanding;
	u32 max_in_flight;
	bool closing;
	bool removed;
	u32 flushed;
	u64 strays;
	struct ucmad_gsi *gsi;
	struct xarray requests;
	u32 next_request;
	atomic_t receives;
	atomic64_t receives_dropped;
	u32 receive_queue;
	struct mutex mutex; /* peers and lanes */
	struct rhashtable peers;
	u32 peer_count;
	struct list_head lanes;
	struct list_head idle;
};

enum ucmad_send_state {
	UCMAD_SEND_QUEUED,
	UCMAD_SEND_WAITING,
	UCMAD_SEND_DONE,
};

/**
 * struct ucmad_send - A send; its states are at the head of send.c.
 * @refs: See there.
 * @state: This and what follows up to @timer: the port's lock.
 * @in_hardware: The hardware, or ib_mad, holds the try.
 * @try_over: It holds it still, but the time of the try is over.
 * @no_response: None is waited for.
 * @rmpp: RMPP carries it: time-outs and tries are those of ib_mad.
 * @handle: Low half of the transaction ID on the wire.
 * @tries: How often it was sent.
 * @retries: How often it may be sent again.
 * @timeout: How long each try may take, in jiffies.
 * @sent_at: When its try began, in jiffies.
 * @hash: In &ucmad_agent.sends.
 * @live: In &ucmad_agent.live.
 * @node: In &ucmad_peer.queue while QUEUED, in &ucmad_peer.window at first while WAITING.
 * @timer: Ends a try.
 * @agent: The agent.
 * @peer: Where it goes.
 * @tid: The program's transaction ID.
 * @cookie: The program's.
 * @qpn: QP of the other end.
 * @qkey: Its Q_Key.
 * @completion: Set aside for the one completion (EV-NOLOSS).
 * @cqe: How our own QP's completion finds it.
 * @dma: Address of @mad for the hardware.
 * @gsi_buf: ib_mad's copy, if it leaves through ib_mad.
 * @gsi_node: In &ucmad_gsi.to_post.
 * @gsi_posting: It is just being given to ib_mad.
 * @mad_len: Length of the MAD.
 * @long_mad: All of it, if @rmpp, until ib_mad has its copy.
 * @mad: The MAD, or its start, with the transaction ID on the wire.
 */
struct ucmad_send {
	refcount_t refs;
	enum ucmad_send_state state;
	bool in_hardware;
	bool try_over;
	bool no_response;
	bool rmpp;
	u32 handle;
	u32 tries;
	u32 retries;
	unsigned long timeout;
	unsigned long sent_at;
	struct hlist_node hash;
	struct list_head live;
	struct list_head node;
	struct timer_list timer;
	struct ucmad_agent *agent;
	struct ucmad_peer *peer;
	__be64 tid;
	u64 cookie;
	u32 qpn;
	u32 qkey;
	struct ucmad_queued *completion;
	union {
		struct {
			struct ib_cqe cqe;
			u64 dma;
		};
		struct {
			struct ib_mad_send_buf *gsi_buf;
			struct list_head gsi_node;
			bool gsi_posting;
		};
	};
	u32 mad_len;
	void *long_mad;
	u8 mad[UCMAD_MAD_SIZE];
};

union ucmad_mad_args {
	struct ucmad_mad_register reg;
	struct ucmad_mad_post post;
	struct ucmad_mad_cancel cancel;
	struct ucmad_mad_timeout timeout;
	struct ucmad_mad_query query;
};

extern unsigned int ucmad_max_sends;

/* Is it a class of QP0 (IBTA 14.2)? */
static inline bool ucmad_mad_class_is_smp(u8 mgmt_class)
{
	return mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED ||
	       mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

/* agent.c */
struct ucmad_agent *ucmad_agent_get(struct ucmad_file *file, u32 handle);
void ucmad_agent_put(struct ucmad_agent *agent);
int ucmad_agent_hold(struct ucmad_agent *agent);
void ucmad_agent_release_hold(struct ucmad_agent *agent);
struct ucmad_agent *ucmad_agent_create(struct ucmad_file *file, struct ucmad_device *device,
				       const struct ucmad_transport *transport,
				       const struct ucmad_mad_register *args);
int ucmad_ioctl_mad_register(struct ucmad_cmd *cmd);

/* post.c */

/* Longer than anyone waits, and no trouble for timers. */
#define UCMAD_MAD_TIMEOUT_MAX	(24 * 3600 * MSEC_PER_SEC)

struct ucmad_send *ucmad_post_begin(struct ucmad_agent *agent, const struct ucmad_mad_send *args);
int ucmad_post_inspect(struct ucmad_send *send);
int ucmad_post_commit(struct ucmad_send *send, const struct ucmad_mad_send *args);
void ucmad_post_abort(struct ucmad_send *send);

/* send.c */
struct ucmad_send *ucmad_send_alloc(void);
void ucmad_send_free(struct ucmad_send *send);
void ucmad_send_put(struct ucmad_send *send);
struct ucmad_send *ucmad_send_find(struct ucmad_agent *agent, u32 handle);
int ucmad_send_start(struct ucmad_send *send, const struct ucmad_mad_address *to, bool gsi);
void ucmad_send_posted(struct ucmad_send *send);
void ucmad_send_sent(struct ucmad_send *send, enum ib_wc_status status);
void ucmad_send_complete(struct ucmad_send *send, enum ucmad_mad_status status, u32 wc_status);
void ucmad_send_match(struct ucmad_port *port, const struct ib_wc *wc, const struct ib_grh *grh,
		      void *response);
bool ucmad_send_answered(struct ucmad_send *send, struct ib_mad_recv_wc *received);
void ucmad_send_cancel(struct ucmad_agent *agent, u32 handle, enum ucmad_mad_status status);
void ucmad_send_cancel_all(struct ucmad_agent *agent, enum ucmad_mad_status status);
void ucmad_send_set_timeout(struct ucmad_agent *agent, u32 handle, u32 timeout_ms);

/* peer.c */
int ucmad_peers_init(struct ucmad_agent *agent);
struct ucmad_peer *ucmad_peer_get(struct ucmad_agent *agent, const struct ucmad_mad_address *to,
				  bool gsi);
void ucmad_peer_put(struct ucmad_peer *peer);
void ucmad_peer_resolved(struct ucmad_peer *peer, bool found);
void ucmad_peer_refresh(struct ucmad_peer *peer);
void ucmad_peer_window_enter(struct ucmad_send *send);
void ucmad_peer_window_leave(struct ucmad_send *send);
bool ucmad_peer_is(const struct ucmad_peer *peer, const struct ib_wc *wc, const struct ib_grh *grh);
void ucmad_peers_destroy(struct ucmad_agent *agent);

/* port.c */
struct ucmad_port *ucmad_port_get(const struct ucmad_transport *transport, struct ib_device *ib,
				  u8 number);
void ucmad_port_put(struct ucmad_port *port);
void ucmad_channel_init(struct ucmad_channel *channel, const struct ucmad_channel_ops *ops,
			struct ucmad_port *port, u32 depth);
void ucmad_channel_pump(struct ucmad_channel *channel);

/* address.c */
int ucmad_address_locate(struct ucmad_peer *peer);
void ucmad_address_resolve(struct ucmad_peer *peer);
void ucmad_address_release(struct ucmad_peer *peer);
int ucmad_address_of_wc(const struct ib_wc *wc, const struct ib_grh *grh, union ib_gid *from,
			union ib_gid *to);

/* ud.c */
extern const struct ucmad_transport ucmad_ud_transport;

/* rmpp.c */
bool ucmad_rmpp_is_active(const void *mad);
int ucmad_rmpp_load(struct ucmad_send *send, const void __user *mad);
struct ib_mad_send_buf *ucmad_rmpp_create(struct ucmad_send *send, struct ib_mad_agent *ib_agent);
bool ucmad_rmpp_is_long(const struct ib_mad_recv_wc *received);
void *ucmad_rmpp_fill(struct ucmad_queued *event, enum ucmad_event_type type, size_t body_len,
		      struct ib_mad_recv_wc *received);

/* gsi.c */
int ucmad_gsi_register(struct ucmad_agent *agent, const struct ucmad_mad_register *args);
void ucmad_gsi_unregister(struct ucmad_agent *agent);
int ucmad_gsi_begin_answer(struct ucmad_agent *agent, u64 handle, struct ucmad_mad_address *from,
			   __be64 *tid);
void ucmad_gsi_end_answer(struct ucmad_agent *agent, u64 handle, bool answered);

/* mad_op.c */
int ucmad_ioctl_mad_post(struct ucmad_cmd *cmd);
int ucmad_ioctl_mad_cancel(struct ucmad_cmd *cmd);
int ucmad_ioctl_mad_timeout(struct ucmad_cmd *cmd);
int ucmad_ioctl_mad_query(struct ucmad_cmd *cmd);

#endif /* UCMAD_MAD_H */
