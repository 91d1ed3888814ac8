/*
 * fmt.h - what FMT and sFMT have counted, as the words of their circuits (src/rtl): the global
 * counters, and what is not in them yet. Their stack is the sum of these.
 */
#ifndef COUNT_FMT_H
#define COUNT_FMT_H

#include "count/branch_table.h"

struct fmt_words {
	uint64_t global[COMPONENT_COUNT];
	/* Cycles of the oldest instruction that may be the D-TLB's, by phase (blocked.h). */
	uint64_t early[COMPONENT_COUNT];
	/* I-side stalls of instructions in flight: of all rows in use, or of the shared counters.
	 */
	uint64_t stalls[I_COUNTERS];
};

void fmt_read_words(const void *counter, struct fmt_words *words);
void sfmt_read_words(const void *counter, struct fmt_words *words);

/* The stack; the base is the remainder. */
static inline void fmt_words_stack(const struct fmt_words *words, uint64_t cycles,
				   struct stack *stack)
{
	for (unsigned i = 0; i < COMPONENT_COUNT; i++)
		stack->cycles[i] = (int64_t)(words->global[i] + words->early[i]);
	for (unsigned i = 0; i < I_COUNTERS; i++)
		stack->cycles[COMPONENT_L1I + i] += (int64_t)words->stalls[i];
	stack->cycles[COMPONENT_BASE] = 0;
	stack->cycles[COMPONENT_BASE] = (int64_t)cycles - stack_sum(stack);
}

#endif
