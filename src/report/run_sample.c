#include <math.h>

#include "report/common.h"
#include "report/run.h"
#include "value/component.h"
#include "value/counted.h"
#include "value/member.h"

#define TEXT_FUNCTIONS 10 /* that text shows */

static double value_of(const json_t *estimate)
{
	return member_number(estimate, "value");
}

static double error_of(const json_t *estimate)
{
	return member_number(estimate, "error");
}

static void say_sample(struct doc *doc, const json_t *sample)
{
	const json_t *cycles = json_object_get(sample, "cycles");
	const double instructions = member_number(sample, "instructions");
	struct doc_text *text = doc_text(doc, DOC_STRONG);

	if (!cycles) {
		doc_say(text,
			"There is no estimate: the program's %s instructions have %s units, and it "
			"takes three. Without --sample all of them are simulated.",
			doc_whole(doc, instructions),
			doc_whole(doc, member_number(sample, "units")));
		return;
	}
	doc_say(text, "The program's %s instructions take ", doc_whole(doc, instructions));
	doc_bold(text, "%s", doc_whole(doc, value_of(cycles)));
	doc_say(text, " cycles, within ");
	doc_bold(text, "%s %%",
		 doc_decimal(doc, 100 * common_ratio(error_of(cycles), value_of(cycles)), 2));
	doc_say(text, " in 19 of 20 cases: CPI ");
	doc_bold(text, "%s", doc_decimal(doc, common_ratio(value_of(cycles), instructions), 3));
	doc_say(text, ".");
	doc_note(doc,
		 doc_words(doc,
			   "Estimated from %s units of %s instructions, one in each %s; the "
			   "beginning, and the end if it was known, count for themselves. All "
			   "else that is shown is of what was simulated; shares are those of the "
			   "program within the errors given here.",
			   doc_whole(doc, member_number(sample, "units")),
			   doc_whole(doc, member_number(sample, "unit")),
			   doc_whole(doc, member_number(sample, "period"))));
}

static void components_table(struct doc *doc, const json_t *sample)
{
	json_t *components = json_object_get(sample, "components"), *estimate;
	const double cycles = value_of(json_object_get(sample, "cycles"));
	const double instructions = member_number(sample, "instructions");

	if (!components)
		return;
	struct doc_table *table = doc_table(doc, "sample-components", NULL, "component of slots");
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "CPI", DOC_NUMBER, 4);
	doc_column(table, "share", DOC_PERCENT, 2);
	doc_column(table, "error", DOC_PERCENT, 2)->about =
		"of the share, in percent of the cycles";
	for (int i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		estimate = json_object_get(components, component_rows[i].name);
		if (!estimate)
			continue;
		doc_row(table, component_rows[i].name)->colour = doc_component(i);
		doc_value(table, value_of(estimate));
		doc_value(table, common_ratio(value_of(estimate), instructions));
		doc_value(table, common_ratio(value_of(estimate), cycles));
		doc_value(table, common_ratio(error_of(estimate), cycles));
	}
}

static void functions_table(struct doc *doc, const json_t *sample)
{
	json_t *functions = json_object_get(sample, "functions"), *function;
	const double cycles = value_of(json_object_get(sample, "cycles"));
	size_t i;

	if (!json_array_size(functions))
		return;
	struct doc_table *table = doc_table(doc, "sample-functions", NULL, "function");
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "share", DOC_PERCENT, 2);
	doc_column(table, "error", DOC_PERCENT, 2)->about =
		"of the share, in percent of the cycles";
	table->has_filter = true;
	json_array_foreach(functions, i, function)
	{
		const json_t *estimate = json_object_get(function, "cycles");
		struct doc_row *row = doc_row(table, member_text(function, "name"));

		if (i >= TEXT_FUNCTIONS)
			row->where = DOC_IN_PAGE | DOC_IN_CSV;
		doc_value(table, value_of(estimate));
		doc_value(table, common_ratio(value_of(estimate), cycles));
		doc_value(table, common_ratio(error_of(estimate), cycles));
	}
}

static void values_table(struct doc *doc, const json_t *sample)
{
	json_t *values = json_object_get(sample, "values"), *estimate;
	const double instructions = member_number(sample, "instructions");
	const char *name;

	doc_fold(doc,
		 doc_words(doc, "%zu counted values of the program", json_object_size(values)));
	struct doc_table *table = doc_table(doc, "sample-values", NULL, "value");
	doc_column(table, "estimate", DOC_COUNT, 0);
	doc_column(table, "error", DOC_PERCENT, 2)->about = "in percent of the estimate";
	doc_column(table, "per 1000", DOC_NUMBER, 2)->about = "per 1000 instructions";
	table->has_filter = true;
	json_object_foreach(values, name, estimate)
	{
		doc_row(table, name);
		doc_value(table, value_of(estimate));
		if (value_of(estimate) > 0)
			doc_value(table, common_ratio(error_of(estimate), value_of(estimate)));
		else
			doc_value(table, NAN);
		doc_value(table, 1000 * common_ratio(value_of(estimate), instructions));
	}
	doc_end(doc);
	doc_only(doc, DOC_IN_PAGE | DOC_IN_CSV);
}

void run_sample(struct doc *doc, const json_t *result)
{
	const json_t *sample = json_object_get(result, "sample");

	if (!sample)
		return;
	doc_section(doc, "sample", "The whole program, estimated")->short_title = "Sample";
	say_sample(doc, sample);
	if (json_object_get(sample, "cycles")) {
		components_table(doc, sample);
		functions_table(doc, sample);
		values_table(doc, sample);
	}
	doc_end(doc);
}
