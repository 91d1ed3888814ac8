#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/spool.h"
#include "value/member.h"

#define INTERVAL_USUAL 100000000
#define INTERVAL_LEAST 1000

/* Reads --bbv and --interval-size. */
static bool read_vectors(struct job *job, const struct args *args, struct err *err)
{
	if (!args_get(args, OPTION_BBV))
		return !args_get(args, OPTION_INTERVAL_SIZE) ||
		       err_usage(err, "--interval-size is for --bbv: name a file to write");
	job->vector_instructions = INTERVAL_USUAL;
	return args_get_count(args, OPTION_INTERVAL_SIZE, INTERVAL_LEAST, INT64_MAX,
			      &job->vector_instructions, err);
}

/* Runs the job; its vectors, if they are asked for, go to their file. */
static bool run_guest(const struct job *job, const struct args *args, struct outputs *outputs,
		      json_t **result, struct worker_report *report, struct err *err)
{
	struct report_target *target = &outputs->targets[OPTION_BBV];
	struct spool spool;
	const struct guest_watcher watcher = {.data = spool_add, .context = &spool};

	if (!job->vector_instructions)
		return guest_run(job, args, result, report, err);
	bool ok = spool_open(&spool, err) &&
		  guest_run_watched(job, args, &watcher, result, report, err);
	if (ok && *result)
		ok = spool_write(&spool, target, err);
	if (!ok) {
		json_decref(*result);
		*result = NULL;
	}
	spool_close(&spool);
	return ok;
}

static int finish(struct outputs *outputs, const struct args *args, const json_t *result,
		  const struct worker_report *report)
{
	struct err err;

	/* The program's own output is all that is printed, unless a report is asked for. */
	outputs->is_quiet |= !args_get(args, OPTION_REPORT);
	if (result && !outputs_show(outputs, args, result, NULL, &err))
		return fail_tool(err.text);
	if (!result || json_is_true(json_object_get(result, "partial")))
		return guest_explain_stop(report,
					  result ? (uint64_t)member_whole(result, "instructions")
						 : report->instructions,
					  result);
	return (int)member_whole(result, "status");
}

int cmd_exec(const struct args *args)
{
	struct program program = {0};
	struct outputs outputs;
	struct worker_report report = {0};
	struct err err;
	json_t *result = NULL;
	int status;

	if (!outputs_open(&outputs, args, &err) || !program_open(&program, args, &err)) {
		status = fail_err(command_named("exec"), &err);
	} else {
		struct job job = {.program = &program,
				  .max_instructions = program.max_instructions,
				  .translates = !args_get(args, OPTION_NO_TRANSLATE)};

		if (read_vectors(&job, args, &err) && outputs_direct(&outputs, &job, &err) &&
		    run_guest(&job, args, &outputs, &result, &report, &err)) {
			status = finish(&outputs, args, result, &report);
			json_decref(result);
		} else {
			status = fail_err(command_named("exec"), &err);
		}
	}
	outputs_close(&outputs, status);
	program_release(&program);
	return status;
}
