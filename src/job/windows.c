#include "job/windows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/rng.h"
#include "job/jail.h"

/* In instructions: what a window counts, and before that, also if a system call has just emptied
 * the core. One below WINDOW_LEAST says too little. A stratum is as long as a window, or this part
 * of what has passed if that is longer. */
#define WINDOW_LENGTH  50000
#define WINDOW_SETTLES 4000
#define WINDOW_RESUMES 200
#define WINDOW_LEAST   500
#define STRATUM_PARTS  20
#define WINDOW_TRIES   16 /* windows of a stratum, if something cuts them short */

struct reading {
	uint64_t instructions, cycles;
};

/* What a copy has measured: the whole window, and its first half. */
struct measured {
	struct reading all, half;
};

/* A stratum of the run and what its windows have measured, added up. */
struct stratum {
	struct reading begin, end; /* of the run */
	struct measured *measured; /* the machine that runs, then the others */
};

/* A copy at work, which writes to `shared`. */
struct copy {
	pid_t pid; /* 0: none */
	size_t stratum, machine;
	struct measured *shared;
};

struct windows {
	struct windows_plan plan;
	struct stratum *list;
	size_t count, capacity;
	struct rng rng;
	uint64_t open_at;     /* instructions at which the next window opens; UINT64_MAX: none */
	uint64_t window_end;  /* where the last one ends if nothing cuts it short */
	uint64_t stratum_end; /* of the stratum under way */
	uint64_t outside;     /* what the process had done outside itself when it opened */
	unsigned tries;	      /* windows of the stratum under way */
	struct copy *copies;
	struct measured *shared; /* plan.copies of them */
};

struct windows *windows_create(const struct windows_plan *plan, struct err *err)
{
	struct windows *w = mem_alloc(sizeof(*w));

	w->plan = *plan;
	w->rng.state = 1;
	w->copies = mem_alloc_array(plan->copies, sizeof(*w->copies));
	w->shared = mmap(NULL, plan->copies * sizeof(*w->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->shared == MAP_FAILED) {
		err_set_errno(err, errno, "cannot get memory for windows on other machines");
		free(w->copies);
		free(w);
		return NULL;
	}
	for (unsigned i = 0; i < plan->copies; i++)
		w->copies[i].shared = &w->shared[i];
	return w;
}

static void add(struct reading *sum, const struct reading *more)
{
	sum->instructions += more->instructions;
	sum->cycles += more->cycles;
}

/* Takes what a copy has measured; one that failed has measured nothing. */
static void take(struct windows *w, struct copy *copy, int status)
{
	struct measured *sum = &w->list[copy->stratum].measured[copy->machine];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		add(&sum->all, &copy->shared->all);
		add(&sum->half, &copy->shared->half);
	}
	copy->pid = 0;
}

/* Waits until some copy has ended. False if there is none. */
static bool wait_for_one(struct windows *w)
{
	int status;
	pid_t pid;

	do
		pid = wait4(-1, &status, 0, NULL);
	while (pid < 0 && errno == EINTR);
	for (unsigned i = 0; pid > 0 && i < w->plan.copies; i++)
		if (w->copies[i].pid == pid)
			take(w, &w->copies[i], status);
	return pid > 0;
}

static struct reading now(const struct simulation *s)
{
	return (struct reading){simulation_instructions(s), simulation_cycles(s)};
}

void windows_finish(struct windows *w)
{
	while (wait_for_one(w))
		;
	if (w->count)
		w->list[w->count - 1].end = now(w->plan.simulation);
}

void windows_destroy(struct windows *w)
{
	if (!w)
		return;
	while (wait_for_one(w))
		;
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i].measured);
	munmap(w->shared, w->plan.copies * sizeof(*w->shared));
	free(w->copies);
	free(w->list);
	free(w);
}

static struct reading since(struct reading begin, struct reading end)
{
	return (struct reading){end.instructions - begin.instructions, end.cycles - begin.cycles};
}

/* In a copy. A window that a system call ends counts up to the last commit. */
static struct measured measure(struct simulation *s, uint64_t settles, uint64_t length)
{
	struct reading at = now(s), begin = at, half, end;
	const uint64_t from = at.instructions + settles, to = from + length;
	bool goes_on = true;

	while (goes_on && at.instructions < from) {
		goes_on = simulation_run(s, 1);
		begin = at = now(s);
	}
	half = end = begin;
	while (goes_on && at.instructions < to) {
		goes_on = simulation_run(s, 1);
		at = now(s);
		end = at.instructions != end.instructions ? at : end;
		half = at.instructions < from + length / 2 ? end : half;
	}
	return (struct measured){since(begin, end), since(begin, half)};
}

static _Noreturn void run_copy(struct windows *w, const struct copy *copy, pid_t parent,
			       uint64_t settles, uint64_t length)
{
	struct simulation *s = w->plan.simulation;
	struct err err;

	jail_die_with(parent);
	simulation_look_ahead(s);
	if (copy->machine && !simulation_reconfigure(s, &w->plan.machines[copy->machine - 1], &err))
		_exit(1);
	*copy->shared = measure(s, settles, length);
	_exit(0);
}

/* A place for one more copy, which is awaited. */
static struct copy *free_copy(struct windows *w)
{
	for (;;) {
		for (unsigned i = 0; i < w->plan.copies; i++)
			if (!w->copies[i].pid)
				return &w->copies[i];
		if (!wait_for_one(w))
			BUG("all copies are at work and none can be waited for");
	}
}

static void open_window(struct windows *w, uint64_t settles, uint64_t length)
{
	const pid_t parent = getpid();

	observer_thread_drain(w->plan.thread);
	for (size_t machine = 0; machine <= w->plan.count; machine++) {
		struct copy *copy = free_copy(w);
		const pid_t own = copy->pid;

		*copy->shared = (struct measured){0};
		copy->stratum = w->count - 1;
		copy->machine = machine;
		const pid_t pid = fork();
		if (pid == 0)
			run_copy(w, copy, parent, settles, length);
		copy->pid = pid > 0 ? pid : own;
	}
}

/* The next stratum, from here on, and where its window is. */
static void begin_stratum(struct windows *w, struct reading at)
{
	const uint64_t part = at.instructions / STRATUM_PARTS;
	const uint64_t length = part > WINDOW_LENGTH ? part : WINDOW_LENGTH;
	struct stratum *stratum = ARRAY_PUSH(w->list, w->count, w->capacity);

	*stratum = (struct stratum){
		.begin = at,
		.measured = mem_alloc_array(w->plan.count + 1, sizeof(*stratum->measured)),
	};
	w->tries = 0;
	w->stratum_end = at.instructions + length;
	/* The first window counts from its beginning: the next one opens before it ends. */
	if (!at.instructions)
		w->stratum_end -= WINDOW_SETTLES;
	w->open_at = at.instructions + rng_below(&w->rng, length - WINDOW_LENGTH + 1);
}

/* Whether something outside has cut the last window short, so that the stratum gets another. */
static bool was_cut(const struct windows *w, struct reading at)
{
	return w->tries && w->tries < WINDOW_TRIES && at.instructions < w->window_end &&
	       w->plan.process->outside_count != w->outside;
}

void windows_poll(struct windows *w)
{
	const struct reading at = now(w->plan.simulation);

	if (!w->count || at.instructions >= w->stratum_end) {
		if (w->count)
			w->list[w->count - 1].end = at;
		begin_stratum(w, at);
	}
	if (at.instructions < w->open_at && !was_cut(w, at))
		return;
	const uint64_t settles = !at.instructions ? 0 : w->tries ? WINDOW_RESUMES : WINDOW_SETTLES;
	const uint64_t begin = at.instructions + settles;
	const uint64_t left = w->plan.last > begin ? w->plan.last - begin : 0;
	const uint64_t most = at.instructions ? WINDOW_LENGTH : WINDOW_LENGTH - WINDOW_SETTLES;
	const uint64_t length = left < most ? left : most;

	w->open_at = UINT64_MAX;
	w->window_end = begin + length;
	w->outside = w->plan.process->outside_count;
	w->tries++;
	if (length && process_can_look_ahead(w->plan.process))
		open_window(w, settles, length);
}

/* What an instruction costs more on a machine than on the one that runs. */
static double difference(const struct reading *run, const struct reading *other)
{
	return (double)other->cycles / (double)other->instructions -
	       (double)run->cycles / (double)run->instructions;
}

/* By how much that grows from the first half of a window to the second. */
static double growth(const struct measured *run, const struct measured *other)
{
	const struct reading run_rest = since(run->half, run->all);
	const struct reading other_rest = since(other->half, other->all);

	if (!run->half.instructions || !other->half.instructions || !run_rest.instructions ||
	    !other_rest.instructions)
		return 0;
	return difference(&run_rest, &other_rest) - difference(&run->half, &other->half);
}

/* Whether a stratum says something of a machine: a short one may be all there is. */
static bool says(const struct stratum *stratum, size_t machine)
{
	const uint64_t measured = stratum->measured[0].all.instructions;

	return measured && stratum->measured[machine].all.instructions &&
	       (measured >= WINDOW_LEAST ||
		2 * measured > stratum->end.instructions - stratum->begin.instructions);
}

struct windows_estimate windows_estimate(const struct windows *w, size_t machine)
{
	const double cycles = (double)simulation_cycles(w->plan.simulation);
	const double instructions = (double)simulation_instructions(w->plan.simulation);
	struct windows_estimate estimate = {0};
	double sum = 0, weights = 0, variance = 0, before = 0, first = 0;
	double grows = 0, grows_squares = 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct stratum *s = &w->list[i];
		const struct measured *run = &s->measured[0], *other = &s->measured[machine + 1];

		if (!says(s, machine + 1))
			continue;
		const double weight = (double)(s->end.instructions - s->begin.instructions);
		const double cost = difference(&run->all, &other->all);
		/* What is left out of a stratum is known as well as neighbours are alike. */
		const double spread = weight * fmax(0, weight - (double)run->all.instructions) / 2;

		if (estimate.windows)
			variance += (cost - before) * (cost - before) *
				    (spread + (estimate.windows == 1 ? first : 0));
		else
			first = spread;
		before = cost;
		sum += weight * cost;
		weights += weight;
		const double growing = weight * growth(run, other);
		grows += growing;
		grows_squares += growing * growing;
		estimate.windows++;
		estimate.instructions += run->all.instructions;
	}
	if (!estimate.windows)
		return estimate;
	/* Strata without a reading count as the others do on the average. */
	const double scale = instructions / weights / cycles;

	estimate.ratio = 1 + sum * scale;
	estimate.error =
		(2 * sqrt(variance) + fmax(0, fabs(grows) - 2 * sqrt(grows_squares))) * scale +
		WINDOWS_BIAS + WINDOWS_BIAS_OF_CHANGE * fabs(estimate.ratio - 1);
	/* One window without a neighbour tells little of what is outside it. */
	if (estimate.windows == 1)
		estimate.error += fabs(sum) * scale * sqrt(2 * first) / weights;
	return estimate;
}
