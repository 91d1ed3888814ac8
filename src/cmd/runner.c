#include "cmd/runner.h"

#include <stdio.h>

#include "report/file/file.h"

static bool write_entry(int directory, const char *name, const void *bytes, size_t count,
			struct err *err)
{
	struct report_target target;
	bool ok = report_target_open_entry(&target, directory, name, err) &&
		  report_write_file(&target, bytes, count, err);

	report_target_release(&target);
	return ok;
}

bool runner_open(struct runner *runner, const struct args *args, unsigned at_once, struct err *err)
{
	*runner = (struct runner){.args = args, .at_once = at_once};
	bool ok = shelf_open(&runner->shelf, args_get(args, OPTION_KEEP), err);

	runner->shelf.write = write_entry;
	runner->shelf.warn = say_warning;
	return ok;
}

static void show_progress(void *context, const struct experiment_progress *progress)
{
	progress_count(context, progress, "simulations done");
}

static struct experiment begin(struct runner *runner)
{
	const double said = runner->progress.said;

	progress_start(&runner->progress, runner->args, 0, false);
	/* A command of many short plans has its lines as often as one of a long plan. */
	if (said > 0)
		runner->progress.said = said;
	return (struct experiment){
		.at_once = runner->at_once,
		.shelf = &runner->shelf,
		.progress = show_progress,
		.context = &runner->progress,
	};
}

bool runner_run(struct runner *runner, struct plan *plan, bool *interrupted, struct err *err)
{
	const struct experiment experiment = begin(runner);
	bool ok = experiment_run(&experiment, plan, interrupted, err);

	progress_end(&runner->progress);
	return ok;
}

json_t *runner_result(struct runner *runner, struct plan *plan, bool *interrupted, struct err *err)
{
	const struct experiment experiment = begin(runner);
	json_t *result = experiment_result(&experiment, plan, interrupted, err);

	progress_end(&runner->progress);
	return result;
}

void runner_close(struct runner *runner, bool is_whole)
{
	const size_t kept = runner->shelf.count;

	if (!is_whole && kept)
		fprintf(stderr,
			"cyclestack: %zu finished simulation%s kept: the same command goes on from "
			"there\n",
			kept, kept == 1 ? " is" : "s are");
	shelf_close(&runner->shelf, is_whole);
}
