#include "experiment/plan.h"

#include <stdlib.h>

#include "base/array.h"

struct plan *plan_create(size_t own_bytes, const struct plan *functions)
{
	struct plan *plan = mem_alloc(sizeof(*plan));

	*plan = *functions;
	plan->own = mem_alloc(own_bytes);
	return plan;
}

void plan_add(struct plan *plan, const struct point *point)
{
	*ARRAY_PUSH(plan->points, plan->count, plan->capacity) = *point;
}

void plan_destroy(struct plan *plan)
{
	if (!plan)
		return;
	plan->release(plan);
	free(plan->own);
	free(plan->points);
	free(plan);
}
