#include "job/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/annotate.h"
#include "job/libraries.h"
#include "job/origin.h"

json_t *places_slots(const struct config *config, const uint64_t *slots, bool all)
{
	json_t *object = json_object();

	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		if (slots[i] || (all && observer_has_component(
						config, cause_component(config->cache_levels, i))))
			json_object_set_new(object, cause_rows[i].name,
					    json_integer((json_int_t)slots[i]));
	return object;
}

static void add_slots(uint64_t *sum, const uint64_t *slots)
{
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum[i] += slots[i];
}

static uint64_t total(const uint64_t *slots)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum += slots[i];
	return sum;
}

/* Orders by function, then line, then address. */
static int compare_origins(const void *left, const void *right)
{
	const struct origin *a = left, *b = right;
	int order;

	if (a->entry != b->entry)
		return a->entry < b->entry ? -1 : 1;
	order = strcmp(a->function, b->function);
	if (!order)
		order = strcmp(a->file, b->file);
	if (!order && a->line != b->line)
		order = a->line < b->line ? -1 : 1;
	if (!order)
		order = a->row->pc < b->row->pc ? -1 : a->row->pc > b->row->pc;
	return order;
}

static bool same_line(const struct origin *a, const struct origin *b)
{
	return origin_same_function(a, b) && a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* The line of origins[0], and how many origins it has. */
static json_t *line_object(const struct config *config, const struct origin *origins, size_t count,
			   size_t *used)
{
	uint64_t slots[CAUSE_COUNT] = {0}, executed = 0;

	for (*used = 0; *used < count && same_line(&origins[*used], origins); ++*used) {
		add_slots(slots, origins[*used].row->slots);
		executed += origins[*used].row->executed;
	}
	return json_pack("{s:s, s:I, s:I, s:o}", "file", origins->file, "line",
			 (json_int_t)origins->line, "executed", (json_int_t)executed, "slots",
			 places_slots(config, slots, false));
}

/* How many calls two origins have in common, by name and from the outermost on. */
static size_t common_calls(const struct origin *a, const struct origin *b)
{
	size_t i = 0;

	while (i < a->call_count && i < b->call_count &&
	       strcmp(a->calls[i].name, b->calls[i].name) == 0)
		i++;
	return i;
}

/* Orders by the names of the inlined calls; a call comes before the calls in it. */
static int compare_calls(const void *left, const void *right)
{
	const struct origin *a = *(const struct origin *const *)left;
	const struct origin *b = *(const struct origin *const *)right;
	size_t common = common_calls(a, b);

	if (common < a->call_count && common < b->call_count)
		return strcmp(a->calls[common].name, b->calls[common].name);
	return (a->call_count > b->call_count) - (a->call_count < b->call_count);
}

static void add_call(json_t *list, const struct config *config, const struct origin *origin,
		     size_t depth, uint64_t executed, const uint64_t *slots)
{
	json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:o}", "function",
					      origin->calls[depth - 1].name, "depth",
					      (json_int_t)depth, "executed", (json_int_t)executed,
					      "slots", places_slots(config, slots, false)));
}

/* Adds the innermost call of sorted[0], and those around it that the list does not have from
 * `before`. How many origins are the call's own. */
static size_t add_calls(json_t *list, const struct config *config, const struct origin **sorted,
			size_t count, const struct origin *before)
{
	uint64_t slots[CAUSE_COUNT] = {0}, executed = 0;
	size_t depth = before ? common_calls(before, sorted[0]) : 0, used = 0;

	while (++depth < sorted[0]->call_count)
		add_call(list, config, sorted[0], depth, 0, slots);
	for (; used < count && !compare_calls(&sorted[used], sorted); used++) {
		add_slots(slots, sorted[used]->row->slots);
		executed += sorted[used]->row->executed;
	}
	add_call(list, config, sorted[0], depth, executed, slots);
	return used;
}

/* What was inlined into a function; NULL if nothing was. */
static json_t *inlined_list(const struct config *config, const struct origin *origins, size_t count)
{
	const struct origin **sorted = mem_alloc_array(count, sizeof(struct origin *));
	size_t inlined = 0;
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		if (origins[i].call_count)
			sorted[inlined++] = &origins[i];
	if (inlined)
		qsort(sorted, inlined, sizeof(struct origin *), compare_calls);
	for (size_t i = 0; i < inlined;)
		i += add_calls(list, config, sorted + i, inlined - i, i ? sorted[i - 1] : NULL);
	free(sorted);
	if (inlined)
		return list;
	json_decref(list);
	return NULL;
}

/* The instruction at which a function begins: its entry, if that was executed. */
static const struct origin *first_of(const struct origin *origins, size_t count)
{
	const struct origin *first = origins;

	for (size_t i = 1; i < count; i++)
		if (origins[i].row->pc < first->row->pc)
			first = &origins[i];
	return first;
}

struct function {
	uint64_t slots;
	json_t *object;
};

static struct function function_of(const struct config *config, const struct origin *origins,
				   size_t count)
{
	uint64_t slots[CAUSE_COUNT] = {0}, executed = 0;
	const struct origin *first = first_of(origins, count);
	json_t *lines = json_array();

	for (size_t i = 0, used; i < count; i += used)
		json_array_append_new(lines, line_object(config, origins + i, count - i, &used));
	for (size_t i = 0; i < count; i++) {
		add_slots(slots, origins[i].row->slots);
		executed += origins[i].row->executed;
	}
	return (struct function){
		total(slots),
		json_pack("{s:o, s:s, s:I, s:I, s:o, s:o, s:o*}", "name", origin_name(origins),
			  "file", first->file, "line", (json_int_t)first->line, "executed",
			  (json_int_t)executed, "slots", places_slots(config, slots, false),
			  "lines", lines, "inlined", inlined_list(config, origins, count)),
	};
}

/* The function with the most slots first; equal ones by name. */
static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->slots != b->slots)
		return a->slots < b->slots ? 1 : -1;
	return strcmp(json_string_value(json_object_get(a->object, "name")),
		      json_string_value(json_object_get(b->object, "name")));
}

static json_t *functions(const struct config *config, struct origin *origins, size_t count)
{
	struct function *list = NULL;
	size_t list_count = 0, capacity = 0;
	json_t *array = json_array();

	if (count)
		qsort(origins, count, sizeof(*origins), compare_origins);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && origin_same_function(&origins[end], &origins[i]);
		     end++)
			;
		*ARRAY_PUSH(list, list_count, capacity) = function_of(config, origins + i, end - i);
	}
	if (list_count)
		qsort(list, list_count, sizeof(*list), compare_functions);
	for (size_t i = 0; i < list_count; i++)
		json_array_append_new(array, list[i].object);
	free(list);
	return array;
}

static json_t *threads(const struct config *config, struct ledger *ledger)
{
	size_t count;
	const struct ledger_thread *list = ledger_threads(ledger, &count);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array,
				      json_pack("{s:I, s:o}", "id", (json_int_t)list[i].id, "slots",
						places_slots(config, list[i].slots, false)));
	return array;
}

static json_t *intervals(const struct config *config, struct ledger *ledger)
{
	size_t count;
	const struct ledger_interval *list = ledger_intervals(ledger, &count);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("{s:I, s:I, s:o}", "instructions",
						       (json_int_t)list[i].instructions, "cycles",
						       (json_int_t)list[i].cycles, "slots",
						       places_slots(config, list[i].slots, false)));
	return array;
}

void places_describe(struct exact *exact, const struct sites *sites,
		     const struct part_places *places, const struct job *job,
		     struct process *process, json_t *result)
{
	const struct config *config = &job->machine->config;
	size_t count;
	struct ledger *ledger = exact_ledger(exact);
	const struct ledger_row *rows = ledger_rows(ledger, &count);
	struct origin *origins = mem_alloc_array(count, sizeof(*origins));
	struct libraries libraries = {0};

	for (size_t i = 0; i < count; i++) {
		origins[i] = origin_of(&libraries, process, rows[i].pc);
		origins[i].row = &rows[i];
	}
	json_object_set_new(result, "exact",
			    json_pack("{s:I, s:o, s:o, s:o, s:o}", "slots_per_cycle",
				      (json_int_t)exact_slots_per_cycle(exact), "causes",
				      places_slots(config, ledger->slots, true), "functions",
				      functions(config, origins, count), "threads",
				      threads(config, ledger), "intervals",
				      intervals(config, ledger)));
	annotate_describe(&(struct annotate){config, process, &libraries, sites, origins, count},
			  places, result);
	libraries_release(&libraries);
	free(origins);
}
