// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* See user.h. */
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>

#include "../file.h"
#include "user.h"

static struct task_struct *ucmad_user_task;
static unsigned long ucmad_user_base;

/**
 * ucmad_user_init - Called by a suite, before its tests.
 *
 * Return: 0, or an error, also if whoever runs the suite is no process.
 */
int ucmad_user_init(void)
{
	size_t size = UCMAD_USER_READABLE + SZ_4K;
	unsigned long base;

	if (!current->mm)
		return -ESRCH;
	base = vm_mmap(NULL, 0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(base))
		return base;
	ucmad_user_task = current;
	ucmad_user_base = base;
	base = vm_mmap(NULL, base, UCMAD_USER_END, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, 0);
	if (IS_ERR_VALUE(base) || vm_munmap(ucmad_user_base + UCMAD_USER_END, SZ_4K)) {
		ucmad_user_exit();
		return -ENOMEM;
	}
	return 0;
}

void ucmad_user_exit(void)
{
	vm_munmap(ucmad_user_base, UCMAD_USER_READABLE + SZ_4K);
	ucmad_user_task = NULL;
}

u64 ucmad_user_address(u32 offset)
{
	return ucmad_user_base + offset;
}

/* Also where the process itself can only read. */
int ucmad_user_write(u32 offset, const void *from, size_t size)
{
	int written = access_process_vm(ucmad_user_task, ucmad_user_address(offset), (void *)from,
					size, FOLL_WRITE | FOLL_FORCE);

	return written == size ? 0 : -EFAULT;
}

int ucmad_user_read(void *to, u32 offset, size_t size)
{
	int read = access_process_vm(ucmad_user_task, ucmad_user_address(offset), to, size, 0);

	return read == size ? 0 : -EFAULT;
}

/* With the struct where it is. */
long ucmad_user_ioctl_at(struct file *filp, unsigned int nr, u32 offset)
{
	long ret;

	kthread_use_mm(ucmad_user_task->mm);
	ret = ucmad_fops.unlocked_ioctl(filp, nr, ucmad_user_address(offset));
	kthread_unuse_mm(ucmad_user_task->mm);
	return ret;
}

/**
 * ucmad_user_ioctl - What a program does.
 * @filp: Its file.
 * @nr: Number of the ioctl.
 * @args: Its struct, of which the first member, the size, is set here. Out: what became of it.
 * @size: Size of the struct.
 *
 * Return: As the ioctl.
 */
long ucmad_user_ioctl(struct file *filp, unsigned int nr, void *args, u32 size)
{
	long ret;

	*(u32 *)args = size;
	if (ucmad_user_write(UCMAD_USER_ARG, args, size))
		return -EFAULT;
	ret = ucmad_user_ioctl_at(filp, nr, UCMAD_USER_ARG);
	if (ucmad_user_read(args, UCMAD_USER_ARG, size))
		return -EFAULT;
	return ret;
}
