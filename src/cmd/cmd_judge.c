#include <string.h>

#include "cmd/circuits.h"
#include "cmd/outputs.h"
#include "cmd/runner.h"
#include "cmd/subject.h"
#include "experiment/judge.h"

static bool orders_from_args(bool *all_orders, const struct args *args, struct err *err)
{
	const char *given = args_get(args, OPTION_ORDERS);

	*all_orders = given && strcmp(given, "all") == 0;
	if (given && !*all_orders && strcmp(given, "paper") != 0)
		return err_usage(err, "--orders is %s, but there are: paper, all", given);
	return true;
}

/* All orders take long enough that the number of simulations is worth knowing. */
static void say_work(const struct subject *subject, bool all_orders, const struct args *args)
{
	const struct judge_work work = judge_work_of(subject, all_orders);

	if (all_orders && !args_get(args, OPTION_QUIET))
		fprintf(stderr,
			"cyclestack: %llu orders, %zu machines for each program: %zu simulations\n",
			(unsigned long long)work.orders, work.machines, work.simulations);
}

static int finish(struct outputs *outputs, const struct args *args, const json_t *result,
		  bool interrupted)
{
	struct err err;

	if (interrupted && !json_array_size(json_object_get(result, "programs"))) {
		fail_tool("interrupted before a program had all its simulations");
		return EXIT_INTERRUPTED;
	}
	if (!outputs_show(outputs, args, result, NULL, &err))
		return fail_tool(err.text);
	if (interrupted)
		fputs("cyclestack: interrupted: programs that were not finished are left out\n",
		      stderr);
	return interrupted ? EXIT_INTERRUPTED : 0;
}

static int judge(struct runner *runner, const struct subject *subject, bool all_orders,
		 struct outputs *outputs)
{
	struct plan *plan = judge_plan(subject, all_orders);
	bool interrupted = false;
	struct err err;

	say_work(subject, all_orders, runner->args);
	json_t *result = runner_result(runner, plan, &interrupted, &err);
	int status =
		result ? finish(outputs, runner->args, result, interrupted) : fail_tool(err.text);
	json_decref(result);
	plan_destroy(plan);
	return status;
}

int cmd_judge(const struct args *args)
{
	struct subject subject = {0};
	struct runner runner = RUNNER_CLOSED;
	struct outputs outputs;
	unsigned at_once;
	bool all_orders;
	struct err err;
	int status = EXIT_TOOL;

	if (args_get(args, OPTION_RTL))
		return judge_circuits(args);
	if (args_get(args, OPTION_COUNTERS))
		return fail_usage(command_named("judge"),
				  "--counters chooses circuits of --rtl; all methods are judged");
	if (!outputs_open(&outputs, args, &err) || !subject_open(&subject, &at_once, args, &err) ||
	    !orders_from_args(&all_orders, args, &err) ||
	    !runner_open(&runner, args, at_once, &err))
		status = fail_err(command_named("judge"), &err);
	else
		status = judge(&runner, &subject, all_orders, &outputs);
	outputs_close(&outputs, status);
	runner_close(&runner, status == 0);
	subject_release(&subject);
	return status;
}
