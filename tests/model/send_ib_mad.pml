/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Sends through ib_mad, as in gsi.c, and ib_mad as it is seen from there; see send.pml. */

#ifndef OVER_IB_MAD

/* The hardware lets go of a try by itself. */
inline send_abandon(n)
{
	skip
}

#else

#define is_unwanted(n)	(sends[n].state == DONE || sends[n].try_over)

/* ib_cancel_mad() of what ib_mad does not have finds nothing. */
inline ib_cancel_mad(n)
{
	if
	:: sends[n].held ->
		sends[n].abandoned = 1;
		/* In the middle of a post it loses count of its references. */
		sends[n].forgotten = sends[n].forgotten || sends[n].gsi_posting
	:: else
	fi
}

inline send_abandon(n)
{
	if
#ifdef BREAK_ABANDONS_WHILE_POSTING
	:: sends[n].in_hardware -> ib_cancel_mad(n)
#else
	:: sends[n].in_hardware && !sends[n].gsi_posting -> ib_cancel_mad(n)
#endif
	:: else
	fi
}

/* Leaves in n what is to be posted, or ALL; in refused, that it is not wanted any more. */
inline next_to_post(n, refused)
{
	n = ALL;
	for (k : 0 .. SENDS - 1) {
		if
		:: n == ALL && IN(to_post, k) -> n = k
		:: else
		fi
	}
	k = 0;
	if
	:: n != ALL ->
		check_touched(n);
		to_post = to_post & ~(1 << n);
#ifndef BREAK_WORK_HAS_NO_REFERENCE
		send_get(n);
#endif
		refused = is_unwanted(n);
		sends[n].gsi_posting = !refused
	:: else
	fi
}

inline ib_post_send_mad(n)
{
	check_touched(n);
	assert(MAD_TRIES || !sends[n].held);
	sends[n].held = 1;
	sends[n].was_sent = 1
}

inline posted_unlocked(n)
{
	check_touched(n);
	sends[n].gsi_posting = 0;
	if
#ifndef BREAK_WORK_DOES_NOT_LOOK_AFTERWARDS
	:: sends[n].in_hardware && is_unwanted(n) -> send_abandon(n)
#endif
	:: else
	fi
}

/* Over SMPs ib_mad may sleep, so the lock is not held while it is given a try. */
proctype post_work()
{
	byte n = ALL;
	bit refused;

end_work:
	do
	:: d_step { n == ALL && to_post != 0 -> check_port(); next_to_post(n, refused) }
	:: n != ALL ->
		if
		:: refused
		:: !refused -> d_step { ib_post_send_mad(n) };
			d_step { posted_unlocked(n); check() }
		:: d_step { !refused && failures > 0 -> failures--; refused = 1 };
			d_step { sends[n].gsi_posting = 0 }
		fi;
		if
		:: d_step { refused -> send_sent(n, ERROR); refused = 0; check() }
		:: else
		fi;
		d_step {
			check_port();
#ifndef BREAK_WORK_HAS_NO_REFERENCE
			send_put(n);
#endif
			next_to_post(n, refused);
			check()
		}
	od
}

/* It finds responses by itself, and drops those that are late. */
inline send_answered(n)
{
	check_port();
	check_touched(n);
	sends[n].responded = TOLD;
	if
	:: sends[n].state != DONE && send_fits(n) -> send_complete(n, RESPONDED)
	:: else
	fi
}

#define has_try(n)	(sends[n].held && !sends[n].forgotten && sends[n].responded == 0)

/* A try without response ends by itself; one that waits for it when it is abandoned. */
#define ends(n)		(IN(NO_RESPONSE, n) || sends[n].abandoned || failures > 0)

proctype ib_mad(byte n)
{
	bit lost;
	byte status;

end_ib_mad:
	do
	:: atomic {
		has_try(n) && ends(n) || sends[n].responded == TOLD ->
		if
		:: sends[n].responded == TOLD
		:: has_try(n) && IN(NO_RESPONSE, n) && !sends[n].abandoned
		:: has_try(n) && sends[n].abandoned -> status = FLUSH_ERROR
		:: has_try(n) && failures > 0 ->
			failures--;
			status = ERROR
		fi;
		d_step { send_sent(n, status); status = SUCCESS; lost = 0; check() } }
	:: has_try(n) && !IN(NO_RESPONSE, n) && !lost -> lost = 1
	:: d_step { has_try(n) && !IN(NO_RESPONSE, n) && !lost -> sends[n].responded = FOUND }
	:: d_step { sends[n].responded == FOUND -> send_answered(n); check() }
	od
}

#endif
