#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/common.h"
#include "report/run.h"
#include "value/member.h"
#include "value/topdown.h"

#define MEANING_SHARE 0.01 /* of the cycles, for a name to be explained in text */

/* One bar over the whole width. */
static void main_bar(const struct run_report *run)
{
	struct doc_drawing *drawing = doc_drawing(
		run->doc, DOC_LYING, "The stack of the whole run",
		"Cycles by component, one after the other; the table below has the values.");

	drawing->is_main = true;
	drawing->unit = DOC_COUNT;
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (run->stacks->methods[0].has[i])
			doc_series(drawing, component_rows[i].name, doc_component(i))->about =
				component_rows[i].meaning;
	struct doc_group *group = doc_group(drawing, "");
	for (int i = 0, series = 0; i < COMPONENT_COUNT; i++)
		if (run->stacks->methods[0].has[i])
			doc_set(group, (size_t)series++,
				(double)run->stacks->methods[0].stack.cycles[i]);
	doc_only(run->doc, DOC_IN_PAGE);
}

/* How what would go away was measured; NULL in results of versions that did not measure it, or if
 * no window said anything. */
static const json_t *gain_of(const struct run_report *run)
{
	const json_t *gain = json_object_get(run->result, "gain");

	return member_whole(gain, "windows") ? gain : NULL;
}

/* By how many cycles a component or cause may be off. */
static void error_cell(const struct run_report *run, struct doc_table *table, const char *list,
		       const char *name)
{
	const json_t *gain = gain_of(run);
	const json_t *error = json_object_get(json_object_get(gain, list), name);

	if (error)
		doc_value(table, common_ratio((double)json_integer_value(error), run->cycles));
	else if (gain)
		doc_cell_none(table);
}

static void stack_cells(const struct run_report *run, struct doc_table *table, double cycles,
			struct doc_colour colour, const char *list, const char *name)
{
	doc_value(table, cycles);
	doc_value(table, common_ratio(cycles, run->instructions));
	doc_value(table, common_ratio(cycles, run->cycles));
	error_cell(run, table, list, name);
	if (colour.kind)
		doc_value(table, cycles)->colour = colour;
}

/* Whether the names of its causes say more than the component's own. */
static bool has_causes(const struct stacks *p, int component)
{
	bool says_more = false;

	for (int i = 0; i < CAUSE_COUNT; i++)
		says_more |= (int)cause_component(p->levels, (enum cause)i) == component &&
			     p->slots.causes[i] &&
			     strcmp(cause_rows[i].name, component_rows[component].name) != 0;
	return says_more;
}

static void cause_rows_of(const struct run_report *run, struct doc_table *table, int component)
{
	const struct stacks *p = run->stacks;

	for (int i = 0; i < CAUSE_COUNT && has_causes(p, component); i++) {
		if ((int)cause_component(p->levels, (enum cause)i) != component ||
		    !p->slots.causes[i])
			continue;
		struct doc_row *row = doc_child(table, cause_rows[i].name);

		row->colour = doc_component(component);
		row->about = cause_rows[i].meaning;
		stack_cells(run, table, stacks_cycles(p, p->slots.causes[i]),
			    (struct doc_colour){0}, "cause_errors", cause_rows[i].name);
		doc_cell_none(table);
		doc_cell_words(table, cause_rows[i].meaning);
	}
}

static void stack_table(const struct run_report *run)
{
	struct doc_table *table = doc_table(run->doc, "components", NULL, "component");

	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "CPI", DOC_NUMBER, 4);
	doc_column(table, "share", DOC_PERCENT, 2);
	if (gain_of(run))
		doc_column(table, "error", DOC_PERCENT, 2)->about =
			"of the cycles: the share is right within this in 19 of 20 cases";
	doc_column(table, "", DOC_BAR, 0);
	doc_column(table, "meaning", DOC_WORDS, 0)->where = DOC_IN_PAGE;
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		if (!run->stacks->methods[0].has[i])
			continue;
		struct doc_row *row = doc_row(table, component_rows[i].name);

		row->colour = doc_component(i);
		row->about = component_rows[i].meaning;
		stack_cells(run, table, (double)run->stacks->methods[0].stack.cycles[i],
			    doc_component(i), "errors", component_rows[i].name);
		doc_cell_words(table, component_rows[i].meaning);
		cause_rows_of(run, table, i);
	}
	doc_row(table, "total");
	doc_row_total(table);
	stack_cells(run, table, run->cycles, (struct doc_colour){0}, "errors", "total");
}

/* What the names above mean, as far as they matter in this run. */
static void meanings(const struct run_report *run)
{
	const struct stacks *p = run->stacks;
	const char *text = "";

	for (int i = 0; i < COMPONENT_COUNT; i++) {
		if ((double)p->methods[0].stack.cycles[i] < MEANING_SHARE * run->cycles)
			continue;
		text = doc_words(run->doc, "%s%s%s: %s", text, *text ? "; " : "",
				 component_rows[i].name, component_rows[i].meaning);
		for (int k = 0; k < CAUSE_COUNT; k++)
			if ((int)cause_component(p->levels, (enum cause)k) == i &&
			    strcmp(cause_rows[k].name, component_rows[i].name) != 0 &&
			    (double)p->slots.causes[k] >= MEANING_SHARE * (double)p->slots.total)
				text = doc_words(run->doc, "%s; %s: %s", text, cause_rows[k].name,
						 cause_rows[k].meaning);
	}
	if (!*text)
		return;
	doc_note(run->doc, text);
	doc_only(run->doc, DOC_IN_TEXT);
}

/* Where the numbers come from. */
static void say_measured(const struct run_report *run)
{
	const json_t *gain = json_object_get(run->result, "gain");

	if (!gain)
		return;
	struct doc_text *text = doc_text(run->doc, DOC_NOTE);
	if (!gain_of(run)) {
		doc_say(text, "Not measured: in no window of this run could other machines be "
			      "simulated. Shares are of dispatch slots, and may be far from what "
			      "would go away.");
		return;
	}
	doc_say(text,
		"What would go away without each cause, measured: in %lld window%s with %s %% of the "
		"instructions, %lld machines were simulated.",
		(long long)member_whole(gain, "windows"),
		member_whole(gain, "windows") == 1 ? "" : "s",
		doc_decimal(run->doc,
			    100 * common_ratio(member_number(gain, "window_instructions"),
					       run->instructions),
			    1),
		(long long)member_whole(gain, "machines"));
}

void run_stack(const struct run_report *run)
{
	struct doc *doc = run->doc;

	doc_section(doc, "stack", "Where the cycles went")->short_title = "Stack";
	run_verdict(run);
	doc_say(doc_text(doc, DOC_NOTE), "%.0f cycles, %.0f instructions, CPI %s", run->cycles,
		run->instructions,
		doc_decimal(doc, common_ratio(run->cycles, run->instructions), 3));
	doc_only(doc, DOC_IN_TEXT);
	main_bar(run);
	stack_table(run);
	say_measured(run);
	meanings(run);
	doc_end(doc);
}

/* The stacks of methods or stages below each other, in cycles per instruction. */
static void draw_methods(const struct run_report *run, const char *title,
			 const struct stacks_method *methods, size_t count)
{
	struct doc_drawing *drawing = doc_drawing(
		run->doc, DOC_LYING, title,
		"Cycles per instruction by component; what is below zero was charged twice.");

	drawing->places = 3;
	drawing->has_axis = true;
	drawing->limit = common_ratio(run->cycles, run->instructions);
	for (int k = 0; k < COMPONENT_COUNT; k++)
		doc_series(drawing, component_rows[k].name, doc_component(k))->about =
			component_rows[k].meaning;
	for (size_t i = 0; i < count; i++) {
		struct doc_group *group = doc_group(drawing, methods[i].name);
		const char *below = "";

		for (int k = 0; k < COMPONENT_COUNT; k++) {
			const double cycles = (double)methods[i].stack.cycles[k];

			doc_set(group, (size_t)k, common_ratio(cycles, run->instructions));
			if (cycles < 0)
				below = doc_words(
					run->doc, "%s%s%s %s %%", below,
					*below ? ", " : "below zero: ", component_rows[k].name,
					doc_decimal(run->doc,
						    100 * common_ratio(cycles, run->cycles), 1));
		}
		group->about = *below ? below : common_method_about(methods[i].name);
		group->is_marked = *below;
	}
	doc_only(run->doc, DOC_IN_PAGE);
}

static void method_columns(const struct run_report *run, struct doc_table *table,
			   const struct stacks_method *methods, size_t count)
{
	for (int k = 0; k < COMPONENT_COUNT; k++) {
		bool is_there = false;

		for (size_t i = 0; i < count; i++)
			is_there |= methods[i].has[k];
		if (!is_there)
			continue;
		struct doc_column *column = doc_column(table, component_rows[k].name, DOC_COUNT, 0);
		column->about = component_rows[k].meaning;
		column->flags = DOC_VIEWED | DOC_RED | DOC_BARE;
	}
	(void)run;
}

static void methods_table(const struct run_report *run, const char *id, const char *names,
			  const struct stacks_method *methods, size_t count)
{
	struct doc_table *table = doc_table(run->doc, id, NULL, names);
	bool has_bits = false;

	table->whole = run->cycles;
	doc_view(table, "% of run", DOC_PERCENT, 1, DOC_BY_WHOLE);
	doc_view(table, "cycles", DOC_COUNT, 0, DOC_BY_NOTHING);
	doc_view(table, "CPI", DOC_NUMBER, 4, DOC_BY_WEIGHT);
	method_columns(run, table, methods, count);
	const size_t columns = table->column_count;
	for (size_t i = 0; i < count; i++)
		has_bits |= methods[i].bits >= 0;
	if (has_bits)
		doc_column(table, "bits", DOC_SHORT, 0)->about = "of storage";
	for (size_t i = 0; i < count; i++) {
		struct doc_row *row = doc_row(table, methods[i].name);

		row->about = common_method_about(methods[i].name);
		row->weight = run->instructions;
		for (size_t c = 0; c < columns; c++) {
			const int k = component_named(table->columns[c].title);

			if (methods[i].has[k])
				doc_value(table, (double)methods[i].stack.cycles[k]);
			else
				doc_cell_none(table);
		}
		if (has_bits)
			doc_value(table, methods[i].bits >= 0 ? (double)methods[i].bits : NAN);
	}
}

void run_methods(const struct run_report *run)
{
	const struct stacks *p = run->stacks;

	if (p->method_count < 2)
		return;
	doc_section(run->doc, "architectures",
		    "What each way of counting says, in percent of the cycles")
		->short_title = "Counters";
	doc_note(run->doc,
		 "The same run, counted in different ways. Where a method charges more than there "
		 "was, its base, which is what remains, falls below zero and is drawn to the left; "
		 "the dashed line is the CPI there really was.");
	doc_only(run->doc, DOC_IN_PAGE);
	draw_methods(run, "What hardware counters would have said", p->methods, p->method_count);
	methods_table(run, "methods", "method", p->methods, p->method_count);
	doc_end(run->doc);
}

/* Rows of the second level that belong to a group; one that is the group itself is not repeated. */
static void topdown_parts(const struct run_report *run, struct doc_table *table, const char *group,
			  double all)
{
	const struct stacks *p = run->stacks;

	for (size_t i = 0; i < p->topdown_count; i++) {
		const struct stacks_topdown *t = &p->topdown[i];

		if (t->level != 2 || strcmp(t->name, group) == 0 ||
		    strcmp(topdown_group_of(t->name), group) != 0)
			continue;
		doc_row_at(table, *group ? 1 : 0, t->name);
		doc_value(table, common_ratio((double)t->slots, all));
		doc_value(table, (double)t->slots);
	}
}

static struct doc_colour topdown_colour(const char *group)
{
	for (unsigned i = 0; i < TOPDOWN_GROUPS; i++)
		if (strcmp(topdown_groups[i].name, group) == 0)
			return doc_component((int)topdown_groups[i].component);
	return (struct doc_colour){DOC_OTHER, 0};
}

static void topdown(const struct run_report *run)
{
	const struct stacks *p = run->stacks;
	double all = 0;

	for (size_t i = 0; i < p->topdown_count; i++)
		all += p->topdown[i].level == 1 ? (double)p->topdown[i].slots : 0;
	struct doc_table *table = doc_table(run->doc, "topdown", NULL, "category");
	doc_column(table, "share", DOC_PERCENT, 1);
	doc_column(table, "slots", DOC_COUNT, 0)->where = DOC_IN_PAGE | DOC_IN_CSV;
	doc_column(table, "", DOC_BAR, 0);
	for (size_t i = 0; i < p->topdown_count; i++) {
		const struct stacks_topdown *t = &p->topdown[i];

		if (t->level != 1)
			continue;
		doc_row(table, t->name);
		doc_value(table, common_ratio((double)t->slots, all));
		doc_value(table, (double)t->slots);
		doc_value(table, (double)t->slots)->colour = topdown_colour(t->name);
		topdown_parts(run, table, t->name, all);
	}
	topdown_parts(run, table, "", all);
}

void run_views(const struct run_report *run)
{
	const struct stacks *p = run->stacks;
	struct doc *doc = run->doc;

	if (!p->stage_count && !p->topdown_count)
		return;
	doc_section(doc, "views", "Other views");
	if (p->stage_count) {
		doc_fold(doc, "Stages: dispatched, issued and committed, in percent of the cycles");
		draw_methods(run, "Stages", p->stages, p->stage_count);
		methods_table(run, "stages", "stage", p->stages, p->stage_count);
		doc_end(doc);
	}
	if (p->topdown_count) {
		doc_fold(doc, "Top-down: what became of the slots for instructions");
		topdown(run);
		doc_end(doc);
	}
	doc_end(doc);
}
