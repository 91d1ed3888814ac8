#include "rtl/components.h"

#include "core/core.h"

bool components_has(const struct config *config, enum component component)
{
	return component_exists(config->cache_levels, component) && component != COMPONENT_WALK &&
	       component != COMPONENT_BANDWIDTH;
}

size_t components_add(const struct config *config, const char *base, struct circuit_shape *shape)
{
	static const char *const constants[COMPONENT_COUNT] = {
#define COMPONENT(id, name, levels, letter, colour, is_dark, rgb, meaning, helps) #id,
#include "value/components.def"
#undef COMPONENT
	};
	size_t count = 0;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		const bool has = components_has(config, i);

		circuit_add_constant(shape, has ? count : 0, "COUNTER_%s", constants[i]);
		if (has) {
			circuit_add_word(shape, COUNT_GLOBAL_BITS, false, "%s",
					 i == COMPONENT_BASE ? base : component_rows[i].name);
			count++;
		}
	}
	circuit_add_constant(shape, count, "COUNTERS");
	circuit_add_constant(shape, COUNT_GLOBAL_BITS, "GLOBAL_BITS");
	circuit_add_constant(shape, circuit_bits_for(count - 1), "INDEX_BITS");
	return count;
}

size_t components_words(const struct config *config, const struct stack *stack, uint64_t *words)
{
	size_t count = 0;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		if (components_has(config, i))
			words[count++] = (uint64_t)stack->cycles[i] &
					 ((UINT64_C(1) << COUNT_GLOBAL_BITS) - 1);
	return count;
}

void components_add_states(struct circuit_shape *shape)
{
	static const struct {
		const char *name;
		unsigned value;
	} states[] = {
		{"FETCH_ITLB", FETCH_ITLB}, {"FETCH_L1I", FETCH_L1I},	{"FETCH_L2I", FETCH_L2I},
		{"FETCH_L3I", FETCH_L3I},   {"HEAD_EMPTY", HEAD_EMPTY}, {"HEAD_STORE", HEAD_STORE},
		{"HEAD_UNIT", HEAD_UNIT},   {"HEAD_DTLB", HEAD_DTLB},	{"HEAD_L1D", HEAD_L1D},
		{"HEAD_L2D", HEAD_L2D},	    {"HEAD_L3D", HEAD_L3D},
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		circuit_add_constant(shape, states[i].value, "%s", states[i].name);
}

uint32_t components_slots(const struct config *config)
{
	return core_kind_of(config, NULL)->in_flight(config);
}
