#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/run.h"
#include "value/calls.h"
#include "value/member.h"

#define LEAST_PAGE  0.0005 /* of the run: paths with less are left out */
#define LEAST_TEXT  0.01
#define DEEPEST	    48
#define FUNCTIONS   5  /* the hottest, whose callers and callees are shown */
#define EDGES	    10 /* of each that text shows */
#define LEAST_FLAME 0.0005
#define PATHS_MOST  1500 /* that a page has: with more it takes seconds to open */

static double share_of(const struct run_report *run, const struct stacks_slots *slots)
{
	return common_ratio((double)slots->total, (double)run->stacks->slots.total);
}

static const char *detail_of(const struct calls_node *node)
{
	return strcmp(node->kind, "jump") == 0	   ? "tail"
	       : strcmp(node->kind, "signal") == 0 ? "signal"
						   : NULL;
}

static void tree_columns(const struct run_report *run, struct doc_table *table)
{
	struct doc_column *column = doc_column(table, "with calls", DOC_PERCENT, 1);

	column->about = "of the cycles of the run, with all that is called from here";
	column->flags = DOC_HEAT | DOC_UNSORTED;
	column = doc_column(table, "own", DOC_PERCENT, 1);
	column->about = "of the cycles of the run, in its own code";
	column->flags = DOC_UNSORTED;
	column = doc_column(table, "calls", DOC_COUNT, 0);
	column->about = "how often it was called from there";
	column->flags = DOC_UNSORTED;
	column = doc_column(table, "stack", DOC_STACK, 0);
	column->about = "of its own code";
	column->flags = DOC_UNSORTED | DOC_OPTIONAL;
	common_parts(table, run->stacks);
}

static void tree_row(const struct run_report *run, const struct calls_node *node, unsigned level,
		     struct doc_table *table)
{
	struct doc_row *row = doc_row_at(table, level, node->function);

	row->detail = detail_of(node);
	row->target = run_annotation_id(run, node->function);
	row->is_kept = share_of(run, &node->all) >= LEAST_TEXT;
	row->is_folded = true;
	doc_value(table, share_of(run, &node->all));
	doc_value(table, share_of(run, &node->slots));
	doc_value(table, (double)node->calls);
	common_stack_cell(table, run->stacks, &node->slots);
}

static int by_size(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a < b) - (a > b);
}

/* The share that a path has at least for it to be shown: `least`, or so much that PATHS_MOST are. A
 * path has no less than those that continue it. */
static double least_of(const struct run_report *run, const struct calls *calls, double least)
{
	int64_t *slots = mem_alloc_array(calls->count + 1, sizeof(*slots));
	double share = least;

	for (size_t i = 0; i < calls->count; i++)
		slots[i] = calls->nodes[i].all.total;
	if (calls->count > PATHS_MOST) {
		qsort(slots, calls->count, sizeof(*slots), by_size);
		share = fmax(least, common_ratio((double)slots[PATHS_MOST] + 1,
						 (double)run->stacks->slots.total));
	}
	free(slots);
	return share;
}

static void tree(const struct run_report *run, const struct calls *calls)
{
	const double least = least_of(run, calls, LEAST_PAGE);
	const unsigned left_out = calls_has_one_root(calls);
	struct doc_table *table = doc_table(run->doc, "calls-table", NULL, "function");

	tree_columns(run, table);
	for (size_t k = 0; k < calls->count; k++) {
		const struct calls_node *node = &calls->nodes[calls->order[k]];
		const unsigned level = node->depth - left_out;

		if (node->depth >= left_out && level <= DEEPEST &&
		    share_of(run, &node->all) >= least)
			tree_row(run, node, level, table);
	}
}

/* The colour of the component that takes most of a node's own slots. */
static struct doc_colour colour_of(const struct run_report *run, const struct stacks_slots *slots)
{
	const struct stack stack = stacks_of_slots(run->stacks, slots);
	int most = 0;

	for (int i = 1; i < COMPONENT_COUNT; i++)
		if (stack.cycles[i] > stack.cycles[most])
			most = i;
	return doc_component(most);
}

/* What is below a node that is not drawn is not drawn either: it has no more. */
static void flame(const struct run_report *run, const struct calls *calls)
{
	const struct stacks *p = run->stacks;
	const double least = least_of(run, calls, LEAST_FLAME);
	const unsigned left_out = calls_has_one_root(calls);
	struct doc_flame *graph = doc_flame(run->doc, "calls-flame",
					    "Calls, coloured by what most of each "
					    "function's own cycles went to",
					    "cycles");

	doc_only(run->doc, DOC_IN_PAGE);
	doc_node(graph, 0, member_text(json_object_get(run->result, "program"), "name"),
		 stacks_cycles(p, p->slots.total), colour_of(run, &p->slots));
	for (size_t k = 0; k < calls->count; k++) {
		const struct calls_node *node = &calls->nodes[calls->order[k]];

		if (node->depth >= left_out && share_of(run, &node->all) >= least)
			doc_node(graph, node->depth - left_out + 1, node->function,
				 stacks_cycles(p, node->all.total), colour_of(run, &node->slots));
	}
}

static int by_slots(const void *left, const void *right)
{
	const struct calls_edge *a = left, *b = right;

	if (a->all.total != b->all.total)
		return a->all.total > b->all.total ? -1 : 1;
	const int order = strcmp(a->caller, b->caller);
	return order ? order : strcmp(a->callee, b->callee);
}

/* The callers, or the callees, of a function as rows below it. */
static void edge_rows(const struct run_report *run, struct doc_table *table, const char *function,
		      const struct calls_edge *edges, size_t count, bool is_callers)
{
	size_t shown = 0;

	for (size_t i = 0; i < count; i++) {
		const struct calls_edge *edge = &edges[i];

		if (strcmp(is_callers ? edge->callee : edge->caller, function) != 0)
			continue;
		if (!edge->calls && share_of(run, &edge->all) < LEAST_PAGE)
			continue;
		struct doc_row *row =
			doc_child(table, is_callers ? doc_words(run->doc, "from %s", edge->caller)
						    : doc_words(run->doc, "to %s", edge->callee));
		row->is_kept = shown++ < EDGES;
		doc_value(table, share_of(run, &edge->all));
		doc_cell_none(table);
		doc_value(table, (double)edge->calls);
	}
}

static int by_own_slots(const void *left, const void *right)
{
	const struct calls_function *a = left, *b = right;

	if (a->own.total != b->own.total)
		return a->own.total > b->own.total ? -1 : 1;
	return strcmp(a->function, b->function);
}

static void callers(const struct run_report *run, const struct calls *calls)
{
	size_t function_count, edge_count;
	struct calls_function *functions = calls_functions(calls, &function_count);
	struct calls_edge *edges = calls_edges(calls, &edge_count);
	struct doc_table *table =
		doc_table(run->doc, "callers-table",
			  "The hottest functions, from where they are called, and what they call",
			  "function");
	struct doc_column *column = doc_column(table, "with calls", DOC_PERCENT, 1);

	column->about = "of the cycles of the run, with all that is called from here; below: in "
			"these calls";
	doc_column(table, "own", DOC_PERCENT, 1)->about = "of the cycles of the run";
	doc_column(table, "calls", DOC_COUNT, 0)->about = "of it; below: of the one by the other";
	table->text_limit = FUNCTIONS;
	if (edge_count)
		qsort(edges, edge_count, sizeof(*edges), by_slots);
	if (function_count)
		qsort(functions, function_count, sizeof(*functions), by_own_slots);
	for (size_t i = 0; i < function_count && share_of(run, &functions[i].own) >= LEAST_PAGE;
	     i++) {
		const struct calls_function *function = &functions[i];
		struct doc_row *row = doc_row(table, function->function);

		row->is_folded = true;
		doc_value(table, share_of(run, &function->all));
		doc_value(table, share_of(run, &function->own));
		doc_value(table, (double)function->calls);
		edge_rows(run, table, function->function, edges, edge_count, true);
		edge_rows(run, table, function->function, edges, edge_count, false);
	}
	free(functions);
	free(edges);
}

static void limits(const struct run_report *run, const struct calls *calls)
{
	const double other =
		common_ratio((double)calls->other_slots, (double)run->stacks->slots.total);

	if (calls->other_slots)
		doc_say(doc_text(run->doc, DOC_WARNING),
			"The run has more than %" PRId64
			" paths of calls: what came later, %s%% of "
			"the cycles, is by function under (other calls), and missing from those who "
			"called it.",
			calls->nodes_most, doc_decimal(run->doc, 100 * other, 1));
}

bool run_calls(const struct run_report *run, struct err *err)
{
	struct calls calls;

	if (!calls_read(&calls, run->stacks, run->result, err))
		return false;
	if (calls.count) {
		doc_section(run->doc, "calls", "Who called whom")->short_title = "Calls";
		doc_note(run->doc,
			 "Each function below the one that called it, with the cycles of all that "
			 "it called from there.");
		doc_only(run->doc, DOC_IN_PAGE);
		limits(run, &calls);
		tree(run, &calls);
		flame(run, &calls);
		callers(run, &calls);
		doc_end(run->doc);
	}
	calls_release(&calls);
	return true;
}
