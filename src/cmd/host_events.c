/* The events of this host by name: those that perf_event_open(2) defines for every machine, and
 * what libpfm4 knows of this one. */
#include <linux/perf_event.h>

#include "base/array.h"
#include "base/err.h"
#include "cmd/readings.h"
#include "pmu/events.h"

static const struct {
	uint64_t config;
	const char *name;
} software[] = {
	{PERF_COUNT_SW_CPU_CLOCK, "cpu-clock"},
	{PERF_COUNT_SW_TASK_CLOCK, "task-clock"},
	{PERF_COUNT_SW_PAGE_FAULTS, "page-faults"},
	{PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches"},
	{PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations"},
	{PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults"},
	{PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults"},
	{PERF_COUNT_SW_ALIGNMENT_FAULTS, "alignment-faults"},
	{PERF_COUNT_SW_EMULATION_FAULTS, "emulation-faults"},
};

/* As the simulated unit names it. That has no bus, and so no event of its cycles. */
static const char *hardware_name(uint64_t config)
{
	for (size_t i = 0; i < generic_event_count(); i++)
		if (generic_events[i].type == PERF_TYPE_HARDWARE &&
		    generic_events[i].config == config)
			return generic_events[i].name;
	BUG_ON(config != PERF_COUNT_HW_BUS_CYCLES);
	return "bus-cycles";
}

static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
				     "iTLB",	  "branch",    "node"};
static const char *const operations[] = {"load", "store", "prefetch"};

void collect_host_events(struct collect_events *events)
{
	for (uint64_t i = 0; i <= PERF_COUNT_HW_REF_CPU_CYCLES; i++)
		collect_add_event(events, PERF_TYPE_HARDWARE, i, hardware_name(i));
	for (size_t i = 0; i < ARRAY_COUNT(software); i++)
		collect_add_event(events, PERF_TYPE_SOFTWARE, software[i].config, software[i].name);
	for (size_t c = 0; c < ARRAY_COUNT(caches); c++)
		for (size_t o = 0; o < ARRAY_COUNT(operations); o++)
			for (uint64_t misses = 0; misses < 2; misses++) {
				char name[64];

				/* perf itself says "loads", but "load-misses". */
				snprintf(name, sizeof(name), "%s-%s%s", caches[c], operations[o],
					 misses			   ? "-misses"
					 : operations[o][0] == 'p' ? "es"
								   : "s");
				collect_add_event(events, PERF_TYPE_HW_CACHE,
						  c | o << 8 | misses << 16, name);
			}
	collect_pfm_events(events);
}
