#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "linux/file_operations.h"

#define SLICE_INSTRUCTIONS 100000
#define THREADS_MAX	   4096

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
	wait_end(thread);
	wait_unpin(thread);
	free(thread->signals.items);
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

struct thread *thread_find(struct process *process, int tid)
{
	for (size_t i = 0; i < process->thread_count; i++)
		if (process->threads[i]->tid == tid && process->threads[i]->state != THREAD_DEAD)
			return process->threads[i];
	return NULL;
}

void thread_exit_current(struct process *process)
{
	struct thread *thread = process->current;
	const uint32_t zero = 0;

	process_charge_thread(process);
	perf_thread_ends(process, thread->tid);
	futex_thread_ends(process, thread);
	if (thread->clear_tid &&
	    memory_write(&process->memory, thread->clear_tid, &zero, sizeof(zero)))
		futex_wake(process, thread->clear_tid, 1, UINT32_MAX);
	thread->state = THREAD_DEAD;
}

/* Whether a signal is there that rt_sigtimedwait waits for. */
static bool has_awaited(const struct process *process, const struct thread *thread)
{
	return thread->state == THREAD_SIGWAIT &&
	       (thread->signals.pending | process->signals.pending) & thread->wait_set;
}

static bool is_ready(const struct process *process, const struct thread *thread, uint64_t now_ns)
{
	switch (thread->state) {
	case THREAD_RUNNABLE: return true;
	case THREAD_DEAD: return false;
	default: break;
	}
	return has_awaited(process, thread) || thread->wake_at_ns <= now_ns ||
	       signal_is_pending(process, thread);
}

/* The call is still to be made, with the same deadline; a handler may end it instead. */
static void make_again(struct thread *thread, struct hart *hart)
{
	hart->pc -= 4;
	hart->r[REG_A0] = thread->call_argument;
	thread->is_restarting = true;
	thread->never_restarts = thread->wake_at_ns != NEVER_NS;
	thread->restart_deadline_ns = thread->wake_at_ns;
	thread->remain_address = 0;
}

/* The value in a0 of a thread that stops waiting for a reason other than the one it waits for. A
 * sleep, or a wait for a futex, that a signal ends is as if the call were still to be made. */
static void end_wait(struct process *process, struct thread *thread, uint64_t now_ns)
{
	struct hart *hart = thread == process->current ? &process->cpu.hart : &thread->hart;

	if (thread->state == THREAD_FUTEX && thread->wake_at_ns <= now_ns) {
		hart->r[REG_A0] = (uint64_t)-ETIMEDOUT;
	} else if (thread->state == THREAD_FUTEX && thread->futex_kind == FUTEX_WAITS_LOCK &&
		   thread->futex_address != thread->call_argument) {
		/* It was moved to another futex, which the call cannot be made again for. */
		hart->r[REG_A0] = (uint64_t)-EAGAIN;
	} else if (thread->state == THREAD_FUTEX && thread->futex_kind != FUTEX_WAITS) {
		/* A lock is waited for again whatever the handler's flags. */
		hart->pc -= 4;
		hart->r[REG_A0] = thread->call_argument;
	} else if (thread->state == THREAD_FUTEX) {
		make_again(thread, hart);
	} else if (thread->state == THREAD_SLEEP && thread->wake_at_ns > now_ns) {
		uint64_t left = thread->wake_at_ns - now_ns;
		int64_t time[2] = {(int64_t)(left / 1000000000), (int64_t)(left % 1000000000)};

		if (thread->remain_address &&
		    !memory_write(&process->memory, thread->remain_address, time, sizeof(time)))
			hart->r[REG_A0] = (uint64_t)-EFAULT;
		else
			make_again(thread, hart);
	} else if (has_awaited(process, thread)) {
		/* Who waits for a signal takes it, and no handler does. */
		thread->was_notified = true;
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
	bool has_slept = false;
	size_t start = 0;

	process_charge_thread(process);
	process->idle_round++;
	for (size_t i = 0; i < process->thread_count; i++)
		if (process->threads[i] == old)
			start = i;
	for (;;) {
		uint64_t timer = timers_run(process);
		uint64_t earliest = NEVER_NS;

		for (size_t i = 1; i <= process->thread_count; i++) {
			struct thread *thread =
				process->threads[(start + i) % process->thread_count];

			if (thread->state != THREAD_DEAD && thread->wake_at_ns < earliest)
				earliest = thread->wake_at_ns;
			if (!is_ready(process, thread, now_ns))
				continue;
			if (thread->state != THREAD_RUNNABLE)
				end_wait(process, thread, now_ns);
			wait_end(thread);
			process->context_switches += thread != old || has_slept;
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
		uint64_t idle = timers_next_idle(process);
		if (idle < earliest)
			earliest = idle;
		if (earliest == NEVER_NS) {
			fail_with_deadlock(process);
			return;
		}
		if (earliest > LATEST_NS) {
			process_fail(process,
				     "the program waits until after the end of the simulated "
				     "clock, %llu years after it began",
				     (unsigned long long)(LATEST_NS / 1000000000 / 31556952));
			return;
		}
		process->slept_ns += earliest - now_ns;
		now_ns = earliest;
		has_slept = true;
	}
}
