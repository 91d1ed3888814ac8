#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/circuits.h"
#include "cmd/guest.h"
#include "cmd/judge.h"
#include "cmd/keep.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/progress.h"
#include "report/page/judge_page.h"
#include "report/text/judge_text.h"

/* Splits "program argument argument"; the words point into `text`. */
static char **split(char *text, size_t *count)
{
	char **words = NULL, *rest = NULL;
	size_t capacity = 0;

	*count = 0;
	for (char *word = strtok_r(text, " \t\n", &rest); word;
	     word = strtok_r(NULL, " \t\n", &rest))
		*ARRAY_PUSH(words, *count, capacity) = word;
	*ARRAY_PUSH(words, *count, capacity) = NULL;
	--*count;
	return words;
}

bool judge_open(struct judge_request *request, const struct args *args, int *status,
		struct err *err)
{
	*request = (struct judge_request){0};
	if (!machine_from_args(&request->machine, args, status, err))
		return false;
	*status = EXIT_USAGE;
	if (!jobs_from_args(&request->at_once, args, err))
		return false;
	if (!args->rest_count)
		return err_set(err, "which programs? Give RISC-V ELF files or workloads such as "
				    "@chess");
	request->programs = mem_alloc_array(args->rest_count, sizeof(*request->programs));
	for (size_t i = 0; i < args->rest_count; i++) {
		char *text = mem_strdup(args->rest[i]);
		struct args one = *args;

		one.rest = split(text, &one.rest_count);
		bool ok = program_open(&request->programs[request->program_count++], &one, status,
				       err);
		free(one.rest);
		free(text);
		if (!ok)
			return false;
	}
	return true;
}

void judge_release(struct judge_request *request)
{
	for (size_t i = 0; i < request->program_count; i++)
		program_release(&request->programs[i]);
	free(request->programs);
}

static void show_progress(void *context, size_t done, size_t all)
{
	progress_count(context, done, all, "simulations done");
}

json_t *judge_with_progress(struct judge_request *request, const struct args *args,
			    bool *interrupted, struct err *err)
{
	struct progress progress;

	progress_start(&progress, args, 0, false);
	request->progress = show_progress;
	request->context = &progress;
	json_t *result = judge_run(request, interrupted, err);
	progress_end(&progress);
	return result;
}

json_t *judge_misses_with_progress(struct judge_request *request, const char *example,
				   const struct args *args, bool *interrupted, struct err *err)
{
	struct progress progress;

	progress_start(&progress, args, 0, false);
	request->progress = show_progress;
	request->context = &progress;
	json_t *result = misses_run(request, example, interrupted, err);
	progress_end(&progress);
	return result;
}

static void print_judge(FILE *out, const struct terminal *terminal, const void *result)
{
	judge_text_print(out, result, terminal);
}

static bool orders_from_args(bool *all_orders, const struct args *args, struct err *err)
{
	const char *given = args_get(args, OPTION_ORDERS);

	*all_orders = given && strcmp(given, "all") == 0;
	if (given && !*all_orders && strcmp(given, "paper") != 0)
		return err_set(err, "--orders is %s, but there are: paper, all", given);
	return true;
}

/* All orders take long enough that the number of simulations is worth knowing. */
static void say_work(const struct judge_request *request, const struct args *args)
{
	const struct judge_work work = judge_work_of(request);

	if (request->all_orders && !args_get(args, OPTION_QUIET))
		fprintf(stderr,
			"cyclestack: %llu orders, %zu machines for each program: %zu simulations\n",
			(unsigned long long)work.orders, work.machines, work.simulations);
}

static int finish(struct outputs *outputs, const json_t *result, bool interrupted)
{
	struct err err;

	if (interrupted && !json_array_size(json_object_get(result, "programs"))) {
		fail_tool("interrupted before a program had all its simulations");
		return EXIT_INTERRUPTED;
	}
	if (!outputs_write_report(outputs, print_judge, result, &err) ||
	    !outputs_write_json(outputs, result, &err) ||
	    !report_write_result(&outputs->targets[OPTION_HTML], judge_page_write, result, &err))
		return fail_tool(err.text);
	if (interrupted)
		fputs("cyclestack: interrupted: programs that were not finished are left out\n",
		      stderr);
	return interrupted ? EXIT_INTERRUPTED : 0;
}

int cmd_judge(const struct args *args)
{
	struct judge_request request = {0};
	struct outputs outputs;
	struct keep keep = {.directory = -1};
	bool interrupted = false;
	struct err err;
	int status = EXIT_TOOL;

	if (args_get(args, OPTION_RTL))
		return judge_circuits(args);
	if (args_get(args, OPTION_COUNTERS))
		return fail_usage(command_named("judge"),
				  "--counters chooses circuits of --rtl; all methods are judged");
	if (!outputs_open(&outputs, args, &err)) {
		status = fail_run(command_named("judge"), err.text);
	} else if (!judge_open(&request, args, &status, &err)) {
		status = fail_with(status, command_named("judge"), err.text);
	} else if (!orders_from_args(&request.all_orders, args, &err)) {
		status = fail_usage(command_named("judge"), err.text);
	} else if (!keep_open(&keep, args, &err)) {
		status = fail_tool(err.text);
	} else {
		say_work(&request, args);
		request.shelf = keep_shelf(&keep);
		json_t *result = judge_with_progress(&request, args, &interrupted, &err);

		status = result ? finish(&outputs, result, interrupted) : fail_tool(err.text);
		json_decref(result);
	}
	outputs_close(&outputs, status);
	keep_close(&keep, status == 0);
	judge_release(&request);
	return status;
}
