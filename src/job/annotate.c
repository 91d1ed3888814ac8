#include "job/annotate.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "count/sites.h"
#include "guest/memory.h"
#include "job/insn_text.h"
#include "job/places.h"

static int compare_addresses(const void *left, const void *right)
{
	const struct origin *a = left, *b = right;

	return a->row->pc < b->row->pc ? -1 : a->row->pc > b->row->pc;
}

/* From where the functions were called that were inlined at an instruction; NULL if none were. */
static json_t *calls_list(const struct origin *origin)
{
	json_t *list = origin->call_count ? json_array() : NULL;

	for (size_t i = 0; i < origin->call_count; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:I}", "function",
						      origin->calls[i].name, "file",
						      origin->calls[i].file, "line",
						      (json_int_t)origin->calls[i].line));
	return list;
}

static json_t *counts(const char *const *names, const uint64_t *values, size_t count)
{
	json_t *object = json_object();

	for (size_t i = 0; i < count; i++)
		if (values[i])
			json_object_set_new(object, names[i], json_integer((json_int_t)values[i]));
	return object;
}

/* NULL if it is no branch that is predicted. */
static json_t *branches_of(const struct site *site)
{
	if (!site || !site->branches)
		return NULL;
	return json_pack("{s:I, s:I, s:I}", "executed", (json_int_t)site->branches, "taken",
			 (json_int_t)site->taken, "mispredicted", (json_int_t)site->mispredicted);
}

static json_t *accesses_of(const struct site *site)
{
	static const char *const misses[SITE_MISSES] = {"dtlb", "l1d", "l2d", "l3d"};
	static const char *const sources[SITE_SOURCES] = {"l1d", "l2", "l3", "memory"};

	if (!site || (!site->loads && !site->stores))
		return NULL;
	return json_pack("{s:I, s:I, s:o, s:o, s:o}", "loads", (json_int_t)site->loads, "stores",
			 (json_int_t)site->stores, "misses",
			 counts(misses, site->misses, SITE_MISSES), "store_misses",
			 counts(misses, site->store_misses, SITE_MISSES), "sources",
			 counts(sources, site->sources, SITE_SOURCES));
}

static json_t *instruction(const struct annotate *a, const struct origin *origin)
{
	char pc[24], text[INSN_TEXT_BYTES];
	const uint64_t at = origin->row->pc;
	const struct site *site = a->sites ? sites_find(a->sites, at) : NULL;

	snprintf(pc, sizeof(pc), "0x%llx", (unsigned long long)at);
	insn_text_read(&a->process->memory, at, text);
	return json_pack(
		"{s:s, s:s, s:s, s:s*, s:I, s:o*, s:I, s:o*, s:o*, s:o}", "pc", pc, "text", text,
		"file", origin->file, "directory", origin->directory[0] ? origin->directory : NULL,
		"line", (json_int_t)origin->line, "inlined", calls_list(origin), "executed",
		(json_int_t)origin->row->executed, "branches", branches_of(site), "accesses",
		accesses_of(site), "slots", places_slots(a->config, origin->row->slots, false));
}

/* The executed instructions of a function of one file. */
static json_t *instructions(const struct annotate *a, const struct debug *debug,
			    const struct symbol *symbol, const struct origin **first)
{
	json_t *array = json_array();

	*first = NULL;
	for (size_t i = 0; i < a->count; i++) {
		const struct origin *origin = &a->origins[i];

		if (origin->debug != debug || origin->symbol->address != symbol->address)
			continue;
		if (!*first)
			*first = origin;
		json_array_append_new(array, instruction(a, origin));
	}
	return array;
}

/* The function that `wanted` names in the program, or else in a library, of several the first that
 * was executed. */
static json_t *annotation(const struct annotate *a, const char *wanted)
{
	struct process *process = a->process;
	const struct symbols *symbols = debug_symbols(&process->debug, NULL);
	const struct symbol *symbol = symbols ? symbols_select(symbols, wanted, NULL) : NULL;
	const struct origin *first = NULL;
	const struct debug *debug = &process->debug;
	json_t *name = symbol ? json_string(symbols_shown(symbols, symbol)) : NULL, *array = NULL;
	size_t next = 0;

	if (symbol)
		array = instructions(a, debug, symbol, &first);
	while (!name && (debug = libraries_select(a->libraries, &next, wanted, &symbol))) {
		json_decref(array);
		array = instructions(a, debug, symbol, &first);
		if (first)
			name = origin_name(first);
	}
	if (!name) {
		process_warn(process,
			     "--annotate %s: of no function of that name was anything executed, in "
			     "the program or in a library it had mapped at its end",
			     wanted);
		name = json_string(wanted);
	}
	return json_pack("{s:o, s:o}", "function", name, "instructions",
			 array ? array : json_array());
}

/* The origins of one function, one after the other. */
struct hot {
	const struct origin *first;
	size_t count;
	uint64_t slots;
};

static uint64_t slots_of(const struct origin *origin)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum += origin->row->slots[i];
	return sum;
}

/* The one with most slots first; equal ones by where they are. */
static int compare_hot(const void *left, const void *right)
{
	const struct hot *a = left, *b = right;

	if (a->slots != b->slots)
		return a->slots < b->slots ? 1 : -1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* The functions that have a symbol, the hottest first; `whole` becomes the slots of all. The caller
 * frees the list. */
static struct hot *find_hot(const struct annotate *a, size_t *count, uint64_t *whole)
{
	struct hot *list = NULL;
	size_t capacity = 0;

	*count = 0;
	*whole = 0;
	for (size_t i = 0, end; i < a->count; i = end) {
		struct hot hot = {.first = &a->origins[i]};

		for (end = i; end < a->count && origin_same_function(&a->origins[end], hot.first);
		     end++)
			hot.slots += slots_of(&a->origins[end]);
		hot.count = end - i;
		*whole += hot.slots;
		if (hot.first->symbol && hot.slots)
			*ARRAY_PUSH(list, *count, capacity) = hot;
	}
	if (*count)
		qsort(list, *count, sizeof(*list), compare_hot);
	return list;
}

static json_t *hot_annotation(const struct annotate *a, const struct hot *hot)
{
	struct origin *sorted = mem_alloc_array(hot->count, sizeof(*sorted));
	json_t *list = json_array();

	memcpy(sorted, hot->first, hot->count * sizeof(*sorted));
	qsort(sorted, hot->count, sizeof(*sorted), compare_addresses);
	for (size_t i = 0; i < hot->count; i++)
		json_array_append_new(list, instruction(a, &sorted[i]));
	free(sorted);
	return json_pack("{s:o, s:o}", "function", origin_name(hot->first), "instructions", list);
}

static void add_hottest(const struct annotate *a, json_t *result)
{
	uint64_t whole;
	size_t count;
	struct hot *list = find_hot(a, &count, &whole);

	if (count)
		json_object_set_new(result, "annotation", hot_annotation(a, &list[0]));
	free(list);
}

static void add_hot(const struct annotate *a, json_t *result)
{
	uint64_t whole;
	size_t count;
	struct hot *list = find_hot(a, &count, &whole);
	json_t *array = json_array();

	for (size_t i = 0; i < count && i < PLACES_HOT_MOST &&
			   (double)list[i].slots >= PLACES_HOT_SHARE * (double)whole;
	     i++)
		json_array_append_new(array, hot_annotation(a, &list[i]));
	if (json_array_size(array))
		json_object_set(result, "hot_functions", array);
	json_decref(array);
	free(list);
}

static void add_named(const struct annotate *a, const struct part_places *places, json_t *result)
{
	json_t *more = json_array();

	if (a->count)
		qsort(a->origins, a->count, sizeof(*a->origins), compare_addresses);
	for (size_t i = 0; i < places->annotate_count; i++) {
		json_t *one = annotation(a, places->annotate[i]);

		if (i == 0)
			json_object_set_new(result, "annotation", one);
		else
			json_array_append_new(more, one);
	}
	if (json_array_size(more))
		json_object_set(result, "more_annotations", more);
	json_decref(more);
}

static uint64_t lost(const struct origin *origin)
{
	return slots_of(origin) - origin->row->slots[CAUSE_BASE];
}

static int by_lost(const void *left, const void *right)
{
	const uint64_t a = lost(left), b = lost(right);

	return a != b ? (a > b ? -1 : 1) : compare_addresses(left, right);
}

/* The instructions that lost most slots, with the names of their functions. Sorts the origins. */
static json_t *hot_instructions(const struct annotate *a, size_t most)
{
	json_t *array = json_array();

	if (a->count)
		qsort(a->origins, a->count, sizeof(*a->origins), by_lost);
	for (size_t i = 0; i < a->count && i < most && lost(&a->origins[i]); i++) {
		json_t *one = instruction(a, &a->origins[i]);

		json_object_set_new(one, "function", origin_name(&a->origins[i]));
		json_array_append_new(array, one);
	}
	return array;
}

void annotate_describe(const struct annotate *annotate, const struct part_places *places,
		       json_t *result)
{
	if (places->annotate_count)
		add_named(annotate, places, result);
	else if (places->annotates_hot)
		add_hot(annotate, result);
	else if (places->annotates_hottest)
		add_hottest(annotate, result);
	if (places->hot)
		json_object_set_new(result, "hottest", hot_instructions(annotate, places->hot));
}
