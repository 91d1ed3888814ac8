#include "../../test.h"
#include "../sample.h"

#include <math.h>

#include "report/compare/change.h"

static struct change *(*const lists[])(const struct stacks *, const struct stacks *, size_t *) = {
	change_components,
	change_functions,
	change_lines,
};

TEST(changes_add_up_and_are_sorted)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		json_t *first = sample_result(seed, 100000, 2, 20);
		json_t *second = sample_result(seed + 100, 90000, 3, 10 + seed);
		struct stacks a, b;
		struct err err;

		assert_true(stacks_read(&a, first, &err) && stacks_read(&b, second, &err));
		for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
			size_t count;
			struct change *changes = lists[i](&a, &b, &count);
			double sum = 0;

			assert_true(count > 5);
			for (size_t k = 0; k < count; k++) {
				double size = fabs(changes[k].b - changes[k].a);

				assert_true(size > 0);
				assert_true(changes[k].is_in_a || changes[k].a == 0);
				assert_true(changes[k].is_in_b || changes[k].b == 0);
				if (k)
					assert_true(size <=
						    fabs(changes[k - 1].b - changes[k - 1].a));
				sum += changes[k].b - changes[k].a;
			}
			assert_true(sum == (double)(b.cycles - a.cycles));
			free(changes);
		}
		stacks_release(&a);
		stacks_release(&b);
		json_decref(first);
		json_decref(second);
	}
}

TEST(a_result_has_no_changes_from_itself)
{
	json_t *result = sample_result(1, 1000, 2, 20);
	struct stacks p;
	struct err err;

	assert_true(stacks_read(&p, result, &err));
	for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
		size_t count;
		struct change *changes = lists[i](&p, &p, &count);

		assert_int_equal(count, 0);
		free(changes);
	}
	stacks_release(&p);
	json_decref(result);
}

/* The same program built in another directory, on a core half as wide. */
TEST(paths_and_widths_may_differ)
{
	json_t *first = sample_result(1, 1000, 2, 20), *second = json_deep_copy(first);
	json_t *exact = json_object_get(second, "exact");
	json_t *functions = json_object_get(exact, "functions"), *function, *line;
	struct stacks a, b;
	struct err err;
	size_t i, k, count;

	json_object_set_new(exact, "slots_per_cycle", json_integer(SAMPLE_WIDTH / 2));
	json_array_foreach(functions, i, function)
	{
		json_array_foreach(json_object_get(function, "lines"), k, line)
		{
			const char *file = json_string_value(json_object_get(line, "file"));

			if (*file)
				json_object_set_new(line, "file",
						    json_sprintf("/build/elsewhere/%s", file));
		}
		const char *file = json_string_value(json_object_get(function, "file"));
		if (*file)
			json_object_set_new(function, "file",
					    json_sprintf("/build/elsewhere/%s", file));
	}
	assert_true(stacks_read(&a, first, &err) && stacks_read(&b, second, &err));
	for (int lines = 0; lines < 2; lines++) {
		struct change *changes =
			lines ? change_lines(&a, &b, &count) : change_functions(&a, &b, &count);

		assert_true(count > 5);
		for (k = 0; k < count; k++) {
			assert_true(changes[k].is_in_a && changes[k].is_in_b);
			assert_true(changes[k].b == 2 * changes[k].a);
		}
		free(changes);
	}
	stacks_release(&a);
	stacks_release(&b);
	json_decref(first);
	json_decref(second);
}

/* Stacks of up to three functions without lines, in these files. */
static void make_stacks(struct stacks *stacks, struct stacks_function functions[3],
			const char *const files[3], int64_t slots)
{
	*stacks = (struct stacks){.functions = functions, .slots_per_cycle = 1};
	for (; stacks->function_count < 3 && files[stacks->function_count];
	     stacks->function_count++)
		functions[stacks->function_count] = (struct stacks_function){
			.name = "f", .file = files[stacks->function_count], .slots.total = slots};
}

/* Wherever the file stands that both have among the others, whose names are greater or smaller by
 * one or by more. Files that are not known are none that both have. */
TEST(one_file_of_both_is_found)
{
	static const struct {
		const char *a[3], *b[3];
		bool shared;
	} cases[] = {
		{{"/x/b"}, {"/x/b"}, true},
		{{"/x/b"}, {"/x/a", "/x/b"}, true},
		{{"/x/a", "/x/b"}, {"/x/b"}, true},
		{{"/x/k"}, {"/x/a", "/x/c", "/x/k"}, true},
		{{"/x/a", "/x/c", "/x/k"}, {"/x/k"}, true},
		{{"/x/a", "/x/b", "/x/d"}, {"/x/b", "/x/c"}, true},
		{{"/x/a"}, {"/x/a", "/x/c", "/x/k"}, true},
		{{"/x/a", "/x/c"}, {"/x/b", "/x/d"}, false},
		{{"/x/b", "/x/d"}, {"/x/a", "/x/c"}, false},
		{{"/x/b"}, {"/x/a"}, false},
		{{"/x/a"}, {"/x/b"}, false},
		{{"", "/x/a"}, {"", "/y/a"}, false},
		{{"", "/x/b"}, {"", "/x/b"}, true},
		{{NULL}, {"/x/a"}, false},
		{{"/x/a"}, {NULL}, false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct stacks_function of_a[3], of_b[3];
		struct stacks a, b;
		size_t count;

		make_stacks(&a, of_a, cases[i].a, 3);
		make_stacks(&b, of_b, cases[i].b, 5);
		struct change *changes = change_functions(&a, &b, &count);
		assert_true(count > 0);
		for (size_t k = 0; k < count; k++)
			if (*changes[k].file)
				assert_int_equal(changes[k].file[0] == '/', cases[i].shared);
		free(changes);
	}
}
