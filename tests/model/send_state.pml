/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The state that the code has, the state that the checks need, references and holds; see send.pml. */

#define ALL		7

/* States of a send. */
#define UNBORN		0
#define QUEUED		1
#define WAITING		2
#define DONE		3

/* States of the peer. */
#define PEER_RESOLVING	0
#define PEER_READY	1
#define PEER_FAILED	2

/* How the hardware ends a try. */
#define SUCCESS		0
#define ERROR		1
#define FLUSH_ERROR	2

/* What the program is told. */
#define RESPONDED	0
#define SENT		1
#define TIMED_OUT	2
#define NOT_FOUND	3
#define CANCELLED	4
#define FLUSHED		5
#define NOT_SENT	6

/* What ib_mad has done with a response. */
#define FOUND		1
#define TOLD		2

/* ---- state, as in the code --------------------------------------------------------------- */

typedef send {
	byte refs;
	byte state;
	bit in_hardware;
	bit try_over;
	byte tries;
	byte retries;
	bit in_table;
	bit in_window;
	bit timer_pending;
	bit timer_running;	/* called, and waits for the lock */
	bit held;		/* the hardware, or ib_mad, has the try, whatever the code thinks */
#ifdef OVER_IB_MAD
	bit gsi_posting;
	bit abandoned;		/* ib_mad was told to let go of it */
	byte responded;		/* ib_mad has its response, and tells of that and then of the end */
	bit forgotten;		/* ib_mad will never tell of its end */
#endif
	/* What the checks remember. */
	bit was_sent;
	bit freed;
	byte completions
};

typedef list_head {
	byte at[SENDS];
	byte length
};

send sends[SENDS];

/* The agent. */
byte holds;
bit quiet_now;
bit closing;
bit left_port;
bit dead;			/* the queue of its events */
list_head live;			/* oldest first */
byte waiting;			/* completions */
byte flushed;
byte outstanding;

/* The peer and the channel. */
byte peer_state;
byte peer_sends;
bit stale;
bit resolving;
list_head peer_queue;
byte window_used;
bit window_timer_pending;
bit turn;
byte posted;
byte depth;
bit broken;
byte to_post;			/* bits: what ib_mad is to be given */

/* ---- what the surroundings and the checks remember --------------------------------------- */

bit qp_failed;
bit repair_failed;
byte failures;			/* that are still to come */
bit post_fails;
bit stalled;
byte accepted_count;
byte taken_count;
byte calls;			/* cancels under way */
byte teardowns;			/* deregister and removal under way */

/* Zero: they only name the promise in the text of an assertion that fails. */
hidden byte MAD_ONE, MAD_REF, MAD_CANCEL, MAD_PAIR, MAD_DEREG, MAD_SHARE;
hidden byte MAD_TRIES, MAD_LIMIT, MAD_ROOM;

/* For use within a step only. */
hidden byte i, k, p, found, was_over, innocent;

/* ---- lists ------------------------------------------------------------------------------- */

inline list_add_tail(list, n)
{
	list.at[list.length] = n;
	list.length++
}

inline list_del(list, n)
{
	found = 0;
	for (k : 0 .. list.length - 1) {
		if
		:: found -> list.at[k - 1] = list.at[k]
		:: !found && list.at[k] == n -> found = 1
		:: else
		fi
	}
	assert(found);
	list.length--;
	list.at[list.length] = 0;
	k = 0;
	found = 0
}

/* ---- references and holds ---------------------------------------------------------------- */

inline agent_release_hold()
{
	assert(MAD_DEREG || holds > 0);
	holds--;
	if
	:: holds == 0 -> quiet_now = 1
	:: else
	fi
}

inline send_get(n)
{
	check_touched(n);
	sends[n].refs++
}

/* The last reference is gone: nobody can touch the memory. */
inline send_put(n)
{
	check_touched(n);
	assert(MAD_REF || sends[n].refs > 0);
	sends[n].refs--;
	if
	:: sends[n].refs == 0 ->
		check_freed(n);
		sends[n].freed = 1;
		sends[n].tries = 0;
		sends[n].retries = 0;
		sends[n].try_over = 0;
		peer_put();
#ifndef BREAK_SEND_HAS_NO_HOLD
		agent_release_hold()
#endif
	:: else
	fi
}
