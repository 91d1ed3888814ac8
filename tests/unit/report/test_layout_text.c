/* The documentation of results contains everything in the tables, and every link has a target. */
#include "../test.h"
#include "sample.h"

#include <ctype.h>

#include "report/layout_text.h"
#include "value/layout.h"

static char *printed(void)
{
	FILE *out = tmpfile();

	assert_non_null(out);
	layout_text_print(out);
	return sample_read(out);
}

static void has(const char *text, const char *before, const char *name, const char *after)
{
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "%s%s%s", before, name, after);
	if (!strstr(text, wanted))
		fail_msg("there is no \"%s\"", wanted);
}

/* What a member's value is called: "list of [part](#part) or null". */
static void value_text(const struct layout_member *m, char *text, size_t bytes)
{
	static const char *const kinds[] = {
		"text",	  "true or false", "whole number", "count",  "number",
		"amount", "setting",	   "components",   "causes", ""};
	const char *shape = m->shape == LAYOUT_LIST  ? "list of "
			    : m->shape == LAYOUT_MAP ? "map of "
						     : "";
	const char *null = m->flags & 2 ? " or null" : "";
	char link[96] = "";

	if (!m->of) {
		snprintf(text, bytes, "%s%s%s", shape, kinds[m->kind], null);
		return;
	}
	snprintf(link, sizeof(link), "%s", m->of->schema ? m->of->schema : m->of->name);
	for (char *p = link; (p = strchr(p, ' '));)
		*p = '-';
	snprintf(text, bytes, "%s[%s](#%s)%s", shape, m->of->name, link, null);
}

static void has_row(const char **at, const struct layout_member *m)
{
	char value[256], name[128], row[1024];

	snprintf(name, sizeof(name), m->name ? "`%s`" : "any other name", m->name);
	value_text(m, value, sizeof(value));
	snprintf(row, sizeof(row), "| %s | %s | %s | %s%s%s |\n", name, value, m->unit, m->meaning,
		 m->flags & 1 ? " (may be missing)" : "",
		 m->flags & 4 ? " (compared by `diff`)" : "");
	assert_memory_equal(*at, row, strlen(row));
	*at += strlen(row);
}

/* The text has the layout's heading once and, below it, a row for every member and no other. */
static void has_layout(const char *text, const struct layout *layout)
{
	char heading[1024];

	if (layout->schema)
		snprintf(heading, sizeof(heading),
			 "\n### %s\nWritten by `%s`: %s.\n"
			 "\n| member | value | unit | meaning |\n|---|---|---|---|\n"
			 "| `schema` | text | | %s |\n",
			 layout->schema, layout->name, layout->meaning, layout->schema);
	else
		snprintf(heading, sizeof(heading),
			 "\n### %s\n%c%s.\n"
			 "\n| member | value | unit | meaning |\n|---|---|---|---|\n",
			 layout->name, toupper(layout->meaning[0]), layout->meaning + 1);
	const char *at = strstr(text, heading);
	if (!at)
		fail_msg("there is no %s", heading);
	assert_null(strstr(at + 1, heading));
	at += strlen(heading);
	for (const struct layout_member *m = layout->members; m->name; m++)
		has_row(&at, m);
	if (layout->others)
		has_row(&at, layout->others);
	assert_int_equal(*at, '\n');
	for (const struct layout_member *m = layout->members; m->name; m++)
		if (m->of)
			has_layout(text, m->of);
}

TEST(every_member_of_every_result_is_there)
{
	char *text = printed();

	for (size_t i = 0; layouts[i]; i++)
		has_layout(text, layouts[i]);
	free(text);
}

TEST(every_component_and_cause_is_there)
{
	char *text = printed();
	const char *components = strstr(text, "\n## Components\n"),
		   *causes = strstr(text, "\n## Causes\n");

	assert_true(components && causes);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		has(components, "\n| ", component_rows[i].name, " | `");
	for (int i = 0; i < CAUSE_COUNT; i++)
		has(causes, "\n| ", cause_rows[i].name, " | ");
	free(text);
}

/* Some rows of each table, and what stands before the first and after the last. */
TEST(tables_have_their_columns)
{
	static const char *const rows[] = {
		"# The format of results\nWhat the files",
		"a whole number from 0 to 9007199254740992, an *amount*",
		"fraction of the run's cycles.\n\n## Results\n\n### ",
		"|\n\n## Parts\n\n### ",
		"|\n\n## Units\n\n| unit | meaning |\n|---|---|\n| ",
		"|\n\n## Counted values\n",
		"\n|---|---|---|---|\n| `cycles` | cycles | cycles | cycles simulated |\n"
		"| `instructions` | committed | instructions | instructions committed |\n",
		"\n| component | letter | levels | meaning |\n|---|---|---|---|\n"
		"| base | `=` | 1 | useful work, operands, and slots fetch cannot fill |\n"
		"| l1i | `i` | 1 | first-level instruction cache misses |\n"
		"| l2i | `I` | 2 | second-level instruction misses |\n"
		"| l3i | `J` | 3 | third-level instruction misses |\n",
		"\n|---|---|---|\n| base | base | slots used, and slots fetch could not fill: taken "
		"branches, ends of lines |\n",
		"\n| mshr | that of data misses of the last level | window full behind a load, or ",
		"\n| btb | branch | decode had to supply the target of a direct branch |\n",
	};
	char *text = printed();

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (!strstr(text, rows[i]))
			fail_msg("there is no %s", rows[i]);
	has(text, "\n| bandwidth | bandwidth | the part of a miss by which a busy memory makes it ",
	    "longer", " |\n");
	const char *end = text + strlen(text);
	static const char last[] = "the part of a miss by which a busy memory makes it longer |\n";
	assert_string_equal(end - strlen(last), last);
	free(text);
}

TEST(every_link_has_a_heading)
{
	char *text = printed();
	unsigned count = 0;

	for (const char *link = strstr(text, "](#"); link; link = strstr(link + 1, "](#")) {
		char heading[128] = "## ";
		size_t length = strcspn(link + 3, ")");

		snprintf(heading + 3, sizeof(heading) - 3, "%.*s\n", (int)length, link + 3);
		bool is_there = strcasestr(text, heading);
		for (char *p = heading; (p = strchr(p, '-'));)
			*p = ' ';
		if (!is_there && !strcasestr(text, heading))
			fail_msg("nothing is called %s", heading);
		count++;
	}
	assert_true(count > 20);
	free(text);
}
