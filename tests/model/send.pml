/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * send.pml - the life of a send of a MAD agent, for an exhaustive search by spin
 *
 * A model of drivers/ucmad/send.c, and of what it needs of post.c, peer.c, port.c, ud.c, gsi.c and
 * agent.c. One agent with one peer; threads that post, cancel, set time-outs, take completions and
 * deregister; the hardware, timers, the search for the peer's address, and the removal of the
 * device. Fields and steps have the names that they have in the code, so that the two can be laid
 * side by side; whoever changes one changes the other.
 *
 * What is one step here is what is done in one holding of the port's lock there, or one operation
 * on a counter. Between two steps of a thread any other may run. Time is not counted: a timer that
 * runs may be over at once, or last, as long as anything else goes on.
 *
 * What is checked, and where (names of promises as in the contract, if they have a hyphen there):
 *
 *   at each step	MAD-ONE		no send is completed twice, and none for a wrong reason
 *			MAD-REF		nothing that still may touch a send is left when its memory
 *					is freed, and nothing touches it then; no reference is put twice
 *			MAD-CANCEL	what was there when a cancel was called is over when it ends
 *			MAD-PAIR	a response ends only what was sent
 *			MAD-DEREG	when deregister goes on, nothing of the agent is left, and nothing
 *					comes later
 *			MAD-SHARE	nothing is accepted during deregister; it counts what nobody took
 *			MAD_TRIES	no more tries than were asked for, all of them before a time-out,
 *					none before the hardware has let go of the last, none cut short
 *			MAD_LIMIT	no more sends without a taken completion than the agent may have
 *			MAD_ROOM	nothing waits for what there is room for
 *   when all is quiet	MAD-ONE		each accepted send was completed
 *			MAD-REF		and its memory is free
 *			MAD-CANCEL	no call waits, not even for hardware that has stalled
 *			MAD-DEREG	deregister has returned, unless the hardware has stalled
 *   by spin itself	no deadlock; with NP, nothing goes round and round
 *
 * A configuration is a set of macros, see below; tests/model/run has the list of those that are
 * searched. Each BREAK_* macro breaks one rule, and then the search must find a fault.
 *
 * Not in the model: whose turn it is among peers and agents, how peers are created and evicted,
 * RMPP, want of memory, and references to the agent as an object (see delivery.pml for these).
 */

/* ---- configuration ----------------------------------------------------------------------- */

/* Sets of sends, to be joined with +. */
#define FIRST		1
#define SECOND		2
#define THIRD		4

#ifndef SENDS
#define SENDS		2
#endif
/* Tries that are allowed after the first. */
#ifndef RETRIES
#define RETRIES		1
#endif
/* Which wait for no response, and so have no time-out and one try. */
#ifndef NO_RESPONSE
#define NO_RESPONSE	0
#endif
/* How often each send is responded to. */
#ifndef RESPONSES
#define RESPONSES	1
#endif
/* Which are cancelled by handle, by a thread each; how many threads cancel all. */
#ifndef CANCELS
#define CANCELS		0
#endif
#ifndef CANCELS_ALL
#define CANCELS_ALL	0
#endif
/* Whose time-out is set anew. */
#ifndef SETS
#define SETS		0
#endif
/* How often the hardware, or ib_mad, fails. Which sends it may never give back. */
#ifndef FAILURES
#define FAILURES	0
#endif
#ifndef STALLS
#define STALLS		0
#endif
/* Tries that the hardware holds at most; WAITING sends of the peer at most. */
#ifndef DEPTH
#define DEPTH		SENDS
#endif
#ifndef WINDOW
#define WINDOW		SENDS
#endif
/* What an agent may have outstanding. */
#ifndef MAX_IN_FLIGHT
#define MAX_IN_FLIGHT	SENDS
#endif
/*
 * Also: FAILS_FOR_EVER, the hardware may fail on each try; REPAIR_FAILS, its repair may fail, too, once or for
 * ever; UNREACHABLE, the peer may not be found; REFUSES, the driver may refuse a try; TAKES, completions are
 * taken, and posts admitted by how many were; DEREGISTERS; REMOVES, the device is removed; OVER_IB_MAD, ib_mad
 * is in the hardware's place.
 */

#define IN(set, n)	(((set) >> (n)) & 1)

#include "send_state.pml"
#include "send_promises.pml"
#include "send_peer.pml"
#include "send_life.pml"
#include "send_ib_mad.pml"

/* ---- calls of the program ---------------------------------------------------------------- */

/* ucmad_agent_hold(), or to the end of the call. */
inline agent_hold()
{
	if
#ifdef BREAK_HOLD_OF_THE_DEAD
	:: true -> holds++
#else
	:: holds > 0 -> holds++
	:: else -> goto out
#endif
	fi
}

proctype poster(byte n)
{
	bit accepted;

#ifdef TAKES
#ifdef BREAK_ADMITS_BY_A_LOOK
	(outstanding < MAX_IN_FLIGHT);
	outstanding++;
#else
	/* Who is refused may try again, and does so when there is a chance. */
again:
	(outstanding < MAX_IN_FLIGHT);
	d_step { outstanding++; accepted = outstanding <= MAX_IN_FLIGHT };
	if
	:: !accepted -> outstanding--; goto again
	:: else -> accepted = 0
	fi;
#endif
#endif
	atomic { agent_hold() };
	d_step { peer_use(); check() };
	d_step { send_queue(n, accepted); check() };
	if
	:: d_step { !accepted -> agent_release_hold() }
	:: else
	fi;
out:
	skip
}

/* UCMAD_IOCTL_MAD_CANCEL of one send, or of all. */
proctype canceller(byte target)
{
	byte left, there;

	atomic {
		agent_hold();
		d_step {
			calls++;
			for (k : 0 .. SENDS - 1) {
				there = there | sends[k].in_table << k
			}
			k = 0
		}
	};
	if
	:: target == ALL -> left = MAX_IN_FLIGHT
	:: else ->
#ifdef BREAK_CANCEL_WAITS_FOR_THE_HARDWARE
		(!sends[target].in_hardware);
#endif
		there = there & (1 << target);
		left = 1
	fi;
	cancel_each(target, CANCELLED);
	d_step {
		check_cancelled(there);
		there = 0;
		calls--;
		agent_release_hold()
	};
out:
	skip
}

proctype setter(byte n)
{
	atomic { agent_hold() };
	d_step { send_set_timeout(n); check() };
	d_step { agent_release_hold() };
out:
	skip
}

proctype taker()
{
end_taker:
	do
	:: waiting > 0 ->
#ifdef BREAK_ROOM_BEFORE_IT_IS_TAKEN
		d_step { waiting--; taken_count++ }
#else
		d_step { waiting--; taken_count++; outstanding-- }
#endif
	od
}

/* ---- deregister and removal -------------------------------------------------------------- */

/* It cancels the search for the peer's address, and deletes the timer of the window. */
inline agent_leave_port()
{
	resolving = 0;
	window_timer_pending = 0;
	left_port = 1
}

proctype teardown(bit is_removal)
{
	byte left, discarded;
	bit first;

	d_step {
		teardowns++;
		if
		:: !is_removal ->
			dead = 1;
			discarded = waiting;
			waiting = 0
		:: else
		fi
	};
#ifndef BREAK_CLOSES_AFTER_THE_FLUSH
	d_step { first = !closing; closing = 1; left = (first -> MAX_IN_FLIGHT : 0) };
	cancel_each(ALL, FLUSHED);
#else
	left = MAX_IN_FLIGHT;
	cancel_each(ALL, FLUSHED);
	d_step { first = !closing; closing = 1 };
#endif
	if
	:: first ->
		d_step { check_flushed(); agent_release_hold() };
#ifndef BREAK_DEREGISTER_DOES_NOT_WAIT
end_wait:
		(quiet_now);
#endif
		d_step { check_left(); agent_leave_port() }
	:: else ->
end_wait_for_the_other:
		(left_port)
	fi;
	d_step {
		if
		:: !is_removal -> check_discarded(discarded)
		:: else
		fi;
		discarded = 0;
		first = 0;
		teardowns--
	}
}

/* ---- what comes by itself ---------------------------------------------------------------- */

/*
 * The hardware: tries end in any order. Once it has failed, it flushes what it has; of the one that it has
 * failed on, too, it may say no more.
 */
proctype hardware(byte n)
{
	byte status;

end_hardware:
	do
	:: atomic {
		sends[n].held ->
		if
		:: qp_failed -> status = FLUSH_ERROR
		:: !qp_failed
		:: !qp_failed && failures > 0 ->
#ifndef FAILS_FOR_EVER
			failures--;
#endif
			qp_failed = 1;
			if
			:: status = ERROR
			:: status = FLUSH_ERROR
			fi
		fi;
		d_step { send_sent(n, status); status = SUCCESS; check() } }
	:: d_step { sends[n].held && IN(STALLS, n) && !stalled -> stalled = 1 };
end_stalled:
		false
	od
}

proctype repair()
{
end_repair:
	do
	:: broken ->
#ifndef BREAK_REPAIR_DOES_NOT_WAIT
end_repair_waits:
		(posted == 0);
#endif
		if
		:: d_step { ud_repair(); check() }
#ifdef REPAIR_FAILS
		:: d_step { ud_refuse(); check() }
		:: d_step { ud_refuse(); check() };
end_never_repaired:
			false
#endif
		fi
	od
}

/* A timer that is due is called, and then waits for the lock: meanwhile it may be started again. */
proctype timer(byte n)
{
end_timer:
	do
	:: d_step {
		sends[n].timer_pending && !sends[n].timer_running ->
		sends[n].timer_pending = 0;
		sends[n].timer_running = 1 }
	:: d_step { sends[n].timer_running -> send_timed_out(n); check() }
	od
}

proctype window_timer()
{
end_window_timer:
	do
	:: d_step { window_timer_pending -> window_expired(); check() }
	od
}

proctype resolver()
{
	bit is_found;

end_resolver:
	do
	:: atomic {
		resolving ->
		if
		:: is_found = 1
#ifdef UNREACHABLE
		:: skip
#endif
		fi;
		d_step { peer_resolved(is_found); is_found = 0; check() } }
	od
}

/* Whoever is on the wire: answers, answers again, late, before it was asked, or not at all. */
proctype responder(byte n)
{
	byte times;

end_responder:
	do
	:: times < RESPONSES -> times = RESPONSES
	:: d_step {
		times < RESPONSES && sends[n].state != UNBORN && !left_port ->
		times++;
		send_match(n);
		check() }
	od
}

/* The driver refuses the next try that it is given. */
proctype refuser()
{
end_refuser:
	post_fails = 1
}

proctype quiet()
{
	timeout ->
	d_step {
		check();
		check_quiet()
	}
}

init {
	atomic {
		holds = 1;
		depth = DEPTH;
		failures = FAILURES;
		peer_state = PEER_FAILED;
		run quiet();
		run resolver();
		run window_timer();
		for (i : 0 .. SENDS - 1) {
			sends[i].retries = (IN(NO_RESPONSE, i) -> 0 : RETRIES);
			run poster(i);
			run timer(i);
#ifdef OVER_IB_MAD
			run ib_mad(i);
#else
			run hardware(i);
			if
			:: RESPONSES > 0 -> run responder(i)
			:: else
			fi;
#endif
			if
			:: IN(CANCELS, i) -> run canceller(i)
			:: else
			fi;
			if
			:: IN(SETS, i) -> run setter(i)
			:: else
			fi;
			if
			:: i < CANCELS_ALL -> run canceller(ALL)
			:: else
			fi
		}
#ifdef OVER_IB_MAD
		run post_work();
#else
		run repair();
#endif
#ifdef REFUSES
		run refuser();
#endif
#ifdef TAKES
		run taker();
#endif
#ifdef DEREGISTERS
		run teardown(0);
#endif
#ifdef REMOVES
		run teardown(1);
#endif
		i = 0
	}
}
