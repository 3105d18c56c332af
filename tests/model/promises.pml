/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the contract promises, as assertions; see delivery.pml. */

/* ---- invariants: hold whenever no lock is held ------------------------------------------- */

inline check_queue(o)
{
	assert(EV_POLL || is_ready(o) == should_be_ready(o));
	/* An "any" call would deliver what it takes here. */
	assert(EV_POLL || !is_ready(o) || !is_dead(q[o].events[0]));
	/* The queue is in order. */
	for (i : 1 .. q[o].waiting - 1) {
		assert(EV_FIFO || OBJECT(q[o].events[i - 1]) != OBJECT(q[o].events[i]) ||
		       SEQUENCE(q[o].events[i - 1]) < SEQUENCE(q[o].events[i]))
	}
	i = 0
}

inline check()
{
	check_queue(L);
	check_queue(B);
	check_queue(X)
}

/* ---- when an event is given out -------------------------------------------------------- */

/* What the contract says of an event that is given out. */
inline check_taken(c, target, e)
{
	assert(EV_FIFO || SEQUENCE(e) > taken[OBJECT(e)] || undone_late[OBJECT(e)]);
	printf("consumer %d takes %d.%d\n", c, OBJECT(e), SEQUENCE(e));
	taken[OBJECT(e)] = SEQUENCE(e);
	assert(EV_CONTEXT || OBJECT(e) != X || q[X].context == OF_X);
	assert(EV_CONTEXT || !IS_BIRTH(e) || q[B].context == q[L].context);
	assert(EV_CONTEXT || OBJECT(e) != B ||
	       (context_chosen -> q[B].context == CHOSEN :
				  q[B].context == OF_LISTENER || q[B].context == OF_LISTENER_TOO));
	if
	:: target == ANY ->
		/* What this very call has taken counts only when it ends. */
		assert(EV_ACCEPT || OBJECT(e) != B || IS_BIRTH(e) || !(unacked[B] & BIT(1)));
		assert(EV_SERIAL || IS_BIRTH(e) || IN(CONCURRENT, OBJECT(e)) ||
		       unacked[OBJECT(e)] == 0);
		/* After the ack of its REQ an ID has the context that came with the ack. */
		assert(EV_CONTEXT || OBJECT(e) != B || IS_BIRTH(e) || q[B].context == CHOSEN);
		for (k : 0 .. CONSUMERS - 1) {
			assert(EV_TARGET || !waits[k] || TARGETS(k) != SOURCE(e))
		}
		served[SOURCE(e)] = 0;
		for (k : 0 .. OBJECTS - 1) {
			if
			:: k != SOURCE(e) && is_ready(k) ->
				assert(EV_FAIR || !(served[k] & BIT(SOURCE(e))));
				served[k] = served[k] | BIT(SOURCE(e))
			:: else
			fi
		}
		k = 0
	:: else
	fi
}

/* ---- when nothing can happen any more ---------------------------------------------------- */

#define sleeps(c)	(interruptible[c])

inline check_quiet_consumer(c)
{
	assert(WAKE_UP || TARGETS(c) != ANY || !sleeps(c) || ready_count == 0);
	assert(WAKE_UP || TARGETS(c) == ANY || !sleeps(c) ||
	       !q[TARGETS(c)].dead && q[TARGETS(c)].waiting == 0);
	assert(b[c].count == 0)
}

inline check_quiet_object(o)
{
	/* References: the table (or it is kept for that), calls that sleep, events that wait. */
	count = !q[o].dead && (o != B || q[B].posted > 0);
	for (k : 0 .. CONSUMERS - 1) {
		count = count + (in_call[k] && TARGETS(k) == o)
	}
	for (m : 0 .. OBJECTS - 1) {
		for (k : 0 .. q[m].waiting - 1) {
			count = count + (OBJECT(q[m].events[k]) == o) +
				(SOURCE(q[m].events[k]) == o && OBJECT(q[m].events[k]) != o)
		}
	}
	assert(DEL_EXIT || refs[o] == count);
	/* No event of the living is lost. */
	count = 0;
	for (k : 0 .. OBJECTS * EVENTS - 1) {
		event = (k % EVENTS < q[k / EVENTS].waiting -> q[k / EVENTS].events[k % EVENTS] : 0);
		count = count + (event != 0 && OBJECT(event) == o)
	}
	for (k : 1 .. SEQUENCES) {
		count = count + ((delivered[o] & BIT(k)) != 0)
	}
	assert(EV_NOLOSS || q[o].dead || count == q[o].posted);
	count = 0;
	event = 0;
	k = 0;
	m = 0
}
