/* System calls that tell the time or let it pass. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "linux/file_operations.h"
#include "linux/syscall.h"

#define SECOND_NS UINT64_C(1000000000)
/* The wall clock shows the virtual time since this date: 2000-01-01 00:00 UTC. */
#define EPOCH_SECONDS GUEST_EPOCH_SECONDS

static bool is_wall_clock(int clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

static bool to_ns(const int64_t time[2], uint64_t *ns)
{
	if (time[0] < 0 || time[1] < 0 || time[1] >= (int64_t)SECOND_NS)
		return false;
	*ns = time[0] >= INT64_C(9000000000) ? LATEST_NS
					     : (uint64_t)time[0] * SECOND_NS + (uint64_t)time[1];
	return true;
}

int time_read(struct process *process, uint64_t address, uint64_t *ns)
{
	int64_t time[2];

	if (!memory_read(&process->memory, time, address, sizeof(time)))
		return -EFAULT;
	return to_ns(time, ns) ? 0 : -EINVAL;
}

int time_read_timeout(struct process *process, uint64_t address, uint64_t *ns)
{
	*ns = NEVER_NS;
	return address ? time_read(process, address, ns) : 0;
}

uint64_t time_add(uint64_t a, uint64_t b)
{
	return a > LATEST_NS || b > LATEST_NS - a ? LATEST_NS : a + b;
}

void time_write(struct process *process, uint64_t address, uint64_t ns)
{
	int64_t time[2] = {(int64_t)(ns / SECOND_NS), (int64_t)(ns % SECOND_NS)};

	memory_write(&process->memory, address, time, sizeof(time));
}

uint64_t time_from_clock(int clock, uint64_t ns)
{
	if (!is_wall_clock(clock))
		return ns;
	return ns > EPOCH_SECONDS * SECOND_NS ? ns - EPOCH_SECONDS * SECOND_NS : 0;
}

bool time_read_interval(const int64_t spec[4], uint64_t *interval_ns, uint64_t *value_ns)
{
	return to_ns(spec, interval_ns) && to_ns(spec + 2, value_ns);
}

void time_make_interval(int64_t spec[4], uint64_t interval_ns, uint64_t left_ns)
{
	spec[0] = (int64_t)(interval_ns / SECOND_NS);
	spec[1] = (int64_t)(interval_ns % SECOND_NS);
	spec[2] = (int64_t)(left_ns / SECOND_NS);
	spec[3] = (int64_t)(left_ns % SECOND_NS);
}

#define CLOCK_OF_THREAD 4
#define CLOCK_OF_TYPE	3 /* user and system time are not told apart */

int time_clock(struct process *process, int clock, int *tid)
{
	*tid = process->current->tid;
	if (clock >= 0)
		return clock > CLOCK_TAI ? -EINVAL : clock;
	int named = ~(clock >> 3);
	if ((clock & CLOCK_OF_TYPE) == CLOCK_OF_TYPE || (named && !thread_find(process, named)))
		return -EINVAL;
	if (named)
		*tid = named;
	return clock & CLOCK_OF_THREAD ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID;
}

static int64_t sleep_until(struct process *process, const uint64_t argument[6], uint64_t wake_at_ns,
			   uint64_t remain_address)
{
	struct thread *thread = process->current;

	thread->call_argument = argument[0];
	thread->remain_address = remain_address;
	thread->state = THREAD_SLEEP;
	thread->wake_at_ns = wait_same_deadline(thread, wake_at_ns);
	return 0;
}

int64_t sys_nanosleep(struct process *process, const uint64_t argument[6])
{
	uint64_t ns;
	int failed = time_read(process, argument[0], &ns);

	return failed ? failed
		      : sleep_until(process, argument, time_add(process_now_ns(process), ns),
				    argument[1]);
}

/* The other clocks can be read only. */
static bool can_sleep(int clock)
{
	return clock != CLOCK_THREAD_CPUTIME_ID && clock != CLOCK_MONOTONIC_RAW &&
	       clock != CLOCK_REALTIME_COARSE && clock != CLOCK_MONOTONIC_COARSE;
}

int64_t sys_clock_nanosleep(struct process *process, const uint64_t argument[6])
{
	uint64_t ns, now = process_now_ns(process);

	if ((uint32_t)argument[0] > CLOCK_TAI)
		return -EINVAL;
	if (!can_sleep((int)argument[0]))
		return -EOPNOTSUPP;
	int failed = time_read(process, argument[2], &ns);
	if (failed)
		return failed;
	if (!(argument[1] & TIMER_ABSTIME))
		return sleep_until(process, argument, time_add(now, ns), argument[3]);
	ns = time_from_clock((int)argument[0], ns);
	return ns > now ? sleep_until(process, argument, ns, 0) : 0;
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
	int tid, clock = time_clock(process, (int)argument[0], &tid);

	if (clock < 0)
		return clock;
	return write_time(process, argument[1], timer_clock(process, clock, tid),
			  is_wall_clock(clock), 1);
}

int64_t sys_clock_getres(struct process *process, const uint64_t argument[6])
{
	int tid, clock = time_clock(process, (int)argument[0], &tid);

	if (clock < 0)
		return clock;
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
