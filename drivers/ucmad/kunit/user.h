/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Memory of a program, so that suites can use the module as programs do: by ioctls.
 *
 * KUnit runs suites in the process that loads the module, and their tests in threads without memory
 * of user space; an ioctl here borrows that of the process, which waits.
 */
#ifndef UCMAD_KUNIT_USER_H
#define UCMAD_KUNIT_USER_H

#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/sizes.h>

/* What is where in it: structs of ioctls, then what they point to; behind it there is nothing. */
#define UCMAD_USER_ARG		0
#define UCMAD_USER_DATA		SZ_4K
#define UCMAD_USER_BUFFER	SZ_8K
#define UCMAD_USER_END		SZ_16K
/* Can only be read. */
#define UCMAD_USER_READABLE	(UCMAD_USER_END + SZ_4K)

int ucmad_user_init(void);
void ucmad_user_exit(void);

u64 ucmad_user_address(u32 offset);
int ucmad_user_write(u32 offset, const void *from, size_t size);
int ucmad_user_read(void *to, u32 offset, size_t size);

long ucmad_user_ioctl_at(struct file *filp, unsigned int nr, u32 offset);
long ucmad_user_ioctl(struct file *filp, unsigned int nr, void *args, u32 size);

#endif /* UCMAD_KUNIT_USER_H */
