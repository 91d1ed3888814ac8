#include <math.h>

#include "base/array.h"
#include "count/exact.h"
#include "job/gain.h"
#include "job/job.h"
#include "job/key.h"

#define WINDOW_LENGTH  20000
#define WINDOW_SETTLES 2000
#define STRETCH	       1000000
/* Windows with all machines that are made in any case. */
#define ALLOWANCE 16
/* A stratum is so much of what has passed: of a short run, so that few of its phases have no
 * window, and later, so that one of 10 M has some 13 windows. With `within`, at most. */
#define GROWTH	      0.25
#define EARLY	      1000000
#define GROWTH_LATER  0.3
#define GROWTH_WITHIN 0.1

/* While the job runs. */
struct gaining {
	struct gain gain;
	struct exact *exact;
	const struct job_simulation *run;
	const struct part_gain *part;
	size_t windows; /* that the anchor rests on; 0: there is none */
	struct gain_link links[TRUTH_LINKS];
};

static double largest_error(const struct gaining *g, const uint64_t *charged, uint64_t cycles)
{
	double largest = 0;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		largest = fmax(largest, gain_error(&g->gain, charged, cycles, i));
	return largest;
}

static bool wants_more(void *context)
{
	struct gaining *g = context;
	const uint64_t cycles = simulation_cycles(g->run->simulation);

	/* Finding it lets it see all records. */
	g->exact = observers_find(g->run->observers, &count_exact);
	return cycles && largest_error(g, exact_charged(g->exact), cycles) >
				 g->part->options.within * (double)cycles;
}

static struct windows_schedule schedule_of(const struct gain_options *options, size_t machines)
{
	const double window = (WINDOW_LENGTH + WINDOW_SETTLES) * (double)machines;
	struct windows_schedule schedule = {
		.length = WINDOW_LENGTH,
		.settles = WINDOW_SETTLES,
		.allowance = INFINITY,
		.budget = options->budget,
	};

	if (isinf(options->budget)) {
		schedule.stretch = STRETCH;
		return schedule;
	}
	schedule.growth = options->within > 0 ? GROWTH_WITHIN : GROWTH;
	if (options->within > 0)
		return schedule;
	schedule.early = EARLY;
	schedule.later = GROWTH_LATER;
	schedule.longest =
		options->budget > 0 ? (uint64_t)fmin(window / options->budget, 1e15) : UINT64_MAX;
	schedule.allowance = ALLOWANCE * window;
	schedule.spares = true;
	return schedule;
}

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct part_gain *part = (const struct part_gain *)self->part;
	const struct job_simulation *run = self->run;
	struct exact *exact = run->observers ? observers_find(run->observers, &count_exact) : NULL;

	/* With time by cycles the program may do other things on another machine. */
	if (!exact || !part->copies || run->job->by_cycles)
		return true;
	struct gaining *g = mem_alloc(sizeof(*g));
	self->state = g;
	g->exact = exact;
	g->run = run;
	g->part = part;
	gain_init(&g->gain, &run->job->machine->config);
	g->gain.windows = windows_create(
		&(struct windows_plan){
			.simulation = run->simulation,
			.process = run->process,
			.thread = watch->thread,
			.run = &run->job->machine->config,
			.machines = g->gain.machines,
			.count = g->gain.count - 1,
			.like = g->gain.like,
			.schedule = schedule_of(&part->options, g->gain.count),
			.counts_slots = true,
			.last = run->job->max_instructions,
			.copies = part->copies,
			.is_worker = watch->is_worker,
			.wants_more = part->options.within > 0 ? wants_more : NULL,
			.context = g,
		},
		err);
	return g->gain.windows;
}

static void poll_windows(struct job_part_run *self)
{
	struct gaining *g = self->state;

	if (g)
		windows_poll(g->gain.windows);
}

/* Slots of each link, which add up to `all`. */
static void share(const struct gain_link *links, size_t count, uint64_t all, uint64_t cycles,
		  struct anchor_group *groups)
{
	double sum = 0;
	uint64_t given = 0;

	for (size_t i = 0; i < count; i++) {
		sum += links[i].cycles;
		const uint64_t end =
			i + 1 == count ? all
				       : (uint64_t)(fmin(sum / (double)cycles, 1) * (double)all);

		groups[i] = (struct anchor_group){links[i].causes, end > given ? end - given : 0};
		given += groups[i].slots;
	}
}

static bool conclude(struct job_part_run *self, struct err *err)
{
	struct gaining *g = self->state;
	struct anchor_group groups[TRUTH_LINKS];
	uint64_t all = 0;

	if (!g)
		return true;
	if (!windows_finish(g->gain.windows, self->run->is_stopped, err))
		return false;
	/* Finding it lets it see all records. */
	g->exact = observers_find(self->run->observers, &count_exact);
	const uint64_t cycles = simulation_cycles(self->run->simulation);
	const uint64_t *charged = exact_charged(g->exact);
	g->windows = gain_read(&g->gain, charged, cycles, g->links);
	if (!g->windows)
		return true;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		all += charged[i];
	share(g->links, g->gain.count, all, cycles, groups);
	exact_anchor(g->exact, groups, g->gain.count);
	const double within = g->part->options.within, error = largest_error(g, charged, cycles);
	if (within > 0 && error > within * (double)cycles)
		process_warn(self->run->process,
			     "--within %g%%: when the run ended, a component could still be off by "
			     "%.2f %% of the cycles; --gain-budget all measures the whole run",
			     100 * within, 100 * error / (double)cycles);
	return true;
}

static json_t *errors_json(const struct gaining *g, uint64_t cycles)
{
	const struct config *config = &g->run->job->machine->config;
	const uint64_t *charged = exact_charged(g->exact);
	json_t *errors = json_object();

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		if (observer_has_component(config, i))
			json_object_set_new(errors, component_rows[i].name,
					    json_integer((json_int_t)llround(
						    gain_error(&g->gain, charged, cycles, i))));
	return errors;
}

/* Of each link, by the first of its causes. */
static json_t *cause_errors_json(const struct gaining *g)
{
	json_t *errors = json_object();

	for (size_t i = 0; i < g->gain.count; i++)
		json_object_set_new(errors, cause_rows[g->gain.chain[i].cause].name,
				    json_integer((json_int_t)llround(g->links[i].error)));
	return errors;
}

/* What each link costs, by the first of its causes, in whole cycles that add up to the run's. */
static json_t *costs_json(const struct gaining *g, uint64_t cycles)
{
	json_t *costs = json_object();
	uint64_t given = 0;
	double sum = 0;

	for (size_t i = 0; i < g->gain.count; i++) {
		sum += g->links[i].cycles;
		const uint64_t end =
			i + 1 == g->gain.count
				? cycles
				: (uint64_t)fmin(fmax(sum, (double)given), (double)cycles);

		json_object_set_new(costs, cause_rows[g->gain.chain[i].cause].name,
				    json_integer((json_int_t)(end - given)));
		given = end;
	}
	return costs;
}

static void describe(struct job_part_run *self, json_t *result)
{
	const struct gaining *g = self->state;
	const uint64_t cycles = simulation_cycles(self->run->simulation);

	if (!self->run->observers || !observers_find(self->run->observers, &count_exact))
		return;
	if (!g || !g->windows) {
		json_object_set_new(result, "gain", json_pack("{s:i}", "windows", 0));
		return;
	}
	const struct windows_estimate all =
		windows_estimate(g->gain.windows, &(struct windows_question){.machine = WINDOWS_RUN,
									     .less = WINDOWS_NONE});

	json_object_set_new(
		result, "gain",
		json_pack("{s:I, s:I, s:I, s:o, s:o, s:o}", "windows", (json_int_t)g->windows,
			  "window_instructions", (json_int_t)all.instructions, "machines",
			  (json_int_t)g->gain.count, "errors", errors_json(g, cycles), "costs",
			  costs_json(g, cycles), "cause_errors", cause_errors_json(g)));
}

static void end(struct job_part_run *self)
{
	struct gaining *g = self->state;

	if (g)
		windows_destroy(g->gain.windows);
	free(g);
}

static bool add_key(const struct job_part *self, struct job_key *key)
{
	const struct part_gain *part = (const struct part_gain *)self;

	job_key_number(key, isinf(part->options.budget)
				    ? UINT64_MAX
				    : (uint64_t)llround(part->options.budget * 1e8));
	job_key_number(key, (uint64_t)llround(part->options.within * 1e8));
	job_key_number(key, part->copies > 0);
	return true;
}

static const struct job_part_kind kind = {
	.name = "gain",
	.copies = true,
	.begin = begin,
	.poll = poll_windows,
	.poll_cycles = WINDOWS_POLL_CYCLES,
	.conclude = conclude,
	.describe = describe,
	.end = end,
	.key = add_key,
};

const struct job_part *part_gain_init(struct part_gain *gain, unsigned copies)
{
	*gain = (struct part_gain){{&kind, NULL}, {.budget = GAIN_BUDGET}, copies};
	return &gain->part;
}
