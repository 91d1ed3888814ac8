/* `cyclestack workloads --measure`: measures the characteristics of the built-in programs. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "job/jail.h"
#include "job/worker.h"
#include "measure/measure.h"
#include "value/layout.h"

struct measure_job {
	struct program program;
	struct config near, far;
};

static bool should_stop(void *context)
{
	return worker_should_stop(context);
}

static json_t *describe(const char *name, const struct measurement *m)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "name", name,
			 "instructions", (json_int_t)m->instructions, "code_bytes",
			 (json_int_t)m->code_bytes, "static_branches",
			 (json_int_t)m->static_branches, "data_bytes", (json_int_t)m->data_bytes,
			 "mispredictions", (json_int_t)m->mispredictions, "l1i_misses",
			 (json_int_t)m->l1i_misses, "dtlb_misses", (json_int_t)m->dtlb_misses,
			 "long_misses", (json_int_t)m->long_misses, "long_load_misses",
			 (json_int_t)m->long_loads);
}

static bool is_done(const struct process *process, struct err *err)
{
	if (process->state == PROCESS_RUNNING)
		return err_stopped(err, "interrupted");
	return process_exit_status(process) == 0 ||
	       err_set(err, "the workload failed its own check");
}

static void measure_body(struct worker *worker, void *context)
{
	struct measure_job *job = context;
	struct process_options options = program_process_options(&job->program);
	struct measurement m;
	struct err err;

	jail_close_descriptors(job->program.mounts, program_directories(&job->program),
			       worker->to_parent);
	options.silent = true;
	struct process *process = process_create(&options, &err);

	if (!process ||
	    !measure_run(process, &job->near, &job->far, should_stop, worker, &m, &err)) {
		worker_send_error(worker, &err);
		process_destroy(process);
		return;
	}
	if (is_done(process, &err)) {
		json_t *result = describe(job->program.name, &m);
		char *text = json_dumps(result, JSON_COMPACT);

		worker_send_result(worker, text, strlen(text));
		free(text);
		json_decref(result);
	} else {
		worker_send_error(worker, &err);
	}
	process_destroy(process);
}

/* The row of one workload, or NULL with a sentence. */
static json_t *measure_one(struct measure_job *job, const char *name, const char *size,
			   struct err *err)
{
	char *operand[] = {NULL, NULL};
	struct args args = {.rest = operand, .rest_count = 1};
	struct worker_report report = {0};
	json_t *row = NULL;
	char text[128];

	snprintf(text, sizeof(text), "@%s:%s", name + (name[0] == '@'), size);
	operand[0] = text;
	if (program_open(&job->program, &args, err)) {
		struct worker_task task = {.body = measure_body, .context = job};

		const bool ok = worker_run(&task, &report, err);

		if (ok && report.result)
			row = json_loadb(report.result, report.result_bytes, 0, NULL);
		else if (ok)
			err_stopped(err, "interrupted");
		if (ok && report.result && !row)
			err_tool(err, "internal error: the worker's result is not JSON");
		free(report.result);
	}
	program_release(&job->program);
	return row;
}

static bool load_machines(struct measure_job *job, struct err *err)
{
	char presets[PATH_BYTES];

	return presets_directory(presets, sizeof(presets), err) &&
	       config_load_preset(&job->near, "eyerman2006", presets, err) &&
	       config_load_preset(&job->far, "chen2008", presets, err);
}

/* The rows of all that have sizes; real programs have one input. Returns a status. */
static int measure_all(struct measure_job *job, char **names, const char *size, json_t *rows)
{
	struct err err = {.text = ""};

	for (char **name = names; *name; name++) {
		if (strchr(*name, '/'))
			continue;
		json_t *row = measure_one(job, *name, size, &err);

		if (!row)
			return err.kind == ERR_STOPPED ? EXIT_INTERRUPTED : fail_tool(err.text);
		json_array_append_new(rows, row);
	}
	return 0;
}

int measure_workloads(const struct args *args, char **names)
{
	const char *asked = args_get(args, OPTION_SIZE), *size = asked ? asked : "small";
	json_t *rows = json_array();
	struct measure_job job;
	struct outputs outputs;
	struct err err = {.text = ""};
	int status;

	if (!outputs_open(&outputs, args, &err) || !load_machines(&job, &err))
		status = fail_tool(err.text);
	else
		status = measure_all(&job, names, size, rows);
	json_t *root = json_pack("{s:s, s:s, s:o}", "schema", layout_measure.schema, "size", size,
				 "workloads", rows);
	outputs.is_quiet |= args_get(args, OPTION_JSON) && !args_get(args, OPTION_REPORT);
	if (!status && !outputs_show(&outputs, args, root, NULL, &err))
		status = fail_tool(err.text);
	outputs_close(&outputs, status);
	json_decref(root);
	return status;
}
