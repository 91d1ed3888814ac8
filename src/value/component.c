#include "value/component.h"

#include <string.h>

#include "base/err.h"

const struct component_row component_rows[COMPONENT_COUNT] = {
#define COMPONENT(id, name, levels, letter, colour, is_dark, rgb, meaning, helps) \
	{name, meaning, helps, rgb, levels, letter, colour, is_dark},
#include "value/components.def"
#undef COMPONENT
};

const struct cause_row cause_rows[CAUSE_COUNT] = {
#define CAUSE(id, name, component, meaning, helps) {name, meaning, helps, COMPONENT_##component},
#include "value/causes.def"
#undef CAUSE
};

int component_named(const char *name)
{
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (strcmp(component_rows[i].name, name) == 0)
			return i;
	return -1;
}

int cause_named(const char *name)
{
	for (int i = 0; i < CAUSE_COUNT; i++)
		if (strcmp(cause_rows[i].name, name) == 0)
			return i;
	return -1;
}

bool component_exists(unsigned levels, enum component component)
{
	return levels >= component_rows[component].levels;
}

enum component component_long(unsigned levels)
{
	return COMPONENT_L1D + levels - 1;
}

enum component cause_component(unsigned levels, enum cause cause)
{
	enum component component = cause_rows[cause].component;

	return component == COMPONENT_LAST_D ? component_long(levels) : component;
}

int64_t stack_sum(const struct stack *stack)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < COMPONENT_COUNT; i++)
		sum += stack->cycles[i];
	return sum;
}

void stack_roll_up(struct stack *stack, const int64_t causes[CAUSE_COUNT], unsigned levels)
{
	*stack = (struct stack){0};
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		stack->cycles[cause_component(levels, i)] += causes[i];
}

void apportion(const uint64_t *shares, unsigned count, uint64_t per_cycle, int64_t *cycles)
{
	uint64_t rests = 0;

	for (unsigned i = 0; i < count; i++) {
		cycles[i] = (int64_t)(shares[i] / per_cycle);
		rests += shares[i] % per_cycle;
	}
	BUG_ON(rests % per_cycle);
	/* Shares with the largest remainders come first; equal remainders keep their order. */
	uint64_t left = rests / per_cycle;
	for (uint64_t rest = per_cycle - 1; left; rest--)
		for (unsigned i = 0; left && i < count; i++)
			if (shares[i] % per_cycle == rest) {
				cycles[i]++;
				left--;
			}
}
