/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * An RDMA device that can do nothing but be asked what it is: the RDMA core keeps its GIDs, and
 * counts who uses them. It has no verbs, so neither ib_cm nor the module's own client comes to it.
 */
#ifndef UCMAD_KUNIT_FAKE_DEVICE_H
#define UCMAD_KUNIT_FAKE_DEVICE_H

#include <rdma/ib_verbs.h>

enum ucmad_fake_port {
	UCMAD_FAKE_PORT_IB = 1,
	UCMAD_FAKE_PORT_ROCE = 2,
	UCMAD_FAKE_PORT_NO_CM = 3,
	UCMAD_FAKE_PORTS = UCMAD_FAKE_PORT_NO_CM,
};

/* Each port has GIDs at these; on RoCE they are of the two versions, and equal. */
#define UCMAD_FAKE_GID		0
#define UCMAD_FAKE_OTHER_GID	1
#define UCMAD_FAKE_NO_GID	7

/* Set while a suite has one. */
extern struct ib_device *ucmad_fake_device;

int ucmad_fake_device_init(void);
void ucmad_fake_device_exit(void);

#endif /* UCMAD_KUNIT_FAKE_DEVICE_H */
