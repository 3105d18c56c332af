/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A CM without a network. It keeps the rule that all providers keep, which operation is good in
 * which state; what peers do, and when, the test does: before an operation, in its middle, or after
 * it.
 */
#ifndef UCMAD_KUNIT_FAKE_CM_H
#define UCMAD_KUNIT_FAKE_CM_H

#include "../cm.h"

enum ucmad_fake_op {
	UCMAD_FAKE_CREATE,
	UCMAD_FAKE_DESTROY,
	UCMAD_FAKE_LISTEN,
	UCMAD_FAKE_REQ,
	UCMAD_FAKE_REP,
	UCMAD_FAKE_RTU,
	UCMAD_FAKE_REJ,
	UCMAD_FAKE_MRA,
	UCMAD_FAKE_DREQ,
	UCMAD_FAKE_DREP,
	UCMAD_FAKE_SIDR_REQ,
	UCMAD_FAKE_SIDR_REP,
	UCMAD_FAKE_COMM_EST,
	UCMAD_FAKE_PATH_MIG,
	UCMAD_FAKE_QP_ATTR,
	UCMAD_FAKE_RESOLVE,
	UCMAD_FAKE_OPS,
};

/* No event of ib_cm. */
#define UCMAD_FAKE_NOTHING	(-1)

/* What the messages of peers have for private data, additional information and the like. */
#define UCMAD_FAKE_DATA(i)	((u8)(0xa0 + (i)))

/**
 * struct ucmad_fake_message - What was given to an operation.
 * @data: Private data.
 * @data_len: Its length.
 * @info: Additional information.
 * @info_len: Its length.
 * @number: Reason of a REJ, service time-out of an MRA, service ID to listen on.
 * @req: Of a REQ; what it points to is in @path, @alternate and @data.
 * @sidr_req: Of a SIDR REQ, likewise.
 * @rep: Of a REP.
 * @sidr_rep: Of a SIDR REP.
 * @path: Of a REQ or SIDR REQ.
 * @alternate: Of a REQ.
 */
struct ucmad_fake_message {
	u8 data[UCMAD_CM_DREP_DATA_MAX];
	u8 data_len;
	u8 info[UCMAD_CM_REJ_ARI_MAX];
	u8 info_len;
	u64 number;
	struct ib_cm_req_param req;
	struct ib_cm_sidr_req_param sidr_req;
	struct ib_cm_rep_param rep;
	struct ib_cm_sidr_rep_param sidr_rep;
	struct sa_path_rec path;
	struct sa_path_rec alternate;
};

/**
 * struct ucmad_fake_cm - The provider.
 * @calls: Names of the operations since the test has asked last, each followed by a blank.
 * @errors: What each is to fail with, though the state is good; 0 to succeed.
 * @last: What the last one was given.
 * @attr: What init_qp_attr answers with, ...
 * @attr_mask: ... and with this mask.
 * @early: Event that comes in the middle of the next operation, before it looks at the state.
 * @late: The same, when it has changed the state.
 * @outcome: What the handler has said to that.
 * @newest: The ID that was made last.
 * @live: How many there are.
 * @resolve_done: To be called when an address is found, NULL while none is looked for.
 * @resolve_context: For that.
 * @resolve_addr: The same.
 * @resolve_timeout_ms: When the search is to end.
 * @resolve_late: The search ends in the middle of its being cancelled.
 */
struct ucmad_fake_cm {
	char calls[256];
	int errors[UCMAD_FAKE_OPS];
	struct ucmad_fake_message last;
	struct ib_qp_attr attr;
	int attr_mask;
	int early;
	int late;
	int outcome;
	struct ib_cm_id *newest;
	u32 live;
	void (*resolve_done)(int status, struct sockaddr *src, struct rdma_dev_addr *addr,
			     void *context);
	void *resolve_context;
	struct rdma_dev_addr *resolve_addr;
	unsigned long resolve_timeout_ms;
	bool resolve_late;
};

void ucmad_fake_cm_start(struct ucmad_fake_cm *fake);
void ucmad_fake_cm_stop(void);

struct ib_cm_event ucmad_fake_event(enum ib_cm_event_type type);
void ucmad_fake_enter(struct ib_cm_id *id, enum ib_cm_event_type type);
int ucmad_fake_deliver(struct ib_cm_id *id, const struct ib_cm_event *event);
int ucmad_fake_bear(struct ib_cm_id *listener, const struct ib_cm_event *event);
int ucmad_fake_happen(struct ib_cm_id *id, enum ib_cm_event_type type);
void ucmad_fake_resolved(struct ucmad_fake_cm *fake, int status);

#endif /* UCMAD_KUNIT_FAKE_CM_H */
