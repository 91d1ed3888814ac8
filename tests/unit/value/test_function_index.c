/* Functions of a run by name. */
#include "../test.h"

#include "base/array.h"
#include "value/function_index.h"

#define MANY 10000

static void is_at(const struct stacks *stacks, const char *name, size_t place)
{
	struct function_index functions;

	function_index_init(&functions, stacks);
	assert_int_equal(function_index_find(&functions, name), place);
	assert_ptr_equal(function_index_get(&functions, name),
			 place == INDEX_NONE ? NULL : &stacks->functions[place]);
	function_index_release(&functions);
}

TEST(the_first_of_a_name_is_found)
{
	struct stacks_function functions[] = {
		{.name = "b"}, {.name = "a"}, {.name = "b"}, {.name = ""}};
	const struct stacks stacks = {.functions = functions,
				      .function_count = ARRAY_COUNT(functions)};
	const struct stacks none = {0};

	is_at(&stacks, "b", 0);
	is_at(&stacks, "a", 1);
	is_at(&stacks, "", 3);
	is_at(&stacks, "c", INDEX_NONE);
	is_at(&none, "a", INDEX_NONE);
}

TEST(each_of_many_is_found)
{
	static char names[MANY][8];
	static struct stacks_function list[MANY];
	const struct stacks stacks = {.functions = list, .function_count = MANY};
	struct function_index functions;

	for (size_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		list[i].name = names[i];
	}
	function_index_init(&functions, &stacks);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(function_index_find(&functions, names[i]), i);
	function_index_release(&functions);
}
