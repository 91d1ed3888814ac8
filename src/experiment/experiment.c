#include "experiment/experiment.h"

#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "job/worker_pool.h"

/* A plan of which some results were found on the shelf. */
struct run {
	const struct experiment *experiment;
	struct plan *plan;
	size_t *missing; /* the numbers of the points that are to be run */
	size_t missing_count;
	double began;
};

double experiment_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct experiment_progress experiment_progress_since(double began, size_t found, size_t done,
						     size_t all)
{
	const double spent = experiment_now() - began;

	return (struct experiment_progress){
		.done = done,
		.all = all,
		.seconds_left =
			done > found ? (double)(all - done) / (double)(done - found) * spent : -1,
	};
}

static void fill_task(void *context, size_t i, struct worker_task *task)
{
	const struct run *run = context;
	union {
		const struct point *given;
		void *context;
	} point = {&run->plan->points[run->missing[i]]};

	point.given->kind->fill(point.given, task);
	task->context = point.context;
}

static bool fail_worker(struct err *err)
{
	err_as_tool(err);
	return err_prefix(err, "internal error: the worker's result");
}

static bool take_result(void *context, size_t i, const char *bytes, size_t count, struct err *err)
{
	const struct run *run = context;
	struct plan *plan = run->plan;
	const struct point *point = &plan->points[run->missing[i]];
	json_t *result = point->kind->read(point, bytes, count, err);
	bool ok = result ? plan->take(plan, run->missing[i], result, err) : fail_worker(err);

	if (ok)
		shelf_put(run->experiment->shelf, point, result);
	json_decref(result);
	return ok;
}

static void tell_progress(void *context, size_t done)
{
	const struct run *run = context;
	const struct experiment *experiment = run->experiment;
	const size_t all = run->plan->count, found = all - run->missing_count;

	if (!experiment->progress)
		return;
	const struct experiment_progress progress =
		experiment_progress_since(run->began, found, found + done, all);
	experiment->progress(experiment->context, &progress);
}

/* Takes what the shelf has, and notes what it has not. */
static bool look_on_shelf(struct run *run, struct err *err)
{
	struct plan *plan = run->plan;
	bool ok = true;

	for (size_t i = 0; ok && i < plan->count; i++) {
		json_t *result = shelf_find(run->experiment->shelf, &plan->points[i]);

		if (result)
			ok = plan->take(plan, i, result, err);
		else
			run->missing[run->missing_count++] = i;
		json_decref(result);
	}
	return ok;
}

bool experiment_run(const struct experiment *experiment, struct plan *plan, bool *interrupted,
		    struct err *err)
{
	struct run run = {.experiment = experiment, .plan = plan};

	*interrupted = false;
	for (size_t i = 0; i < plan->count; i++)
		if (!plan->points[i].kind->may_start(&plan->points[i], err))
			return false;
	run.missing = mem_alloc_array(plan->count, sizeof(*run.missing));
	bool ok = look_on_shelf(&run, err);
	run.began = experiment_now();
	const struct worker_pool pool = {
		.task = fill_task,
		.done = take_result,
		.progress = tell_progress,
		.context = &run,
		.count = run.missing_count,
		.at_once = experiment->at_once,
		.retries = EXPERIMENT_RETRIES,
	};
	ok = ok && worker_pool_run(&pool, interrupted, err);
	free(run.missing);
	return ok;
}

json_t *experiment_result(const struct experiment *experiment, struct plan *plan, bool *interrupted,
			  struct err *err)
{
	err_stopped(err, "interrupted");
	return experiment_run(experiment, plan, interrupted, err)
		       ? plan->conclude(plan, *interrupted, err)
		       : NULL;
}
