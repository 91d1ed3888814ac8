/* System calls on threads: creating, ending, waiting for each other, sleeping. */
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "linux/syscall.h"

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
	if (argument[1])
		thread->hart.r[REG_SP] = argument[1];
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

/* Reads a timespec into nanoseconds; a negative errno if it is not one. */
static int read_timespec(struct process *process, uint64_t address, uint64_t *ns)
{
	int64_t time[2];

	if (!memory_read(&process->memory, time, address, sizeof(time)))
		return -EFAULT;
	if (time[0] < 0 || time[1] < 0 || time[1] >= 1000000000)
		return -EINVAL;
	*ns = time[0] >= INT64_C(9000000000) ? NEVER_NS - 1
					     : (uint64_t)time[0] * 1000000000 + (uint64_t)time[1];
	return 0;
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	return a > NEVER_NS - 1 - b ? NEVER_NS - 1 : a + b;
}

static int64_t sleep_until(struct process *process, uint64_t wake_at_ns, uint64_t remain_address)
{
	process->current->remain_address = remain_address;
	process->current->state = THREAD_SLEEP;
	process->current->wake_at_ns = wake_at_ns;
	return 0;
}

int64_t sys_nanosleep(struct process *process, const uint64_t argument[6])
{
	uint64_t ns;
	int failed = read_timespec(process, argument[0], &ns);

	return failed ? failed
		      : sleep_until(process, add_saturating(process_now_ns(process), ns),
				    argument[1]);
}

/* The wall clock shows the virtual time since this date: 2000-01-01 00:00 UTC. */
#define EPOCH_SECONDS 946684800

int64_t sys_clock_nanosleep(struct process *process, const uint64_t argument[6])
{
	uint64_t ns, now = process_now_ns(process);

	if (argument[0] > CLOCK_TAI || argument[0] == CLOCK_THREAD_CPUTIME_ID)
		return -EINVAL;
	int failed = read_timespec(process, argument[2], &ns);
	if (failed)
		return failed;
	if (!(argument[1] & TIMER_ABSTIME))
		return sleep_until(process, add_saturating(now, ns), argument[3]);
	if (argument[0] == CLOCK_REALTIME || argument[0] == CLOCK_TAI)
		ns = ns > EPOCH_SECONDS * UINT64_C(1000000000)
			     ? ns - EPOCH_SECONDS * UINT64_C(1000000000)
			     : 0;
	return ns > now ? sleep_until(process, ns, 0) : 0;
}

static int64_t write_time(struct process *process, uint64_t address, uint64_t ns, bool is_wall,
			  int64_t unit_ns)
{
	int64_t time[2] = {(int64_t)(ns / 1000000000) + (is_wall ? EPOCH_SECONDS : 0),
			   (int64_t)(ns % 1000000000) / unit_ns};

	return memory_write(&process->memory, address, time, sizeof(time)) ? 0 : -EFAULT;
}

int64_t sys_clock_gettime(struct process *process, const uint64_t argument[6])
{
	int32_t clock = (int32_t)argument[0];
	uint64_t ns = process_now_ns(process);

	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI: return write_time(process, argument[1], ns, true, 1);
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME: return write_time(process, argument[1], ns, false, 1);
	case CLOCK_PROCESS_CPUTIME_ID:
		return write_time(process, argument[1], process->cpu.instructions, false, 1);
	default:
		if (clock > CLOCK_TAI)
			return -EINVAL;
		process_charge_thread(process);
		return write_time(process, argument[1], process->current->instructions, false, 1);
	}
}

int64_t sys_clock_getres(struct process *process, const uint64_t argument[6])
{
	if ((int32_t)argument[0] > CLOCK_TAI)
		return -EINVAL;
	return argument[1] ? write_time(process, argument[1], 1, false, 1) : 0;
}

int64_t sys_gettimeofday(struct process *process, const uint64_t argument[6])
{
	const int32_t zone[2] = {0, 0};

	if (argument[1] && !memory_write(&process->memory, argument[1], zone, sizeof(zone)))
		return -EFAULT;
	return argument[0] ? write_time(process, argument[0], process_now_ns(process), true, 1000)
			   : 0;
}

static int64_t futex_wait(struct process *process, uint64_t address, uint32_t expected,
			  uint64_t wake_at_ns, uint32_t bitset)
{
	struct thread *thread = process->current;
	uint32_t word;

	if (!bitset)
		return -EINVAL;
	if (!memory_read(&process->memory, &word, address, 4))
		return -EFAULT;
	if (word != expected)
		return -EAGAIN;
	thread->state = THREAD_FUTEX;
	thread->futex_address = address;
	thread->futex_bitset = bitset;
	thread->wake_at_ns = wake_at_ns;
	return 0;
}

static int64_t futex_requeue(struct process *process, const uint64_t argument[6])
{
	uint32_t moved = 0, limit = (uint32_t)argument[3];
	int woken = thread_futex_wake(process, argument[0], (uint32_t)argument[2], UINT32_MAX);

	for (size_t i = 0; i < process->thread_count && moved < limit; i++) {
		struct thread *thread = process->threads[i];

		if (thread->state == THREAD_FUTEX && thread->futex_address == argument[0]) {
			thread->futex_address = argument[4];
			moved++;
		}
	}
	return woken + (int64_t)moved;
}

static int64_t futex_wake_op(struct process *process, const uint64_t argument[6])
{
	uint32_t how = (uint32_t)argument[5], old, value;
	int32_t operand = (int32_t)(how << 8) >> 20, compared = (int32_t)(how << 20) >> 20;
	bool holds;

	if (argument[4] % 4)
		return -EINVAL;
	if (!memory_read(&process->memory, &old, argument[4], 4))
		return -EFAULT;
	if (how >> 28 & FUTEX_OP_OPARG_SHIFT)
		operand = (int32_t)(UINT32_C(1) << (operand & 31));
	switch (how >> 28 & 7) {
	case FUTEX_OP_SET: value = (uint32_t)operand; break;
	case FUTEX_OP_ADD: value = old + (uint32_t)operand; break;
	case FUTEX_OP_OR: value = old | (uint32_t)operand; break;
	case FUTEX_OP_ANDN: value = old & ~(uint32_t)operand; break;
	case FUTEX_OP_XOR: value = old ^ (uint32_t)operand; break;
	default: return -ENOSYS;
	}
	switch (how >> 24 & 15) {
	case FUTEX_OP_CMP_EQ: holds = (int32_t)old == compared; break;
	case FUTEX_OP_CMP_NE: holds = (int32_t)old != compared; break;
	case FUTEX_OP_CMP_LT: holds = (int32_t)old < compared; break;
	case FUTEX_OP_CMP_LE: holds = (int32_t)old <= compared; break;
	case FUTEX_OP_CMP_GT: holds = (int32_t)old > compared; break;
	case FUTEX_OP_CMP_GE: holds = (int32_t)old >= compared; break;
	default: return -ENOSYS;
	}
	if (!memory_write(&process->memory, argument[4], &value, 4))
		return -EFAULT;
	int woken = thread_futex_wake(process, argument[0], (uint32_t)argument[2], UINT32_MAX);
	if (holds)
		woken += thread_futex_wake(process, argument[4], (uint32_t)argument[3], UINT32_MAX);
	return woken;
}

int64_t sys_futex(struct process *process, const uint64_t argument[6])
{
	int command = (int)argument[1] & FUTEX_CMD_MASK;
	uint64_t wake_at_ns = NEVER_NS, ns, now = process_now_ns(process);
	uint32_t word;

	if (argument[0] % 4)
		return -EINVAL;
	if ((command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && argument[3]) {
		int failed = read_timespec(process, argument[3], &ns);

		if (failed)
			return failed;
		wake_at_ns = ns;
		if (command == FUTEX_WAIT)
			wake_at_ns = add_saturating(now, ns);
		else if (argument[1] & FUTEX_CLOCK_REALTIME)
			wake_at_ns = ns > EPOCH_SECONDS * UINT64_C(1000000000)
					     ? ns - EPOCH_SECONDS * UINT64_C(1000000000)
					     : 0;
	}
	switch (command) {
	case FUTEX_WAIT:
		return futex_wait(process, argument[0], (uint32_t)argument[2], wake_at_ns,
				  UINT32_MAX);
	case FUTEX_WAIT_BITSET:
		return futex_wait(process, argument[0], (uint32_t)argument[2], wake_at_ns,
				  (uint32_t)argument[5]);
	case FUTEX_WAKE:
		return thread_futex_wake(process, argument[0], (uint32_t)argument[2], UINT32_MAX);
	case FUTEX_WAKE_BITSET:
		return argument[5] ? thread_futex_wake(process, argument[0], (uint32_t)argument[2],
						       (uint32_t)argument[5])
				   : -EINVAL;
	case FUTEX_CMP_REQUEUE:
		if (!memory_read(&process->memory, &word, argument[0], 4))
			return -EFAULT;
		if (word != (uint32_t)argument[5])
			return -EAGAIN;
		return futex_requeue(process, argument);
	case FUTEX_REQUEUE: return futex_requeue(process, argument);
	case FUTEX_WAKE_OP: return futex_wake_op(process, argument);
	default: return -ENOSYS;
	}
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
