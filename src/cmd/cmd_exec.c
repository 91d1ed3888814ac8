#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/outcome.h"
#include "cmd/program.h"
#include "cmd/progress.h"
#include "prog/syscall.h"
#include "prog/worker.h"
#include "report/file.h"

/* How often the worker looks up: a few hundredths of a second. */
#define LOOK_UP_INSTRUCTIONS 10000000

struct exec_job {
	struct program program;
	struct progress progress;
};

static void send_warning(void *context, const char *sentence)
{
	worker_send_warning(context, sentence);
}

static json_t *describe_syscalls(const struct process *process)
{
	json_t *counts = json_object();
	char text[32];

	for (uint64_t i = 0; i < 512; i++)
		if (process->syscall_counts[i])
			json_object_set_new(counts, syscall_name(i, text),
					    json_integer((json_int_t)process->syscall_counts[i]));
	return counts;
}

static json_t *describe_run(const struct program *program, struct process *process, bool is_partial)
{
	json_t *threads = json_array();

	process_charge_thread(process);
	for (size_t i = 0; i < process->thread_count; i++)
		json_array_append_new(threads,
				      json_integer((json_int_t)process->threads[i]->instructions));
	return json_pack("{s:s, s:{s:s#, s:s}, s:I, s:b, s:i, s:I, s:I, s:o, s:o}",
			 /* */ "schema", "cyclestack-exec-1", "program", "name",
			 process->options.argv[0], strlen(process->options.argv[0]), "sha256",
			 program->hash, "instructions", (json_int_t)process->cpu.instructions,
			 "partial", is_partial, "status",
			 is_partial ? EXIT_PARTIAL : process_exit_status(process), "memory_bytes",
			 (json_int_t)process->memory.charged_bytes, "unknown_syscalls",
			 (json_int_t)process->unknown_calls, "syscalls", describe_syscalls(process),
			 "live_thread_instructions", threads);
}

static void exec_body(struct worker *worker, void *context)
{
	struct exec_job *job = context;
	struct process_options options = program_process_options(&job->program);
	struct err err;

	options.warn = send_warning;
	options.warn_context = worker;
	struct process *process = process_create(&options, &err);
	if (!process) {
		worker_send_error(worker, err.text);
		return;
	}
	bool is_running = true;
	while (is_running && !worker_should_stop(worker) &&
	       process->cpu.instructions < job->program.max_instructions) {
		uint64_t until = process->cpu.instructions + LOOK_UP_INSTRUCTIONS;

		if (until > job->program.max_instructions)
			until = job->program.max_instructions;
		is_running = process_run(process, until);
		worker_note_progress(worker, process->cpu.instructions);
	}
	if (process->state == PROCESS_FAILED) {
		worker_send_error(worker, process->error.text);
	} else {
		json_t *result = describe_run(&job->program, process, is_running);
		char *text = json_dumps(result, JSON_INDENT(2));

		worker_send_result(worker, text, strlen(text));
		free(text);
		json_decref(result);
	}
	process_destroy(process);
}

static void show_warning(void *context, const char *sentence)
{
	struct exec_job *job = context;

	progress_end(&job->progress);
	say_warning(NULL, sentence);
}

static void show_progress(void *context, uint64_t instructions)
{
	struct exec_job *job = context;

	progress_update(&job->progress, instructions);
}

static int finish(const struct args *args, const struct worker_report *report, struct err *err)
{
	json_t *result = NULL;
	const char *path = args_get(args, OPTION_JSON);
	int status;

	if (report->result)
		result = json_loadb(report->result, report->result_bytes, 0, NULL);
	if (report->result && !result)
		return fail_tool("internal error: the worker's result is not JSON");
	if (result && path) {
		char *text = json_dumps(result, JSON_INDENT(2));
		size_t bytes = strlen(text);

		text[bytes] = '\n'; /* takes the place of the terminator */
		bool ok = report_write_file(path, text, bytes + 1, err);
		free(text);
		if (!ok) {
			json_decref(result);
			return fail_tool(err->text);
		}
	}
	if (!result || json_is_true(json_object_get(result, "partial"))) {
		const json_t *count = result ? json_object_get(result, "instructions") : NULL;

		status = outcome_partial(report->stop, count ? (uint64_t)json_integer_value(count)
							     : report->instructions);
	} else {
		status = (int)json_integer_value(json_object_get(result, "status"));
	}
	json_decref(result);
	return status;
}

int cmd_exec(const struct args *args)
{
	struct exec_job job;
	struct worker_report report = {0};
	struct err err;
	int status;

	if (!report_check_path(args_get(args, OPTION_JSON), &err))
		return fail_tool(err.text);
	if (!program_open(&job.program, args, &status, &err)) {
		program_release(&job.program);
		return status == EXIT_USAGE ? fail_usage(command_named("exec"), err.text)
					    : fail_tool(err.text);
	}
	struct worker_task task = {
		.body = exec_body,
		.mounts = job.program.mounts,
		.mount_count = job.program.mount_count,
		.timeout_seconds = job.program.timeout_seconds,
		.warn = show_warning,
		.progress = show_progress,
		.context = &job,
	};
	progress_start(&job.progress, job.program.max_instructions == INT64_MAX
					      ? 0
					      : job.program.max_instructions);
	bool ok = worker_run(&task, &report, &err);
	progress_end(&job.progress);
	status = ok ? finish(args, &report, &err) : fail_tool(err.text);
	free(report.result);
	program_release(&job.program);
	return status;
}
