#include "sample.h"

#include "config/config.h"
#include "count/component.h"

static void names_and_letters_are_unique(void **state)
{
	(void)state;
	for (int i = 0; i < STACK_COMPONENT_COUNT; i++) {
		assert_int_equal(stack_component_named(stack_components[i].name), i);
		for (int k = 0; k < i; k++) {
			assert_int_not_equal(stack_components[i].letter,
					     stack_components[k].letter);
			assert_int_not_equal(stack_components[i].colour,
					     stack_components[k].colour);
			assert_string_not_equal(stack_components[i].rgb, stack_components[k].rgb);
		}
	}
	for (int i = 0; i < STACK_CAUSE_COUNT; i++)
		assert_int_equal(stack_cause_named(stack_causes[i].name), i);
	assert_int_equal(stack_component_named("dependence"), -1);
	assert_int_equal(stack_cause_named("resource"), -1);
	assert_int_equal(stack_cause_named(""), -1);
}

static void every_row_is_complete(void **state)
{
	(void)state;
	for (int i = 0; i < STACK_COMPONENT_COUNT; i++) {
		assert_true(strlen(stack_components[i].meaning) >= 10);
		assert_int_equal(strlen(stack_components[i].rgb), 7);
	}
	for (int i = 0; i < STACK_CAUSE_COUNT; i++)
		assert_true(strlen(stack_causes[i].meaning) >= 10);
}

/* What reads results back agrees with what wrote them. */
static void components_and_causes_are_those_of_the_core(void **state)
{
	(void)state;
	for (int i = 0; i < STACK_COMPONENT_COUNT; i++)
		assert_string_equal(stack_components[i].name, component_name(i));
	for (int i = 0; i < STACK_CAUSE_COUNT; i++)
		assert_string_equal(stack_causes[i].name, cause_name(i));
	for (unsigned levels = 1; levels <= 3; levels++) {
		const struct config config = {.cache_levels = levels};

		for (int i = 0; i < STACK_CAUSE_COUNT; i++)
			assert_int_equal(stack_component_of(i, levels),
					 cause_component(&config, i));
	}
}

static void causes_roll_up_as_documented(void **state)
{
	(void)state;
	assert_int_equal(stack_component_of(STACK_CAUSE_DEPENDENCE, 2), STACK_BASE);
	assert_int_equal(stack_component_of(STACK_CAUSE_SERIALISE, 2), STACK_BASE);
	assert_int_equal(stack_component_of(STACK_CAUSE_UNIT, 2), STACK_RESOURCE);
	assert_int_equal(stack_component_of(STACK_CAUSE_STORE, 2), STACK_RESOURCE);
	assert_int_equal(stack_component_of(STACK_CAUSE_BTB, 2), STACK_BRANCH);
	assert_int_equal(stack_component_of(STACK_CAUSE_MSHR, 1), STACK_L1D);
	assert_int_equal(stack_component_of(STACK_CAUSE_MSHR, 2), STACK_L2D);
	assert_int_equal(stack_component_of(STACK_CAUSE_MSHR, 3), STACK_L3D);
}

static void a_roll_up_keeps_the_sum(void **state)
{
	struct rng rng = {5};

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		int64_t causes[STACK_CAUSE_COUNT], sum = 0;
		struct stack_parts stack;

		for (int i = 0; i < STACK_CAUSE_COUNT; i++)
			sum += causes[i] = (int64_t)(rng_next(&rng) % 1000000);
		stack_roll_up(&stack, causes, 1 + round % 3);
		assert_int_equal(stack_parts_sum(&stack), sum);
	}
}

static void segments_fill_the_share_of_the_bar(void **state)
{
	struct rng rng = {6};

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		struct stack_parts stack = {0};
		unsigned segments[STACK_COMPONENT_COUNT], sum = 0, columns = 1 + round % 150;
		int64_t total = 0;

		for (int i = 0; i < STACK_COMPONENT_COUNT; i++) {
			stack.parts[i] = (int64_t)(rng_next(&rng) % 1000) - 200;
			total += stack.parts[i] > 0 ? stack.parts[i] : 0;
		}
		double whole = (double)total * (1 + round % 4);
		stack_segments(&stack, whole, columns, segments);
		for (int i = 0; i < STACK_COMPONENT_COUNT; i++) {
			double share = (double)stack.parts[i] / whole * columns;

			sum += segments[i];
			if (stack.parts[i] <= 0)
				assert_int_equal(segments[i], 0);
			else
				assert_true(segments[i] < share + 1.5 && segments[i] + 1.5 > share);
		}
		unsigned wanted = (unsigned)(columns / (double)(1 + round % 4) + 0.5);
		assert_int_equal(sum, wanted);
	}
}

static void a_bar_of_nothing_is_empty(void **state)
{
	const struct stack_parts none = {0}, negative = {.parts = {-5}};
	unsigned segments[STACK_COMPONENT_COUNT];

	(void)state;
	stack_segments(&none, 0, 50, segments);
	for (int i = 0; i < STACK_COMPONENT_COUNT; i++)
		assert_int_equal(segments[i], 0);
	stack_segments(&negative, 10, 50, segments);
	assert_int_equal(segments[0], 0);
}

static void a_bar_is_written_in_letters(void **state)
{
	const struct stack_parts stack = {
		.parts = {[STACK_BASE] = 50, [STACK_BRANCH] = 20, [STACK_L2D] = 30}};
	struct terminal terminal = {.width = 80};
	char *text = NULL;
	size_t bytes;

	(void)state;
	FILE *out = open_memstream(&text, &bytes);
	assert_int_equal(stack_put_bar(out, &terminal, &stack, 200, 20), 10);
	fclose(out);
	assert_string_equal(text, "=====BBDDD");
	free(text);
	terminal.colour = true;
	out = open_memstream(&text, &bytes);
	assert_int_equal(stack_put_bar(out, &terminal, &stack, 0, 10), 10);
	fclose(out);
	assert_non_null(strstr(text, "=====\033[0m\033["));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_letters_are_unique),
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(components_and_causes_are_those_of_the_core),
		cmocka_unit_test(causes_roll_up_as_documented),
		cmocka_unit_test(a_roll_up_keeps_the_sum),
		cmocka_unit_test(segments_fill_the_share_of_the_bar),
		cmocka_unit_test(a_bar_of_nothing_is_empty),
		cmocka_unit_test(a_bar_is_written_in_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
