#include "pmu/events.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/rng.h"

#define CACHE_CONFIG(cache, op, result)                                             \
	(PERF_COUNT_HW_CACHE_##cache | (uint64_t)PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 (uint64_t)PERF_COUNT_HW_CACHE_RESULT_##result << 16)

const struct generic_event generic_events[] = {
#define HARDWARE(id, name, ...) {PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, name, {__VA_ARGS__}},
#define CACHE(cache, op, result, name, ...) \
	{PERF_TYPE_HW_CACHE, CACHE_CONFIG(cache, op, result), name, {__VA_ARGS__}},
#include "pmu/events.def"
#undef HARDWARE
#undef CACHE
};

size_t generic_event_count(void)
{
	return ARRAY_COUNT(generic_events);
}

struct events {
	size_t codes; /* signals, and so codes */
	bool is_named;
	bool *has; /* by number of the signal */
	uint16_t *signal_of_code;
	uint16_t *listed; /* codes that are events */
	size_t listed_count;
	struct event_meaning *meanings; /* of signals, then of the rows of events.def */
};

bool events_has_signal(const struct config *c, const struct signal_row *signal)
{
	const bool is_ooo = c->core_kind == CORE_OOO, walks = c->tlb_miss == TLB_MISS_WALK;
	const struct {
		const char *pattern;
		bool has;
	} rows[] = {
		{"*l2*", c->cache_levels >= 2},
		{"*l3*", c->cache_levels >= 3},
		{"tlb2.*", c->tlb2_entries > 0},
		{"?tlb.walks", walks},
		{"walk.*", walks},
		{"*.walk", walks},
		{"memory.walks", walks},
		{"*.write_backs.saved", c->l1d_write == WRITE_LIVE},
		{"memory.row_*", c->memory_kind == MEMORY_DRAM},
		{"dispatch.rob", is_ooo},
		{"dispatch.iq", is_ooo},
		{"dispatch.lsq", is_ooo},
		{"dispatch.branches", is_ooo},
		{"dispatch.order", !is_ooo},
		{"*fetch.taken", !is_ooo},
		{"*fetch.branches", is_ooo},
		{"*fetch.buffer", is_ooo},
		/* What an ideal switch hides does not begin. */
		{"miss.itlb*", !c->ideal_itlb},
		{"miss.dtlb*", !c->ideal_dtlb},
		{"miss.l[1-3]i*", !c->ideal_l1i},
		{"miss.l[23]i*", !c->ideal_l2i},
		{"miss.l3i*", !c->ideal_l3i},
		{"miss.l[1-3]d*", !c->ideal_l1d},
		{"miss.l[23]d*", !c->ideal_l2d},
		{"miss.l3d*", !c->ideal_l3d},
		{"loads.replayed", is_ooo && c->disambiguation == DISAMBIGUATION_PREDICT},
		{"l1i.prefetch.*", c->l1i_prefetch != PREFETCH_NONE},
		{"l1d.prefetch.*", c->l1d_prefetch != PREFETCH_NONE},
		{"l2.prefetch.*", c->l2_prefetch != PREFETCH_NONE},
		{"l3.prefetch.*", c->l3_prefetch != PREFETCH_NONE},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (!rows[i].has && fnmatch(rows[i].pattern, signal->name, 0) == 0)
			return false;
	return signal->source == SIGNAL_HW;
}

static size_t number_of(const char *name)
{
	const struct signal_row *row = signal_find(name);

	BUG_ON(!row);
	return (size_t)(row - signal_rows);
}

/* The codes in an order that depends on the seed alone. */
static void permute(struct events *events, uint64_t seed)
{
	struct rng rng = {seed};

	for (size_t i = 0; i < events->codes; i++)
		events->signal_of_code[i] = (uint16_t)i;
	for (size_t i = events->codes; seed && i > 1; i--) {
		size_t k = (size_t)rng_below(&rng, i);
		uint16_t last = events->signal_of_code[i - 1];

		events->signal_of_code[i - 1] = events->signal_of_code[k];
		events->signal_of_code[k] = last;
	}
}

/* No signals, if the machine lacks one of them. */
static struct event_meaning sum_of(const struct events *events, const struct generic_event *row)
{
	struct event_meaning sum = {.times = 1};

	for (size_t i = 0; i < EVENT_SIGNALS_MAX && row->signals[i]; i++) {
		size_t signal = number_of(row->signals[i]);

		if (!events->has[signal])
			return (struct event_meaning){.times = 1};
		sum.signals[sum.signal_count++] = (uint16_t)signal;
	}
	return sum;
}

struct events *events_create(const struct config *config, struct err *err)
{
	size_t codes = signal_count(), committed = number_of("committed");

	if (config && config->pmu_sabotage &&
	    (config->pmu_sabotage_event >= codes || config->pmu_sabotage_signal >= codes)) {
		err_set(err,
			"pmu.sabotage_event = %u and pmu.sabotage_signal = %u: both are numbers of "
			"signals, which must be below %zu",
			config->pmu_sabotage_event, config->pmu_sabotage_signal, codes);
		return NULL;
	}
	struct events *events = mem_alloc(sizeof(*events));
	events->codes = codes;
	events->is_named = !config || !config->pmu_codes;
	events->has = mem_alloc_array(codes, sizeof(*events->has));
	events->signal_of_code = mem_alloc_array(codes, sizeof(*events->signal_of_code));
	events->listed = mem_alloc_array(codes, sizeof(*events->listed));
	events->meanings =
		mem_alloc_array(codes + generic_event_count(), sizeof(*events->meanings));
	permute(events, config ? config->pmu_codes : 0);
	for (size_t i = 0; i < codes; i++) {
		events->has[i] =
			config ? events_has_signal(config, &signal_rows[i]) : i == committed;
		events->meanings[i] = (struct event_meaning){{(uint16_t)i}, 1, 1};
	}
	for (size_t i = 0; i < codes; i++)
		if (events->has[events->signal_of_code[i]])
			events->listed[events->listed_count++] = (uint16_t)i;
	for (size_t i = 0; i < generic_event_count(); i++)
		events->meanings[codes + i] = sum_of(events, &generic_events[i]);
	if (config && config->pmu_sabotage)
		events->meanings[config->pmu_sabotage_event] = (struct event_meaning){
			{(uint16_t)config->pmu_sabotage_signal}, 1, (uint8_t)config->pmu_sabotage};
	return events;
}

void events_destroy(struct events *events)
{
	if (!events)
		return;
	free(events->has);
	free(events->signal_of_code);
	free(events->listed);
	free(events->meanings);
	free(events);
}

static bool is_cache_config(uint64_t config)
{
	return (config & 0xff) < PERF_COUNT_HW_CACHE_MAX &&
	       (config >> 8 & 0xff) < PERF_COUNT_HW_CACHE_OP_MAX &&
	       config >> 16 < PERF_COUNT_HW_CACHE_RESULT_MAX;
}

static int find_generic(const struct events *events, uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < generic_event_count(); i++)
		if (generic_events[i].type == type && generic_events[i].config == config &&
		    events->meanings[events->codes + i].signal_count)
			return (int)(events->codes + i);
	return -ENOENT;
}

int events_find(const struct events *events, uint32_t type, uint64_t config)
{
	switch (type) {
	case PERF_TYPE_HARDWARE:
		return config < PERF_COUNT_HW_MAX ? find_generic(events, type, config) : -EINVAL;
	case PERF_TYPE_HW_CACHE:
		return is_cache_config(config) ? find_generic(events, type, config) : -EINVAL;
	default:
		if (config > UINT16_MAX)
			return -EINVAL;
		return config < events->codes && events->has[events->signal_of_code[config]]
			       ? events->signal_of_code[config]
			       : -ENOENT;
	}
}

const struct event_meaning *events_meaning(const struct events *events, int event)
{
	return &events->meanings[event];
}

int events_list(const struct events *events, size_t index, char *name, size_t bytes)
{
	if (index >= events->listed_count)
		return -1;
	uint16_t code = events->listed[index];
	if (events->is_named)
		snprintf(name, bytes, "%s", signal_rows[events->signal_of_code[code]].name);
	else
		snprintf(name, bytes, "r%x", code);
	return code;
}
