/*
 * components.h - what the circuits of counter architectures share: a global counter for each
 * component of the CPI stack that the machine has, and the core's signals as inputs.
 *
 * Counters are COUNT_GLOBAL_BITS wide and are the first words of a circuit, in the order of
 * components. Constants COUNTER_<component> are their numbers; of a component that the machine
 * does not have, that of `base`, which is never charged there.
 */
#ifndef RTL_COMPONENTS_H
#define RTL_COMPONENTS_H

#include "count/count.h"
#include "rtl/circuit.h"

/* Whether a circuit has a counter of the component. */
bool components_has(const struct config *config, enum component component);
/* Adds the counters as words and their constants; the first, of the base, has this name. Returns
 * their number. */
size_t components_add(const struct config *config, const char *base, struct circuit_shape *shape);
/* The values of the words. Returns their number. */
size_t components_words(const struct config *config, const struct stack *stack, uint64_t *words);
/* Constants FETCH_<stall> and HEAD_<state>, as far as circuits need them. */
void components_add_states(struct circuit_shape *shape);
/* The number of values that an event's `slot` can have. */
uint32_t components_slots(const struct config *config);

#endif
