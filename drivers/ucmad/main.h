/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What lasts as long as the module. */
#ifndef UCMAD_MAIN_H
#define UCMAD_MAIN_H

struct workqueue_struct;

extern struct workqueue_struct *ucmad_workqueue;

#endif /* UCMAD_MAIN_H */
