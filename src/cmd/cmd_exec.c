#include <string.h>

#include "cmd/guest_job.h"
#include "linux/syscall.h"
#include "report/file/file.h"

/* How often the worker looks up: a few hundredths of a second. */
#define LOOK_UP_INSTRUCTIONS 10000000

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
	return json_pack("{s:s, s:o, s:I, s:b, s:i, s:I, s:I, s:o, s:o}", "schema",
			 "cyclestack-exec-1", "program", guest_job_program(program), "instructions",
			 (json_int_t)process->cpu.instructions, "partial", is_partial, "status",
			 is_partial ? EXIT_PARTIAL : process_exit_status(process), "memory_bytes",
			 (json_int_t)process->memory.charged_bytes, "unknown_syscalls",
			 (json_int_t)process->unknown_calls, "syscalls", describe_syscalls(process),
			 "live_thread_instructions", threads);
}

static void exec_body(struct worker *worker, void *context)
{
	struct guest_job *job = context;
	const uint64_t limit = job->program.max_instructions;
	struct process *process = guest_job_start(job, worker);
	bool is_running = true;

	if (!process)
		return;
	while (is_running && !worker_should_stop(worker) && process->cpu.instructions < limit) {
		uint64_t until = process->cpu.instructions + LOOK_UP_INSTRUCTIONS;

		is_running = process_run(process, until < limit ? until : limit);
		worker_note_progress(worker, process->cpu.instructions);
	}
	if (process->state == PROCESS_FAILED)
		worker_send_error(worker, process->error.text);
	else
		guest_job_send(worker, describe_run(&job->program, process, is_running));
	process_destroy(process);
}

static int finish(const struct args *args, const json_t *result, const struct worker_report *report)
{
	const json_t *count = json_object_get(result, "instructions");
	struct err err;

	if (result && !guest_job_write(args, result, &err))
		return fail_tool(err.text);
	if (!result || json_is_true(json_object_get(result, "partial")))
		return guest_job_explain(report, count ? (uint64_t)json_integer_value(count)
						       : report->instructions);
	return (int)json_integer_value(json_object_get(result, "status"));
}

int cmd_exec(const struct args *args)
{
	struct guest_job job;
	struct worker_report report = {0};
	struct err err;
	json_t *result;
	int status;

	if (!report_check_path(args_get(args, OPTION_JSON), &err))
		return fail_tool(err.text);
	if (!program_open(&job.program, args, &status, &err))
		status = status == EXIT_USAGE ? fail_usage(command_named("exec"), err.text)
					      : fail_tool(err.text);
	else if (!guest_job_run(&job, exec_body, &result, &report, &err))
		status = fail_tool(err.text);
	else {
		status = finish(args, result, &report);
		json_decref(result);
	}
	program_release(&job.program);
	return status;
}
