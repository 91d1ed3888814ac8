#include "job/worker_pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "job/jail.h"

#define TICK_MS 200

/* What a waiter, the process that waits for one worker, tells about it first. */
struct verdict {
	uint32_t is_result, is_interrupted, is_lost;
	uint32_t err_kind; /* of the sentence, if there is no result */
	uint32_t bytes;	   /* of the result or sentence that follows */
};

/* One worker's waiter, and what has come from it. */
struct slot {
	pid_t waiter; /* 0: free */
	int from;
	size_t number;
	char *bytes;
	size_t count, capacity;
};

struct pool_run {
	const struct worker_pool *pool;
	struct slot *slots;
	size_t started, running, ended; /* `started` of the pool's numbers, in their order */
	unsigned *retries;		/* of each number, so far */
	size_t *lost;			/* numbers to begin again */
	size_t lost_count, lost_capacity;
	int signals;
	sigset_t before;
	bool stops, is_interrupted, has_failed;
};

static void write_all(int fd, const void *bytes, size_t count)
{
	for (const char *p = bytes; count;) {
		ssize_t wrote = write(fd, p, count);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			_exit(1);
		p += wrote;
		count -= (size_t)wrote;
	}
}

static _Noreturn void wait_for(const struct worker_pool *pool, size_t number, int to)
{
	struct worker_task task = {0};
	struct worker_report report;
	struct err err;

	pool->task(pool->context, number, &task);
	bool ok = worker_run(&task, &report, &err);
	if (ok && !report.result && report.stop == WORKER_TIMEOUT)
		ok = err_set(&err, "a simulation was stopped by --timeout before it was done");
	struct verdict verdict = {ok && report.result, report.stop == WORKER_INTERRUPTED,
				  report.is_lost, ok ? ERR_STOPPED : err.kind, 0};
	const char *text = verdict.is_result ? report.result : ok ? "" : err.text;

	verdict.bytes = (uint32_t)(verdict.is_result ? report.result_bytes : strlen(text));
	write_all(to, &verdict, sizeof(verdict));
	write_all(to, text, verdict.bytes);
	_exit(0);
}

static bool has_more(const struct pool_run *run)
{
	return !run->stops && (run->started < run->pool->count || run->lost_count);
}

static bool start(struct pool_run *run, struct slot *slot, struct err *err)
{
	const bool is_first = run->started < run->pool->count;
	const size_t number = is_first ? run->started : run->lost[run->lost_count - 1];
	int ends[2];

	if (!worker_pipe(ends))
		return err_set_errno(err, errno, "cannot make a pipe to a worker process");
	fflush(NULL);
	pid_t parent = getpid();
	*slot = (struct slot){.waiter = fork(), .from = ends[0], .number = number};
	if (slot->waiter == 0) {
		jail_die_with(parent);
		close(ends[0]);
		close(run->signals);
		/* Signals stay blocked: one that comes while nothing watches for it is read later,
		 * or comes too late. */
		wait_for(run->pool, slot->number, ends[1]);
	}
	int reason = errno;
	close(ends[1]);
	if (slot->waiter < 0) {
		close(ends[0]);
		slot->waiter = 0;
		return err_set_errno(err, reason, "cannot start a worker process");
	}
	run->started += is_first;
	run->lost_count -= !is_first;
	run->running++;
	return true;
}

static void stop_all(struct pool_run *run)
{
	run->stops = true;
	for (unsigned i = 0; i < run->pool->at_once; i++)
		if (run->slots[i].waiter)
			kill(run->slots[i].waiter, SIGINT);
}

static bool fail_slot(struct err *err, uint32_t kind, const char *text, size_t bytes)
{
	err_set(err, "%.*s", (int)bytes, text);
	err_change_kind(err, kind < ERR_KINDS ? (enum err_kind)kind : ERR_TOOL);
	return false;
}

/* Whether the work is to be begun again; notes that it is. */
static bool retry(struct pool_run *run, size_t number)
{
	if (run->stops || run->retries[number] == run->pool->retries)
		return false;
	run->retries[number]++;
	*ARRAY_PUSH(run->lost, run->lost_count, run->lost_capacity) = number;
	return true;
}

/* Waits for the end of a waiter, and takes what it sent. */
static void finish(struct pool_run *run, struct slot *slot, struct err *err)
{
	struct verdict verdict = {0};
	struct err failure;

	close(slot->from);
	while (waitpid(slot->waiter, NULL, 0) < 0 && errno == EINTR)
		;
	slot->waiter = 0;
	run->running--;
	if (slot->count >= sizeof(verdict))
		memcpy(&verdict, slot->bytes, sizeof(verdict));
	const bool is_whole = slot->count == sizeof(verdict) + verdict.bytes;
	if ((!is_whole || verdict.is_lost) && retry(run, slot->number)) {
		free(slot->bytes);
		return;
	}
	run->ended++;
	if (!is_whole)
		verdict = (struct verdict){.is_interrupted = run->stops};
	const char *text = is_whole ? slot->bytes + sizeof(verdict) : "a worker process died";
	size_t bytes = is_whole ? verdict.bytes : strlen(text);
	bool ok = true;
	if (verdict.is_interrupted) {
		run->stops = true;
		run->is_interrupted |= !run->has_failed;
	} else if (!verdict.is_result) {
		ok = fail_slot(&failure, is_whole ? verdict.err_kind : ERR_TOOL, text, bytes);
	} else if (!run->stops) {
		ok = run->pool->done(run->pool->context, slot->number, text, bytes, &failure);
	}
	if (!ok && !run->has_failed) {
		run->has_failed = true;
		*err = failure;
		stop_all(run);
	}
	free(slot->bytes);
}

static void receive(struct pool_run *run, struct slot *slot, struct err *err)
{
	char part[65536];
	ssize_t got = read(slot->from, part, sizeof(part));

	if (got < 0 && errno == EINTR)
		return;
	if (got <= 0) {
		finish(run, slot, err);
		return;
	}
	if (slot->count + (size_t)got > slot->capacity) {
		slot->capacity = 2 * (slot->count + (size_t)got);
		slot->bytes = mem_realloc(slot->bytes, slot->capacity, 1);
	}
	memcpy(slot->bytes + slot->count, part, (size_t)got);
	slot->count += (size_t)got;
}

static void poll_all(struct pool_run *run, struct err *err)
{
	unsigned slots = run->pool->at_once;
	struct pollfd *sources = mem_alloc_array(slots + 1, sizeof(*sources));

	for (unsigned i = 0; i < slots; i++)
		sources[i] =
			(struct pollfd){run->slots[i].waiter ? run->slots[i].from : -1, POLLIN, 0};
	sources[slots] = (struct pollfd){run->signals, POLLIN, 0};
	poll(sources, slots + 1, TICK_MS);
	if (sources[slots].revents & POLLIN) {
		struct signalfd_siginfo info;

		if (read(run->signals, &info, sizeof(info)) == sizeof(info)) {
			run->is_interrupted = !run->has_failed;
			stop_all(run);
		}
	}
	for (unsigned i = 0; i < slots; i++)
		if (sources[i].revents)
			receive(run, &run->slots[i], err);
	if (run->pool->progress && !run->stops)
		run->pool->progress(run->pool->context, run->ended);
	free(sources);
}

bool worker_pool_run(const struct worker_pool *pool, bool *interrupted, struct err *err)
{
	struct pool_run run = {.pool = pool};

	*interrupted = false;
	run.signals = worker_watch_signals(&run.before, err);
	if (run.signals < 0)
		return false;
	run.slots = mem_alloc_array(pool->at_once, sizeof(*run.slots));
	run.retries = mem_alloc_array(pool->count, sizeof(*run.retries));
	while (run.running || has_more(&run)) {
		for (unsigned i = 0; i < pool->at_once; i++)
			if (!run.slots[i].waiter && has_more(&run) &&
			    !start(&run, &run.slots[i], err)) {
				run.has_failed = true;
				stop_all(&run);
			}
		poll_all(&run, err);
	}
	free(run.slots);
	free(run.retries);
	free(run.lost);
	worker_unwatch_signals(run.signals, &run.before);
	*interrupted = run.is_interrupted;
	return !run.has_failed;
}
