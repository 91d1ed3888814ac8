#include "library/library.h"

#include <stdlib.h>
#include <string.h>

void library_drop_result(struct cs_machine *machine)
{
	if (machine->has_stacks)
		stacks_release(&machine->stacks);
	json_decref(machine->result);
	free(machine->result_text);
	machine->has_stacks = false;
	machine->result = NULL;
	machine->result_text = NULL;
}

/* The result of what has been simulated so far, or NULL with a sentence. */
static const json_t *read_result(struct cs_machine *machine)
{
	if (machine->is_stepping)
		err_set(&machine->err, "an observer cannot read the result");
	else if (!machine->run.simulation)
		err_set(&machine->err, "nothing has been simulated");
	else if (!machine->result)
		machine->result = job_result(&machine->run, &machine->err);
	return machine->is_stepping ? NULL : machine->result;
}

static const struct stacks *read_stacks(struct cs_machine *machine)
{
	const json_t *result = read_result(machine);

	if (!result)
		return NULL;
	if (!machine->run.observers) {
		err_set(&machine->err, "no counters were configured: there are no stacks");
		return NULL;
	}
	if (!machine->has_stacks)
		machine->has_stacks = stacks_read(&machine->stacks, result, &machine->err);
	return machine->has_stacks ? &machine->stacks : NULL;
}

const char *cs_result_json(struct cs_machine *machine)
{
	const json_t *result = read_result(machine);

	if (result && !machine->result_text) {
		char *text = json_dumps(result, JSON_INDENT(2));
		size_t bytes = strlen(text);

		machine->result_text = mem_realloc(text, bytes + 2, 1);
		memcpy(machine->result_text + bytes, "\n", 2);
	}
	return result ? machine->result_text : NULL;
}

bool cs_counted(struct cs_machine *machine, const char *name, uint64_t *out)
{
	const json_t *result = read_result(machine);

	if (!result)
		return false;
	const json_t *value = json_object_get(json_object_get(result, "values"), name);
	if (!value)
		return err_set(&machine->err, "there is no counted value \"%s\"", name);
	*out = (uint64_t)json_integer_value(value);
	return true;
}

static const struct stacks_method *find_method(struct cs_machine *machine, const char *name)
{
	const struct stacks *stacks = read_stacks(machine);

	for (size_t i = 0; stacks && i < stacks->method_count; i++)
		if (strcmp(stacks->methods[i].name, name) == 0)
			return &stacks->methods[i];
	if (stacks)
		err_set(&machine->err, "no stack of \"%s\" was asked for with counters", name);
	return NULL;
}

bool cs_stack(struct cs_machine *machine, const char *method, size_t *components)
{
	const struct stacks_method *found = find_method(machine, method);

	if (!found)
		return false;
	*components = 0;
	for (unsigned i = 0; i < COMPONENT_COUNT; i++)
		*components += found->has[i];
	return true;
}

bool cs_component(struct cs_machine *machine, const char *method, size_t i,
		  struct cs_component *out)
{
	const struct stacks_method *found = find_method(machine, method);
	size_t left = i;

	if (!found || !library_fits(machine, "a component", out->size, sizeof(*out)))
		return false;
	for (unsigned k = 0; k < COMPONENT_COUNT; k++)
		if (found->has[k] && !left--) {
			*out = (struct cs_component){
				.size = sizeof(*out),
				.name = component_rows[k].name,
				.meaning = component_rows[k].meaning,
				.cycles = found->stack.cycles[k],
			};
			return true;
		}
	return err_set(&machine->err, "%s has no component %zu", method, i);
}

bool cs_functions(struct cs_machine *machine, size_t *count)
{
	const struct stacks *stacks = read_stacks(machine);

	if (stacks)
		*count = stacks->function_count;
	return stacks;
}

static const struct stacks_function *find_function(struct cs_machine *machine, size_t i)
{
	const struct stacks *stacks = read_stacks(machine);

	if (stacks && i >= stacks->function_count)
		err_set(&machine->err, "there is no function %zu; there are %zu", i,
			stacks->function_count);
	return stacks && i < stacks->function_count ? &stacks->functions[i] : NULL;
}

bool cs_function(struct cs_machine *machine, size_t i, struct cs_function *out)
{
	const struct stacks_function *function = find_function(machine, i);

	if (!function || !library_fits(machine, "a function", out->size, sizeof(*out)))
		return false;
	*out = (struct cs_function){
		.size = sizeof(*out),
		.name = function->name,
		.file = function->file,
		.line = (uint64_t)function->line,
		.executed = (uint64_t)function->executed,
		.slots = (uint64_t)function->slots.total,
		.slots_per_cycle = (uint64_t)machine->stacks.slots_per_cycle,
	};
	return true;
}

bool cs_function_slots(struct cs_machine *machine, size_t i, const char *component, uint64_t *slots)
{
	const struct stacks_function *function = find_function(machine, i);
	int found = component_named(component);

	if (!function)
		return false;
	if (found < 0)
		return err_set(&machine->err, "there is no component \"%s\"", component);
	*slots = (uint64_t)stacks_of_slots(&machine->stacks, &function->slots).cycles[found];
	return true;
}
