#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/array.h"
#include "linux/process.h"

#define SLICE_INSTRUCTIONS 100000
#define THREADS_MAX	   4096
#define ROBUST_LIST_LIMIT  2048

struct thread *thread_add(struct process *process)
{
	size_t alive = 0;

	for (size_t i = 0; i < process->thread_count; i++)
		alive += process->threads[i]->state != THREAD_DEAD;
	if (alive >= THREADS_MAX)
		return NULL;
	struct thread *thread = mem_alloc(sizeof(*thread));
	hart_init(&thread->hart);
	thread->tid = process->next_tid++;
	thread->wake_at_ns = NEVER_NS;
	if (process->current) {
		memcpy(thread->name, process->current->name, sizeof(thread->name));
	} else {
		const char *slash = strrchr(process->options.argv[0], '/');

		snprintf(thread->name, sizeof(thread->name), "%.15s",
			 slash ? slash + 1 : process->options.argv[0]);
	}
	*ARRAY_PUSH(process->threads, process->thread_count, process->thread_capacity) = thread;
	return thread;
}

void thread_free(struct thread *thread)
{
	free(thread->queue);
	free(thread);
}

static void remove_dead(struct process *process)
{
	size_t kept = 0;

	for (size_t i = 0; i < process->thread_count; i++) {
		struct thread *thread = process->threads[i];

		if (thread->state == THREAD_DEAD && thread != process->current)
			thread_free(thread);
		else
			process->threads[kept++] = thread;
	}
	process->thread_count = kept;
}

int thread_futex_wake(struct process *process, uint64_t address, uint32_t count, uint32_t bitset)
{
	int woken = 0;

	for (size_t i = 0; i < process->thread_count && (uint32_t)woken < count; i++) {
		struct thread *thread = process->threads[i];

		if (thread->state != THREAD_FUTEX || thread->futex_address != address ||
		    !(thread->futex_bitset & bitset))
			continue;
		thread->state = THREAD_RUNNABLE;
		thread->wake_at_ns = NEVER_NS;
		woken++;
	}
	return woken;
}

void thread_wake_pipes(struct process *process)
{
	for (size_t i = 0; i < process->thread_count; i++)
		if (process->threads[i]->state == THREAD_PIPE)
			process->threads[i]->state = THREAD_RUNNABLE;
}

/* A mutex of the robust list whose owner has ended is marked as such, and a waiter is woken. */
static void mark_owner_died(struct process *process, uint64_t futex, int tid)
{
	uint32_t word;

	if (futex % 4 || !memory_read(&process->memory, &word, futex, 4) ||
	    (word & FUTEX_TID_MASK) != (uint32_t)tid)
		return;
	bool has_waiters = word & FUTEX_WAITERS;
	word = (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	if (memory_write(&process->memory, futex, &word, 4) && has_waiters)
		thread_futex_wake(process, futex, 1, UINT32_MAX);
}

static void walk_robust_list(struct process *process, struct thread *thread)
{
	uint64_t head[3]; /* list, futex_offset, pending */
	uint64_t entry;

	if (!thread->robust_list ||
	    !memory_read(&process->memory, head, thread->robust_list, sizeof(head)))
		return;
	entry = head[0];
	for (int i = 0; i < ROBUST_LIST_LIMIT && entry != thread->robust_list; i++) {
		uint64_t next;

		if (!memory_read(&process->memory, &next, entry & ~UINT64_C(1), 8))
			return;
		if (entry != head[2])
			mark_owner_died(process, (entry & ~UINT64_C(1)) + head[1], thread->tid);
		entry = next;
	}
	if (head[2])
		mark_owner_died(process, (head[2] & ~UINT64_C(1)) + head[1], thread->tid);
}

void thread_exit_current(struct process *process)
{
	struct thread *thread = process->current;
	const uint32_t zero = 0;

	process_charge_thread(process);
	walk_robust_list(process, thread);
	if (thread->clear_tid &&
	    memory_write(&process->memory, thread->clear_tid, &zero, sizeof(zero)))
		thread_futex_wake(process, thread->clear_tid, 1, UINT32_MAX);
	thread->state = THREAD_DEAD;
}

static bool is_ready(const struct thread *thread, uint64_t now_ns)
{
	switch (thread->state) {
	case THREAD_RUNNABLE: return true;
	case THREAD_DEAD: return false;
	case THREAD_SIGWAIT:
		return thread->wake_at_ns <= now_ns ||
		       thread->pending & (thread->wait_set | ~thread->signal_mask);
	default: return thread->wake_at_ns <= now_ns || signal_is_pending(thread);
	}
}

/* The value in a0 of a thread that stops waiting: the reason it was woken. */
static void end_wait(struct process *process, struct thread *thread, uint64_t now_ns)
{
	struct hart *hart = thread == process->current ? &process->cpu.hart : &thread->hart;

	if (thread->state == THREAD_FUTEX)
		hart->r[REG_A0] = (uint64_t)(thread->wake_at_ns <= now_ns ? -ETIMEDOUT : -EINTR);
	else if (thread->state == THREAD_SLEEP && thread->wake_at_ns > now_ns) {
		uint64_t left = thread->wake_at_ns - now_ns;
		int64_t time[2] = {(int64_t)(left / 1000000000), (int64_t)(left % 1000000000)};

		hart->r[REG_A0] = (uint64_t)-EINTR;
		if (thread->remain_address &&
		    !memory_write(&process->memory, thread->remain_address, time, sizeof(time)))
			hart->r[REG_A0] = (uint64_t)-EFAULT;
	}
	thread->state = THREAD_RUNNABLE;
	thread->wake_at_ns = NEVER_NS;
}

static void fail_with_deadlock(struct process *process)
{
	char text[ERR_TEXT_BYTES];
	size_t used = 0;

	for (size_t i = 0; i < process->thread_count && used < sizeof(text) - 300; i++) {
		struct thread *thread = process->threads[i];
		char where[200];
		uint64_t pc = thread == process->current ? process->cpu.hart.pc : thread->hart.pc;
		uint64_t ra = thread == process->current ? process->cpu.hart.r[REG_RA]
							 : thread->hart.r[REG_RA];
		char caller[200];

		if (thread->state == THREAD_DEAD)
			continue;
		process_describe_pc(process, pc, where, sizeof(where));
		process_describe_pc(process, ra, caller, sizeof(caller));
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s thread %d at %s, called from %s", used ? ";" : "",
					 thread->tid, where, caller);
	}
	process_fail(process, "deadlock: every thread waits and none can wake another:%s", text);
}

void thread_schedule(struct process *process)
{
	struct thread *old = process->current;
	uint64_t now_ns = process_now_ns(process);
	size_t start = 0;
	bool alarm_was_tried = false;

	process_charge_thread(process);
	for (size_t i = 0; i < process->thread_count; i++)
		if (process->threads[i] == old)
			start = i;
	for (;;) {
		uint64_t timer = signal_run_timers(process);
		uint64_t earliest = NEVER_NS;

		for (size_t i = 1; i <= process->thread_count; i++) {
			struct thread *thread =
				process->threads[(start + i) % process->thread_count];

			if (thread->state != THREAD_DEAD && thread->wake_at_ns < earliest)
				earliest = thread->wake_at_ns;
			if (!is_ready(thread, now_ns))
				continue;
			if (thread->state != THREAD_RUNNABLE)
				end_wait(process, thread, now_ns);
			if (thread != old) {
				old->hart = process->cpu.hart;
				process->cpu.hart = thread->hart;
				process->current = thread;
			}
			/* A context switch clears the reservation. */
			process->cpu.hart.reservation = NO_RESERVATION;
			process->slice_ends = process->cpu.instructions + SLICE_INSTRUCTIONS;
			if (timer != NEVER_NS && timer - now_ns < SLICE_INSTRUCTIONS)
				process->slice_ends = process->cpu.instructions + (timer - now_ns);
			remove_dead(process);
			return;
		}
		/* A timer that woke nobody will not do so later either: while all threads sleep,
		 * nothing changes that decides it. So this loop ends after at most three rounds. */
		uint64_t alarm = process->timers[ITIMER_REAL].at_ns;
		if (!alarm_was_tried && alarm && alarm < earliest) {
			alarm_was_tried = true;
			earliest = alarm;
		}
		if (earliest == NEVER_NS) {
			fail_with_deadlock(process);
			return;
		}
		signal_skip_alarms(process, earliest);
		process->slept_ns += earliest - now_ns;
		now_ns = earliest;
	}
}
