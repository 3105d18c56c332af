/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What lasts as long as the module. */
#ifndef UCMAD_MAIN_H
#define UCMAD_MAIN_H

struct workqueue_struct;

extern struct workqueue_struct *ucmad_workqueue;

int ucmad_base_init(void);
void ucmad_base_exit(void);

#endif /* UCMAD_MAIN_H */
