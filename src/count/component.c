#include "count/component.h"

#include "base/err.h"

static const char *const component_names[COMPONENT_COUNT] = {
	[COMPONENT_BASE] = "base", [COMPONENT_L1I] = "l1i",	      [COMPONENT_L2I] = "l2i",
	[COMPONENT_L3I] = "l3i",   [COMPONENT_ITLB] = "itlb",	      [COMPONENT_BRANCH] = "branch",
	[COMPONENT_L1D] = "l1d",   [COMPONENT_L2D] = "l2d",	      [COMPONENT_L3D] = "l3d",
	[COMPONENT_DTLB] = "dtlb", [COMPONENT_RESOURCE] = "resource",
};

#define COMPONENT_LAST_D COMPONENT_COUNT

static const struct cause_row {
	const char *name;
	enum component component;
	const char *meaning;
} causes[CAUSE_COUNT] = {
#define CAUSE(id, text, component, meaning) {text, COMPONENT_##component, meaning},
#include "count/causes.def"
#undef CAUSE
};

const char *component_name(enum component component)
{
	return component_names[component];
}

bool component_exists(const struct config *config, enum component component)
{
	switch (component) {
	case COMPONENT_L2I:
	case COMPONENT_L2D: return config->cache_levels >= 2;
	case COMPONENT_L3I:
	case COMPONENT_L3D: return config->cache_levels >= 3;
	default: return true;
	}
}

int64_t stack_sum(const struct stack *stack)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < COMPONENT_COUNT; i++)
		sum += stack->cycles[i];
	return sum;
}

const char *cause_name(enum cause cause)
{
	return causes[cause].name;
}

const char *cause_meaning(enum cause cause)
{
	return causes[cause].meaning;
}

enum component cause_component(const struct config *config, enum cause cause)
{
	if (causes[cause].component != COMPONENT_LAST_D)
		return causes[cause].component;
	return COMPONENT_L1D + config->cache_levels - 1;
}

void apportion(const uint64_t *shares, unsigned count, uint64_t per_cycle, int64_t *cycles)
{
	uint64_t rests = 0;

	for (unsigned i = 0; i < count; i++) {
		cycles[i] = (int64_t)(shares[i] / per_cycle);
		rests += shares[i] % per_cycle;
	}
	BUG_ON(rests % per_cycle);
	/* Largest rests first; a threshold that falls keeps the order among equals. */
	uint64_t left = rests / per_cycle;
	for (uint64_t rest = per_cycle - 1; left && rest > 0; rest--)
		for (unsigned i = 0; left && i < count; i++)
			if (shares[i] % per_cycle == rest) {
				cycles[i]++;
				left--;
			}
}
