#include <math.h>
#include <string.h>

#include "base/array.h"
#include "report/advise.h"
#include "report/common.h"
#include "report/report.h"
#include "value/member.h"

#define PLACES_SHOWN 5 /* whose instructions are shown */
#define INSNS_SHOWN  4 /* of each, in text and pages */
#define KILOBIT	     1024.0

static void gain_columns(const struct advice *advice, struct doc_table *table)
{
	doc_column(table, "gain", DOC_PERCENT, 1)->about =
		"of the cycles, that go away on the machine with this change";
	if (advice->has_windows)
		doc_column(table, "+-", DOC_PERCENT, 1)->about =
			"by which the gain may be wrong in 19 of 20 cases; nothing where the whole "
			"program was simulated";
	struct doc_column *column = doc_column(table, "cycles", DOC_COUNT, 0);
	column->flags = DOC_RED;
}

static void gain_cells(const struct advice *advice, struct doc_table *table, const json_t *row)
{
	const double error = member_number(row, "error");

	if (!advice_has_gain(row)) {
		doc_cell_none(table);
		if (advice->has_windows)
			doc_cell_none(table);
		doc_cell_none(table);
		return;
	}
	doc_value(table, common_ratio(member_number(row, "gain"), advice->cycles));
	if (advice->has_windows)
		doc_value(table, error > 0 ? common_ratio(error, advice->cycles) : NAN);
	doc_value(table, round(member_number(row, "gain")));
}

/* How many rows a table of text leaves out. */
static size_t count_hidden(const struct advice *advice, const json_t *rows, int bound)
{
	const json_t *row;
	size_t count = 0, i;

	json_array_foreach(rows, i, row) count +=
		(bound < 0 || advice_is_bound(row) == bound) && !advice_is_shown(advice, row);
	return count;
}

static void say_hidden(const struct advice *advice, size_t hidden)
{
	if (hidden)
		doc_note(advice->doc,
			 doc_words(advice->doc, "%zu more w%s simulated and gain%s less than %s.",
				   hidden, hidden == 1 ? "as" : "ere", hidden == 1 ? "s" : "",
				   advice_percent(advice, ADVICE_SHOWN * advice->cycles)));
}

static bool has_patterns(const struct advice *advice)
{
	const json_t *place;
	size_t i;

	json_array_foreach(advice->software, i, place)
	{
		if (*advice_pattern(place) && advice_is_shown(advice, place))
			return true;
	}
	return false;
}

static void place_row(const struct advice *advice, struct doc_table *table, const json_t *place)
{
	struct doc_row *row = doc_row(table, advice_place(advice->doc, place));

	row->about = advice_without(place);
	doc_cell_words(table, member_text(place, "function"));
	doc_cell_words(table, member_text(place, "kind"));
	doc_value(table, common_ratio(member_number(place, "lost"), advice->cycles));
	gain_cells(advice, table, place);
	if (has_patterns(advice))
		doc_cell_words(table, advice_pattern(place));
}

/* The instruction that a pattern is about. */
static void say_about(const struct advice *advice, struct doc_text *text, const json_t *about)
{
	doc_word(text, member_text(about, "pc"));
	if (*member_text(about, "text")) {
		doc_say(text, ", ");
		doc_word(text, member_text(about, "text"));
	}
	if (*member_text(about, "file") && member_whole(about, "line")) {
		doc_say(text, ", at ");
		doc_word(text, common_place(advice->doc, member_text(about, "file"),
					    member_whole(about, "line")));
	}
}

/* A place is looked at more closely if it is in the table; the program only if no line or function
 * has at least half of what it gains. */
static bool has_detail(const struct advice *advice, size_t which)
{
	const json_t *one = json_array_get(advice->software, which), *place;
	size_t i;

	if (!advice_is_shown(advice, one))
		return false;
	json_array_foreach(advice->software, i, place)
	{
		if (advice_is_program(one) && !advice_is_program(place) && advice_has_gain(place) &&
		    json_equal(json_object_get(one, "kind"), json_object_get(place, "kind")) &&
		    2 * member_number(place, "gain") >= member_number(one, "gain"))
			return false;
	}
	return true;
}

/* A row before it is of the same place. */
static bool is_repeated(const struct advice *advice, size_t which)
{
	const json_t *one = json_array_get(advice->software, which);

	for (size_t i = 0; i < which; i++)
		if (!advice_is_program(one) && has_detail(advice, i) &&
		    advice_is_same_place(json_array_get(advice->software, i), one))
			return true;
	return false;
}

/* What the places that gain most do, and what helps against that. */
static void patterns_section(const struct advice *advice)
{
	struct doc *doc = advice->doc;
	const json_t *place;
	size_t i, shown = 0;

	if (!has_patterns(advice))
		return;
	doc_section(doc, "patterns", "What they do");
	json_array_foreach(advice->software, i, place)
	{
		const json_t *pattern = json_object_get(place, "pattern");

		if (!*advice_pattern(place) || !has_detail(advice, i) || shown++ >= PLACES_SHOWN)
			continue;
		struct doc_text *text = doc_text(doc, DOC_PARAGRAPH);
		doc_word(text, advice_place(doc, place));
		doc_say(text, ", %s: ", member_text(place, "kind"));
		doc_bold(text, "%s", advice_pattern(place));
		doc_say(text, ", %s. Counted at ", member_text(pattern, "meaning"));
		say_about(advice, text, json_object_get(pattern, "about"));
		doc_say(text, ": %s. What helps: %s", member_text(pattern, "evidence"),
			member_text(pattern, "helps"));
	}
	doc_end(doc);
}

static void software_section(const struct advice *advice)
{
	struct doc *doc = advice->doc;
	const json_t *place;
	size_t i, shown = 0;

	if (!json_array_size(advice->software))
		return;
	doc_section(doc, "in-the-program", "In the program");
	struct doc_table *table = doc_table(doc, "places", NULL, "place");
	doc_only(doc, DOC_IN_TEXT | DOC_IN_PAGE);
	doc_column(table, "in", DOC_WORDS, 0)->about =
		"its function; of all of the program, the one that has most";
	doc_column(table, "loss", DOC_WORDS, 0)->about = "what is taken away there";
	doc_column(table, "lost", DOC_PERCENT, 1)->about =
		"of the cycles, charged to that loss there";
	gain_columns(advice, table);
	if (has_patterns(advice))
		doc_column(table, "pattern", DOC_WORDS, 0)->about =
			"what its instructions do, counted when the program was executed once more";
	json_array_foreach(advice->software, i, place)
	{
		if (!advice_is_shown(advice, place))
			continue;
		place_row(advice, table, place);
		shown++;
	}
	if (!shown)
		doc_paragraph(doc, "No change in the program that was simulated gains anything.");
	say_hidden(advice, count_hidden(advice, advice->software, -1));
	doc_end(doc);
}

static void instruction_rows(const struct advice *advice, struct doc_table *table,
			     const json_t *place, double slots_per_cycle)
{
	const json_t *insn;
	size_t i;

	doc_row(table, advice_place(advice->doc, place))->detail = member_text(place, "kind");
	json_array_foreach(json_object_get(place, "instructions"), i, insn)
	{
		const struct stacks_slots slots = stacks_read_slots(insn, "slots");

		if (i >= INSNS_SHOWN)
			break;
		doc_child(table, member_text(insn, "pc"));
		doc_cell_words(table, member_text(insn, "text"));
		doc_value_of(table, json_object_get(insn, "executed"));
		doc_value(table,
			  common_ratio((double)slots.total / slots_per_cycle, advice->cycles));
		doc_cell_words(table, common_mostly(advice->doc, &slots));
	}
}

/* The instructions of the places that gain most. */
static void instructions_section(const struct advice *advice)
{
	struct doc *doc = advice->doc;
	const double width = member_number(advice->result, "slots_per_cycle");
	struct doc_table *table = NULL;
	const json_t *place;
	size_t i, shown = 0;

	json_array_foreach(advice->software, i, place)
	{
		if (!has_detail(advice, i) || is_repeated(advice, i) || shown++ >= PLACES_SHOWN)
			continue;
		if (!table) {
			doc_section(doc, "instructions", "Their instructions");
			table = doc_table(doc, "instructions-table", NULL, "place");
			doc_column(table, "instruction", DOC_CODE, 0);
			doc_column(table, "executed", DOC_SHORT, 0);
			doc_column(table, "share", DOC_PERCENT, 1)->about = "of the cycles";
			doc_column(table, "waits for", DOC_WORDS, 0)->about =
				"the causes that most of its cycles were charged to";
			doc_only(doc, DOC_IN_TEXT | DOC_IN_PAGE);
		}
		instruction_rows(advice, table, place, width);
	}
	if (table)
		doc_end(doc);
}

static void step_row(const struct advice *advice, struct doc_table *table, const json_t *step,
		     bool with_bits)
{
	const double bits = member_number(step, "bits"), gain = member_number(step, "gain");

	struct doc_row *row = doc_row(table, member_text(step, "what"));
	row->about = advice_joined(advice->doc, json_object_get(step, "changes"), "--set ", " ");
	doc_cell_words(table, advice_joined(advice->doc, json_object_get(step, "causes"), "", " "));
	gain_cells(advice, table, step);
	if (!with_bits)
		return;
	doc_value(table, bits / KILOBIT);
	doc_value(table, bits > 0 ? gain / (bits / KILOBIT) : NAN);
}

static struct doc_table *step_table(const struct advice *advice, const char *id, bool with_bits)
{
	struct doc_table *table = doc_table(advice->doc, id, NULL, with_bits ? "step" : "part");

	doc_only(advice->doc, DOC_IN_TEXT | DOC_IN_PAGE);
	doc_column(table, "against", DOC_WORDS, 0)->about =
		"the causes with a loss in this run that it addresses";
	gain_columns(advice, table);
	if (!with_bits)
		return table;
	doc_column(table, "kbit", DOC_NUMBER, 1)->about =
		"of storage that it needs beyond the machine as it is; units, widths and "
		"latencies count as none";
	doc_column(table, "cycles/kbit", DOC_NUMBER, 1)->about =
		"cycles gained for each kilobit of storage";
	return table;
}

static bool has_steps(const struct advice *advice, bool bound)
{
	const json_t *step;
	size_t i;

	json_array_foreach(advice->machine, i, step)
	{
		if (advice_is_bound(step) == bound)
			return true;
	}
	return false;
}

static void machine_section(const struct advice *advice, bool bound)
{
	struct doc *doc = advice->doc;
	struct doc_table *table = NULL;
	const json_t *step;
	size_t i;

	if (!has_steps(advice, bound))
		return;
	doc_section(doc, bound ? "bounds" : "of-the-machine",
		    bound ? "Bounds: a part of the machine made ideal" : "Of the machine");
	json_array_foreach(advice->machine, i, step)
	{
		if (advice_is_bound(step) != bound || !advice_is_shown(advice, step))
			continue;
		if (!table)
			table = step_table(advice, bound ? "bounds-table" : "steps", !bound);
		step_row(advice, table, step, !bound);
	}
	if (!table)
		doc_paragraph(doc, bound ? "No part made ideal gains anything."
					 : "No step that was simulated gains anything.");
	say_hidden(advice, count_hidden(advice, advice->machine, bound));
	doc_end(doc);
}

static bool has_windows(const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (strcmp(member_text(row, "measured"), "windows") == 0)
			return true;
	}
	return false;
}

static void say_facts(const struct advice *advice)
{
	struct doc *doc = advice->doc;

	doc_say(doc_fact(doc, "the machine as it is"), "%.0f cycles, %.0f instructions",
		advice->cycles, member_number(advice->result, "instructions"));
	doc_say(doc_fact(doc, "simulated"), "%zu change%s in the program, %zu of the machine",
		advice_simulated(advice->software, true),
		advice_simulated(advice->software, true) == 1 ? "" : "s",
		advice_simulated(advice->machine, true));
	if (advice->has_windows)
		doc_say(doc_fact(doc, "+-"),
			"gains with it are from windows of one run, and right within that in 19 of "
			"20 cases; the others are from whole runs");
}

REPORT_BUILDER(advise)
{
	struct advice advice = {.doc = doc,
				.result = result,
				.software = json_object_get(result, "software"),
				.machine = json_object_get(result, "machine"),
				.cycles = member_number(result, "cycles"),
				.worth = member_number(result, "worth")};

	(void)options;
	(void)err;
	advice.has_windows = has_windows(advice.software) || has_windows(advice.machine);
	common_heading(doc, result);
	if (member_whole(result, "left_out"))
		doc_warn(doc,
			 doc_words(doc,
				   "interrupted: %.0f changes were not simulated, and are left "
				   "out",
				   member_number(result, "left_out")));
	if (member_whole(result, "status") && !json_is_true(json_object_get(result, "partial")))
		doc_warn(doc, doc_words(doc, "the program ended with status %.0f",
					member_number(result, "status")));
	doc_section(doc, "advice", "What would help");
	advice_say_answer(&advice);
	say_facts(&advice);
	doc_end(doc);
	software_section(&advice);
	patterns_section(&advice);
	instructions_section(&advice);
	machine_section(&advice, false);
	machine_section(&advice, true);
	advice_runs_section(&advice);
	advice_software_rows(&advice);
	advice_machine_rows(&advice);
	return true;
}
