#include "../sample.h"

#include <math.h>

#include "report/compare/change.h"

static struct change *(*const lists[])(const struct profile *, const struct profile *, size_t *) = {
	change_components,
	change_functions,
	change_lines,
};

static void changes_add_up_and_are_sorted(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		json_t *first = sample_result(seed, 100000, 2, 20);
		json_t *second = sample_result(seed + 100, 90000, 3, 10 + seed);
		struct profile a, b;
		struct err err;

		assert_true(profile_read(&a, first, &err) && profile_read(&b, second, &err));
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
		profile_release(&a);
		profile_release(&b);
		json_decref(first);
		json_decref(second);
	}
}

static void a_result_has_no_changes_from_itself(void **state)
{
	json_t *result = sample_result(1, 1000, 2, 20);
	struct profile p;
	struct err err;

	(void)state;
	assert_true(profile_read(&p, result, &err));
	for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
		size_t count;
		struct change *changes = lists[i](&p, &p, &count);

		assert_int_equal(count, 0);
		free(changes);
	}
	profile_release(&p);
	json_decref(result);
}

/* The same program built in another directory, on a core half as wide. */
static void paths_and_widths_may_differ(void **state)
{
	json_t *first = sample_result(1, 1000, 2, 20), *second = json_deep_copy(first);
	json_t *exact = json_object_get(second, "exact");
	json_t *functions = json_object_get(exact, "functions"), *function, *line;
	struct profile a, b;
	struct err err;
	size_t i, k, count;

	(void)state;
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
	assert_true(profile_read(&a, first, &err) && profile_read(&b, second, &err));
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
	profile_release(&a);
	profile_release(&b);
	json_decref(first);
	json_decref(second);
}

/* A profile of up to three functions without lines, in these files. */
static void make_profile(struct profile *profile, struct profile_function functions[3],
			 const char *const files[3], int64_t slots)
{
	*profile = (struct profile){.functions = functions, .slots_per_cycle = 1};
	for (; profile->function_count < 3 && files[profile->function_count];
	     profile->function_count++)
		functions[profile->function_count] = (struct profile_function){
			.name = "f", .file = files[profile->function_count], .slots.total = slots};
}

/* Wherever the file stands that both have among the others, whose names are greater or smaller by
 * one or by more. Files that are not known are none that both have. */
static void one_file_of_both_is_found(void **state)
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

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct profile_function of_a[3], of_b[3];
		struct profile a, b;
		size_t count;

		make_profile(&a, of_a, cases[i].a, 3);
		make_profile(&b, of_b, cases[i].b, 5);
		struct change *changes = change_functions(&a, &b, &count);
		assert_true(count > 0);
		for (size_t k = 0; k < count; k++)
			if (*changes[k].file)
				assert_int_equal(changes[k].file[0] == '/', cases[i].shared);
		free(changes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_add_up_and_are_sorted),
		cmocka_unit_test(a_result_has_no_changes_from_itself),
		cmocka_unit_test(paths_and_widths_may_differ),
		cmocka_unit_test(one_file_of_both_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
