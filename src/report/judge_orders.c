#include <math.h>
#include <string.h>

#include "report/common.h"
#include "report/judge.h"
#include "value/component.h"
#include "value/member.h"

static const json_t *orders_of(const json_t *program)
{
	return json_object_get(json_object_get(program, "truth"), "all_orders");
}

/* What the parts of the section mean. */
static void explain(const struct judge_report *judge, const json_t *all)
{
	doc_note(
		judge->doc,
		doc_words(
			judge->doc,
			"A cycle that two misses share goes to the one that becomes real first, so "
			"a component depends on the order. All orders: the %s in which structures "
			"can become real one after the other, each after those without which it "
			"has no effect, on %s machines. range: the largest distance of a component "
			"from what lies between lowest and highest; mean: from the mean, as error "
			"is from orders A and B. An interaction is what two structures cost "
			"together beyond what each costs alone: positive if each makes the other "
			"worse, negative if they hide each other. In percent of the cycles.",
			doc_whole(judge->doc, member_number(all, "orders")),
			doc_whole(judge->doc, member_number(all, "machines"))));
}

/* Each method's distances over all programs. */
static void distances(const struct judge_report *judge)
{
	static const char *const columns[][2] = {
		{"from the range: mean", "mean_distance_to_range"},
		{"largest", "largest_distance_to_range"},
		{"from the mean: mean", "mean_distance_to_mean"},
		{"largest", "largest_distance_to_mean"},
	};
	struct doc_table *table = doc_table(judge->doc, "distances", NULL, "method");
	const char *method;
	json_t *unused;

	for (size_t i = 0; i < 4; i++)
		judge_percent(table, columns[i][0], 2);
	json_object_foreach(judge->methods, method, unused)
	{
		struct doc_row *row = doc_row(table, method);

		row->colour = common_method_colour(method);
		row->about = common_method_about(method);
		for (size_t i = 0; i < 4; i++)
			doc_value_of(table,
				     json_object_get(json_object_get(judge->summary, columns[i][1]),
						     method));
	}
	doc_only(judge->doc, DOC_IN_PAGE | DOC_IN_CSV);
}

/* What each component is over all orders. Text has these as rows of the stacks. */
static void ranges(const struct judge_report *judge, const json_t *program)
{
	static const char *const columns[] = {"lowest", "mean", "highest", "order a", "order b"};
	const json_t *truth = json_object_get(program, "truth"), *all = orders_of(program);
	const json_t *sources[] = {json_object_get(all, "lowest"), json_object_get(all, "mean"),
				   json_object_get(all, "highest"), json_object_get(truth, "a"),
				   json_object_get(truth, "b")};
	struct doc_table *table = doc_table(judge->doc, NULL, NULL, "component");

	for (size_t i = 0; i < 5; i++)
		judge_percent(table, columns[i], 2)->flags |= DOC_RED;
	for (int k = 0; k < COMPONENT_COUNT; k++) {
		if (!json_object_get(sources[3], component_rows[k].name))
			continue;
		struct doc_row *row = doc_row(table, component_rows[k].name);

		row->colour = doc_component(k);
		for (size_t i = 0; i < 5; i++)
			doc_value(table,
				  common_ratio(member_number(sources[i], component_rows[k].name),
					       member_number(program, "cycles")));
	}
	doc_only(judge->doc, DOC_IN_PAGE);
}

/* The interaction of two components; NULL if there is none. */
static const json_t *together(const json_t *list, int one, int other)
{
	json_t *pair;
	size_t i;

	json_array_foreach(list, i, pair)
	{
		const int first = component_named(member_text(pair, "first"));
		const int second = component_named(member_text(pair, "second"));

		if ((first == one && second == other) || (first == other && second == one))
			return pair;
	}
	return NULL;
}

/* One row and one column for each component that has an interaction, in the order of all reports.
 */
static void interactions(const struct judge_report *judge, const json_t *program)
{
	const json_t *list = json_object_get(orders_of(program), "interactions");
	bool is_there[COMPONENT_COUNT] = {false};
	struct doc_table *table = doc_table(judge->doc, NULL, NULL, "");

	for (int k = 0; k < COMPONENT_COUNT; k++) {
		for (int i = 0; i < COMPONENT_COUNT; i++)
			is_there[k] |= together(list, i, k) != NULL;
		if (is_there[k])
			judge_percent(table, component_rows[k].name, 2)->flags |= DOC_UNSORTED;
	}
	for (int k = 0; k < COMPONENT_COUNT; k++) {
		if (!is_there[k])
			continue;
		doc_row(table, component_rows[k].name)->colour = doc_component(k);
		for (int i = 0; i < COMPONENT_COUNT; i++) {
			const json_t *pair = together(list, k, i);

			if (is_there[i])
				doc_value(table,
					  pair ? common_ratio(member_number(pair, "cycles"),
							      member_number(program, "cycles"))
					       : NAN);
		}
	}
}

/* The component whose two values differ most, and how much. */
static void widest(struct doc_table *table, const json_t *one, const json_t *other, double cycles)
{
	double most = -1;
	int component = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++) {
		const double apart = fabs(member_number(one, component_rows[i].name) -
					  member_number(other, component_rows[i].name));

		if (apart > most) {
			most = apart;
			component = i;
		}
	}
	doc_value(table, common_ratio(most, cycles));
	doc_cell_words(table, component_rows[component].name);
}

/* How far two orders, and all of them, are apart in the component in which they differ most. */
static void widths(const struct judge_report *judge)
{
	struct doc_table *table = doc_table(judge->doc, "widths", NULL, "program");
	json_t *program;
	size_t i;

	judge_percent(table, "A and B", 2);
	doc_column(table, "in", DOC_WORDS, 0);
	judge_percent(table, "all orders", 2);
	doc_column(table, "in", DOC_WORDS, 0);
	json_array_foreach(judge->programs, i, program)
	{
		const json_t *truth = json_object_get(program, "truth"), *all = orders_of(program);
		const double cycles = member_number(program, "cycles");

		judge_row(judge, table, program);
		widest(table, json_object_get(truth, "a"), json_object_get(truth, "b"), cycles);
		if (all)
			widest(table, json_object_get(all, "lowest"),
			       json_object_get(all, "highest"), cycles);
	}
}

/* A fold of the page, which text has as a heading. */
static void fold_by_method(const struct judge_report *judge, const char *title, const char *id,
			   const char *member, const char *mean, const char *largest)
{
	if (!json_object_get(judge->summary, mean))
		return;
	doc_fold(judge->doc, title);
	judge_by_method(judge, id, NULL, member, mean, largest);
	doc_end(judge->doc);
}

void judge_orders(const struct judge_report *judge)
{
	const json_t *all = NULL;
	struct doc *doc = judge->doc;
	json_t *program;
	size_t i;

	json_array_foreach(judge->programs, i, program) all = all ? all : orders_of(program);
	if (!all)
		return;
	doc_section(doc, "orders", "All orders")->short_title = "Orders";
	explain(judge, all);
	distances(judge);
	json_array_foreach(judge->programs, i, program)
	{
		if (!orders_of(program))
			continue;
		doc_fold(doc, doc_words(doc, "Interactions in %s, in percent of the cycles",
					member_text(program, "name")));
		ranges(judge, program);
		interactions(judge, program);
		doc_end(doc);
	}
	doc_fold(doc, "How far orders are apart, in percent of the run's cycles");
	widths(judge);
	doc_end(doc);
	fold_by_method(
		judge,
		"Largest distance from the range of all orders, in percent of the run's cycles",
		"from-range", "distance_to_range", "mean_distance_to_range",
		"largest_distance_to_range");
	fold_by_method(
		judge,
		"Largest distance from the mean of all orders, in percent of the run's cycles",
		"from-mean", "distance_to_mean", "mean_distance_to_mean",
		"largest_distance_to_mean");
	doc_end(doc);
}
