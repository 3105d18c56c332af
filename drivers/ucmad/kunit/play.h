/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Connections, played by steps: what the program does, what the peer does, and what is seen of it.
 * A step is one of these words:
 *
 *   rep, rtu      the program does so, see program.c; rep=CONNRESET: and is told so
 *   REJ, RTU      the peer does so, or the CM by itself: state and handler; REQ=NOMEM: and the
 *                 handler refuses it so
 *   (REJ          the CM knows of it, but its handler is still to run ...
 *   REJ)          ... and now it runs
 *   +REJ          it happens in the middle of the next call of the CM, before it looks at it
 *   *REJ          likewise, after that has changed the state
 *   outcome:X     and the handler has said X to that
 *   >REJ          the program is given this event; >- none
 *   ack           it acknowledges that event
 *   destroy=2     it destroys the ID, and 2 events are discarded
 *   remove        the device goes away
 *   listener      from here on the program acts on this ID, of which others are born; or on the
 *   child         newest of those
 *   state:IDLE    it sees this state, error:TIMEDOUT this error, dropped:1 so many REQs dropped
 *   [rep,rtu]     the CM was asked for just these since it was looked at last
 *   fail:mra      from here on the CM fails in that for want of memory, works:mra not any more
 *   due           the timer of the patience runs, and is due now; later: the same, later
 *   quiet         it does not run
 *   found, lost   the search for the peer's MAC address is over
 *   +found        it is in the middle of being cancelled
 *   late          it is destroyed, and an operation that has found it just before does nothing
 */
#ifndef UCMAD_KUNIT_PLAY_H
#define UCMAD_KUNIT_PLAY_H

#include <kunit/test.h>

/**
 * struct ucmad_play_case - A case.
 * @name: Says it in words.
 * @steps: Lines of steps.
 */
struct ucmad_play_case {
	const char *name;
	const char *steps[5];
};

void ucmad_play_case_name(const struct ucmad_play_case *c, char *name);
void ucmad_play(struct kunit *test, const struct ucmad_play_case *c);

#endif /* UCMAD_KUNIT_PLAY_H */
