#include "machine/simulation.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "machine/cycle_batch.h"
#include "machine/live.h"
#include "machine/parts.h"

struct simulation {
	struct config config;
	struct process *process;
	struct hierarchy *hierarchy;
	struct predictor *predictor;
	const struct core_kind *kind;
	struct core *core;
	struct observer *observers;
	size_t observer_count, observer_capacity;
	/* Of an observer that takes several records at once; or NULL. */
	struct cycle_batch *batch;
	struct observer when_full;
	uint32_t observed, wanted;	    /* kinds of events */
	struct memory_events memory_before; /* the cache counters when the core was created */
	/* Instructions executed functionally before the core was created. */
	uint64_t instructions_before;
	unsigned cache_levels;
	bool is_write_through;
	bool is_over;
};

struct simulation *simulation_prepare(const struct config *config, struct process *process,
				      struct err *err)
{
	const struct core_kind *kind = core_kind_of(config, err);

	if (!kind)
		return NULL;
	struct simulation *s = mem_alloc(sizeof(*s));
	s->config = *config;
	s->process = process;
	s->kind = kind;
	s->cache_levels = config->cache_levels;
	s->is_write_through = config->l1d_write == WRITE_THROUGH;
	s->hierarchy = parts_hierarchy(config, err);
	if (s->hierarchy)
		s->predictor = parts_predictor(config, kind->in_flight(config), err);
	if (!s->predictor) {
		simulation_destroy(s);
		return NULL;
	}
	hierarchy_seed(s->hierarchy, process->options.seed);
	return s;
}

void simulation_warm(struct simulation *s, struct warm *warm)
{
	BUG_ON(s->core);
	warm_init(warm, s->hierarchy, s->predictor);
}

void simulation_begin(struct simulation *s, const struct config *config)
{
	s->instructions_before = s->process->cpu.instructions;
	s->memory_before = s->hierarchy->events;
	s->core = s->kind->create(config, s->process, s->hierarchy, s->predictor);
}

struct simulation *simulation_create(const struct config *config, struct process *process,
				     struct err *err)
{
	struct simulation *s = simulation_prepare(config, process, err);

	if (s)
		simulation_begin(s, config);
	return s;
}

void simulation_destroy(struct simulation *s)
{
	if (!s)
		return;
	if (s->core)
		s->process->cpu.clock = NULL;
	s->kind->destroy(s->core);
	predictor_destroy(s->predictor);
	hierarchy_destroy(s->hierarchy);
	free(s->observers);
	free(s);
}

static void need_all(struct simulation *s)
{
	struct event_needs all = {.commits = UINT16_MAX};

	for (size_t i = 0; i < MEMORY_EVENT_COUNT; i++)
		all.accesses[i] = true;
	core_need_events(s->core, &all);
}

void simulation_attach(struct simulation *s, struct observer observer)
{
	*ARRAY_PUSH(s->observers, s->observer_count, s->observer_capacity) = observer;
	s->observed |= observer.events;
	if (observer.events)
		need_all(s);
	core_want_events(s->core, s->observed | s->wanted);
}

bool simulation_attach_batch(struct simulation *s, struct cycle_batch *batch,
			     struct observer when_full)
{
	if (s->batch)
		return false;
	if (when_full.events)
		need_all(s);
	s->batch = batch;
	s->when_full = when_full;
	simulation_write_to(s, &batch->lists);
	s->observed |= when_full.events;
	core_want_events(s->core, s->observed | s->wanted);
	return true;
}

void simulation_need_events(struct simulation *s, const struct event_needs *needs)
{
	uint32_t others = s->wanted | (s->batch ? s->when_full.events : 0);

	for (size_t i = 0; i + 1 < s->observer_count; i++)
		others |= s->observers[i].events;
	if (!others)
		core_need_events(s->core, needs);
}

void simulation_write_to(struct simulation *s, struct cycle_lists *lists)
{
	core_write_to(s->core, lists);
}

void simulation_want_events(struct simulation *s, uint32_t kinds)
{
	bool is_new = (s->observed | s->wanted) != (s->observed | kinds);

	s->wanted = kinds;
	if (kinds)
		need_all(s);
	if (is_new)
		core_want_events(s->core, s->observed | kinds);
}

void simulation_time_by_cycles(struct simulation *s)
{
	struct cpu *cpu = &s->process->cpu;

	/* The program's time must not go back: neither its clocks nor its counters. */
	cpu->clock_before = cpu_time(cpu) - s->core->now;
	cpu->clock = &s->core->now;
}

void simulation_look_ahead(struct simulation *s)
{
	process_look_ahead(s->process);
	s->observer_count = 0;
	s->batch = NULL;
	s->observed = s->wanted = 0;
	need_all(s);
	core_write_to(s->core, &s->core->own);
	core_want_events(s->core, 0);
}

bool simulation_reconfigure(struct simulation *s, const struct config *config, struct err *err)
{
	const struct hierarchy_parameters memory = parts_hierarchy_parameters(config);

	BUG_ON(s->observer_count || s->batch || !s->core);
	if (!live_check(&s->config, config, err) || !config_check(config, err) ||
	    !s->kind->fits(config, err) || !hierarchy_reconfigure(s->hierarchy, &memory, err))
		return false;
	predictor_grow(s->predictor, s->kind->in_flight(config));
	s->kind->reconfigure(s->core, config);
	s->config = *config;
	return true;
}

void simulation_set_skipping(struct simulation *s, bool skips)
{
	core_set_skipping(s->core, skips);
}

static const struct cycle *step(struct simulation *s)
{
	const struct cycle *cycle = s->kind->step(s->core);

	for (size_t i = 0; cycle && i < s->observer_count; i++)
		s->observers[i].cycle(s->observers[i].context, cycle);
	if (s->batch && cycle && cycle_batch_take(s->batch, cycle))
		s->when_full.cycle(s->when_full.context, cycle);
	s->is_over = !cycle;
	return cycle;
}

bool simulation_run_to(struct simulation *s, uint64_t cycles, uint64_t instructions)
{
	const struct core *core = s->core;
	uint64_t until = core->now + cycles;

	core_limit_commits(s->core, instructions);
	while (core->now < until && core->totals.committed < instructions && !core->has_returned &&
	       step(s))
		;
	return !s->is_over && core->totals.committed < instructions && !core->has_returned;
}

bool simulation_run(struct simulation *s, uint64_t cycles)
{
	return simulation_run_to(s, cycles, UINT64_MAX);
}

void simulation_end_at_return(struct simulation *s, uint64_t call, uint64_t return_to)
{
	core_end_at_return(s->core, call, return_to);
}

void simulation_measure_call(struct simulation *s, uint64_t call, uint64_t return_to)
{
	s->instructions_before = s->process->cpu.instructions - s->core->totals.committed;
	core_measure_call(s->core, call, return_to);
}

void simulation_measure_slice(struct simulation *s, uint64_t instructions)
{
	s->instructions_before = s->process->cpu.instructions - s->core->totals.committed;
	core_measure_slice(s->core, instructions);
}

bool simulation_has_returned(const struct simulation *s)
{
	return s->core->has_returned;
}

struct simulation_stores simulation_stores(const struct simulation *s)
{
	const uint64_t waiting = s->kind->unwritten(s->core);

	return (struct simulation_stores){waiting, s->core->totals.stores - waiting};
}

uint64_t simulation_cycles(const struct simulation *s)
{
	return s->core->totals.cycles;
}

uint64_t simulation_instructions(const struct simulation *s)
{
	return s->core->totals.committed;
}

uint64_t simulation_total(const struct simulation *s, const struct signal_row *signal)
{
	static const struct core_totals none;

	BUG_ON(!signal->total);
	return signal->total(&s->core->totals, &s->hierarchy->events) -
	       signal->total(&none, &s->memory_before);
}

static uint64_t total_of(const struct simulation *s, const char *signal)
{
	return simulation_total(s, signal_find(signal));
}

/* A miss in one cache is a look-up in the next; a miss in the last is a read of memory. */
static bool check_memory(const struct simulation *s, struct err *err)
{
	static const char *const misses[2][3] = {
		{"l1i.misses", "l2.instructions.misses", "l3.instructions.misses"},
		{"l1d.misses", "l2.data.misses", "l3.data.misses"},
	};
	static const char *const below[2][3] = {
		{"l2.instructions.accesses", "l3.instructions.accesses"},
		{"l2.data.accesses", "l3.data.accesses"},
	};
	static const char *const reads[2] = {"memory.reads.instructions", "memory.reads.data"};

	for (unsigned side = 0; side < 2; side++)
		for (unsigned level = 0; level < s->cache_levels; level++) {
			bool is_last = level + 1 == s->cache_levels;
			const char *next = is_last ? reads[side] : below[side][level];
			char text[96];

			/* Stores are written through whether they hit or miss. */
			if (s->is_write_through && side == 1 && level == 0)
				continue;
			snprintf(text, sizeof(text), "%s = %s", misses[side][level], next);
			if (!core_identity(text, total_of(s, misses[side][level]),
					   total_of(s, next), err))
				return false;
		}
	return true;
}

bool simulation_check(const struct simulation *s, struct err *err)
{
	return s->kind->check(s->core, err) && check_memory(s, err) &&
	       (!s->is_over ||
		core_identity("instructions committed = instructions executed",
			      s->core->totals.committed,
			      s->process->cpu.instructions - s->instructions_before, err));
}
