/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The steps of a call that takes events, as in take.c; see delivery.pml. */

/* ---- collect ----------------------------------------------------------------------------- */

/* Leaves in found whether the event was taken, in at whether one was left for want of room. */
inline take_one(c, asked, source)
{
	event = q[source].events[0];
	found = 0;
	if
	:: b[c].count >= MAX_EVENTS
	:: b[c].count < MAX_EVENTS && IN(SMALL, c) && OBJECT(event) == X -> at = 1
	:: else ->
		if
		:: OBJECT(event) != source ->
			skip;
#ifndef BREAK_BORN_WITHOUT_CONTEXT
			if
			:: !q[OBJECT(event)].context_set -> q[OBJECT(event)].context = q[source].context
			:: else
			fi
#endif
		:: else ->
			skip;
#ifndef BREAK_FORGET_THE_HOLD
			if
			:: asked == ANY && !IN(CONCURRENT, source) ->
				q[source].held = SEQUENCE(event);
#ifndef BREAK_ACKED_BEFORE_TAKEN
				/* It was put back when a later one was acknowledged already. */
				q[source].acked = (q[source].acked < SEQUENCE(event) ->
						   q[source].acked : SEQUENCE(event) - 1)
#endif
			:: else
			fi
#endif
		fi;
		check_taken(c, asked, event);
		list_del_first(source);
		b[c].events[b[c].count] = event;
		b[c].count++;
		found = 1
	fi;
	event = 0
}

inline collect_target(c, named)
{
	found = 1;
	do
	:: found && q[named].waiting > 0 -> take_one(c, named, named)
	:: else -> break
	od;
	queue_refresh(named)
}

inline collect_any(c)
{
	found = 1;
	do
	:: found && ready_count > 0 ->
		src = ready[0];
		take_one(c, ANY, src);
		if
		:: found && q[src].waiting == 0 ->
			ready_del(src);
			found = 1
		:: found && q[src].waiting > 0 ->
			skip;
#ifndef BREAK_SERVED_STAYS_FIRST
			served[src] = 0;
			for (k : 1 .. ready_count - 1) {
				ready[k - 1] = ready[k]
			}
			ready[ready_count - 1] = src;
			k = 0
#endif
		:: else
		fi
	:: else -> break
	od;
	src = 0;
	for (j : 0 .. b[c].count - 1) {
		queue_refresh(SOURCE(b[c].events[j]))
	}
	j = 0;
#ifndef BREAK_NO_CHAIN_WAKE
	if
	:: ready_count > 0 -> wake_consumer()
	:: else
	fi
#endif
}

inline collect(c, target, ret)
{
	b[c].count = 0;
	at = 0;
	ret = EAGAIN;
	if
	:: target == ANY -> collect_any(c)
	:: target != ANY && q[target].dead -> ret = ESHUTDOWN
	:: else -> collect_target(c, target)
	fi;
	if
	:: b[c].count > 0 -> ret = TAKEN
	:: b[c].count == 0 && at -> ret = EMSGSIZE
	:: else
	fi;
	at = 0;
	found = 0;
	printf("consumer %d (of %d): collect: %d events, result %d\n", c, target, b[c].count, ret);
	/* From here on they hold their objects. */
	for (j : 0 .. b[c].count - 1) {
		event = b[c].events[j];
		if
		:: target == ANY && !IN(CONCURRENT, OBJECT(event)) ->
			unacked[OBJECT(event)] = unacked[OBJECT(event)] | BIT(SEQUENCE(event))
		:: else
		fi
	}
	j = 0;
	event = 0;
	check()
}

/* ---- wait -------------------------------------------------------------------------------- */

inline target_begin(c, target)
{
	printf("consumer %d: target begin\n", c);
	waits[c] = 1;
#ifndef BREAK_TARGETED_IS_NOT_RESERVED
	q[target].targeted++;
#endif
	queue_refresh(target);
	check()
}

inline target_end(c, target)
{
	printf("consumer %d: target end\n", c);
	waits[c] = 0;
#ifndef BREAK_TARGETED_IS_NOT_RESERVED
	q[target].targeted--;
#endif
#ifndef BREAK_TARGET_END_DOES_NOT_REFRESH
	queue_refresh(target);
#endif
	check()
}

/* A wake-up may have met this call when it had looked already. */
inline wake_next()
{
	skip;
#ifndef BREAK_LEAVE_WITH_THE_WAKE
	if
	:: ready_count > 0 -> wake_consumer()
	:: else
	fi
#endif
}

/* ---- commit, undo ------------------------------------------------------------------------ */

inline delivered_to_program(e)
{
	if
	:: IS_BIRTH(e) -> published[B] = 1
	:: else
	fi;
	assert(EV_NOLOSS || !(delivered[OBJECT(e)] & BIT(SEQUENCE(e))));
	/* Calls that name an object may overtake one another between collect and commit. */
	assert(EV_FIFO || is_named(OBJECT(e)) || delivered[OBJECT(e)] < BIT(SEQUENCE(e)));
	delivered[OBJECT(e)] = delivered[OBJECT(e)] | BIT(SEQUENCE(e));
	delivered_count++;
	assert(DEL_SILENT || !destroyed[OBJECT(e)] && !destroyed[SOURCE(e)])
}

inline commit(c, ret)
{
	printf("consumer %d: commit\n", c);
	count = b[c].count;
	b[c].count = 0;
	for (j : 0 .. count - 1) {
		event = b[c].events[j];
		b[c].events[j] = 0;
		if
#ifndef BREAK_COMMIT_DOES_NOT_LOOK_AGAIN
		:: is_dead(event) -> queued_free(event)
#endif
		:: else ->
			b[c].events[b[c].count] = event;
			b[c].count++
		fi
	}
	if
	:: b[c].count == 0 -> ret = DIED
	:: b[c].count > 0 && b[c].count < count -> ret = PARTLY_DIED
	:: else ->
		ret = TAKEN;
		for (j : 0 .. b[c].count - 1) {
			event = b[c].events[j];
			delivered_to_program(event);
			queued_free(event);
			b[c].events[j] = 0
		}
		b[c].count = 0
	fi;
	j = 0;
	event = 0;
	count = 0;
	check()
}

#ifdef BREAK_UNDO_FORGETS_THE_NEXT_HOLD
#define is_own_hold(o, e)	1
#else
#define is_own_hold(o, e)	(q[o].held == SEQUENCE(e))
#endif

/* Back to its place in the order: other calls may have taken, or put back, its neighbours. */
inline put_back(o, e, was_any)
{
	at = 0;
#ifndef BREAK_UNDO_AT_THE_HEAD
	do
	:: at < q[o].waiting && !(OBJECT(q[o].events[at]) == OBJECT(e) &&
				  SEQUENCE(q[o].events[at]) > SEQUENCE(e)) -> at++
	:: else -> break
	od;
#endif
#ifdef BREAK_UNDO_AT_THE_TAIL
	at = q[o].waiting;
#endif
	list_add_at(o, at, e);
	at = 0;
	if
	:: OBJECT(e) == o && was_any && !IN(CONCURRENT, o) && is_own_hold(o, e) ->
		q[o].held = q[o].acked
	:: else
	fi
}

inline undo(c, target)
{
	printf("consumer %d: undo\n", c);
	count = b[c].count;
	b[c].count = 0;
	for (j : 1 .. count) {
		event = b[c].events[count - j];
		b[c].events[count - j] = 0;
		src = SOURCE(event);
		if
		:: is_dead(event) -> queued_free(event)
		:: else ->
			put_back(src, event, target == ANY);
			undone_late[OBJECT(event)] = undone_late[OBJECT(event)] ||
						     taken[OBJECT(event)] > SEQUENCE(event);
			taken[OBJECT(event)] = SEQUENCE(event) - 1;
			if
			:: !IS_BIRTH(event) -> unacked[src] = unacked[src] & ~BIT(SEQUENCE(event))
			:: else
			fi;
			queue_refresh(src)
		fi
	}
	j = 0;
	event = 0;
	src = 0;
	count = 0;
	/* Only a call that names the object can have taken a later event meanwhile. */
	assert(EV_FIFO || !undone_late[L] && (!undone_late[X] || is_named(X)) &&
	       (!undone_late[B] || is_named(B)));
	check()
}
