#include "report/text/inspect_text.h"

#include <string.h>

#include "classify/classify.h"
#include "value/member.h"

#define NAME_COLUMNS 30
#define SURE_COLUMNS 6

static void print_list(FILE *out, const char *what, const json_t *list, const char *unit)
{
	const json_t *value;
	size_t i;

	if (!json_array_size(list))
		return;
	fprintf(out, "  %s", what);
	json_array_foreach(list, i, value)
		fprintf(out, "%s%lld", i ? ", " : " ", (long long)json_integer_value(value));
	fprintf(out, " %s\n", unit);
}

static void print_machine(FILE *out, const json_t *machine)
{
	long long line = member_whole(machine, "line_bytes");
	long long page = member_whole(machine, "page_bytes");

	fputs("Found on the way:", out);
	if (line)
		fprintf(out, " lines of %lld bytes", line);
	if (page)
		fprintf(out, "%s pages of %lld", line ? "," : "", page);
	fputs(line || page ? "\n" : " no event that tells lines or pages\n", out);
	print_list(out, "caches of data:", json_object_get(machine, "data_bytes"), "bytes");
	print_list(out, "caches of instructions:", json_object_get(machine, "instruction_bytes"),
		   "bytes");
	print_list(out, "TLBs of data:", json_object_get(machine, "data_pages"), "pages");
	print_list(out, "TLBs of instructions:", json_object_get(machine, "instruction_pages"),
		   "pages");
	if (!json_is_true(json_object_get(machine, "tells_executed")))
		fputs("  no event counts branches of wrong paths: executed and retired cannot be told "
		      "apart\n",
		      out);
	fputc('\n', out);
}

static bool is_verdict(const json_t *event, const char *verdict)
{
	return strcmp(member_text(event, "verdict"), verdict) == 0;
}

static const char *name_of(const json_t *event, char text[64])
{
	if (*member_text(event, "name"))
		return member_text(event, "name");
	snprintf(text, 64, "%lld:%lld", (long long)member_whole(event, "type"),
		 (long long)member_whole(event, "code"));
	return text;
}

static void print_event(FILE *out, const json_t *event, const struct terminal *terminal)
{
	const json_t *other;
	char text[64];
	size_t i;

	terminal_put(out, terminal, name_of(event, text), NAME_COLUMNS);
	if (json_object_get(event, "holds"))
		fputs(json_is_true(json_object_get(event, "holds")) ? "  yes " : "  NO  ", out);
	fprintf(out, " %4.2f  ", member_number(event, "confidence"));
	fprintf(out, "%s\n", member_text(event, "verdict"));
	json_array_foreach(json_object_get(event, "also"), i, other)
	{
		terminal_put(out, terminal, "", NAME_COLUMNS);
		fprintf(out, "%s        or %s\n", json_object_get(event, "holds") ? "      " : "",
			json_string_value(other));
	}
	if (json_is_false(json_object_get(event, "holds"))) {
		terminal_put(out, terminal, "", NAME_COLUMNS);
		fprintf(out, "              its name says: %s\n", member_text(event, "claim"));
	}
}

static void print_names(FILE *out, const json_t *events, const char *verdict, const char *heading,
			const struct terminal *terminal)
{
	const json_t *event;
	unsigned column = 0;
	size_t i, count = 0;

	json_array_foreach(events, i, event) count += is_verdict(event, verdict);
	if (!count)
		return;
	fprintf(out, "\n%zu %s:\n", count, heading);
	json_array_foreach(events, i, event)
	{
		char text[64];
		const char *name = name_of(event, text);
		unsigned columns = terminal_columns(terminal, name);

		if (!is_verdict(event, verdict))
			continue;
		if (column && column + columns + 1 > terminal->width) {
			fputc('\n', out);
			column = 0;
		}
		fputs(column ? " " : "  ", out);
		terminal_put_all(out, terminal, name);
		column += columns + (column ? 1 : 2);
	}
	fputc('\n', out);
}

void inspect_text_print(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *events = json_object_get(result, "events"), *event;
	size_t i;

	print_machine(out, json_object_get(result, "machine"));
	terminal_put(out, terminal, "event", NAME_COLUMNS);
	fputs(" sure  counts\n", out);
	json_array_foreach(events, i, event)
	{
		if (json_object_get(event, "holds") ||
		    (!is_verdict(event, VERDICT_NONE) && !is_verdict(event, VERDICT_ZERO) &&
		     !is_verdict(event, VERDICT_REFUSED)))
			print_event(out, event, terminal);
	}
	print_names(out, events, VERDICT_NONE, "events count none of these", terminal);
	print_names(out, events, VERDICT_ZERO, "events count nothing here", terminal);
	print_names(out, events, VERDICT_REFUSED, "events cannot be counted here", terminal);
}
