/* POSIX timers: timer_create and what sets and reads them. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

#define TIMERS_MAX 1024

struct guest_sigevent {
	uint64_t value;
	int32_t number, notify, tid;
	uint8_t unused[44];
};

static int64_t check_event(struct process *process, const struct guest_sigevent *event)
{
	switch (event->notify) {
	case SIGEV_SIGNAL | SIGEV_THREAD_ID:
		if (!thread_find(process, event->tid))
			return -EINVAL;
		/* fall through */
	case SIGEV_SIGNAL:
	case SIGEV_THREAD: return event->number < 1 || event->number > 64 ? -EINVAL : 0;
	case SIGEV_NONE: return 0;
	default: return -EINVAL;
	}
}

static int64_t check_clock(int clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
	case CLOCK_TAI:
	case CLOCK_PROCESS_CPUTIME_ID:
	case CLOCK_THREAD_CPUTIME_ID: return 0;
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_MONOTONIC_COARSE: return -EOPNOTSUPP;
	case CLOCK_REALTIME_ALARM:
	case CLOCK_BOOTTIME_ALARM: return -EPERM;
	default: return -EINVAL;
	}
}

static size_t free_number(struct process *process)
{
	for (size_t i = 0; i < process->posix_timer_count; i++)
		if (!process->posix_timers[i])
			return i;
	*ARRAY_PUSH(process->posix_timers, process->posix_timer_count,
		    process->posix_timer_capacity) = NULL;
	return process->posix_timer_count - 1;
}

int64_t sys_timer_create(struct process *process, const uint64_t argument[6])
{
	struct guest_sigevent event = {.number = SIGALRM, .notify = SIGEV_SIGNAL};
	int clock_tid, clock = time_clock(process, (int)argument[0], &clock_tid);

	if (argument[1] && !memory_read(&process->memory, &event, argument[1], sizeof(event)))
		return -EFAULT;
	int64_t failed = check_clock(clock);
	if (failed)
		return failed;
	size_t number = free_number(process);
	if (number >= TIMERS_MAX)
		return -EAGAIN;
	if (!argument[1])
		event.value = number;
	failed = check_event(process, &event);
	int32_t told = (int32_t)number;
	if (failed || !memory_write(&process->memory, argument[2], &told, 4))
		return failed ? failed : -EFAULT;
	struct posix_timer *timer = mem_alloc(sizeof(*timer));
	*timer = (struct posix_timer){.clock = clock,
				      .clock_tid = clock_tid,
				      .tid = event.tid,
				      .notify = event.notify,
				      .number = event.number,
				      .value = event.value};
	process->posix_timers[number] = timer;
	return 0;
}

static struct posix_timer *find_timer(const struct process *process, uint64_t number)
{
	uint32_t index = (uint32_t)number;

	return index < process->posix_timer_count ? process->posix_timers[index] : NULL;
}

static void get_setting(struct process *process, const struct posix_timer *timer, int64_t spec[4])
{
	uint64_t now = timer_clock(process, timer->clock, timer->clock_tid);
	uint64_t left = timer_left(&timer->timer, now);

	time_make_interval(spec, timer->timer.interval_ns, left);
}

int64_t sys_timer_gettime(struct process *process, const uint64_t argument[6])
{
	const struct posix_timer *timer = find_timer(process, argument[0]);
	int64_t spec[4];

	if (!timer)
		return -EINVAL;
	timers_run(process);
	get_setting(process, timer, spec);
	return memory_write(&process->memory, argument[1], spec, sizeof(spec)) ? 0 : -EFAULT;
}

int64_t sys_timer_settime(struct process *process, const uint64_t argument[6])
{
	struct posix_timer *timer = find_timer(process, argument[0]);
	uint64_t interval, value;
	int64_t spec[4], old[4];

	if (!argument[2])
		return -EINVAL;
	if (!memory_read(&process->memory, spec, argument[2], sizeof(spec)))
		return -EFAULT;
	if (!time_read_interval(spec, &interval, &value) || !timer)
		return -EINVAL;
	timers_run(process);
	get_setting(process, timer, old);
	/* A signal that is still queued was for the old setting; its overruns are no more. */
	timer->overrun = 0;
	timer_set(process, &timer->timer, timer->clock, interval, value,
		  argument[1] & TIMER_ABSTIME, timer->clock_tid);
	timers_changed(process);
	return !argument[3] || memory_write(&process->memory, argument[3], old, sizeof(old))
		       ? 0
		       : -EFAULT;
}

int64_t sys_timer_getoverrun(struct process *process, const uint64_t argument[6])
{
	const struct posix_timer *timer = find_timer(process, argument[0]);

	return timer ? timer->last_overrun : -EINVAL;
}

int64_t sys_timer_delete(struct process *process, const uint64_t argument[6])
{
	struct posix_timer *timer = find_timer(process, argument[0]);

	if (!timer)
		return -EINVAL;
	free(timer);
	process->posix_timers[(uint32_t)argument[0]] = NULL;
	return 0;
}
