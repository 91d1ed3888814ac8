#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/common.h"
#include "report/compare/compare.h"
#include "report/diff_objects.h"
#include "report/diff_paths.h"
#include "report/report.h"
#include "value/member.h"

#define CHANGES_SHOWN 10 /* in text: with the other lines, about one screen */
#define FIRST_VALUES  3	 /* cycles, instructions and CPI */

static const struct {
	const char *member, *title;
} sections[] = {
	{"components", "cycles by component"},
	{"functions", "cycles by function"},
	{"lines", "cycles by line"},
};

static void columns(struct doc_table *table)
{
	doc_column(table, "A", DOC_NUMBER, 0);
	doc_column(table, "B", DOC_NUMBER, 0);
	doc_column(table, "difference", DOC_SIGNED, 0);
	doc_column(table, "percent", DOC_CHANGE, 2);
}

/* A number as it is: whole, with three decimals, or so small that two are needed to see it. */
static void number_cell(struct doc *doc, struct doc_table *table, const json_t *value,
			bool is_signed, bool is_whole)
{
	const double number = json_number_value(value);
	struct doc_cell *cell = doc_value_of(table, value);

	if (!json_is_number(value) || is_whole)
		return;
	cell->shown = doc_words(doc, "%s%s", is_signed && number > 0 ? "+" : "",
				doc_decimal(doc, number, 3));
}

static void cells(struct doc *doc, struct doc_table *table, const json_t *row, bool is_cycles)
{
	const json_t *percent = json_object_get(row, "percent");
	const json_t *difference = json_object_get(row, "difference");
	const bool is_whole = is_cycles || !json_is_real(json_object_get(row, "a"));

	number_cell(doc, table, json_object_get(row, "a"), false, is_whole);
	number_cell(doc, table, json_object_get(row, "b"), false, is_whole);
	if (is_cycles)
		common_more_cycles_cell(doc, table, json_number_value(difference));
	else
		number_cell(doc, table, difference, true, is_whole);
	doc_value(table, json_is_number(percent) ? json_number_value(percent) / 100 : NAN);
}

/* A name such as main (sort.c) or src/sort.c:12. */
static const char *name_of(struct doc *doc, const json_t *row)
{
	const char *name = json_string_value(json_object_get(row, "name"));
	const char *file = member_text(row, "file"), *slash = strrchr(file, '/');
	const int64_t line = member_whole(row, "line");

	if (!name && !line)
		return doc_words(doc, "%s, line unknown", *file ? file : "?");
	if (!name)
		return doc_words(doc, "%s:%" PRId64, *file ? file : "?", line);
	return *file ? doc_words(doc, "%s (%s)", name, slash ? slash + 1 : file) : name;
}

static void changes(struct doc *doc, const json_t *rows, const char *id, const char *title)
{
	const size_t count = json_array_size(rows);
	const json_t *row;
	size_t i;

	if (!count)
		return;
	doc_section(doc, id, title)->short_title = id;
	struct doc_table *table = doc_table(doc, doc_words(doc, "%s-table", id), NULL, "");
	columns(table);
	/* A line "and 1 more" would take as much space as that change. */
	table->text_limit = count <= CHANGES_SHOWN + 1 ? 0 : CHANGES_SHOWN;
	table->limit = 100;
	table->has_filter = count > CHANGES_SHOWN;
	json_array_foreach(rows, i, row)
	{
		struct doc_row *made = doc_row(table, name_of(doc, row));

		if (strcmp(id, "components") == 0)
			made->colour = doc_component_named(member_text(row, "name"));
		cells(doc, table, row, true);
	}
	doc_end(doc);
}

static void values(struct doc *doc, const char *id, const char *title, const json_t *rows,
		   size_t first, size_t end)
{
	if (first >= end)
		return;
	doc_section(doc, id, title);
	struct doc_table *table = doc_table(doc, doc_words(doc, "%s-table", id), NULL, "");
	columns(table);
	for (size_t i = first; i < end; i++) {
		const json_t *row = json_array_get(rows, i);

		doc_row(table, member_text(row, "name"));
		cells(doc, table, row, false);
	}
	doc_end(doc);
}

/* The parameters that differ; where a note names them all, text does not repeat them. */
static void parameters(struct doc *doc, const json_t *rows)
{
	const size_t count = json_array_size(rows);
	const json_t *row;
	size_t i;

	if (!count)
		return;
	doc_section(doc, "parameters", "Parameters of the machines that differ")->short_title =
		"parameters";
	struct doc_table *table = doc_table(doc, "parameters-table", NULL, "parameter");
	table->has_whole_names = true;
	doc_column(table, "A", DOC_WORDS, 0);
	doc_column(table, "B", DOC_WORDS, 0);
	table->text_limit = count <= CHANGES_SHOWN + 1 ? 0 : CHANGES_SHOWN;
	table->limit = 100;
	json_array_foreach(rows, i, row)
	{
		doc_row(table, member_text(row, "key"));
		common_setting_cell(table, json_object_get(row, "a"));
		common_setting_cell(table, json_object_get(row, "b"));
	}
	doc_end(doc);
	if (count <= COMPARE_PARAMETERS_NAMED)
		doc_only(doc, DOC_IN_PAGE | DOC_IN_CSV);
}

static void side(struct doc *doc, const char *label, const json_t *side)
{
	const json_t *configuration = json_object_get(side, "configuration");
	struct doc_text *text = doc_fact(doc, label);
	json_t *change;
	size_t i;

	doc_say(text, "%s", member_text(json_object_get(side, "program"), "name"));
	if (configuration)
		doc_say(text, " on %s", member_text(configuration, "name"));
	json_array_foreach(json_object_get(configuration, "changes"), i, change)
	{
		doc_say(text, i ? ", " : " with ");
		doc_word(text, json_string_value(change));
	}
}

REPORT_BUILDER(diff)
{
	const json_t *rows = json_object_get(result, "values"), *note;
	const size_t count = json_array_size(rows);
	size_t i, first = 0;

	(void)options;
	doc->title = "Two results compared - cyclestack";
	doc_say(&doc->heading, "Two results compared");
	side(doc, "A", json_object_get(result, "a"));
	side(doc, "B", json_object_get(result, "b"));
	json_array_foreach(json_object_get(result, "notes"), i, note)
		doc_note(doc, doc_words(doc, "note: %s", json_string_value(note)));
	/* Results of exec have no cycles and no CPI. */
	while (first < count && first < FIRST_VALUES &&
	       strstr("cycles instructions CPI", member_text(json_array_get(rows, first), "name")))
		first++;
	values(doc, "totals", "In all", rows, 0, first);
	parameters(doc, json_object_get(result, "parameters"));
	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		changes(doc, json_object_get(result, sections[i].member), sections[i].member,
			sections[i].title);
	if (!diff_paths(doc, result, err))
		return false;
	diff_objects(doc, result);
	if (json_object_get(result, "components") && !json_object_get(result, "paths")) {
		doc_note(doc, "To compare by path of calls, make both results with --calls.");
		doc_only(doc, DOC_IN_PAGE);
	}
	if (json_object_get(result, "components") && !json_object_get(result, "objects")) {
		doc_note(doc, "To compare by data, make both results with --data.");
		doc_only(doc, DOC_IN_PAGE);
	}
	if (!member_whole(result, "difference_count"))
		doc_paragraph(doc, "no value differs");
	else
		values(doc, "values", "Values that differ", rows, first, count);
	return true;
}
