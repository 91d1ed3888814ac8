#include "value/function_index.h"

#include <string.h>

struct wanted {
	const struct stacks *stacks;
	const char *name;
};

static bool same(const void *context, size_t number)
{
	const struct wanted *wanted = context;

	return strcmp(wanted->stacks->functions[number].name, wanted->name) == 0;
}

size_t function_index_find(const struct function_index *functions, const char *name)
{
	const struct wanted wanted = {functions->stacks, name};

	return index_find(&functions->index, index_hash_text(name), same, &wanted);
}

const struct stacks_function *function_index_get(const struct function_index *functions,
						 const char *name)
{
	const size_t found = function_index_find(functions, name);

	return found == INDEX_NONE ? NULL : &functions->stacks->functions[found];
}

void function_index_init(struct function_index *functions, const struct stacks *stacks)
{
	*functions = (struct function_index){.stacks = stacks};
	for (size_t i = 0; i < stacks->function_count; i++)
		if (function_index_find(functions, stacks->functions[i].name) == INDEX_NONE)
			index_add(&functions->index, index_hash_text(stacks->functions[i].name), i);
}

void function_index_release(struct function_index *functions)
{
	index_release(&functions->index);
}
