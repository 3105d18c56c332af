/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A file, a device and agents at a port in memory, for the suites; and how what they do is seen. */
#ifndef UCMAD_KUNIT_FIXTURE_H
#define UCMAD_KUNIT_FIXTURE_H

#include <kunit/test.h>

#include "../device.h"
#include "../file.h"
#include "../mad.h"
#include "fake_cm.h"
#include "loop.h"

/**
 * struct ucmad_fixture - What a test has.
 * @file: The file of all objects.
 * @device: Their device; the test may end it and set this to NULL.
 * @loop: Their port.
 * @cm: Their CM, in suites of CM IDs.
 * @filp: The open file of a program, in suites that use the module by ioctls.
 * @sends: How many sends there were before.
 * @events: How many events.
 * @cm_ids: How many IDs of the CM.
 */
struct ucmad_fixture {
	struct ucmad_file *file;
	struct ucmad_device *device;
	struct ucmad_loop loop;
	struct ucmad_fake_cm cm;
	struct file *filp;
	long sends;
	long events;
	long cm_ids;
};

/**
 * struct ucmad_destroyer - A destroy under way in another thread, which may have to wait.
 * @work: The thread.
 * @file: The file, if it destroys an object ...
 * @handle: ... with this handle ...
 * @discarded: Out: ... how many events were discarded.
 * @device: The device, if it removes one.
 * @done: It has returned.
 */
struct ucmad_destroyer {
	struct work_struct work;
	struct ucmad_file *file;
	u32 handle;
	u32 discarded;
	struct ucmad_device *device;
	struct completion done;
};

int ucmad_fixture_suite_init(struct kunit_suite *suite);
void ucmad_fixture_suite_exit(struct kunit_suite *suite);
int ucmad_fixture_init(struct kunit *test);
void ucmad_fixture_exit(struct kunit *test);

struct ucmad_agent *ucmad_fixture_agent(struct kunit *test, u32 max_in_flight);
struct ucmad_mad_send ucmad_fixture_request(u16 dlid, u64 cookie);
void ucmad_fixture_fill(struct ucmad_send *send);
int ucmad_fixture_post(struct ucmad_agent *agent, const struct ucmad_mad_send *args, u32 *handle);
struct ucmad_send *ucmad_fixture_find(struct ucmad_agent *agent, u32 handle);

void ucmad_fixture_expire(struct kunit *test, struct timer_list *timer);
bool ucmad_fixture_take(struct ucmad_object *object, struct ucmad_event *head,
			struct ucmad_mad_completion *completion);
long ucmad_fixture_live_sends(struct kunit *test);
void ucmad_fixture_remove(struct kunit *test);

void ucmad_destroy_start(struct ucmad_destroyer *destroyer, struct ucmad_agent *agent);
void ucmad_remove_start(struct ucmad_destroyer *destroyer, struct kunit *test);
void ucmad_destroy_closed(struct kunit *test, struct ucmad_agent *agent);
void ucmad_destroy_finish(struct kunit *test, struct ucmad_destroyer *destroyer);

#endif /* UCMAD_KUNIT_FIXTURE_H */
