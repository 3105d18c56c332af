/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The life of a send, as in send.c; see send.pml. */

/* ---- timer ------------------------------------------------------------------------------- */

inline send_stop_timer(n)
{
	if
	:: sends[n].timer_pending ->
		sends[n].timer_pending = 0;
#ifndef BREAK_STOPPED_TIMER_KEEPS_ITS_REFERENCE
		send_put(n)
#endif
#ifdef BREAK_RUNNING_TIMER_GIVES_UP_ITS_REFERENCE
	:: !sends[n].timer_pending && sends[n].timer_running -> send_put(n)
#endif
	:: else
	fi
}

inline send_start_timer(n)
{
	if
#ifndef BREAK_RESTARTED_TIMER_GETS_ANOTHER_REFERENCE
	:: sends[n].timer_pending
#endif
	:: else ->
		sends[n].timer_pending = 1;
#ifndef BREAK_TIMER_HAS_NO_REFERENCE
		send_get(n)
#endif
	fi
}

/* ---- completion -------------------------------------------------------------------------- */

inline send_leave(n)
{
	if
	:: sends[n].state == QUEUED -> list_del(peer_queue, n)
	:: else -> window_leave(n)
	fi;
	peer_refresh()
}

inline send_complete(n, status)
{
	check_completion(n, status);
	send_leave(n);
	sends[n].state = DONE;
#ifndef BREAK_DONE_STAYS_IN_THE_TABLE
	sends[n].in_table = 0;
	list_del(live, n);
#endif
	send_abandon(n);
	sends[n].completions++;
	if
	:: dead ->
		skip;
#ifndef BREAK_FLUSHED_IS_NOT_COUNTED
		flushed++
#endif
	:: else -> waiting++
	fi;
#ifdef BREAK_ROOM_BEFORE_IT_IS_TAKEN
	outstanding--;
#endif
	send_stop_timer(n);
	send_put(n)
}

/* ---- tries ------------------------------------------------------------------------------- */

inline send_enqueue(n)
{
	sends[n].state = QUEUED;
	list_add_tail(peer_queue, n);
	peer_refresh()
}

inline send_requeue(n)
{
	window_leave(n);
	send_enqueue(n)
}

inline send_posted(n)
{
	list_del(peer_queue, n);
	sends[n].state = WAITING;
	window_enter(n);
	assert(MAD_TRIES || !sends[n].in_hardware);
	sends[n].in_hardware = 1;
	sends[n].tries++;
	check_tries(n);
#ifndef BREAK_HARDWARE_HAS_NO_REFERENCE
	send_get(n);
#endif
	if
	:: !IN(NO_RESPONSE, n) -> send_start_timer(n)
	:: else
	fi
}

inline send_end_try(n)
{
	/* It had its time, or the time that was set last. */
	assert(MAD_TRIES || !sends[n].timer_pending);
	if
	:: sends[n].retries > 0 ->
#ifndef BREAK_TRY_DOES_NOT_COUNT
		sends[n].retries--;
#endif
		send_requeue(n)
	:: else ->
		stale = 1;
		send_complete(n, TIMED_OUT)
	fi
}

inline send_take_back(n)
{
	send_stop_timer(n);
#ifndef BREAK_TRY_TAKEN_BACK_COUNTS
	sends[n].tries--;
#endif
	send_requeue(n)
}

inline send_returned(n, status)
{
	was_over = sends[n].try_over;
	sends[n].in_hardware = 0;
	sends[n].try_over = 0;
	if
#ifndef BREAK_HARDWARE_COMPLETES_WHAT_IS_DONE
	:: sends[n].state == DONE
#endif
	:: sends[n].state != DONE && was_over -> send_end_try(n)
	:: else ->
		if
#ifndef OVER_IB_MAD
		:: innocent -> send_take_back(n)
#endif
		:: status == SUCCESS && !IN(NO_RESPONSE, n)
		:: else ->
			stale = stale || status != SUCCESS;
			send_complete(n, (status == SUCCESS -> SENT : NOT_SENT))
		fi
	fi;
	was_over = 0
}

inline send_sent(n, status)
{
	check_port();
	check_touched(n);
	sends[n].held = 0;
	posted--;
#ifdef OVER_IB_MAD
	sends[n].abandoned = 0;
	sends[n].responded = 0;
#else
	if
	:: status != SUCCESS ->
#ifdef BREAK_THE_FIRST_IS_TAKEN_BACK
		innocent = status == FLUSH_ERROR;
#else
		innocent = broken && status == FLUSH_ERROR;
#endif
		ud_failed()
	:: else
	fi;
#endif
	send_returned(n, status);
	innocent = 0;
#ifndef BREAK_HARDWARE_HAS_NO_REFERENCE
	send_put(n);
#endif
#ifndef BREAK_SENT_DOES_NOT_PUMP
	channel_pump()
#endif
}

inline send_timed_out(n)
{
	check_port();
	check_touched(n);
	sends[n].timer_running = 0;
	if
#ifndef BREAK_TIME_OUT_IGNORES_THE_STATE
	:: sends[n].state != WAITING
#endif
#ifndef BREAK_TIME_OUT_IGNORES_A_NEW_ONE
	:: sends[n].state == WAITING && sends[n].timer_pending
#endif
	:: else ->
		if
#ifndef BREAK_TRY_IN_HARDWARE_IS_REPEATED
		:: sends[n].in_hardware && sends[n].retries > 0 ->
			sends[n].try_over = 1;
#ifndef BREAK_TRY_THAT_IS_OVER_IS_NOT_ABANDONED
			send_abandon(n)
#endif
#endif
		:: else -> send_end_try(n)
		fi
	fi;
#ifndef BREAK_TIMER_HAS_NO_REFERENCE
	send_put(n);
#endif
	channel_pump()
}

/* ---- post, response, cancel, time-out ---------------------------------------------------- */

inline send_queue(n, is_accepted)
{
	check_port();
	if
#ifndef BREAK_ACCEPTS_WHILE_CLOSING
	:: closing -> peer_put()
#endif
	:: else ->
		assert(MAD_SHARE || !closing);
		is_accepted = 1;
		accepted_count++;
		check_limit();
#ifdef BREAK_SEND_HAS_NO_HOLD
		agent_release_hold();
#endif
		sends[n].refs = 1;
		sends[n].in_table = 1;
		list_add_tail(live, n);
		send_enqueue(n);
		if
#ifndef BREAK_POST_IGNORES_A_FAILED_PEER
		:: peer_state == PEER_FAILED -> send_complete(n, NOT_FOUND)
#endif
		:: else -> channel_pump()
		fi
	fi
}

#ifdef BREAK_RESPONSE_BEFORE_ANY_TRY
#define send_fits(n)	(!IN(NO_RESPONSE, n))
#else
#define send_fits(n)	(sends[n].tries > 0 && !IN(NO_RESPONSE, n))
#endif

/* Of what fits nothing it only counts that it came. */
inline send_match(n)
{
	check_port();
	if
	:: sends[n].in_table && send_fits(n) ->
		check_touched(n);
		send_complete(n, RESPONDED);
#ifndef BREAK_RESPONSE_DOES_NOT_PUMP
		channel_pump()
#endif
	:: else
	fi
}

inline cancel_found(n, status)
{
	check_touched(n);
	send_complete(n, status);
#ifndef BREAK_CANCEL_DOES_NOT_PUMP
	channel_pump()
#endif
}

#ifdef BREAK_CANCEL_ALL_STARTS_WITH_THE_NEWEST
#define next_to_cancel	(live.length > 0 -> live.at[live.length - 1] : 0)
#else
#define next_to_cancel	(live.at[0])
#endif

#ifdef BREAK_CANCEL_LEAVES_WHAT_IS_SENT
#define is_to_cancel(n)	(sends[n].in_table && !sends[n].in_hardware)
#else
#define is_to_cancel(n)	(sends[n].in_table)
#endif

/*
 * One send, or all: as many as there can be when this is called, others may be posted meanwhile. The
 * caller has set left. Between any two of them the lock is free.
 */
inline cancel_each(target, status)
{
	do
	:: left > 0 ->
		d_step {
			check_port();
			left--;
			i = (target == ALL -> next_to_cancel : target);
			if
			:: is_to_cancel(i) -> cancel_found(i, status)
			:: else -> left = 0
			fi;
			i = 0;
			check()
		}
	:: else -> break
	od;
	skip	/* A break must not lead into a d_step. */
}

inline send_set_timeout(n)
{
	check_port();
	if
	:: sends[n].in_table && !IN(NO_RESPONSE, n) && sends[n].state == WAITING && !sends[n].try_over ->
		send_start_timer(n)
	:: else
	fi
}
