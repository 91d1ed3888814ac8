/* What a cell shows of its value: through a view, with words after it, or as a number that is large
 * or small; and tables as text that have no names, no columns or little to draw. */
#include "../test.h"

#include "printed_text.h"
#include "base/array.h"
#include "doc/cell.h"
#include "doc/markup.h"
#include "doc/number.h"

static const struct terminal narrow = {.width = 30, .height = 24};

static void short_is(double value, const char *wanted)
{
	char text[NUMBER_BYTES];

	assert_string_equal(number_short(text, value), wanted);
}

static void exact_is(double value, const char *wanted)
{
	char text[NUMBER_BYTES];

	assert_string_equal(number_exact(text, value), wanted);
}

TEST(numbers_may_be_negative_or_beyond_all_prefixes)
{
	short_is(-12345, "-12.3k");
	short_is(-9999, "-9999");
	short_is(1e18, "1000P");
	short_is(1.5e22, "15000000P");
	exact_is(999999999999999, "999999999999999");
	exact_is(1e15, "1e+15");
	exact_is(-2e300, "-2e+300");
	exact_is(0.1, "0.1");
}

static void json_is(const char *given, const char *wanted)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	markup_json(out, given);
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
}

/* A string of JSON within an attribute: it ends neither of the two. */
TEST(strings_in_attributes_end_nothing)
{
	json_is("a", "&quot;a&quot;");
	json_is("a\"b\\c", "&quot;a\\&quot;b\\\\c&quot;");
	json_is("\"\xc3\xb6\x7f", "&quot;\\&quot;\xc3\xb6?&quot;");
	json_is(NULL, "&quot;&quot;");
}

static struct doc_table *one_column(struct doc *doc, enum doc_unit unit, unsigned places)
{
	doc_init(doc, "made-up");
	struct doc_table *table = doc_table(doc, "table", NULL, "row");
	doc_column(table, "x", unit, places);
	return table;
}

/* The first view is that of text; without one a column shows itself. */
TEST(a_view_divides_or_does_not)
{
	static const struct {
		int by; /* -1: there is no view */
		double whole, weight;
		const char *wanted;
	} rows[] = {
		{-1, 4, 8, "row   x\na   2.0\n"},
		{DOC_BY_NOTHING, 4, 8, "row    x\na   2.00\n"},
		{DOC_BY_WHOLE, 4, 8, "row    x\na   0.50\n"},
		{DOC_BY_WEIGHT, 4, 8, "row    x\na   0.25\n"},
		{DOC_BY_WHOLE, 0, 8, "row    x\na   0.00\n"},
		{DOC_BY_WEIGHT, 4, 0, "row    x\na   0.00\n"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct doc doc;
		struct doc_table *table = one_column(&doc, DOC_NUMBER, 1);

		table->columns[0].flags = DOC_VIEWED;
		table->whole = rows[i].whole;
		if (rows[i].by >= 0)
			doc_view(table, "view", DOC_NUMBER, 2, rows[i].by);
		doc_row(table, "a")->weight = rows[i].weight;
		doc_value(table, 2);
		is_printed(&doc, &narrow, rows[i].wanted);
	}
}

TEST(a_value_may_have_words_and_a_line_none)
{
	struct doc doc;
	struct doc_table *table = one_column(&doc, DOC_COUNT, 0);

	doc_column(table, "code", DOC_CODE, 0);
	doc_row(table, "a");
	doc_value(table, 12)->words = " or more";
	doc_cell_none(table);
	doc_row(table, "b");
	doc_value(table, 3);
	doc_cell_words(table, "ret");
	is_printed(&doc, &narrow,
		   "row          x code\n"
		   "a   12 or more\n"
		   "b            3 ret\n");
}

/* Neither names nor columns need be there, and the rows may be none. */
TEST(tables_may_lack_names_or_columns)
{
	struct doc doc;

	doc_init(&doc, "made-up");
	struct doc_table *table = doc_table(&doc, "table", NULL, NULL);
	doc_column(table, "left", DOC_WORDS, 0);
	doc_column(table, "x", DOC_COUNT, 0);
	doc_row(table, "unseen");
	doc_cell_words(table, "a");
	doc_value(table, 5);
	is_printed(&doc, &narrow, "left x\na    5\n");
	doc_init(&doc, "made-up");
	table = doc_table(&doc, "table", NULL, "row");
	doc_row(table, "a");
	is_printed(&doc, &narrow, "row\na\n");
	one_column(&doc, DOC_COUNT, 0);
	is_printed(&doc, &narrow, "row x\n");
}

/* A bar of nothing has no columns, and a stack may have fewer values than there are parts. */
TEST(bars_may_be_of_nothing)
{
	static const double values[] = {1}, none[] = {0};
	struct doc doc;
	struct doc_table *table = one_column(&doc, DOC_BAR, 0);

	doc_part(table, "base", doc_component_named("base"));
	doc_part(table, "branch", doc_component_named("branch"));
	doc_column(table, "stack", DOC_STACK, 0);
	doc_column(table, "y", DOC_COUNT, 0);
	for (int i = 0; i < 2; i++) {
		doc_row(table, i ? "b" : "a");
		doc_value(table, 0);
		doc_cell_values(table, i ? none : values, 1);
		if (!i)
			doc_value(table, 7);
	}
	is_printed(&doc, &narrow,
		   "row                          y\n"
		   "a                 ========== 7\n"
		   "b                            -\n");
}

/* Rows far below others are indented, at most by the whole column. */
TEST(deep_rows_lose_their_names_first)
{
	struct doc doc;
	struct doc_table *table = one_column(&doc, DOC_COUNT, 0);

	for (unsigned i = 0; i < 10; i++) {
		doc_row_at(table, i, "place");
		doc_value(table, 123456789012 + i);
	}
	is_printed(&doc, &(struct terminal){.width = 20, .height = 24},
		   "row                x\n"
		   "place           123G\n"
		   "  place         123G\n"
		   "    place       123G\n"
		   "      place     123G\n"
		   "        place   123G\n"
		   "          place 123G\n"
		   "            pla 123G\n"
		   "              p 123G\n"
		   "                123G\n"
		   "                123G\n");
}

/* Words that are not in the last column do not go on below. */
TEST(only_the_last_column_goes_on_below)
{
	struct doc doc;
	struct doc_table *table = one_column(&doc, DOC_WORDS, 0);

	table->columns[0].flags = DOC_WHOLE;
	doc_column(table, "meaning", DOC_WORDS, 0)->flags = DOC_WHOLE;
	doc_row(table, "a");
	doc_cell_words(table, "cut where it is too long");
	doc_cell_words(table, "and this goes on below, however long it is");
	is_printed(&doc, &(struct terminal){.width = 44, .height = 24},
		   "row x                   meaning\n"
		   "a   cut wher...too long and this goes on\n"
		   "                          below, however\n"
		   "                          long it is\n");
}
