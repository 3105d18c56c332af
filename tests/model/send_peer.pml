/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Where sends go and what they leave from, as in peer.c, port.c and ud.c; see send.pml. */

/* ---- the peer ---------------------------------------------------------------------------- */

/* ucmad_peer_find() and ucmad_peer_use() */
inline peer_use()
{
	check_port();
	if
	:: peer_sends == 0 && stale ->
		/* It is forgotten. */
		stale = 0;
		peer_state = PEER_FAILED
	:: else
	fi;
	peer_sends++;
	if
	:: peer_state == PEER_FAILED ->
		peer_state = PEER_RESOLVING;
		resolving = 1
	:: else
	fi
}

inline peer_put()
{
	assert(MAD_REF || peer_sends > 0);
	peer_sends--
}

inline peer_refresh()
{
	turn = peer_state == PEER_READY && peer_queue.length > 0 && window_used < WINDOW;
	window_timer_pending = window_timer_pending ||
			       peer_state == PEER_READY && peer_queue.length > 0 && window_used >= WINDOW
}

inline peer_resolved(is_found)
{
	check_port();
	resolving = 0;
	if
	:: is_found ->
		peer_state = PEER_READY;
		peer_refresh();
#ifndef BREAK_RESOLVED_DOES_NOT_PUMP
		channel_pump()
#endif
	:: else ->
		peer_state = PEER_FAILED;
		do
		:: peer_queue.length > 0 ->
			p = peer_queue.at[0];
			send_complete(p, NOT_FOUND)
		:: else -> break
		od;
		p = 0
	fi
}

inline window_enter(n)
{
	sends[n].in_window = 1;
	window_used++
}

inline window_leave(n)
{
	if
	:: sends[n].in_window ->
		sends[n].in_window = 0;
		window_used--
	:: else
	fi
}

/* As if all in it were too old: who has time-outs of its own does not depend on when. */
inline window_expired()
{
	check_port();
	window_timer_pending = 0;
	for (k : 0 .. SENDS - 1) {
		window_leave(k)
	}
	k = 0;
	peer_refresh();
	channel_pump()
}

/* ---- the channel ------------------------------------------------------------------------- */

inline channel_post(n)
{
#ifdef OVER_IB_MAD
	assert(MAD_TRIES || !IN(to_post, n));
	to_post = to_post | 1 << n
#else
	assert(MAD_TRIES || !sends[n].held);
	sends[n].held = 1;
	sends[n].was_sent = 1
#endif
}

inline channel_pump()
{
	do
	:: posted < depth && turn ->
		turn = 0;
		p = peer_queue.at[0];
		if
		:: broken ->
			check_refused();
			send_complete(p, NOT_SENT)
#ifdef REFUSES
		:: !broken && post_fails ->
			post_fails = 0;
			send_complete(p, NOT_SENT)
#endif
		:: else ->
			channel_post(p);
			posted++;
			send_posted(p);
			peer_refresh()
		fi
	:: else -> break
	od;
	p = 0
}

/* After that the QP flushes whatever it is given, until it is repaired. */
inline ud_failed()
{
	broken = 1;
#ifndef BREAK_FAILED_QP_STAYS_IN_USE
	depth = 0
#endif
}

/* Nothing waits for a QP that cannot be repaired. */
inline ud_refuse()
{
	repair_failed = 1;
#ifndef BREAK_FAILED_REPAIR_LETS_THEM_WAIT
	depth = DEPTH;
#endif
	channel_pump()
}

/* In RESET, a QP forgets what it holds (IBTA 10.3.1). */
inline ud_repair()
{
	for (k : 0 .. SENDS - 1) {
		sends[k].held = 0
	}
	k = 0;
	qp_failed = 0;
	repair_failed = 0;
	broken = 0;
	depth = DEPTH;
	channel_pump()
}
