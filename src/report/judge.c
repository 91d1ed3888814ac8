#include "report/judge.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/judge_stack.h"
#include "report/report.h"
#include "value/component.h"
#include "value/member.h"

#define WIDEST 1.6 /* times the run's cycles: a stack that is wider is cut */

void judge_report_init(struct judge_report *judge, struct doc *doc, const json_t *result)
{
	json_t *program, *methods;
	size_t i;

	*judge = (struct judge_report){.doc = doc,
				       .result = result,
				       .programs = json_object_get(result, "programs"),
				       .summary = json_object_get(result, "summary"),
				       .methods = json_object()};
	methods = json_object_get(judge->summary, "mean_error");
	json_object_update_missing(judge->methods, methods);
	json_array_foreach(judge->programs, i, program)
	{
		methods = json_object_get(program, "methods");
		json_object_update_missing(judge->methods, methods);
		judge_key(judge, program);
	}
}

void judge_report_release(struct judge_report *judge)
{
	json_decref(judge->methods);
}

const json_t *judge_method(const json_t *program, const char *method)
{
	return json_object_get(json_object_get(program, "methods"), method);
}

const char *judge_key(const struct judge_report *judge, const json_t *program)
{
	return doc_key(judge->doc, "program", member_text(program, "name"));
}

struct doc_row *judge_row(const struct judge_report *judge, struct doc_table *table,
			  const json_t *program)
{
	struct doc_row *row = doc_row(table, member_text(program, "name"));

	row->key = judge_key(judge, program);
	return row;
}

struct doc_column *judge_percent(struct doc_table *table, const char *title, unsigned places)
{
	struct doc_column *column = doc_column(table, title, DOC_PERCENT, places);

	column->flags = DOC_BARE;
	return column;
}

/* Whether any program has a component in its stacks. */
static bool uses(const struct judge_report *judge, int component)
{
	json_t *program;
	size_t i;

	json_array_foreach(judge->programs, i, program)
	{
		if (judge_stack_has(program, (enum component)component))
			return true;
	}
	return false;
}

static double share(const json_t *program, double cycles)
{
	return common_ratio(cycles, member_number(program, "cycles"));
}

static double cpi_of(const json_t *program)
{
	return common_ratio(member_number(program, "cycles"),
			    member_number(program, "instructions"));
}

/* Errors. */

/* The methods of which this is certain, with commas between. */
static const char *methods_that_are(const struct judge_report *judge,
				    enum judge_certainty certainty)
{
	const char *method, *names = "";
	json_t *unused;

	json_object_foreach(json_object_get(judge->summary, "mean_error"), method, unused)
	{
		if (judge_certainty(judge, method) == certainty)
			names = doc_words(judge->doc, "%s%s%s", names, *names ? ", " : "", method);
	}
	return names;
}

static void say_below(const struct judge_report *judge, struct doc_text *text)
{
	const char *below = methods_that_are(judge, JUDGE_BELOW),
		   *open = methods_that_are(judge, JUDGE_OPEN);

	if (*below) {
		doc_say(text, "Below 4 %% on every program: ");
		doc_bold(text, "%s", below);
		doc_say(text, ". ");
	} else {
		doc_say(text, "No method %s below 4 %% on every program. ",
			*open ? "is certain to stay" : "stays");
	}
	if (*open)
		doc_say(text, "Open, as the truth is known within intervals: %s. ", open);
}

static void verdict(const struct judge_report *judge)
{
	struct doc_text *text = doc_text(judge->doc, DOC_VERDICT);
	json_t *means = json_object_get(judge->summary, "mean_error"), *mean;
	const char *method;
	bool is_first = true;

	say_below(judge, text);
	doc_say(text, "Mean error: ");
	json_object_foreach(means, method, mean)
	{
		doc_say(text, "%s%s ", is_first ? "" : ", ", method);
		doc_bold(text, "%s %%", doc_decimal(judge->doc, 100 * json_number_value(mean), 1));
		is_first = false;
	}
	doc_say(text, ".");
}

static void method_series(const struct judge_report *judge, struct doc_drawing *drawing)
{
	const char *method;
	json_t *unused;

	json_object_foreach(judge->methods, method, unused)
		doc_series(drawing, method, common_method_colour(method))
			->about = common_method_about(method);
	drawing->can_hide = true;
}

static void draw_errors(const struct judge_report *judge, double top)
{
	struct doc_drawing *drawing = doc_drawing(
		judge->doc, DOC_BARS, "Largest error of each method on each program, and the mean",
		"As a part of the run's cycles; the dashed line is at 4 %. The table below has the "
		"values.");
	struct doc_group *group;
	const char *method;
	json_t *program, *unused;
	size_t i, k;

	drawing->unit = DOC_PERCENT;
	drawing->places = 1;
	drawing->top = top;
	drawing->limit = JUDGE_LIMIT;
	method_series(judge, drawing);
	json_array_foreach(judge->programs, i, program)
	{
		group = doc_group(drawing, member_text(program, "name"));
		group->key = judge_key(judge, program);
		k = 0;
		json_object_foreach(judge->methods, method, unused)
		{
			const json_t *error =
				json_object_get(judge_method(program, method), "max_error");

			doc_set(group, k++, error ? json_number_value(error) : NAN);
		}
	}
	group = doc_group(drawing, "mean");
	group->is_total = true;
	k = 0;
	json_object_foreach(judge->methods, method, unused) doc_set(
		group, k++, member_number(json_object_get(judge->summary, "mean_error"), method));
}

/* An object of a result, or what it has within. */
static const json_t *inside(const json_t *object, const char *within)
{
	return within ? json_object_get(object, within) : object;
}

/* An error, and by how much it may be off if its ends are there. */
static void error_cell(const struct judge_report *judge, struct doc_table *table,
		       const json_t *error, const json_t *low, const json_t *high)
{
	doc_value_of(table, error)->words =
		error ? judge_off_words(judge, json_number_value(error), low, high) : NULL;
}

static const json_t *end_of(const json_t *object, const char *member, const char *end)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", member, end);
	return json_object_get(object, name);
}

static void total_row(const struct judge_report *judge, struct doc_table *table, const char *name,
		      const json_t *summary, const char *member)
{
	const json_t *values = json_object_get(summary, member);
	const char *method;
	json_t *unused;

	if (!values)
		return;
	doc_row(table, name);
	doc_row_total(table);
	json_object_foreach(judge->methods, method, unused)
		error_cell(judge, table, json_object_get(values, method),
			   json_object_get(end_of(summary, member, "low"), method),
			   json_object_get(end_of(summary, member, "high"), method));
}

struct doc_table *judge_by_method(const struct judge_report *judge, const char *id,
				  const char *within, const char *member, const char *mean,
				  const char *largest)
{
	const json_t *summary = inside(judge->summary, within);
	struct doc_table *table = doc_table(judge->doc, id, NULL, "program");
	const char *method;
	json_t *program, *unused;
	size_t i;

	json_object_foreach(judge->methods, method, unused)
	{
		struct doc_column *column = judge_percent(table, method, 2);

		column->about = common_method_about(method);
		column->flags |= DOC_LIMIT;
		column->limit = JUDGE_LIMIT;
	}
	json_array_foreach(judge->programs, i, program)
	{
		judge_row(judge, table, program);
		json_object_foreach(judge->methods, method, unused)
		{
			const json_t *of = inside(judge_method(program, method), within);

			error_cell(judge, table, json_object_get(of, member),
				   end_of(of, member, "low"), end_of(of, member, "high"));
		}
	}
	total_row(judge, table, "mean", summary, mean);
	total_row(judge, table, "largest", summary, largest);
	return table;
}

/* The table alone, as text shows it: in percent, without signs. */
static void error_table(const struct judge_report *judge, const char *id)
{
	judge_by_method(judge, id, NULL, "max_error", "mean_error", "largest_error");
}

void judge_errors(const struct judge_report *judge)
{
	static const struct {
		const char *label;
		double top;
	} ends[] = {{"20 %", 0.2}, {"8 %", 0.08}, {"the highest", 0}};
	struct doc *doc = judge->doc;

	verdict(judge);
	doc_note(doc, "The largest difference of any component from the truth, in percent of the "
		      "cycles of the run. A bar that is higher than the axis is cut and has its "
		      "number above it.");
	judge_lacking(judge, DOC_IN_PAGE);
	doc_choice(doc, "axis to");
	for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
		doc_alternative(doc, ends[i].label);
		draw_errors(judge, ends[i].top);
		doc_end(doc);
	}
	doc_end(doc);
	error_table(judge, "errors-by-method");
}

/* Stacks. */

/* What a function of rows() does with each stack of a program. `method` is NULL for the truth's. */
typedef void row_function(const struct judge_report *judge, void *context, const json_t *program,
			  const char *name, const struct judge_stack *stack, const json_t *method);

/* The names of the truth's stacks are those that text and page have always had. */
struct row_names {
	const char *a, *b, *lowest, *mean, *highest; /* NULL: without all orders */
	const char *measured, *off; /* order A if it was measured, and by how much it may be off */
};

static void rows(const struct judge_report *judge, const json_t *program,
		 const struct row_names *names, row_function *each, void *context)
{
	const json_t *truth = json_object_get(program, "truth");
	const json_t *all = json_object_get(truth, "all_orders");
	const struct {
		const char *name;
		const json_t *components;
	} truths[] = {
		{judge_measured(program) ? names->measured : names->a, json_object_get(truth, "a")},
		{names->off, json_object_get(judge_measured(program), "errors")},
		{names->b, json_object_get(truth, "b")},
		{names->lowest, json_object_get(all, "lowest")},
		{names->mean, json_object_get(all, "mean")},
		{names->highest, json_object_get(all, "highest")}};
	json_t *unused;
	const char *name;

	for (size_t i = 0; i < ARRAY_COUNT(truths); i++) {
		if (!truths[i].name || !truths[i].components)
			continue;
		const struct judge_stack stack = judge_stack_truth(program, truths[i].components);

		each(judge, context, program, truths[i].name, &stack, NULL);
	}
	json_object_foreach(judge->methods, name, unused)
	{
		const json_t *method = judge_method(program, name);

		if (!method)
			continue;
		const struct judge_stack stack =
			judge_stack_method(program, json_object_get(method, "components"));

		each(judge, context, program, name, &stack, method);
	}
}

static const struct row_names all_names = {
	"simulated, order A",  "simulated, order B", "all orders, lowest", "all orders, mean",
	"all orders, highest", "measured, order A",  "may be off by"};
static const struct row_names short_names = {.a = "truth a", .b = "truth b", .measured = "truth a"};

static void card_row(const struct judge_report *judge, void *drawing, const json_t *program,
		     const char *name, const struct judge_stack *stack, const json_t *method)
{
	struct doc_group *group = doc_group(drawing, name);
	const double error = member_number(method, "max_error");
	size_t series = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (uses(judge, i))
			doc_set(group, series++, share(program, stack->cycles[i]));
	group->is_total = !method;
	if (!method)
		return;
	group->beside = doc_words(judge->doc, "%s %%", doc_decimal(judge->doc, 100 * error, 1));
	group->is_marked = error > JUDGE_LIMIT;
}

static void card(const struct judge_report *judge, const json_t *program)
{
	struct doc *doc = judge->doc;

	doc_card(doc, member_text(program, "name"), judge_key(judge, program));
	doc_say(doc_text(doc, DOC_NOTE), "CPI %s", doc_decimal(doc, cpi_of(program), 3));
	struct doc_drawing *drawing = doc_drawing(
		doc, DOC_LYING, doc_words(doc, "Stacks of %s", member_text(program, "name")),
		judge_measured(program) ? "The truth in order A, then what each method says."
					: "The truth in two orders, then what each method says.");
	drawing->unit = DOC_PERCENT;
	drawing->places = 2;
	drawing->top = WIDEST;
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (uses(judge, i))
			doc_series(drawing, component_rows[i].name, doc_component(i))->about =
				component_rows[i].meaning;
	rows(judge, program, &short_names, card_row, drawing);
	doc_end(doc);
}

void judge_cards(const struct judge_report *judge)
{
	struct doc_part parts[COMPONENT_COUNT];
	struct doc *doc = judge->doc;
	json_t *program;
	size_t i, count = 0;

	doc_note(doc, "Each as a part of the cycles of the run; the number is the largest error. "
		      "What is below zero is to the left of the line: a method that charged more "
		      "than there was, or, in the truth, an idealised machine that was slower.");
	doc_only(doc, DOC_IN_PAGE);
	for (int k = 0; k < COMPONENT_COUNT; k++)
		if (uses(judge, k))
			parts[count++] =
				(struct doc_part){component_rows[k].name, doc_component(k)};
	doc_legend(doc, parts, count);
	doc_only(doc, DOC_IN_PAGE);
	doc_cards(doc);
	json_array_foreach(judge->programs, i, program) card(judge, program);
	doc_end(doc);
	doc_only(doc, DOC_IN_PAGE);
}

static void text_row(const struct judge_report *judge, void *context, const json_t *program,
		     const char *name, const struct judge_stack *stack, const json_t *method)
{
	struct doc_table *table = context;

	(void)judge;
	doc_row(table, name);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (judge_stack_has(program, (enum component)i))
			doc_value(table, share(program, stack->cycles[i]));
	doc_value_of(table, json_object_get(method, "max_error"));
	if (judge_measured(program)) {
		doc_value_of(table, json_object_get(method, "max_error_low"));
		doc_value_of(table, json_object_get(method, "max_error_high"));
	}
	if (!json_object_get(json_object_get(program, "truth"), "all_orders"))
		return;
	doc_value_of(table, json_object_get(method, "distance_to_range"));
	doc_value_of(table, json_object_get(method, "distance_to_mean"));
}

/* The stacks of a program as text has them: numbers below each other. */
static void text_stacks(const struct judge_report *judge, const json_t *program)
{
	struct doc *doc = judge->doc;

	doc_heading(doc,
		    doc_words(doc,
			      "%s: %.0f instructions, %.0f cycles, CPI %s; in %% of the "
			      "cycles",
			      member_text(program, "name"), member_number(program, "instructions"),
			      member_number(program, "cycles"),
			      doc_decimal(doc, cpi_of(program), 3)));
	doc_only(doc, DOC_IN_TEXT);
	struct doc_table *table = doc_table(doc, NULL, NULL, "");
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (judge_stack_has(program, (enum component)i))
			judge_percent(table, component_rows[i].name, 2)->flags |= DOC_RED;
	judge_percent(table, "error", 2);
	if (judge_measured(program)) {
		judge_percent(table, "at least", 2);
		judge_percent(table, "at most", 2);
	}
	if (json_object_get(json_object_get(program, "truth"), "all_orders")) {
		judge_percent(table, "range", 2);
		judge_percent(table, "mean", 2);
	}
	rows(judge, program, &all_names, text_row, table);
	doc_only(doc, DOC_IN_TEXT);
}

static void csv_row(const struct judge_report *judge, void *context, const json_t *program,
		    const char *name, const struct judge_stack *stack, const json_t *method)
{
	struct doc_table *table = context;

	doc_row(table, member_text(program, "name"));
	doc_cell_words(table, name);
	doc_value(table, member_number(program, "cycles"));
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (!uses(judge, i))
			continue;
		else if (judge_stack_has(program, (enum component)i))
			doc_value(table, stack->cycles[i]);
		else
			doc_cell_none(table);
	doc_value_of(table, json_object_get(method, "max_error"));
	doc_cell_words(table, member_text(method, "worst"));
	doc_value_of(table, json_object_get(method, "bits"));
	if (judge_is_quick(judge)) {
		doc_value_of(table, json_object_get(method, "max_error_low"));
		doc_value_of(table, json_object_get(method, "max_error_high"));
	}
}

/* All stacks in one table, which CSV has. */
static void csv_stacks(const struct judge_report *judge)
{
	struct doc_table *table = doc_table(judge->doc, "stacks-in-cycles", NULL, "program");
	json_t *program;
	size_t k;

	doc_column(table, "stack", DOC_WORDS, 0);
	doc_column(table, "cycles", DOC_COUNT, 0);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (uses(judge, i))
			doc_column(table, component_rows[i].name, DOC_NUMBER, 0);
	doc_column(table, "error", DOC_PERCENT, 2);
	doc_column(table, "worst", DOC_WORDS, 0);
	doc_column(table, "bits", DOC_COUNT, 0);
	if (judge_is_quick(judge)) {
		doc_column(table, "error at least", DOC_PERCENT, 2);
		doc_column(table, "error at most", DOC_PERCENT, 2);
	}
	json_array_foreach(judge->programs, k, program)
		rows(judge, program, &all_names, csv_row, table);
	doc_only(judge->doc, DOC_IN_CSV);
}

/* What is said of base besides its meaning. */
static const char *const base_words[] = {
	[JUDGE_BASE_ALONE] = "",
	[JUDGE_BASE_SPLIT] = "; its error is that of base and resource together",
	[JUDGE_BASE_FOLDED] = ", with what methods call resource",
};

/* What the components are that the truth has. */
static void meanings(const struct judge_report *judge)
{
	const json_t *program = json_array_get(judge->programs, 0);
	struct doc *doc = judge->doc;

	for (int i = 0; i < COMPONENT_COUNT; i++) {
		if (!judge_stack_has(program, (enum component)i))
			continue;
		doc_say(doc_text(doc, DOC_NOTE), "%s: %s%s", component_rows[i].name,
			component_rows[i].meaning,
			i == COMPONENT_BASE ? base_words[judge_stack_base(program)] : "");
		doc_only(doc, DOC_IN_TEXT);
	}
}

static void stacks(const struct judge_report *judge)
{
	json_t *program;
	size_t i;

	doc_section(judge->doc, "stacks", "Stacks side by side")->short_title = "Stacks";
	judge_cards(judge);
	json_array_foreach(judge->programs, i, program) text_stacks(judge, program);
	meanings(judge);
	csv_stacks(judge);
	doc_end(judge->doc);
}

/* The whole. */

/* Which methods the machine has no room for, and why. */
static void left_out(const struct judge_report *judge, unsigned where)
{
	const json_t *names = json_object_get(judge->result, "left_out");
	const char *text = "";
	json_t *name;
	size_t i;

	if (!json_array_size(names))
		return;
	json_array_foreach(names, i, name) text =
		doc_words(judge->doc, "%s%s%s", text, i ? ", " : "", json_string_value(name));
	doc_note(judge->doc,
		 doc_words(judge->doc,
			   "Left out, because they count what only an out-of-order core has: %s.",
			   text));
	doc_only(judge->doc, where);
}

static void heading(const struct judge_report *judge)
{
	const json_t *configuration = json_object_get(judge->result, "configuration");
	const size_t count = json_array_size(judge->programs);
	struct doc *doc = judge->doc;
	json_t *change;
	size_t i;

	doc->title =
		doc_words(doc, "Judged on %s - cyclestack", member_text(configuration, "name"));
	doc_say(&doc->heading, "Counter architectures beside the truth on %s",
		member_text(configuration, "name"));
	json_array_foreach(json_object_get(configuration, "changes"), i, change)
	{
		doc_say(&doc->heading, i ? ", " : " with ");
		doc_word(&doc->heading, json_string_value(change));
	}
	doc_note(doc, doc_words(doc,
				judge_is_quick(judge)
					? "%zu program%s; the truth is measured in windows of "
					  "each run on idealised machines, in order A."
					: "%zu program%s; the truth is the difference between "
					  "runs of idealised machines, in two orders.",
				count, count == 1 ? "" : "s"));
}

static void folded_errors(const struct judge_report *judge)
{
	if (!judge_has_folded(judge))
		return;
	doc_section(judge->doc, "folded", "Largest error with resource in base")->short_title =
		"Folded";
	doc_note(judge->doc,
		 "The same in percent of the run's cycles if resource is a part of base, in the "
		 "truth and in what each method says.");
	judge_folded(judge, "errors-folded");
	doc_end(judge->doc);
}

REPORT_BUILDER(judge)
{
	struct judge_report judge;

	(void)options;
	(void)err;
	judge_report_init(&judge, doc, result);
	heading(&judge);
	if (json_array_size(judge.programs)) {
		doc_section(doc, "errors", "Largest error of each method")->short_title = "Errors";
		judge_errors(&judge);
		judge_say_measured(&judge, DOC_IN_PAGE);
		judge_ranking(&judge, "ranking", DOC_IN_PAGE | DOC_IN_CSV);
		left_out(&judge, DOC_IN_PAGE);
		doc_end(doc);
		doc_only(doc, DOC_IN_PAGE);
		judge_details(&judge);
		stacks(&judge);
		judge_orders(&judge);
		left_out(&judge, DOC_IN_TEXT);
		judge_parts(&judge);
		judge_events(&judge);
		judge_overlap(&judge);
		judge_storage(&judge);
		judge_about(&judge);
		folded_errors(&judge);
		/* What text ends with is what a reader of a terminal still sees. */
		doc_section(doc, NULL,
			    "Largest error of a component, in percent of the run's cycles");
		error_table(&judge, NULL);
		judge_lacking(&judge, DOC_IN_TEXT);
		judge_say_measured(&judge, DOC_IN_TEXT);
		judge_ranking(&judge, NULL, DOC_IN_TEXT);
		doc_end(doc);
		doc_only(doc, DOC_IN_TEXT);
	}
	judge_report_release(&judge);
	return true;
}
