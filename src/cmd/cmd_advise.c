#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/runner.h"
#include "experiment/advise.h"

static int finish(struct outputs *outputs, const struct args *args, const json_t *result,
		  bool interrupted)
{
	struct err err;

	if (!outputs_show(outputs, args, result, NULL, &err))
		return fail_tool(err.text);
	if (interrupted)
		fputs("cyclestack: interrupted: changes that were not simulated are left out\n",
		      stderr);
	return interrupted ? EXIT_INTERRUPTED : 0;
}

/* What the base run has lost decides what else is simulated. NULL with a sentence, of kind
 * ERR_STOPPED if the user interrupted before there was anything to say. */
static json_t *advise(struct runner *runner, const struct advise_request *request,
		      bool *interrupted, struct err *err)
{
	struct plan *first = advise_base_plan(request), *second = NULL;
	json_t *base = runner_result(runner, first, interrupted, err), *result = NULL;

	if (base && (second = advise_plan(request, base, err))) {
		if (*interrupted)
			err_stopped(err, "interrupted before any change had been simulated");
		else
			result = runner_result(runner, second, interrupted, err);
	}
	plan_destroy(second);
	json_decref(base);
	plan_destroy(first);
	return result;
}

static int run(struct runner *runner, const struct advise_request *request, struct outputs *outputs)
{
	bool interrupted = false;
	struct err err;
	json_t *result = advise(runner, request, &interrupted, &err);
	int status;

	if (result)
		status = finish(outputs, runner->args, result, interrupted);
	else
		status = fail_err(command_named("advise"), &err);
	json_decref(result);
	return !result && interrupted ? EXIT_INTERRUPTED : status;
}

int cmd_advise(const struct args *args)
{
	struct program program = {0};
	struct job_machine machine = {0};
	struct advise_request request = {
		.program = &program, .machine = &machine, .whole_most = ADVISE_WHOLE_MOST};
	struct runner runner = RUNNER_CLOSED;
	struct outputs outputs;
	struct err err;
	int status;

	if (!outputs_open(&outputs, args, &err) || !machine_from_args(&machine, args, &err) ||
	    !jobs_from_args(&request.copies, args, &err) ||
	    !args_get_count(args, OPTION_WHOLE_BELOW, 0, INT64_MAX, &request.whole_most, &err) ||
	    !program_open(&program, args, &err) ||
	    !runner_open(&runner, args, request.copies, &err))
		status = fail_err(command_named("advise"), &err);
	else
		status = run(&runner, &request, &outputs);
	outputs_close(&outputs, status);
	runner_close(&runner, status == 0);
	program_release(&program);
	return status;
}
