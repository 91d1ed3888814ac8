#include "job/gain.h"

#include <math.h>

#include "base/err.h"

/* What makes a machine differ from the next one, in which the cause is real: if none of these
 * counts in a window, the cause costs nothing there. Causes without a row always may. */
static const char *const signs[CAUSE_COUNT][WINDOWS_SIGNALS] = {
	[CAUSE_UNIT_INT_MULDIV] = {"committed.multiply", "committed.divide"},
	[CAUSE_UNIT_FP_ADD] = {"committed.fp_add"},
	[CAUSE_UNIT_FP_MULDIV] = {"committed.fp_multiply", "committed.fp_divide"},
	[CAUSE_MSHR] = {"mshr.blocked", "walk.misses"},
	[CAUSE_L2I] = {"l2.instructions.misses", "l2.instructions.pending"},
	[CAUSE_L3I] = {"l3.instructions.misses", "l3.instructions.pending"},
	[CAUSE_ITLB] = {"itlb.misses", "itlb.pending"},
	[CAUSE_L2D] = {"l2.data.misses", "l2.data.pending", "walk.misses"},
	[CAUSE_L3D] = {"l3.data.misses", "l3.data.pending", "walk.misses"},
	[CAUSE_DTLB] = {"dtlb.misses", "dtlb.pending"},
	[CAUSE_WALK] = {"walk.misses"},
};

/* The cause of the link that a cause is charged with. */
static enum cause link_of(enum cause cause)
{
	switch (cause) {
	case CAUSE_SERIALISE: return CAUSE_BASE;
	case CAUSE_WAIT: return CAUSE_REPLAY;
	case CAUSE_BTB:
	case CAUSE_TAKEN: return CAUSE_BRANCH;
	default: return cause;
	}
}

/* A cause whose link the machine does not have is charged with the nearest one of its component, or
 * else with the base. */
static size_t find_link(const struct gain *g, enum cause cause)
{
	const enum cause own = link_of(cause);
	const enum component component = cause_component(g->levels, cause);

	for (size_t i = 0; i < g->count; i++)
		if (g->chain[i].cause == own)
			return i;
	for (size_t i = 0; i < g->count; i++)
		if (cause_component(g->levels, g->chain[i].cause) == component)
			return i;
	return 0;
}

static void find_signs(struct gain *g, size_t link)
{
	struct windows_like *like = &g->like[link];
	const char *const *names = signs[g->chain[link + 1].cause];
	size_t next = link + 1;

	/* The machine in which MSHRs are without a limit differs in that too. */
	if (next + 1 < g->count && g->chain[next + 1].cause == CAUSE_MSHR)
		next++;
	like->machine = next + 1 == g->count ? WINDOWS_RUN : next;
	for (unsigned i = 0; i < WINDOWS_SIGNALS && names[i]; i++) {
		like->unless[i] = signal_find(names[i]);
		BUG_ON(!like->unless[i]);
	}
}

static enum component component_of(const struct gain *g, size_t link)
{
	return cause_component(g->levels, g->chain[link].cause);
}

/* The last link that a machine has. */
static size_t last_link(const struct gain *g, size_t machine)
{
	return machine == WINDOWS_RUN ? g->count - 1 : machine;
}

void gain_init(struct gain *g, const struct config *config)
{
	struct truth_plan plan;

	*g = (struct gain){.levels = config->cache_levels};
	truth_plan_init(&plan, config, false);
	g->count = truth_chain(&plan, g->chain);
	for (size_t i = 0; i + 1 < g->count; i++) {
		g->machines[i] = plan.machines[g->chain[i].machine].config;
		find_signs(g, i);
	}
	truth_plan_release(&plan);
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		g->causes[find_link(g, i)] |= UINT64_C(1) << i;
	for (size_t i = 0; i + 1 < g->count; i++) {
		for (size_t k = i + 1; k <= last_link(g, g->like[i].machine); k++)
			g->like[i].causes |= g->causes[k];
		g->like[i].is_part = component_of(g, i) == component_of(g, i + 1) &&
				     g->chain[i].cause != CAUSE_MSHR &&
				     g->chain[i + 1].cause != CAUSE_MSHR;
	}
}

static double cycles_of(const uint64_t charged[CAUSE_COUNT], uint64_t causes, uint64_t cycles)
{
	uint64_t slots = 0, all = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		all += charged[i];
		slots += causes >> i & 1 ? charged[i] : 0;
	}
	return all ? (double)slots / (double)all * (double)cycles : 0;
}

static size_t machine_of(const struct gain *g, size_t link)
{
	return link + 1 == g->count ? WINDOWS_RUN : link;
}

/* What the links [first, last] cost. */
static struct windows_estimate estimate(const struct gain *g, const uint64_t *charged,
					uint64_t cycles, size_t first, size_t last)
{
	uint64_t causes = 0;

	for (size_t i = first; i <= last; i++)
		causes |= g->causes[i];
	return windows_estimate(g->windows,
				&(struct windows_question){
					.machine = machine_of(g, last),
					.less = first ? machine_of(g, first - 1) : WINDOWS_NONE,
					.causes = causes,
					.cycles = cycles_of(charged, causes, cycles),
				});
}

/* MSHRs are few in all machines before the one without a limit, so that one may be faster than the
 * one before it: what misses of the last cache cost is the difference of the machines around both,
 * and MSHRs have their part of that. */
static void divide_misses(struct gain_link *misses, struct gain_link *mshrs, double all)
{
	mshrs->cycles = fmin(mshrs->cycles, all);
	misses->cycles = all - mshrs->cycles;
}

/* Parts of a component are known from fewer windows than the component: they share what it costs.
 */
static void share_whole(const struct gain *g, const uint64_t *charged, uint64_t cycles,
			struct gain_link *links, size_t first, size_t last)
{
	const double whole = fmax(estimate(g, charged, cycles, first, last).cycles, 0);
	double sum = 0;

	for (size_t i = first; i <= last; i++)
		sum += links[i].cycles;
	if (sum <= 0)
		links[first].cycles = whole;
	for (size_t i = first; i <= last && sum > 0; i++)
		links[i].cycles *= whole / sum;
}

size_t gain_read(const struct gain *g, const uint64_t charged[CAUSE_COUNT], uint64_t cycles,
		 struct gain_link links[TRUTH_LINKS])
{
	size_t windows = 0, fewest = SIZE_MAX;
	double sum = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct windows_estimate e = estimate(g, charged, cycles, i, i);

		if (!e.windows)
			return 0;
		windows = windows > e.windows ? windows : e.windows;
		fewest = fewest < e.windows ? fewest : e.windows;
		links[i] = (struct gain_link){g->causes[i], fmax(e.cycles, 0), e.error};
		if (g->chain[i].cause == CAUSE_MSHR)
			divide_misses(&links[i - 1], &links[i],
				      fmax(estimate(g, charged, cycles, i - 1, i).cycles, 0));
	}
	for (size_t i = 0, end; i < g->count; i = end) {
		for (end = i + 1; end < g->count && component_of(g, end) == component_of(g, i);)
			end++;
		if (fewest < windows && end > i + 1)
			share_whole(g, charged, cycles, links, i, end - 1);
	}
	for (size_t i = 0; i < g->count; i++)
		sum += links[i].cycles;
	for (size_t i = 0; i < g->count && sum > 0; i++)
		links[i].cycles *= (double)cycles / sum;
	return sum > 0 ? windows : 0;
}

double gain_error(const struct gain *g, const uint64_t charged[CAUSE_COUNT], uint64_t cycles,
		  enum component component)
{
	size_t first = g->count, last = 0;

	for (size_t i = 0; i < g->count; i++)
		if (cause_component(g->levels, g->chain[i].cause) == component) {
			first = i < first ? i : first;
			last = i;
		}
	return first < g->count ? estimate(g, charged, cycles, first, last).error : 0;
}
