/*
 * function_index.h - finds the functions of a run's stacks by name. Of several that have the same
 * name it finds the first.
 */
#ifndef VALUE_FUNCTION_INDEX_H
#define VALUE_FUNCTION_INDEX_H

#include "base/index.h"
#include "value/stacks.h"

struct function_index {
	const struct stacks *stacks;
	struct index index;
};

/* The stacks must outlive it. */
void function_index_init(struct function_index *functions, const struct stacks *stacks);
void function_index_release(struct function_index *functions);

/* The place of the function in stacks->functions; INDEX_NONE if there is none of that name. */
size_t function_index_find(const struct function_index *functions, const char *name);
/* The function itself, or NULL. */
const struct stacks_function *function_index_get(const struct function_index *functions,
						 const char *name);

#endif
