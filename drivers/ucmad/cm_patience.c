// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * Patience (CM-PATIENT): a peer whose REQ or REP waits for a slow program is told to wait.
 *
 *   NO_ANSWER_DUE --REQ or REP received--> ANSWER_DUE
 *   ANSWER_DUE    --half of the peer's own time-out is over--> MRA sent, PEER_WAITS
 *   PEER_WAITS    --the patience is over--> REJ sent, EXPIRED posted, NO_ANSWER_DUE
 *   any           --the program answers, or the peer gives up--> NO_ANSWER_DUE
 *
 * At half of the time-out, because an MRA that is only sent when the peer repeats itself, as the
 * kernel's rdma_cm does, comes never if the peer has no retries. (Newer kernels offer no other:
 * there it is asked for at once.)
 */
#include "cm.h"
#include "main.h"
#include "compat.h"

/* Time as CM messages carry it: 4.096 us * 2^n, here as ib_cm reckons it. */
unsigned int ucmad_cm_time_to_ms(u8 iba_time)
{
	return 1U << max(iba_time - 8, 0);
}

bool ucmad_cm_patience_is_valid(u8 patience)
{
	return patience <= 31 || patience == UCMAD_PATIENCE_NONE;
}

static void ucmad_cm_patience_after(struct ucmad_cm *cm, unsigned int ms)
{
	mod_delayed_work(ucmad_workqueue, &cm->patience_work, msecs_to_jiffies(ms));
}

/* A REQ or REP waits for the program. Called by handlers, and for an unpublished ID. */
void ucmad_cm_answer_due(struct ucmad_cm *cm)
{
	if (cm->patience == UCMAD_PATIENCE_NONE)
		return;
	WRITE_ONCE(cm->answer, UCMAD_CM_ANSWER_DUE);
	ucmad_cm_patience_after(cm, UCMAD_COMPAT_MRA_AT_REQUEST ? cm->response_ms / 2 : 0);
}

/* Nothing waits for the program any more. The work may still come; it will find nothing to do. */
void ucmad_cm_answered(struct ucmad_cm *cm)
{
	WRITE_ONCE(cm->answer, UCMAD_CM_NO_ANSWER_DUE);
}

/* The peer was told to wait; the program has so long. */
void ucmad_cm_peer_waits(struct ucmad_cm *cm, unsigned int ms)
{
	WRITE_ONCE(cm->answer, UCMAD_CM_PEER_WAITS);
	if (cm->patience != UCMAD_PATIENCE_NONE)
		ucmad_cm_patience_after(cm, ms);
}

static void ucmad_cm_tell_to_wait(struct ucmad_cm *cm)
{
	/* Longer than the program has: the REJ at the end of that shall find the peer waiting. */
	u8 service_timeout = min(cm->patience + 1, 31);
	int ret = ucmad_cm_provider->send_mra(cm->id, service_timeout, NULL, 0);

	if (!ret)
		ucmad_cm_peer_waits(cm, ucmad_cm_time_to_ms(cm->patience));
	else if (ret == -EINVAL) /* Another state: the answer crossed this. */
		ucmad_cm_answered(cm);
	else /* Short of memory, say: the peer still has patience for another try. */
		ucmad_cm_patience_after(cm, cm->response_ms / 8);
}

static void ucmad_cm_expire(struct ucmad_cm *cm)
{
	ucmad_cm_answered(cm);
	/* Not reason 4, time-out: a peer that has no communication ID of ours cannot match it. */
	if (ucmad_cm_provider->send_rej(cm->id, IB_CM_REJ_CONSUMER_DEFINED, NULL, 0, NULL, 0) ==
	    -EINVAL)
		return;
	WRITE_ONCE(cm->error, ETIMEDOUT);
	ucmad_cm_post_error(cm, UCMAD_EVENT_CM_EXPIRED, ETIMEDOUT, 0);
}

void ucmad_cm_patience(struct work_struct *work)
{
	struct ucmad_cm *cm = container_of(to_delayed_work(work), struct ucmad_cm, patience_work);

	mutex_lock(&cm->mutex);
	if (cm->id) {
		switch (READ_ONCE(cm->answer)) {
		case UCMAD_CM_ANSWER_DUE:
			ucmad_cm_tell_to_wait(cm);
			break;
		case UCMAD_CM_PEER_WAITS:
			ucmad_cm_expire(cm);
			break;
		case UCMAD_CM_NO_ANSWER_DUE:
			break;
		}
	}
	mutex_unlock(&cm->mutex);
}
