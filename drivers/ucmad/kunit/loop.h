/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A port in memory. What hardware, other ends and timers would do, and when, the test does, step by
 * step: latency is when, loss is not at all, duplication is twice, reordering is the other first.
 */
#ifndef UCMAD_KUNIT_LOOP_H
#define UCMAD_KUNIT_LOOP_H

#include "../mad.h"

#define UCMAD_LOOP_DEPTH 512

/**
 * struct ucmad_loop - The port.
 * @transport: Base.
 * @channel: The one channel, whatever the P_Key index.
 * @users: Who has it open.
 * @held: Tries that the hardware holds, oldest first; the port's lock.
 * @held_count: How many.
 * @posts: Tries that it was given, ever.
 * @prepared: Sends that are prepared.
 * @slow: Addresses are not found before the test says so.
 * @peer: The newest peer whose address is searched.
 * @releases: Peers that were forgotten, ever.
 * @open_error: What @open is to fail with, and so on. 0 to succeed.
 * @locate_error: See there.
 * @prepare_error: See there.
 * @post_error: See there.
 * @failures: How often the QP has failed.
 * @abandons: How often the hardware was told to hurry.
 * @preparing: Called in the middle of ucmad_send_start(), if set.
 */
struct ucmad_loop {
	struct ucmad_transport transport;
	struct ucmad_channel channel;
	u32 users;
	struct ucmad_send *held[UCMAD_LOOP_DEPTH];
	u32 held_count;
	u32 posts;
	u32 prepared;
	bool slow;
	struct ucmad_peer *peer;
	u32 releases;
	int open_error;
	int locate_error;
	int prepare_error;
	int post_error;
	u32 failures;
	u32 abandons;
	void (*preparing)(struct ucmad_send *send);
};

/**
 * struct ucmad_datagram - A MAD on its way back.
 * @wc: How it will arrive.
 * @mad: The MAD.
 */
struct ucmad_datagram {
	struct ib_wc wc;
	u8 mad[UCMAD_MAD_SIZE];
};

void ucmad_loop_init(struct ucmad_loop *loop);
void ucmad_loop_set_depth(struct ucmad_loop *loop, u32 depth);
void ucmad_loop_finish(struct ucmad_loop *loop, u32 nth, enum ib_wc_status status);
void ucmad_loop_finish_all(struct ucmad_loop *loop);
void ucmad_loop_answer(struct ucmad_send *send, struct ucmad_datagram *answer);
void ucmad_loop_deliver(struct ucmad_loop *loop, const struct ucmad_datagram *datagram);

#endif /* UCMAD_KUNIT_LOOP_H */
