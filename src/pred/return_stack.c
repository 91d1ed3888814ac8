#include "pred/return_stack.h"

#include <stdlib.h>

#include "base/array.h"

static uint32_t undo_count_of(uint32_t in_flight)
{
	uint32_t count = 1;

	while (count < in_flight)
		count *= 2;
	return count;
}

bool return_stack_init(struct return_stack *stack, uint32_t count, uint32_t in_flight,
		       struct err *err)
{
	const uint32_t undo_count = undo_count_of(in_flight);

	if (!count)
		return err_set(err, "return_stack.entries is 0, but must be at least 1");
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

void return_stack_grow(struct return_stack *stack, uint32_t in_flight)
{
	const uint32_t before = stack->undo_mask + 1, count = undo_count_of(in_flight);

	if (count <= before)
		return;
	struct return_stack_undo *undo = mem_alloc_array(count, sizeof(*undo));

	for (uint32_t i = 1; i <= before; i++)
		undo[(stack->pushes - i) & (count - 1)] =
			stack->undo[(stack->pushes - i) & stack->undo_mask];
	free(stack->undo);
	stack->undo = undo;
	stack->undo_mask = count - 1;
}
