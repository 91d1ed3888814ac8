#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "count/exact.h"
#include "job/data_describe.h"
#include "job/data_heap.h"
#include "job/job.h"
#include "job/key.h"
#include "job/parts.h"

/* Paths of calls are needed for their frames alone. */
#define NODES_MOST 20000

/* While the job runs. */
struct data {
	struct followed_functions functions;
	struct call_tree tree;
	struct data_objects objects;
	struct data_heap heap;
	struct data_cells cells;
};

/* Accesses precede fetch in a cycle. */
static void cycle(void *context, const struct cycle *c)
{
	struct data *data = context;

	data_cells_cycle(&data->cells, c);
	if (!c->transfer_count)
		return;
	/* Files are mapped in system calls alone, which are executed in an empty core. */
	if (call_functions_changed(&data->functions)) {
		data_objects_remap(&data->objects);
		data_heap_remap(&data->heap);
	}
	for (uint32_t i = 0; i < c->transfer_count; i++)
		data_heap_transfer(&data->heap, &c->transfers[i]);
	data->cells.changes = data->objects.changes;
}

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct job_simulation *run = self->run;
	struct data *data = mem_alloc(sizeof(*data));

	(void)watch;
	(void)err;
	self->state = data;
	data->functions.process = run->process;
	const struct call_functions functions = call_functions_of(&data->functions);
	const struct data_finder finder = {data_objects_find, &data->objects, DATA_OTHER,
					   DATA_FETCH};

	call_tree_init(&data->tree, &functions, NODES_MOST);
	call_tree_begin(&data->tree, (uint32_t)run->process->current->tid,
			run->process->cpu.hart.pc);
	data_objects_init(&data->objects, &data->functions, &data->tree);
	data_heap_init(&data->heap, &data->objects, &data->tree);
	data_cells_init(&data->cells, &run->job->machine->config, &finder);
	simulation_attach(run->simulation,
			  (struct observer){cycle, data, DATA_CELLS_EVENTS | EVENTS_TRANSFERS});
	return true;
}

static void describe(struct job_part_run *self, json_t *result)
{
	struct data *data = self->state;
	struct exact *exact = observers_find(self->run->observers, &count_exact);

	data_describe(&data->cells, &data->objects, exact_ledger(exact), result);
}

static void end(struct job_part_run *self)
{
	struct data *data = self->state;

	if (!data)
		return;
	data_cells_release(&data->cells);
	data_heap_release(&data->heap);
	data_objects_release(&data->objects);
	call_tree_release(&data->tree);
	call_functions_release(&data->functions);
	free(data);
}

static const struct job_part_kind kind = {
	.name = "data",
	.begin = begin,
	.describe = describe,
	.end = end,
	.key = job_part_key_nothing,
};

const struct job_part *part_data_init(struct part_data *data)
{
	static const struct observer_kind *const observers[] = {&count_exact, NULL};

	*data = (struct part_data){.part = {.kind = &kind, .observers = observers}};
	return &data->part;
}
