#include "report/file/pprof.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "base/printable.h"
#include "report/file/file.h"
#include "value/calls.h"
#include "value/function_index.h"

/* Numbers of fields in profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	TYPE_TYPE = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	LOCATION_ID = 1,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_NUMBER = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5,
};
#define WIRE_NUMBER 0
#define WIRE_BYTES  2

/* A message that is being written. */
struct message {
	uint8_t *bytes;
	size_t count, capacity;
};

static void put_number(struct message *m, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		*ARRAY_PUSH(m->bytes, m->count, m->capacity) = (uint8_t)(number | 0x80);
	*ARRAY_PUSH(m->bytes, m->count, m->capacity) = (uint8_t)number;
}

static void put_field(struct message *m, unsigned field, uint64_t number)
{
	put_number(m, field << 3 | WIRE_NUMBER);
	put_number(m, number);
}

static void put_bytes(struct message *m, unsigned field, const void *bytes, size_t count)
{
	put_number(m, field << 3 | WIRE_BYTES);
	put_number(m, count);
	for (size_t i = 0; i < count; i++)
		*ARRAY_PUSH(m->bytes, m->count, m->capacity) = ((const uint8_t *)bytes)[i];
}

/* Ends `part` and makes it a field of `m`; it can be used again. */
static void put_message(struct message *m, unsigned field, struct message *part)
{
	put_bytes(m, field, part->bytes, part->count);
	part->count = 0;
}

/* Strings and functions have numbers; equal ones the same. */
struct profile {
	const struct stacks *stacks;
	struct message whole, part, line, list;
	const char **strings;
	size_t string_count, string_capacity;
	struct index strings_index;
	const char **functions; /* that have been written */
	size_t function_count, function_capacity;
	struct index functions_index;
	struct function_index known;
};

struct wanted {
	const char *const *list;
	const char *text;
};

static bool same(const void *context, size_t number)
{
	const struct wanted *wanted = context;

	return strcmp(wanted->list[number], wanted->text) == 0;
}

static uint64_t string_of(struct profile *p, const char *text)
{
	const struct wanted wanted = {p->strings, text};
	const uint64_t hash = index_hash_text(text);
	const size_t found = index_find(&p->strings_index, hash, same, &wanted);

	if (found != INDEX_NONE)
		return found;
	*ARRAY_PUSH(p->strings, p->string_count, p->string_capacity) = text;
	index_add(&p->strings_index, hash, p->string_count - 1);
	return p->string_count - 1;
}

/* The number of a location, which is written when it is first asked for. */
static uint64_t location_of(struct profile *p, const char *name)
{
	const struct wanted wanted = {p->functions, name};
	const uint64_t hash = index_hash_text(name);
	const size_t found = index_find(&p->functions_index, hash, same, &wanted);

	if (found != INDEX_NONE)
		return found + 1;
	*ARRAY_PUSH(p->functions, p->function_count, p->function_capacity) = name;
	index_add(&p->functions_index, hash, p->function_count - 1);
	const struct stacks_function *function = function_index_get(&p->known, name);
	const uint64_t id = p->function_count;
	const uint64_t line = function ? (uint64_t)function->line : 0;
	put_field(&p->part, FUNCTION_ID, id);
	put_field(&p->part, FUNCTION_NAME, string_of(p, name));
	put_field(&p->part, FUNCTION_SYSTEM_NAME, string_of(p, name));
	put_field(&p->part, FUNCTION_FILE, string_of(p, function ? function->file : ""));
	put_field(&p->part, FUNCTION_LINE, line);
	put_message(&p->whole, PROFILE_FUNCTION, &p->part);
	put_field(&p->line, LINE_FUNCTION, id);
	put_field(&p->line, LINE_NUMBER, line);
	put_field(&p->part, LOCATION_ID, id);
	put_message(&p->part, LOCATION_LINE, &p->line);
	put_message(&p->whole, PROFILE_LOCATION, &p->part);
	return id;
}

static void put_type(struct profile *p, const char *name)
{
	put_field(&p->part, TYPE_TYPE, string_of(p, name));
	put_field(&p->part, TYPE_UNIT, string_of(p, "slots"));
	put_message(&p->whole, PROFILE_SAMPLE_TYPE, &p->part);
}

static void put_types(struct profile *p)
{
	put_type(p, "all");
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (p->stacks->methods[0].has[i])
			put_type(p, component_rows[i].name);
	put_field(&p->whole, PROFILE_DEFAULT_TYPE, string_of(p, "all"));
}

/* The innermost function comes first. */
static void put_sample(struct profile *p, const struct calls *calls, size_t node, size_t first)
{
	const struct stacks_slots *slots = &calls->nodes[node].slots;
	const struct stack stack = stacks_of_slots(p->stacks, slots);
	size_t path[CALLS_PATH_MOST + 1], count = calls_path(calls, node, path);
	struct message sample = {0};

	while (count-- > first)
		put_number(&p->list, location_of(p, path[count] == CALLS_CUT
							    ? CALLS_CUT_NAME
							    : calls->nodes[path[count]].function));
	put_message(&sample, SAMPLE_LOCATION, &p->list);
	put_number(&p->list, (uint64_t)slots->total);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (p->stacks->methods[0].has[i])
			put_number(&p->list, (uint64_t)stack.cycles[i]);
	put_message(&sample, SAMPLE_VALUE, &p->list);
	put_message(&p->whole, PROFILE_SAMPLE, &sample);
	free(sample.bytes);
}

static void put_strings(struct profile *p)
{
	for (size_t i = 0; i < p->string_count; i++) {
		const size_t length = strlen(p->strings[i]);
		char *copy = mem_alloc(length + 1);

		printable_copy(copy, length, (const uint8_t *)p->strings[i], length);
		put_bytes(&p->whole, PROFILE_STRING, copy, strlen(copy));
		free(copy);
	}
}

static void release(struct profile *p)
{
	free(p->whole.bytes);
	free(p->part.bytes);
	free(p->line.bytes);
	free(p->list.bytes);
	free(p->strings);
	free(p->functions);
	index_release(&p->strings_index);
	index_release(&p->functions_index);
	function_index_release(&p->known);
}

bool pprof_write(FILE *out, const json_t *result, struct err *err)
{
	struct stacks stacks;
	struct calls calls;
	struct profile p = {.stacks = &stacks};
	char comment[96];

	if (!stacks_read(&stacks, result, err))
		return false;
	if (!calls_read_any(&calls, &stacks, result, err)) {
		stacks_release(&stacks);
		return false;
	}
	const size_t first = calls_has_one_root(&calls);
	function_index_init(&p.known, &stacks);
	string_of(&p, ""); /* must be the first */
	put_types(&p);
	for (size_t k = 0; k < calls.count; k++)
		if (calls.nodes[calls.order[k]].slots.total)
			put_sample(&p, &calls, calls.order[k], first);
	snprintf(comment, sizeof(comment), "cyclestack: %lld slots to a cycle",
		 (long long)stacks.slots_per_cycle);
	put_field(&p.whole, PROFILE_COMMENT, string_of(&p, comment));
	put_strings(&p);
	fwrite(p.whole.bytes, 1, p.whole.count, out);
	release(&p);
	calls_release(&calls);
	stacks_release(&stacks);
	return report_finish(out, "the pprof profile", err);
}
