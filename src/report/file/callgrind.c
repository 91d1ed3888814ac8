#include "report/file/callgrind.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "report/file/file.h"
#include "value/calls.h"
#include "value/function_index.h"

static void put_name(FILE *out, const char *text)
{
	size_t length = strlen(text);
	char *copy = mem_alloc(length + 1);

	printable_copy(copy, length, (const uint8_t *)text, length);
	fputs(*copy ? copy : "???", out);
	free(copy);
}

/* Writes a name with its number; without the name if it was written before. */
static void put_place(FILE *out, const char *key, size_t number, const char *name)
{
	/* A number before every name ensures that a name that begins with a parenthesis is not
	 * read as a reference to another. */
	fprintf(out, "%s=(%zu)", key, number);
	if (name) {
		fputc(' ', out);
		put_name(out, name);
	}
	fputc('\n', out);
}

/* The format's names of events have no dots. */
static void put_event(FILE *out, enum cause cause)
{
	for (const char *c = cause_rows[cause].name; *c; c++)
		fputc(*c == '.' ? '_' : *c, out);
}

static void put_slots(FILE *out, const struct stacks *stacks, const struct stacks_slots *slots)
{
	fprintf(out, "%lld", (long long)slots->total);
	for (int i = 0; i < CAUSE_COUNT; i++)
		if (stacks->slots.causes[i])
			fprintf(out, " %lld", (long long)slots->causes[i]);
	fputc('\n', out);
}

/* Numbers of files, from 1; equal names have the same number. */
struct names {
	const char **names;
	bool *is_written;
	size_t count;
};

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void put_file(FILE *out, const char *key, struct names *files, const char *file)
{
	const char **found = bsearch(&file, files->names, files->count, sizeof(file), by_text);

	BUG_ON(!found);
	size_t index = (size_t)(found - files->names);
	put_place(out, key, index + 1, files->is_written[index] ? NULL : file);
	files->is_written[index] = true;
}

/* Who calls whom. The edges of a caller lie side by side, from `first` to before `end`. */
struct callees {
	struct calls_edge *edges;
	size_t *numbers;     /* of the callee's function; INDEX_NONE: it is not in the list */
	size_t *first, *end; /* by function */
	bool *is_named;	     /* by function: its name was written */
};

static void read_callees(struct callees *callees, const struct stacks *stacks,
			 const struct calls *calls)
{
	struct function_index functions;
	size_t count;

	function_index_init(&functions, stacks);
	callees->edges = calls_edges(calls, &count);
	callees->numbers = mem_alloc_array(count, sizeof(size_t));
	callees->first = mem_alloc_array(stacks->function_count, sizeof(size_t));
	callees->end = mem_alloc_array(stacks->function_count, sizeof(size_t));
	callees->is_named = mem_alloc_array(stacks->function_count, sizeof(bool));
	for (size_t i = 0; i < count; i++) {
		const struct calls_edge *edge = &callees->edges[i];
		const size_t caller = function_index_find(&functions, edge->caller);

		callees->numbers[i] = function_index_find(&functions, edge->callee);
		if (caller == INDEX_NONE)
			continue;
		if (!callees->end[caller])
			callees->first[caller] = i;
		callees->end[caller] = i + 1;
	}
	function_index_release(&functions);
}

static void release_callees(struct callees *callees)
{
	free(callees->edges);
	free(callees->numbers);
	free(callees->first);
	free(callees->end);
	free(callees->is_named);
}

/* The calls that a function makes, at its first line: where they are made is not known. */
static void put_calls(FILE *out, const struct stacks *stacks, struct names *files, size_t number,
		      const struct callees *callees)
{
	const struct stacks_function *f = &stacks->functions[number];
	const struct stacks_slots none = {0};

	for (size_t i = callees->first[number]; i < callees->end[number]; i++) {
		const struct calls_edge *edge = &callees->edges[i];
		const size_t callee = callees->numbers[i];

		if (callee == INDEX_NONE || !edge->calls)
			continue;
		put_file(out, "cfi", files, stacks->functions[callee].file);
		put_place(out, "cfn", callee + 1,
			  callees->is_named[callee] ? NULL : stacks->functions[callee].name);
		callees->is_named[callee] = true;
		fprintf(out, "calls=%lld %lld\n%lld ", (long long)edge->calls,
			(long long)stacks->functions[callee].line, (long long)f->line);
		put_slots(out, stacks, callee == number ? &none : &edge->all);
	}
}

static void put_function(FILE *out, const struct stacks *stacks, struct names *files, size_t number,
			 const struct callees *callees)
{
	const struct stacks_function *f = &stacks->functions[number];
	const char *file = f->file;

	fputc('\n', out);
	put_file(out, "fl", files, file);
	put_place(out, "fn", number + 1, callees->is_named[number] ? NULL : f->name);
	callees->is_named[number] = true;
	for (size_t i = 0; i < f->line_count; i++) {
		const struct stacks_line *line = &f->lines[i];

		if (!line->slots.total)
			continue;
		if (strcmp(line->file, file) != 0) {
			file = line->file;
			put_file(out, strcmp(file, f->file) == 0 ? "fe" : "fi", files, file);
		}
		fprintf(out, "%lld ", (long long)line->line);
		put_slots(out, stacks, &line->slots);
	}
	/* Calls are in the function's own file, whatever its last line was inlined from. */
	if (strcmp(file, f->file) != 0)
		put_file(out, "fe", files, f->file);
	put_calls(out, stacks, files, number, callees);
}

static void put_functions(FILE *out, const struct stacks *stacks, struct names *files,
			  const struct calls *calls)
{
	struct callees callees;

	read_callees(&callees, stacks, calls);
	for (size_t i = 0; i < stacks->function_count; i++)
		put_function(out, stacks, files, i, &callees);
	release_callees(&callees);
}

static void put_header(FILE *out, const struct stacks *stacks)
{
	fputs("# callgrind format\nversion: 1\ncreator: cyclestack\ncmd: ", out);
	put_name(out, stacks->program);
	for (size_t i = 0; i < json_array_size(stacks->arguments); i++) {
		const char *text = json_string_value(json_array_get(stacks->arguments, i));

		fputc(' ', out);
		put_name(out, text ? text : "");
	}
	fprintf(out,
		"\ndesc: Unit: slots, %lld to a cycle\npositions: line\n"
		"event: slots : slots of all causes\n",
		(long long)stacks->slots_per_cycle);
	for (int i = 0; i < CAUSE_COUNT; i++)
		if (stacks->slots.causes[i]) {
			fputs("event: ", out);
			put_event(out, (enum cause)i);
			fprintf(out, " : %s\n", cause_rows[i].meaning);
		}
	fputs("events: slots", out);
	for (int i = 0; i < CAUSE_COUNT; i++)
		if (stacks->slots.causes[i]) {
			fputc(' ', out);
			put_event(out, (enum cause)i);
		}
	fputs("\nsummary: ", out);
	put_slots(out, stacks, &stacks->slots);
}

bool callgrind_write(FILE *out, const json_t *result, struct err *err)
{
	struct stacks stacks;
	struct calls calls;
	struct names files = {0};

	if (!stacks_read(&stacks, result, err))
		return false;
	if (!calls_read(&calls, &stacks, result, err)) {
		stacks_release(&stacks);
		return false;
	}
	files.names = stacks_files(&stacks, &files.count);
	files.is_written = mem_alloc_array(files.count, sizeof(*files.is_written));
	put_header(out, &stacks);
	put_functions(out, &stacks, &files, &calls);
	fputs("\ntotals: ", out);
	put_slots(out, &stacks, &stacks.slots);
	free(files.names);
	free(files.is_written);
	calls_release(&calls);
	stacks_release(&stacks);
	return report_finish(out, "the callgrind stacks", err);
}
