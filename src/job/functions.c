#include "job/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "image/debug.h"
#include "image/names.h"
#include "job/jail.h"
#include "job/job.h"

/* Runs in the worker. */
static json_t *list_functions(const struct symbols *symbols)
{
	json_t *list = json_array();
	const size_t count = symbols_count(symbols);

	for (size_t i = 0; i < count && i < FUNCTIONS_MOST; i++) {
		const struct symbol *symbol = symbols_at(symbols, i);

		json_array_append_new(list, json_pack("{s:s, s:I}", "name",
						      symbols_shown(symbols, symbol), "bytes",
						      (json_int_t)(symbol->bytes & INT64_MAX)));
	}
	return json_pack("{s:o, s:I}", "functions", list, "left_out",
			 (json_int_t)(count > FUNCTIONS_MOST ? count - FUNCTIONS_MOST : 0));
}

static void work(struct worker *worker, void *context)
{
	const struct program *program = context;
	struct debug debug;
	struct err err;

	jail_close_descriptors(program->mounts, program_directories(program), worker->to_parent);
	debug_init(&debug,
		   &(struct debug_options){
			   .bytes = program->debug ? program->debug : program->image,
			   .size = program->debug ? program->debug_bytes : program->image_bytes,
			   .name = program->name,
			   .raw_names = program->raw_names,
			   .note = worker_note_reading,
			   .context = worker,
		   });
	const struct symbols *symbols = debug_symbols(&debug, &err);
	json_t *result = symbols ? list_functions(symbols) : NULL;
	char *text = result ? json_dumps(result, JSON_COMPACT) : NULL;
	if (text)
		worker_send_result(worker, text, strlen(text));
	else
		worker_send_error(worker, &err);
	free(text);
	json_decref(result);
	debug_release(&debug);
}

/* A worker is not trusted. */
static bool is_list(const json_t *result)
{
	const json_t *list = json_object_get(result, "functions"), *one;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) > FUNCTIONS_MOST ||
	    !json_is_integer(json_object_get(result, "left_out")))
		return false;
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));

		if (!name || strlen(name) > NAME_BYTES || json_object_size(one) != 2 ||
		    !json_is_integer(json_object_get(one, "bytes")))
			return false;
	}
	return true;
}

json_t *job_functions(const struct program *program, struct err *err)
{
	const struct job job = {.program = program};
	struct worker_report report = {0};
	struct worker_task task;
	json_t *result = NULL;

	if (!job_may_start(program, err))
		return NULL;
	job_fill_task(&job, &task);
	task.body = work;
	task.context = (void *)(uintptr_t)program;
	if (worker_run(&task, &report, err)) {
		result = report.result ? json_loadb(report.result, report.result_bytes,
						    JSON_REJECT_DUPLICATES, NULL)
				       : NULL;
		if (!report.result) {
			err_stopped(err, "interrupted");
		} else if (!result || !is_list(result)) {
			json_decref(result);
			result = NULL;
			err_tool(err, "internal error: the worker's list of functions");
		}
	}
	free(report.result);
	return result;
}
