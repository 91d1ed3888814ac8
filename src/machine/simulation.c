#include "machine/simulation.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "core/ooo/ooo.h"
#include "machine/parts.h"

struct simulation {
	struct process *process;
	struct hierarchy *hierarchy;
	struct predictor *predictor;
	struct ooo *core;
	struct observer *observers;
	size_t observer_count, observer_capacity;
	uint64_t instructions_before; /* executed functionally before the core took over */
	bool is_over;
};

struct simulation *simulation_create(const struct config *config, struct process *process,
				     struct err *err)
{
	struct simulation *s = mem_alloc(sizeof(*s));

	s->process = process;
	s->instructions_before = process->cpu.instructions;
	if (config->core_kind != CORE_OOO) {
		err_set(err, "core.kind = inorder is not built yet; use a configuration with "
			     "core.kind = ooo, such as eyerman2006");
		simulation_destroy(s);
		return NULL;
	}
	if (ooo_in_flight(config) > SLOTS_MAX) {
		err_set(err,
			"rob.size, fetch.buffer and the front end (frontend.depth plus "
			"l1i.latency_cycles, times decode.width) together hold more than %d "
			"instructions",
			SLOTS_MAX);
		simulation_destroy(s);
		return NULL;
	}
	s->hierarchy = parts_hierarchy(config, err);
	if (s->hierarchy)
		s->predictor = parts_predictor(config, ooo_in_flight(config), err);
	if (!s->predictor) {
		simulation_destroy(s);
		return NULL;
	}
	s->core = ooo_create(config, process, s->hierarchy, s->predictor);
	ooo_set_events(s->core, false); /* until somebody looks */
	return s;
}

void simulation_destroy(struct simulation *s)
{
	if (!s)
		return;
	if (s->core)
		s->process->cpu.clock = NULL;
	ooo_destroy(s->core);
	predictor_destroy(s->predictor);
	hierarchy_destroy(s->hierarchy);
	free(s->observers);
	free(s);
}

void simulation_attach(struct simulation *s, struct observer observer)
{
	*ARRAY_PUSH(s->observers, s->observer_count, s->observer_capacity) = observer;
	ooo_set_events(s->core, true);
}

void simulation_time_by_cycles(struct simulation *s)
{
	/* No step back from what the program has seen so far. */
	s->process->slept_ns += s->process->cpu.instructions - s->core->now;
	s->process->cpu.clock = &s->core->now;
}

void simulation_set_skipping(struct simulation *s, bool skips)
{
	ooo_set_skipping(s->core, skips);
}

static const struct cycle *step(struct simulation *s)
{
	const struct cycle *cycle = ooo_step(s->core);

	for (size_t i = 0; cycle && i < s->observer_count; i++)
		s->observers[i].cycle(s->observers[i].context, cycle);
	s->is_over = !cycle;
	return cycle;
}

bool simulation_run_to(struct simulation *s, uint64_t cycles, uint64_t instructions)
{
	uint64_t until = s->core->now + cycles;

	ooo_limit_commits(s->core, instructions);
	while (s->core->now < until && s->core->counters.committed < instructions &&
	       !s->core->has_returned && step(s))
		;
	return !s->is_over && s->core->counters.committed < instructions && !s->core->has_returned;
}

bool simulation_run(struct simulation *s, uint64_t cycles)
{
	return simulation_run_to(s, cycles, UINT64_MAX);
}

void simulation_end_at_return(struct simulation *s, uint64_t call, uint64_t return_to)
{
	ooo_end_at_return(s->core, call, return_to);
}

bool simulation_has_returned(const struct simulation *s)
{
	return s->core->has_returned;
}

uint64_t simulation_cycles(const struct simulation *s)
{
	return s->core->counters.cycles;
}

uint64_t simulation_instructions(const struct simulation *s)
{
	return s->core->counters.committed;
}

size_t simulation_count(const struct simulation *s, struct counted *out, size_t most)
{
	const struct ooo_counters *n = &s->core->counters;
	struct hierarchy_counters m;
	size_t count = 0;

	hierarchy_count(s->hierarchy, &m);
	const struct counted all[] = {
		{"cycles", "cycles simulated", n->cycles},
		{"instructions", "instructions committed", n->committed},
		{"fetched", "instructions fetched, wrong paths included", n->fetched},
		{"fetched.wrong_path", "of these, on wrong paths", n->wrong_fetched},
		{"dispatched", "instructions that entered the window", n->dispatched},
		{"issued", "instructions that began to execute", n->issued},
		{"squashed", "instructions taken back after mispredictions", n->squashed},
		{"serialised", "serialising instructions committed", n->serialised},
		{"thread_switches", "times the core was drained for another thread",
		 n->thread_switches},
		{"branches", "conditional, indirect and return branches committed", n->branches},
		{"branches.mispredicted", "of these, mispredicted", n->mispredictions},
		{"branches.conditional", "conditional branches committed", n->conditional},
		{"branches.conditional.mispredicted", "of these, mispredicted",
		 n->conditional_mispredictions},
		{"branches.indirect.mispredicted", "indirect jumps and calls mispredicted",
		 n->indirect_mispredictions},
		{"branches.return.mispredicted", "returns mispredicted", n->return_mispredictions},
		{"branches.misfetched", "direct targets that decode had to supply", n->misfetches},
		{"loads", "loads and atomics committed", n->loads},
		{"loads.forwarded", "loads served by a store in the window, wrong paths included",
		 n->forwarded},
		{"stores", "stores and atomics committed", n->stores},
#define CACHE(name, which, side)                                                               \
	{name ".accesses", "look-ups, wrong paths included", m.cache[which][side].accesses},   \
		{name ".hits", "found and there", m.cache[which][side].hits},                  \
		{name ".pending", "found but still on its way", m.cache[which][side].pending}, \
		{name ".misses", "not found", m.cache[which][side].misses}
		CACHE("l1i", CACHE_L1I, SIDE_INSTRUCTION),
		CACHE("l1d", CACHE_L1D, SIDE_DATA),
		CACHE("l2.instructions", CACHE_L2, SIDE_INSTRUCTION),
		CACHE("l2.data", CACHE_L2, SIDE_DATA),
		CACHE("l3.instructions", CACHE_L3, SIDE_INSTRUCTION),
		CACHE("l3.data", CACHE_L3, SIDE_DATA),
#undef CACHE
		{"itlb.accesses", "look-ups", m.tlb[SIDE_INSTRUCTION].accesses},
		{"itlb.hits", "found", m.tlb[SIDE_INSTRUCTION].hits},
		{"itlb.pending", "found but the walk is under way",
		 m.tlb[SIDE_INSTRUCTION].pending},
		{"itlb.misses", "not found", m.tlb[SIDE_INSTRUCTION].misses},
		{"dtlb.accesses", "look-ups", m.tlb[SIDE_DATA].accesses},
		{"dtlb.hits", "found", m.tlb[SIDE_DATA].hits},
		{"dtlb.pending", "found but the walk is under way", m.tlb[SIDE_DATA].pending},
		{"dtlb.misses", "not found", m.tlb[SIDE_DATA].misses},
		{"memory.reads", "lines read on demand",
		 m.memory_reads[SIDE_INSTRUCTION] + m.memory_reads[SIDE_DATA]},
		{"memory.writes", "lines written", m.memory_writes},
		{"mshr.blocked", "attempts that found no MSHR free", m.blocked},
	};

	for (; count < ARRAY_COUNT(all) && count < most; count++)
		out[count] = all[count];
	return count;
}

static bool holds(const char *identity, uint64_t left, uint64_t right, struct err *err)
{
	return left == right
		       ? true
		       : err_set(err,
				 "internal error: %s does not hold: %" PRIu64 " is not %" PRIu64,
				 identity, left, right);
}

bool simulation_check(const struct simulation *s, struct err *err)
{
	const struct ooo *core = s->core;
	const struct ooo_counters *n = &core->counters;
	static const char *const names[CACHE_COUNT] = {"l1i", "l1d", "l2", "l3"};
	struct hierarchy_counters m;
	char text[96];

	hierarchy_count(s->hierarchy, &m);
	for (int c = 0; c < CACHE_COUNT; c++)
		for (int side = 0; side < SIDE_COUNT; side++) {
			const struct cache_counters *k = &m.cache[c][side];

			snprintf(text, sizeof(text), "%s: hits + pending + misses = accesses",
				 names[c]);
			if (!holds(text, k->hits + k->pending + k->misses, k->accesses, err))
				return false;
		}
	for (int side = 0; side < SIDE_COUNT; side++) {
		const struct tlb_counters *k = &m.tlb[side];

		if (!holds("TLB: hits + pending + misses = accesses",
			   k->hits + k->pending + k->misses, k->accesses, err))
			return false;
	}
	uint64_t in_flight = core->fetched - core->head;
	return holds("fetched = committed + squashed + in flight", n->fetched,
		     n->committed + n->squashed + in_flight, err) &&
	       holds("branches mispredicted = conditional + indirect + return", n->mispredictions,
		     n->conditional_mispredictions + n->indirect_mispredictions +
			     n->return_mispredictions,
		     err) &&
	       holds("cycles = time", n->cycles, core->now, err) &&
	       (!s->is_over || holds("instructions committed = instructions executed", n->committed,
				     s->process->cpu.instructions - s->instructions_before, err));
}
