/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * delivery.pml - how events are delivered, for an exhaustive search by spin
 *
 * A model of drivers/ucmad/event.c and take.c, and of what object.c does when an object is
 * destroyed. One file with its lock; a listener L, CM IDs B, born of a REQ to L, and X; threads that
 * post, take, acknowledge, set contexts and destroy. Fields and steps have the names that they have
 * in the code, so that the two can be laid side by side; whoever changes one changes the other.
 *
 * What is one step here is what is done in one holding of a lock there: the lock of the file, of
 * the wait queue, or of the table of handles. Between two steps of a thread any other may run. A
 * thread may stop for ever wherever a program's thread may: after a call, never within one.
 *
 * What is checked, and where (names of promises as in the contract):
 *
 *   at each step	EV-FIFO		a queue is in order; what is taken is in order, save where an
 *					undo met a call that named the object (see undone_late)
 *			EV-SERIAL	no "any" call takes an event of an object that is held
 *			EV-ACCEPT	the same for a new ID before the ack of its REQ
 *			EV-TARGET	nor one for which a call that names the object waits
 *			EV-CONTEXT	an event has the context that the program chose, or L's
 *			EV-POLL		on the list of ready queues: those, and only those, of which
 *					an "any" call would take an event
 *			EV-FAIR		no object is served twice while another was ready all along
 *			DEL-SILENT	no event is delivered of what was destroyed
 *					no event is delivered twice; no reference is put twice
 *   when all is quiet	no consumer sleeps while there is something for it, or its object is dead
 *			DEL-COUNT	posted = delivered + discarded + waiting; nothing is lost
 *			DEL-EXIT	a reference is held by the table and by each event, no other
 *   by spin itself	no deadlock: who does not sleep for an event has come to its end
 *			with NP, no call goes round and round in the kernel
 *
 * A configuration is a set of macros, see below; tests/model/run has the list of those that are
 * searched. Each BREAK_* macro breaks one rule, and then the search must find a fault.
 *
 * Not in the model: sizes of events (but see SMALL), time, the backlog, two REQs at a time, closing
 * of the file, what the provider does in a teardown, and programs that acknowledge what they were
 * not given.
 */

/* ---- configuration ----------------------------------------------------------------------- */

/* Sets of objects and of consumers, to be joined with +. */
#define WITH_L		1
#define WITH_B		2
#define WITH_X		4
#define FIRST		1
#define SECOND		2
#define THIRD		4

/* Consumers: how many; which object each names, or ANY. */
#ifndef CONSUMERS
#define CONSUMERS	2
#endif
#ifndef FIRST_NAMES
#define FIRST_NAMES	ANY
#endif
#ifndef SECOND_NAMES
#define SECOND_NAMES	ANY
#endif
#ifndef THIRD_NAMES
#define THIRD_NAMES	ANY
#endif
/* Most events that one call takes. */
#ifndef MAX_EVENTS
#define MAX_EVENTS	2
#endif
/* Events that are posted, births among them. */
#ifndef EVENTS
#define EVENTS		3
#endif
/* Who may end a wait by time-out or signal, whose buffer is bad, whose has no room for X's events. */
#ifndef EXPIRES
#define EXPIRES		0
#endif
#ifndef FAULTS
#define FAULTS		0
#endif
#ifndef SMALL
#define SMALL		0
#endif
/* Which objects get events. L gets REQs: one, which gives birth to B. */
#ifndef POSTS
#define POSTS		WITH_X
#endif
/* Objects that are destroyed, by one thread each. */
#ifndef DESTROYS
#define DESTROYS	0
#endif
/* Objects made for concurrent delivery. */
#ifndef CONCURRENT
#define CONCURRENT	0
#endif
/*
 * Also: POLLS, the first consumer waits by edge-triggered epoll; POLLS_EXCLUSIVELY, by epoll with
 * EPOLLEXCLUSIVE; SETS_CONTEXT, a thread changes L's context; NO_ACKS, nothing is acknowledged.
 */

#define IN(set, n)	(((set) >> (n)) & 1)
#define TARGETS(c)	((c) == 0 -> FIRST_NAMES : ((c) == 1 -> SECOND_NAMES : THIRD_NAMES))

#include "state.pml"
#include "promises.pml"
#include "queue.pml"
#include "take.pml"

/* ---- threads of the program and of the kernel -------------------------------------------- */

/* UCMAD_IOCTL_EVENTS without acks, again and again, until the thread ends. */
proctype consumer(byte c; byte target)
{
	byte ret;
	bit expired;

end_unknown:
	(target != B || published[B] || q[B].dead);
	do
	:: break	/* The thread ends. */
	:: true ->
progress_call:
		if
		:: target != ANY -> atomic {
			if
			:: !published[target] -> break
			:: else ->
				get(target);
				in_call[c] = 1
			fi }
		:: else
		fi;
again:
		skip;
#ifdef POLLS_EXCLUSIVELY
		if
		:: c == 0 ->
			d_step { prepare_to_wait(c, ANY) };
			if
			:: ready_count > 0
			:: else ->
end_epoll:
				(!interruptible[c])
			fi;
			d_step { finish_wait(c) }
		:: else
		fi;
#endif
		d_step { collect(c, target, ret) };
#ifdef POLLS
		if
		:: c == 0 && ret == EAGAIN ->
			polls = 1;
end_poll:
			d_step { edge -> edge = 0; polls = 0 };
			goto again
		:: else
		fi;
#endif
#ifdef POLLS_EXCLUSIVELY
		if
		:: c == 0 && ret == EAGAIN -> goto again
		:: else
		fi;
#endif
		if
		:: ret == EAGAIN ->
			if
			:: target != ANY -> d_step { target_begin(c, target) }
			:: else
			fi;
			do
			:: d_step { prepare_to_wait(c, target) };
				d_step { collect(c, target, ret) };
				if
				:: ret != EAGAIN -> break
				:: ret == EAGAIN && expired -> ret = ETIMEDOUT; break
				:: else
				fi;
end_sleep:
				if
				:: !interruptible[c]
				:: IN(EXPIRES, c) -> d_step { interruptible[c] = 0; expired = 1 }
				fi
			od;
			expired = 0;
			d_step { finish_wait(c) };
			if
			:: target != ANY -> d_step { target_end(c, target) }
			:: else -> d_step { wake_next() }
			fi
		:: else
		fi;

		do
		:: ret == TAKEN || ret == PARTLY_DIED ->
			if
			:: d_step { commit(c, ret) };
				if
				:: ret == TAKEN -> break
				:: else
				fi
			:: IN(FAULTS, c) -> d_step { undo(c, target); ret = EFAULT }
			fi
		:: else -> break
		od;
		if
		:: ret == DIED -> goto again
		:: else -> ret = 0
		fi;
		if
		:: target != ANY -> d_step { put(target); in_call[c] = 0 }
		:: else
		fi
	od
}

/* Acknowledges what was delivered, at any time, in any order, again, or not at all. */
#define ACK(o, seq)	:: delivered[o] & BIT(seq) && published[o] -> object = o; sequence = seq

inline choose_context(o)
{
	if
	:: o == B ->
		q[B].context = CHOSEN;
		q[B].context_set = 1;
		context_chosen = 1
	:: else
	fi
}

proctype acker()
{
	byte object, sequence;

	do
	:: break
	:: atomic {
		if
		ACK(X, 1)
		ACK(X, 2)
		ACK(X, 3)
		ACK(X, 4)
		ACK(B, 1)
		ACK(B, 2)
		ACK(B, 3)
		fi;
		get(object) };
progress_ack:
		/* The context is set first: EV-CONTEXT knows no gap. */
#ifndef BREAK_CONTEXT_AFTER_THE_ACK
		d_step { choose_context(object) };
		d_step { queue_ack(object, sequence); put(object); object = 0; sequence = 0; check() }
#else
		d_step { queue_ack(object, sequence); check() };
		d_step { choose_context(object); put(object); object = 0; sequence = 0 }
#endif
	od
}

proctype context_setter()
{
	q[L].context = OF_LISTENER_TOO
}

proctype producer()
{
progress_post:
	do
	:: break
	:: posted_count < EVENTS && IN(POSTS, X) -> d_step { event_post(X); check() }
	:: posted_count < EVENTS && IN(POSTS, L) && q[B].posted == 0 ->
		d_step { event_post_birth(); check() }
	:: posted_count < EVENTS && IN(POSTS, B) && q[B].posted > 0 -> d_step { event_post(B); check() }
	od
}

proctype destroyer(byte object)
{
	byte discarded, killed[EVENTS], killed_count;
	bit orphan;

	if
	:: skip		/* never */
	:: atomic { published[object] -> published[object] = 0; destroyers++ };
		d_step { queue_kill(object) };
		if
		:: orphan ->
			assert(object == L && !published[B]);
			d_step { queue_kill(B) };
			d_step { put(B); destroyed[B] = 1; orphan = 0 }
		:: else
		fi;
		d_step {
			free_killed();
			put(object);
			destroyed[object] = 1;
			discarded_count = discarded_count + discarded;
			discarded = 0;
			destroyers--
		}
	fi
}

proctype quiet()
{
	timeout ->
	d_step {
		check();
		for (j : 0 .. CONSUMERS - 1) {
			check_quiet_consumer(j)
		}
		j = 0;
#ifdef POLLS
		assert(WAKE_UP || !polls || ready_count == 0);
#endif
		check_quiet_object(L);
		check_quiet_object(B);
		check_quiet_object(X);
		assert(destroyers == 0);
		assert(DEL_COUNT || posted_count == delivered_count + discarded_count + q[L].waiting +
						    q[B].waiting + q[X].waiting)
	}
}

init {
	atomic {
		q[L].context = OF_LISTENER;
		q[X].context = OF_X;
		published[L] = 1;
		published[X] = 1;
		refs[L] = 1;
		refs[X] = 1;
		run quiet();
		run producer();
#ifndef NO_ACKS
		run acker();
#endif
		for (i : 0 .. CONSUMERS - 1) {
			run consumer(i, TARGETS(i))
		}
		for (i : 0 .. OBJECTS - 1) {
			if
			:: IN(DESTROYS, i) -> run destroyer(i)
			:: else
			fi
		}
#ifdef SETS_CONTEXT
		run context_setter();
#endif
		i = 0
	}
}
