#include "cmd/stat_repeat.h"

#include "cmd/guest.h"
#include "cmd/runner.h"
#include "experiment/repeat.h"
#include "value/member.h"

static int status_of(const json_t *result, bool interrupted)
{
	const json_t *runs = json_object_get(result, "runs"), *run;
	size_t i;

	if (interrupted) {
		fputs("cyclestack: interrupted: runs that were not finished are left out\n",
		      stderr);
		return EXIT_INTERRUPTED;
	}
	if (json_is_true(json_object_get(result, "partial"))) {
		fputs("cyclestack: stopped by --max-insns: the result is partial\n", stderr);
		return EXIT_PARTIAL;
	}
	json_array_foreach(runs, i, run)
	{
		if (member_whole(run, "status"))
			return (int)member_whole(run, "status");
	}
	return 0;
}

static int show(const struct args *args, struct outputs *outputs, struct stat_rows *rows,
		const json_t *result, bool interrupted)
{
	struct err err;

	stat_rows_result(rows, result);
	/* In the report it stands with the numbers. */
	if (rows->out && !json_is_true(json_object_get(result, "varies")))
		say_warning(NULL, REPEAT_NOTHING_VARIES);
	if (!outputs_end_rows(outputs, &err) || !outputs_show(outputs, args, result, NULL, &err))
		return fail_tool(err.text);
	return status_of(result, interrupted);
}

int stat_repeat(const struct args *args, struct outputs *outputs, const struct program *program,
		const struct job_machine *machine, const struct job_part *part,
		struct stat_rows *rows)
{
	struct runner runner = RUNNER_CLOSED;
	bool interrupted = false;
	json_t *result = NULL;
	uint64_t count = 0;
	unsigned at_once;
	struct err err;

	if (!args_get_count(args, OPTION_REPEAT, 2, REPEAT_MOST, &count, &err) ||
	    !jobs_from_args(&at_once, args, &err))
		return fail_err(command_named("stat"), &err);
	struct plan *plan = repeat_plan(program, machine, part, (size_t)count);
	if (runner_open(&runner, args, at_once, &err))
		result = runner_result(&runner, plan, &interrupted, &err);
	const int status = result ? show(args, outputs, rows, result, interrupted)
				  : fail_err(command_named("stat"), &err);
	runner_close(&runner, result);
	plan_destroy(plan);
	json_decref(result);
	return status;
}
