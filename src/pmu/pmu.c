#include "pmu/pmu.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/rng.h"

#define COUNTER_CYCLES	      0
#define COUNTER_INSTRUCTIONS  2
#define COUNTERS_PROGRAMMABLE 3
/* "unlimited" is more than a guest can have events. */
#define COUNTERS_MAX 4096

struct counter {
	bool is_used, counts;
	int event;
	uint64_t base;	       /* the event's sum when it began; later when it was last read */
	uint64_t shown;	       /* what the CSR showed when it was last read, if there is noise */
	uint64_t instructions; /* when it was last read, if there is noise */
};

/* Events that are alike, but for their place and instruction, and how many there were. */
struct tally {
	uint64_t key, count;
	struct cycle_event event;
};
#define TALLIES 1024

struct pmu {
	struct process *process;
	struct simulation *simulation; /* NULL before a core executes */
	struct events *events;
	struct cpu_counters csrs;
	struct counter counters[COUNTERS_MAX];
	int counter_count;
	uint64_t cycles_before, instructions_before; /* a core executes */
	unsigned noise_percent;
	struct rng rng;
	bool is_observing;
	uint64_t *sums;	 /* by signal: what records have added up */
	uint16_t *users; /* by signal: how many counters need it */
	/* Signals that records add up: those with a value in every record, and by kind of event
	 * those that need one; found again by the next record if users have changed. */
	uint16_t *valued, *evented[EVENT_KINDS];
	size_t valued_count, evented_count[EVENT_KINDS];
	bool has_changed;
	/* Events since the last reading: what they add up to is found when it is asked for. */
	struct tally tallies[TALLIES];
	uint16_t tallied[TALLIES]; /* places of those with a count */
	size_t tallied_count;
	size_t counting;	  /* programmable counters that count */
	uint32_t kinds;		  /* of events that they need */
	size_t committed, cycles; /* numbers of these signals */
};

static void find_observed(struct pmu *pmu)
{
	pmu->has_changed = false;
	pmu->valued_count = 0;
	memset(pmu->evented_count, 0, sizeof(pmu->evented_count));
	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *row = &signal_rows[i];

		if (!pmu->users[i] || row->total)
			continue;
		if (row->value)
			pmu->valued[pmu->valued_count++] = (uint16_t)i;
		for (unsigned kind = 0; !row->value && kind < EVENT_KINDS; kind++)
			if (row->events & EVENT_BIT(kind))
				pmu->evented[kind][pmu->evented_count[kind]++] = (uint16_t)i;
	}
}

static void add_event(struct pmu *pmu, const struct cycle_event *event, uint64_t count)
{
	const uint16_t *signals = pmu->evented[event->kind];

	for (size_t i = 0; i < pmu->evented_count[event->kind]; i++)
		pmu->sums[signals[i]] += signal_rows[signals[i]].amount(event) * count;
}

/* Adds up what was tallied, before somebody reads sums or other signals are observed. */
static void add_tallies(struct pmu *pmu)
{
	for (size_t i = 0; i < pmu->tallied_count; i++) {
		struct tally *tally = &pmu->tallies[pmu->tallied[i]];

		add_event(pmu, &tally->event, tally->count);
		tally->count = 0;
	}
	pmu->tallied_count = 0;
}

/* Amounts of events (signals.def) depend on what is in the key. */
static void tally_event(struct pmu *pmu, const struct cycle_event *event)
{
	uint64_t key = event->kind | (uint64_t)event->wrong_path << 8 |
		       (uint64_t)event->insn_class << 16 | (uint64_t)event->again << 24 |
		       (uint64_t)event->detail << 32 | (uint64_t)event->amount << 48;
	size_t place = key * UINT64_C(0x9e3779b97f4a7c15) >> 54;
	struct tally *tally = &pmu->tallies[place];

	if (event->amount > UINT16_MAX) {
		add_event(pmu, event, 1);
	} else if (tally->count && tally->key == key) {
		tally->count++;
	} else {
		if (tally->count)
			add_event(pmu, &tally->event, tally->count);
		else
			pmu->tallied[pmu->tallied_count++] = (uint16_t)place;
		*tally = (struct tally){key, 1, *event};
	}
}

/* With all events counted, this is most of the time of a simulation. */
static void end_cycle(void *context, const struct cycle *cycle)
{
	struct pmu *pmu = context;

	if (pmu->has_changed)
		find_observed(pmu);
	for (size_t i = 0; i < pmu->valued_count; i++)
		pmu->sums[pmu->valued[i]] +=
			signal_rows[pmu->valued[i]].value(cycle) * cycle->repeat;
	for (uint32_t e = 0; pmu->counting && e < cycle->event_count; e++)
		tally_event(pmu, &cycle->events[e]);
	/* Records in which something commits are the same whether cycles are skipped or not. */
	if (cycle->committed || pmu->process->perf.is_due)
		perf_end_cycle(pmu->process);
	/* While nothing is counted, the core makes no events: a program that measures is mostly
	 * doing something else. */
	if (!pmu->counting && pmu->kinds) {
		pmu->kinds = 0;
		simulation_want_events(pmu->simulation, 0);
	}
}

static void begin(void *context)
{
	struct pmu *pmu = context;

	if (!pmu->simulation || pmu->is_observing)
		return;
	pmu->is_observing = true;
	simulation_attach(pmu->simulation, (struct observer){end_cycle, pmu, 0});
}

static uint64_t instructions(const struct pmu *pmu)
{
	if (pmu->simulation)
		return pmu->instructions_before + simulation_instructions(pmu->simulation);
	/* A system call has been counted, and is not over. */
	return pmu->process->cpu.instructions - pmu->process->is_calling;
}

static uint64_t cycles(const struct pmu *pmu)
{
	return pmu->simulation ? pmu->cycles_before + simulation_cycles(pmu->simulation)
			       : cpu_time(&pmu->process->cpu);
}

static uint64_t sum_of(struct pmu *pmu, size_t signal)
{
	if (signal == pmu->committed)
		return instructions(pmu);
	if (!pmu->simulation)
		return 0;
	if (signal_rows[signal].total)
		return simulation_total(pmu->simulation, &signal_rows[signal]);
	add_tallies(pmu);
	return pmu->sums[signal];
}

static uint64_t sum_of_event(struct pmu *pmu, int event)
{
	const struct event_meaning *meaning = events_meaning(pmu->events, event);
	uint64_t sum = 0;

	for (size_t i = 0; i < meaning->signal_count; i++)
		sum += sum_of(pmu, meaning->signals[i]);
	return sum * meaning->times;
}

/* A number of 0 .. most. */
static uint64_t up_to(struct pmu *pmu, uint64_t most)
{
	return rng_below(&pmu->rng, most + 1);
}

/* A reading that is wrong by what has been added since the last one. */
static uint64_t read_noisily(struct pmu *pmu, struct counter *counter)
{
	uint64_t sum = sum_of_event(pmu, counter->event), now = instructions(pmu);
	uint64_t added = sum - counter->base;
	uint64_t off = added / 100 * pmu->noise_percent + added % 100 * pmu->noise_percent / 100;
	uint64_t others = (now - counter->instructions) / 16 * pmu->noise_percent / 100;

	counter->shown += added - off + up_to(pmu, 2 * off) + up_to(pmu, others);
	if (!rng_below(&pmu->rng, 100))
		counter->shown += up_to(pmu, added);
	counter->base = sum;
	counter->instructions = now;
	return counter->shown;
}

static uint64_t read_counter(void *context, int number)
{
	struct pmu *pmu = context;
	struct counter *counter = &pmu->counters[number];

	if (number == COUNTER_CYCLES)
		return cycles(pmu);
	if (number == COUNTER_INSTRUCTIONS)
		return instructions(pmu);
	if (!counter->counts)
		return 0;
	return pmu->noise_percent ? read_noisily(pmu, counter)
				  : sum_of_event(pmu, counter->event) - counter->base;
}

/* Adds signals up from now on that a counter needs, or no longer. */
static void use_signals(struct pmu *pmu, int event, int change)
{
	const struct event_meaning *meaning = events_meaning(pmu->events, event);

	add_tallies(pmu);
	pmu->has_changed = true;
	pmu->counting += (size_t)change;
	for (size_t i = 0; i < meaning->signal_count; i++) {
		const struct signal_row *row = &signal_rows[meaning->signals[i]];

		pmu->users[meaning->signals[i]] =
			(uint16_t)(pmu->users[meaning->signals[i]] + change);
		if (pmu->users[meaning->signals[i]] && !row->total && !row->value)
			pmu->kinds |= row->events;
	}
	if (change > 0 && pmu->kinds)
		simulation_want_events(pmu->simulation, pmu->kinds);
}

/* A counter of this event alone, if there is one and it is free. */
static int fixed_counter(const struct pmu *pmu, int event)
{
	const struct event_meaning *meaning = events_meaning(pmu->events, event);
	int fixed = meaning->signals[0] == pmu->cycles	    ? COUNTER_CYCLES
		    : meaning->signals[0] == pmu->committed ? COUNTER_INSTRUCTIONS
							    : COUNTER_NONE;

	return fixed == COUNTER_NONE || meaning->signal_count > 1 || meaning->times > 1 ||
			       pmu->noise_percent || pmu->counters[fixed].is_used
		       ? COUNTER_NONE
		       : fixed;
}

static int start(void *context, int event, bool counts_user)
{
	struct pmu *pmu = context;
	int number = counts_user ? fixed_counter(pmu, event) : COUNTER_NONE;

	if (number == COUNTER_NONE) {
		number = COUNTERS_PROGRAMMABLE;
		while (number < pmu->counter_count && pmu->counters[number].is_used)
			number++;
		if (number == pmu->counter_count)
			return COUNTER_NONE;
	}
	if (number >= COUNTERS_PROGRAMMABLE && counts_user)
		use_signals(pmu, event, 1);
	pmu->counters[number] = (struct counter){.is_used = true,
						 .counts = counts_user,
						 .event = event,
						 .base = sum_of_event(pmu, event),
						 .instructions = instructions(pmu)};
	return number;
}

static void stop(void *context, int number)
{
	struct pmu *pmu = context;
	struct counter *counter = &pmu->counters[number];

	if (number >= COUNTERS_PROGRAMMABLE && counter->counts)
		use_signals(pmu, counter->event, -1);
	*counter = (struct counter){0};
}

static int find(void *context, uint32_t type, uint64_t config)
{
	const struct pmu *pmu = context;

	return events_find(pmu->events, type, config);
}

static int list(void *context, size_t index, char name[PERF_NAME_BYTES])
{
	const struct pmu *pmu = context;

	return events_list(pmu->events, index, name, PERF_NAME_BYTES);
}

static bool can_count(void *context, int event)
{
	const struct pmu *pmu = context;
	const struct event_meaning *meaning = events_meaning(pmu->events, event);

	return pmu->simulation ||
	       (meaning->signal_count == 1 && meaning->signals[0] == pmu->committed);
}

/* The CSRs that a program may read: cycle always, the others while they count for it. */
static bool read_csr(void *context, unsigned csr, uint64_t *value)
{
	struct pmu *pmu = context;
	int number = (int)(csr - CSR_CYCLE);

	if (number != COUNTER_CYCLES &&
	    (number >= pmu->counter_count || !pmu->counters[number].is_used))
		return false;
	*value = read_counter(pmu, number);
	return true;
}

static void give_to_process(struct pmu *pmu, uint64_t rotation_ns)
{
	const struct counting_unit unit = {
		.context = pmu,
		.find = find,
		.list = list,
		.can_count = can_count,
		.start = start,
		.stop = stop,
		.read = read_counter,
		.begin = begin,
		.rotation_ns = rotation_ns,
		.is_timed = pmu->simulation,
	};

	perf_set_unit(pmu->process, &unit);
}

struct pmu *pmu_create(const struct config *config, struct process *process, struct err *err)
{
	struct events *events = events_create(config, err);

	if (!events)
		return NULL;
	struct pmu *pmu = mem_alloc(sizeof(*pmu));
	size_t signals = signal_count();
	bool is_limited = config && config->pmu_counters != UNLIMITED;

	pmu->process = process;
	pmu->events = events;
	pmu->csrs = (struct cpu_counters){read_csr, pmu};
	pmu->counter_count =
		is_limited ? COUNTERS_PROGRAMMABLE + (int)config->pmu_counters : COUNTERS_MAX;
	pmu->noise_percent = config ? config->pmu_noise : 0;
	pmu->rng.state = config ? config->pmu_noise_seed : 0;
	pmu->sums = mem_alloc_array(signals, sizeof(*pmu->sums));
	pmu->users = mem_alloc_array(signals, sizeof(*pmu->users));
	pmu->valued = mem_alloc_array(signals, sizeof(*pmu->valued));
	for (unsigned kind = 0; kind < EVENT_KINDS; kind++)
		pmu->evented[kind] = mem_alloc_array(signals, sizeof(*pmu->evented[kind]));
	pmu->committed = (size_t)(signal_find("committed") - signal_rows);
	pmu->cycles = (size_t)(signal_find("cycles") - signal_rows);
	process->cpu.counters = &pmu->csrs;
	give_to_process(pmu, config ? config->pmu_rotation : 1);
	return pmu;
}

void pmu_attach(struct pmu *pmu, struct simulation *simulation)
{
	const uint64_t rotation_ns = pmu->process->perf.unit.rotation_ns;

	pmu->cycles_before = cycles(pmu);
	pmu->instructions_before = instructions(pmu);
	/* What is on counters now is stopped as it was started. */
	perf_set_unit(pmu->process, &(struct counting_unit){0});
	pmu->simulation = simulation;
	give_to_process(pmu, rotation_ns);
	if (pmu->process->perf.count)
		begin(pmu);
}

void pmu_destroy(struct pmu *pmu)
{
	if (!pmu)
		return;
	perf_set_unit(pmu->process, &(struct counting_unit){0});
	pmu->process->cpu.counters = NULL;
	events_destroy(pmu->events);
	free(pmu->sums);
	free(pmu->users);
	free(pmu->valued);
	for (unsigned kind = 0; kind < EVENT_KINDS; kind++)
		free(pmu->evented[kind]);
	free(pmu);
}
