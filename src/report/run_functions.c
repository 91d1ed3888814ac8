#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/common.h"
#include "report/run.h"
#include "value/member.h"

#define USUAL_FUNCTIONS 10     /* that text shows */
#define PAGE_FUNCTIONS	50     /* that a page shows at first */
#define PAGE_MOST	200    /* that a page has, however small they are */
#define LEAST_PAGE	0.0005 /* of the run: what a page has of the others */
#define PAGE_COMPONENTS 8      /* that have a column of their own in a page */
#define LEAST_INTERVALS 2
#define LEAST_INLINED	0.01   /* of the run: what text shows of a function's inlined calls */
#define LEAST_FLAME	0.0005 /* of the run: narrower places are not drawn */

/* Whether a component has a column of its own in a page: those with most cycles have, as many as
 * there is room for; all are in each stack. */
static bool has_column(const struct run_report *run, int component)
{
	const struct stacks_method *exact = &run->stacks->methods[0];
	const int64_t cycles = exact->stack.cycles[component];
	unsigned before = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		before += exact->has[i] && (exact->stack.cycles[i] > cycles ||
					    (exact->stack.cycles[i] == cycles && i < component));
	return exact->has[component] && before < PAGE_COMPONENTS;
}

/* Share, cycles, CPI and stack of a place, and its largest components one by one. */
static void place_columns(const struct run_report *run, struct doc_table *table)
{
	struct doc_column *share = doc_column(table, "share", DOC_PERCENT, 2);

	share->about = "of the cycles of the run";
	share->flags = DOC_HEAT;
	doc_column(table, "cycles", DOC_COUNT, 0)->where = DOC_IN_PAGE | DOC_IN_CSV;
	doc_column(table, "CPI", DOC_NUMBER, 3)->about = "cycles per instruction executed here";
	doc_column(table, "stack", DOC_STACK, 0)->flags = DOC_UNSORTED;
	struct doc_column *executed = doc_column(table, "executed", DOC_COUNT, 0);
	executed->about = "instructions";
	executed->where = DOC_IN_PAGE | DOC_IN_CSV;
	common_parts(table, run->stacks);
	table->whole = run->cycles;
	table->can_fill = true;
	doc_view(table, "% of run", DOC_PERCENT, 2, DOC_BY_WHOLE);
	doc_view(table, "cycles", DOC_COUNT, 0, DOC_BY_NOTHING);
	doc_view(table, "CPI", DOC_NUMBER, 3, DOC_BY_WEIGHT);
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		if (!has_column(run, i))
			continue;
		struct doc_column *column = doc_column(table, component_rows[i].name, DOC_COUNT, 0);

		column->about = component_rows[i].meaning;
		column->flags = DOC_VIEWED;
		column->where = DOC_IN_PAGE;
	}
}

/* `executed` is -1 if it is not known. */
static void place_cells(const struct run_report *run, struct doc_table *table, struct doc_row *row,
			const struct stacks_slots *slots, int64_t executed)
{
	const struct stacks *p = run->stacks;
	const struct stack stack = stacks_of_slots(p, slots);
	const double cycles = stacks_cycles(p, slots->total);

	row->weight = executed > 0 ? (double)executed : 0;
	doc_value(table, common_ratio((double)slots->total, (double)p->slots.total));
	doc_value(table, cycles);
	doc_value(table, executed > 0 ? cycles / (double)executed : NAN);
	common_stack_cell(table, p, slots);
	doc_value(table, executed >= 0 ? (double)executed : NAN);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (has_column(run, i))
			doc_value(table, stacks_cycles(p, stack.cycles[i]));
}

/* Whether text shows an inlined call of a function that it shows. */
static bool is_large(const struct stacks *p, const struct stacks_inlined *call)
{
	return common_ratio((double)call->slots.total, (double)p->slots.total) >= LEAST_INLINED;
}

static void inlined_rows(const struct run_report *run, struct doc_table *table,
			 const struct stacks_function *f)
{
	for (size_t i = 0; i < f->inlined_count; i++) {
		const struct stacks_inlined *call = &f->inlined[i];
		struct doc_row *row = doc_row_at(table, call->depth, call->function);

		row->detail = "inlined";
		row->is_kept = is_large(run->stacks, call);
		place_cells(run, table, row, &call->slots, call->executed);
	}
}

/* Whether a page has a function only in the sum of the small ones. Those with most cycles come
 * first. */
static bool is_small(const struct run_report *run, size_t index)
{
	const struct stacks *p = run->stacks;

	return index >= PAGE_MOST &&
	       (double)p->functions[index].slots.total < LEAST_PAGE * (double)p->slots.total;
}

/* A page with a row for each of ten thousand functions takes seconds to open. */
static void small_row(const struct run_report *run, struct doc_table *table)
{
	const struct stacks *p = run->stacks;
	struct stacks_slots sum = {0};
	int64_t executed = 0;
	size_t count = 0;

	for (size_t i = 0; i < p->function_count; i++) {
		if (!is_small(run, i))
			continue;
		stacks_slots_add(&sum, &p->functions[i].slots);
		executed += p->functions[i].executed;
		count++;
	}
	if (!count)
		return;
	struct doc_row *row =
		doc_row(table, doc_words(run->doc, "%s functions with less than 0.05 %% each",
					 doc_whole(run->doc, (double)count)));
	row->about = "each by itself is in what --csv and --json write";
	row->where = DOC_IN_PAGE;
	place_cells(run, table, row, &sum, executed);
	doc_row_total(table);
	/* Its stack would be many times as long as those it is compared with. */
	table->rows[table->row_count - 1].cells[3] = (struct doc_cell){0};
}

static void function_row(const struct run_report *run, struct doc_table *table, size_t index)
{
	const struct stacks_function *f = &run->stacks->functions[index];
	const size_t first = table->row_count;
	struct doc_row *row = doc_row(table, f->name);

	if (*f->file)
		row->detail = common_place(run->doc, f->file, f->line);
	row->target = run_annotation_id(run, f->name);
	row->is_folded = true;
	place_cells(run, table, row, &f->slots, f->executed);
	inlined_rows(run, table, f);
	for (size_t i = 0; i < f->line_count; i++) {
		const struct stacks_line *line = &f->lines[i];
		struct doc_row *child =
			doc_child(table, common_place(run->doc, line->file, line->line));

		child->about = line->file;
		place_cells(run, table, child, &line->slots, line->executed);
	}
	for (size_t i = first; i < table->row_count && is_small(run, index); i++)
		table->rows[i].where = DOC_IN_TEXT | DOC_IN_CSV;
}

/* What text says of the functions it leaves out. */
static const char *rest_of(const struct run_report *run, size_t shown)
{
	const struct stacks *p = run->stacks;
	int64_t slots = 0;

	for (size_t i = shown; i < p->function_count; i++)
		slots += p->functions[i].slots.total;
	const size_t count = p->function_count > shown ? p->function_count - shown : 0;
	return doc_words(run->doc, "%zu more %s %s%% of the cycles", count,
			 count == 1 ? "function has" : "functions have",
			 doc_decimal(run->doc,
				     100 * common_ratio((double)slots, (double)p->slots.total), 1));
}

static bool has_inlined(const struct stacks *p, size_t functions)
{
	for (size_t i = 0; i < p->function_count && i < functions; i++)
		for (size_t k = 0; k < p->functions[i].inlined_count; k++)
			if (is_large(p, &p->functions[i].inlined[k]))
				return true;
	return false;
}

/* The colour of the component that takes most of these slots. */
static struct doc_colour most_of(const struct stacks *p, const struct stacks_slots *slots)
{
	const struct stack stack = stacks_of_slots(p, slots);
	int most = 0;

	for (int i = 1; i < COMPONENT_COUNT; i++)
		if (stack.cycles[i] > stack.cycles[most])
			most = i;
	return doc_component(most);
}

static bool is_drawn(const struct stacks *p, const struct stacks_slots *slots)
{
	return common_ratio((double)slots->total, (double)p->slots.total) >= LEAST_FLAME;
}

/* What is inlined into a place that is not drawn is narrower still, and is not drawn either, also
 * where a result from elsewhere says otherwise. */
static void function_flame(struct doc_flame *flame, const struct stacks *p,
			   const struct stacks_function *f)
{
	unsigned drawn = 0; /* the depth of the last */

	doc_node(flame, 1, f->name, stacks_cycles(p, f->slots.total), most_of(p, &f->slots));
	for (size_t i = 0; i < f->inlined_count; i++) {
		const struct stacks_inlined *call = &f->inlined[i];

		if (call->depth > drawn + 1 || !is_drawn(p, &call->slots)) {
			drawn = call->depth <= drawn ? call->depth - 1 : drawn;
			continue;
		}
		doc_node(flame, 1 + call->depth, call->function,
			 stacks_cycles(p, call->slots.total), most_of(p, &call->slots));
		drawn = call->depth;
	}
}

/* The run, its functions, and in each what was inlined. The text has the same as rows. */
static void functions_flame(const struct run_report *run)
{
	const struct stacks *p = run->stacks;
	struct doc_flame *flame = doc_flame(run->doc, "functions-flame",
					    "Functions and what was inlined into them", "cycles");

	doc_only(run->doc, DOC_IN_PAGE);
	doc_node(flame, 0, member_text(json_object_get(run->result, "program"), "name"),
		 stacks_cycles(p, p->slots.total), most_of(p, &p->slots));
	for (size_t i = 0; i < p->function_count; i++)
		if (is_drawn(p, &p->functions[i].slots))
			function_flame(flame, p, &p->functions[i]);
}

void run_functions(const struct run_report *run)
{
	const struct report_options *options = run->options;
	const struct stacks *p = run->stacks;
	const size_t limit = options->has_functions ? options->functions : USUAL_FUNCTIONS;
	struct doc *doc = run->doc;

	if (!p->function_count)
		return;
	doc_section(doc, "functions",
		    doc_words(doc, "The hottest of %zu functions, each bar its own stack%s",
			      p->function_count,
			      has_inlined(p, limit) ? "; indented: inlined" : ""))
		->short_title = "Functions";
	doc_note(doc,
		 "Open a function to see what was inlined into it, each call with all that is in "
		 "it, and its source lines.");
	doc_only(doc, DOC_IN_PAGE);
	common_legend(doc, p);
	struct doc_table *table = doc_table(doc, "functions-table", NULL, "function");
	doc_last(doc)->where = limit ? DOC_EVERYWHERE : DOC_IN_PAGE | DOC_IN_CSV;
	place_columns(run, table);
	table->limit = PAGE_FUNCTIONS;
	table->text_limit = limit;
	table->rest = rest_of(run, limit);
	table->sorted = "share";
	table->has_filter = true;
	for (size_t i = 0; i < p->function_count; i++)
		function_row(run, table, i);
	small_row(run, table);
	functions_flame(run);
	doc_end(doc);
	if (!limit)
		doc_only(doc, DOC_IN_PAGE | DOC_IN_CSV);
}

void run_threads(const struct run_report *run)
{
	const struct stacks *p = run->stacks;

	if (p->thread_count < 2)
		return;
	doc_section(run->doc, "threads", "By thread")->short_title = "Threads";
	struct doc_table *table = doc_table(run->doc, "threads-table", NULL, "thread");
	place_columns(run, table);
	for (size_t i = 0; i < p->thread_count; i++) {
		struct doc_row *row =
			doc_row(table, doc_words(run->doc, "thread %" PRId64, p->threads[i].id));

		place_cells(run, table, row, &p->threads[i].slots, -1);
	}
	doc_end(run->doc);
}

/* The stack over time, as CPI or as shares. */
static void draw_over_time(const struct run_report *run, bool is_share)
{
	const struct stacks *p = run->stacks;
	struct doc_drawing *drawing = doc_drawing(
		run->doc, DOC_OVER_TIME, "Over time",
		"Cycles per instruction by component, one interval after the other; left "
		"and right arrow keys step through them.");

	drawing->unit = is_share ? DOC_PERCENT : DOC_NUMBER;
	drawing->places = 3;
	drawing->shown = "CPI";
	drawing->x_title = "instructions";
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (p->methods[0].has[i])
			doc_series(drawing, component_rows[i].name, doc_component(i));
	for (size_t k = 0; k < p->interval_count; k++) {
		const struct stacks_interval *interval = &p->intervals[k];
		const struct stack stack = stacks_of_slots(p, &interval->slots);
		struct doc_group *group = doc_moment(drawing, "", (double)interval->instructions);

		for (int i = 0, series = 0; i < COMPONENT_COUNT; i++)
			if (p->methods[0].has[i])
				doc_set(group, (size_t)series++, stacks_cycles(p, stack.cycles[i]));
	}
}

static void interval_table(const struct run_report *run)
{
	const struct stacks *p = run->stacks;
	struct doc_table *table = doc_table(run->doc, "intervals", "Intervals", "interval");

	doc_column(table, "instructions", DOC_COUNT, 0);
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "CPI", DOC_NUMBER, 3);
	doc_column(table, "stack", DOC_STACK, 0)->flags = DOC_UNSORTED;
	common_parts(table, p);
	table->limit = PAGE_FUNCTIONS;
	for (size_t i = 0; i < p->interval_count; i++) {
		const struct stacks_interval *interval = &p->intervals[i];

		doc_row(table, doc_words(run->doc, "%zu", i + 1));
		doc_value(table, (double)interval->instructions);
		doc_value(table, (double)interval->cycles);
		doc_value(table, interval->instructions
					 ? (double)interval->cycles / (double)interval->instructions
					 : NAN);
		common_stack_cell(table, p, &interval->slots);
	}
}

void run_over_time(const struct run_report *run)
{
	const struct stacks *p = run->stacks;
	struct doc *doc = run->doc;

	if (!p->interval_count)
		return;
	doc_section(doc, "time", "The stack over time")->short_title = "Over time";
	doc_say(doc_text(doc, DOC_NOTE),
		"%s intervals of %s instructions. Across: instructions. Up: cycles per instruction. "
		"An interval that is shorter than the others, as the last may be, is cut where it is "
		"higher than they are.",
		doc_whole(doc, (double)p->interval_count),
		doc_whole(doc, (double)p->intervals[0].instructions));
	doc_only(doc, DOC_IN_PAGE);
	doc_choice(doc, "show");
	doc_alternative(doc, "CPI");
	draw_over_time(run, false);
	doc_end(doc);
	doc_alternative(doc, "shares");
	draw_over_time(run, true);
	doc_end(doc);
	doc_end(doc);
	if (p->interval_count < LEAST_INTERVALS)
		doc_only(doc, DOC_IN_TEXT);
	/* A page would grow by megabytes for what nobody reads there. */
	interval_table(run);
	doc_only(doc, DOC_IN_CSV);
	doc_end(doc);
}
