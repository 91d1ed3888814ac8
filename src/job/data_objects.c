#include "job/data_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "image/types.h"
#include "isa/insn.h"

#define STACK_TOP_MOST (UINT64_C(1) << 20) /* above the first frame: arguments, environment */

const char *const data_kind_names[DATA_KINDS] = {
	[DATA_OTHER] = "other",	      [DATA_FETCH] = "fetch",	[DATA_UNKNOWN] = "unknown",
	[DATA_VARIABLE] = "variable", [DATA_HEAP] = "heap",	[DATA_HEAP_REST] = "heap",
	[DATA_STACK] = "stack",	      [DATA_THREAD] = "thread", [DATA_MAPPING] = "mapping",
};

struct wanted {
	const struct data_objects *objects;
	enum data_kind kind;
	const char *key;
};

static bool same(const void *context, size_t number)
{
	const struct wanted *wanted = context;
	const struct data_object *object = &wanted->objects->items[number];

	return object->kind == wanted->kind && strcmp(object->key, wanted->key) == 0;
}

uint32_t data_objects_named(struct data_objects *objects, enum data_kind kind, const char *key,
			    bool *is_new)
{
	const struct wanted wanted = {objects, kind, key};
	const uint64_t hash = index_hash_number(index_hash_text(key), kind);
	const size_t found = index_find(&objects->index, hash, same, &wanted);

	*is_new = false;
	if (found != INDEX_NONE)
		return (uint32_t)found;
	if (objects->count >= DATA_OBJECTS_MOST)
		return DATA_OTHER;
	*is_new = true;
	*ARRAY_PUSH(objects->items, objects->count, objects->capacity) =
		(struct data_object){.kind = kind, .key = mem_strdup(key)};
	index_add(&objects->index, hash, objects->count - 1);
	return (uint32_t)(objects->count - 1);
}

/* An object that there is one of. */
static uint32_t single(struct data_objects *objects, enum data_kind kind, const char *name)
{
	bool is_new;
	const uint32_t number = data_objects_named(objects, kind, name, &is_new);

	if (is_new)
		objects->items[number].name = mem_strdup(name);
	return number;
}

void data_objects_init(struct data_objects *objects, struct followed_functions *functions,
		       const struct call_tree *tree)
{
	objects->process = functions->process;
	objects->functions = functions;
	objects->tree = tree;
	/* Their numbers are those of their kinds. */
	single(objects, DATA_OTHER, "(other)");
	single(objects, DATA_FETCH, "(instruction fetch)");
	single(objects, DATA_UNKNOWN, "(not mapped)");
	objects->map.over = DATA_OTHER;
	const struct symbols *tls = debug_tls(&objects->process->debug);
	for (size_t i = 0; tls && i < symbols_count(tls); i++) {
		const struct symbol *symbol = symbols_at(tls, i);

		if (symbol->address + symbol->bytes > objects->tls_bytes)
			objects->tls_bytes = symbol->address + symbol->bytes;
	}
}

void data_objects_release(struct data_objects *objects)
{
	for (size_t i = 0; i < objects->count; i++) {
		struct data_object *object = &objects->items[i];

		free(object->name);
		free(object->library);
		free(object->file);
		free(object->key);
	}
	free(objects->items);
	index_release(&objects->index);
	data_map_release(&objects->map);
}

void data_objects_set(struct data_objects *objects, uint64_t start, uint64_t bytes, uint32_t object)
{
	data_map_set(&objects->map, start, bytes, object);
	objects->changes++;
}

void data_objects_remap(struct data_objects *objects)
{
	const struct process *process = objects->process;

	memset(objects->cached, 0, sizeof(objects->cached));
	objects->changes++;
	/* What was allocated there before is a file's now. A file that a site has mapped is that
	 * of the site. */
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *mapping = &process->mappings[i];
		const uint32_t object = data_map_find(&objects->map, mapping->start);

		if (object && objects->items[object].kind == DATA_HEAP &&
		    strncmp(objects->items[object].key, "mmap ", 5) != 0)
			data_map_set(&objects->map, mapping->start, mapping->bytes, 0);
	}
}

/* A variable, or the rest of its file. `file` is NULL for the program. */
static uint32_t variable(struct data_objects *objects, struct debug *debug, const char *file,
			 uint64_t address, uint64_t bias)
{
	const struct symbols *symbols = debug_objects(debug);
	const struct symbol *symbol = symbols ? symbols_find(symbols, address) : NULL;
	char key[64];
	bool is_new;

	snprintf(key, sizeof(key), "%llx %llx",
		 symbol ? (unsigned long long)symbol->address : ~0ULL, (unsigned long long)bias);
	const uint32_t number = data_objects_named(objects, DATA_VARIABLE, key, &is_new);
	if (!is_new)
		return number;
	struct data_object *object = &objects->items[number];
	object->library = file ? mem_strdup(file) : NULL;
	if (!symbol) {
		object->name = mem_strdup(file ? "(other data of the library)"
					       : "(other data of the program)");
		return number;
	}
	object->name = mem_strdup(symbols_shown(symbols, symbol));
	object->start = symbol->address + bias;
	object->bytes = symbol->bytes;
	object->type = debug_type_of_variable(debug, symbol->address, false);
	return number;
}

static uint32_t thread_variable(struct data_objects *objects, uint64_t offset)
{
	struct debug *debug = &objects->process->debug;
	const struct symbols *symbols = debug_tls(debug);
	const struct symbol *symbol = symbols ? symbols_find(symbols, offset) : NULL;
	char key[64];
	bool is_new;

	if (!symbol)
		return single(objects, DATA_THREAD, "(other data of threads)");
	snprintf(key, sizeof(key), "%llx", (unsigned long long)symbol->address);
	const uint32_t number = data_objects_named(objects, DATA_THREAD, key, &is_new);
	if (is_new) {
		objects->items[number].name = mem_strdup(symbols_shown(symbols, symbol));
		objects->items[number].bytes = symbol->bytes;
		objects->items[number].start = symbol->address;
		objects->items[number].type = debug_type_of_variable(debug, symbol->address, true);
	}
	return number;
}

static bool in_program(const struct process *process, uint64_t address)
{
	for (size_t i = 0; i < process->elf.segment_count; i++)
		if (address - process->elf.segments[i].vaddr < process->elf.segments[i].mem_bytes)
			return true;
	return false;
}

/* What is neither a block nor a stack, whatever instruction asks. */
static uint32_t find_lasting(struct data_objects *objects, uint64_t address)
{
	struct process *process = objects->process;
	struct debug *debug;
	uint64_t in_file;

	if (in_program(process, address - process->bias))
		return variable(objects, &process->debug, NULL, address - process->bias,
				process->bias);
	if (address - process->brk_start < process->brk - process->brk_start)
		return single(objects, DATA_HEAP_REST, "(heap outside of blocks)");
	const char *file = libraries_find_data(&objects->functions->libraries, process, address,
					       &debug, &in_file);
	if (file && debug)
		return variable(objects, debug, file, in_file, address - in_file);
	if (file)
		return single(objects, DATA_MAPPING, file);
	if (memory_allows(&process->memory, address, PAGE_MAPPED))
		return single(objects, DATA_MAPPING, "(anonymous memory)");
	return DATA_UNKNOWN;
}

/* The node whose frame has the address; CALL_NONE if none has: frames are of what is called later
 * the lower. */
static uint32_t frame_of(const struct call_tree *tree, int tid, uint64_t address)
{
	const struct call_thread *thread = NULL;

	if (tree->thread < tree->thread_count && tree->threads[tree->thread].id == (uint32_t)tid)
		thread = &tree->threads[tree->thread];
	for (size_t i = 0; !thread && i < tree->thread_count; i++)
		if (tree->threads[i].id == (uint32_t)tid)
			thread = &tree->threads[i];
	if (!thread || !thread->is_started)
		return CALL_NONE;
	/* The last frame that was entered above the address. */
	size_t low = 0, high = thread->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (thread->frames[middle].entry_sp > address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < thread->count ? thread->frames[low].caller : thread->node;
}

static bool is_relative_to_sp(const struct data_objects *objects, uint64_t pc)
{
	uint32_t raw = 0;

	if (!memory_read(&objects->process->memory, &raw, pc, sizeof(raw)) &&
	    !memory_read(&objects->process->memory, &raw, pc, 2))
		return false;
	return insn_decode(raw).rs1 == REG_SP;
}

static uint32_t stack_object(struct data_objects *objects, const struct thread *thread, uint64_t pc,
			     uint64_t address)
{
	const struct call_tree *tree = objects->tree;
	uint32_t function = call_functions_find(objects->functions, pc);
	char key[32];
	bool is_new;

	if (!is_relative_to_sp(objects, pc)) {
		const uint32_t node = frame_of(tree, thread->tid, address);

		if (node != CALL_NONE && tree->nodes[node].kind != CALL_THREAD &&
		    node != tree->other)
			function = tree->nodes[node].function;
	}
	snprintf(key, sizeof(key), "%u", function);
	const uint32_t number = data_objects_named(objects, DATA_STACK, key, &is_new);
	if (is_new) {
		const struct origin *origin = &objects->functions->items[function].origin;
		struct data_object *object = &objects->items[number];

		object->name = mem_strdup(origin->function);
		object->library = origin->library ? mem_strdup(origin->library) : NULL;
	}
	return number;
}

static bool in_arguments(const struct process *process, uint64_t address)
{
	return address - process->initial_sp < STACK_TOP_MOST;
}

static bool is_filler(struct data_objects *objects, uint64_t pc)
{
	const uint32_t function = call_functions_find(objects->functions, pc);

	for (unsigned i = 0; i < objects->filler_count; i++)
		if (objects->fillers[i] == function)
			return true;
	return false;
}

void data_objects_fill(struct data_objects *objects, uint32_t object)
{
	objects->filling = object;
	objects->filler_count = 0;
}

void data_objects_fill_by(struct data_objects *objects, uint32_t function)
{
	if (objects->filling && objects->filler_count < DATA_FILLERS)
		objects->fillers[objects->filler_count++] = function;
}

static bool is_in(const struct thread *thread, uint64_t address)
{
	return address - thread->stack_low < thread->stack_high - thread->stack_low;
}

/* Of the other threads, the one in whose stack the address is; NULL if it is in none. */
static const struct thread *stack_of(const struct process *process, uint64_t address)
{
	for (size_t i = 0; i < process->thread_count; i++)
		if (is_in(process->threads[i], address))
			return process->threads[i];
	return NULL;
}

static bool is_mapping(const struct data_object *object)
{
	return object->kind == DATA_HEAP && strncmp(object->key, "mmap ", 5) == 0;
}

/* What is no block: `mapping` if a site has mapped it, or 0. */
static uint32_t find_other(struct data_objects *objects, uint64_t pc, uint64_t address,
			   uint32_t mapping)
{
	struct data_cached *cached =
		&objects->cached[(address >> 3 ^ address << 9) & ((1u << DATA_CACHE_BITS) - 1)];
	const struct thread *thread = stack_of(objects->process, address);

	if (thread)
		return stack_object(objects, thread, pc, address);
	if (in_arguments(objects->process, address))
		return single(objects, DATA_STACK, "(arguments and environment)");
	if (mapping)
		return mapping;
	if (cached->address != address + 1)
		*cached = (struct data_cached){address + 1, find_lasting(objects, address)};
	return cached->object;
}

static uint32_t find_object(struct data_objects *objects, uint64_t pc, uint64_t address,
			    bool stores)
{
	const struct process *process = objects->process;
	const uint64_t in_thread = address - process->cpu.hart.r[REG_TP];

	if (in_thread < objects->tls_bytes && process->cpu.hart.r[REG_TP])
		return thread_variable(objects, in_thread);
	if (is_in(process->current, address))
		return stack_object(objects, process->current, pc, address);
	uint32_t number = data_map_find(&objects->map, address);
	if (!number || is_mapping(&objects->items[number]))
		number = find_other(objects, pc, address, number);
	const enum data_kind kind = objects->items[number].kind;
	return UNLIKELY(objects->filling) && stores &&
			       (kind == DATA_HEAP || kind == DATA_HEAP_REST ||
				kind == DATA_MAPPING) &&
			       is_filler(objects, pc)
		       ? objects->filling
		       : number;
}

struct data_touched data_objects_find(void *context, uint64_t pc, uint64_t address, bool stores)
{
	struct data_objects *objects = context;
	const uint32_t number = find_object(objects, pc, address, stores);
	const struct data_object *object = &objects->items[number];

	if (!object->type || !object->type->field_count)
		return (struct data_touched){number, 0};
	const uint64_t start = object->kind == DATA_THREAD
				       ? object->start + objects->process->cpu.hart.r[REG_TP]
				       : object->start;
	const struct type_field *field =
		type_field_at(object->type, (address - start) % object->type->bytes);
	return (struct data_touched){number,
				     field ? (uint32_t)(field - object->type->fields) + 1 : 0};
}
