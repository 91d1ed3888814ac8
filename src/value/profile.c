#include "value/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"

#define SCHEMA	   "cyclestack-run-2"
#define NAME_BYTES 64
#define SLOTS_MOST 1024 /* per cycle */

/* A name from the file, made fit for a sentence. */
static const char *shown(char out[NAME_BYTES], const char *text)
{
	printable_copy(out, NAME_BYTES - 1, (const uint8_t *)text, strlen(text));
	return out;
}

static bool read_count(const json_t *in, const char *name, int64_t *value, struct err *err)
{
	const json_t *found = json_object_get(in, name);

	if (!json_is_integer(found))
		return err_set(err, "%s is missing or not a whole number", name);
	*value = json_integer_value(found);
	if (*value < 0 || *value > PROFILE_MOST)
		return err_set(err, "%s is %s", name, *value < 0 ? "negative" : "too large");
	return true;
}

static bool read_text(const json_t *in, const char *name, const char **text, struct err *err)
{
	*text = json_string_value(json_object_get(in, name));
	return *text ? true : err_set(err, "%s is missing or not text", name);
}

static bool read_object(const json_t *in, const char *name, json_t **object, struct err *err)
{
	*object = json_object_get(in, name);
	return json_is_object(*object) ? true
				       : err_set(err, "%s is missing or not an object", name);
}

/* A list that may be left out: NULL then. */
static bool read_list(const json_t *in, const char *name, json_t **list, struct err *err)
{
	*list = json_object_get(in, name);
	return !*list || json_is_array(*list) ? true : err_set(err, "%s is not a list", name);
}

static bool read_slots(const json_t *in, const char *name, struct profile_slots *slots,
		       struct err *err)
{
	json_t *object, *value;
	const char *key;

	if (!read_object(in, name, &object, err))
		return false;
	json_object_foreach(object, key, value)
	{
		int cause = cause_named(key);
		char text[NAME_BYTES];

		if (cause < 0)
			return err_set(err, "%s: \"%s\" is no cause", name, shown(text, key));
		if (!read_count(object, key, &slots->causes[cause], err))
			return err_prefix(err, "%s", name);
		slots->total += slots->causes[cause];
	}
	return slots->total <= PROFILE_MOST ? true : err_set(err, "%s: too many slots", name);
}

void profile_slots_add(struct profile_slots *sum, const struct profile_slots *more)
{
	for (int i = 0; i < CAUSE_COUNT; i++)
		sum->causes[i] += more->causes[i];
	sum->total += more->total;
}

/* Takes a part off what is left of a whole; false if there is not so much. */
static bool take(struct profile_slots *left, const struct profile_slots *part, const char *whole,
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

static bool read_method(struct profile_method *method, const char *name, json_t *components,
			struct err *err)
{
	const char *key;
	json_t *value;
	char text[NAME_BYTES];

	method->name = name;
	method->bits = -1;
	json_object_foreach(components, key, value)
	{
		int component = component_named(key);

		if (component < 0)
			return err_set(err, "\"%s\" is no component", shown(text, key));
		if (!json_is_integer(value))
			return err_set(err, "%s is not a whole number", key);
		method->stack.cycles[component] = json_integer_value(value);
		method->has[component] = true;
		if (json_integer_value(value) > PROFILE_MOST ||
		    json_integer_value(value) < -PROFILE_MOST)
			return err_set(err, "%s is too large", key);
	}
	return true;
}

static bool read_methods(struct profile *p, const json_t *result, struct err *err)
{
	json_t *stacks, *components, *value;
	const char *name;
	char text[NAME_BYTES];
	size_t count = 1;

	if (!read_object(result, "stacks", &stacks, err))
		return false;
	if (!json_object_get(stacks, "exact"))
		return err_set(err, "stacks.exact is missing");
	p->methods = mem_alloc_array(json_object_size(stacks), sizeof(*p->methods));
	p->method_count = json_object_size(stacks);
	json_object_foreach(stacks, name, value)
	{
		struct profile_method *method =
			strcmp(name, "exact") == 0 ? &p->methods[0] : &p->methods[count++];

		if (!read_object(value, "components", &components, err) ||
		    !read_method(method, name, components, err))
			return err_prefix(err, "stacks.%s", shown(text, name));
		const json_t *bits = json_object_get(value, "bits");
		if (bits && !json_is_null(bits) && !read_count(value, "bits", &method->bits, err))
			return err_prefix(err, "stacks.%s", shown(text, name));
	}
	const bool *has = p->methods[0].has;
	p->levels = has[COMPONENT_L3I] || has[COMPONENT_L3D]   ? 3
		    : has[COMPONENT_L2I] || has[COMPONENT_L2D] ? 2
							       : 1;
	return true;
}

static bool read_stages(struct profile *p, const json_t *result, struct err *err)
{
	json_t *stages = json_object_get(result, "stages"), *value;
	const char *name;
	char text[NAME_BYTES];

	if (!stages)
		return true;
	if (!json_is_object(stages))
		return err_set(err, "stages is not an object");
	p->stages = mem_alloc_array(json_object_size(stages), sizeof(*p->stages));
	json_object_foreach(stages, name, value)
	{
		if (!json_is_object(value))
			return err_set(err, "stages.%s is not an object", shown(text, name));
		if (!read_method(&p->stages[p->stage_count++], name, value, err))
			return err_prefix(err, "stages.%s", shown(text, name));
	}
	return true;
}

static bool read_topdown(struct profile *p, const json_t *result, struct err *err)
{
	static const char *const levels[] = {"level1", "level2"};
	json_t *topdown = json_object_get(result, "topdown"), *value;
	const char *name;
	char text[NAME_BYTES];
	size_t capacity = 0;

	if (!topdown)
		return true;
	if (!read_count(topdown, "slots_per_cycle", &p->topdown_slots_per_cycle, err))
		return err_prefix(err, "topdown");
	for (unsigned i = 0; i < ARRAY_COUNT(levels); i++) {
		json_t *level = json_object_get(topdown, levels[i]);

		if (level && !json_is_object(level))
			return err_set(err, "topdown.%s is not an object", levels[i]);
		json_object_foreach(level, name, value)
		{
			struct profile_topdown *row =
				ARRAY_PUSH(p->topdown, p->topdown_count, capacity);

			*row = (struct profile_topdown){.name = name, .level = i + 1};
			if (!json_is_integer(value) || json_integer_value(value) < 0 ||
			    json_integer_value(value) > PROFILE_MOST)
				return err_set(err, "topdown.%s: \"%s\" is not a number of slots",
					       levels[i], shown(text, name));
			row->slots = json_integer_value(value);
		}
	}
	return true;
}

static bool read_line(struct profile_line *line, const json_t *from, struct err *err)
{
	return read_text(from, "file", &line->file, err) &&
	       read_count(from, "line", &line->line, err) &&
	       read_count(from, "executed", &line->executed, err) &&
	       read_slots(from, "slots", &line->slots, err);
}

static bool read_function(struct profile_function *function, const json_t *from, struct err *err)
{
	struct profile_slots left;
	json_t *lines;

	if (!read_text(from, "name", &function->name, err) ||
	    !read_text(from, "file", &function->file, err) ||
	    !read_count(from, "line", &function->line, err) ||
	    !read_count(from, "executed", &function->executed, err) ||
	    !read_slots(from, "slots", &function->slots, err) ||
	    !read_list(from, "lines", &lines, err))
		return false;
	int64_t executed = function->executed;
	left = function->slots;
	/* One more than there are: the line that has what the others leave. */
	function->lines = mem_alloc_array(json_array_size(lines) + 1, sizeof(*function->lines));
	for (size_t i = 0; i < json_array_size(lines); i++) {
		struct profile_line *line = &function->lines[function->line_count++];

		if (!read_line(line, json_array_get(lines, i), err) ||
		    !take(&left, &line->slots, "the function", err))
			return err_prefix(err, "lines[%zu]", i);
		executed = line->executed < executed ? executed - line->executed : 0;
	}
	if (left.total > 0)
		function->lines[function->line_count++] =
			(struct profile_line){function->file, 0, executed, left};
	return true;
}

static bool read_functions(struct profile *p, const json_t *exact, struct err *err)
{
	struct profile_slots left = p->slots;
	int64_t executed = p->instructions;
	json_t *list;

	if (!read_list(exact, "functions", &list, err))
		return false;
	p->functions = mem_alloc_array(json_array_size(list) + 1, sizeof(*p->functions));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct profile_function *function = &p->functions[p->function_count++];

		if (!read_function(function, json_array_get(list, i), err) ||
		    !take(&left, &function->slots, "the run", err))
			return err_prefix(err, "functions[%zu]", i);
		executed = function->executed < executed ? executed - function->executed : 0;
	}
	if (left.total > 0) {
		struct profile_function *other = &p->functions[p->function_count++];

		*other = (struct profile_function){"(other)", "", 0, executed, left, NULL, 1};
		other->lines = mem_alloc(sizeof(*other->lines));
		other->lines[0] = (struct profile_line){"", 0, executed, left};
	}
	return true;
}

static bool read_threads(struct profile *p, const json_t *exact, struct err *err)
{
	struct profile_slots left = p->slots;
	json_t *list;

	if (!read_list(exact, "threads", &list, err))
		return false;
	p->threads = mem_alloc_array(json_array_size(list) + 1, sizeof(*p->threads));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct profile_thread *thread = &p->threads[p->thread_count++];
		const json_t *from = json_array_get(list, i);

		if (!read_count(from, "id", &thread->id, err) ||
		    !read_slots(from, "slots", &thread->slots, err) ||
		    !take(&left, &thread->slots, "the run", err))
			return err_prefix(err, "threads[%zu]", i);
	}
	return true;
}

static bool read_intervals(struct profile *p, const json_t *exact, struct err *err)
{
	struct profile_slots left = p->slots;
	int64_t instructions = 0, cycles = 0;
	json_t *list;

	if (!read_list(exact, "intervals", &list, err))
		return false;
	p->intervals = mem_alloc_array(json_array_size(list) + 1, sizeof(*p->intervals));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct profile_interval *interval = &p->intervals[p->interval_count++];
		const json_t *from = json_array_get(list, i);

		if (!read_count(from, "instructions", &interval->instructions, err) ||
		    !read_count(from, "cycles", &interval->cycles, err) ||
		    !read_slots(from, "slots", &interval->slots, err) ||
		    !take(&left, &interval->slots, "the run", err))
			return err_prefix(err, "intervals[%zu]", i);
		instructions += interval->instructions;
		cycles += interval->cycles;
		if (instructions > PROFILE_MOST || cycles > PROFILE_MOST)
			return err_set(err, "intervals[%zu]: the sum is too large", i);
	}
	return true;
}

static bool read_annotation(struct profile *p, const json_t *result, struct err *err)
{
	json_t *annotation = json_object_get(result, "annotation"), *list;
	struct profile_slots left = p->slots;

	if (!annotation)
		return true;
	if (!read_text(annotation, "function", &p->annotated, err) ||
	    !read_list(annotation, "instructions", &list, err))
		return false;
	p->insns = mem_alloc_array(json_array_size(list) + 1, sizeof(*p->insns));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct profile_instruction *insn = &p->insns[p->insn_count++];
		const json_t *from = json_array_get(list, i);

		if (!read_text(from, "pc", &insn->pc, err) ||
		    !read_text(from, "text", &insn->text, err) ||
		    !read_text(from, "file", &insn->file, err) ||
		    !read_count(from, "line", &insn->line, err) ||
		    !read_count(from, "executed", &insn->executed, err) ||
		    !read_slots(from, "slots", &insn->slots, err) ||
		    !take(&left, &insn->slots, "the run", err))
			return err_prefix(err, "instructions[%zu]", i);
	}
	return true;
}

static bool read_header(struct profile *p, const json_t *result, struct err *err)
{
	const char *schema = json_string_value(json_object_get(result, "schema"));
	const json_t *program = json_object_get(result, "program");
	const json_t *values = json_object_get(result, "values");
	char text[NAME_BYTES];

	if (!schema)
		return err_set(err, "\"schema\" is missing");
	if (strcmp(schema, SCHEMA) != 0)
		return err_set(err,
			       "the schema is \"%s\"; only \"" SCHEMA "\" says where the cycles "
			       "went",
			       shown(text, schema));
	if (!read_text(program, "name", &p->program, err))
		return err_prefix(err, "program");
	p->arguments = json_object_get(program, "arguments");
	if (!read_count(values, "cycles", &p->cycles, err) ||
	    !read_count(values, "instructions", &p->instructions, err))
		return err_prefix(err, "values");
	return true;
}

bool profile_read(struct profile *p, const json_t *result, struct err *err)
{
	json_t *exact;

	*p = (struct profile){0};
	bool ok = read_header(p, result, err) && read_methods(p, result, err) &&
		  read_stages(p, result, err) && read_topdown(p, result, err) &&
		  read_object(result, "exact", &exact, err);
	if (ok) {
		ok = read_count(exact, "slots_per_cycle", &p->slots_per_cycle, err) &&
		     read_slots(exact, "causes", &p->slots, err);
		if (ok && (p->slots_per_cycle < 1 || p->slots_per_cycle > SLOTS_MOST))
			ok = err_set(err, "slots_per_cycle is not 1 to %d", SLOTS_MOST);
		ok = (ok && read_functions(p, exact, err) && read_threads(p, exact, err) &&
		      read_intervals(p, exact, err)) ||
		     err_prefix(err, "exact");
	}
	if (ok && !read_annotation(p, result, err))
		ok = err_prefix(err, "annotation");
	if (!ok)
		profile_release(p);
	return ok;
}

void profile_release(struct profile *p)
{
	for (size_t i = 0; i < p->function_count; i++)
		free(p->functions[i].lines);
	free(p->methods);
	free(p->stages);
	free(p->topdown);
	free(p->functions);
	free(p->threads);
	free(p->intervals);
	free(p->insns);
	*p = (struct profile){0};
}

struct stack profile_stack(const struct profile *profile, const struct profile_slots *slots)
{
	struct stack stack;

	stack_roll_up(&stack, slots->causes, profile->levels);
	return stack;
}

double profile_cycles(const struct profile *profile, int64_t slots)
{
	return (double)slots / (double)profile->slots_per_cycle;
}
