#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "count/count.h"
#include "count/vclk.h"

/* Virtual clocks in hardware: what commits is timed again on machines that have one cause more
 * each, and a component is what its cause adds (clocks.h). Tables and stamps have the sizes that
 * hardware would give them. The clocks differ slightly from the real one; software scales their
 * differences to the cycles of the run when it reads them. */

const struct retime_limits vclk_limits = {.stores = 16,
					  .lines = 16,
					  .pages = 4,
					  .unit_cycles = 256,
					  .stamp_bits = 10,
					  .address_bits = 32};

struct vclk {
	struct clocks_plan plan;
	struct retime *retime;
	uint64_t waits[COMPONENT_COUNT]; /* of fetch */
};

void vclk_plan(struct clocks_plan *plan, const struct config *config)
{
	clocks_plan(plan, config);
}

static void *create(const struct config *config, uint32_t slots)
{
	struct vclk *vclk = mem_alloc(sizeof(*vclk));

	(void)slots;
	vclk_plan(&vclk->plan, config);
	vclk->retime =
		retime_create_limited(vclk->plan.machines, vclk->plan.machine_count, &vclk_limits);
	return vclk;
}

static void destroy(void *counter)
{
	struct vclk *vclk = counter;

	retime_destroy(vclk->retime);
	free(vclk);
}

static void cycle(void *counter, const struct cycle *c)
{
	struct vclk *vclk = counter;
	const struct cycle_waits *waits = c->waits;

	for (unsigned i = 0; i < c->committed; i++) {
		const struct cycle_retired *insn = &c->retired[i];

		if (insn->has_waits)
			clocks_add_fetch(vclk->waits, waits);
		retime_step(vclk->retime, insn, insn->has_waits ? waits++ : NULL);
	}
}

void vclk_words(const void *counter, uint64_t *words)
{
	const struct vclk *vclk = counter;
	const unsigned machines = vclk->plan.machine_count;

	memcpy(words, retime_commits(vclk->retime), machines * sizeof(*words));
	words[machines] = vclk->waits[COMPONENT_L1I];
	words[machines + 1] = vclk->waits[COMPONENT_L2I];
	words[machines + 2] = vclk->waits[COMPONENT_ITLB];
}

static void read(const void *counter, uint64_t cycles, struct stack *stack)
{
	const struct vclk *vclk = counter;
	const uint64_t *times = retime_commits(vclk->retime);
	const uint64_t all = times[vclk->plan.real];
	int64_t others = 0;

	memset(stack, 0, sizeof(*stack));
	for (unsigned i = 0; i < vclk->plan.term_count; i++) {
		const struct clocks_term *term = &vclk->plan.terms[i];

		if (term->before == CLOCKS_NONE || times[term->after] <= times[term->before])
			continue;
		stack->cycles[term->component] =
			(int64_t)((unsigned __int128)(times[term->after] - times[term->before]) *
				  cycles / all);
	}
	clocks_split_fetch(stack->cycles, vclk->waits);
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		others += stack->cycles[i];
	stack->cycles[COMPONENT_BASE] = (int64_t)cycles - others;
}

/* Besides the clocks' own storage, each has a counter of its cycles, and fetch one for each kind of
 * wait. */
static uint64_t bits(const struct config *config)
{
	struct clocks_plan plan;
	uint64_t sum = retime_shared_bits(config, &vclk_limits) + VCLK_SUMS * COUNT_GLOBAL_BITS;

	vclk_plan(&plan, config);
	for (unsigned i = 0; i < plan.machine_count; i++)
		sum += retime_bits(&plan.machines[i], &vclk_limits) + COUNT_GLOBAL_BITS;
	return sum;
}

const struct observer_kind count_vclk = {
	.name = "vclk",
	.summary = "virtual clocks: what commits is timed again without each cause",
	.is_hardware = true,
	.needs_ooo = true,
	.events = EVENTS_RETIRED,
	.create = create,
	.cycle = cycle,
	.read = read,
	.bits = bits,
	.destroy = destroy,
};
