#include "report/common.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "count/count.h"
#include "value/member.h"

#define MOSTLY_CAUSES 3
#define MOSTLY_SHARE  0.05 /* of the slots, to be worth naming */

double common_ratio(double part, double whole)
{
	return whole != 0 ? part / whole : 0;
}

void common_heading(struct doc *doc, const json_t *result)
{
	const json_t *configuration = json_object_get(result, "configuration");
	const json_t *program_of = json_object_get(result, "program");
	const char *program = program_of ? member_text(program_of, "name") : "imported trace";
	const char *machine = member_text(configuration, "name");
	json_t *change;
	size_t i;

	doc->title = doc_words(doc, "%s on %s - cyclestack", program, machine);
	doc_say(&doc->heading, "%s on %s", program, machine);
	json_array_foreach(json_object_get(configuration, "changes"), i, change)
	{
		doc_say(&doc->heading, i ? ", " : " with ");
		doc_word(&doc->heading, json_string_value(change));
	}
	if (json_is_true(json_object_get(result, "partial")))
		doc_warn(doc, "partial: a limit ended the run");
}

void common_words_fact(struct doc *doc, const char *label, const json_t *words, const char *none)
{
	struct doc_text *text = doc_fact(doc, label);
	json_t *word;
	size_t i;

	json_array_foreach(words, i, word)
	{
		if (i)
			doc_say(text, " ");
		doc_word(text, json_string_value(word));
	}
	if (!json_array_size(words))
		doc_say(text, "%s", none);
}

void common_list_heading(struct doc *doc, const char *title)
{
	doc->title = doc_words(doc, "%s - cyclestack", title);
	doc_say(&doc->heading, "%s", title);
	doc->heading_where = DOC_IN_PAGE;
}

void common_machine_facts(struct doc *doc, const json_t *configuration)
{
	doc_word(doc_fact(doc, "configuration"), member_text(configuration, "name"));
	common_words_fact(doc, "changed", json_object_get(configuration, "changes"), "nothing");
	doc_word(doc_fact(doc, "configuration, SHA-256"), member_text(configuration, "sha256"));
}

struct doc_colour common_method_colour(const char *name)
{
	if (strcmp(name, "simulated") == 0)
		return doc_method(0);
	for (unsigned i = 0; i < observer_methods(); i++)
		if (strcmp(observer_kinds[i]->name, name) == 0)
			return doc_method(1 + i);
	return (struct doc_colour){DOC_OTHER, 0};
}

const char *common_method_about(const char *name)
{
	const struct observer_kind *kind = observer_kind_named(name);

	return kind ? kind->summary : NULL;
}

void common_parts(struct doc_table *table, const struct stacks *stacks)
{
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (stacks->methods[0].has[i])
			doc_part(table, component_rows[i].name, doc_component(i));
}

void common_legend(struct doc *doc, const struct stacks *stacks)
{
	struct doc_part parts[COMPONENT_COUNT];
	size_t count = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (stacks->methods[0].has[i])
			parts[count++] =
				(struct doc_part){component_rows[i].name, doc_component(i)};
	doc_legend(doc, parts, count);
}

void common_stack_cell(struct doc_table *table, const struct stacks *stacks,
		       const struct stacks_slots *slots)
{
	const struct stack stack = stacks_of_slots(stacks, slots);
	double values[COMPONENT_COUNT];
	size_t count = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (stacks->methods[0].has[i])
			values[count++] = stacks_cycles(stacks, stack.cycles[i]);
	doc_cell_values(table, values, count);
}

const char *common_mostly(struct doc *doc, const struct stacks_slots *slots)
{
	bool is_named[CAUSE_COUNT] = {false};
	const char *text = "";

	for (unsigned named = 0; named < MOSTLY_CAUSES; named++) {
		int most = -1;

		for (int i = 0; i < CAUSE_COUNT; i++)
			if (!is_named[i] && slots->causes[i] > 0 &&
			    (most < 0 || slots->causes[i] > slots->causes[most]))
				most = i;
		const double share =
			most < 0 ? 0
				 : common_ratio((double)slots->causes[most], (double)slots->total);
		if (most < 0 || (named && share < MOSTLY_SHARE))
			break;
		is_named[most] = true;
		text = doc_words(doc, "%s%s%s %ld%%", text, named ? ", " : "",
				 cause_rows[most].name, lround(100 * share));
	}
	return text;
}

const char *common_place(struct doc *doc, const char *file, int64_t line)
{
	const char *slash = strrchr(file, '/');

	if (!*file && !line)
		return "no line known";
	if (!*file)
		return doc_words(doc, "line %" PRId64, line);
	return line ? doc_words(doc, "%s:%" PRId64, slash ? slash + 1 : file, line)
		    : doc_words(doc, "%s", slash ? slash + 1 : file);
}

const char *common_object_name(struct doc *doc, const json_t *object, const char *place)
{
	const char *kind = member_text(object, "kind"), *name = member_text(object, "name");
	const char *library = member_text(object, "library");

	if (strcmp(kind, "heap") == 0 && *name != '(')
		return place ? doc_words(doc, "heap: %s in %s", place, name)
			     : doc_words(doc, "heap: in %s", name);
	if (strcmp(kind, "mapping") == 0 && place)
		return doc_words(doc, "mapping: %s in %s", place, name);
	if (strcmp(kind, "stack") == 0 && *name != '(')
		return doc_words(doc, "stack of %s%s%s", name, *library ? "@" : "", library);
	return doc_words(doc, "%s%s%s", name, *library ? "@" : "", library);
}

void common_more_cycles_cell(struct doc *doc, struct doc_table *table, double cycles)
{
	struct doc_cell *cell = doc_value(table, cycles);

	if (fabs(cycles) <= 0.5)
		cell->shown =
			doc_words(doc, "%s%s", cycles > 0 ? "+" : "", doc_decimal(doc, cycles, 2));
}

void common_setting_cell(struct doc_table *table, const json_t *value)
{
	if (json_is_string(value))
		doc_cell_words(table, json_string_value(value));
	else if (json_is_integer(value))
		doc_cell_words(table,
			       doc_words(table->doc, "%lld", (long long)json_integer_value(value)));
	else if (json_is_boolean(value))
		doc_cell_words(table, json_is_true(value) ? "true" : "false");
	else
		doc_cell_none(table)->shown = "-";
}
