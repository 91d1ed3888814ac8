#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/judge.h"
#include "report/judge_stack.h"
#include "value/component.h"
#include "value/member.h"

static double share(const json_t *program, double cycles)
{
	return common_ratio(cycles, member_number(program, "cycles"));
}

/* A measured truth is order A alone. */
static size_t truths_of(const json_t *program)
{
	return judge_measured(program) ? 1 : 2;
}

static void detail_cells(struct doc_table *table, const json_t *program, int component,
			 const struct judge_report *judge)
{
	const json_t *truth = json_object_get(program, "truth");
	const json_t *truths[] = {json_object_get(truth, "a"), json_object_get(truth, "b")};
	const char *name;
	json_t *unused;

	for (size_t i = 0; i < truths_of(program); i++)
		doc_value(table,
			  share(program, judge_stack_truth(program, truths[i]).cycles[component]));
	json_object_foreach(judge->methods, name, unused)
	{
		const json_t *parts = json_object_get(judge_method(program, name), "components");

		if (judge_method(program, name))
			doc_value(table,
				  share(program,
					judge_stack_method(program, parts).cycles[component]));
	}
}

/* The errors of a component below its shares, of a measured truth too; the largest of a method
 * stands out. */
static void error_cells(struct doc_table *table, const json_t *program, const char *component,
			const struct judge_report *judge)
{
	const json_t *off =
		json_object_get(json_object_get(judge_measured(program), "errors"), component);
	const char *name;
	json_t *unused;

	for (size_t i = 0; i < truths_of(program); i++)
		if (off)
			doc_value(table, share(program, json_number_value(off)));
		else
			doc_cell_none(table);
	json_object_foreach(judge->methods, name, unused)
	{
		const json_t *method = judge_method(program, name);

		if (!method)
			continue;
		struct doc_cell *cell = doc_value_of(
			table, json_object_get(json_object_get(method, "errors"), component));
		cell->is_marked = strcmp(member_text(method, "worst"), component) == 0;
	}
}

/* Whether a result of this kind has such errors: of a measured truth there is order A alone. */
static bool has_largest(const json_t *program, const char *member)
{
	const json_t *truth = json_object_get(program, "truth");
	const bool has_ends =
		strcmp(member, "max_error_low") == 0 || strcmp(member, "max_error_high") == 0;

	if (strncmp(member, "distance", 8) == 0)
		return json_object_get(truth, "all_orders");
	if (strcmp(member, "max_error") == 0)
		return true;
	return has_ends == !!judge_measured(program);
}

/* The largest errors and distances of the methods, below their stacks. */
static void largest_rows(struct doc_table *table, const json_t *program,
			 const struct judge_report *judge)
{
	static const struct {
		const char *name, *member;
	} largest[] = {
		{"largest error", "max_error"},
		{"at least", "max_error_low"},
		{"at most", "max_error_high"},
		{"to order a", "max_error_a"},
		{"to order b", "max_error_b"},
		{"to the interval", "max_error_interval"},
		{"to the range of all orders", "distance_to_range"},
		{"to the mean of all orders", "distance_to_mean"},
		{"largest, with resource in base", "max_error"},
	};
	const size_t last = ARRAY_COUNT(largest) - 1;
	const char *name;
	json_t *unused;

	for (size_t i = 0; i < ARRAY_COUNT(largest); i++) {
		if (i == last ? judge_stack_base(program) != JUDGE_BASE_ALONE
			      : !has_largest(program, largest[i].member))
			continue;
		doc_row(table, largest[i].name);
		doc_row_total(table);
		for (size_t k = 0; k < truths_of(program); k++)
			doc_cell_none(table);
		json_object_foreach(judge->methods, name, unused)
		{
			const json_t *method = judge_method(program, name);

			if (!method)
				continue;
			struct doc_cell *cell = doc_value_of(
				table, json_object_get(i == last ? json_object_get(method, "folded")
								 : method,
						       largest[i].member));
			cell->is_marked = i == 0 && cell->value > JUDGE_LIMIT;
		}
	}
}

static void detail(const struct judge_report *judge, const json_t *program, size_t number)
{
	struct doc *doc = judge->doc;
	struct doc_block *section = doc_section(doc, doc_words(doc, "program-%zu", number + 1),
						member_text(program, "name"));
	const char *name;
	json_t *unused;

	section->key = judge_key(judge, program);
	section->is_detail = true;
	section->where = DOC_IN_PAGE;
	doc_say(doc_text(doc, DOC_NOTE),
		"%s instructions, %s cycles, CPI %s. Under each share its error%s%s. The largest "
		"of a method stands out.",
		doc_whole(doc, member_number(program, "instructions")),
		doc_whole(doc, member_number(program, "cycles")),
		doc_decimal(doc,
			    common_ratio(member_number(program, "cycles"),
					 member_number(program, "instructions")),
			    4),
		judge_stack_base(program) == JUDGE_BASE_ALONE
			? ""
			: "; that of base is of base and resource together",
		judge_measured(program) ? ", under the truth by how much that may be off" : "");
	struct doc_table *table = doc_table(doc, NULL, NULL, "component");
	doc_column(table, "truth a", DOC_PERCENT, 2)->flags = DOC_RED | DOC_UNSORTED;
	if (!judge_measured(program))
		doc_column(table, "truth b", DOC_PERCENT, 2)->flags = DOC_RED | DOC_UNSORTED;
	json_object_foreach(judge->methods, name, unused)
	{
		if (!judge_method(program, name))
			continue;
		struct doc_column *column = doc_column(table, name, DOC_PERCENT, 2);

		column->about = common_method_about(name);
		column->flags = DOC_RED | DOC_UNSORTED;
	}
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		if (!judge_stack_has(program, (enum component)i))
			continue;
		struct doc_row *row = doc_row(table, component_rows[i].name);

		row->colour = doc_component(i);
		row->about = component_rows[i].meaning;
		detail_cells(table, program, i, judge);
		doc_child(table, "error");
		error_cells(table, program, component_rows[i].name, judge);
	}
	largest_rows(table, program, judge);
	doc_end(doc);
}

void judge_details(const struct judge_report *judge)
{
	json_t *program;
	size_t i;

	json_array_foreach(judge->programs, i, program) detail(judge, program, i);
}
