#include "cmd/reproduce_plots.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/guest_job.h"
#include "cmd/program.h"
#include "count/interval_plot.h"
#include "machine/simulation.h"
#include "job/worker_pool.h"
#include "report/papers/reproduce_paper.h"

/* At test size most programs have their data in the L2, so it is always the start of the
 * small one, in less than a second each. */
#define LOOKED_AT_INSTRUCTIONS 4000000
#define LOOKED_AT_SIZE	       "small"
#define WARM_UP_CYCLES	       100000
#define LOOK_UP_CYCLES	       200000
#define PROGRAMS_MOST	       16

struct plot_task {
	struct program program;
	const struct config *config;
	json_t *found; /* by kind */
};

struct plotter {
	struct plot_task tasks[PROGRAMS_MOST];
	size_t count;
	bool shows_progress, has_line;
};

static const unsigned figures[INTERVAL_KINDS] = {
	[INTERVAL_STRETCH] = 2, [INTERVAL_L1I] = 3,	[INTERVAL_BRANCH] = 5,
	[INTERVAL_LONG] = 7,	[INTERVAL_OVERLAP] = 8,
};

static const struct {
	const char *name;
	size_t in_sample, in_sum;
} series[] = {
	{"useful_issued", offsetof(struct interval_sample, useful_issued),
	 offsetof(struct interval_sum, useful_issued)},
	{"dispatched", offsetof(struct interval_sample, dispatched),
	 offsetof(struct interval_sum, dispatched)},
	{"useful_dispatched", offsetof(struct interval_sample, useful_dispatched),
	 offsetof(struct interval_sum, useful_dispatched)},
	{"committed", offsetof(struct interval_sample, committed),
	 offsetof(struct interval_sum, committed)},
	{"rob_used", offsetof(struct interval_sample, rob_used),
	 offsetof(struct interval_sum, rob_used)},
};

static void add_event(json_t *events, int cycle, const char *what)
{
	json_array_append_new(events, json_pack("{s:i, s:s}", "cycle", cycle, "what", what));
}

static json_t *events_of(const struct interval_view *view)
{
	json_t *events = json_array();
	unsigned before = view->example[0].marks;

	for (unsigned i = 0; i < view->length; i++) {
		unsigned marks = view->example[i].marks, begun = marks & ~before;
		int cycle = (int)i - (int)view->before;

		if (marks & INTERVAL_FETCH_MISS)
			add_event(events, cycle, "l1i");
		if (marks & INTERVAL_DISPATCH)
			add_event(events, cycle, "branch");
		if (marks & INTERVAL_RESOLVE)
			add_event(events, cycle, "resolved");
		if (marks & INTERVAL_LOAD_MISS)
			add_event(events, cycle, "long");
		if (marks & INTERVAL_BLOCKED && begun & (INTERVAL_FULL | INTERVAL_BLOCKED) &&
		    marks & INTERVAL_FULL)
			add_event(events, cycle, "full");
		if (before & ~marks & INTERVAL_BLOCKED)
			add_event(events, cycle, "data");
		before = marks;
	}
	return events;
}

static json_t *view_object(const struct interval_view *view)
{
	json_t *example = json_object(), *mean = json_object();
	char pc[32];

	for (size_t k = 0; k < ARRAY_COUNT(series); k++) {
		json_t *numbers = json_array(), *means = json_array();

		for (unsigned i = 0; i < view->length; i++) {
			const char *sample = (const char *)&view->example[i];
			const char *sum = (const char *)&view->sums[i];
			uint16_t one = *(const uint16_t *)(sample + series[k].in_sample);
			uint64_t all = *(const uint64_t *)(sum + series[k].in_sum);

			json_array_append_new(numbers, json_integer(one));
			json_array_append_new(means, json_real((double)all / (double)view->found));
		}
		json_object_set_new(example, series[k].name, numbers);
		json_object_set_new(mean, series[k].name, means);
	}
	json_object_set_new(example, "events", events_of(view));
	snprintf(pc, sizeof(pc), "0x%" PRIx64, view->first_pc);
	return json_pack("{s:I, s:i, s:I, s:s, s:o, s:o}", "found", (json_int_t)view->found,
			 "before", (int)view->before, "first_cycle", (json_int_t)view->first_cycle,
			 "pc", pc, "example", example, "mean", mean);
}

/* In the worker. */
static void send_views(struct worker *worker, const struct interval_plot *plot)
{
	json_t *result = json_object();

	for (unsigned i = 0; i < INTERVAL_KINDS; i++) {
		struct interval_view view;

		interval_plot_read(plot, (enum interval_kind)i, &view);
		if (view.found)
			json_object_set_new(result, interval_kind_name((enum interval_kind)i),
					    view_object(&view));
	}
	guest_job_send(worker, result);
}

static void look(struct worker *worker, const struct plot_task *task, struct process *process)
{
	struct err err;
	struct simulation *simulation = simulation_create(task->config, process, &err);
	bool goes_on = true;

	if (!simulation) {
		worker_send_error(worker, err.text);
		return;
	}
	struct interval_plot *plot = interval_plot_create(task->config, WARM_UP_CYCLES);
	simulation_attach(simulation, (struct observer){interval_plot_cycle, plot});
	while (goes_on && !worker_should_stop(worker))
		goes_on = simulation_run_to(simulation, LOOK_UP_CYCLES, LOOKED_AT_INSTRUCTIONS);
	if (process->state == PROCESS_FAILED)
		worker_send_error(worker, process->error.text);
	else if (!goes_on)
		send_views(worker, plot);
	interval_plot_destroy(plot);
	simulation_destroy(simulation);
}

static void body(struct worker *worker, void *context)
{
	const struct plot_task *task = context;
	struct process_options options = program_process_options(&task->program);
	struct err err;

	options.silent = true;
	struct process *process = process_create(&options, &err);
	if (!process) {
		worker_send_error(worker, err.text);
		return;
	}
	look(worker, task, process);
	process_destroy(process);
}

static void assign(void *context, size_t i, struct worker_task *task)
{
	struct plotter *plotter = context;

	*task = (struct worker_task){.body = body, .context = &plotter->tasks[i]};
}

static bool hear(void *context, size_t i, const char *bytes, size_t count, struct err *err)
{
	struct plotter *plotter = context;

	plotter->tasks[i].found = json_loadb(bytes, count, 0, NULL);
	return plotter->tasks[i].found ||
	       err_set(err, "internal error: the worker's result is not JSON");
}

static void show_progress(void *context, size_t done)
{
	struct plotter *plotter = context;

	if (!plotter->shows_progress)
		return;
	fprintf(stderr, "\r\033[Kintervals: %zu of %zu programs looked at\r", done, plotter->count);
	fflush(stderr);
	plotter->has_line = true;
}

static bool open_programs(struct plotter *plotter, const struct config *config, struct err *err)
{
	int status;

	for (const struct paper_program *p = paper_programs; p->name; p++) {
		struct plot_task *task = &plotter->tasks[plotter->count++];
		char name[64], *rest[] = {name, NULL};
		struct args args = {.rest = rest, .rest_count = 1};

		snprintf(name, sizeof(name), "@%s:" LOOKED_AT_SIZE, p->ours);
		task->config = config;
		if (!program_open(&task->program, &args, &status, err))
			return false;
	}
	return true;
}

/* The one with most clean events; of equals the first. */
static json_t *choose(const struct plotter *plotter, enum interval_kind kind)
{
	const char *name = interval_kind_name(kind);
	json_t *by_program = json_object();
	const struct plot_task *best = NULL;
	json_int_t most = 0;

	for (size_t i = 0; i < plotter->count; i++) {
		const struct plot_task *task = &plotter->tasks[i];
		json_int_t found = json_integer_value(
			json_object_get(json_object_get(task->found, name), "found"));

		json_object_set_new(by_program, task->program.name, json_integer(found));
		if (found > most) {
			most = found;
			best = task;
		}
	}
	if (!best) {
		json_decref(by_program);
		return NULL;
	}
	json_t *plot = json_pack("{s:i, s:s, s:s, s:i, s:o}", "figure", (int)figures[kind], "kind",
				 name, "program", best->program.name, "instructions",
				 LOOKED_AT_INSTRUCTIONS, "found_by_program", by_program);
	json_object_update(plot, json_object_get(best->found, name));
	return plot;
}

json_t *reproduce_plots(const struct config *config, unsigned jobs, bool *interrupted,
			struct err *err)
{
	struct plotter plotter = {.shows_progress = isatty(STDERR_FILENO)};
	bool ok = open_programs(&plotter, config, err);

	if (ok) {
		struct worker_pool pool = {.task = assign,
					   .done = hear,
					   .progress = show_progress,
					   .context = &plotter,
					   .count = plotter.count,
					   .at_once = jobs};

		ok = worker_pool_run(&pool, interrupted, err);
	}
	if (plotter.has_line)
		fputs("\r\033[K", stderr);
	json_t *plots = ok ? json_array() : NULL;
	for (unsigned i = 0; ok && !*interrupted && i < INTERVAL_KINDS; i++) {
		json_t *plot = choose(&plotter, (enum interval_kind)i);

		if (plot)
			json_array_append_new(plots, plot);
	}
	for (size_t i = 0; i < plotter.count; i++) {
		program_release(&plotter.tasks[i].program);
		json_decref(plotter.tasks[i].found);
	}
	return plots;
}
