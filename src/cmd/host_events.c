/* The events of this host by name: those that perf_event_open(2) defines for every machine, and
 * what libpfm4 knows of this one. */
#include <linux/perf_event.h>

#include "base/array.h"
#include "cmd/collect.h"

static const struct {
	uint32_t type;
	uint64_t config;
	const char *name;
} rows[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cpu-cycles"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "cache-references"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "cache-misses"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branch-instructions"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "branch-misses"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "bus-cycles"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stalled-cycles-backend"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, "alignment-faults"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, "emulation-faults"},
};

static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
				     "iTLB",	  "branch",    "node"};
static const char *const operations[] = {"load", "store", "prefetch"};

void collect_host_events(struct collect_events *events)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		collect_add_event(events, rows[i].type, rows[i].config, rows[i].name);
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
