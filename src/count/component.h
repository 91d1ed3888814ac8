/*
 * component.h - the components of a CPI stack, and the causes that `exact` tells
 * apart, each rolling up to one component.
 *
 * Which components a machine has follows from its caches: with N levels there are
 * l1i .. lNi and l1d .. lNd; the last one is the "long" miss.
 */
#ifndef COUNT_COMPONENT_H
#define COUNT_COMPONENT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

enum component {
	COMPONENT_BASE,
	COMPONENT_L1I,
	COMPONENT_L2I,
	COMPONENT_L3I,
	COMPONENT_ITLB,
	COMPONENT_BRANCH,
	COMPONENT_L1D,
	COMPONENT_L2D,
	COMPONENT_L3D,
	COMPONENT_DTLB,
	COMPONENT_RESOURCE,
	COMPONENT_COUNT
};

enum cause {
#define CAUSE(id, name, component, meaning) CAUSE_##id,
#include "count/causes.def"
#undef CAUSE
	CAUSE_COUNT
};

/* Cycles by component. Only a component that a method computes as a remainder, or
 * counts twice elsewhere, can be negative. */
struct stack {
	int64_t cycles[COMPONENT_COUNT];
};

const char *component_name(enum component component);
/* A machine of this configuration can lose cycles to it. */
bool component_exists(const struct config *config, enum component component);
int64_t stack_sum(const struct stack *stack);

const char *cause_name(enum cause cause);
const char *cause_meaning(enum cause cause);
/* What rolls up to no component of its own goes to the machine's last level. */
enum component cause_component(const struct config *config, enum cause cause);

/* Splits a number of whole cycles in proportion to shares that add up to `per_cycle`
 * times that: each gets its share rounded down, and those with the largest rests one
 * more until all are given out; equal rests in order. */
void apportion(const uint64_t *shares, unsigned count, uint64_t per_cycle, int64_t *cycles);

#endif
