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
#include "count/slots.h"
#include "isa/code.h"
#include "job/jail.h"
#include "job/windows_state.h"

/* In instructions: what is not counted if a system call has just emptied the core. */
#define WINDOW_RESUMES 200
#define MACHINES_MOST  64 /* that may be like others */
#define WINDOW_TRIES   16 /* windows of a stratum, if something cuts them short */
/* Making copies costs something, however soon they end: at least this part of a whole window. */
#define WINDOW_COST_LEAST 0.25
/* A machine tells little in a window if it takes as long as another one but for this part of the
 * cycles, and may again if this part of the slots is charged to their difference. Then it is left
 * out of so many windows. */
#define DULL_CHANGE  0.002
#define DULL_SLOTS   0.005
#define DULL_WINDOWS 3
/* A machine that tells parts is simulated in one of so many windows. */
#define PARTS_EVERY 3
/* So many early windows wait. Of so many strata, one keeps its window if the run goes on. */
#define WAITING_MOST	16
#define STRATA_A_WINDOW 3
/* Windows that follow in any case, whatever the budget. */
#define LATE_WINDOWS 3
/* Instructions that copies tell each other they have decoded. */
#define DECODED_MOST 8192

static size_t readings_bytes(const struct windows *w)
{
	const size_t bytes =
		sizeof(struct readings) + (w->plan.count + 1) * sizeof(struct measured);

	return (bytes + 63) / 64 * 64;
}

/* Those at work, and then those that may wait. */
static unsigned copy_count(const struct windows *w)
{
	return w->plan.copies + (w->plan.schedule.spares ? WAITING_MOST : 0);
}

static size_t shared_bytes(const struct windows *w)
{
	return copy_count(w) * (readings_bytes(w) + sizeof(struct order));
}

struct windows *windows_create(const struct windows_plan *plan, struct err *err)
{
	struct windows *w = mem_alloc(sizeof(*w));

	BUG_ON(plan->like ? plan->count > MACHINES_MOST ||
				    (plan->schedule.spares && !plan->counts_slots)
			  : plan->schedule.spares);
	w->plan = *plan;
	w->rng.state = 1;
	w->allowance = plan->schedule.allowance;
	w->copies = mem_alloc_array(copy_count(w), sizeof(*w->copies));
	w->shared = mmap(NULL, shared_bytes(w), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	if (w->shared == MAP_FAILED) {
		err_set_errno(err, errno, "cannot get memory for windows on other machines");
		free(w->copies);
		free(w);
		return NULL;
	}
	struct order *orders = (struct order *)(w->shared + copy_count(w) * readings_bytes(w));
	for (unsigned i = 0; i < copy_count(w); i++) {
		w->copies[i].shared = (struct readings *)(w->shared + i * readings_bytes(w));
		w->copies[i].order = &orders[i];
		sem_init(&orders[i].go, 1, 0);
	}
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

/* Adds up what a copy has measured. */
static void add_readings(struct windows *w, const struct copy *copy)
{
	struct readings *sum = w->list[copy->stratum].readings;

	sum->simulated |= copy->shared->simulated;
	sum->spared |= copy->shared->spared;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum->slots[i] += copy->shared->slots[i];
	for (size_t i = 0; i <= w->plan.count; i++) {
		add(&sum->measured[i].all, &copy->shared->measured[i].all);
		add(&sum->measured[i].half, &copy->shared->measured[i].half);
		sum->measured[i].waiting += copy->shared->measured[i].waiting;
		sum->measured[i].written += copy->shared->measured[i].written;
	}
}

/* Takes what a copy has measured, for which it waits unless `options` is WNOHANG. Of one that is
 * simulated only for a reading, what it has measured stays where it is. */
static void take(struct windows *w, struct copy *copy, int options)
{
	int status;
	pid_t pid;

	if (!copy->pid)
		return;
	do
		pid = wait4(copy->pid, &status, options, NULL);
	while (pid < 0 && errno == EINTR);
	if (!pid)
		return;
	copy->pid = 0;
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		w->error = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : failure_of(status);
		if (w->error == ECHILD && w->plan.is_worker)
			raise(SIGKILL);
		return;
	}
	if (!copy->waits)
		add_readings(w, copy);
}

static void take_all(struct windows *w, int options)
{
	for (unsigned i = 0; i < copy_count(w); i++)
		if (!w->copies[i].waits)
			take(w, &w->copies[i], options);
}

/* A copy ends at once, whatever it does, and what it has measured does not count. */
static void drop(struct copy *copy)
{
	const pid_t pid = copy->pid;

	if (pid) {
		__atomic_store_n(&copy->order->is_dropped, true, __ATOMIC_RELAXED);
		if (copy->waits)
			sem_post(&copy->order->go);
		while (wait4(pid, NULL, 0, NULL) < 0 && errno == EINTR)
			;
	}
	copy->pid = 0;
	copy->waits = false;
}

/* Of all machines, as bits, those to simulate. */
static uint64_t choose_machines(const struct windows *w, struct readings *to,
				struct leaving_out without)
{
	uint64_t chosen = 0;

	for (size_t i = w->plan.count; i-- > 0;) {
		const struct windows_like *like = &w->plan.like[i];
		const uint64_t bit = UINT64_C(1) << i;
		const bool is_dull =
			without.dull & bit && part_of_slots(to, like->causes) <= DULL_SLOTS;
		const bool is_known =
			like->machine == WINDOWS_RUN || !(to->passed_over >> like->machine & 1);

		if (without.parts & bit)
			to->passed_over |= bit;
		else if (is_known && (is_dull || !(to->differs & bit)))
			to->spared |= to->differs & bit;
		else
			chosen |= bit;
	}
	return chosen;
}

/* What a copy would have measured had it been told before what to leave out. */
static void leave_out_later(const struct windows *w, struct copy *copy)
{
	struct readings *to = copy->shared;

	to->spared = to->passed_over = 0;
	to->simulated = choose_machines(w, to, copy->order->without);
	for (size_t i = 0; i < w->plan.count; i++)
		if (to->passed_over >> i & 1)
			to->measured[i + 1] = (struct measured){0};
}

/* All copies that wait simulate, in the order in which they were made, as many at once as may. What
 * they leave out does not depend on what others have said, and so not on how many those are.
 * Otherwise than `for_good` they go on waiting, with what they have measured: nobody knows yet what
 * they are to leave out. */
static void release_all(struct windows *w, uint64_t parts_every, bool for_good)
{
	unsigned at_work = 0, oldest = w->plan.copies, waiting = 0;

	for (unsigned i = 0; i < w->plan.copies; i++)
		take(w, &w->copies[i], 0);
	for (unsigned i = w->plan.copies; i < copy_count(w); i++)
		waiting += w->copies[i].waits && w->copies[i].pid;
	for (unsigned i = w->plan.copies; i < copy_count(w); i++) {
		struct copy *copy = &w->copies[i];

		if (!copy->waits)
			continue;
		for (size_t k = 0; parts_every && k < w->plan.count; k++)
			if (w->plan.like[k].is_part && copy->stratum % parts_every)
				copy->order->without.parts |= UINT64_C(1) << k;
		copy->waits = !for_good;
		if (!copy->pid) {
			if (for_good) {
				leave_out_later(w, copy);
				add_readings(w, copy);
			}
			continue;
		}
		for (; at_work == w->plan.copies; oldest++) {
			at_work -= w->copies[oldest].pid != 0;
			take(w, &w->copies[oldest], 0);
		}
		copy->order->lanes = waiting < w->plan.copies ? w->plan.copies / waiting : 1;
		at_work++;
		sem_post(&copy->order->go);
	}
	for (unsigned i = w->plan.copies; !for_good && i < copy_count(w); i++)
		take(w, &w->copies[i], 0);
}

static void drop_all(struct windows *w)
{
	for (unsigned i = 0; i < copy_count(w); i++)
		drop(&w->copies[i]);
}

static struct reading now(const struct simulation *s)
{
	return (struct reading){simulation_instructions(s), simulation_cycles(s)};
}

/* Adds up what copies that wait have measured, too, until the run goes on. */
static void read_waiting(struct windows *w)
{
	w->unread = mem_alloc_array(w->count, sizeof(*w->unread));
	w->unread_count = w->count;
	for (size_t i = 0; i < w->count; i++) {
		w->unread[i] = w->list[i].readings;
		w->list[i].readings = mem_alloc(readings_bytes(w));
		memcpy(w->list[i].readings, w->unread[i], readings_bytes(w));
	}
	for (unsigned i = w->plan.copies; i < copy_count(w); i++)
		if (w->copies[i].waits)
			add_readings(w, &w->copies[i]);
}

/* What windows do later does not depend on what has been read before. */
static void read_on(struct windows *w)
{
	for (size_t i = 0; i < w->unread_count; i++) {
		free(w->list[i].readings);
		w->list[i].readings = w->unread[i];
	}
	free(w->unread);
	w->unread = NULL;
	w->unread_count = 0;
}

bool windows_finish(struct windows *w, bool is_stopped, struct err *err)
{
	if (is_stopped) {
		take_all(w, WNOHANG);
		drop_all(w);
	} else {
		read_on(w);
		release_all(w, 0, false);
		read_waiting(w);
	}
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
	drop_all(w);
	read_on(w);
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i].readings);
	munmap(w->shared, shared_bytes(w));
	free(w->copies);
	free(w->list);
	free(w);
}

static void note_slots(struct slots *slots, uint64_t sums[CAUSE_COUNT])
{
	if (slots)
		memcpy(sums, slots_ledger(slots)->slots, CAUSE_COUNT * sizeof(*sums));
}

/* In a copy. */
static bool is_dropped(const struct windows *w)
{
	return __atomic_load_n(&w->own->order->is_dropped, __ATOMIC_RELAXED);
}

/* In a copy. A window that a system call ends counts up to the last commit. */
static struct measured measure(const struct windows *w, uint64_t settles, uint64_t length,
			       struct slots *slots, uint64_t counted[CAUSE_COUNT])
{
	struct simulation *s = w->plan.simulation;
	struct reading at = now(s), begin = at, half, end;
	const uint64_t from = at.instructions + settles, to = from + length;
	uint64_t before[CAUSE_COUNT] = {0};
	bool goes_on = true;

	while (goes_on && at.instructions < from) {
		goes_on = simulation_run(s, 1) && !is_dropped(w);
		begin = at = now(s);
	}
	const struct simulation_stores stores = simulation_stores(s);
	note_slots(slots, before);
	half = end = begin;
	while (goes_on && at.instructions < to) {
		goes_on = simulation_run(s, 1) && !is_dropped(w);
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
	to->measured[0] = measure(w, settles, length, b.slots, to->slots);
	for (size_t i = 0; plan->like && i < plan->count; i++)
		if (!plan->like[i].unless[0] || signs_of(&b, i) != before[i])
			to->differs |= UINT64_C(1) << i;
}

/* In a copy. False if the machine cannot become that one. */
static bool run_other(struct windows *w, struct readings *to, size_t machine, uint64_t settles,
		      uint64_t length)
{
	struct simulation *s = w->plan.simulation;
	uint64_t unused[CAUSE_COUNT] = {0};
	struct err err;

	if (!simulation_reconfigure(s, &w->plan.machines[machine], &err))
		return false;
	to->measured[machine + 1] = measure(w, settles, length, NULL, unused);
	return true;
}

/* What the copy that stays the machine that runs has decoded, in memory that copies share. */
struct decoded {
	size_t count;
	uint64_t pcs[DECODED_MOST];
};

/* Where a program begins each copy would decode the same instructions again. NULL where it does
 * not, or without memory. */
static struct decoded *share_decoded(const struct windows *w)
{
	if (w->plan.process->cpu.code->decoded_pages)
		return NULL;
	struct decoded *decoded = mmap(NULL, sizeof(*decoded), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return decoded == MAP_FAILED ? NULL : decoded;
}

static _Noreturn void run_copy(struct windows *w, struct readings *to, size_t place, pid_t parent,
			       uint64_t settles, uint64_t length)
{
	jail_die_with(parent);
	if (!place)
		measure_run(w, to, settles, length);
	if (!place && w->decoded)
		w->decoded->count =
			code_list(w->plan.process->cpu.code, w->decoded->pcs, DECODED_MOST);
	_exit(place && !run_other(w, to, place - 1, settles, length));
}

/* Copies for machines of one window, of which `most` are at work at once. */
struct lanes {
	unsigned most, at_work;
	int error; /* why one failed, the first */
};

/* Waits until at most so many are at work. */
static void wait_for_lanes(struct lanes *lanes, unsigned at_work)
{
	while (lanes->at_work > at_work) {
		int status = 1;
		const pid_t ended = wait4(-1, &status, 0, NULL);

		if (ended < 0 && errno == EINTR)
			continue;
		lanes->at_work--;
		if (!lanes->error && (ended < 0 || status))
			lanes->error = failure_of(status);
	}
}

/* Makes the copy for one machine. */
static void run_machine(struct windows *w, struct lanes *lanes, struct readings *to, size_t place,
			uint64_t settles, uint64_t length)
{
	const pid_t own = getpid();

	wait_for_lanes(lanes, lanes->most - 1);
	if (lanes->error || is_dropped(w))
		return;
	const pid_t pid = fork();
	if (pid == 0)
		run_copy(w, to, place, own, settles, length);
	lanes->error = pid < 0 ? errno : 0;
	lanes->at_work += pid > 0;
}

/* The machines chosen; the last one needs no copy of its own. */
static void run_chosen(struct windows *w, struct lanes *lanes, struct readings *to,
		       uint64_t settles, uint64_t length)
{
	for (size_t i = w->plan.count; !lanes->error && !is_dropped(w) && i-- > 0;) {
		const bool is_last = !(to->simulated & ((UINT64_C(1) << i) - 1));

		if (!(to->simulated >> i & 1))
			continue;
		if (!is_last)
			run_machine(w, lanes, to, i + 1, settles, length);
		else if (!run_other(w, to, i, settles, length))
			lanes->error = ECANCELED;
	}
	wait_for_lanes(lanes, 0);
}

/* In the copy of a window. Machines come after those that they may be like. */
static _Noreturn void run_window(struct windows *w, struct copy *copy, pid_t parent,
				 uint64_t settles, uint64_t length)
{
	const size_t count = w->plan.count;
	struct readings *to = copy->shared;

	w->own = copy;
	jail_die_with(parent);
	while (copy->waits && sem_wait(&copy->order->go) != 0)
		BUG_ON(errno != EINTR);
	if (is_dropped(w))
		_exit(0);
	const struct leaving_out without = copy->order->without;
	struct lanes lanes = {.most = copy->order->lanes};
	simulation_look_ahead(w->plan.simulation);
	w->decoded = share_decoded(w);
	run_machine(w, &lanes, to, 0, settles, length);
	if (!w->plan.like) {
		for (size_t i = count; i-- > 0;)
			run_machine(w, &lanes, to, i + 1, settles, length);
		wait_for_lanes(&lanes, 0);
		_exit(lanes.error);
	}
	wait_for_lanes(&lanes, 0);
	if (w->decoded)
		code_fill(w->plan.process->cpu.code, w->decoded->pcs, w->decoded->count);
	to->simulated = lanes.error ? 0 : choose_machines(w, to, without);
	run_chosen(w, &lanes, to, settles, length);
	for (size_t i = count; !lanes.error && i-- > 0;)
		if (!((to->passed_over | to->simulated) >> i & 1))
			to->measured[i + 1] = to->measured[place_of(w->plan.like[i].machine)];
	_exit(lanes.error);
}

static double cost_of_window(const struct windows *w)
{
	return (double)(w->plan.schedule.settles + w->plan.schedule.length) *
	       (double)(w->plan.count + 1);
}

/* Whether a machine took as long as the one it may be like, but for a little. */
static bool is_alike(const struct windows *w, const struct readings *r, size_t machine)
{
	const double own = cost_of(&r->measured[machine + 1].all);
	const double other = cost_of(&r->measured[place_of(w->plan.like[machine].machine)].all);

	return fabs(own - other) <= DULL_CHANGE * cost_of(&r->measured[0].all);
}

/* Whether a machine has told little in the last two windows that it simulated, and has not been
 * left out of too many since. */
static bool is_dull(const struct windows *w, size_t machine)
{
	unsigned left_out = 0, alike = 0;

	for (size_t i = w->count; i-- > 0 && alike < 2;) {
		const struct readings *r = w->list[i].readings;

		if (r->simulated >> machine & 1) {
			if (!is_alike(w, r, machine))
				return false;
			alike++;
		} else if (r->spared >> machine & 1 && ++left_out == DULL_WINDOWS) {
			return false;
		}
	}
	return alike == 2;
}

/* Waits for what the windows before have said. */
static struct leaving_out leave_out(struct windows *w, uint64_t at)
{
	const bool is_late = at >= w->plan.schedule.early;
	struct leaving_out without = {0};

	if (!w->plan.schedule.spares)
		return without;
	take_all(w, 0);
	for (size_t i = 0; i < w->plan.count; i++) {
		without.dull |= (uint64_t)is_dull(w, i) << i;
		if (is_late && w->plan.like[i].is_part && w->count % PARTS_EVERY)
			without.parts |= UINT64_C(1) << i;
	}
	return without;
}

/* For the next window: one that waits, if that is early and there is room; or one to be at work. */
static struct copy *choose_copy(struct windows *w, uint64_t at)
{
	if (w->plan.schedule.spares && !w->is_thin && at < w->plan.schedule.early)
		for (unsigned i = w->plan.copies; i < copy_count(w); i++)
			if (!w->copies[i].waits) {
				w->copies[i].waits = true;
				return &w->copies[i];
			}
	struct copy *copy = &w->copies[w->next_copy];

	take(w, copy, 0);
	w->next_copy = (w->next_copy + 1) % w->plan.copies;
	return copy;
}

static void open_window(struct windows *w, uint64_t settles, uint64_t length)
{
	const pid_t parent = getpid();
	const uint64_t at = now(w->plan.simulation).instructions;
	struct copy *copy = choose_copy(w, at);

	copy->order->is_dropped = false;
	copy->order->lanes = 1;
	copy->order->without = copy->waits ? (struct leaving_out){0} : leave_out(w, at);
	w->spent += cost_of_window(w);
	observer_thread_drain(w->plan.thread);
	memset(copy->shared, 0, readings_bytes(w));
	copy->stratum = w->count - 1;
	const pid_t pid = fork();
	if (pid == 0)
		run_window(w, copy, parent, settles, length);
	if (pid < 0)
		w->error = errno;
	copy->pid = pid > 0 ? pid : 0;
	copy->waits &= pid > 0;
}

/* Keeps the window of one stratum, drawn by their lengths, of the strata [first, end), which become
 * one. */
static void keep_one(struct windows *w, size_t first, size_t end, size_t place)
{
	const struct reading begin = w->list[first].begin, last = w->list[end - 1].end;
	const uint64_t drawn = rng_below(&w->rng, last.instructions - begin.instructions);
	size_t kept = first;

	while (kept + 1 < end && w->list[kept].end.instructions - begin.instructions <= drawn)
		kept++;
	for (unsigned i = w->plan.copies; i < copy_count(w); i++) {
		struct copy *copy = &w->copies[i];

		if (!copy->waits || copy->stratum < first || copy->stratum >= end)
			continue;
		if (copy->stratum == kept) {
			copy->stratum = place;
			continue;
		}
		drop(copy);
		w->spent -= cost_of_window(w);
	}
	struct readings *readings = w->list[kept].readings;
	for (size_t i = first; i < end; i++)
		if (i != kept)
			free(w->list[i].readings);
	w->list[place] = (struct stratum){begin, last, readings};
}

/* The run is not a short one: of its first windows few are simulated. */
static void thin_out(struct windows *w)
{
	size_t count = 0;

	w->is_thin = true;
	take_all(w, 0);
	for (size_t i = 0; i < w->count; i += STRATA_A_WINDOW) {
		const size_t end = i + STRATA_A_WINDOW;

		keep_one(w, i, end < w->count ? end : w->count, count++);
	}
	w->count = count;
	w->allowance = fmin(w->allowance, w->spent + LATE_WINDOWS * cost_of_window(w));
	release_all(w, PARTS_EVERY, true);
}

/* How long the stratum from here on is. */
static uint64_t stratum_length(struct windows *w, uint64_t at)
{
	const struct windows_schedule *s = &w->plan.schedule;
	const double passed = (double)at, window = (double)s->length;
	const bool is_late = s->later > 0 && at >= s->early;
	double length = is_late ? fmin(s->later * passed, (double)s->longest) : s->growth * passed;

	length = fmax(length, window);
	if (w->plan.wants_more) {
		take_all(w, 0);
		observer_thread_drain(w->plan.thread);
		if (w->plan.wants_more(w->plan.context))
			return s->length;
	}
	/* So long that the budget has grown to what its window will cost. */
	const double wanted = w->spent + cost_of_window(w) - w->allowance;
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

	read_on(w);
	if (!w->count || at.instructions >= w->stratum_end) {
		if (w->count)
			w->list[w->count - 1].end = at;
		if (schedule->spares && !w->is_thin && at.instructions >= schedule->early)
			thin_out(w);
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
