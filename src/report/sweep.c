#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/report.h"
#include "value/component.h"
#include "value/member.h"

/* The changes that not every machine has, which are those beyond the base's. */
static const char *machine_of(struct doc *doc, const json_t *result, const json_t *run)
{
	const json_t *base = json_object_get(result, "configuration");
	const json_t *changes = json_object_get(json_object_get(run, "configuration"), "changes");
	const char *text = "";

	for (size_t i = json_array_size(json_object_get(base, "changes"));
	     i < json_array_size(changes); i++)
		text = doc_words(doc, "%s%s%s", text, *text ? " " : "",
				 json_string_value(json_array_get(changes, i)));
	return *text ? text : member_text(base, "name");
}

/* Misses of one kind for a thousand instructions: the sum of counted values, which count wrong
 * paths too, except for branches. */
static const struct miss_rate {
	const char *title, *of, *counted[2], *about;
} miss_rates[] = {
	{"branch MPKI",
	 "branches",
	 {"branches.mispredicted"},
	 "branches mispredicted for a thousand instructions that commit"},
	{"L1I MPKI",
	 "l1i.accesses",
	 {"l1i.misses"},
	 "misses in the L1I for a thousand instructions that commit, those on wrong paths too"},
	{"L1D MPKI", "l1d.accesses", {"l1d.misses"}, "the same in the L1D"},
	{"L2 MPKI",
	 "l2.data.accesses",
	 {"l2.instructions.misses", "l2.data.misses"},
	 "the same in the L2, of instructions and data"},
	{"L3 MPKI",
	 "l3.data.accesses",
	 {"l3.instructions.misses", "l3.data.misses"},
	 "the same in the L3, of instructions and data"},
	{"DTLB MPKI", "dtlb.accesses", {"dtlb.misses"}, "the same in the first TLB of data"},
};

struct sweep_report {
	struct doc *doc;
	const json_t *result, *runs, *swept;
	/* Whether any run could have such a miss; not if no machine has the part, or in results of
	 * early versions. */
	bool has_rate[ARRAY_COUNT(miss_rates)];
};

static struct sweep_report open_report(struct doc *doc, const json_t *result)
{
	struct sweep_report report = {.doc = doc,
				      .result = result,
				      .runs = json_object_get(result, "runs"),
				      .swept = json_object_get(result, "swept")};
	const json_t *run;
	size_t i;

	json_array_foreach(report.runs, i, run)
	{
		const json_t *values = json_object_get(run, "values");

		for (size_t k = 0; k < ARRAY_COUNT(miss_rates); k++)
			if (member_number(values, miss_rates[k].of) > 0)
				report.has_rate[k] = true;
	}
	return report;
}

static void rate_columns(const struct sweep_report *report, struct doc_table *table)
{
	for (size_t i = 0; i < ARRAY_COUNT(miss_rates); i++)
		if (report->has_rate[i])
			doc_column(table, miss_rates[i].title, DOC_NUMBER, 2)->about =
				miss_rates[i].about;
}

static void rate_cells(const struct sweep_report *report, struct doc_table *table,
		       const json_t *run)
{
	const json_t *values = json_object_get(run, "values");
	const double instructions = member_number(run, "instructions");

	for (size_t i = 0; i < ARRAY_COUNT(miss_rates); i++) {
		const struct miss_rate *rate = &miss_rates[i];
		double misses = 0;

		if (!report->has_rate[i])
			continue;
		for (size_t k = 0; k < ARRAY_COUNT(rate->counted) && rate->counted[k]; k++)
			misses += member_number(values, rate->counted[k]);
		if (member_number(values, rate->of) > 0)
			doc_value(table, common_ratio(1000 * misses, instructions));
		else
			doc_cell_none(table);
	}
}

/* Whether the parameter has a number on every machine that has it. */
static bool is_numeric(const struct sweep_report *report, const char *key)
{
	const json_t *run;
	size_t i;

	json_array_foreach(report->runs, i, run)
	{
		const json_t *value = json_object_get(json_object_get(run, "settings"), key);

		if (value && !json_is_integer(value) && !json_is_null(value))
			return false;
	}
	return true;
}

static void setting_columns(const struct sweep_report *report, struct doc_table *table)
{
	const json_t *key;
	size_t i;

	json_array_foreach(report->swept, i, key)
	{
		const char *name = json_string_value(key);

		doc_column(table, name, is_numeric(report, name) ? DOC_COUNT : DOC_WORDS, 0);
	}
}

static void setting_cells(const struct sweep_report *report, struct doc_table *table,
			  const json_t *run)
{
	const json_t *settings = json_object_get(run, "settings"), *key;
	size_t i;

	json_array_foreach(report->swept, i, key)
	{
		const json_t *value = json_object_get(settings, json_string_value(key));

		if (json_is_integer(value) && table->columns[table->cell_count].unit == DOC_COUNT)
			doc_value_of(table, value);
		else if (json_is_integer(value))
			doc_cell_words(table, doc_words(table->doc, "%" JSON_INTEGER_FORMAT,
							json_integer_value(value)));
		else if (json_is_boolean(value))
			doc_cell_words(table, json_is_true(value) ? "true" : "false");
		else if (json_is_string(value))
			doc_cell_words(table, json_string_value(value));
		else
			doc_cell_none(table);
	}
}

static void columns(const struct sweep_report *report, struct doc_table *table,
		    const json_t *components)
{
	setting_columns(report, table);
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "IPC", DOC_NUMBER, 3);
	doc_column(table, "CPI", DOC_NUMBER, 3);
	doc_column(table, "change", DOC_CHANGE, 2)->about = "of the cycles, beside the base";
	rate_columns(report, table);
	doc_column(table, "stack", DOC_STACK, 0)->where = DOC_IN_PAGE;
	doc_view(table, "CPI", DOC_NUMBER, 3, DOC_BY_WEIGHT);
	doc_view(table, "cycles", DOC_COUNT, 0, DOC_BY_NOTHING);
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		const char *name = component_rows[i].name;

		if (!json_object_get(components, name))
			continue;
		doc_part(table, name, doc_component(i));
		struct doc_column *column = doc_column(table, name, DOC_COUNT, 0);
		column->about = component_rows[i].meaning;
		column->flags = DOC_VIEWED | DOC_RED;
	}
}

/* One program with its arguments: the runs from `begin` up to, not with, `end`. */
struct group {
	const struct sweep_report *report;
	size_t begin, end;
	const json_t *base; /* the run on the base; NULL if an interruption left it out */
};

static const json_t *run_at(const struct group *group, size_t i)
{
	return json_array_get(group->report->runs, i);
}

static bool is_same_program(const json_t *a, const json_t *b)
{
	const json_t *arguments = json_object_get(a, "arguments");

	return strcmp(member_text(a, "program"), member_text(b, "program")) == 0 &&
	       (!arguments || json_equal(arguments, json_object_get(b, "arguments")));
}

static struct group next_group(const struct sweep_report *report, size_t begin)
{
	struct group group = {.report = report, .begin = begin, .end = begin};
	const json_t *first = run_at(&group, begin);

	/* Results of early versions mark no base, and have it first. */
	if (!json_object_get(first, "is_base"))
		group.base = first;
	for (const json_t *run; group.end < json_array_size(report->runs); group.end++) {
		run = run_at(&group, group.end);
		if (!is_same_program(first, run))
			break;
		if (!group.base && json_is_true(json_object_get(run, "is_base")))
			group.base = run;
	}
	return group;
}

static const char *arguments_of(struct doc *doc, const json_t *run)
{
	const char *text = "";
	const json_t *word;
	size_t i;

	json_array_foreach(json_object_get(run, "arguments"), i, word) text =
		doc_words(doc, "%s%s%s", text, i ? " " : "", json_string_value(word));
	return text;
}

/* The base is told by its word, other machines by their numbers: what they are is in the columns of
 * the parameters. Results of early versions have no such columns. */
static const char *row_name(struct doc *doc, const struct group *group, const json_t *run, size_t i)
{
	if (!group->report->swept)
		return machine_of(doc, group->report->result, run);
	return json_is_true(json_object_get(run, "is_base"))
		       ? "base"
		       : doc_words(doc, "%zu", i - group->begin + 1);
}

static void change_cell(struct doc_table *table, const json_t *run, const json_t *base)
{
	if (base && member_number(base, "cycles") > 0)
		doc_value(table, member_number(run, "cycles") / member_number(base, "cycles") - 1);
	else
		doc_cell_none(table);
}

static void run_row(struct doc *doc, struct doc_table *table, const struct group *group, size_t at)
{
	const json_t *run = run_at(group, at);
	const json_t *components = json_object_get(run, "components");
	const double cycles = member_number(run, "cycles");
	const double instructions = member_number(run, "instructions");
	double values[COMPONENT_COUNT];

	struct doc_row *row = doc_row(table, row_name(doc, group, run, at));
	row->weight = instructions;
	row->about = machine_of(doc, group->report->result, run);
	setting_cells(group->report, table, run);
	doc_value(table, cycles);
	doc_value(table, common_ratio(instructions, cycles));
	doc_value(table, common_ratio(cycles, instructions));
	change_cell(table, run, group->base);
	rate_cells(group->report, table, run);
	for (size_t i = 0; i < table->part_count; i++)
		values[i] = member_number(components, table->parts[i].name);
	doc_cell_values(table, values, table->part_count);
	for (size_t i = 0; i < table->part_count; i++)
		doc_value_of(table, json_object_get(components, table->parts[i].name));
}

static void all_columns(const struct sweep_report *report, struct doc_table *table)
{
	doc_column(table, "arguments", DOC_WORDS, 0);
	doc_column(table, "machine", DOC_WORDS, 0);
	doc_column(table, "changes", DOC_WORDS, 0);
	doc_column(table, "base machine", DOC_WORDS, 0);
	setting_columns(report, table);
	doc_column(table, "instructions", DOC_COUNT, 0);
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "IPC", DOC_NUMBER, 6);
	doc_column(table, "change", DOC_NUMBER, 6);
	rate_columns(report, table);
	for (int c = 0; c < COMPONENT_COUNT; c++)
		doc_column(table, component_rows[c].name, DOC_COUNT, 0);
}

static void all_row(struct doc *doc, struct doc_table *table, const struct group *group,
		    const json_t *run)
{
	const json_t *machine = json_object_get(run, "configuration"), *base = group->base;
	const json_t *change;
	const char *changes = "";
	size_t k;

	json_array_foreach(json_object_get(machine, "changes"), k, change) changes =
		doc_words(doc, "%s%s%s", changes, k ? " " : "", json_string_value(change));
	doc_row(table, member_text(run, "program"));
	doc_cell_words(table, arguments_of(doc, run));
	doc_cell_words(table, member_text(machine, "name"));
	doc_cell_words(table, changes);
	doc_cell_words(table,
		       run == base || json_is_true(json_object_get(run, "is_base")) ? "yes" : "no");
	setting_cells(group->report, table, run);
	doc_value(table, member_number(run, "instructions"));
	doc_value(table, member_number(run, "cycles"));
	doc_value(table,
		  common_ratio(member_number(run, "instructions"), member_number(run, "cycles")));
	change_cell(table, run, base);
	rate_cells(group->report, table, run);
	for (int c = 0; c < COMPONENT_COUNT; c++)
		doc_value_of(table, json_object_get(json_object_get(run, "components"),
						    component_rows[c].name));
}

/* Every run in one table, with whole cycles, for CSV. */
static void all_rows(const struct sweep_report *report)
{
	struct doc_table *table = doc_table(report->doc, "runs", NULL, "program");

	doc_only(report->doc, DOC_IN_CSV);
	all_columns(report, table);
	for (size_t at = 0; at < json_array_size(report->runs);) {
		const struct group group = next_group(report, at);

		for (; at < group.end; at++)
			all_row(report->doc, table, &group, run_at(&group, at));
	}
}

static void program_section(const struct group *group, size_t number)
{
	struct doc *doc = group->report->doc;
	const json_t *first = run_at(group, group->begin);
	const char *arguments = arguments_of(doc, first);
	const char *name = doc_words(doc, "%s%s%s", member_text(first, "program"),
				     *arguments ? " " : "", arguments);

	doc_section(
		doc, doc_words(doc, "program-%zu", number),
		doc_words(doc, "%s: %.0f instructions", name, member_number(first, "instructions")))
		->short_title = name;
	struct doc_table *table =
		doc_table(doc, doc_words(doc, "machines-%zu", number), NULL, "machine");
	columns(group->report, table, json_object_get(first, "components"));
	for (size_t at = group->begin; at < group->end; at++)
		run_row(doc, table, group, at);
	doc_end(doc);
}

REPORT_BUILDER(sweep)
{
	const struct sweep_report report = open_report(doc, result);
	size_t sections = 0;

	(void)options;
	(void)err;
	doc->title = "Machines compared - cyclestack";
	doc_say(&doc->heading, "Variations of %s",
		member_text(json_object_get(result, "configuration"), "name"));
	for (size_t at = 0; at < json_array_size(report.runs);) {
		const struct group group = next_group(&report, at);

		program_section(&group, ++sections);
		at = group.end;
	}
	all_rows(&report);
	return true;
}
