#include "value/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "value/layout.h"
#include "value/member.h"

#define NAME_BYTES 64
#define SLOTS_MOST 1024 /* slots per cycle */

struct stacks_slots stacks_read_slots(const json_t *in, const char *name)
{
	struct stacks_slots slots = {0};
	const json_t *object = json_object_get(in, name);

	for (int i = 0; i < CAUSE_COUNT; i++) {
		slots.causes[i] = member_whole(object, cause_rows[i].name);
		slots.total += slots.causes[i];
	}
	return slots;
}

void stacks_slots_add(struct stacks_slots *sum, const struct stacks_slots *more)
{
	for (int i = 0; i < CAUSE_COUNT; i++)
		sum->causes[i] += more->causes[i];
	sum->total += more->total;
}

/* Subtracts a part from the rest of a whole; false if the rest is smaller than the part. */
static bool take(struct stacks_slots *left, const struct stacks_slots *part, const char *whole,
		 struct err *err)
{
	for (int i = 0; i < CAUSE_COUNT; i++) {
		left->causes[i] -= part->causes[i];
		if (left->causes[i] < 0)
			return err_set(err,
				       "with these slots there are more of cause %s than %s "
				       "has",
				       cause_rows[i].name, whole);
	}
	left->total -= part->total;
	return true;
}

static struct stacks_method read_method(const char *name, const json_t *components)
{
	struct stacks_method method = {.name = name, .bits = -1};

	for (int i = 0; i < COMPONENT_COUNT; i++) {
		const json_t *value = json_object_get(components, component_rows[i].name);

		method.has[i] = value;
		method.stack.cycles[i] = json_integer_value(value);
	}
	return method;
}

static bool read_methods(struct stacks *p, const json_t *result, struct err *err)
{
	json_t *stacks = json_object_get(result, "stacks"), *value;
	const char *name;
	size_t count = 1;

	if (!json_object_get(stacks, "exact"))
		return err_set(err, "%s is missing", stacks ? "stacks.exact" : "stacks");
	p->method_count = json_object_size(stacks);
	p->methods = mem_alloc_array(p->method_count, sizeof(*p->methods));
	json_object_foreach(stacks, name, value)
	{
		struct stacks_method *method =
			strcmp(name, "exact") == 0 ? &p->methods[0] : &p->methods[count++];
		const json_t *bits = json_object_get(value, "bits");

		*method = read_method(name, json_object_get(value, "components"));
		if (json_is_integer(bits))
			method->bits = json_integer_value(bits);
	}
	const bool *has = p->methods[0].has;
	p->levels = has[COMPONENT_L3I] || has[COMPONENT_L3D]   ? 3
		    : has[COMPONENT_L2I] || has[COMPONENT_L2D] ? 2
							       : 1;
	return true;
}

static void read_stages(struct stacks *p, const json_t *result)
{
	json_t *stages = json_object_get(result, "stages"), *value;
	const char *name;

	p->stages = mem_alloc_array(json_object_size(stages), sizeof(*p->stages));
	json_object_foreach(stages, name, value) p->stages[p->stage_count++] =
		read_method(name, value);
}

static void read_topdown(struct stacks *p, const json_t *result)
{
	static const char *const levels[] = {"level1", "level2"};
	json_t *topdown = json_object_get(result, "topdown"), *value;
	const char *name;
	size_t capacity = 0;

	p->topdown_slots_per_cycle = member_whole(topdown, "slots_per_cycle");
	for (unsigned i = 0; i < ARRAY_COUNT(levels); i++)
		json_object_foreach(json_object_get(topdown, levels[i]), name, value) *
			ARRAY_PUSH(p->topdown, p->topdown_count, capacity) =
			(struct stacks_topdown){name, i + 1, json_integer_value(value)};
}

static struct stacks_line read_line(const json_t *from)
{
	return (struct stacks_line){member_text(from, "file"), member_whole(from, "line"),
				    member_whole(from, "executed"),
				    stacks_read_slots(from, "slots")};
}

static bool read_inlined(struct stacks_function *function, const json_t *list, struct err *err)
{
	struct stacks_inlined
		*open[STACKS_INLINED_MOST + 1]; /* by depth: what the last call is in */
	struct stacks_slots left = function->slots;
	int64_t depth = 0, executed = 0;

	function->inlined = mem_alloc_array(json_array_size(list), sizeof(*function->inlined));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *from = json_array_get(list, i);
		const int64_t most = depth < STACKS_INLINED_MOST ? depth + 1 : depth;
		struct stacks_inlined *call = &function->inlined[function->inlined_count++];

		depth = member_whole(from, "depth");
		if (depth < 1 || depth > most)
			return err_set(err, "inlined[%zu].depth is not 1 to %d", i, (int)most);
		*call = (struct stacks_inlined){member_text(from, "function"), (unsigned)depth,
						member_whole(from, "executed"),
						stacks_read_slots(from, "slots")};
		if (!take(&left, &call->slots, "the function", err))
			return err_prefix(err, "inlined[%zu]", i);
		executed += call->executed;
		if (executed > function->executed)
			return err_set(err, "inlined[%zu]: more is executed than of the function",
				       i);
		open[depth] = call;
		for (int64_t k = 1; k < depth; k++) {
			open[k]->executed += call->executed;
			stacks_slots_add(&open[k]->slots, &call->slots);
		}
	}
	return true;
}

static bool read_function(struct stacks_function *function, const json_t *from, size_t number,
			  struct err *err)
{
	const json_t *lines = json_object_get(from, "lines");
	const struct stacks_line whole = read_line(from);
	struct stacks_slots left = whole.slots;
	int64_t executed = whole.executed;

	*function = (struct stacks_function){
		.name = member_text(from, "name"),
		.file = whole.file,
		.line = whole.line,
		.executed = whole.executed,
		.slots = whole.slots,
		/* One more than the result lists: a line for the slots that the others leave. */
		.lines = mem_alloc_array(json_array_size(lines) + 1, sizeof(*function->lines)),
	};
	for (size_t i = 0; i < json_array_size(lines); i++) {
		struct stacks_line *line = &function->lines[function->line_count++];

		*line = read_line(json_array_get(lines, i));
		if (!take(&left, &line->slots, "the function", err))
			return err_prefix(err, "exact.functions[%zu].lines[%zu]", number, i);
		executed = line->executed < executed ? executed - line->executed : 0;
	}
	if (left.total > 0)
		function->lines[function->line_count++] =
			(struct stacks_line){function->file, 0, executed, left};
	return read_inlined(function, json_object_get(from, "inlined"), err) ||
	       err_prefix(err, "exact.functions[%zu]", number);
}

static bool read_functions(struct stacks *p, const json_t *exact, struct err *err)
{
	const json_t *list = json_object_get(exact, "functions");
	struct stacks_slots left = p->slots;
	int64_t executed = p->instructions;

	p->functions = mem_alloc_array(json_array_size(list) + 1, sizeof(*p->functions));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct stacks_function *function = &p->functions[p->function_count++];

		if (!read_function(function, json_array_get(list, i), i, err))
			return false;
		if (!take(&left, &function->slots, "the run", err))
			return err_prefix(err, "exact.functions[%zu]", i);
		executed = function->executed < executed ? executed - function->executed : 0;
	}
	if (left.total > 0) {
		struct stacks_function *other = &p->functions[p->function_count++];

		*other = (struct stacks_function){.name = "(other)",
						  .file = "",
						  .executed = executed,
						  .slots = left,
						  .line_count = 1};
		other->lines = mem_alloc(sizeof(*other->lines));
		other->lines[0] = (struct stacks_line){"", 0, executed, left};
	}
	return true;
}

static bool read_threads(struct stacks *p, const json_t *exact, struct err *err)
{
	const json_t *list = json_object_get(exact, "threads");
	struct stacks_slots left = p->slots;

	p->threads = mem_alloc_array(json_array_size(list), sizeof(*p->threads));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *from = json_array_get(list, i);
		struct stacks_thread *thread = &p->threads[p->thread_count++];

		*thread = (struct stacks_thread){member_whole(from, "id"),
						 stacks_read_slots(from, "slots")};
		if (!take(&left, &thread->slots, "the run", err))
			return err_prefix(err, "exact.threads[%zu]", i);
	}
	return true;
}

static bool read_intervals(struct stacks *p, const json_t *exact, struct err *err)
{
	const json_t *list = json_object_get(exact, "intervals");
	struct stacks_slots left = p->slots;
	int64_t instructions = 0, cycles = 0;

	p->intervals = mem_alloc_array(json_array_size(list), sizeof(*p->intervals));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *from = json_array_get(list, i);
		struct stacks_interval *interval = &p->intervals[p->interval_count++];

		*interval = (struct stacks_interval){member_whole(from, "instructions"),
						     member_whole(from, "cycles"),
						     stacks_read_slots(from, "slots")};
		if (!take(&left, &interval->slots, "the run", err))
			return err_prefix(err, "exact.intervals[%zu]", i);
		instructions += interval->instructions;
		cycles += interval->cycles;
		if (instructions > LAYOUT_MOST || cycles > LAYOUT_MOST)
			return err_set(err, "exact.intervals[%zu]: the sum is too large", i);
	}
	return true;
}

const char *const stacks_misses[STACKS_MISSES] = {"dtlb", "l1d", "l2d", "l3d"};
const char *const stacks_sources[STACKS_SOURCES] = {"l1d", "l2", "l3", "memory"};

static void read_counts(int64_t *to, const json_t *object, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = member_whole(object, names[i]);
}

static void add_counts(int64_t *sum, const int64_t *more, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sum[i] = sum[i] > LAYOUT_MOST - more[i] ? LAYOUT_MOST : sum[i] + more[i];
}

void stacks_site_add(struct stacks_site *sum, const struct stacks_site *site)
{
	sum->is_known |= site->is_known;
	add_counts(&sum->branches, &site->branches, 1);
	add_counts(&sum->taken, &site->taken, 1);
	add_counts(&sum->mispredicted, &site->mispredicted, 1);
	add_counts(&sum->loads, &site->loads, 1);
	add_counts(&sum->stores, &site->stores, 1);
	add_counts(sum->misses, site->misses, STACKS_MISSES);
	add_counts(sum->store_misses, site->store_misses, STACKS_MISSES);
	add_counts(sum->sources, site->sources, STACKS_SOURCES);
}

static struct stacks_site read_site(const json_t *instruction)
{
	const json_t *branches = json_object_get(instruction, "branches");
	const json_t *accesses = json_object_get(instruction, "accesses");
	struct stacks_site site = {
		.is_known = branches || accesses,
		.branches = member_whole(branches, "executed"),
		.taken = member_whole(branches, "taken"),
		.mispredicted = member_whole(branches, "mispredicted"),
		.loads = member_whole(accesses, "loads"),
		.stores = member_whole(accesses, "stores"),
	};

	read_counts(site.misses, json_object_get(accesses, "misses"), stacks_misses, STACKS_MISSES);
	read_counts(site.store_misses, json_object_get(accesses, "store_misses"), stacks_misses,
		    STACKS_MISSES);
	read_counts(site.sources, json_object_get(accesses, "sources"), stacks_sources,
		    STACKS_SOURCES);
	return site;
}

static bool read_annotation(struct stacks *p, const json_t *annotation, struct err *err)
{
	const json_t *list = json_object_get(annotation, "instructions");
	struct stacks_annotation *to = &p->annotations[p->annotation_count++];
	struct stacks_slots left = p->slots;

	to->function = member_text(annotation, "function");
	to->insns = mem_alloc_array(json_array_size(list), sizeof(*to->insns));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *from = json_array_get(list, i);
		const char *directory = json_string_value(json_object_get(from, "directory"));
		struct stacks_instruction *insn = &to->insns[to->insn_count++];
		const struct stacks_line line = read_line(from);

		*insn = (struct stacks_instruction){
			.pc = member_text(from, "pc"),
			.text = member_text(from, "text"),
			.file = line.file,
			.directory = directory ? directory : "",
			.line = line.line,
			.executed = line.executed,
			.site = read_site(from),
			.slots = line.slots,
		};
		if (!take(&left, &insn->slots, "the run", err))
			return err_prefix(err, "annotation.instructions[%zu]", i);
	}
	return true;
}

static bool read_annotations(struct stacks *p, const json_t *result, struct err *err)
{
	const json_t *first = json_object_get(result, "annotation");
	const json_t *more = json_object_get(result, "more_annotations");
	const json_t *hot = json_object_get(result, "hot_functions");
	const size_t count = json_array_size(more), hot_count = json_array_size(hot);
	bool ok = true;

	p->annotations = mem_alloc_array(count + hot_count + 1, sizeof(*p->annotations));
	if (first)
		ok = read_annotation(p, first, err);
	for (size_t i = 0; ok && i < count; i++)
		ok = read_annotation(p, json_array_get(more, i), err);
	for (size_t i = 0; ok && i < hot_count; i++) {
		ok = read_annotation(p, json_array_get(hot, i), err);
		p->annotations[p->annotation_count - 1].is_hot = true;
	}
	return ok;
}

static bool has_stacks(const json_t *result, struct err *err)
{
	const char *schema = json_string_value(json_object_get(result, "schema"));
	char text[NAME_BYTES];

	if (!schema)
		return err_set(err, "\"schema\" is missing");
	if (strcmp(schema, layout_run.schema) == 0)
		return true;
	printable_copy(text, sizeof(text) - 1, (const uint8_t *)schema, strlen(schema));
	return err_set(err, "the schema is \"%s\"; only \"%s\" says where the cycles went", text,
		       layout_run.schema);
}

/* Parts are checked after their whole, which none of them may exceed. */
static bool read_exact(struct stacks *p, const json_t *result, struct err *err)
{
	const json_t *exact = json_object_get(result, "exact");

	if (!exact)
		return err_set(err, "exact is missing");
	p->slots_per_cycle = member_whole(exact, "slots_per_cycle");
	if (p->slots_per_cycle < 1 || p->slots_per_cycle > SLOTS_MOST)
		return err_set(err, "exact.slots_per_cycle is not 1 to %d", SLOTS_MOST);
	p->slots = stacks_read_slots(exact, "causes");
	if (p->slots.total > LAYOUT_MOST)
		return err_set(err, "exact.causes: too many slots");
	return read_functions(p, exact, err) && read_threads(p, exact, err) &&
	       read_intervals(p, exact, err) && read_annotations(p, result, err);
}

bool stacks_read(struct stacks *p, const json_t *result, struct err *err)
{
	const json_t *program = json_object_get(result, "program");
	const json_t *values = json_object_get(result, "values");

	*p = (struct stacks){
		.program = member_text(program, "name"),
		.arguments = json_object_get(program, "arguments"),
		.cycles = member_whole(values, "cycles"),
		.instructions = member_whole(values, "instructions"),
	};
	if (!has_stacks(result, err) || !layout_check(result, &layout_run, err))
		return false;
	bool ok = read_methods(p, result, err) && read_exact(p, result, err);
	if (ok) {
		read_stages(p, result);
		read_topdown(p, result);
	} else {
		stacks_release(p);
	}
	return ok;
}

void stacks_release(struct stacks *p)
{
	for (size_t i = 0; i < p->function_count; i++) {
		free(p->functions[i].lines);
		free(p->functions[i].inlined);
	}
	free(p->methods);
	free(p->stages);
	free(p->topdown);
	free(p->functions);
	free(p->threads);
	free(p->intervals);
	for (size_t i = 0; i < p->annotation_count; i++)
		free(p->annotations[i].insns);
	free(p->annotations);
	*p = (struct stacks){0};
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char **stacks_files(const struct stacks *p, size_t *count)
{
	size_t most = p->function_count, all = 0;

	for (size_t i = 0; i < p->function_count; i++)
		most += p->functions[i].line_count;
	const char **files = mem_alloc_array(most, sizeof(*files));
	for (size_t i = 0; i < p->function_count; i++) {
		files[all++] = p->functions[i].file;
		for (size_t k = 0; k < p->functions[i].line_count; k++)
			files[all++] = p->functions[i].lines[k].file;
	}
	qsort(files, all, sizeof(*files), by_text);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!*count || strcmp(files[*count - 1], files[i]) != 0)
			files[(*count)++] = files[i];
	return files;
}

struct stack stacks_of_slots(const struct stacks *stacks, const struct stacks_slots *slots)
{
	struct stack stack;

	stack_roll_up(&stack, slots->causes, stacks->levels);
	return stack;
}

double stacks_cycles(const struct stacks *stacks, int64_t slots)
{
	return (double)slots / (double)stacks->slots_per_cycle;
}
