#include "cmd/runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"

/* --keep DIR is how earlier versions named a store of simulations alone: it is a file there. */
static char *kept_in(const char *directory, struct err *err)
{
	if (mkdir(directory, 0700) == 0 || errno == EEXIST)
		return mem_format("%s/kept.db", directory);
	err_set_errno(err, errno, "cannot keep simulations in %s", directory);
	return NULL;
}

bool runner_open(struct runner *runner, const struct args *args, unsigned at_once, struct err *err)
{
	const char *directory = args_get(args, OPTION_KEEP);
	const char *store = args_get(args, OPTION_REUSE) ? args_get(args, OPTION_STORE) : NULL;
	char *kept = NULL;

	*runner = (struct runner){.args = args, .at_once = at_once};
	if (args_get(args, OPTION_REUSE) && !store)
		return err_usage(err, "--reuse takes results from a store: give --store FILE, or "
				      "set CYCLESTACK_STORE");
	if (store && directory)
		return err_usage(err, "--keep and --reuse name two stores: leave --keep out");
	if (directory && !(kept = kept_in(directory, err)))
		return false;
	const bool ok = shelf_open(&runner->shelf, kept ? kept : store, err);
	free(kept);
	runner->shelf.warn = say_warning;
	runner->shelf.version = version_text();
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
