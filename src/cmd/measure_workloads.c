/* `cyclestack workloads --measure`: measures the characteristics of the built-in programs. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "job/jail.h"
#include "job/worker.h"
#include "sample/measure.h"

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

static void measure_body(struct worker *worker, void *context)
{
	struct measure_job *job = context;
	struct process_options options = program_process_options(&job->program);
	struct measurement m;
	struct err err;

	jail_close_descriptors(job->program.mounts, job->program.mount_count, worker->to_parent);
	options.silent = true;
	struct process *process = process_create(&options, &err);

	if (!process ||
	    !measure_run(process, &job->near, &job->far, should_stop, worker, &m, &err)) {
		worker_send_error(worker, err.text);
		process_destroy(process);
		return;
	}
	json_t *result = describe(job->program.name, &m);
	char *text = json_dumps(result, JSON_COMPACT);
	if (process->state == PROCESS_RUNNING)
		worker_send_error(worker, "interrupted");
	else if (process_exit_status(process) != 0)
		worker_send_error(worker, "the workload failed its own check");
	else
		worker_send_result(worker, text, strlen(text));
	free(text);
	json_decref(result);
	process_destroy(process);
}

/* The row of one workload, or NULL with a sentence. */
static json_t *measure_one(struct measure_job *job, const char *name, const char *size,
			   enum worker_stop *stop, struct err *err)
{
	char *operand[] = {NULL, NULL};
	struct args args = {.rest = operand, .rest_count = 1};
	struct worker_report report = {0};
	json_t *row = NULL;
	char text[128];
	int status;

	snprintf(text, sizeof(text), "@%s:%s", name + (name[0] == '@'), size);
	operand[0] = text;
	if (program_open(&job->program, &args, &status, err)) {
		struct worker_task task = {.body = measure_body, .context = job};

		if (worker_run(&task, &report, err) && report.result)
			row = json_loadb(report.result, report.result_bytes, 0, NULL);
		*stop = report.stop;
		free(report.result);
	}
	program_release(&job->program);
	return row;
}

static double per_thousand(const json_t *row, const char *key)
{
	return 1000.0 * (double)json_integer_value(json_object_get(row, key)) /
	       (double)json_integer_value(json_object_get(row, "instructions"));
}

static double scaled(const json_t *row, const char *key, double unit)
{
	return (double)json_integer_value(json_object_get(row, key)) / unit;
}

static void print_row(const char *name, const json_t *row)
{
	printf("%-12s %8.2f %8.1f %8.0f %8.0f %8.2f %8.2f %8.2f %8.2f\n", name,
	       scaled(row, "instructions", 1e6), scaled(row, "code_bytes", 1024),
	       scaled(row, "static_branches", 1), scaled(row, "data_bytes", 1024),
	       per_thousand(row, "mispredictions"), per_thousand(row, "l1i_misses"),
	       per_thousand(row, "long_misses"), per_thousand(row, "dtlb_misses"));
	fflush(stdout);
}

static bool load_machines(struct measure_job *job, struct err *err)
{
	char presets[PATH_BYTES];

	return presets_directory(presets, sizeof(presets), err) &&
	       config_load_preset(&job->near, "eyerman2006", presets, err) &&
	       config_load_preset(&job->far, "chen2008", presets, err);
}

int measure_workloads(const struct args *args, char **names)
{
	bool is_json = args_get(args, OPTION_JSON);
	const char *size = args_get(args, OPTION_SIZE);
	struct measure_job job;
	struct outputs outputs;
	struct err err = {""};
	enum worker_stop stop = WORKER_GO_ON;
	json_t *rows = json_array();
	int status = 0;

	size = size ? size : "small";
	if (!outputs_open(&outputs, args, &err) || !load_machines(&job, &err))
		status = fail_tool(err.text);
	else if (!is_json)
		printf("%-12s %8s %8s %8s %8s   misses per 1000 instructions\n"
		       "%-12s %8s %8s %8s %8s %8s %8s %8s %8s\n",
		       "", "million", "KB of", "static", "KB of", "workload", "insns", "code",
		       "branches", "data", "branch", "L1I", "long D", "D-TLB");
	for (char **name = names; *name && !status; name++) {
		if (strchr(*name, '/'))
			continue; /* real programs have one input and no sizes */
		json_t *row = measure_one(&job, *name, size, &stop, &err);

		if (!row) {
			status =
				stop == WORKER_INTERRUPTED ? EXIT_INTERRUPTED : fail_tool(err.text);
			break;
		}
		if (!is_json)
			print_row(*name, row);
		json_array_append_new(rows, row);
	}
	json_t *root = json_pack("{s:s, s:s, s:o}", "schema", "cyclestack-measure-1", "size", size,
				 "workloads", rows);
	if (!status && !outputs_write_json(&outputs, root, &err))
		status = fail_tool(err.text);
	outputs_close(&outputs, status);
	json_decref(root);
	return status;
}
