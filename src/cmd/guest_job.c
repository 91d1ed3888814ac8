#include "cmd/guest_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "report/file/file.h"

static void show_warning(void *context, const char *sentence)
{
	struct guest_job *job = context;

	progress_end(&job->progress);
	say_warning(NULL, sentence);
}

static void show_progress(void *context, uint64_t instructions)
{
	struct guest_job *job = context;

	progress_update(&job->progress, instructions);
}

bool guest_job_run(struct guest_job *job, void (*body)(struct worker *worker, void *job),
		   json_t **result, struct worker_report *report, struct err *err)
{
	const struct program *program = &job->program;
	const struct worker_task task = {
		.body = body,
		.mounts = program->mounts,
		.mount_count = program->mount_count,
		.timeout_seconds = program->timeout_seconds,
		.warn = show_warning,
		.progress = show_progress,
		.context = job,
	};
	bool has_limit = program->max_instructions != INT64_MAX;

	progress_start(&job->progress, has_limit ? program->max_instructions : 0);
	bool ok = worker_run(&task, report, err);
	progress_end(&job->progress);
	*result = NULL;
	if (ok && report->result) {
		*result = json_loadb(report->result, report->result_bytes, 0, NULL);
		if (!*result)
			ok = err_set(err, "internal error: the worker's result is not JSON");
	}
	free(report->result);
	report->result = NULL;
	return ok;
}

static void send_warning(void *context, const char *sentence)
{
	worker_send_warning(context, sentence);
}

struct process *guest_job_start(struct guest_job *job, struct worker *worker)
{
	struct process_options options = program_process_options(&job->program);
	struct err err;

	options.warn = send_warning;
	options.warn_context = worker;
	struct process *process = process_create(&options, &err);
	if (!process)
		worker_send_error(worker, err.text);
	return process;
}

static json_t *printable(const char *text)
{
	size_t length = strlen(text);
	char *copy = mem_alloc(length + 1);
	json_t *string;

	printable_copy(copy, length, (const uint8_t *)text, length);
	string = json_string(copy);
	free(copy);
	return string;
}

json_t *guest_job_program(const struct program *program)
{
	json_t *arguments = json_array();

	for (size_t i = 1; i < program->argc; i++)
		json_array_append_new(arguments, printable(program->argv[i]));
	return json_pack("{s:o, s:o, s:s}", "name", printable(program->argv[0]), "arguments",
			 arguments, "sha256", program->hash);
}

void guest_job_send(struct worker *worker, json_t *result)
{
	char *text = json_dumps(result, JSON_COMPACT);

	worker_send_result(worker, text, strlen(text));
	free(text);
	json_decref(result);
}

bool guest_job_write(const struct args *args, const json_t *result, struct err *err)
{
	const char *path = args_get(args, OPTION_JSON);

	if (!path)
		return true;
	char *text = json_dumps(result, JSON_INDENT(2));
	size_t bytes = strlen(text);
	text[bytes] = '\n'; /* takes the place of the terminator */
	bool ok = report_write_file(path, text, bytes + 1, err);
	free(text);
	return ok;
}

int guest_job_explain(const struct worker_report *report, uint64_t instructions)
{
	const char *why = report->stop == WORKER_INTERRUPTED ? "interrupted"
			  : report->stop == WORKER_TIMEOUT   ? "stopped by --timeout"
							     : "stopped by --max-insns";

	fprintf(stderr, "cyclestack: %s after %llu instructions: the result is partial\n", why,
		(unsigned long long)instructions);
	return report->stop == WORKER_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_PARTIAL;
}
