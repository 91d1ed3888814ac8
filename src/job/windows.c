#include "job/windows.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/rng.h"
#include "count/slots.h"
#include "job/jail.h"

/* In instructions: what is not counted if a system call has just emptied the core. A window below
 * WINDOW_LEAST says too little. Up to STORES_FEW stores that wait to be written are what many
 * machines have now and then. */
#define WINDOW_RESUMES 200
#define WINDOW_LEAST   500
#define STORES_FEW     64
#define MACHINES_MOST  64 /* that may be like others */
#define WINDOW_TRIES   16 /* windows of a stratum, if something cuts them short */
/* Making copies costs something, however soon they end: at least this part of a whole window. */
#define WINDOW_COST_LEAST 0.25

struct reading {
	uint64_t instructions, cycles;
};

/* What a copy has measured: the whole window, and its first half. */
struct measured {
	struct reading all, half;
	uint64_t waiting, written; /* stores, when it ended and while it was counted */
};

/* What the copies of a window have measured, the one of the machine that runs first. */
struct readings {
	uint64_t slots[CAUSE_COUNT]; /* of the machine that runs */
	uint64_t differs;	     /* machines for which something has counted, as bits */
	struct measured measured[];
};

/* A stratum of the run and what its windows have measured, added up. */
struct stratum {
	struct reading begin, end; /* of the run */
	struct readings *readings;
};

/* A copy at work, which writes to `shared`. */
struct copy {
	pid_t pid; /* 0: none */
	size_t stratum;
	struct readings *shared;
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
	int error;	      /* why a copy could not be made or work; 0: none failed */
	double spent;	      /* instructions of copies so far, if nothing cuts them short */
	struct copy *copies;
	unsigned next_copy; /* the place of the one that was made first */
	char *shared;
};

static size_t readings_bytes(const struct windows *w)
{
	const size_t bytes =
		sizeof(struct readings) + (w->plan.count + 1) * sizeof(struct measured);

	return (bytes + 63) / 64 * 64;
}

static size_t shared_bytes(const struct windows *w)
{
	return w->plan.copies * readings_bytes(w);
}

struct windows *windows_create(const struct windows_plan *plan, struct err *err)
{
	struct windows *w = mem_alloc(sizeof(*w));

	BUG_ON(plan->like && plan->count > MACHINES_MOST);
	w->plan = *plan;
	w->rng.state = 1;
	w->copies = mem_alloc_array(plan->copies, sizeof(*w->copies));
	w->shared = mmap(NULL, shared_bytes(w), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	if (w->shared == MAP_FAILED) {
		err_set_errno(err, errno, "cannot get memory for windows on other machines");
		free(w->copies);
		free(w);
		return NULL;
	}
	for (unsigned i = 0; i < plan->copies; i++)
		w->copies[i].shared = (struct readings *)(w->shared + i * readings_bytes(w));
	return w;
}

static void add(struct reading *sum, const struct reading *more)
{
	sum->instructions += more->instructions;
	sum->cycles += more->cycles;
}

/* Why a copy did not work to its end: ECHILD if it was killed from outside. */
static int failure_of(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? ECHILD : ECANCELED;
}

/* Takes what a copy has measured, for which it waits unless `options` is WNOHANG. */
static void take(struct windows *w, struct copy *copy, int options)
{
	int status;
	pid_t pid;

	if (!copy->pid)
		return;
	do
		pid = wait4(copy->pid, &status, options, NULL);
	while (pid < 0 && errno == EINTR);
	copy->pid = 0;
	if (!pid)
		return;
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		w->error = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : failure_of(status);
		if (w->error == ECHILD && w->plan.is_worker)
			raise(SIGKILL);
		return;
	}
	struct readings *sum = w->list[copy->stratum].readings;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum->slots[i] += copy->shared->slots[i];
	for (size_t i = 0; i <= w->plan.count; i++) {
		add(&sum->measured[i].all, &copy->shared->measured[i].all);
		add(&sum->measured[i].half, &copy->shared->measured[i].half);
		sum->measured[i].waiting += copy->shared->measured[i].waiting;
		sum->measured[i].written += copy->shared->measured[i].written;
	}
}

static void take_all(struct windows *w, int options)
{
	for (unsigned i = 0; i < w->plan.copies; i++)
		take(w, &w->copies[i], options);
}

static struct reading now(const struct simulation *s)
{
	return (struct reading){simulation_instructions(s), simulation_cycles(s)};
}

bool windows_finish(struct windows *w, bool is_stopped, struct err *err)
{
	take_all(w, is_stopped ? WNOHANG : 0);
	if (w->count)
		w->list[w->count - 1].end = now(w->plan.simulation);
	if (!w->error)
		return true;
	if (w->error == ECANCELED)
		return err_tool(err, "internal error: a copy of the worker, in which another "
				     "machine is simulated, did not work to its end; please "
				     "report this");
	return w->error == ECHILD
		       ? err_set(err, "a copy of this process, in which another machine is "
				      "simulated, was killed from outside (SIGKILL)")
		       : err_set_errno(err, w->error,
				       "cannot make a copy of the worker, in which another machine "
				       "is simulated; --gain-budget none makes none");
}

void windows_destroy(struct windows *w)
{
	if (!w)
		return;
	take_all(w, 0);
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i].readings);
	munmap(w->shared, shared_bytes(w));
	free(w->copies);
	free(w->list);
	free(w);
}

static struct reading since(struct reading begin, struct reading end)
{
	return (struct reading){end.instructions - begin.instructions, end.cycles - begin.cycles};
}

static void note_slots(struct slots *slots, uint64_t sums[CAUSE_COUNT])
{
	if (slots)
		memcpy(sums, slots_ledger(slots)->slots, CAUSE_COUNT * sizeof(*sums));
}

/* In a copy. A window that a system call ends counts up to the last commit. */
static struct measured measure(struct simulation *s, uint64_t settles, uint64_t length,
			       struct slots *slots, uint64_t counted[CAUSE_COUNT])
{
	struct reading at = now(s), begin = at, half, end;
	const uint64_t from = at.instructions + settles, to = from + length;
	uint64_t before[CAUSE_COUNT] = {0};
	bool goes_on = true;

	while (goes_on && at.instructions < from) {
		goes_on = simulation_run(s, 1);
		begin = at = now(s);
	}
	const struct simulation_stores stores = simulation_stores(s);
	note_slots(slots, before);
	half = end = begin;
	while (goes_on && at.instructions < to) {
		goes_on = simulation_run(s, 1);
		at = now(s);
		end = at.instructions != end.instructions ? at : end;
		half = at.instructions < from + length / 2 ? end : half;
	}
	note_slots(slots, counted);
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		counted[i] -= before[i];
	const struct simulation_stores last = simulation_stores(s);
	return (struct measured){since(begin, end), since(begin, half), last.waiting,
				 last.written - stores.written};
}

/* What the copy that stays the machine that runs looks at. */
struct baseline {
	const struct windows *w;
	struct slots *slots; /* or NULL */
	/* By machine, of signals without a running total. */
	uint64_t sums[MACHINES_MOST];
};

static void watch(void *context, const struct cycle *cycle)
{
	struct baseline *b = context;
	const struct windows_plan *plan = &b->w->plan;

	if (b->slots)
		count_slots.cycle(b->slots, cycle);
	for (size_t i = 0; plan->like && i < plan->count; i++)
		for (unsigned k = 0; k < WINDOWS_SIGNALS && plan->like[i].unless[k]; k++)
			if (!plan->like[i].unless[k]->total)
				b->sums[i] += signal_sum(plan->like[i].unless[k], cycle);
}

static uint32_t events_of(const struct windows_plan *plan)
{
	uint32_t events = plan->counts_slots ? count_slots.events : 0;

	for (size_t i = 0; plan->like && i < plan->count; i++)
		for (unsigned k = 0; k < WINDOWS_SIGNALS && plan->like[i].unless[k]; k++)
			if (!plan->like[i].unless[k]->total)
				events |= plan->like[i].unless[k]->events;
	return events;
}

/* What has counted so far of the signs that a machine may differ. */
static uint64_t signs_of(const struct baseline *b, size_t machine)
{
	const struct windows_like *like = &b->w->plan.like[machine];
	uint64_t sum = b->sums[machine];

	for (unsigned i = 0; i < WINDOWS_SIGNALS && like->unless[i]; i++)
		if (like->unless[i]->total)
			sum += simulation_total(b->w->plan.simulation, like->unless[i]);
	return sum;
}

/* In the copy that stays the machine that runs. */
static void measure_run(struct windows *w, struct readings *to, uint64_t settles, uint64_t length)
{
	const struct windows_plan *plan = &w->plan;
	struct baseline b = {.w = w};
	uint64_t before[MACHINES_MOST];

	if (plan->counts_slots)
		b.slots = count_slots.create(plan->run, 0);
	if (plan->counts_slots || plan->like)
		simulation_attach(plan->simulation, (struct observer){watch, &b, events_of(plan)});
	for (size_t i = 0; plan->like && i < plan->count; i++)
		before[i] = signs_of(&b, i);
	to->measured[0] = measure(plan->simulation, settles, length, b.slots, to->slots);
	for (size_t i = 0; plan->like && i < plan->count; i++)
		if (!plan->like[i].unless[0] || signs_of(&b, i) != before[i])
			to->differs |= UINT64_C(1) << i;
}

static size_t place_of(size_t machine)
{
	return machine == WINDOWS_RUN ? 0 : machine + 1;
}

static _Noreturn void run_copy(struct windows *w, struct readings *to, size_t place, pid_t parent,
			       uint64_t settles, uint64_t length)
{
	struct simulation *s = w->plan.simulation;
	uint64_t unused[CAUSE_COUNT] = {0};
	struct err err;

	jail_die_with(parent);
	if (!place) {
		measure_run(w, to, settles, length);
		_exit(0);
	}
	if (!simulation_reconfigure(s, &w->plan.machines[place - 1], &err))
		_exit(1);
	to->measured[place] = measure(s, settles, length, NULL, unused);
	_exit(0);
}

/* Makes the copy for one machine and waits for it; 0, or why it failed. */
static int run_machine(struct windows *w, struct readings *to, size_t place, uint64_t settles,
		       uint64_t length)
{
	const pid_t own = getpid(), pid = fork();
	const int error = errno;
	int status = 1;
	pid_t ended;

	if (pid == 0)
		run_copy(w, to, place, own, settles, length);
	do
		ended = pid < 0 ? pid : wait4(pid, &status, 0, NULL);
	while (ended < 0 && pid > 0 && errno == EINTR);
	if (pid < 0)
		return error;
	return ended >= 0 && !status ? 0 : failure_of(status);
}

/* In the copy of a window. Machines come after those that they may be like. */
static _Noreturn void run_window(struct windows *w, struct readings *to, pid_t parent,
				 uint64_t settles, uint64_t length)
{
	const struct windows_like *like = w->plan.like;

	jail_die_with(parent);
	simulation_look_ahead(w->plan.simulation);
	int error = run_machine(w, to, 0, settles, length);
	for (size_t i = w->plan.count; !error && i-- > 0;) {
		if (like && !(to->differs >> i & 1))
			to->measured[i + 1] = to->measured[place_of(like[i].machine)];
		else
			error = run_machine(w, to, i + 1, settles, length);
	}
	_exit(error);
}

static double cost_of_window(const struct windows *w)
{
	return (double)(w->plan.schedule.settles + w->plan.schedule.length) *
	       (double)(w->plan.count + 1);
}

static void open_window(struct windows *w, uint64_t settles, uint64_t length)
{
	const pid_t parent = getpid();
	struct copy *copy = &w->copies[w->next_copy];

	take(w, copy, 0);
	w->next_copy = (w->next_copy + 1) % w->plan.copies;
	w->spent += cost_of_window(w);
	observer_thread_drain(w->plan.thread);
	memset(copy->shared, 0, readings_bytes(w));
	copy->stratum = w->count - 1;
	const pid_t pid = fork();
	if (pid == 0)
		run_window(w, copy->shared, parent, settles, length);
	if (pid < 0)
		w->error = errno;
	copy->pid = pid > 0 ? pid : 0;
}

/* How long the stratum from here on is. */
static uint64_t stratum_length(struct windows *w, uint64_t at)
{
	const struct windows_schedule *s = &w->plan.schedule;
	const double passed = (double)at, window = (double)s->length;
	double length = fmax(window, s->growth * passed);

	if (w->plan.wants_more) {
		take_all(w, 0);
		observer_thread_drain(w->plan.thread);
		if (w->plan.wants_more(w->plan.context))
			return s->length;
	}
	/* So long that the budget has grown to what its window will cost. */
	const double wanted = w->spent + cost_of_window(w) - s->allowance;
	if (wanted > 0)
		length = fmax(length, wanted / s->budget - passed);
	return length < 1e15 ? (uint64_t)length : (uint64_t)1e15;
}

/* The next stratum, from here on, and where its window is. */
static void begin_stratum(struct windows *w, struct reading at)
{
	const struct windows_schedule *schedule = &w->plan.schedule;
	const uint64_t length = stratum_length(w, at.instructions);
	struct stratum *stratum = ARRAY_PUSH(w->list, w->count, w->capacity);

	*stratum = (struct stratum){
		.begin = at,
		.readings = mem_alloc(readings_bytes(w)),
	};
	w->tries = 0;
	w->stratum_end = at.instructions + length;
	/* The first window counts from its beginning: the next one opens before it ends. */
	if (!at.instructions)
		w->stratum_end -= schedule->settles;
	w->open_at = at.instructions + rng_below(&w->rng, length - schedule->length + 1);
}

/* Whether something outside has cut the last window short. What its copies did not simulate is not
 * spent. */
static bool was_cut(struct windows *w, struct reading at)
{
	if (!w->tries || at.instructions >= w->window_end ||
	    w->plan.process->outside_count == w->outside)
		return false;
	const double unused =
		(double)(w->window_end - at.instructions) * (double)(w->plan.count + 1);

	w->spent -= fmin(unused, cost_of_window(w) * (1 - WINDOW_COST_LEAST));
	w->window_end = at.instructions;
	return true;
}

void windows_poll(struct windows *w)
{
	const struct windows_schedule *schedule = &w->plan.schedule;
	const struct reading at = now(w->plan.simulation);
	const bool is_cut = was_cut(w, at);

	if (!w->count || at.instructions >= w->stratum_end) {
		if (w->count)
			w->list[w->count - 1].end = at;
		begin_stratum(w, at);
	}
	/* A stratum whose window was cut short gets another. */
	const bool is_again = is_cut && w->tries && w->tries < WINDOW_TRIES;
	if (at.instructions < w->open_at && !is_again)
		return;
	const uint64_t settles = !at.instructions ? 0
				 : w->tries	  ? WINDOW_RESUMES
						  : schedule->settles;
	const uint64_t begin = at.instructions + settles;
	const uint64_t left = w->plan.last > begin ? w->plan.last - begin : 0;
	const uint64_t most = schedule->length - (at.instructions ? 0 : schedule->settles);
	const uint64_t length = left < most ? left : most;

	w->open_at = UINT64_MAX;
	w->window_end = begin + length;
	w->outside = w->plan.process->outside_count;
	w->tries++;
	if (length && process_can_look_ahead(w->plan.process))
		open_window(w, settles, length);
}

static double cost_of(const struct reading *r)
{
	return r->instructions ? (double)r->cycles / (double)r->instructions : 0;
}

/* What an instruction costs more on a machine than on another one. */
static double difference(const struct reading *less, const struct reading *more)
{
	return cost_of(more) - cost_of(less);
}

/* By how much that grows from the first half of a window to the second. */
static double growth(const struct measured *less, const struct measured *more)
{
	const struct reading less_rest = since(less->half, less->all);
	const struct reading more_rest = since(more->half, more->all);

	if (!less->half.instructions || !more->half.instructions || !less_rest.instructions ||
	    !more_rest.instructions)
		return 0;
	return difference(&less_rest, &more_rest) - difference(&less->half, &more->half);
}

/* How far a machine is behind when a window ends, in cycles an instruction: it has more stores to
 * write than the one that runs, whose history it began with, and goes on at the rate of the window.
 * Where it has fewer, it has written some of that history too; that is not known apart. */
static double behind_by(const struct readings *r, size_t place)
{
	const struct measured *m = &r->measured[place], *run = &r->measured[0];

	if (m->waiting <= run->waiting + STORES_FEW || !m->all.instructions)
		return 0;
	return (double)(m->waiting - run->waiting) * cost_of(&m->all) /
	       (double)(m->written ? m->written : 1);
}

/* Whether a stratum says something of a machine: a short one may be all there is. */
static bool says(const struct stratum *stratum, size_t place)
{
	const uint64_t measured = stratum->readings->measured[0].all.instructions;

	return measured && stratum->readings->measured[place].all.instructions &&
	       (measured >= WINDOW_LEAST ||
		2 * measured > stratum->end.instructions - stratum->begin.instructions);
}

/* How many standard errors an estimate may be off in 19 of 20 cases: the fewer windows, the less is
 * known of the standard error too. Near the quantiles of Student's distribution. */
static double widths_of(size_t windows)
{
	return windows > 1 ? 2 + 2.6 / (double)(windows - 1) : 2;
}

/* Slots of the causes, in cycles an instruction. */
static double slots_cost(const struct readings *r, uint64_t causes)
{
	uint64_t slots = 0, all = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		all += r->slots[i];
		slots += causes >> i & 1 ? r->slots[i] : 0;
	}
	return all ? (double)slots / (double)all * cost_of(&r->measured[0].all) : 0;
}

struct windows_estimate windows_estimate(const struct windows *w, const struct windows_question *q)
{
	const double instructions = (double)simulation_instructions(w->plan.simulation);
	const size_t place = place_of(q->machine);
	const struct measured nothing = {0};
	struct windows_estimate estimate = {0};
	double sum = 0, weights = 0, variance = 0, before = 0, first = 0, all = 0;
	double differences = 0,
	       alone = 0; /* squares of neighbours'; what one window says at most */
	double grows = 0, grows_squares = 0, behind = 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct stratum *s = &w->list[i];
		const struct measured *more = &s->readings->measured[place];
		const struct measured *less = q->less == WINDOWS_NONE
						      ? &nothing
						      : &s->readings->measured[place_of(q->less)];
		const struct reading *run = &s->readings->measured[0].all;

		if (!says(s, place) || (q->less != WINDOWS_NONE && !says(s, place_of(q->less))))
			continue;
		const double weight = (double)(s->end.instructions - s->begin.instructions);
		const double later =
			behind_by(s->readings, place) -
			(q->less == WINDOWS_NONE ? 0 : behind_by(s->readings, place_of(q->less)));
		const double whole = difference(&less->all, &more->all) + later;
		const double cost = whole - slots_cost(s->readings, q->causes);
		/* What is left out of a stratum is known as well as neighbours are alike. */
		const double spread = weight * fmax(0, weight - (double)run->instructions) / 2;

		if (estimate.windows) {
			variance += (cost - before) * (cost - before) *
				    (spread + (estimate.windows == 1 ? first : 0));
			differences += (cost - before) * (cost - before);
		} else {
			first = spread;
			alone = fmax(fabs(cost), fabs(whole));
		}
		before = cost;
		sum += weight * cost;
		all += weight * whole;
		weights += weight;
		const double growing = weight * growth(less, more);
		grows += growing;
		grows_squares += growing * growing;
		behind += weight * later;
		estimate.windows++;
		estimate.instructions += run->instructions;
	}
	if (!estimate.windows)
		return estimate;
	/* Strata without a reading count as the others do on the average, but are like none of them
	 * in particular; one window says nothing of how far they may be from it. */
	const double scale = instructions / weights;
	const double missing = fmax(0, instructions - weights) / scale;
	if (estimate.windows > 1)
		variance += missing * missing * differences / (2 * (double)(estimate.windows - 1));

	estimate.cycles = q->cycles + sum * scale;
	estimate.error = (widths_of(estimate.windows) * sqrt(variance) +
			  fmax(0, fabs(grows) - 2 * sqrt(grows_squares)) + fabs(behind)) *
				 scale +
			 WINDOWS_BIAS * (double)simulation_cycles(w->plan.simulation) +
			 WINDOWS_BIAS_OF_CHANGE * fabs(q->causes ? 0 : all * scale);
	/* One window without a neighbour tells little of what is outside it. */
	if (estimate.windows == 1)
		estimate.error +=
			fabs(sum) * scale * sqrt(2 * first) / weights + missing * scale * alone;
	return estimate;
}
