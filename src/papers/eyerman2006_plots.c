#include "papers/eyerman2006_plots.h"

#include <stdlib.h>

#include "base/array.h"
#include "count/count.h"
#include "count/interval_plot.h"
#include "papers/paper_eyerman2006.h"

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
	struct job_machine machine;
};

static const unsigned figures[INTERVAL_KINDS] = {
	[INTERVAL_STRETCH] = 2, [INTERVAL_L1I] = 3,	[INTERVAL_BRANCH] = 5,
	[INTERVAL_LONG] = 7,	[INTERVAL_OVERLAP] = 8,
};

static bool take(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	struct plotter *plotter = plan->own;

	(void)err;
	plotter->programs[i].found = json_incref(json_object_get(result, count_plots.name));
	return true;
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

static json_t *conclude(struct plan *plan, bool interrupted, struct err *err)
{
	json_t *plots = interrupted ? NULL : json_array();

	(void)err;
	for (unsigned i = 0; plots && i < INTERVAL_KINDS; i++) {
		json_t *plot = choose(plan->own, (enum interval_kind)i);

		if (plot)
			json_array_append_new(plots, plot);
	}
	return plots;
}

static void release(struct plan *plan)
{
	struct plotter *plotter = plan->own;

	for (size_t i = 0; i < plotter->count; i++) {
		program_release(&plotter->programs[i].program);
		json_decref(plotter->programs[i].found);
	}
}

static const struct plan functions = {.take = take, .conclude = conclude, .release = release};

static bool open_programs(struct plotter *plotter, const struct measurement_request *request,
			  struct err *err)
{
	for (const struct paper_program *p = paper_eyerman2006_programs; p->name; p++) {
		char name[PAPER_NAME_BYTES];

		BUG_ON(plotter->count == PROGRAMS_MOST);
		snprintf(name, sizeof(name), "@%s:" PLOTTED_SIZE, p->ours);
		if (!request->open(&plotter->programs[plotter->count++].program, name, err))
			return false;
	}
	return true;
}

struct plan *eyerman2006_plots(const struct measurement_request *request, struct err *err)
{
	static const struct observer_kind *const observers[] = {&count_plots, NULL};
	struct plan *plan = plan_create(sizeof(struct plotter), &functions);
	struct plotter *plotter = plan->own;

	plotter->machine =
		(struct job_machine){.config = request->subject->machine.config, .name = ""};
	if (!open_programs(plotter, request, err)) {
		plan_destroy(plan);
		return NULL;
	}
	for (size_t i = 0; i < plotter->count; i++) {
		struct point point = point_of(&plotter->programs[i].program, &plotter->machine);

		point.observers = observers;
		point.max_instructions = PLOTTED_INSTRUCTIONS;
		plan_add(plan, &point);
	}
	return plan;
}
