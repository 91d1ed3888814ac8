#include "cmd/outputs.h"
#include "cmd/runner.h"
#include "cmd/subject.h"
#include "experiment/sweep.h"

static int finish(struct outputs *outputs, const struct args *args, const json_t *result,
		  bool interrupted)
{
	struct err err;

	if (!outputs_show(outputs, args, result, NULL, &err))
		return fail_tool(err.text);
	if (interrupted)
		fputs("cyclestack: interrupted: runs that were not finished are left out\n",
		      stderr);
	return interrupted ? EXIT_INTERRUPTED : 0;
}

static int run(struct runner *runner, struct plan *plan, struct outputs *outputs)
{
	bool interrupted = false;
	struct err err;
	json_t *result = runner_result(runner, plan, &interrupted, &err);
	int status =
		result ? finish(outputs, runner->args, result, interrupted) : fail_tool(err.text);

	json_decref(result);
	return status;
}

int cmd_sweep(const struct args *args)
{
	struct subject subject = {0};
	const struct sweep_request request = {
		.subject = &subject,
		.variations = args->values[OPTION_VARY],
		.variation_count = args->counts[OPTION_VARY],
		.grid = args->values[OPTION_GRID],
		.grid_count = args->counts[OPTION_GRID],
	};
	struct runner runner = RUNNER_CLOSED;
	struct plan *plan = NULL;
	struct outputs outputs;
	unsigned at_once;
	struct err err;
	int status = EXIT_TOOL;

	if (!outputs_open(&outputs, args, &err) || !subject_open(&subject, &at_once, args, &err))
		status = fail_err(command_named("sweep"), &err);
	else if (!(plan = sweep_plan(&request, &err)))
		status = fail_usage(command_named("sweep"), err.text);
	else if (!runner_open(&runner, args, at_once, &err))
		status = fail_err(command_named("sweep"), &err);
	else
		status = run(&runner, plan, &outputs);
	outputs_close(&outputs, status);
	runner_close(&runner, status == 0);
	plan_destroy(plan);
	subject_release(&subject);
	return status;
}
