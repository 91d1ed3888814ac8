#include "model/retimer_stack.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/isolated.h"

enum lane { LANE_BASE, LANE_BRANCH, LANE_ICACHE, LANE_WHOLE, LANES };

struct retimer_stack {
	struct retimer *lanes[LANES];
};

static void set_ideal(struct config *config, enum lane lane)
{
	if (lane < LANE_BRANCH)
		config->ideal_branch = true;
	if (lane < LANE_ICACHE)
		config->ideal_l1i = config->ideal_itlb = true;
	if (lane != LANE_WHOLE)
		isolated_serve_long_misses(config);
}

struct retimer_stack *retimer_stack_create(const struct config *config, struct err *err)
{
	struct retimer_stack *stack = mem_alloc(sizeof(*stack));

	for (unsigned i = 0; i < LANES; i++) {
		struct config lane = *config;

		set_ideal(&lane, (enum lane)i);
		stack->lanes[i] = retimer_create(&lane, err);
		if (stack->lanes[i])
			continue;
		retimer_stack_destroy(stack);
		return NULL;
	}
	return stack;
}

void retimer_stack_destroy(struct retimer_stack *stack)
{
	for (unsigned i = 0; stack && i < LANES; i++)
		retimer_destroy(stack->lanes[i]);
	free(stack);
}

void retimer_stack_add(struct retimer_stack *stack, const struct trace_step *steps, size_t count)
{
	for (unsigned i = 0; i < LANES; i++)
		retimer_add(stack->lanes[i], steps, count);
}

void retimer_stack_components(const struct retimer_stack *stack, uint64_t instructions,
			      struct model_components *components)
{
	double cpis[LANES];

	for (unsigned i = 0; i < LANES; i++)
		cpis[i] = instructions
				  ? (double)retimer_cycles(stack->lanes[i]) / (double)instructions
				  : 0;
	*components = (struct model_components){
		.base = cpis[LANE_BASE],
		.branch = cpis[LANE_BRANCH] - cpis[LANE_BASE],
		.icache = cpis[LANE_ICACHE] - cpis[LANE_BRANCH],
		.dmiss = cpis[LANE_WHOLE] - cpis[LANE_ICACHE],
		.cpi = cpis[LANE_WHOLE],
	};
}
