#include <math.h>

#include "report/common.h"
#include "report/run.h"
#include "value/component.h"
#include "value/member.h"

static void say_phases(struct doc *doc, const json_t *phases)
{
	const double instructions = member_number(phases, "instructions");
	const double cycles = member_number(phases, "cycles");
	const double coverage = 100 * member_number(phases, "coverage");
	struct doc_text *text = doc_text(doc, DOC_STRONG);

	if (!json_object_get(phases, "cycles")) {
		doc_say(text, "There is no estimate: no simulation point was reached.");
		return;
	}
	doc_say(text, "The program's %s instructions take about ", doc_whole(doc, instructions));
	doc_bold(text, "%s", doc_whole(doc, cycles));
	doc_say(text, " cycles: CPI ");
	doc_bold(text, "%s", doc_decimal(doc, common_ratio(cycles, instructions), 3));
	doc_say(text, ", by %s simulation points that stand for ",
		doc_whole(doc, (double)json_array_size(json_object_get(phases, "points"))));
	doc_bold(text, "%s %%", doc_decimal(doc, coverage, 2));
	doc_say(text, " of it.");
	doc_note(doc, doc_words(doc,
				"Intervals of %s instructions; cycles an instruction are weighted. "
				"How far that is off is not known: --sample without a value has an "
				"interval. All else that is shown is of what was simulated.",
				doc_whole(doc, member_number(phases, "interval"))));
}

static void components_table(struct doc *doc, const json_t *phases)
{
	json_t *components = json_object_get(phases, "components"), *value;
	const double cycles = member_number(phases, "cycles");
	const double instructions = member_number(phases, "instructions");

	if (!components)
		return;
	struct doc_table *table = doc_table(doc, "phase-components", NULL, "component of slots");
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "CPI", DOC_NUMBER, 4);
	doc_column(table, "share", DOC_PERCENT, 2);
	for (int i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		value = json_object_get(components, component_rows[i].name);
		if (!value)
			continue;
		const double number = json_number_value(value);

		doc_row(table, component_rows[i].name)->colour = doc_component(i);
		doc_value(table, number);
		doc_value(table, common_ratio(number, instructions));
		doc_value(table, common_ratio(number, cycles));
	}
}

static void points_table(struct doc *doc, const json_t *phases)
{
	json_t *points = json_object_get(phases, "points"), *point;
	size_t i;

	struct doc_table *table = doc_table(doc, "simulation-points", NULL, "cluster");
	doc_column(table, "interval", DOC_COUNT, 0)->about = "counted from 0";
	doc_column(table, "weight", DOC_PERCENT, 2);
	doc_column(table, "instructions", DOC_COUNT, 0);
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "CPI", DOC_NUMBER, 3);
	json_array_foreach(points, i, point)
	{
		const double instructions = member_number(point, "instructions");
		const double cycles = member_number(point, "cycles");

		doc_row(table, doc_whole(doc, member_number(point, "cluster")));
		doc_value(table, member_number(point, "interval"));
		doc_value(table, member_number(point, "weight"));
		doc_value(table, instructions);
		doc_value(table, cycles);
		doc_value(table, instructions > 0 ? cycles / instructions : NAN);
	}
}

static void values_table(struct doc *doc, const json_t *phases)
{
	json_t *values = json_object_get(phases, "values"), *value;
	const double instructions = member_number(phases, "instructions");
	const char *name;

	doc_fold(doc,
		 doc_words(doc, "%zu counted values of the program", json_object_size(values)));
	struct doc_table *table = doc_table(doc, "phase-values", NULL, "value");
	doc_column(table, "estimate", DOC_COUNT, 0);
	doc_column(table, "per 1000", DOC_NUMBER, 2)->about = "per 1000 instructions";
	table->has_filter = true;
	json_object_foreach(values, name, value)
	{
		doc_row(table, name);
		doc_value(table, json_number_value(value));
		doc_value(table, 1000 * common_ratio(json_number_value(value), instructions));
	}
	doc_end(doc);
	doc_only(doc, DOC_IN_PAGE | DOC_IN_CSV);
}

void run_phases(struct doc *doc, const json_t *result)
{
	const json_t *phases = json_object_get(result, "phases");

	if (!phases)
		return;
	doc_section(doc, "phases", "The whole program, by its phases")->short_title = "Phases";
	say_phases(doc, phases);
	if (json_object_get(phases, "cycles")) {
		components_table(doc, phases);
		points_table(doc, phases);
		values_table(doc, phases);
	}
	doc_end(doc);
}
