#include <string.h>

#include "base/array.h"
#include "cmd/circuits.h"
#include "cmd/gain_options.h"
#include "cmd/outputs.h"
#include "cmd/runner.h"
#include "cmd/subject.h"
#include "experiment/judge.h"

static bool orders_from_args(struct judge_options *options, const struct args *args,
			     struct err *err)
{
	const char *given = args_get(args, OPTION_ORDERS);

	options->all_orders = given && strcmp(given, "all") == 0;
	if (given && !options->all_orders && strcmp(given, "paper") != 0)
		return err_usage(err, "--orders is %s, but there are: paper, all", given);
	return !given || !options->is_quick ||
	       err_usage(err,
			 "--quick measures order A alone: --orders %s needs the simulations "
			 "that it leaves out",
			 given);
}

/* What only a quick judgement has, or cannot have. */
static bool quick_from_args(struct judge_options *options, const struct args *args, struct err *err)
{
	static const enum option_id its_own[] = {OPTION_WITHIN, OPTION_GAIN_BUDGET};
	bool is_none;

	options->is_quick = args_get(args, OPTION_QUICK);
	for (size_t i = 0; !options->is_quick && i < ARRAY_COUNT(its_own); i++)
		if (args_get(args, its_own[i]))
			return err_usage(err,
					 "--%s is how closely --quick measures; without --quick "
					 "whole runs are simulated, whose truth has no interval",
					 option_rows[its_own[i]].name);
	if (!gain_options_from_args(&options->gain, &is_none, args, err))
		return err_as_usage(err);
	return !is_none || err_usage(err, "--gain-budget none measures nothing that --quick could "
					  "judge by");
}

static bool options_from_args(struct judge_options *options, const struct args *args,
			      struct err *err)
{
	return quick_from_args(options, args, err) && orders_from_args(options, args, err);
}

/* What few programs leave of the host's cores measures in more windows at once. */
static void choose_copies(struct judge_options *options, const struct subject *subject,
			  unsigned at_once)
{
	const size_t programs = subject->program_count;

	options->copies = programs && programs < at_once ? at_once / (unsigned)programs : 1;
}

/* All orders take long enough that the number of simulations is worth knowing. */
static void say_work(const struct subject *subject, const struct judge_options *options,
		     const struct args *args)
{
	const struct judge_work work = judge_work_of(subject, options);

	if (options->all_orders && !args_get(args, OPTION_QUIET))
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

static int judge(struct runner *runner, const struct subject *subject,
		 const struct judge_options *options, struct outputs *outputs)
{
	struct plan *plan = judge_plan(subject, options);
	bool interrupted = false;
	struct err err;

	say_work(subject, options, runner->args);
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
	struct judge_options options = {.copies = 1};
	struct err err;
	int status = EXIT_TOOL;

	if (args_get(args, OPTION_RTL) && args_get(args, OPTION_QUICK))
		return fail_usage(command_named("judge"),
				  "--rtl judges nothing, so --quick says nothing about it");
	if (args_get(args, OPTION_RTL))
		return judge_circuits(args);
	if (args_get(args, OPTION_COUNTERS))
		return fail_usage(command_named("judge"),
				  "--counters chooses circuits of --rtl; all methods are judged");
	if (!outputs_open(&outputs, args, &err) || !subject_open(&subject, &at_once, args, &err) ||
	    !options_from_args(&options, args, &err) || !runner_open(&runner, args, at_once, &err))
		status = fail_err(command_named("judge"), &err);
	else {
		choose_copies(&options, &subject, at_once);
		status = judge(&runner, &subject, &options, &outputs);
	}
	outputs_close(&outputs, status);
	runner_close(&runner, status == 0);
	subject_release(&subject);
	return status;
}
