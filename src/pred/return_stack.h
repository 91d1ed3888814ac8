/*
 * return_stack.h - return addresses: a circular stack of fixed depth, used
 * speculatively.
 *
 * A push beyond the depth overwrites the oldest address; a pop beyond it reads
 * the entry that is there, as hardware without a depth counter does. Address 0
 * is never a return address and marks an entry never written.
 *
 * Invariant: return_stack_restore leaves exactly what was there, however the
 * wrong path popped and pushed. Repairing the top pointer and the top entry
 * (Skadron, Ahuja, Martonosi and Clark 1998) would not: two pops and two pushes
 * lose the entry below. Therefore every push remembers what it overwrote, for
 * as many pushes as there can be branches in flight.
 */
#ifndef PRED_RETURN_STACK_H
#define PRED_RETURN_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct return_stack_undo {
	uint64_t address;
	uint32_t index;
};

struct return_stack {
	uint64_t *addresses;
	struct return_stack_undo *undo; /* ring, indexed by the push's number */
	uint32_t undo_mask;
	uint32_t count;
	uint32_t top;	 /* index of the youngest address */
	uint32_t pushes; /* pushes that were not undone, modulo 2^32 */
};

/* `in_flight`: pushes that may have to be undone. */
bool return_stack_init(struct return_stack *stack, uint32_t count, uint32_t in_flight,
		       struct err *err);
void return_stack_release(struct return_stack *stack);
/* More pushes may have to be undone than before. */
void return_stack_grow(struct return_stack *stack, uint32_t in_flight);

static inline void return_stack_push(struct return_stack *stack, uint64_t address)
{
	struct return_stack_undo *undo = &stack->undo[stack->pushes++ & stack->undo_mask];

	stack->top = stack->top + 1 == stack->count ? 0 : stack->top + 1;
	undo->address = stack->addresses[stack->top];
	undo->index = stack->top;
	stack->addresses[stack->top] = address;
}

/* Pops an address; 0 if none is known. */
static inline uint64_t return_stack_pop(struct return_stack *stack)
{
	uint64_t address = stack->addresses[stack->top];

	stack->top = (stack->top ? stack->top : stack->count) - 1;
	return address;
}

/* Restores an earlier top and number of pushes. */
static inline void return_stack_restore(struct return_stack *stack, uint32_t top, uint32_t pushes)
{
	BUG_ON(stack->pushes - pushes > stack->undo_mask + 1);
	while (stack->pushes != pushes) {
		const struct return_stack_undo *undo =
			&stack->undo[--stack->pushes & stack->undo_mask];

		stack->addresses[undo->index] = undo->address;
	}
	stack->top = top;
}

#endif
