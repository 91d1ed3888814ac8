#include "job/data_types.h"

struct mapped_code {
	const struct memory *memory;
	uint64_t bias;
};

static bool read_code(void *context, uint64_t address, uint32_t *raw)
{
	const struct mapped_code *code = context;
	const uint64_t pc = address + code->bias;

	*raw = 0;
	return memory_read(code->memory, raw, pc, sizeof(*raw)) ||
	       memory_read(code->memory, raw, pc, 2);
}

static struct data_typed typed_by_code(struct data_objects *objects, uint64_t pc)
{
	struct process *process = objects->process;
	struct libraries *libraries = &objects->functions->libraries;
	struct mapped_code code = {&process->memory, process->bias};
	const struct type_code reader = {read_code, &code};
	const struct origin origin = origin_of_function(libraries, process, pc);
	struct debug *debug = &process->debug;
	const struct frame_range *frame;
	uint64_t address = pc - process->bias;

	if (origin.library)
		debug = libraries_find(libraries, process, pc, &address, &frame);
	if (!debug)
		return (struct data_typed){NULL, NULL};
	code.bias = pc - address;
	const struct typed typed = debug_type_of_access(debug, &reader, address);
	return (struct data_typed){typed.type,
				   typed.type ? type_field_at(typed.type, typed.offset) : NULL};
}

struct data_typed data_types_of(struct data_types *types, struct data_objects *objects,
				const struct data_cell *cell)
{
	const struct data_object *object = &objects->items[cell->object];

	if (object->type)
		return (struct data_typed){
			object->type, cell->place ? &object->type->fields[cell->place - 1] : NULL};
	const uint64_t pc = cell->by ? cell->by : cell->pc;
	if (!types->is_known || types->pc != pc)
		*types = (struct data_types){pc, true, typed_by_code(objects, pc)};
	return types->typed;
}
