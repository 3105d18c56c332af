/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a program does with CM IDs, by ioctls; and the file, device and CM that it does it with. */
#ifndef UCMAD_KUNIT_PROGRAM_H
#define UCMAD_KUNIT_PROGRAM_H

#include "fake_cm.h"
#include "fake_device.h"
#include "fixture.h"
#include "user.h"

/**
 * struct ucmad_program_op - An operation of a program.
 * @name: What tests call it.
 * @nr: Number of the ioctl.
 * @size: Size of its struct.
 * @fill: Makes a good one of a zeroed struct.
 */
struct ucmad_program_op {
	const char *name;
	unsigned int nr;
	u32 size;
	void (*fill)(union ucmad_cm_args *args);
};

/**
 * struct ucmad_program_event - An event as a program gets it.
 * @head: Its head.
 * @payload: Body and data; there is room for any.
 */
struct ucmad_program_event {
	struct ucmad_event head;
	u8 payload[512];
};

int ucmad_program_suite_init(struct kunit_suite *suite);
void ucmad_program_suite_exit(struct kunit_suite *suite);
int ucmad_program_init(struct kunit *test);
void ucmad_program_exit(struct kunit *test);

long ucmad_program_ioctl(struct kunit *test, unsigned int nr, void *args, u32 size);
u32 ucmad_program_id(struct kunit *test);
struct ucmad_cm *ucmad_program_cm(struct kunit *test, u32 handle);

const struct ucmad_program_op *ucmad_program_op(const char *name);
long ucmad_program_do(struct kunit *test, const struct ucmad_program_op *op, u32 handle,
		      union ucmad_cm_args *args);
long ucmad_program_op_on(struct kunit *test, const char *name, u32 handle);

long ucmad_program_destroy(struct kunit *test, u32 handle, u32 *discarded);
struct ucmad_cm_query ucmad_program_query(struct kunit *test, u32 handle);
long ucmad_program_take(struct kunit *test, u32 handle, struct ucmad_program_event *event);
u32 ucmad_program_ack(struct kunit *test, const struct ucmad_event *head);
bool ucmad_program_poll(struct kunit *test);

void ucmad_program_forget_calls(struct kunit *test);
void ucmad_program_expect_calls(struct kunit *test, const char *expected, const char *where);

#endif /* UCMAD_KUNIT_PROGRAM_H */
