#include "report/text/sweep_text.h"

#include <string.h>

#include "value/component.h"
#include "value/member.h"

#define CHANGES_BYTES 512

/* The changes that not every machine has, which are those beyond the base's. */
static void changes_of(const json_t *result, const json_t *run, char text[CHANGES_BYTES])
{
	size_t common = json_array_size(
		json_object_get(json_object_get(result, "configuration"), "changes"));
	const json_t *changes = json_object_get(json_object_get(run, "configuration"), "changes");

	text[0] = 0;
	for (size_t i = common; i < json_array_size(changes); i++)
		snprintf(text + strlen(text), CHANGES_BYTES - strlen(text), "%s%s",
			 i > common ? " " : "", json_string_value(json_array_get(changes, i)));
	if (!text[0])
		snprintf(text, CHANGES_BYTES, "%s",
			 json_string_value(json_object_get(json_object_get(result, "configuration"),
							   "name")));
}

static int widest_change(const json_t *result)
{
	char text[CHANGES_BYTES];
	size_t widest = strlen("machine"), i;
	json_t *run;

	json_array_foreach(json_object_get(result, "runs"), i, run)
	{
		changes_of(result, run, text);
		widest = strlen(text) > widest ? strlen(text) : widest;
	}
	return (int)widest;
}

static void print_components(FILE *out, const json_t *components, double instructions,
			     bool is_heading)
{
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		const char *name = component_rows[i].name;

		if (!json_object_get(components, name))
			continue;
		if (is_heading)
			fprintf(out, " %8s", name);
		else
			fprintf(out, " %8.3f",
				(double)member_whole(components, name) / instructions);
	}
}

void sweep_text_print(FILE *out, const json_t *result)
{
	const int width = widest_change(result);
	const char *program = "";
	int64_t first = 0;
	json_t *run;
	size_t i;

	json_array_foreach(json_object_get(result, "runs"), i, run)
	{
		const json_t *components = json_object_get(run, "components");
		const char *name = json_string_value(json_object_get(run, "program"));
		int64_t cycles = member_whole(run, "cycles");
		double instructions = (double)member_whole(run, "instructions");
		char changes[CHANGES_BYTES];

		if (strcmp(program, name) != 0) {
			fprintf(out, "%s%s: %lld instructions\n  %-*s %12s %7s %8s", i ? "\n" : "",
				name, (long long)instructions, width, "machine", "cycles", "CPI",
				"change");
			print_components(out, components, 1, true);
			fputc('\n', out);
			program = name;
			first = cycles;
		}
		changes_of(result, run, changes);
		fprintf(out, "  %-*s %12lld %7.3f %+7.2f%%", width, changes, (long long)cycles,
			(double)cycles / instructions, 100 * ((double)cycles / (double)first - 1));
		print_components(out, components, instructions, false);
		fputc('\n', out);
	}
}
