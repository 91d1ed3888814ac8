#include "cmd/reproduce_plots.h"

#include <stdlib.h>

#include "base/array.h"
#include "cmd/program.h"
#include "cmd/progress.h"
#include "count/count.h"
#include "count/interval_plot.h"
#include "job/job.h"
#include "report/papers/paper_eyerman2006.h"

/* At size test the data of most programs fits into the L2, so the first part of size small is
 * always used, which takes less than a second each. */
#define PLOTTED_INSTRUCTIONS 4000000
#define PLOTTED_SIZE	     "small"
#define PROGRAMS_MOST	     16

struct plotted {
	struct program program;
	json_t *found; /* the plots found, by kind of event */
};

struct plotter {
	struct plotted programs[PROGRAMS_MOST];
	size_t count;
	struct progress progress;
};

static const unsigned figures[INTERVAL_KINDS] = {
	[INTERVAL_STRETCH] = 2, [INTERVAL_L1I] = 3,	[INTERVAL_BRANCH] = 5,
	[INTERVAL_LONG] = 7,	[INTERVAL_OVERLAP] = 8,
};

static bool take_result(void *context, size_t i, json_t *result, struct err *err)
{
	struct plotter *plotter = context;

	(void)err;
	plotter->programs[i].found = json_incref(json_object_get(result, count_plots.name));
	return true;
}

static void show_progress(void *context, size_t done)
{
	struct plotter *plotter = context;

	progress_count(&plotter->progress, done, plotter->count, "programs searched for intervals");
}

static bool open_programs(struct plotter *plotter, struct err *err)
{
	int status;

	for (const struct paper_program *p = paper_eyerman2006_programs; p->name; p++) {
		char name[64], *rest[] = {name, NULL};
		struct args args = {.rest = rest, .rest_count = 1};

		snprintf(name, sizeof(name), "@%s:" PLOTTED_SIZE, p->ours);
		if (!program_open(&plotter->programs[plotter->count++].program, &args, &status,
				  err))
			return false;
	}
	return true;
}

static bool run(struct plotter *plotter, const struct judge_request *request, bool *interrupted,
		struct err *err)
{
	static const struct observer_kind *const observers[] = {&count_plots, NULL};
	const struct job_machine machine = {.config = request->machine.config, .name = ""};
	struct job jobs[PROGRAMS_MOST];
	const struct job_batch batch = {
		.jobs = jobs,
		.count = plotter->count,
		.at_once = request->at_once,
		.shelf = request->shelf,
		.done = take_result,
		.progress = show_progress,
		.context = plotter,
	};

	for (size_t i = 0; i < plotter->count; i++)
		jobs[i] = (struct job){
			.program = &plotter->programs[i].program,
			.machine = &machine,
			.observers = observers,
			.max_instructions = PLOTTED_INSTRUCTIONS,
			.is_silent = true,
			.is_whole = true,
		};
	return jobs_run(&batch, interrupted, err);
}

/* The plot of the program with the most clean events; of equal ones the first. */
static json_t *choose(const struct plotter *plotter, enum interval_kind kind)
{
	const char *name = interval_kind_name(kind);
	json_t *by_program = json_object();
	const struct plotted *best = NULL;
	json_int_t most = 0;

	for (size_t i = 0; i < plotter->count; i++) {
		const struct plotted *plotted = &plotter->programs[i];
		json_int_t found = json_integer_value(
			json_object_get(json_object_get(plotted->found, name), "found"));

		json_object_set_new(by_program, plotted->program.name, json_integer(found));
		if (found > most) {
			most = found;
			best = plotted;
		}
	}
	if (!best) {
		json_decref(by_program);
		return NULL;
	}
	json_t *plot = json_pack("{s:i, s:s, s:s, s:i, s:o}", "figure", (int)figures[kind], "kind",
				 name, "program", best->program.name, "instructions",
				 PLOTTED_INSTRUCTIONS, "found_by_program", by_program);
	json_object_update(plot, json_object_get(best->found, name));
	return plot;
}

json_t *reproduce_plots(const struct judge_request *request, const struct args *args,
			bool *interrupted, struct err *err)
{
	struct plotter plotter = {0};

	progress_start(&plotter.progress, args, 0, false);
	bool ok = open_programs(&plotter, err) && run(&plotter, request, interrupted, err);
	progress_end(&plotter.progress);
	json_t *plots = ok ? json_array() : NULL;
	for (unsigned i = 0; ok && !*interrupted && i < INTERVAL_KINDS; i++) {
		json_t *plot = choose(&plotter, (enum interval_kind)i);

		if (plot)
			json_array_append_new(plots, plot);
	}
	for (size_t i = 0; i < plotter.count; i++) {
		program_release(&plotter.programs[i].program);
		json_decref(plotter.programs[i].found);
	}
	return plots;
}
