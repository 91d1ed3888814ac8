/* Timers on the guest's clocks: interval timers, POSIX timers, timer descriptors. */
#include <sys/time.h>
#include <time.h>

#include "linux/fd_timer.h"
#include "linux/file_operations.h"

uint64_t timer_clock(struct process *process, int clock, int tid)
{
	struct thread *thread;

	switch (clock) {
	case CLOCK_PROCESS_CPUTIME_ID: return process->cpu.instructions;
	case CLOCK_THREAD_CPUTIME_ID:
		process_charge_thread(process);
		thread = thread_find(process, tid);
		return thread ? thread->instructions : 0;
	default: return process_now_ns(process);
	}
}

uint64_t timer_left(const struct guest_timer *timer, uint64_t now)
{
	return timer->at_ns > now ? timer->at_ns - now : timer->at_ns ? 1 : 0;
}

/* How often the timer has run out by `now`; it is set to its next time. */
static uint64_t expire(const struct process *process, struct guest_timer *timer, uint64_t now)
{
	uint64_t count = 1, before = timer->before;

	timer->before = 0;
	if (!timer->at_ns || timer->at_ns > now)
		return before;
	timer->tried = process->idle_round;
	if (timer->interval_ns) {
		count += (now - timer->at_ns) / timer->interval_ns;
		timer->at_ns = time_add(timer->at_ns, count * timer->interval_ns);
	} else {
		timer->at_ns = 0;
	}
	return before + count;
}

static void send_posix(struct process *process, struct posix_timer *timer, int id, uint64_t count)
{
	siginfo_t info = {.si_signo = timer->number, .si_code = SI_TIMER};
	struct thread *thread =
		timer->notify & SIGEV_THREAD_ID ? thread_find(process, timer->tid) : NULL;

	if (timer->notify == SIGEV_NONE || (timer->notify & SIGEV_THREAD_ID && !thread))
		return;
	if (timer->is_queued) {
		timer->overrun += count;
		return;
	}
	timer->overrun = count - 1;
	info.si_timerid = id;
	info.si_value.sival_ptr = (void *)(uintptr_t)timer->value; /* the guest's */
	signal_raise(process, thread, timer->number, &info);
	/* An ignored signal is not queued. */
	const struct signal_queue *queue = thread ? &thread->signals : &process->signals;
	timer->is_queued = queue->pending >> (timer->number - 1) & 1;
}

void timer_set(struct process *process, struct guest_timer *timer, int clock, uint64_t interval_ns,
	       uint64_t value_ns, bool is_absolute, int tid)
{
	const uint64_t epoch_ns = UINT64_C(1000000000) * GUEST_EPOCH_SECONDS;

	timer->interval_ns = interval_ns;
	timer->at_ns = timer->before = 0;
	if (!value_ns)
		return;
	if (is_absolute && interval_ns && clock == CLOCK_REALTIME && value_ns < epoch_ns) {
		timer->before = (epoch_ns - value_ns) / interval_ns + 1;
		timer->at_ns = time_add(value_ns, timer->before * interval_ns) - epoch_ns;
		return;
	}
	timer->at_ns = is_absolute ? time_from_clock(clock, value_ns)
				   : time_add(timer_clock(process, clock, tid), value_ns);
	/* 0 would mean that it is off. */
	if (!timer->at_ns)
		timer->at_ns = 1;
}

struct visit {
	uint64_t now;	   /* of the timer's clock */
	uint64_t earliest; /* the least time left, of those asked for */
	bool is_idle;	   /* only timers that advance and have not been tried count */
};

static void count_left(const struct process *process, struct visit *visit,
		       const struct guest_timer *timer, bool is_cpu_time)
{
	if (!timer->at_ns ||
	    (visit->is_idle && (is_cpu_time || timer->tried == process->idle_round)))
		return;
	uint64_t left = timer->at_ns > visit->now ? timer->at_ns - visit->now : 0;
	if (left < visit->earliest)
		visit->earliest = left;
}

static bool counts_cpu_time(int clock)
{
	return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

uint64_t timers_run(struct process *process)
{
	static const int numbers[3] = {SIGALRM, SIGVTALRM, SIGPROF};
	uint64_t now = process_now_ns(process);
	struct visit visit = {.earliest = NEVER_NS};

	for (int i = 0; i < 3; i++) {
		siginfo_t info = {.si_signo = numbers[i], .si_code = SI_KERNEL};

		visit.now = i == ITIMER_REAL ? now : process->cpu.instructions;
		if (expire(process, &process->timers[i], visit.now))
			signal_raise(process, NULL, numbers[i], &info);
		count_left(process, &visit, &process->timers[i], i != ITIMER_REAL);
	}
	for (size_t i = 0; i < process->posix_timer_count; i++) {
		struct posix_timer *timer = process->posix_timers[i];

		if (!timer)
			continue;
		visit.now = timer_clock(process, timer->clock, timer->clock_tid);
		uint64_t count = expire(process, &timer->timer, visit.now);
		if (count)
			send_posix(process, timer, (int)i, count);
		count_left(process, &visit, &timer->timer, counts_cpu_time(timer->clock));
	}
	visit.now = now;
	for (struct timer_file *one = process->timer_files; one; one = one->next) {
		uint64_t count = expire(process, &one->timer, now);

		one->expirations += count;
		if (count)
			file_notify(one->file, POLLIN);
		count_left(process, &visit, &one->timer, false);
	}
	return visit.earliest == NEVER_NS ? NEVER_NS : time_add(now, visit.earliest);
}

uint64_t timers_next_idle(const struct process *process)
{
	struct visit visit = {process_now_ns(process), NEVER_NS, true};

	count_left(process, &visit, &process->timers[ITIMER_REAL], false);
	for (size_t i = 0; i < process->posix_timer_count; i++) {
		const struct posix_timer *timer = process->posix_timers[i];

		if (timer)
			count_left(process, &visit, &timer->timer, counts_cpu_time(timer->clock));
	}
	for (struct timer_file *one = process->timer_files; one; one = one->next)
		count_left(process, &visit, &one->timer, false);
	return visit.earliest == NEVER_NS ? NEVER_NS : time_add(visit.now, visit.earliest);
}

void timers_changed(struct process *process)
{
	uint64_t now = process_now_ns(process), next = timers_run(process);
	uint64_t left = process->slice_ends - process->cpu.instructions;

	if (process->slice_ends <= process->cpu.instructions)
		return;
	if (next != NEVER_NS && next - now < left)
		process->slice_ends = process->cpu.instructions + (next - now);
}
