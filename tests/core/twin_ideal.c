#include "twin_state.h"

/*
 * What ideal.at says, read from its ranges each time: an event holds if any range around the
 * instruction has it, and of several percentages the least.
 */

static bool is_in(const struct ideal_range *range, uint64_t pc)
{
	return range->first <= pc && pc <= range->last;
}

unsigned twin_percent(const struct twin *twin, uint64_t pc, enum ideal_at_event event)
{
	unsigned least = 100;

	for (unsigned r = 0; r < twin->config.ideal_at.count; r++) {
		const struct ideal_range *range = &twin->config.ideal_at.ranges[r];

		if (!is_in(range, pc))
			continue;
		if (event == IDEAL_AT_LATENCY && range->events & IDEAL_AT_BIT(LATENCY) &&
		    range->latency_percent < least)
			least = range->latency_percent;
		if (range->events & IDEAL_AT_BIT(TIME) && range->time_percent < least)
			least = range->time_percent;
	}
	return least;
}

/* Mispredictions of which a part is left: a number drawn from what was fetched before this cycle,
 * below the part. */
static bool hides_branch(const struct twin *twin, uint64_t pc)
{
	double least = 100;

	for (unsigned r = 0; r < twin->config.ideal_at.count; r++) {
		const struct ideal_range *range = &twin->config.ideal_at.ranges[r];

		if (is_in(range, pc) && range->events & IDEAL_AT_BIT(BRANCH) &&
		    range->branch_percent < least)
			least = range->branch_percent;
	}
	const uint64_t drawn =
		(twin->counters.fetched * 11400714819323198485u + pc) * 15074714826142052245u;
	return (double)(drawn >> 32) / 4294967296.0 * 100 >= least;
}

bool twin_is_ideal(const struct twin *twin, uint64_t pc, enum ideal_at_event event)
{
	if (event == IDEAL_AT_BRANCH)
		return hides_branch(twin, pc);
	if ((event == IDEAL_AT_L1D || event == IDEAL_AT_DTLB) &&
	    twin_percent(twin, pc, IDEAL_AT_TIME) == 0)
		return true;
	for (unsigned r = 0; r < twin->config.ideal_at.count; r++)
		if (is_in(&twin->config.ideal_at.ranges[r], pc) &&
		    twin->config.ideal_at.ranges[r].events & UINT32_C(1) << event)
			return true;
	return false;
}

void twin_access(struct twin *twin, enum hierarchy_operation operation, uint64_t for_pc,
		 uint64_t pc, uint64_t address, struct access_result *result)
{
	static const struct {
		enum ideal_at_event event;
		enum hierarchy_hidden hidden;
	} events[] = {
		{IDEAL_AT_L1I, HIDES_L1I},   {IDEAL_AT_L1D, HIDES_L1D},	  {IDEAL_AT_L2I, HIDES_L2I},
		{IDEAL_AT_L2D, HIDES_L2D},   {IDEAL_AT_L3I, HIDES_L3I},	  {IDEAL_AT_L3D, HIDES_L3D},
		{IDEAL_AT_ITLB, HIDES_ITLB}, {IDEAL_AT_DTLB, HIDES_DTLB},
	};
	struct access_relief relief = {0};

	for (unsigned e = 0; e < sizeof(events) / sizeof(events[0]); e++)
		if (twin_is_ideal(twin, for_pc, events[e].event))
			relief.hides |= (uint8_t)events[e].hidden;
	relief.spared_percent = (uint8_t)(100 - twin_percent(twin, for_pc, IDEAL_AT_TIME));
	hierarchy_access_spared(twin->memory, operation, pc, address, twin->now, relief, result);
}
