#include "job/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "guest/memory.h"
#include "image/lines.h"
#include "image/symbols.h"
#include "job/insn_text.h"

#define UNKNOWN "(unknown)"

/* One instruction with its function and source line. */
struct origin {
	const struct ledger_row *row;
	const char *function;
	uint64_t entry; /* the function's address; 0 if the code has no symbol */
	const char *file, *directory;
	uint32_t line; /* 0: unknown */
};

struct sources {
	struct symbols *symbols;
	struct lines *lines;
	const struct process *process;
};

/* All causes that the machine has, or only those with slots. */
static json_t *slots_object(const struct config *config, const uint64_t *slots, bool all)
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

static void open_sources(struct sources *sources, const struct program *program,
			 const struct process *process)
{
	struct err ignored;

	*sources = (struct sources){
		.symbols =
			symbols_read(program->image, program->image_bytes, program->name, &ignored),
		.lines = lines_read(program->image, program->image_bytes, program->name, &ignored),
		.process = process,
	};
}

static void close_sources(struct sources *sources)
{
	symbols_free(sources->symbols);
	lines_free(sources->lines);
}

/* The file that was mapped at pc, without its directory; NULL if there is none. */
static const char *mapped_file(const struct process *process, uint64_t pc)
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];
		const char *slash = strrchr(m->path, '/');

		if (pc - m->start < m->bytes)
			return slash ? slash + 1 : m->path;
	}
	return NULL;
}

static bool in_program(const struct process *process, uint64_t address)
{
	for (size_t i = 0; i < process->elf.segment_count; i++)
		if (address - process->elf.segments[i].vaddr < process->elf.segments[i].mem_bytes)
			return true;
	return false;
}

static struct origin origin_of(const struct sources *sources, const struct ledger_row *row)
{
	struct origin origin = {row, UNKNOWN, 0, "", "", 0};
	uint64_t address = row->pc - sources->process->bias;
	struct source_line line;

	if (!in_program(sources->process, address)) {
		const char *file = mapped_file(sources->process, row->pc);

		if (file)
			origin.function = file;
		return origin;
	}
	const struct symbol *symbol =
		sources->symbols ? symbols_find(sources->symbols, address) : NULL;
	origin.function = symbol ? symbol->name : UNKNOWN;
	origin.entry = symbol ? symbol->address : 0;
	if (sources->lines && lines_find(sources->lines, address, &line)) {
		origin.file = line.file;
		origin.directory = line.directory;
		origin.line = line.line;
	}
	return origin;
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

static int compare_addresses(const void *left, const void *right)
{
	const struct origin *a = left, *b = right;

	return a->row->pc < b->row->pc ? -1 : a->row->pc > b->row->pc;
}

static bool same_function(const struct origin *a, const struct origin *b)
{
	return a->entry == b->entry && strcmp(a->function, b->function) == 0;
}

static bool same_line(const struct origin *a, const struct origin *b)
{
	return same_function(a, b) && a->line == b->line && strcmp(a->file, b->file) == 0;
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
			 slots_object(config, slots, false));
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
		json_pack("{s:s, s:s, s:I, s:I, s:o, s:o}", "name", origins->function, "file",
			  first->file, "line", (json_int_t)first->line, "executed",
			  (json_int_t)executed, "slots", slots_object(config, slots, false),
			  "lines", lines),
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
		for (end = i + 1; end < count && same_function(&origins[end], &origins[i]); end++)
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
						slots_object(config, list[i].slots, false)));
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
						       slots_object(config, list[i].slots, false)));
	return array;
}

static json_t *instruction(const struct config *config, const struct memory *memory,
			   const struct origin *origin)
{
	char pc[24], text[INSN_TEXT_BYTES];
	uint64_t at = origin->row->pc;

	snprintf(pc, sizeof(pc), "0x%llx", (unsigned long long)at);
	insn_text_read(memory, at, text);
	return json_pack("{s:s, s:s, s:s, s:s*, s:I, s:I, s:o}", "pc", pc, "text", text, "file",
			 origin->file, "directory", origin->directory[0] ? origin->directory : NULL,
			 "line", (json_int_t)origin->line, "executed",
			 (json_int_t)origin->row->executed, "slots",
			 slots_object(config, origin->row->slots, false));
}

/* `function` is known to exist. */
static json_t *annotation(const struct config *config, const char *function,
			  const struct sources *sources, const struct origin *origins, size_t count)
{
	const struct symbol *symbol =
		sources->symbols ? symbols_by_name(sources->symbols, function) : NULL;
	json_t *array = json_array();

	for (size_t i = 0; symbol && i < count; i++)
		if (origins[i].entry == symbol->address && origins[i].entry)
			json_array_append_new(
				array, instruction(config, &sources->process->memory, &origins[i]));
	return json_pack("{s:s, s:o}", "function", function, "instructions", array);
}

static void add_annotations(const struct job *job, const struct sources *sources,
			    struct origin *origins, size_t count, json_t *result)
{
	json_t *more = json_array();

	if (count)
		qsort(origins, count, sizeof(*origins), compare_addresses);
	for (size_t i = 0; i < job->annotate_count; i++) {
		json_t *one = annotation(&job->machine->config, job->annotate[i], sources, origins,
					 count);

		if (i == 0)
			json_object_set_new(result, "annotation", one);
		else
			json_array_append_new(more, one);
	}
	if (json_array_size(more))
		json_object_set(result, "more_annotations", more);
	json_decref(more);
}

void places_describe(struct exact *exact, const struct job *job, const struct process *process,
		     json_t *result)
{
	const struct config *config = &job->machine->config;
	struct sources sources;
	size_t count;
	struct ledger *ledger = exact_ledger(exact);
	const struct ledger_row *rows = ledger_rows(ledger, &count);
	struct origin *origins = mem_alloc_array(count, sizeof(*origins));

	open_sources(&sources, job->program, process);
	for (size_t i = 0; i < count; i++)
		origins[i] = origin_of(&sources, &rows[i]);
	json_object_set_new(result, "exact",
			    json_pack("{s:I, s:o, s:o, s:o, s:o}", "slots_per_cycle",
				      (json_int_t)exact_slots_per_cycle(exact), "causes",
				      slots_object(config, ledger->slots, true), "functions",
				      functions(config, origins, count), "threads",
				      threads(config, ledger), "intervals",
				      intervals(config, ledger)));
	add_annotations(job, &sources, origins, count, result);
	close_sources(&sources);
	free(origins);
}
