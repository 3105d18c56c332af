/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the contract promises of sends, as assertions; see send.pml. */

#define TRIES(n)	(IN(NO_RESPONSE, n) -> 1 : 1 + RETRIES)

/* ---- memory ------------------------------------------------------------------------------ */

inline check_touched(n)
{
	assert(MAD_REF || !sends[n].freed)
}

/* Nothing that still can come for it is left. */
inline check_freed(n)
{
	assert(MAD_REF || sends[n].state == DONE && !sends[n].in_table && !sends[n].in_window);
	assert(MAD_REF || !sends[n].held && !sends[n].in_hardware);
	assert(MAD_REF || !sends[n].timer_pending && !sends[n].timer_running);
#ifdef OVER_IB_MAD
	assert(MAD_REF || !IN(to_post, n) && !sends[n].gsi_posting)
#endif
}

/* The port, the peer and the channel are there only as long as the agent is. */
inline check_port()
{
	assert(MAD_DEREG || !left_port)
}

/* ---- what becomes of a send -------------------------------------------------------------- */

inline check_completion(n, status)
{
	printf("send %d ends: %d\n", n, status);
	assert(MAD_ONE || sends[n].completions == 0);
	assert(MAD_ONE || status != SENT || IN(NO_RESPONSE, n) && sends[n].was_sent);
	assert(MAD_PAIR || status != RESPONDED || sends[n].was_sent);
	assert(MAD_TRIES || status != TIMED_OUT || sends[n].tries == TRIES(n))
}

/* What the QP has not failed on waits for its repair. */
inline check_refused()
{
	assert(MAD_ONE || repair_failed)
}

inline check_tries(n)
{
	printf("send %d: try %d\n", n, sends[n].tries);
	assert(MAD_TRIES || sends[n].tries <= TRIES(n))
}

inline check_limit()
{
	assert(MAD_LIMIT || accepted_count - taken_count <= MAX_IN_FLIGHT)
}

/* ---- when calls end ---------------------------------------------------------------------- */

inline check_cancelled(there)
{
	for (k : 0 .. SENDS - 1) {
		assert(MAD_CANCEL || !IN(there, k) || sends[k].state == DONE)
	}
	k = 0
}

inline check_flushed()
{
	assert(MAD_DEREG || live.length == 0)
}

inline check_left()
{
	for (k : 0 .. SENDS - 1) {
		assert(MAD_DEREG || sends[k].state == UNBORN || sends[k].freed)
	}
	k = 0;
	assert(MAD_DEREG || holds == 0 && calls == 0 && peer_sends == 0)
}

inline check_discarded(discarded)
{
	assert(MAD_SHARE || accepted_count == taken_count + discarded + flushed)
}

/* ---- whenever no lock is held ------------------------------------------------------------ */

#ifdef OVER_IB_MAD
/* The try of what was responded to ends next, and that gives the others their turn. */
#define ends_next(n)	(sends[n].responded == TOLD)
#else
#define ends_next(n)	0
#endif

inline check()
{
	found = 0;
	for (k : 0 .. SENDS - 1) {
		found = found || ends_next(k)
	}
	k = 0;
	assert(MAD_ROOM || found || posted >= depth || peer_state != PEER_READY || peer_queue.length == 0 ||
	       window_used >= WINDOW);
	found = 0
}

/* ---- when nothing can happen any more ---------------------------------------------------- */

inline check_quiet()
{
	for (k : 0 .. SENDS - 1) {
		assert(MAD_ONE || sends[k].state == UNBORN || sends[k].completions == 1 ||
		       stalled && !closing);
		assert(MAD_REF || sends[k].state != DONE || sends[k].freed || stalled && sends[k].held)
	}
	k = 0;
	assert(MAD_CANCEL || calls == 0);
	assert(MAD_DEREG || teardowns == 0 || stalled)
}
