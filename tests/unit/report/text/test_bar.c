#include "../sample.h"

#include "report/text/bar.h"
#include "value/component.h"

static void names_and_letters_are_unique(void **state)
{
	(void)state;
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		assert_int_equal(component_named(component_rows[i].name), i);
		for (int k = 0; k < i; k++) {
			assert_int_not_equal(component_rows[i].letter, component_rows[k].letter);
			assert_int_not_equal(component_rows[i].colour, component_rows[k].colour);
			assert_string_not_equal(component_rows[i].rgb, component_rows[k].rgb);
		}
	}
	for (int i = 0; i < CAUSE_COUNT; i++)
		assert_int_equal(cause_named(cause_rows[i].name), i);
	assert_int_equal(component_named("dependence"), -1);
	assert_int_equal(cause_named("resource"), -1);
	assert_int_equal(cause_named(""), -1);
}

static void every_row_is_complete(void **state)
{
	(void)state;
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		assert_true(strlen(component_rows[i].meaning) >= 10);
		assert_int_equal(strlen(component_rows[i].rgb), 7);
	}
	for (int i = 0; i < CAUSE_COUNT; i++)
		assert_true(strlen(cause_rows[i].meaning) >= 10);
}

static void causes_roll_up_as_documented(void **state)
{
	(void)state;
	assert_int_equal(cause_component(2, CAUSE_DEPENDENCE), COMPONENT_BASE);
	assert_int_equal(cause_component(2, CAUSE_SERIALISE), COMPONENT_BASE);
	assert_int_equal(cause_component(2, CAUSE_LATENCY), COMPONENT_RESOURCE);
	assert_int_equal(cause_component(2, CAUSE_STORE), COMPONENT_RESOURCE);
	assert_int_equal(cause_component(2, CAUSE_BTB), COMPONENT_BRANCH);
	assert_int_equal(cause_component(1, CAUSE_MSHR), COMPONENT_L1D);
	assert_int_equal(cause_component(2, CAUSE_MSHR), COMPONENT_L2D);
	assert_int_equal(cause_component(3, CAUSE_MSHR), COMPONENT_L3D);
}

static void a_roll_up_keeps_the_sum(void **state)
{
	struct rng rng = {5};

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		int64_t causes[CAUSE_COUNT], sum = 0;
		struct stack stack;

		for (int i = 0; i < CAUSE_COUNT; i++)
			sum += causes[i] = (int64_t)(rng_next(&rng) % 1000000);
		stack_roll_up(&stack, causes, 1 + round % 3);
		assert_int_equal(stack_sum(&stack), sum);
	}
}

static void segments_fill_the_share_of_the_bar(void **state)
{
	struct rng rng = {6};

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		struct stack stack = {0};
		unsigned segments[COMPONENT_COUNT], sum = 0, columns = 1 + round % 150;
		int64_t total = 0;

		for (int i = 0; i < COMPONENT_COUNT; i++) {
			stack.cycles[i] = (int64_t)(rng_next(&rng) % 1000) - 200;
			total += stack.cycles[i] > 0 ? stack.cycles[i] : 0;
		}
		double whole = (double)total * (1 + round % 4);
		bar_segments(&stack, whole, columns, segments);
		for (int i = 0; i < COMPONENT_COUNT; i++) {
			double share = (double)stack.cycles[i] / whole * columns;

			sum += segments[i];
			if (stack.cycles[i] <= 0)
				assert_int_equal(segments[i], 0);
			else
				assert_true(segments[i] < share + 1.5 && segments[i] + 1.5 > share);
		}
		unsigned wanted = (unsigned)(columns / (double)(1 + round % 4) + 0.5);
		assert_int_equal(sum, wanted);
	}
}

static void a_bar_of_zero_is_empty(void **state)
{
	const struct stack none = {0}, negative = {.cycles = {-5}};
	unsigned segments[COMPONENT_COUNT];

	(void)state;
	bar_segments(&none, 0, 50, segments);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		assert_int_equal(segments[i], 0);
	bar_segments(&negative, 10, 50, segments);
	assert_int_equal(segments[0], 0);
}

/* Columns by largest remainder, of equal ones the first. */
static void segments_are_shared_by_remainder(void **state)
{
	static const struct {
		int64_t cycles[3]; /* of the first two components and the last */
		double whole;
		unsigned columns, segments[3];
	} cases[] = {
		{{1, 1, 1}, 3, 5, {2, 2, 1}},	  {{1, 1, 1}, 3, 4, {2, 1, 1}},
		{{10, 15, 25}, 50, 4, {1, 1, 2}}, {{15, 10, 25}, 50, 4, {1, 1, 2}},
		{{7, 2, 1}, 10, 5, {4, 1, 0}},	  {{1, 7, 2}, 10, 5, {1, 3, 1}},
		{{-9, 5, 5}, 10, 3, {0, 2, 1}},	  {{1, 0, 0}, 2, 1, {1, 0, 0}},
		{{1, 0, 0}, 2.1, 1, {0, 0, 0}},	  {{3, 3, 4}, 5, 10, {3, 3, 4}},
		{{3, 3, 4}, 20, 10, {2, 1, 2}},	  {{1, 0, 0}, 1, 1, {1, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct stack stack = {.cycles = {cases[i].cycles[0], cases[i].cycles[1],
						       [COMPONENT_COUNT - 1] = cases[i].cycles[2]}};
		unsigned segments[COMPONENT_COUNT];

		memset(segments, 0xff, sizeof(segments));
		bar_segments(&stack, cases[i].whole, cases[i].columns, segments);
		assert_int_equal(segments[0], cases[i].segments[0]);
		assert_int_equal(segments[1], cases[i].segments[1]);
		for (int k = 2; k < COMPONENT_COUNT - 1; k++)
			assert_int_equal(segments[k], 0);
		assert_int_equal(segments[COMPONENT_COUNT - 1], cases[i].segments[2]);
	}
}

/* Dark letters on a light colour, light ones on a dark colour. */
static void a_bar_in_colour(void **state)
{
	const struct terminal terminal = {.width = 80, .colour = true};
	const struct stack stack = {.cycles = {[COMPONENT_BASE] = 1, [COMPONENT_L2I] = 2}};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_int_equal(bar_put(out, &terminal, &stack, 6, 6), 3);
	fclose(out);
	assert_string_equal(text, "\033[48;5;246;38;5;16m=\033[0m\033[48;5;25;38;5;231mII\033[0m");
	free(text);
}

static void a_bar_is_written_in_letters(void **state)
{
	const struct stack stack = {
		.cycles = {[COMPONENT_BASE] = 50, [COMPONENT_BRANCH] = 20, [COMPONENT_L2D] = 30}};
	struct terminal terminal = {.width = 80};
	char *text = NULL;
	size_t bytes;

	(void)state;
	FILE *out = open_memstream(&text, &bytes);
	assert_int_equal(bar_put(out, &terminal, &stack, 200, 20), 10);
	fclose(out);
	assert_string_equal(text, "=====BBDDD");
	free(text);
	terminal.colour = true;
	out = open_memstream(&text, &bytes);
	assert_int_equal(bar_put(out, &terminal, &stack, 0, 10), 10);
	fclose(out);
	assert_non_null(strstr(text, "=====\033[0m\033["));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_letters_are_unique),
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(causes_roll_up_as_documented),
		cmocka_unit_test(a_roll_up_keeps_the_sum),
		cmocka_unit_test(segments_fill_the_share_of_the_bar),
		cmocka_unit_test(a_bar_of_zero_is_empty),
		cmocka_unit_test(segments_are_shared_by_remainder),
		cmocka_unit_test(a_bar_in_colour),
		cmocka_unit_test(a_bar_is_written_in_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
