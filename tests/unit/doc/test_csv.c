/* Tables as CSV: read back, every field is what was put into it, and no text is taken for a
 * formula. */
#include "../test.h"
#include "base/array.h"
#include "doc/doc_csv.h"

#define FIELDS 16

/* Reads a line as RFC 4180 says; returns the beginning of the next. */
static char *read_row(char *p, char *fields[FIELDS])
{
	for (int i = 0; i < FIELDS; i++) {
		const bool is_quoted = *p == '"';
		char *to = fields[i] = p += is_quoted;

		while (is_quoted ? *p != '"' || p[1] == '"' : *p != ',' && *p != '\n') {
			p += is_quoted && *p == '"';
			*to++ = *p++;
		}
		p += is_quoted;
		const char end = *p++;
		*to = '\0';
		if (end == '\n')
			return p;
		assert_int_equal(end, ',');
	}
	fail_msg("a row has more fields than %d", FIELDS);
	return p;
}

static char *csv_of(const struct doc *doc, const char *id)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct err err;

	assert_true(doc_csv_write(out, doc, id, &err));
	fclose(out);
	return text;
}

/* A name and words of a cell as they stand in a row of a table. */
static void is_read_as(const char *given, const char *wanted)
{
	char *fields[FIELDS];
	struct doc doc;

	doc_init(&doc, "made-up");
	struct doc_table *table = doc_table(&doc, "names", NULL, "name");
	doc_column(table, "words", DOC_WORDS, 0);
	doc_row(table, given);
	doc_cell_words(table, given);
	char *text = csv_of(&doc, "names"), *row = read_row(text, fields);
	assert_string_equal(fields[0], "name");
	assert_string_equal(fields[1], "words");
	assert_int_equal(*read_row(row, fields), '\0');
	assert_string_equal(fields[0], wanted);
	assert_string_equal(fields[1], wanted);
	free(text);
	doc_release(&doc);
}

TEST(names_survive_quoting)
{
	static const char *const names[] = {"",	  "plain",   "a,b",	 "a \"quoted\" one",
					    "\"", "a=b",     "a, \"b\"", "-12",
					    "+7", "ünïcode", "a;b",	 "'",
					    " a "};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		is_read_as(names[i], names[i]);
}

/* What a terminal would take for a command, or a reader of lines for the end of one. */
TEST(control_characters_are_replaced)
{
	is_read_as("a\nb", "a?b");
	is_read_as("a\r\nb", "a??b");
	is_read_as("\033[2J", "?[2J");
	is_read_as("\t=1+1", "'?=1+1");
}

/* A spreadsheet computes what begins so, unless there is an apostrophe before it. */
TEST(no_text_is_a_formula)
{
	static const char *const evil[] = {"=1+1", "+1+cmd", "-1-cmd", "@SUM(A1)", "=a,\"b\"", "-"};

	for (size_t i = 0; i < ARRAY_COUNT(evil); i++) {
		char quoted[32];

		snprintf(quoted, sizeof(quoted), "'%s", evil[i]);
		is_read_as(evil[i], quoted);
	}
}

/* A column for each level of names and each part of a stack; a curve is one field, and a bar, which
 * repeats a number, none. */
TEST(every_value_has_its_field)
{
	static const double parts[] = {1.5, 2}, curve[] = {1, 0.25, 3};
	struct doc doc;

	doc_init(&doc, "made-up");
	struct doc_table *table = doc_table(&doc, "all", NULL, "place");
	doc_part(table, "base", doc_component_named("base"));
	doc_part(table, "l1d", doc_component_named("l1d"));
	doc_column(table, "stack", DOC_STACK, 0);
	doc_column(table, "share", DOC_PERCENT, 1);
	doc_column(table, "bar", DOC_BAR, 0);
	doc_column(table, "curve", DOC_SPARK, 0);
	doc_column(table, "page", DOC_COUNT, 0)->where = DOC_IN_PAGE;
	doc_column(table, "words", DOC_WORDS, 0);
	doc_row(table, "f");
	doc_cell_values(table, parts, 2);
	doc_value(table, 0.125);
	doc_value(table, 7);
	doc_cell_values(table, curve, 3);
	doc_value(table, 8);
	doc_cell_words(table, "a word");
	doc_child(table, "line 1");
	doc_cell_values(table, parts, 1);
	doc_row(table, "g");
	char *text = csv_of(&doc, "all");
	assert_string_equal(text, "place,\"place, level 2\",base,l1d,share,curve,words\n"
				  "f,,1.5,2,0.125,1 0.25 3,a word\n"
				  "f,line 1,1.5,,,,\n"
				  "g,,,,,,\n");
	free(text);
	doc_release(&doc);
}

TEST(tables_are_chosen_by_name)
{
	struct doc doc;
	struct err err;
	char *text;

	doc_init(&doc, "made-up");
	assert_false(doc_csv_write(stdout, &doc, "first", &err));
	assert_string_equal(err.text, "this result has no table to write as CSV");
	doc_table(&doc, NULL, NULL, "none");
	doc_row(doc_table(&doc, "hidden", NULL, "none"), "x");
	doc_only(&doc, DOC_IN_PAGE);
	doc_section(&doc, "section", "Section");
	doc_row(doc_table(&doc, "first", NULL, "a"), "x");
	doc_end(&doc);
	doc_row(doc_table(&doc, "second", NULL, "b"), "y");
	text = csv_of(&doc, NULL);
	assert_string_equal(text, "a\nx\n");
	free(text);
	text = csv_of(&doc, "second");
	assert_string_equal(text, "b\ny\n");
	free(text);
	assert_false(doc_csv_write(stdout, &doc, "third", &err));
	assert_string_equal(err.text,
			    "there is no table \"third\" in this result; there is first, second");
	assert_false(doc_csv_write(stdout, &doc, "hidden", &err));
	doc_release(&doc);
}
