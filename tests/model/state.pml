/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The state that the code has, the state that the checks need, and references; see delivery.pml. */

#define OBJECTS		3
#define L		0
#define B		1
#define X		2
#define ANY		7
#define SEQUENCES	4	/* the newest event of an object is at most this one */

/* An event is its object and its sequence number; that says also where it waits. */
#define EVENT(o, seq)	((o) * 8 + (seq))
#define OBJECT(e)	((e) >> 3)
#define SEQUENCE(e)	((e) & 7)
#define IS_BIRTH(e)	((e) == EVENT(B, 1))
#define SOURCE(e)	(IS_BIRTH(e) -> L : OBJECT(e))
#define BIT(n)		(1 << (n))

/* User contexts. */
#define UNSET		0
#define OF_LISTENER	1
#define OF_LISTENER_TOO	2
#define CHOSEN		3
#define OF_X		4

/* What calls come to. */
#define TAKEN		0
#define EAGAIN		1
#define EMSGSIZE	2
#define ESHUTDOWN	3
#define ETIMEDOUT	4
#define EFAULT		5
#define ENOENT		6
#define DIED		7	/* the 1 of ucmad_take_deliver() */
#define PARTLY_DIED	8	/* what is left is copied once more */

/* ---- state, as in the code --------------------------------------------------------------- */

typedef queue {
	byte events[EVENTS];
	byte waiting;		/* the length of events, too */
	byte posted;
	byte held;
	byte acked;
	byte targeted;
	byte context;
	bit context_set;
	bit dead
};

typedef batch {
	byte events[MAX_EVENTS];
	byte count
};

queue q[OBJECTS];
bit published[OBJECTS];
byte refs[OBJECTS];

/* The file. */
byte ready[OBJECTS];
byte ready_count;
batch b[CONSUMERS];
byte wait[CONSUMERS];		/* exclusive waiters for any object, in order */
byte wait_count;
bit on_wait[CONSUMERS];		/* on the wait queue of the object that it names */
bit interruptible[CONSUMERS];	/* the state of the task, as wake_up() sees it */
#ifdef POLLS
bit edge;			/* epoll has been told that the file is readable */
bit polls;			/* consumer 0 waits for that */
#endif

/* ---- what the program and the checks remember -------------------------------------------- */

byte delivered[OBJECTS];	/* bits: sequence numbers */
byte unacked[OBJECTS];		/* bits: what holds the object, by the words of the contract */
byte taken[OBJECTS];		/* newest event that was taken and not put back */
bit undone_late[OBJECTS];	/* an event was put back when a later one had been taken */
bit destroyed[OBJECTS];		/* its destroy, or that of its listener, has returned */
bit context_chosen;		/* of B, by the program */
byte served[OBJECTS];		/* bits: whom "any" calls served since this object became ready */
byte posted_count;
byte delivered_count;
byte discarded_count;		/* as the program was told */
bit waits[CONSUMERS];		/* between the two calls of ucmad_queue_target() */
bit in_call[CONSUMERS];		/* holds a reference to its target */
byte destroyers;		/* destroys under way */

/* Zero: they only name the promise in the text of an assertion that fails. */
hidden byte EV_FIFO, EV_SERIAL, EV_ACCEPT, EV_TARGET, EV_CONTEXT, EV_POLL, EV_FAIR, EV_NOLOSS;
hidden byte DEL_SILENT, DEL_COUNT, DEL_EXIT, WAKE_UP;

/* For use within a step only. */
hidden byte i, j, k, m, at, event, src, was_held, count, found;

/* Does a consumer name the object? */
#define is_named(o)	(FIRST_NAMES == (o) || SECOND_NAMES == (o) || THIRD_NAMES == (o) || \
			 IN(CONCURRENT, o))
#define is_dead(e)	(q[OBJECT(e)].dead || q[SOURCE(e)].dead)
#define is_ready(o)	(ready_count > 0 && ready[0] == (o) || ready_count > 1 && ready[1] == (o) || \
			 ready_count > 2 && ready[2] == (o))
/* What the contract says is READY, see the table at the head of event.c. */
#define should_be_ready(o) \
	(!q[o].dead && q[o].waiting > 0 && !q[o].targeted && q[o].acked >= q[o].held)

inline get(o)
{
	assert(DEL_EXIT || refs[o] > 0);
	refs[o]++
}

inline put(o)
{
	assert(DEL_EXIT || refs[o] > 0);
	refs[o]--;
	/* It is freed now: nothing may lead to it. */
	assert(DEL_EXIT || refs[o] > 0 || !is_ready(o) && !published[o] && q[o].waiting == 0)
}

inline queued_free(e)
{
#ifndef BREAK_REFERENCE_OF_A_BIRTH
	if
	:: SOURCE(e) != OBJECT(e) -> put(SOURCE(e))
	:: else
	fi;
#endif
	put(OBJECT(e))
}
