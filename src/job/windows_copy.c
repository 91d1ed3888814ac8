#include "job/windows_state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "count/slots.h"
#include "isa/code.h"
#include "job/jail.h"

/* Instructions that copies tell each other they have decoded. */
#define DECODED_MOST 8192

/* Slots that a window has counted, in the copy that stays the machine that runs. */
struct counted {
	const struct windows_plan *plan;
	struct slots *slots; /* or NULL */
	size_t machines;
	uint64_t *causes, *at; /* by cause; and by machine, or NULL */
};

static uint64_t sum_of_row(const struct ledger_row *row)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum += row->slots[i];
	return sum;
}

/* Adds what has been charged so far, or takes it away. */
static void note_slots(const struct counted *c, bool takes_away)
{
	const uint64_t sign = takes_away ? UINT64_MAX : 1;
	size_t count = 0;

	if (!c->slots)
		return;
	struct ledger *ledger = slots_ledger(c->slots);
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		c->causes[i] += sign * ledger->slots[i];
	const struct ledger_row *rows = c->at ? ledger_rows(ledger, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < c->machines; k++)
			if (ideal_at_has(&c->plan->machines[k].ideal_at, rows[i].pc))
				c->at[k] += sign * sum_of_row(&rows[i]);
}

static bool is_dropped(const struct windows *w)
{
	return __atomic_load_n(&w->own->order->is_dropped, __ATOMIC_RELAXED);
}

/* A window that a system call ends counts up to the last commit. */
static struct measured measure(const struct windows *w, uint64_t settles, uint64_t length,
			       const struct counted *counted)
{
	struct simulation *s = w->plan.simulation;
	struct reading at = now(s), begin = at, half, end;
	const uint64_t from = at.instructions + settles, to = from + length;
	bool goes_on = true;

	while (goes_on && at.instructions < from) {
		goes_on = simulation_run(s, 1) && !is_dropped(w);
		begin = at = now(s);
	}
	const struct simulation_stores stores = simulation_stores(s);
	note_slots(counted, true);
	half = end = begin;
	while (goes_on && at.instructions < to) {
		goes_on = simulation_run(s, 1) && !is_dropped(w);
		at = now(s);
		end = at.instructions != end.instructions ? at : end;
		half = at.instructions < from + length / 2 ? end : half;
	}
	note_slots(counted, false);
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
	const struct counted counted = {
		plan,
		b.slots,
		w->own->order->machines,
		to->slots,
		plan->counts_at ? slots_at(to, plan->count) : NULL,
	};
	to->measured[0] = measure(w, settles, length, &counted);
	for (size_t i = 0; plan->like && i < plan->count; i++)
		if (!plan->like[i].unless[0] || signs_of(&b, i) != before[i])
			to->differs |= UINT64_C(1) << i;
}

/* False if the machine cannot become that one. */
static bool run_other(struct windows *w, struct readings *to, size_t machine, uint64_t settles,
		      uint64_t length)
{
	struct simulation *s = w->plan.simulation;
	const struct counted nothing = {.plan = &w->plan};
	struct err err;

	if (!simulation_reconfigure(s, &w->plan.machines[machine], &err))
		return false;
	to->measured[machine + 1] = measure(w, settles, length, &nothing);
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
			lanes->error = windows_failure_of(status);
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

/* Machines come after those that they may be like. */
_Noreturn void windows_run_copy(struct windows *w, struct copy *copy, pid_t parent,
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
		for (size_t i = copy->order->machines; i-- > 0;)
			run_machine(w, &lanes, to, i + 1, settles, length);
		wait_for_lanes(&lanes, 0);
		_exit(lanes.error);
	}
	wait_for_lanes(&lanes, 0);
	if (w->decoded)
		code_fill(w->plan.process->cpu.code, w->decoded->pcs, w->decoded->count);
	to->simulated = lanes.error ? 0 : windows_choose_machines(w, to, without);
	run_chosen(w, &lanes, to, settles, length);
	for (size_t i = count; !lanes.error && i-- > 0;)
		if (!((to->passed_over | to->simulated) >> i & 1))
			to->measured[i + 1] = to->measured[place_of(w->plan.like[i].machine)];
	_exit(lanes.error);
}
