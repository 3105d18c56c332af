/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* CM IDs. cm.c: their life; cm_op.c: what a program does; cm_event.c: what happens to them. */
#ifndef UCMAD_CM_H
#define UCMAD_CM_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cm.h>

#include "event.h"
#include "object.h"

struct ucmad_cmd;

/**
 * struct ucmad_cm_provider - Who speaks the CM protocol: the kernel's ib_cm, or a fake in tests.
 *
 * The members are as the functions of include/rdma/ib_cm.h that they are named after. An operation
 * in a wrong state is -EINVAL and changes nothing; @destroy waits for handlers, and never for
 * programs; but the handler of an error of a send may come as late as an RCU read-side section. How
 * a RoCE peer's MAC address is found belongs to it, too: @resolve is as ucmad_path_resolve(), and
 * @resolve_cancel as rdma_addr_cancel(), which waits for @done.
 */
struct ucmad_cm_provider {
	struct ib_cm_id *(*create)(struct ib_device *device, ib_cm_handler handler, void *context);
	void (*destroy)(struct ib_cm_id *id);
	int (*listen)(struct ib_cm_id *id, __be64 service_id);
	int (*send_req)(struct ib_cm_id *id, struct ib_cm_req_param *param);
	int (*send_rep)(struct ib_cm_id *id, struct ib_cm_rep_param *param);
	int (*send_rtu)(struct ib_cm_id *id, const void *data, u8 len);
	int (*send_rej)(struct ib_cm_id *id, enum ib_cm_rej_reason reason, void *ari, u8 ari_len,
			const void *data, u8 len);
	int (*send_mra)(struct ib_cm_id *id, u8 service_timeout, const void *data, u8 len);
	int (*send_dreq)(struct ib_cm_id *id, const void *data, u8 len);
	int (*send_drep)(struct ib_cm_id *id, const void *data, u8 len);
	int (*send_sidr_req)(struct ib_cm_id *id, struct ib_cm_sidr_req_param *param);
	int (*send_sidr_rep)(struct ib_cm_id *id, struct ib_cm_sidr_rep_param *param);
	int (*notify)(struct ib_cm_id *id, enum ib_event_type event);
	int (*init_qp_attr)(struct ib_cm_id *id, struct ib_qp_attr *attr, int *mask);
	int (*resolve)(const union ib_gid *dgid, const struct ib_gid_attr *sgid_attr,
		       struct rdma_dev_addr *addr, unsigned long timeout_ms,
		       void (*done)(int status, struct sockaddr *src, struct rdma_dev_addr *addr,
				    void *context),
		       void *context);
	void (*resolve_cancel)(struct rdma_dev_addr *addr);
};

extern const struct ucmad_cm_provider ucmad_cm_ib;
extern const struct ucmad_cm_provider *ucmad_cm_provider;

/**
 * struct ucmad_cm_request - A REQ or SIDR REQ that is to be sent once its path is known.
 * @is_sidr: Which of the two.
 * @patience: How long the answer to it may wait for the program, see &ucmad_cm.patience.
 * @response_ms: How long the peer waits for what the program says to that answer.
 * @resolve_timeout_ms: How long to look for the peer's MAC address.
 * @sgid_attr: The local GID; a reference is held.
 * @primary: The path.
 * @alternate: The alternate path, if @req points to it.
 * @req: The REQ.
 * @sidr: The SIDR REQ.
 * @data: Private data of either.
 */
struct ucmad_cm_request {
	bool is_sidr;
	u8 patience;
	u32 response_ms;
	u32 resolve_timeout_ms;
	const struct ib_gid_attr *sgid_attr;
	struct sa_path_rec primary;
	struct sa_path_rec alternate;
	union {
		struct ib_cm_req_param req;
		struct ib_cm_sidr_req_param sidr;
	};
	u8 data[UCMAD_CM_SIDR_REQ_DATA_MAX];
};

/**
 * enum ucmad_cm_answer - Does a REQ or REP wait for the program (CM-PATIENT)?
 * @UCMAD_CM_NO_ANSWER_DUE: No.
 * @UCMAD_CM_ANSWER_DUE: Yes, and the peer will soon grow impatient.
 * @UCMAD_CM_PEER_WAITS: Yes, and the peer was told to wait.
 */
enum ucmad_cm_answer {
	UCMAD_CM_NO_ANSWER_DUE,
	UCMAD_CM_ANSWER_DUE,
	UCMAD_CM_PEER_WAITS,
};

/**
 * enum ucmad_cm_alternate - What alternate path the provider knows.
 */
enum ucmad_cm_alternate {
	UCMAD_CM_ALTERNATE_NONE,
	UCMAD_CM_ALTERNATE_LID,
	UCMAD_CM_ALTERNATE_GRH,
};

/**
 * struct ucmad_cm - A CM ID.
 * @object: Base.
 * @mutex: One operation at a time; guards what follows up to @lock. Never held while user memory is
 *	   touched, since removal of the device takes it.
 * @id: The provider's ID: of this attempt to listen or connect, made afresh for each, since a
 *	provider's ID that failed once is not good for a second try. NULL before the first.
 * @request: What is to be sent when the path is resolved; the ID is then in state RESOLVING.
 * @closing: Torn down; nothing is begun any more.
 * @removed: The device is gone.
 * @begun: A connection was asked for, by us or the peer, with @id.
 * @ended_here: The program itself has ended it.
 * @alternate: What alternate path there is.
 * @patience: Service time-out to ask for, or UCMAD_PATIENCE_NONE.
 * @backlog: Of a listener.
 *
 * @lock: Guards @reserve and @reserved.
 * @reserve: Events set aside for what can still happen (EV-NOLOSS).
 * @reserved: How many.
 * @answer: Written by handlers and operations, see enum ucmad_cm_answer.
 * @response_ms: How long the peer waits for an answer of this side.
 * @error: Why the connection is over, as positive errno, 0 if it is not.
 * @dropped: Of a listener, requests without room.
 * @established: The provider has told that the connection is established.
 * @patience_work: Comes to tell the peer to wait, then to end the waiting.
 * @resolve_addr: Belongs to the address resolution while it runs.
 * @resolve_status: Its outcome.
 * @resolved_work: Comes when it is done.
 */
struct ucmad_cm {
	struct ucmad_object object;

	struct mutex mutex; /* one operation at a time; see above */
	struct ib_cm_id *id;
	struct ucmad_cm_request *request;
	bool closing;
	bool removed;
	bool begun;
	bool ended_here;
	enum ucmad_cm_alternate alternate;
	u8 patience;
	u32 backlog;

	spinlock_t lock; /* guards @reserve and @reserved */
	struct list_head reserve;
	u32 reserved;
	enum ucmad_cm_answer answer;
	u32 response_ms;
	u32 error;
	atomic_t dropped;
	struct completion established;
	struct delayed_work patience_work;
	struct rdma_dev_addr resolve_addr;
	int resolve_status;
	struct work_struct resolved_work;
};

/*
 * So many events can at most come between a REQ and the end of its connection, besides the birth
 * and the removal of the device: MRA, REP or RTU, LAP, APR, DREQ or REJ, DREP, TIMEWAIT_EXIT, and
 * an EXPIRED or error. The protocol repeats none of them.
 */
#define UCMAD_CM_RESERVE 8

union ucmad_cm_args {
	struct ucmad_cm_create create;
	struct ucmad_cm_listen listen;
	struct ucmad_cm_req req;
	struct ucmad_cm_rep rep;
	struct ucmad_cm_message message;
	struct ucmad_cm_rej rej;
	struct ucmad_cm_mra mra;
	struct ucmad_cm_sidr_req sidr_req;
	struct ucmad_cm_sidr_rep sidr_rep;
	struct ucmad_cm_notify notify;
	struct ucmad_cm_query query;
	struct ucmad_cm_qp_attr qp_attr;
};

/**
 * struct ucmad_cm_call - An operation under way.
 * @arg: The program's struct.
 * @data: Its private data.
 * @info: Its additional information, where there is one.
 */
struct ucmad_cm_call {
	void *arg;
	u8 data[UCMAD_CM_RTU_DATA_MAX];
	u8 info[UCMAD_CM_REJ_ARI_MAX];
};

extern unsigned int ucmad_max_backlog;

/* cm.c */
struct ucmad_cm *ucmad_cm_new(struct ucmad_file *file, struct ucmad_device *device);
struct ucmad_cm *ucmad_cm_get(struct ucmad_file *file, u32 handle);
void ucmad_cm_put(struct ucmad_cm *cm);
struct ib_cm_id *ucmad_cm_id_create(struct ucmad_cm *cm);
void ucmad_cm_id_destroy(struct ib_cm_id *id);
int ucmad_cm_reserve_fill(struct ucmad_cm *cm);
struct ucmad_queued *ucmad_cm_reserve_take(struct ucmad_cm *cm);

/* cm_event.c */
int ucmad_cm_handler(struct ib_cm_id *id, const struct ib_cm_event *event);
void ucmad_cm_post_error(struct ucmad_cm *cm, enum ucmad_event_type type, u32 error, u32 wc_status);

/* cm_request.c */
struct ucmad_cm_request *ucmad_cm_request_alloc(u64 data, u8 len, u8 max);
void ucmad_cm_request_free(struct ucmad_cm_request *request);
int ucmad_cm_request_start(struct ucmad_cmd *cmd, u32 handle, struct ucmad_cm_request *request,
			   const struct ucmad_path *primary, const struct ucmad_path *alternate);
void ucmad_cm_resolved(struct work_struct *work);
bool ucmad_cm_is_idle(struct ucmad_cm *cm);
void ucmad_cm_renew(struct ucmad_cm *cm);

/* cm_patience.c */
bool ucmad_cm_patience_is_valid(u8 patience);
void ucmad_cm_answer_due(struct ucmad_cm *cm);
void ucmad_cm_answered(struct ucmad_cm *cm);
void ucmad_cm_peer_waits(struct ucmad_cm *cm, unsigned int ms);
void ucmad_cm_patience(struct work_struct *work);
unsigned int ucmad_cm_time_to_ms(u8 iba_time);

/* cm_op.c, cm_query.c */
int ucmad_ioctl_cm_create(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_listen(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_req(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_rep(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_rtu(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_rej(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_mra(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_dreq(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_drep(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_sidr_req(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_sidr_rep(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_notify(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_query(struct ucmad_cmd *cmd);
int ucmad_ioctl_cm_qp_attr(struct ucmad_cmd *cmd);
int ucmad_cm_check(struct ucmad_cm *cm);
u32 ucmad_cm_cause(struct ucmad_cm *cm);
int ucmad_cm_copy(u8 *to, u64 from, u8 len, u8 max);
int ucmad_cm_do(struct ucmad_cmd *cmd, u32 handle,
		int (*op)(struct ucmad_cm *cm, struct ucmad_cm_call *call),
		struct ucmad_cm_call *call);

#endif /* UCMAD_CM_H */
