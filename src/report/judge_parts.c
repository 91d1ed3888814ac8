#include <math.h>

#include "base/array.h"
#include "report/common.h"
#include "report/judge.h"
#include "value/component.h"
#include "value/member.h"

static const json_t *parts_of(const json_t *program)
{
	return judge_measured(program)
		       ? json_object_get(judge_measured(program), "costs")
		       : json_object_get(json_object_get(program, "truth"), "parts");
}

/* Whether any program has cycles of this cause. */
static bool is_used(const struct judge_report *judge, int cause)
{
	json_t *program;
	size_t i;

	/* What was measured has components besides their parts. */
	if (component_named(cause_rows[cause].name) >= 0)
		return false;
	json_array_foreach(judge->programs, i, program)
	{
		if (member_number(parts_of(program), cause_rows[cause].name) != 0)
			return true;
	}
	return false;
}

/* By how much a part may be off, if it was measured. */
static const char *off_words(const struct judge_report *judge, const json_t *program,
			     const char *cause)
{
	const json_t *off =
		json_object_get(json_object_get(judge_measured(program), "cause_errors"), cause);

	return off ? doc_words(judge->doc, "+-%s",
			       doc_decimal(judge->doc,
					   100 * common_ratio(json_number_value(off),
							      member_number(program, "cycles")),
					   2))
		   : NULL;
}

static void part_cells(const struct judge_report *judge, struct doc_table *table,
		       const json_t *program)
{
	for (int i = 0; i < CAUSE_COUNT; i++) {
		const json_t *cycles = json_object_get(parts_of(program), cause_rows[i].name);

		if (is_used(judge, i))
			doc_value(table, cycles ? common_ratio(json_number_value(cycles),
							       member_number(program, "cycles"))
						: NAN)
				->words = off_words(judge, program, cause_rows[i].name);
	}
}

void judge_parts(const struct judge_report *judge)
{
	struct doc *doc = judge->doc;
	bool has_any = false;
	json_t *program;
	size_t i;

	for (int k = 0; k < CAUSE_COUNT; k++)
		has_any |= is_used(judge, k);
	if (!has_any)
		return;
	doc_section(doc, "parts", "Parts of the truth")->short_title = "Parts";
	doc_note(doc, "What of a component becomes real by itself, in order A: dependence is a "
		      "part of base, mshr of the last cache for data, the others are resource. "
		      "In percent of the run's cycles; parts that no program has are left out.");
	struct doc_table *table = doc_table(doc, "truth-parts", NULL, "program");
	for (int k = 0; k < CAUSE_COUNT; k++) {
		if (!is_used(judge, k))
			continue;
		struct doc_column *column = judge_percent(table, cause_rows[k].name, 2);

		column->about = cause_rows[k].meaning;
		column->flags |= DOC_RED;
	}
	json_array_foreach(judge->programs, i, program)
	{
		judge_row(judge, table, program);
		part_cells(judge, table, program);
	}
	doc_end(doc);
}

/* What a method may not tell from other components. */
struct lacking {
	enum component components[2];
	const char *words; /* with the names of the methods */
};

/* Whether a method charges nothing to these components in any program, though they have errors of
 * their own. */
static bool lacks(const struct judge_report *judge, const char *method,
		  const struct lacking *lacking)
{
	bool is_there = false;
	json_t *program;
	size_t i;

	json_array_foreach(judge->programs, i, program)
	{
		const json_t *found = judge_method(program, method);

		for (size_t k = 0; k < ARRAY_COUNT(lacking->components); k++) {
			const char *name = component_rows[lacking->components[k]].name;

			if (member_number(json_object_get(found, "components"), name) != 0)
				return false;
			is_there |= member_number(json_object_get(found, "errors"), name) > 0;
		}
	}
	return is_there;
}

/* The methods that lack it; "" if there are none. */
static const char *lacking_methods(const struct judge_report *judge, const struct lacking *lacking)
{
	const char *method, *names = "";
	json_t *unused;

	json_object_foreach(judge->methods, method, unused)
	{
		if (lacks(judge, method, lacking))
			names = doc_words(judge->doc, "%s%s%s", names, *names ? ", " : "", method);
	}
	return names;
}

void judge_lacking(const struct judge_report *judge, unsigned where)
{
	static const struct lacking rows[] = {
		{{COMPONENT_RESOURCE, COMPONENT_RESOURCE},
		 "Found no resource: %s. There base includes what the truth calls resource, so "
		 "that by definition both are off by it; the errors with resource in base are "
		 "without that."},
		{{COMPONENT_L3I, COMPONENT_L3D},
		 "Found no misses of the L3: %s. There those of the L2 include them, so that by "
		 "definition both are off by them."},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *names = lacking_methods(judge, &rows[i]);

		if (!*names)
			continue;
		doc_note(judge->doc, doc_words(judge->doc, rows[i].words, names));
		doc_only(judge->doc, where);
	}
}

void judge_folded(const struct judge_report *judge, const char *id)
{
	judge_by_method(judge, id, "folded", "max_error", "mean_error", "largest_error");
}

bool judge_has_folded(const struct judge_report *judge)
{
	return json_object_get(judge->summary, "folded");
}
