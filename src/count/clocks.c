#include "count/clocks.h"

#include "base/array.h"
#include "machine/observer.h"

static const enum component order[] = {
	COMPONENT_L1D,	COMPONENT_BRANCH, COMPONENT_L1I,       COMPONENT_L2D,
	COMPONENT_DTLB, COMPONENT_WALK,	  COMPONENT_BANDWIDTH,
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

void clocks_plan(struct clocks_plan *plan, const struct config *config)
{
	unsigned made_real = 0;

	_Static_assert(ARRAY_COUNT(order) < CLOCKS_MACHINES, "a machine for each cause and none");
	*plan = (struct clocks_plan){
		.machines = {machine_with(config, 0)},
		.machine_count = 1,
		.terms = {{COMPONENT_BASE, 0, CLOCKS_NONE}},
		.term_count = 1,
	};
	for (size_t i = 0; i < ARRAY_COUNT(order); i++) {
		if (!observer_has_component(config, order[i]))
			continue;
		made_real |= 1u << order[i];
		plan->machines[plan->machine_count] = machine_with(config, made_real);
		plan->terms[plan->term_count++] =
			(struct clocks_term){order[i], plan->machine_count, plan->real};
		plan->real = plan->machine_count++;
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
