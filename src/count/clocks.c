#include "count/clocks.h"

#include "base/err.h"
#include "machine/observer.h"

#define STEPS 7

static const enum component orders[2][STEPS] = {
	{COMPONENT_L1D, COMPONENT_BRANCH, COMPONENT_L1I, COMPONENT_L2D, COMPONENT_DTLB,
	 COMPONENT_WALK, COMPONENT_BANDWIDTH},
	{COMPONENT_L1D, COMPONENT_BRANCH, COMPONENT_L2D, COMPONENT_BANDWIDTH, COMPONENT_DTLB,
	 COMPONENT_WALK, COMPONENT_L1I},
};

static struct config machine_with(const struct config *config, unsigned made_real)
{
	struct config m = *config;

	m.ideal_l1d |= !(made_real & 1u << COMPONENT_L1D);
	m.ideal_branch |= !(made_real & 1u << COMPONENT_BRANCH);
	m.ideal_l2d |= !(made_real & 1u << COMPONENT_L2D);
	m.ideal_dtlb |= !(made_real & 1u << COMPONENT_DTLB);
	m.ideal_walk |= !(made_real & 1u << COMPONENT_WALK);
	m.ideal_bandwidth |= !(made_real & 1u << COMPONENT_BANDWIDTH);
	if (!(made_real & 1u << COMPONENT_L1I))
		m.ideal_l1i = m.ideal_l2i = m.ideal_itlb = true;
	return m;
}

static uint32_t add_machine(struct clocks_plan *plan, const struct config *config,
			    unsigned made_real)
{
	unsigned i = 0;

	while (i < plan->machine_count && plan->made_real[i] != made_real)
		i++;
	if (i == plan->machine_count) {
		BUG_ON(i == CLOCKS_MACHINES);
		plan->machines[i] = machine_with(config, made_real);
		plan->made_real[i] = made_real;
		plan->machine_count++;
	}
	return i;
}

/* Steps that both orders begin with become one term. */
static void add_term(struct clocks_plan *plan, struct clocks_term term)
{
	for (unsigned i = 0; i < plan->term_count; i++)
		if (plan->terms[i].after == term.after && plan->terms[i].before == term.before) {
			plan->terms[i].weight += term.weight;
			return;
		}
	BUG_ON(plan->term_count == CLOCKS_TERMS);
	plan->terms[plan->term_count++] = term;
}

void clocks_plan(struct clocks_plan *plan, const struct config *config, unsigned count)
{
	*plan = (struct clocks_plan){.scale = (int32_t)count};
	for (unsigned order = 0; order < count; order++) {
		unsigned made_real = 0;
		uint32_t before = add_machine(plan, config, 0);

		add_term(plan, (struct clocks_term){COMPONENT_BASE, before, CLOCKS_NONE, 1});
		for (unsigned i = 0; i < STEPS; i++) {
			enum component component = orders[order][i];

			if (!observer_has_component(config, component))
				continue;
			made_real |= 1u << component;
			uint32_t after = add_machine(plan, config, made_real);
			add_term(plan, (struct clocks_term){component, after, before, 1});
			before = after;
		}
		plan->real = before;
	}
}

void clocks_add_fetch(uint64_t sums[COMPONENT_COUNT], const struct cycle_waits *waits)
{
	uint64_t far = (uint64_t)waits->fetch[2] + waits->fetch[3];

	sums[COMPONENT_L1I] += waits->fetch[1];
	sums[COMPONENT_L2I] += far - (far < waits->fetch_queue ? far : waits->fetch_queue);
	sums[COMPONENT_ITLB] += waits->fetch[0] - waits->fetch_walk;
}

void clocks_split_fetch(int64_t components[COMPONENT_COUNT], const uint64_t waits[COMPONENT_COUNT])
{
	const uint64_t all = waits[COMPONENT_L1I] + waits[COMPONENT_L2I] + waits[COMPONENT_ITLB];
	const int64_t fetch = components[COMPONENT_L1I];

	if (!all)
		return;
	components[COMPONENT_L2I] =
		(int64_t)((__int128)fetch * (int64_t)waits[COMPONENT_L2I] / (int64_t)all);
	components[COMPONENT_ITLB] =
		(int64_t)((__int128)fetch * (int64_t)waits[COMPONENT_ITLB] / (int64_t)all);
	components[COMPONENT_L1I] = fetch - components[COMPONENT_L2I] - components[COMPONENT_ITLB];
}
