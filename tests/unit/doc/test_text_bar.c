/* Bars and small curves in a line of text: how many columns each part gets, and what is written. */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "doc/text_bar.h"

#define PARTS 3

/* Columns by largest remainder, of equal ones the first. */
TEST(segments_are_shared_by_remainder)
{
	static const struct {
		double values[PARTS], whole;
		unsigned columns, segments[PARTS];
	} cases[] = {
		{{1, 1, 1}, 3, 5, {2, 2, 1}},	  {{1, 1, 1}, 3, 4, {2, 1, 1}},
		{{10, 15, 25}, 50, 4, {1, 1, 2}}, {{15, 10, 25}, 50, 4, {1, 1, 2}},
		{{7, 2, 1}, 10, 5, {4, 1, 0}},	  {{1, 7, 2}, 10, 5, {1, 3, 1}},
		{{-9, 5, 5}, 10, 3, {0, 2, 1}},	  {{1, 0, 0}, 2, 1, {1, 0, 0}},
		{{1, 0, 0}, 2.1, 1, {0, 0, 0}},	  {{3, 3, 4}, 5, 10, {3, 3, 4}},
		{{3, 3, 4}, 20, 10, {2, 1, 2}},	  {{1, 0, 0}, 1, 1, {1, 0, 0}},
		{{0, 0, 0}, 0, 50, {0, 0, 0}},	  {{-5, 0, 0}, 10, 50, {0, 0, 0}},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		unsigned segments[PARTS];

		text_bar_segments(cases[i].values, PARTS, cases[i].whole, cases[i].columns,
				  segments);
		for (int k = 0; k < PARTS; k++)
			if (segments[k] != cases[i].segments[k])
				fail_msg("case %zu: part %d has %u columns", i, k, segments[k]);
	}
}

/* They add up to the share of the bar, and each is within a column of its own share. */
TEST(segments_fill_the_share_of_the_bar)
{
	struct rng rng = {1};

	for (int round = 0; round < 2000; round++) {
		const unsigned columns = (unsigned)rng_below(&rng, 100);
		double values[PARTS], sum = 0;
		unsigned segments[PARTS], used = 0;

		for (int i = 0; i < PARTS; i++)
			sum += values[i] = (double)rng_below(&rng, 1000);
		const double whole = sum + (double)rng_below(&rng, 1000) + 1;
		text_bar_segments(values, PARTS, whole, columns, segments);
		for (int i = 0; i < PARTS; i++) {
			const double share = values[i] / whole * columns;

			used += segments[i];
			assert_true(segments[i] < share + 1.5 && segments[i] > share - 1.5);
		}
		assert_int_equal(used, (unsigned)(sum / whole * columns + 0.5));
	}
}

static struct doc_part part(const char *name)
{
	return (struct doc_part){name, doc_component_named(name)};
}

static char *stack_of(const struct terminal *terminal, const struct doc_part *parts,
		      const double *values, double whole, unsigned columns, unsigned wanted)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(text_bar_stack(out, terminal, parts, values, PARTS, whole, columns),
			 wanted);
	fclose(out);
	return text;
}

/* Letters; on a terminal with colours dark ones on a light colour, light ones on a dark colour. */
TEST(a_stack_is_written_in_letters)
{
	const struct doc_part parts[] = {part("base"), part("branch"), part("l2d")};
	const struct doc_part dark[] = {part("base"), part("branch"), part("l2i")};
	static const double values[] = {50, 20, 30}, few[] = {1, 0, 2};
	struct terminal terminal = {.width = 80};

	char *text = stack_of(&terminal, parts, values, 200, 20, 10);
	assert_string_equal(text, "=====BBDDD");
	free(text);
	terminal.colour = true;
	text = stack_of(&terminal, dark, few, 6, 6, 3);
	assert_string_equal(text, "\033[48;5;246;38;5;16m=\033[0m\033[48;5;25;38;5;231mII\033[0m");
	free(text);
}

static void one_is(const struct terminal *terminal, double share, const char *wanted)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	const unsigned used = text_bar_one(out, terminal, doc_component_named("base"), share, 4);
	fclose(out);
	if (!terminal->colour)
		assert_int_equal(used, terminal_columns(terminal, wanted));
	assert_string_equal(text, wanted);
	free(text);
}

TEST(a_bar_has_eighths_of_a_block)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	struct terminal terminal = {.width = 80, .utf8 = true};

	for (unsigned i = 0; i < 32; i++) {
		char wanted[32] = "";

		for (unsigned k = 0; k < i / 8; k++)
			strcat(wanted, "█");
		strcat(wanted, eighths[i % 8]);
		one_is(&terminal, i / 32.0, wanted);
	}
	one_is(&terminal, 1, "████");
	one_is(&terminal, 7, "████");
	one_is(&terminal, -1, "");
	terminal.colour = true;
	one_is(&terminal, 0.25, "\033[38;5;246m█\033[0m");
	terminal = (struct terminal){.width = 80};
	one_is(&terminal, 0.49, "==");
}

static void spark_is(bool utf8, const double *values, size_t count, unsigned columns,
		     const char *wanted)
{
	const struct terminal terminal = {.width = 80, .utf8 = utf8};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(text_bar_spark(out, &terminal, values, count, columns),
			 count < columns ? count : columns);
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
}

/* From the lowest to the highest; what does not fit is the mean of its neighbours. */
TEST(a_spark_has_eight_levels)
{
	static const double rising[] = {0, 1, 2, 3, 4, 5, 6, 7}, none[] = {0, 0, -3},
			    pairs[] = {0, 2, 6, 8, 14, 14};

	spark_is(true, rising, 8, 20, "▁▂▃▄▅▆▇█");
	spark_is(false, rising, 8, 8, "01234567");
	spark_is(true, none, 3, 8, "▁▁▁");
	/* Means 1, 7 and 14. */
	spark_is(false, pairs, 6, 3, "147");
	spark_is(false, rising, 0, 3, "");
}
