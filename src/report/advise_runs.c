#include <math.h>
#include <string.h>

#include "base/array.h"
#include "report/advise.h"
#include "report/common.h"
#include "value/member.h"

static const char *causes_of(struct doc *doc, const json_t *place)
{
	const struct stacks_slots slots = stacks_read_slots(place, "slots");
	const char *text = "";

	for (int i = 0; i < CAUSE_COUNT; i++)
		if (slots.causes[i])
			text = doc_words(doc, "%s%s%s", text, *text ? " " : "", cause_rows[i].name);
	return text;
}

/* The option of `run` that a row is from. */
static const char *option_of(struct doc *doc, const json_t *row)
{
	const json_t *changes = json_object_get(row, "changes");

	if (strcmp(member_text(row, "measured"), "windows") == 0)
		return doc_words(doc, "--what-if %s", advice_joined(doc, changes, "", ","));
	return advice_joined(doc, changes, "--set ", " ");
}

/* The command of the machine as it is, with one more option. */
static const char *command_with(const struct advice *advice, const char *option)
{
	struct doc *doc = advice->doc;
	const json_t *program = json_object_get(advice->result, "program"),
		     *machine = json_object_get(advice->result, "configuration");
	const char *arguments = advice_joined(doc, json_object_get(program, "arguments"), "", " ");
	const char *changes =
		advice_joined(doc, json_object_get(machine, "changes"), "--set ", " ");

	return doc_words(doc, "cyclestack run --config %s%s%s %s %s%s%s",
			 member_text(machine, "name"), *changes ? " " : "", changes, option,
			 member_text(program, "name"), *arguments ? " " : "", arguments);
}

/* The command that a row is from; empty if it was not simulated. */
static const char *run_of(const struct advice *advice, const json_t *row)
{
	return advice_has_gain(row) ? command_with(advice, option_of(advice->doc, row)) : "";
}

static void run_rows(const struct advice *advice, struct doc_table *table, const json_t *rows,
		     bool are_places)
{
	struct doc *doc = advice->doc;
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (!advice_has_gain(row) || !advice_is_shown(advice, row))
			continue;
		const char *name = are_places ? doc_words(doc, "%s, %s", advice_place(doc, row),
							  member_text(row, "kind"))
					      : member_text(row, "what");
		const char *option = option_of(doc, row);

		doc_row(table, name);
		doc_cell_words(table, option);
		struct doc_text *text = doc_text(doc, DOC_PARAGRAPH);
		doc_say(text, "%s: ", name);
		doc_word(text, option);
		doc_only(doc, DOC_IN_TEXT);
	}
}

/* A table would cut long lists of instructions. */
void advice_runs_section(const struct advice *advice)
{
	struct doc *doc = advice->doc;

	if (!advice_simulated(advice->software, true) && !advice_simulated(advice->machine, true))
		return;
	doc_section(doc, "runs", "The runs these numbers are from");
	struct doc_text *text = doc_text(doc, DOC_NOTE);
	doc_say(text, "Each is ");
	doc_word(text, command_with(advice, "..."));
	doc_say(text, " with one of:");
	struct doc_table *table = doc_table(doc, "runs-table", NULL, "change");
	doc_only(doc, DOC_IN_PAGE);
	doc_column(table, "option", DOC_WORDS, 0)->flags = DOC_UNSORTED;
	run_rows(advice, table, advice->software, true);
	run_rows(advice, table, advice->machine, false);
	doc_end(doc);
}

/* Every row for CSV, with whole cycles. */
void advice_software_rows(const struct advice *advice)
{
	struct doc *doc = advice->doc;
	struct doc_table *table = doc_table(doc, "software", NULL, "place");
	static const char *const words[] = {"kind", "scope", "function", "file"};
	const json_t *place;
	size_t i;

	doc_only(doc, DOC_IN_CSV);
	for (size_t k = 0; k < ARRAY_COUNT(words); k++)
		doc_column(table, words[k], DOC_WORDS, 0);
	doc_column(table, "line", DOC_COUNT, 0);
	doc_column(table, "causes", DOC_WORDS, 0);
	doc_column(table, "lost", DOC_NUMBER, 2);
	doc_column(table, "gain", DOC_NUMBER, 2);
	doc_column(table, "error", DOC_NUMBER, 2);
	doc_column(table, "measured", DOC_WORDS, 0);
	doc_column(table, "pattern", DOC_WORDS, 0);
	doc_column(table, "evidence", DOC_WORDS, 0);
	doc_column(table, "run", DOC_WORDS, 0);
	json_array_foreach(advice->software, i, place)
	{
		doc_row(table, advice_place(doc, place));
		for (size_t k = 0; k < ARRAY_COUNT(words); k++)
			doc_cell_words(table, member_text(place, words[k]));
		doc_value(table, member_whole(place, "line") ? member_number(place, "line") : NAN);
		doc_cell_words(table, causes_of(doc, place));
		doc_value_of(table, json_object_get(place, "lost"));
		doc_value_of(table, json_object_get(place, "gain"));
		doc_value_of(table, json_object_get(place, "error"));
		doc_cell_words(table, member_text(place, "measured"));
		doc_cell_words(table, advice_pattern(place));
		doc_cell_words(table, member_text(json_object_get(place, "pattern"), "evidence"));
		doc_cell_words(table, run_of(advice, place));
	}
}

void advice_machine_rows(const struct advice *advice)
{
	struct doc *doc = advice->doc;
	struct doc_table *table = doc_table(doc, "machine", NULL, "step");
	const json_t *step;
	size_t i;

	doc_only(doc, DOC_IN_CSV);
	doc_column(table, "bound", DOC_WORDS, 0);
	doc_column(table, "causes", DOC_WORDS, 0);
	doc_column(table, "bits", DOC_NUMBER, 0);
	doc_column(table, "gain", DOC_NUMBER, 2);
	doc_column(table, "error", DOC_NUMBER, 2);
	doc_column(table, "measured", DOC_WORDS, 0);
	doc_column(table, "run", DOC_WORDS, 0);
	json_array_foreach(advice->machine, i, step)
	{
		doc_row(table, member_text(step, "what"));
		doc_cell_words(table, advice_is_bound(step) ? "yes" : "no");
		doc_cell_words(table, advice_joined(doc, json_object_get(step, "causes"), "", " "));
		doc_value_of(table, json_object_get(step, "bits"));
		doc_value_of(table, json_object_get(step, "gain"));
		doc_value_of(table, json_object_get(step, "error"));
		doc_cell_words(table, member_text(step, "measured"));
		doc_cell_words(table, run_of(advice, step));
	}
}
