/* Timers and clocks of a process whose time this test sets: when they run out, how often, and what
 * is left, in nanoseconds worked out on paper. */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/timerfd.h>
#include <time.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

#define BUFFER UINT64_C(0x10000)
#define SECOND UINT64_C(1000000000)

static struct process *make(void)
{
	struct process *process = mem_alloc(sizeof(*process));
	struct err err;

	assert_true(memory_init(&process->memory, UINT64_C(1) << 30, &err));
	assert_true(memory_map(&process->memory, BUFFER, 0x1000, PAGE_READ | PAGE_WRITE));
	files_init(&process->files, NULL, 0, "/");
	process->options.argv = (const char *const[]){"test", NULL};
	process->next_tid = 1000;
	process->current = thread_add(process);
	thread_add(process);
	limits_init(process);
	/* Signals stay where they are. */
	for (size_t i = 0; i < 2; i++)
		process->threads[i]->signal_mask = UINT64_MAX;
	return process;
}

static void end(struct process *process)
{
	files_release(&process->files);
	for (size_t i = 0; i < process->thread_count; i++)
		thread_free(process->threads[i]);
	free(process->threads);
	free(process->signals.items);
	for (size_t i = 0; i < process->posix_timer_count; i++)
		free(process->posix_timers[i]);
	free(process->posix_timers);
	memory_release(&process->memory);
	free(process);
}

static int64_t call(syscall_handler *handler, struct process *process, uint64_t a, uint64_t b,
		    uint64_t c, uint64_t d)
{
	const uint64_t argument[6] = {a, b, c, d};

	return handler(process, argument);
}

static void put_spec(struct process *process, uint64_t interval_s, uint64_t interval_ns,
		     uint64_t value_s, uint64_t value_ns)
{
	const uint64_t spec[4] = {interval_s, interval_ns, value_s, value_ns};

	assert_true(memory_write(&process->memory, BUFFER, spec, sizeof(spec)));
}

static void assert_spec(const struct process *process, uint64_t interval_s, uint64_t interval_ns,
			uint64_t value_s, uint64_t value_ns)
{
	uint64_t spec[4];

	assert_true(memory_read(&process->memory, spec, BUFFER + 64, sizeof(spec)));
	assert_int_equal(spec[0], interval_s);
	assert_int_equal(spec[1], interval_ns);
	assert_int_equal(spec[2], value_s);
	assert_int_equal(spec[3], value_ns);
}

static uint64_t create(struct process *process, int clock, int notify, int number, int tid,
		       uint64_t value)
{
	struct {
		uint64_t value;
		int32_t number, notify, tid;
		uint8_t unused[44];
	} event = {.value = value, .number = number, .notify = notify, .tid = tid};
	int32_t id;

	assert_true(memory_write(&process->memory, BUFFER + 128, &event, sizeof(event)));
	assert_int_equal(call(sys_timer_create, process, (uint64_t)(int64_t)clock, BUFFER + 128,
			      BUFFER + 256, 0),
			 0);
	assert_true(memory_read(&process->memory, &id, BUFFER + 256, 4));
	return (uint64_t)id;
}

static void set(struct process *process, uint64_t id, uint64_t flags)
{
	assert_int_equal(call(sys_timer_settime, process, id, flags, BUFFER, BUFFER + 64), 0);
}

TEST(a_timer_counts_what_it_runs_over)
{
	struct process *process = make();

	process->cpu.instructions = 1000;
	uint64_t a = create(process, CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGUSR1, 0, 0x1234567812345678);
	assert_int_equal(a, 0);
	put_spec(process, 0, 100, 0, 250);
	set(process, a, 0);
	assert_spec(process, 0, 0, 0, 0);
	assert_int_equal(call(sys_timer_gettime, process, a, BUFFER + 64, 0, 0), 0);
	assert_spec(process, 0, 100, 0, 250);
	assert_int_equal(timers_run(process), 1250);
	process->cpu.instructions = 1249;
	assert_int_equal(timers_run(process), 1250);
	assert_int_equal(process->signals.pending, 0);
	assert_int_equal(call(sys_timer_gettime, process, a, BUFFER + 64, 0, 0), 0);
	assert_spec(process, 0, 100, 0, 1);
	/* Out at 1250; the next is 1350. */
	process->cpu.instructions = 1250;
	assert_int_equal(timers_run(process), 1350);
	assert_int_equal(process->signals.pending, UINT64_C(1) << (SIGUSR1 - 1));
	assert_int_equal(process->signals.count, 1);
	assert_int_equal(process->signals.items[0].si_code, SI_TIMER);
	assert_int_equal(process->signals.items[0].si_timerid, 0);
	assert_int_equal((uint64_t)(uintptr_t)process->signals.items[0].si_value.sival_ptr,
			 0x1234567812345678);
	/* Once more at 1350, and at 1450, 1550 and 1650 together: four that are not sent. */
	process->cpu.instructions = 1350;
	assert_int_equal(timers_run(process), 1450);
	process->cpu.instructions = 1699;
	assert_int_equal(timers_run(process), 1750);
	assert_int_equal(process->signals.count, 1);
	assert_int_equal(call(sys_timer_getoverrun, process, a, 0, 0, 0), 0);
	siginfo_t info = signal_take(process, process->current, SIGUSR1);
	assert_int_equal(info.si_overrun, 4);
	assert_int_equal(call(sys_timer_getoverrun, process, a, 0, 0, 0), 4);
	assert_int_equal(process->signals.pending, 0);
	/* Late at once: the signal has what it was late by. */
	process->cpu.instructions = 2049;
	assert_int_equal(timers_run(process), 2050);
	info = signal_take(process, process->current, SIGUSR1);
	assert_int_equal(info.si_overrun, 2);
	/* A new setting forgets the overruns of a signal that still waits. */
	process->cpu.instructions = 2349;
	timers_run(process);
	put_spec(process, 0, 0, 0, 7);
	set(process, a, 0);
	assert_spec(process, 0, 100, 0, 1);
	info = signal_take(process, process->current, SIGUSR1);
	assert_int_equal(info.si_overrun, 0);
	/* Once, and then it is off. */
	process->cpu.instructions = 2356;
	assert_int_equal(timers_run(process), NEVER_NS);
	assert_int_equal(call(sys_timer_gettime, process, a, BUFFER + 64, 0, 0), 0);
	assert_spec(process, 0, 0, 0, 0);
	info = signal_take(process, process->current, SIGUSR1);
	assert_int_equal(info.si_overrun, 0);
	/* An absolute time; one that is over is out at once. */
	put_spec(process, 0, 0, 0, 3000);
	set(process, a, TIMER_ABSTIME);
	assert_int_equal(timers_run(process), 3000);
	put_spec(process, 0, 0, 0, 1);
	set(process, a, TIMER_ABSTIME);
	assert_true(process->signals.pending);
	assert_int_equal(timers_run(process), NEVER_NS);
	end(process);
}

TEST(timers_of_clocks_and_threads)
{
	struct process *process = make();

	process->cpu.instructions = 500;
	process->slept_ns = 10000;
	uint64_t wall = create(process, CLOCK_REALTIME, SIGEV_SIGNAL, 40, 0, 0);
	uint64_t cpu = create(process, CLOCK_PROCESS_CPUTIME_ID, SIGEV_THREAD_ID, 41, 1001, 0);
	uint64_t none = create(process, CLOCK_MONOTONIC, SIGEV_NONE, 42, 0, 0);
	assert_int_equal(none, 2);
	put_spec(process, 0, 0, 946684800, 20000);
	set(process, wall, TIMER_ABSTIME);
	assert_int_equal(timers_run(process), 20000);
	put_spec(process, 0, 0, 0, 800);
	set(process, cpu, TIMER_ABSTIME);
	/* Of the processor's time 300 are left, so it is due 300 from now if nothing sleeps. */
	assert_int_equal(timers_run(process), 10800);
	put_spec(process, 0, 0, 0, 100);
	set(process, none, 0);
	assert_int_equal(timers_run(process), 10600);
	/* While all sleep only the time of the world passes. */
	process->idle_round = 1;
	assert_int_equal(timers_next_idle(process), 10600);
	process->slept_ns += 100;
	assert_int_equal(timers_run(process), 10900);
	assert_int_equal(process->signals.pending, 0);
	assert_int_equal(timers_next_idle(process), 20000);
	process->cpu.instructions = 800;
	assert_int_equal(timers_run(process), 20000);
	assert_int_equal(process->threads[1]->signals.pending, UINT64_C(1) << 40);
	assert_int_equal(process->signals.pending, 0);
	process->slept_ns = 19200;
	assert_int_equal(timers_run(process), NEVER_NS);
	assert_int_equal(process->signals.pending, UINT64_C(1) << 39);
	assert_int_equal(timers_next_idle(process), NEVER_NS);
	/* A timer that ran out in this round does not end the wait of all again. */
	put_spec(process, 0, 50, 0, 50);
	set(process, wall, 0);
	process->slept_ns += 50;
	timers_run(process);
	assert_int_equal(timers_next_idle(process), NEVER_NS);
	process->idle_round++;
	assert_int_equal(timers_next_idle(process), process_now_ns(process) + 50);
	assert_int_equal(call(sys_timer_delete, process, wall, 0, 0, 0), 0);
	assert_int_equal(timers_next_idle(process), NEVER_NS);
	/* The lowest free number is given again. */
	assert_int_equal(create(process, CLOCK_MONOTONIC, SIGEV_NONE, 0, 0, 0), 0);
	assert_int_equal(create(process, CLOCK_MONOTONIC, SIGEV_NONE, 0, 0, 0), 3);
	end(process);
}

TEST(interval_timers_have_their_clocks)
{
	static const int numbers[3] = {SIGALRM, SIGVTALRM, SIGPROF};
	struct process *process = make();

	process->cpu.instructions = 2000;
	process->slept_ns = 7000;
	for (uint64_t which = 0; which < 3; which++) {
		/* 3 s and 5 us, every 2 s and 4 us. */
		put_spec(process, 2, 4, 3, 5);
		assert_int_equal(call(sys_setitimer, process, which, BUFFER, BUFFER + 64, 0), 0);
		assert_spec(process, 0, 0, 0, 0);
		assert_int_equal(process->timers[which].at_ns,
				 (which ? 2000 : 9000) + 3 * SECOND + 5000);
		assert_int_equal(process->timers[which].interval_ns, 2 * SECOND + 4000);
		assert_int_equal(call(sys_getitimer, process, which, BUFFER + 64, 0, 0), 0);
		assert_spec(process, 2, 4, 3, 5);
	}
	process->slept_ns += SECOND;
	assert_int_equal(call(sys_getitimer, process, 0, BUFFER + 64, 0, 0), 0);
	assert_spec(process, 2, 4, 2, 5);
	assert_int_equal(call(sys_getitimer, process, 1, BUFFER + 64, 0, 0), 0);
	assert_spec(process, 2, 4, 3, 5);
	process->slept_ns += 2 * SECOND + 5000;
	timers_run(process);
	assert_int_equal(process->signals.pending, UINT64_C(1) << (SIGALRM - 1));
	assert_int_equal(process->signals.items[0].si_code, SI_KERNEL);
	process->cpu.instructions += 3 * SECOND + 5000;
	timers_run(process);
	for (int i = 0; i < 3; i++)
		assert_true(process->signals.pending >> (numbers[i] - 1) & 1);
	put_spec(process, 0, 0, 0, 0);
	assert_int_equal(call(sys_setitimer, process, 1, BUFFER, 0, 0), 0);
	assert_int_equal(process->timers[1].at_ns, 0);
	end(process);
}

TEST(a_slice_ends_with_the_next_timer)
{
	struct process *process = make();

	process->cpu.instructions = 100;
	process->slice_ends = 1100;
	put_spec(process, 0, 0, 0, 2);
	assert_int_equal(call(sys_setitimer, process, 0, BUFFER, 0, 0), 0); /* 2 us */
	assert_int_equal(process->slice_ends, 1100);
	uint64_t id = create(process, CLOCK_MONOTONIC, SIGEV_NONE, 0, 0, 0);
	put_spec(process, 0, 0, 0, 1000);
	set(process, id, 0);
	assert_int_equal(process->slice_ends, 1100);
	put_spec(process, 0, 0, 0, 999);
	set(process, id, 0);
	assert_int_equal(process->slice_ends, 1099);
	/* A slice that is over stays over. */
	process->slice_ends = 100;
	put_spec(process, 0, 0, 0, 5);
	set(process, id, 0);
	assert_int_equal(process->slice_ends, 100);
	end(process);
}

TEST(timer_files_count)
{
	struct process *process = make();
	uint64_t count = 77;

	process->cpu.instructions = 10;
	uint64_t fd =
		(uint64_t)call(sys_timerfd_create, process, CLOCK_REALTIME, TFD_NONBLOCK, 0, 0);
	struct file *file = files_get(&process->files, fd);
	put_spec(process, 0, 30, 946684800, 100);
	assert_int_equal(
		call(sys_timerfd_settime, process, fd, TFD_TIMER_ABSTIME, BUFFER, BUFFER + 64), 0);
	assert_int_equal(call(sys_timerfd_gettime, process, fd, BUFFER + 64, 0, 0), 0);
	assert_spec(process, 0, 30, 0, 90);
	assert_int_equal(file_operations(file)->ready(process, file), 0);
	process->cpu.instructions = 99;
	assert_int_equal(file_operations(file)->ready(process, file), 0);
	assert_int_equal(file_operations(file)->read(process, file, &count, 8, NO_OFFSET), -EAGAIN);
	process->cpu.instructions = 100;
	assert_int_equal(file_operations(file)->ready(process, file), POLLIN);
	process->cpu.instructions = 189;
	assert_int_equal(file_operations(file)->read(process, file, &count, 8, NO_OFFSET), 8);
	assert_int_equal(count, 3);
	assert_int_equal(file_operations(file)->read(process, file, &count, 8, NO_OFFSET), -EAGAIN);
	process->cpu.instructions = 190;
	timers_run(process);
	process->cpu.instructions = 220;
	timers_run(process);
	assert_int_equal(file_operations(file)->read(process, file, &count, 8, NO_OFFSET), 8);
	assert_int_equal(count, 2);
	/* A new setting forgets what was not read. */
	process->cpu.instructions = 250;
	put_spec(process, 0, 0, 0, 40);
	assert_int_equal(call(sys_timerfd_settime, process, fd, 0, BUFFER, BUFFER + 64), 0);
	assert_spec(process, 0, 30, 0, 30);
	assert_int_equal(file_operations(file)->ready(process, file), 0);
	assert_int_equal(timers_run(process), 290);
	process->idle_round++;
	assert_int_equal(timers_next_idle(process), 290);
	end(process);
}

/* The number of a clock of processor time: 6 of a thread, 2 of a process. */
static int clock_of(int tid, int kind)
{
	return ~tid * 8 + kind;
}

TEST(times_end_with_the_clock)
{
	struct process *process = make();
	uint64_t ns;

	/* A time of 9,000,000,000 s is the latest there is; one second less is itself. */
	put_spec(process, UINT64_C(8999999999), 999999999, 0, 0);
	assert_int_equal(time_read(process, BUFFER, &ns), 0);
	assert_int_equal(ns, UINT64_C(8999999999999999999));
	put_spec(process, UINT64_C(9000000000), 0, 0, 0);
	assert_int_equal(time_read(process, BUFFER, &ns), 0);
	assert_int_equal(ns, INT64_MAX);
	assert_int_equal(time_add(INT64_MAX - 5, 5), INT64_MAX);
	assert_int_equal(time_add(INT64_MAX - 5, 4), INT64_MAX - 1);
	assert_int_equal(time_add(INT64_MAX - 5, 6), INT64_MAX);
	assert_int_equal(time_add(UINT64_MAX, 6), INT64_MAX);
	assert_int_equal(time_add(6, UINT64_MAX), INT64_MAX);
	assert_int_equal(time_add(6, 7), 13);
	assert_int_equal(time_read_timeout(process, 0, &ns), 0);
	assert_int_equal(ns, UINT64_MAX);
	assert_int_equal(time_read_timeout(process, 8, &ns), -EFAULT);
	/* The wall clock begins in the year 2000; what was before is now. */
	assert_int_equal(time_from_clock(CLOCK_REALTIME, 946684800 * SECOND + 3), 3);
	assert_int_equal(time_from_clock(CLOCK_REALTIME, 946684800 * SECOND), 0);
	assert_int_equal(time_from_clock(CLOCK_REALTIME, 5), 0);
	assert_int_equal(time_from_clock(CLOCK_TAI, 946684800 * SECOND + 3), 3);
	assert_int_equal(time_from_clock(CLOCK_MONOTONIC, 946684800 * SECOND + 3),
			 946684800 * SECOND + 3);
	assert_int_equal(time_from_clock(CLOCK_BOOTTIME, 5), 5);
	/* Whose processor time a clock is. */
	int tid;
	assert_int_equal(time_clock(process, clock_of(1001, 6), &tid), CLOCK_THREAD_CPUTIME_ID);
	assert_int_equal(tid, 1001);
	assert_int_equal(time_clock(process, clock_of(1000, 2), &tid), CLOCK_PROCESS_CPUTIME_ID);
	assert_int_equal(tid, 1000);
	assert_int_equal(time_clock(process, clock_of(0, 6), &tid), CLOCK_THREAD_CPUTIME_ID);
	assert_int_equal(tid, 1000);
	assert_int_equal(time_clock(process, clock_of(1002, 6), &tid), -EINVAL);
	assert_int_equal(time_clock(process, clock_of(1001, 7), &tid), -EINVAL);
	assert_int_equal(time_clock(process, 11, &tid), 11);
	assert_int_equal(time_clock(process, 12, &tid), -EINVAL);
	process->cpu.instructions = 1234;
	process->threads[1]->instructions = 55;
	assert_int_equal(timer_clock(process, CLOCK_THREAD_CPUTIME_ID, 1001), 55);
	assert_int_equal(timer_clock(process, CLOCK_THREAD_CPUTIME_ID, 1000), 1234);
	assert_int_equal(timer_clock(process, CLOCK_THREAD_CPUTIME_ID, 7), 0);
	process->slept_ns = 1000;
	assert_int_equal(timer_clock(process, CLOCK_PROCESS_CPUTIME_ID, 0), 1234);
	assert_int_equal(timer_clock(process, CLOCK_MONOTONIC, 0), 2234);
	const struct guest_timer off = {.interval_ns = 5}, on = {.at_ns = 100};
	assert_int_equal(timer_left(&off, 50), 0);
	assert_int_equal(timer_left(&on, 99), 1);
	assert_int_equal(timer_left(&on, 100), 1);
	assert_int_equal(timer_left(&on, 101), 1);
	assert_int_equal(timer_left(&on, 30), 70);
	end(process);
}
