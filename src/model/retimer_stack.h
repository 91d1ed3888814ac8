/*
 * retimer_stack.h - the terms of model.h by the recurrence of retimer.h: a machine is timed four
 * times over the same instructions. On the first branches and fetches are ideal and long data
 * misses are served by the last cache, which is base; then branches, the instruction side and long
 * data misses become real, one after the other, and each term is what that adds. The last one is
 * the machine itself, so the terms add up to its CPI.
 */
#ifndef MODEL_RETIMER_STACK_H
#define MODEL_RETIMER_STACK_H

#include "model/model.h"
#include "model/retimer.h"

struct retimer_stack;

/* NULL with a sentence if the machine's parts cannot be built. */
struct retimer_stack *retimer_stack_create(const struct config *config, struct err *err);
void retimer_stack_destroy(struct retimer_stack *stack); /* NULL is accepted */
void retimer_stack_add(struct retimer_stack *stack, const struct trace_step *steps, size_t count);
void retimer_stack_components(const struct retimer_stack *stack, uint64_t instructions,
			      struct model_components *components);

#endif
