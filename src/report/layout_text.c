#include "report/layout_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "value/component.h"
#include "value/counted.h"
#include "value/layout.h"
#include "value/unit.h"

struct parts {
	const struct layout **list;
	size_t count, capacity;
};

/* Collects the parts of a layout in the order in which the text mentions them. */
static void collect(struct parts *parts, const struct layout *layout)
{
	for (const struct layout_member *m = layout->members; m->name; m++) {
		bool is_known = !m->of || m->of->schema;

		for (size_t i = 0; i < parts->count && !is_known; i++)
			is_known = parts->list[i] == m->of;
		if (is_known)
			continue;
		*ARRAY_PUSH(parts->list, parts->count, parts->capacity) = m->of;
		collect(parts, m->of);
	}
}

/* Writes a link to the heading of a part or result: its words joined by hyphens. */
static void put_link(FILE *out, const struct layout *layout)
{
	const char *heading = layout->schema ? layout->schema : layout->name;

	fprintf(out, "[%s](#", layout->name);
	for (; *heading; heading++)
		fputc(*heading == ' ' ? '-' : *heading, out);
	fputc(')', out);
}

static void print_member(FILE *out, const struct layout_member *m)
{
	static const char *const shapes[] = {
		[LAYOUT_ONE] = "", [LAYOUT_LIST] = "list of ", [LAYOUT_MAP] = "map of "};

	if (m->name)
		fprintf(out, "| `%s` | %s", m->name, shapes[m->shape]);
	else
		fprintf(out, "| any other name | %s", shapes[m->shape]);
	if (m->of)
		put_link(out, m->of);
	else
		fputs(layout_kind_name(m->kind), out);
	fprintf(out, "%s | %s | %s%s%s |\n", m->flags & LAYOUT_MAY_BE_NULL ? " or null" : "",
		m->unit, m->meaning, m->flags & LAYOUT_MAY_BE_MISSING ? " (may be missing)" : "",
		m->flags & LAYOUT_COMPARED ? " (compared by `diff`)" : "");
}

static void print_layout(FILE *out, const struct layout *layout)
{
	if (layout->schema)
		fprintf(out, "\n### %s\nWritten by `%s`: %s.\n", layout->schema, layout->name,
			layout->meaning);
	else
		fprintf(out, "\n### %s\n%c%s.\n", layout->name, layout->meaning[0] & ~0x20,
			layout->meaning + 1);
	fputs("\n| member | value | unit | meaning |\n|---|---|---|---|\n", out);
	if (layout->schema)
		fprintf(out, "| `schema` | text | | %s |\n", layout->schema);
	for (const struct layout_member *m = layout->members; m->name; m++)
		print_member(out, m);
	if (layout->others)
		print_member(out, layout->others);
}

static void print_components(FILE *out)
{
	fputs("\n## Components\nOf a CPI stack, in the order of every report. The letter stands for a "
	      "component in bars of\ntext; a machine has those for which it has enough levels of "
	      "cache, `walk` if it walks page tables,\nand `bandwidth` if its memory can be busy."
	      "\n\n| component | letter | levels | meaning |\n|---|---|---|---|\n",
	      out);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		fprintf(out, "| %s | `%c` | %u | %s |\n", component_rows[i].name,
			component_rows[i].letter, component_rows[i].levels,
			component_rows[i].meaning);
}

static void print_units(FILE *out)
{
	fputs("\n## Units\n\n| unit | meaning |\n|---|---|\n", out);
	for (const struct unit_row *row = unit_rows; row->name; row++)
		fprintf(out, "| %s | %s |\n", row->name, row->meaning);
}

static void print_counted(FILE *out)
{
	fputs("\n## Counted values\nEach is the sum of a signal over the run (`cyclestack signals`).\n\n"
	      "| value | signal | unit | meaning |\n|---|---|---|---|\n",
	      out);
	for (const struct counted_row *row = counted_rows; row->name; row++)
		fprintf(out, "| `%s` | %s | %s | %s |\n", row->name, row->signal, row->unit,
			row->meaning);
}

static void print_causes(FILE *out)
{
	fputs("\n## Causes\nWhat dispatch slots are charged to, and the component each belongs to.\n\n"
	      "| cause | component | meaning |\n|---|---|---|\n",
	      out);
	for (int i = 0; i < CAUSE_COUNT; i++) {
		enum component component = cause_rows[i].component;

		fprintf(out, "| %s | %s | %s |\n", cause_rows[i].name,
			component == COMPONENT_LAST_D ? "that of data misses of the last level"
						      : component_rows[component].name,
			cause_rows[i].meaning);
	}
}

void layout_text_print(FILE *out)
{
	struct parts parts = {0};

	fprintf(out,
		"# The format of results\n"
		"What the files that `--json` writes are made of. A result is one JSON object; its "
		"`schema` names its\nlayout. Members that are not named here may be there and mean "
		"nothing to this version. Every\nlayout is a JSON Schema (draft 2020-12) too, in "
		"[schemas](schemas).\n\n"
		"A *count* is a whole number from 0 to %" PRId64 ", an *amount* any number in that "
		"range.\n*Components* are an object of whole numbers by [component](#components), "
		"*causes* an object of\ncounts by [cause](#causes); where one is left out it is 0. A "
		"*map* is an object whose members have\nany names. A *setting* is the value of a "
		"machine's parameter: text, a count, or true or false.\nWhat is \"of the "
		"cycles\" is a fraction of the run's cycles.\n\n## Results\n",
		LAYOUT_MOST);
	for (size_t i = 0; layouts[i]; i++) {
		print_layout(out, layouts[i]);
		collect(&parts, layouts[i]);
	}
	fputs("\n## Parts\n", out);
	for (size_t i = 0; i < parts.count; i++)
		print_layout(out, parts.list[i]);
	print_units(out);
	print_counted(out);
	print_components(out);
	print_causes(out);
	free(parts.list);
}
