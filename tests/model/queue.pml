/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Queues, as in event.c, and what is done with them in a holding of the lock; see delivery.pml. */

/* ---- wake-ups ---------------------------------------------------------------------------- */

/* Wakes the first exclusive waiter whose task is not running anyway, and takes it off the queue. */
inline wake_consumer()
{
#ifdef POLLS
	edge = 1;
#endif
	found = 0;
	for (k : 0 .. wait_count - 1) {
		if
		:: found -> wait[k - 1] = wait[k]
		:: !found && interruptible[wait[k]] ->
			printf("wake consumer %d\n", wait[k]);
			interruptible[wait[k]] = 0;
			found = 1
		:: else
		fi
	}
	if
	:: found ->
		wait_count--;
		wait[wait_count] = 0
	:: else
	fi;
	k = 0;
	found = 0
}

/* These waiters are not exclusive. */
inline wake_targeted(o)
{
	for (k : 0 .. CONSUMERS - 1) {
		if
		:: TARGETS(k) == o && on_wait[k] && interruptible[k] ->
			interruptible[k] = 0;
			on_wait[k] = 0
		:: else
		fi
	}
	k = 0
}

inline prepare_to_wait(c, target)
{
	printf("consumer %d: prepare to wait\n", c);
	if
	:: target != ANY -> on_wait[c] = 1
	:: else ->
		found = 0;
		for (k : 0 .. wait_count - 1) {
			found = found || wait[k] == c
		}
		if
		:: !found ->
			wait[wait_count] = c;
			wait_count++
		:: else
		fi;
		found = 0;
		k = 0
	fi;
	interruptible[c] = 1
}

inline finish_wait(c)
{
	printf("consumer %d: finish wait\n", c);
	interruptible[c] = 0;
	on_wait[c] = 0;
	found = 0;
	for (k : 0 .. wait_count - 1) {
		if
		:: found -> wait[k - 1] = wait[k]
		:: !found && wait[k] == c -> found = 1
		:: else
		fi
	}
	if
	:: found ->
		wait_count--;
		wait[wait_count] = 0
	:: else
	fi;
	k = 0;
	found = 0
}

/* ---- queues ------------------------------------------------------------------------------ */

inline ready_del(o)
{
	found = 0;
	for (k : 0 .. ready_count - 1) {
		if
		:: found -> ready[k - 1] = ready[k]
		:: !found && ready[k] == o -> found = 1
		:: else
		fi
	}
	if
	:: found ->
		ready_count--;
		ready[ready_count] = 0
	:: else
	fi;
	k = 0;
	found = 0;
	served[o] = 0
}

inline ready_add_tail(o)
{
	ready[ready_count] = o;
	ready_count++
}

#ifdef BREAK_WAKE_FOR_NOTHING
#define is_worth_waking(o)	1
#else
#define is_worth_waking(o)	(q[o].waiting > 0)
#endif

inline queue_refresh(o)
{
	if
	:: q[o].dead || q[o].waiting == 0 || q[o].targeted || q[o].acked < q[o].held ->
		ready_del(o);
		if
		:: q[o].targeted && is_worth_waking(o) -> wake_targeted(o)
		:: else
		fi
	:: else ->
		if
		:: !is_ready(o) ->
			ready_add_tail(o);
#ifndef BREAK_READY_WAKES_NOBODY
			wake_consumer()
#endif
		:: else
		fi
	fi
}

inline list_add_at(o, place, e)
{
	for (k : place .. q[o].waiting - 1) {
		q[o].events[q[o].waiting + place - k] = q[o].events[q[o].waiting + place - k - 1]
	}
	k = 0;
	q[o].events[place] = e;
	q[o].waiting++
}

inline list_del_first(o)
{
	for (k : 1 .. q[o].waiting - 1) {
		q[o].events[k - 1] = q[o].events[k]
	}
	k = 0;
	q[o].waiting--;
	q[o].events[q[o].waiting] = 0
}

inline queue_add(source, o)
{
	get(o);
	if
	:: source != o -> get(source)
	:: else
	fi;
	q[o].posted++;
	list_add_at(source, q[source].waiting, EVENT(o, q[o].posted));
	posted_count++;
	printf("post %d.%d on %d\n", o, q[o].posted, source);
	queue_refresh(source)
}

inline event_post(o)
{
	if
	:: !q[o].dead -> queue_add(o, o)
	:: else
	fi
}

inline event_post_birth()
{
	if
	:: !q[L].dead ->
		refs[B] = 1;	/* reserved; published when it is delivered */
#ifndef BREAK_BORN_FREE
		q[B].held = q[B].posted + 1;
#endif
		unacked[B] = BIT(1);
		queue_add(L, B)
	:: else
	fi
}

inline queue_ack(o, sequence)
{
	was_held = !q[o].dead && q[o].acked < q[o].held && sequence > q[o].acked &&
		   sequence <= q[o].posted;
	if
	:: was_held ->
		q[o].acked = (sequence < q[o].held -> sequence : q[o].held);
#ifndef BREAK_ACK_DOES_NOT_REFRESH
		queue_refresh(o)
#endif
	:: else
	fi;
	printf("ack %d.%d: held %d acked %d\n", o, sequence, q[o].held, q[o].acked);
	was_held = 0;
	/* An ack is cumulative. */
	unacked[o] = unacked[o] & ~(BIT(sequence + 1) - 1)
}

/* ---- kill -------------------------------------------------------------------------------- */

/* Counts in discarded; a new object is an orphan. */
inline queue_discard(o, e)
{
	if
	:: SOURCE(e) == o ->
		discarded++;
		orphan = orphan || OBJECT(e) != o
	:: else
	fi
}

/* Keeps in killed what waited, to be freed later. */
inline queue_kill(o)
{
	printf("kill %d\n", o);
	q[o].dead = 1;
	for (j : 0 .. q[o].waiting - 1) {
		event = q[o].events[j];
		queue_discard(o, event);
		killed[killed_count] = event;
		killed_count++;
		q[o].events[j] = 0
	}
#ifndef BREAK_KILL_IGNORES_BATCHES
	for (m : 0 .. CONSUMERS - 1) {
		for (j : 0 .. b[m].count - 1) {
			event = b[m].events[j];
			queue_discard(o, event)
		}
	}
	m = 0;
#endif
	j = 0;
	event = 0;
	q[o].waiting = 0;
	unacked[o] = 0;
	queue_refresh(o);
#ifndef BREAK_KILL_WAKES_NOBODY
	wake_targeted(o);
#endif
	check()
}

inline free_killed()
{
	for (j : 0 .. killed_count - 1) {
		event = killed[j];
		queued_free(event);
		killed[j] = 0
	}
	j = 0;
	event = 0;
	killed_count = 0
}
