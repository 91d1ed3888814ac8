/* What would help a program: the answer, the places in it and the steps of the machine, ranked, and
 * the runs that each number is from. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/report.h"
#include "value/member.h"

#define SHOWN	     0.005 /* of the cycles, that a row gains to be in text */
#define PLACES_SHOWN 5	   /* whose instructions are shown */
#define INSNS_SHOWN  4	   /* of each, in text and pages */
#define NEARLY_ALL   0.9   /* of a loss that is at one line */
#define KILOBIT	     1024.0

/* What a kind of loss is, if it is at one place, and if it is in the whole program. */
static const struct kind {
	const char *name, *without, *everywhere, *loss;
} kinds[] = {
	{"branch", "if its branches were predicted", "if every branch were predicted",
	 "mispredicted branches"},
	{"code", "if its instructions were in the L1I", "if all instructions were in the L1I",
	 "fetch that waits for instructions"},
	{"data", "if its data were in the L1D", "if all data were in the L1D",
	 "accesses that wait for data"},
	{"pages", "if its pages were in the D-TLB", "if all pages were in the D-TLB",
	 "accesses that wait for address translation"},
	{"latency", "if its operations took a cycle", "if every operation took a cycle",
	 "operations of more than one cycle"},
	{"dependence", "if its operations did not wait for each other",
	 "if no operation waited for another's result", "operations that wait for each other"},
	{"units", "if its operations found a unit", "if every operation found a unit",
	 "units that are taken"},
	{"stores", "if its stores found room", "if every store found room",
	 "stores that find no room"},
	{"forward", "if its loads did not wait for stores",
	 "if no load waited for the store that it reads", "loads that wait for older stores"},
	{"order", "if its loads were never held back or replayed",
	 "if no load were held back or replayed", "loads held back or replayed"},
	{"serialise", "without its serialising instructions",
	 "without its serialising instructions", "instructions that are alone in the core"},
};

struct advice {
	struct doc *doc;
	const json_t *result, *software, *machine;
	double cycles, worth;
	bool has_windows;
};

static const struct kind *kind_of(const json_t *place)
{
	const char *name = member_text(place, "kind");

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

static bool is_program(const json_t *place)
{
	return strcmp(member_text(place, "scope"), "program") == 0;
}

static const char *without(const json_t *place)
{
	const struct kind *kind = kind_of(place);

	return !kind ? "without its loss" : is_program(place) ? kind->everywhere : kind->without;
}

static bool has_gain(const json_t *row)
{
	return json_is_number(json_object_get(row, "gain"));
}

/* What is certain of a gain, in parts of the cycles. */
static double sure(const struct advice *advice, const json_t *row)
{
	return common_ratio(member_number(row, "gain") - member_number(row, "error"),
			    advice->cycles);
}

static bool is_bound(const json_t *step)
{
	return json_is_true(json_object_get(step, "bound"));
}

static bool is_known_place(const json_t *place)
{
	return *member_text(place, "function") || *member_text(place, "file");
}

/* Whether text has the row: it gains something, or nobody knows. */
static bool is_shown(const struct advice *advice, const json_t *row)
{
	return !has_gain(row) || sure(advice, row) >= SHOWN;
}

static const char *percent(const struct advice *advice, double cycles)
{
	return doc_words(advice->doc, "%s %%",
			 doc_decimal(advice->doc, 100 * common_ratio(cycles, advice->cycles), 1));
}

/* The gain, with how far it may be off. */
static void say_gain(const struct advice *advice, struct doc_text *text, const json_t *row)
{
	doc_bold(text, "%s", percent(advice, member_number(row, "gain")));
	if (member_number(row, "error") > 0)
		doc_say(text, " (+-%s)", percent(advice, member_number(row, "error")));
}

static const char *place_name(struct doc *doc, const json_t *place)
{
	const char *scope = member_text(place, "scope"), *file = member_text(place, "file");
	const json_t *insns = json_object_get(place, "instructions");

	if (strcmp(scope, "program") == 0)
		return "the program";
	if (strcmp(scope, "function") == 0)
		return member_text(place, "function");
	if (*file && member_whole(place, "line"))
		return common_place(doc, file, member_whole(place, "line"));
	return member_text(json_array_get(insns, 0), "pc");
}

static void say_function(struct doc_text *text, const json_t *place)
{
	const char *name = member_text(place, "function");

	if (strcmp(name, "(unknown)") == 0)
		doc_say(text, "code without a symbol");
	else
		doc_word(text, name);
}

/* Which part of a loss of the program is at the line that has most of it, as far as its
 * instructions are listed. */
static double share_of_line(const json_t *place)
{
	const struct stacks_slots all = stacks_read_slots(place, "slots");
	const json_t *insn;
	int64_t here = 0;
	size_t i;

	json_array_foreach(json_object_get(place, "instructions"), i, insn)
	{
		const struct stacks_slots slots = stacks_read_slots(insn, "slots");

		if (!json_equal(json_object_get(insn, "line"), json_object_get(place, "line")) ||
		    !json_equal(json_object_get(insn, "file"), json_object_get(place, "file")))
			continue;
		for (int k = 0; k < CAUSE_COUNT; k++)
			here += all.causes[k] ? slots.causes[k] : 0;
	}
	return common_ratio((double)here, (double)all.total);
}

static void say_line(const struct advice *advice, struct doc_text *text, const json_t *place)
{
	if (member_whole(place, "line")) {
		doc_say(text, "at ");
		doc_word(text, common_place(advice->doc, member_text(place, "file"),
					    member_whole(place, "line")));
		doc_say(text, " ");
	}
	doc_say(text, "in ");
	say_function(text, place);
}

static void say_place(const struct advice *advice, struct doc_text *text, const json_t *place)
{
	const char *scope = member_text(place, "scope");
	const double share = is_program(place) ? share_of_line(place) : 0;

	if (strcmp(scope, "line") == 0) {
		doc_say(text, "at ");
		doc_word(text, place_name(advice->doc, place));
		doc_say(text, " in ");
		say_function(text, place);
	} else if (strcmp(scope, "function") == 0) {
		doc_say(text, "in ");
		say_function(text, place);
	} else if (share >= NEARLY_ALL && member_whole(place, "line")) {
		say_line(advice, text, place);
		doc_say(text, ", which has nearly all of this loss");
	} else {
		doc_say(text, "all over the program");
		if (!is_known_place(place))
			return;
		doc_say(text, ", %s ", share >= 0.5 ? "most of it" : "the largest part");
		say_line(advice, text, place);
	}
}

/* The place that is named: that of the largest gain, but a line or function that has at least half
 * of what the whole program would gain says more than the program does. NULL if none gains
 * enough. */
static const json_t *best_place(const struct advice *advice)
{
	const json_t *best = NULL, *place;
	size_t i;

	json_array_foreach(advice->software, i, place)
	{
		if (!has_gain(place) || sure(advice, place) < advice->worth)
			continue;
		if (!best)
			best = place;
		else if (is_program(best) && !is_program(place) &&
			 2 * member_number(place, "gain") >= member_number(best, "gain"))
			return place;
	}
	return best;
}

/* The real step that gains most, NULL if none gains enough; `least`: at all. */
static const json_t *best_step(const struct advice *advice, double least)
{
	const json_t *step;
	size_t i;

	json_array_foreach(advice->machine, i, step)
	{
		if (!is_bound(step) && has_gain(step) && sure(advice, step) >= least)
			return step;
	}
	return NULL;
}

static void say_storage(const struct advice *advice, struct doc_text *text, const json_t *step)
{
	const double bits = member_number(step, "bits");

	if (bits > 0)
		doc_say(text, " for %s kbit of storage",
			doc_decimal(advice->doc, bits / KILOBIT, 1));
	else if (bits < 0)
		doc_say(text, " and needs %s kbit less storage",
			doc_decimal(advice->doc, -bits / KILOBIT, 1));
	else
		doc_say(text, " and needs no storage");
}

static size_t simulated(const json_t *rows, bool with_bounds)
{
	const json_t *row;
	size_t count = 0, i;

	json_array_foreach(rows, i, row) count += has_gain(row) && (with_bounds || !is_bound(row));
	return count;
}

static void say_nothing(const struct advice *advice, struct doc_text *text)
{
	const size_t places = simulated(advice->software, true),
		     steps = simulated(advice->machine, false);
	const json_t *best = best_step(advice, -INFINITY),
		     *place = json_array_get(advice->software, 0);

	doc_bold(text, "Nothing to gain");
	if (!places && !steps) {
		doc_say(text, ": no cause that a change could take away has 1 %% of the cycles, so "
			      "no change was simulated.");
		return;
	}
	doc_say(text,
		": of %zu change%s in the program and %zu of the machine that %s simulated, none "
		"takes away %s of the cycles",
		places, places == 1 ? "" : "s", steps, places + steps == 1 ? "was" : "were",
		percent(advice, advice->worth * advice->cycles));
	if (place && has_gain(place) &&
	    (!best || member_number(place, "gain") > member_number(best, "gain"))) {
		doc_say(text, "; the most, ");
		say_gain(advice, text, place);
		doc_say(text, ", would go away ");
		say_place(advice, text, place);
		doc_say(text, " %s", without(place));
	} else if (best) {
		doc_say(text, "; the most, ");
		say_gain(advice, text, best);
		doc_say(text, ", would go away with %s", member_text(best, "what"));
	}
	doc_say(text, ".");
}

static bool is_same_place(const json_t *a, const json_t *b)
{
	static const char *const members[] = {"scope", "function", "file", "line"};

	for (size_t i = 0; i < ARRAY_COUNT(members); i++)
		if (!json_equal(json_object_get(a, members[i]), json_object_get(b, members[i])))
			return false;
	return true;
}

/* Losses of other kinds that are nearly as large at the same place: their gains overlap, so the
 * reader should know of both. */
static void say_others(const struct advice *advice, struct doc_text *text, const json_t *best)
{
	const json_t *place;
	size_t i;

	json_array_foreach(advice->software, i, place)
	{
		if (place == best || is_program(place) || !has_gain(place) ||
		    !is_same_place(place, best) || 2 * sure(advice, place) < sure(advice, best))
			continue;
		doc_say(text, ", or ");
		say_gain(advice, text, place);
		doc_say(text, " %s", without(place));
	}
}

/* The place whose loss no machine takes away, if that is larger than what any change gains. */
static const json_t *hopeless_place(const struct advice *advice, const json_t *best)
{
	const json_t *place;
	size_t i;

	json_array_foreach(advice->software, i, place)
	{
		const double lost = member_number(place, "lost");

		if (!has_gain(place) && !json_array_size(json_object_get(place, "changes")) &&
		    lost >= advice->worth * advice->cycles &&
		    (!best || lost > member_number(best, "gain")))
			return place;
	}
	return NULL;
}

static void say_hopeless(const struct advice *advice, struct doc_text *text, const json_t *place)
{
	const struct kind *kind = kind_of(place);

	doc_bold(text, "%s", percent(advice, member_number(place, "lost")));
	doc_say(text, " of the cycles are lost to %s, ", kind ? kind->loss : "a loss");
	say_place(advice, text, place);
	doc_say(text, "; no machine takes that away, so what it would gain was not simulated. ");
}

static void say_answer(const struct advice *advice)
{
	struct doc_text *text = doc_text(advice->doc, DOC_VERDICT);
	const json_t *place = best_place(advice), *step = best_step(advice, advice->worth),
		     *hopeless = hopeless_place(advice, place);

	if (!place && !step && !hopeless) {
		say_nothing(advice, text);
		return;
	}
	if (hopeless)
		say_hopeless(advice, text, hopeless);
	if (place) {
		doc_say(text, "In the program most is to be gained ");
		say_place(advice, text, place);
		doc_say(text, ": ");
		say_gain(advice, text, place);
		doc_say(text, " of the cycles would go away %s", without(place));
		if (!is_program(place))
			say_others(advice, text, place);
		doc_say(text, ".");
	} else {
		doc_say(text, "In the program no change that was simulated gains %s of the cycles.",
			percent(advice, advice->worth * advice->cycles));
	}
	if (step) {
		doc_say(text, " Of the machine, ");
		doc_bold(text, "%s", member_text(step, "what"));
		doc_say(text, " gains most, ");
		say_gain(advice, text, step);
		say_storage(advice, text, step);
		doc_say(text, ".");
	} else {
		doc_say(text, " Of the machine no step that was simulated gains %s.",
			percent(advice, advice->worth * advice->cycles));
	}
}

static const char *joined(struct doc *doc, const json_t *words, const char *before,
			  const char *between)
{
	const char *text = "";
	const json_t *word;
	size_t i;

	json_array_foreach(words, i, word) text =
		doc_words(doc, "%s%s%s%s", text, i ? between : "", before, json_string_value(word));
	return text;
}

static const char *causes_of(struct doc *doc, const json_t *place)
{
	const struct stacks_slots slots = stacks_read_slots(place, "slots");
	const char *text = "";

	for (int i = 0; i < CAUSE_COUNT; i++)
		if (slots.causes[i])
			text = doc_words(doc, "%s%s%s", text, *text ? " " : "", cause_rows[i].name);
	return text;
}

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

	if (!has_gain(row)) {
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
		(bound < 0 || is_bound(row) == bound) && !is_shown(advice, row);
	return count;
}

static void say_hidden(const struct advice *advice, size_t hidden)
{
	if (hidden)
		doc_note(advice->doc,
			 doc_words(advice->doc, "%zu more w%s simulated and gain%s less than %s.",
				   hidden, hidden == 1 ? "as" : "ere", hidden == 1 ? "s" : "",
				   percent(advice, SHOWN * advice->cycles)));
}

/* Empty if it is none that is known. */
static const char *pattern_name(const json_t *place)
{
	const char *name = member_text(json_object_get(place, "pattern"), "name");

	return strcmp(name, "none") == 0 ? "" : name;
}

static bool has_patterns(const struct advice *advice)
{
	const json_t *place;
	size_t i;

	json_array_foreach(advice->software, i, place)
	{
		if (*pattern_name(place) && is_shown(advice, place))
			return true;
	}
	return false;
}

static void place_row(const struct advice *advice, struct doc_table *table, const json_t *place)
{
	struct doc_row *row = doc_row(table, place_name(advice->doc, place));

	row->about = without(place);
	doc_cell_words(table, member_text(place, "function"));
	doc_cell_words(table, member_text(place, "kind"));
	doc_value(table, common_ratio(member_number(place, "lost"), advice->cycles));
	gain_cells(advice, table, place);
	if (has_patterns(advice))
		doc_cell_words(table, pattern_name(place));
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

	if (!is_shown(advice, one))
		return false;
	json_array_foreach(advice->software, i, place)
	{
		if (is_program(one) && !is_program(place) && has_gain(place) &&
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
		if (!is_program(one) && has_detail(advice, i) &&
		    is_same_place(json_array_get(advice->software, i), one))
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

		if (!*pattern_name(place) || !has_detail(advice, i) || shown++ >= PLACES_SHOWN)
			continue;
		struct doc_text *text = doc_text(doc, DOC_PARAGRAPH);
		doc_word(text, place_name(doc, place));
		doc_say(text, ", %s: ", member_text(place, "kind"));
		doc_bold(text, "%s", pattern_name(place));
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
		if (!is_shown(advice, place))
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

	doc_row(table, place_name(advice->doc, place))->detail = member_text(place, "kind");
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
	row->about = joined(advice->doc, json_object_get(step, "changes"), "--set ", " ");
	doc_cell_words(table, joined(advice->doc, json_object_get(step, "causes"), "", " "));
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
		if (is_bound(step) == bound)
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
		if (is_bound(step) != bound || !is_shown(advice, step))
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

/* The option of `run` that a row is from. */
static const char *option_of(struct doc *doc, const json_t *row)
{
	const json_t *changes = json_object_get(row, "changes");

	if (strcmp(member_text(row, "measured"), "windows") == 0)
		return doc_words(doc, "--what-if %s", joined(doc, changes, "", ","));
	return joined(doc, changes, "--set ", " ");
}

/* The command of the machine as it is. */
static const char *command_of(const struct advice *advice)
{
	struct doc *doc = advice->doc;
	const json_t *program = json_object_get(advice->result, "program"),
		     *machine = json_object_get(advice->result, "configuration");
	const char *arguments = joined(doc, json_object_get(program, "arguments"), "", " ");
	const char *changes = joined(doc, json_object_get(machine, "changes"), "--set ", " ");

	return doc_words(doc, "cyclestack run --config %s%s%s ... %s%s%s",
			 member_text(machine, "name"), *changes ? " " : "", changes,
			 member_text(program, "name"), *arguments ? " " : "", arguments);
}

static void run_rows(const struct advice *advice, struct doc_table *table, const json_t *rows,
		     bool are_places)
{
	struct doc *doc = advice->doc;
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (!has_gain(row) || !is_shown(advice, row))
			continue;
		const char *name = are_places ? doc_words(doc, "%s, %s", place_name(doc, row),
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
static void runs_section(const struct advice *advice)
{
	struct doc *doc = advice->doc;

	if (!simulated(advice->software, true) && !simulated(advice->machine, true))
		return;
	doc_section(doc, "runs", "The runs these numbers are from");
	struct doc_text *text = doc_text(doc, DOC_NOTE);
	doc_say(text, "Each is ");
	doc_word(text, command_of(advice));
	doc_say(text, " with one of:");
	struct doc_table *table = doc_table(doc, "runs-table", NULL, "change");
	doc_only(doc, DOC_IN_PAGE);
	doc_column(table, "option", DOC_WORDS, 0)->flags = DOC_UNSORTED;
	run_rows(advice, table, advice->software, true);
	run_rows(advice, table, advice->machine, false);
	doc_end(doc);
}

/* Every row for CSV, with whole cycles. */
static void software_rows(const struct advice *advice)
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
		doc_row(table, place_name(doc, place));
		for (size_t k = 0; k < ARRAY_COUNT(words); k++)
			doc_cell_words(table, member_text(place, words[k]));
		doc_value(table, member_whole(place, "line") ? member_number(place, "line") : NAN);
		doc_cell_words(table, causes_of(doc, place));
		doc_value_of(table, json_object_get(place, "lost"));
		doc_value_of(table, json_object_get(place, "gain"));
		doc_value_of(table, json_object_get(place, "error"));
		doc_cell_words(table, member_text(place, "measured"));
		doc_cell_words(table, pattern_name(place));
		doc_cell_words(table, member_text(json_object_get(place, "pattern"), "evidence"));
		doc_cell_words(table, option_of(doc, place));
	}
}

static void machine_rows(const struct advice *advice)
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
		doc_cell_words(table, is_bound(step) ? "yes" : "no");
		doc_cell_words(table, joined(doc, json_object_get(step, "causes"), "", " "));
		doc_value_of(table, json_object_get(step, "bits"));
		doc_value_of(table, json_object_get(step, "gain"));
		doc_value_of(table, json_object_get(step, "error"));
		doc_cell_words(table, member_text(step, "measured"));
		doc_cell_words(table, option_of(doc, step));
	}
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
		simulated(advice->software, true),
		simulated(advice->software, true) == 1 ? "" : "s",
		simulated(advice->machine, true));
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
	say_answer(&advice);
	say_facts(&advice);
	doc_end(doc);
	software_section(&advice);
	patterns_section(&advice);
	instructions_section(&advice);
	machine_section(&advice, false);
	machine_section(&advice, true);
	runs_section(&advice);
	software_rows(&advice);
	machine_rows(&advice);
	return true;
}
