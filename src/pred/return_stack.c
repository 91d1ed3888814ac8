#include "pred/return_stack.h"

#include <stdlib.h>

#include "base/array.h"

bool return_stack_init(struct return_stack *stack, uint32_t count, uint32_t in_flight,
		       struct err *err)
{
	uint32_t undo_count = 1;

	if (!count)
		return err_set(err, "return_stack.entries is 0, but must be at least 1");
	while (undo_count < in_flight)
		undo_count *= 2;
	stack->addresses = mem_alloc_array(count, sizeof(*stack->addresses));
	stack->undo = mem_alloc_array(undo_count, sizeof(*stack->undo));
	stack->undo_mask = undo_count - 1;
	stack->count = count;
	stack->top = count - 1;
	stack->pushes = 0;
	return true;
}

void return_stack_release(struct return_stack *stack)
{
	free(stack->addresses);
	free(stack->undo);
	stack->addresses = NULL;
	stack->undo = NULL;
}
