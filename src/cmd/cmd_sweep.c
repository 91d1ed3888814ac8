#include <string.h>

#include "cmd/guest.h"
#include "cmd/judge.h"
#include "cmd/outputs.h"
#include "cmd/progress.h"
#include "report/file/csv.h"
#include "report/text/sweep_text.h"
#include "sweep/sweep.h"

static void show_progress(void *context, size_t done, size_t all)
{
	progress_count(context, done, all, "simulations done");
}

static void print_sweep(FILE *out, const struct terminal *terminal, const void *result)
{
	(void)terminal;
	sweep_text_print(out, result);
}

static int finish(struct outputs *outputs, const json_t *result, bool interrupted)
{
	struct err err;

	if (!outputs_write_report(outputs, print_sweep, result, &err) ||
	    !outputs_write_json(outputs, result, &err) ||
	    !report_write_result(&outputs->targets[OPTION_CSV], csv_write_sweep, result, &err))
		return fail_tool(err.text);
	if (interrupted)
		fputs("cyclestack: interrupted: runs that were not finished are left out\n",
		      stderr);
	return interrupted ? EXIT_INTERRUPTED : 0;
}

static int run(struct sweep_request *request, const struct sweep_machines *machines,
	       const struct args *args, struct outputs *outputs)
{
	bool interrupted = false;
	struct progress progress;
	struct err err;

	progress_start(&progress, args, 0, false);
	request->base.progress = show_progress;
	request->base.context = &progress;
	json_t *result = sweep_run(request, machines, &interrupted, &err);
	progress_end(&progress);
	int status = result ? finish(outputs, result, interrupted) : fail_tool(err.text);
	json_decref(result);
	return status;
}

int cmd_sweep(const struct args *args)
{
	struct sweep_request request = {
		.variations = args->values[OPTION_VARY],
		.variation_count = args->counts[OPTION_VARY],
		.grid = args->values[OPTION_GRID],
		.grid_count = args->counts[OPTION_GRID],
	};
	struct sweep_machines *machines = NULL;
	struct outputs outputs;
	struct err err;
	int status = EXIT_TOOL;

	if (!outputs_open(&outputs, args, &err))
		status = fail_run(command_named("sweep"), err.text);
	else if (!judge_open(&request.base, args, &status, &err))
		status = fail_with(status, command_named("sweep"), err.text);
	else if (!(machines = sweep_plan(&request, &err)))
		status = fail_usage(command_named("sweep"), err.text);
	else
		status = run(&request, machines, args, &outputs);
	outputs_close(&outputs, status);
	sweep_machines_release(machines);
	judge_release(&request.base);
	return status;
}
