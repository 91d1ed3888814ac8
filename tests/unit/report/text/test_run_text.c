#include "../sample.h"

#include "../columns.h"
#include "report/text/run_text.h"

static char *printed(const json_t *result, const struct terminal *terminal, unsigned functions)
{
	FILE *out = tmpfile();

	assert_non_null(out);
	run_text_print(out, result, terminal, functions);
	return sample_read(out);
}

/* Numbers from 0 to very large ones, names of every kind, every width. */
static void no_line_is_wider_than_the_terminal(void **state)
{
	static const int64_t scales[] = {2, 1000, 10000000, 2000000000000};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(scales); i++) {
		json_t *result = sample_result(i + 1, scales[i], 1 + i % 3, 20);

		for (unsigned width = TERMINAL_LEAST_COLUMNS; width <= TERMINAL_MOST_COLUMNS;
		     width++)
			for (unsigned kind = 0; kind < 4; kind++) {
				struct terminal terminal = {.width = width,
							    .height = 24,
							    .colour = kind & 1,
							    .utf8 = kind & 2};
				char *text = printed(result, &terminal, 15);

				assert_true(columns_of_widest(text) <= (int)width);
				/* The available width is used. */
				assert_true(columns_of_widest(text) >= (int)width - 1);
				if (kind == 0)
					assert_true(is_plain_ascii(text));
				if (!terminal.colour)
					assert_null(strchr(text, '\033'));
				free(text);
			}
		json_decref(result);
	}
}

/* The number in the given column of the line that begins with `start`. */
static double number_at(const char *text, const char *start, unsigned column)
{
	const char *line = strstr(text, start);
	double value = 0;

	assert_non_null(line);
	line += strlen(start);
	for (unsigned i = 0; i <= column; i++) {
		char *end;

		value = strtod(line, &end);
		assert_true(end > line);
		line = end + (*end == '%');
	}
	return value;
}

static void components_add_up_to_the_cycles(void **state)
{
	struct terminal terminal = {.width = 100, .height = 24};

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		json_t *result = sample_result(seed, 100000, 1 + seed % 3, 12);
		json_t *values = json_object_get(result, "values");
		char *text = printed(result, &terminal, 0);
		double cycles = 0, cpi = 0, share = 0;

		for (int i = 0; i < COMPONENT_COUNT; i++) {
			char start[32];

			snprintf(start, sizeof(start), "\n%c %s ", component_rows[i].letter,
				 component_rows[i].name);
			if (!strstr(text, start))
				continue;
			cycles += number_at(text, start, 0);
			cpi += number_at(text, start, 1);
			share += number_at(text, start, 2);
		}
		double all = (double)json_integer_value(json_object_get(values, "cycles"));
		double instructions =
			(double)json_integer_value(json_object_get(values, "instructions"));
		assert_true(cycles == all);
		assert_true(cpi > all / instructions - 0.006 && cpi < all / instructions + 0.006);
		assert_true(share > 99.4 && share < 100.6);
		free(text);
		json_decref(result);
	}
}

static void a_negative_component_is_shown_as_such(void **state)
{
	struct terminal terminal = {.width = 100, .height = 24};
	json_t *result = sample_result(1, 1000, 2, 8);
	char *text = printed(result, &terminal, 5);

	(void)state;
	assert_true(number_at(text, "\nnaive  ", 0) == -100);
	free(text);
	terminal.colour = true;
	text = printed(result, &terminal, 5);
	assert_non_null(strstr(text, "\033[1;31m  -100\033[0m"));
	free(text);
	json_decref(result);
}

static void absent_parts_are_not_printed(void **state)
{
	struct terminal terminal = {.width = 100, .height = 24};
	json_t *result = sample_result(1, 1000, 2, 8);
	json_t *exact = json_object_get(result, "exact"),
	       *stacks = json_object_get(result, "stacks");
	char *text = printed(result, &terminal, 3);

	(void)state;
	assert_non_null(strstr(text, "What each way of counting says"));
	assert_non_null(strstr(text, "Over time"));
	assert_non_null(strstr(text, "By thread"));
	assert_non_null(strstr(text, "The hottest 3 of "));
	assert_non_null(strstr(text, " more functions have "));
	/* There is one legend for all bars. */
	assert_non_null(strstr(text, "=:base"));
	assert_null(strstr(strstr(text, "=:base") + 1, "=:base"));
	free(text);
	json_t *only = json_pack("{s:O}", "exact", json_object_get(stacks, "exact"));
	json_object_set_new(result, "stacks", only);
	json_object_del(exact, "intervals");
	json_array_remove(json_object_get(exact, "threads"), 1);
	text = printed(result, &terminal, 0);
	assert_null(strstr(text, "What each way of counting says"));
	assert_null(strstr(text, "Over time"));
	assert_null(strstr(text, "By thread"));
	assert_null(strstr(text, "The hottest"));
	free(text);
	json_decref(result);
}

static void intervals_fit_the_height(void **state)
{
	json_t *result = sample_result(1, 100000, 2, 8);

	(void)state;
	for (unsigned height = 1; height <= 100; height += 3) {
		struct terminal terminal = {.width = 80, .height = height};
		char *text = printed(result, &terminal, 0);
		const char *p = strstr(text, "\n up to");
		unsigned lines = 0;

		assert_non_null(p);
		for (p++; (p = strchr(p, '\n')) && p[1]; p++)
			lines++;
		assert_true(lines >= 8 && (height < 16 || lines + 4 <= height));
		if (height > 70)
			assert_int_equal(lines, 60);
		free(text);
	}
	json_decref(result);
}

static void a_result_that_cannot_be_shown_gives_one_sentence(void **state)
{
	struct terminal terminal = {.width = 200, .height = 24};
	json_t *result = json_pack("{s:s}", "schema", "cyclestack-run-2");
	char *text = printed(result, &terminal, 5);

	(void)state;
	assert_string_equal(text,
			    "the stacks of this result cannot be shown: program is missing\n");
	free(text);
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(components_add_up_to_the_cycles),
		cmocka_unit_test(a_negative_component_is_shown_as_such),
		cmocka_unit_test(absent_parts_are_not_printed),
		cmocka_unit_test(intervals_fit_the_height),
		cmocka_unit_test(a_result_that_cannot_be_shown_gives_one_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
