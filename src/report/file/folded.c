#include "report/file/folded.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "report/file/file.h"
#include "value/calls.h"

static void put_frame(FILE *out, const char *text)
{
	size_t length = strlen(text);
	char *copy = mem_alloc(length + 1);

	printable_copy(copy, length, (const uint8_t *)text, length);
	for (char *p = copy; (p = strchr(p, ';'));)
		*p = ',';
	fputs(*copy ? copy : "?", out);
	free(copy);
}

static void put_line(FILE *out, const struct stacks *stacks, const char *function,
		     const struct stacks_line *line)
{
	for (int i = 0; i < CAUSE_COUNT; i++) {
		if (!line->slots.causes[i])
			continue;
		put_frame(out, stacks->program);
		fputc(';', out);
		put_frame(out, function);
		fputc(';', out);
		put_frame(out, line->file);
		fprintf(out, ":%lld;%s %lld\n", (long long)line->line, cause_rows[i].name,
			(long long)line->slots.causes[i]);
	}
}

/* One line for each cause of a node: program, path of calls, cause. */
static void put_node(FILE *out, const struct stacks *stacks, const struct calls *calls, size_t node)
{
	size_t path[CALLS_PATH_MOST + 1];
	const size_t count = calls_path(calls, node, path);
	const size_t first = calls_has_one_root(calls);

	for (int i = 0; i < CAUSE_COUNT; i++) {
		const int64_t slots = calls->nodes[node].slots.causes[i];

		if (!slots)
			continue;
		put_frame(out, stacks->program);
		for (size_t k = first; k < count; k++) {
			fputc(';', out);
			put_frame(out, path[k] == CALLS_CUT ? CALLS_CUT_NAME
							    : calls->nodes[path[k]].function);
		}
		fprintf(out, ";%s %lld\n", cause_rows[i].name, (long long)slots);
	}
}

bool folded_write(FILE *out, const json_t *result, struct err *err)
{
	struct stacks stacks;
	struct calls calls;

	if (!stacks_read(&stacks, result, err))
		return false;
	if (!calls_read(&calls, &stacks, result, err)) {
		stacks_release(&stacks);
		return false;
	}
	for (size_t i = 0; i < calls.count; i++)
		put_node(out, &stacks, &calls, calls.order[i]);
	for (size_t i = 0; !calls.count && i < stacks.function_count; i++)
		for (size_t k = 0; k < stacks.functions[i].line_count; k++)
			put_line(out, &stacks, stacks.functions[i].name,
				 &stacks.functions[i].lines[k]);
	calls_release(&calls);
	stacks_release(&stacks);
	return report_finish(out, "the folded stacks", err);
}
