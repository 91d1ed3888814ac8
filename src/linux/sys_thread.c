/* System calls on threads: creating, ending, giving way. */
#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <string.h>

#include "base/bits.h"
#include "linux/syscall.h"

#define STACK_MOST_BYTES (UINT64_C(1) << 30) /* a larger one is not looked for */

/* Threads libraries give each thread a mapping of its own, with a page that allows no access below
 * the stack. A stack without one may have something else below it. */
static void find_stack(const struct memory *memory, struct thread *thread)
{
	const uint64_t high = thread->hart.r[REG_SP];
	uint64_t low = bits_align_down(high, GUEST_PAGE_BYTES);

	while (high - low < STACK_MOST_BYTES && low && memory_allows(memory, low - 1, PAGE_WRITE))
		low -= GUEST_PAGE_BYTES;
	if (!low || !memory_allows(memory, low - 1, PAGE_MAPPED) ||
	    memory_allows(memory, low - 1, PAGE_PROTECTION))
		return;
	thread->stack_low = low;
	thread->stack_high = high;
}

int64_t sys_clone(struct process *process, const uint64_t argument[6])
{
	const uint64_t needed = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
	uint64_t flags = argument[0];
	uint32_t tid;

	if ((flags & needed) != needed) {
		char where[256];

		process_describe_pc(process, process->cpu.hart.pc, where, sizeof(where));
		if (!process->warned_fork)
			process_warn(
				process,
				"%s at %s: the program asked for a second process, which is not "
				"simulated: answered ENOSYS",
				flags & CLONE_VFORK ? "vfork" : "fork", where);
		process->warned_fork = true;
		process->unknown_calls++;
		return -ENOSYS;
	}
	const uint64_t known = needed | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SETTLS |
			       CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID |
			       CLONE_DETACHED | CSIGNAL;
	if (flags & ~known)
		return -EINVAL;
	struct thread *thread = thread_add(process);
	if (!thread)
		return -EAGAIN;
	tid = (uint32_t)thread->tid;
	thread->hart = process->cpu.hart;
	thread->hart.pc += 4;
	thread->hart.r[REG_A0] = 0;
	thread->hart.reservation = NO_RESERVATION;
	if (argument[1]) {
		thread->hart.r[REG_SP] = argument[1];
		find_stack(&process->memory, thread);
	}
	if (flags & CLONE_SETTLS)
		thread->hart.r[REG_TP] = argument[3];
	thread->signal_mask = process->current->signal_mask;
	if (flags & CLONE_CHILD_CLEARTID)
		thread->clear_tid = argument[4];
	if (flags & CLONE_PARENT_SETTID)
		memory_write(&process->memory, argument[2], &tid, sizeof(tid));
	if (flags & CLONE_CHILD_SETTID)
		memory_write(&process->memory, argument[4], &tid, sizeof(tid));
	return (int64_t)tid;
}

static int64_t refuse_exec(struct process *process)
{
	char where[256];

	process_describe_pc(process, process->cpu.hart.pc, where, sizeof(where));
	if (!process->warned_exec)
		process_warn(process,
			     "exec at %s: the program asked to become another one, which is not "
			     "simulated: answered ENOSYS",
			     where);
	process->warned_exec = true;
	process->unknown_calls++;
	return -ENOSYS;
}

int64_t sys_execve(struct process *process, const uint64_t argument[6])
{
	(void)argument;
	return refuse_exec(process);
}

int64_t sys_execveat(struct process *process, const uint64_t argument[6])
{
	(void)argument;
	return refuse_exec(process);
}

int64_t sys_wait4(struct process *process, const uint64_t argument[6])
{
	(void)process, (void)argument;
	return -ECHILD;
}

int64_t sys_exit(struct process *process, const uint64_t argument[6])
{
	size_t alive = 0;

	for (size_t i = 0; i < process->thread_count; i++)
		alive += process->threads[i]->state != THREAD_DEAD;
	if (alive == 1) {
		process->state = PROCESS_EXITED;
		process->status = (int)(argument[0] & 255);
	} else {
		thread_exit_current(process);
	}
	return SYSCALL_NO_RESULT;
}

int64_t sys_exit_group(struct process *process, const uint64_t argument[6])
{
	process->state = PROCESS_EXITED;
	process->status = (int)(argument[0] & 255);
	return SYSCALL_NO_RESULT;
}

int64_t sys_set_tid_address(struct process *process, const uint64_t argument[6])
{
	process->current->clear_tid = argument[0];
	return process->current->tid;
}

int64_t sys_set_robust_list(struct process *process, const uint64_t argument[6])
{
	if (argument[1] != 24)
		return -EINVAL;
	process->current->robust_list = argument[0];
	return 0;
}

int64_t sys_get_robust_list(struct process *process, const uint64_t argument[6])
{
	const uint64_t bytes = 24;

	if (argument[0] && (int)argument[0] != process->current->tid)
		return -ESRCH;
	if (!memory_write(&process->memory, argument[1], &process->current->robust_list, 8) ||
	    !memory_write(&process->memory, argument[2], &bytes, 8))
		return -EFAULT;
	return 0;
}

int64_t sys_sched_yield(struct process *process, const uint64_t argument[6])
{
	(void)argument;
	process->slice_ends = process->cpu.instructions;
	return 0;
}

int64_t sys_membarrier(struct process *process, const uint64_t argument[6])
{
	const int64_t supported = MEMBARRIER_CMD_GLOBAL | MEMBARRIER_CMD_PRIVATE_EXPEDITED |
				  MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;

	(void)process; /* there is one core, so threads always see memory in order */
	if (argument[0] == MEMBARRIER_CMD_QUERY)
		return supported;
	return (int64_t)argument[0] & ~supported ? -EINVAL : 0;
}
