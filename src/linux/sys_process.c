/* System calls about the process and the machine. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "isa/profile.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

#define PROCESS_ID 1000
#define USER_ID	   GUEST_USER_ID
#define GROUPS_MAX 65536

#define ANSWER(name, value)                                                     \
	int64_t sys_##name(struct process *process, const uint64_t argument[6]) \
	{                                                                       \
		(void)process, (void)argument;                                  \
		return value;                                                   \
	}

ANSWER(getpid, PROCESS_ID)
ANSWER(getppid, 1)
ANSWER(getuid, USER_ID)
ANSWER(geteuid, USER_ID)
ANSWER(getgid, USER_ID)
ANSWER(getegid, USER_ID)
ANSWER(gettid, process->current->tid)
ANSWER(getpgid, PROCESS_ID)
ANSWER(getsid, PROCESS_ID)
ANSWER(setfsuid, USER_ID)
ANSWER(setfsgid, USER_ID)

/* 0 if the number is that of a thread, or 0, the caller. */
static int64_t check_thread(struct process *process, uint64_t number)
{
	return !(int32_t)number || thread_find(process, (int)number) ? 0 : -ESRCH;
}

#define POLICY_BATCH	3
#define POLICY_IDLE	5
#define POLICY_DEADLINE 6
#define POLICY_EXT	7

static int64_t priority_of(uint64_t policy, int64_t realtime)
{
	switch ((int)policy) {
	case SCHED_FIFO:
	case SCHED_RR: return realtime;
	case SCHED_OTHER:
	case POLICY_BATCH:
	case POLICY_IDLE:
	case POLICY_DEADLINE:
	case POLICY_EXT: return 0;
	default: return -EINVAL;
	}
}

ANSWER(sched_get_priority_max, priority_of(argument[0], 99))
ANSWER(sched_get_priority_min, priority_of(argument[0], 1))
ANSWER(sched_getscheduler, (int32_t)argument[0] < 0 ? -EINVAL : check_thread(process, argument[0]))

/* Whether there is a process, group or user of that number. */
static int64_t find_prioritised(struct process *process, const uint64_t argument[6])
{
	switch ((int)argument[0]) {
	case PRIO_PROCESS: return check_thread(process, argument[1]);
	case PRIO_PGRP:
		return !(int32_t)argument[1] || (int32_t)argument[1] == PROCESS_ID ? 0 : -ESRCH;
	case PRIO_USER: return (uint32_t)argument[1] == USER_ID ? 0 : -ESRCH;
	default: return -EINVAL;
	}
}

/* Niceness is kept for who asks; the order of threads does not depend on it. */
int64_t sys_getpriority(struct process *process, const uint64_t argument[6])
{
	int64_t failed = find_prioritised(process, argument);

	return failed ? failed : 20 - process->niceness;
}

int64_t sys_setpriority(struct process *process, const uint64_t argument[6])
{
	int64_t failed = find_prioritised(process, argument);
	int wanted = (int)argument[2];

	if (failed)
		return failed;
	wanted = wanted < PRIO_MIN ? PRIO_MIN : wanted > PRIO_MAX - 1 ? PRIO_MAX - 1 : wanted;
	if (wanted < process->niceness)
		return -EACCES;
	process->niceness = wanted;
	return 0;
}

static int64_t write_triple(struct process *process, const uint64_t argument[6])
{
	const uint32_t id = USER_ID;

	for (int i = 0; i < 3; i++)
		if (!memory_write(&process->memory, argument[i], &id, 4))
			return -EFAULT;
	return 0;
}

int64_t sys_getresuid(struct process *process, const uint64_t argument[6])
{
	return write_triple(process, argument);
}

int64_t sys_getresgid(struct process *process, const uint64_t argument[6])
{
	return write_triple(process, argument);
}

/* The process has the rights of user and group 0 in a user namespace that maps no other: it may
 * become what it is, and any other number is EINVAL. For most calls -1 means "as it is". */
static int64_t set_ids(const uint64_t argument[6], int count, bool may_keep)
{
	for (int i = 0; i < count; i++)
		if ((uint32_t)argument[i] != USER_ID &&
		    !(may_keep && (uint32_t)argument[i] == UINT32_MAX))
			return -EINVAL;
	return 0;
}

ANSWER(setuid, set_ids(argument, 1, false))
ANSWER(setgid, set_ids(argument, 1, false))
ANSWER(setreuid, set_ids(argument, 2, true))
ANSWER(setregid, set_ids(argument, 2, true))
ANSWER(setresuid, set_ids(argument, 3, true))
ANSWER(setresgid, set_ids(argument, 3, true))

int64_t sys_setgroups(struct process *process, const uint64_t argument[6])
{
	uint32_t count = (uint32_t)argument[0], group;

	if (count > GROUPS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < count; i++) {
		if (!memory_read(&process->memory, &group, argument[1] + 4 * (uint64_t)i, 4))
			return -EFAULT;
		if (group != USER_ID)
			return -EINVAL;
	}
	process->group_count = count;
	return 0;
}

int64_t sys_getgroups(struct process *process, const uint64_t argument[6])
{
	const uint32_t group = USER_ID;

	if ((int32_t)argument[0] < 0 ||
	    (argument[0] && (uint32_t)argument[0] < process->group_count))
		return -EINVAL;
	for (uint32_t i = 0; argument[0] && i < process->group_count; i++)
		if (!memory_write(&process->memory, argument[1] + 4 * (uint64_t)i, &group, 4))
			return -EFAULT;
	return process->group_count;
}

int64_t sys_sched_getparam(struct process *process, const uint64_t argument[6])
{
	const int32_t priority = 0;

	if (!argument[1] || (int32_t)argument[0] < 0)
		return -EINVAL;
	int64_t failed = check_thread(process, argument[0]);
	if (failed)
		return failed;
	return memory_write(&process->memory, argument[1], &priority, 4) ? 0 : -EFAULT;
}

int64_t sys_sched_getaffinity(struct process *process, const uint64_t argument[6])
{
	const uint64_t mask = 1;
	uint32_t bytes = (uint32_t)argument[1];

	if (bytes < 8 || bytes % 8)
		return -EINVAL;
	int64_t failed = check_thread(process, argument[0]);
	if (failed)
		return failed;
	return memory_write(&process->memory, argument[2], &mask, 8) ? 8 : -EFAULT;
}

/* There is one processor: a mask must contain it. */
int64_t sys_sched_setaffinity(struct process *process, const uint64_t argument[6])
{
	uint32_t bytes = (uint32_t)argument[1] < 8 ? (uint32_t)argument[1] : 8;
	uint64_t mask = 0;

	if (bytes && !memory_read(&process->memory, &mask, argument[2], bytes))
		return -EFAULT;
	int64_t failed = check_thread(process, argument[0]);
	return failed ? failed : mask & 1 ? 0 : -EINVAL;
}

/* Kept for who asks; nothing here depends on it. */
int64_t sys_personality(struct process *process, const uint64_t argument[6])
{
	uint32_t old = process->personality;

	if ((uint32_t)argument[0] != UINT32_MAX)
		process->personality = (uint32_t)argument[0];
	return old;
}

int64_t sys_getcpu(struct process *process, const uint64_t argument[6])
{
	const uint32_t zero = 0;

	for (int i = 0; i < 2; i++)
		if (argument[i] && !memory_write(&process->memory, argument[i], &zero, 4))
			return -EFAULT;
	return 0;
}

int64_t sys_uname(struct process *process, const uint64_t argument[6])
{
	const struct utsname name = {.sysname = "Linux",
				     .nodename = "cyclestack",
				     .release = "6.1.0",
				     .version = "#1",
				     .machine = "riscv64",
				     .domainname = "(none)"};

	return memory_write(&process->memory, argument[0], &name, sizeof(name)) ? 0 : -EFAULT;
}

int64_t sys_sysinfo(struct process *process, const uint64_t argument[6])
{
	const struct memory *memory = &process->memory;
	struct sysinfo info = {.uptime = (long)(process_now_ns(process) / 1000000000),
			       .totalram = memory->limit_bytes,
			       .freeram = memory->limit_bytes - memory->filled_bytes,
			       .procs = 1,
			       .mem_unit = 1};

	return memory_write(&process->memory, argument[0], &info, sizeof(info)) ? 0 : -EFAULT;
}

#define QUEUED_SIGNALS_MAX 8192

void limits_init(struct process *process)
{
	const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};

	for (size_t i = 0; i < ARRAY_COUNT(process->limits); i++)
		process->limits[i] = none;
	process->limits[RLIMIT_STACK].rlim_cur = 8 << 20;
	process->limits[RLIMIT_NOFILE] = (struct rlimit){FILES_MAX, FILES_MAX};
	process->limits[RLIMIT_CORE] = (struct rlimit){0, 0};
	process->limits[RLIMIT_SIGPENDING] =
		(struct rlimit){QUEUED_SIGNALS_MAX, QUEUED_SIGNALS_MAX};
	process->limits[RLIMIT_NPROC] = (struct rlimit){4096, 4096};
}

static int64_t get_limit(struct process *process, uint64_t resource, uint64_t address)
{
	if (resource >= ARRAY_COUNT(process->limits))
		return -EINVAL;
	return !address || memory_write(&process->memory, address, &process->limits[resource],
					sizeof(struct rlimit))
		       ? 0
		       : -EFAULT;
}

/* Limits can be read and lowered; those on descriptors, queued signals and the size of files are
 * enforced. */
static int64_t set_limit(struct process *process, uint64_t resource, uint64_t address)
{
	struct rlimit limit;

	if (resource >= ARRAY_COUNT(process->limits))
		return -EINVAL;
	if (!memory_read(&process->memory, &limit, address, sizeof(limit)))
		return -EFAULT;
	if (limit.rlim_cur > limit.rlim_max)
		return -EINVAL;
	if (limit.rlim_max > process->limits[resource].rlim_max)
		return -EPERM;
	process->limits[resource] = limit;
	if (resource == RLIMIT_NOFILE)
		process->files.limit = (uint32_t)limit.rlim_cur;
	return 0;
}

int64_t sys_getrlimit(struct process *process, const uint64_t argument[6])
{
	if ((uint32_t)argument[0] < ARRAY_COUNT(process->limits) && !argument[1])
		return -EFAULT;
	return get_limit(process, (uint32_t)argument[0], argument[1]);
}

int64_t sys_setrlimit(struct process *process, const uint64_t argument[6])
{
	return set_limit(process, argument[0], argument[1]);
}

int64_t sys_prlimit64(struct process *process, const uint64_t argument[6])
{
	if (argument[0] && argument[0] != PROCESS_ID)
		return -ESRCH;
	int64_t failed = get_limit(process, argument[1], argument[3]);
	return failed || !argument[2] ? failed : set_limit(process, argument[1], argument[2]);
}

int64_t sys_getrusage(struct process *process, const uint64_t argument[6])
{
	uint64_t ns = process->cpu.instructions;
	struct rusage usage = {
		.ru_utime = {(time_t)(ns / 1000000000), (suseconds_t)(ns % 1000000000 / 1000)},
		.ru_maxrss = (long)(process->memory.filled_bytes / 1024)};

	if ((int32_t)argument[0] < -1 || (int32_t)argument[0] > 1)
		return -EINVAL;
	return memory_write(&process->memory, argument[1], &usage, sizeof(usage)) ? 0 : -EFAULT;
}

int64_t sys_times(struct process *process, const uint64_t argument[6])
{
	const uint64_t ns_per_tick = 10000000; /* 100 Hz */
	int64_t ticks[4] = {(int64_t)(process->cpu.instructions / ns_per_tick), 0, 0, 0};

	if (argument[0] && !memory_write(&process->memory, argument[0], ticks, sizeof(ticks)))
		return -EFAULT;
	return (int64_t)(process_now_ns(process) / ns_per_tick);
}

/* PR_SET_TAGGED_ADDR_CTRL of include/uapi/linux/prctl.h: how many upper bits of addresses the
 * thread's loads and stores ignore, of the numbers that the processor has, and whether system calls
 * ignore them too. */
#define PMLEN_SHIFT 24
#define PMLEN_MASK  (UINT64_C(0x7f) << PMLEN_SHIFT)

static int64_t set_pointer_masking(struct process *process, const uint64_t argument[6])
{
	const uint64_t control = argument[1], asked = (control & PMLEN_MASK) >> PMLEN_SHIFT;
	const uint32_t bits = asked > 7 ? 16 : asked ? 7 : 0;
	const bool in_calls = control & PR_TAGGED_ADDR_ENABLE;

	if (!(process->cpu.code->features & FEATURE_BIT(SUPM)) || argument[2] || argument[3] ||
	    argument[4] || control & ~(PMLEN_MASK | PR_TAGGED_ADDR_ENABLE) || asked > 16 ||
	    (in_calls && !bits))
		return -EINVAL;
	/* Threads share what system calls do, so it cannot change once there are several. */
	if (process->thread_count > 1 && process->memory.masked_bits != (in_calls ? bits : 0))
		return -EBUSY;
	process->cpu.hart.masked_bits = bits;
	process->memory.masked_bits = in_calls ? bits : 0;
	return 0;
}

static int64_t get_pointer_masking(struct process *process, const uint64_t argument[6])
{
	if (!(process->cpu.code->features & FEATURE_BIT(SUPM)) || argument[1] || argument[2] ||
	    argument[3] || argument[4])
		return -EINVAL;
	return (int64_t)((uint64_t)process->cpu.hart.masked_bits << PMLEN_SHIFT |
			 (process->memory.masked_bits ? PR_TAGGED_ADDR_ENABLE : 0));
}

int64_t sys_prctl(struct process *process, const uint64_t argument[6])
{
	struct thread *thread = process->current;
	const int32_t none = 0;
	char name[16] = {0};
	int64_t length;

	switch ((int)argument[0]) {
	case PR_SET_NAME:
		length = memory_read_string(&process->memory, name, argument[1], sizeof(name));
		if (length == -1)
			return -EFAULT;
		if (length == -2)
			memory_read(&process->memory, name, argument[1], sizeof(name) - 1);
		memcpy(thread->name, name, sizeof(name));
		return 0;
	case PR_GET_NAME:
		return memory_write(&process->memory, argument[1], thread->name,
				    sizeof(thread->name))
			       ? 0
			       : -EFAULT;
	case PR_GET_DUMPABLE: return 1;
	case PR_GET_PDEATHSIG:
		return memory_write(&process->memory, argument[1], &none, 4) ? 0 : -EFAULT;
	case PR_SET_TAGGED_ADDR_CTRL: return set_pointer_masking(process, argument);
	case PR_GET_TAGGED_ADDR_CTRL: return get_pointer_masking(process, argument);
	case PR_TASK_PERF_EVENTS_DISABLE:
	case PR_TASK_PERF_EVENTS_ENABLE:
		perf_set_owned(process, (int)argument[0] == PR_TASK_PERF_EVENTS_ENABLE);
		return 0;
	case PR_SET_DUMPABLE:
	case PR_SET_NO_NEW_PRIVS:
	case PR_SET_PDEATHSIG: return 0;
	default: return -EINVAL;
	}
}

#define RANDOM_STRICT	(1 << 1)
#define RANDOM_INSECURE (1 << 2)

/* Fills what can be written, up to the first byte that cannot. */
int64_t sys_getrandom(struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = argument[1] < RANGES_BYTES_MAX ? argument[1] : RANGES_BYTES_MAX;
	uint32_t flags = (uint32_t)argument[2];

	if (flags & ~7u || (flags & RANDOM_STRICT && flags & RANDOM_INSECURE))
		return -EINVAL;
	if (!memory_is_user_range(memory_unmasked(&process->memory, argument[0]), bytes))
		return -EFAULT;
	uint64_t filled = memory_writable(&process->memory, argument[0], bytes);
	for (uint64_t i = 0; i < filled; i++) {
		uint8_t byte = (uint8_t)(rng_next(&process->rng) >> 32);

		memory_write(&process->memory, argument[0] + i, &byte, 1);
	}
	return filled || !bytes ? (int64_t)filled : -EFAULT;
}

/* Seconds and microseconds, as struct itimerval has them: interval, value. */
static int64_t write_timer(struct process *process, int which, uint64_t address)
{
	const struct guest_timer *timer = &process->timers[which];
	uint64_t now = which == 0 ? process_now_ns(process) : process->cpu.instructions;
	uint64_t left = timer->at_ns > now ? timer->at_ns - now : 0;
	int64_t value[4] = {(int64_t)(timer->interval_ns / 1000000000),
			    (int64_t)(timer->interval_ns % 1000000000 / 1000),
			    (int64_t)(left / 1000000000), (int64_t)(left % 1000000000 / 1000)};

	return memory_write(&process->memory, address, value, sizeof(value)) ? 0 : -EFAULT;
}

int64_t sys_getitimer(struct process *process, const uint64_t argument[6])
{
	return argument[0] > 2 ? -EINVAL : write_timer(process, (int)argument[0], argument[1]);
}

int64_t sys_setitimer(struct process *process, const uint64_t argument[6])
{
	int64_t value[4] = {0};

	if (argument[1] && !memory_read(&process->memory, value, argument[1], sizeof(value)))
		return -EFAULT;
	if (argument[0] > 2)
		return -EINVAL;
	for (int i = 0; i < 4; i++)
		if (value[i] < 0 || (i % 2 ? value[i] >= 1000000 : value[i] > 1000000000))
			return -EINVAL;
	if (argument[2] && write_timer(process, (int)argument[0], argument[2]) != 0)
		return -EFAULT;
	struct guest_timer *timer = &process->timers[argument[0]];
	uint64_t now = argument[0] == 0 ? process_now_ns(process) : process->cpu.instructions;
	uint64_t ns = (uint64_t)value[2] * 1000000000 + (uint64_t)value[3] * 1000;
	timer->interval_ns = (uint64_t)value[0] * 1000000000 + (uint64_t)value[1] * 1000;
	timer->at_ns = ns ? now + ns : 0;
	timers_changed(process);
	return 0;
}
