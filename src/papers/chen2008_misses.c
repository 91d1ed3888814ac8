#include "papers/chen2008_misses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/model_job.h"
#include "model/isolated.h"
#include "value/member.h"

/* The techniques of figures 8 to 12, by the names that results use. */
static const struct named_technique {
	const char *name;
	struct technique technique;
} techniques[] = {
#define PLAIN_FIXED(hits, is_pending, part, quarters)                                   \
	{                                                                               \
		"plain_" hits "_" part,                                                 \
		{                                                                       \
			.windows = WINDOWS_PLAIN, .pending_hits = is_pending,           \
			.compensation = COMPENSATION_FIXED, .fixed_quarters = quarters, \
			.mshr_aware = true, .store_fills_miss = is_pending              \
		}                                                                       \
	}
#define TECHNIQUE(name, of_windows, is_pending, of_compensation, is_aware)       \
	{                                                                        \
		name,                                                            \
		{                                                                \
			.windows = of_windows, .pending_hits = is_pending,       \
			.compensation = of_compensation, .mshr_aware = is_aware, \
			.store_fills_miss = is_pending                           \
		}                                                                \
	}
	TECHNIQUE("plain_without_none", WINDOWS_PLAIN, false, COMPENSATION_NONE, true),
	TECHNIQUE("plain_with_none", WINDOWS_PLAIN, true, COMPENSATION_NONE, true),
	PLAIN_FIXED("without", false, "quarter", 1),
	PLAIN_FIXED("without", false, "half", 2),
	PLAIN_FIXED("without", false, "three_quarters", 3),
	PLAIN_FIXED("without", false, "full", 4),
	PLAIN_FIXED("with", true, "quarter", 1),
	PLAIN_FIXED("with", true, "half", 2),
	PLAIN_FIXED("with", true, "three_quarters", 3),
	PLAIN_FIXED("with", true, "full", 4),
	TECHNIQUE("plain_without_distance", WINDOWS_PLAIN, false, COMPENSATION_DISTANCE, true),
	TECHNIQUE("plain_with_distance", WINDOWS_PLAIN, true, COMPENSATION_DISTANCE, true),
	TECHNIQUE("plain_unaware", WINDOWS_PLAIN, true, COMPENSATION_DISTANCE, false),
	TECHNIQUE("swam_none", WINDOWS_SWAM, true, COMPENSATION_NONE, true),
	TECHNIQUE("swam_without_distance", WINDOWS_SWAM, false, COMPENSATION_DISTANCE, true),
	TECHNIQUE("swam", WINDOWS_SWAM, true, COMPENSATION_DISTANCE, true),
	TECHNIQUE("swam_mlp", WINDOWS_SWAM_MLP, true, COMPENSATION_DISTANCE, true),
/* Beyond the paper, whole and without one part each. */
#define TIMELINE(name, pending, addresses, mshrs, times)                                          \
	{                                                                                         \
		name,                                                                             \
		{                                                                                 \
			.windows = WINDOWS_TIMELINE, .pending_hits = pending, .mshr_aware = true, \
			.store_fills_miss = pending, .store_addresses = addresses,                \
			.store_mshrs = mshrs, .base_times = times                                 \
		}                                                                                 \
	}
	TIMELINE("timeline", true, true, true, true),
	TIMELINE("timeline_without_pending_hits", false, true, true, true),
	TIMELINE("timeline_without_store_addresses", true, false, true, true),
	TIMELINE("timeline_without_store_mshrs", true, true, false, true),
	TIMELINE("timeline_without_base_times", true, true, true, false),
};

/* The design points: numbers of MSHRs first, then latencies and a larger L2 for the example. */
static const struct {
	const char *name;
	uint32_t mshrs, latency; /* 0: the machine's */
	uint32_t l2_times;	 /* its size: so many times the machine's */
} points[] = {
	{"unlimited", UNLIMITED, 0, 1},
	{"mshrs_16", 16, 0, 1},
	{"mshrs_8", 8, 0, 1},
	{"latency_100", UNLIMITED, 100, 1},
	{"latency_400", UNLIMITED, 400, 1},
	{"latency_800", UNLIMITED, 800, 1},
	{"large_l2", UNLIMITED, 0, 4},
};
#define MSHR_POINTS 3

/* The simulations of a program: the isolated ones before ISOLATED_DMISS, then those with data
 * misses; those from SIMULATE_POINTS on are of the points. */
enum {
	SIMULATE_NO_PENDING = ISOLATED_DMISS,
	SIMULATE_POINTS,
	SIMULATIONS = SIMULATE_POINTS + ARRAY_COUNT(points)
};

static void set_point(struct config *config, size_t point)
{
	if (config->cache_levels > 1) {
		config->l2_mshrs = points[point].mshrs;
		config->l2_size *= points[point].l2_times;
	}
	if (points[point].latency)
		config->memory_latency = points[point].latency;
}

static void set_simulation(struct config *config, size_t simulation)
{
	isolated_set(config,
		     simulation < ISOLATED_DMISS ? (enum isolated)simulation : ISOLATED_DMISS);
	/* The machine of the paper has no misses of the instruction TLB; icache counts them. */
	if (simulation == ISOLATED_ICACHE)
		config->ideal_itlb = false;
	if (simulation == SIMULATE_NO_PENDING)
		config->ideal_pending = true;
	if (simulation >= SIMULATE_POINTS)
		set_point(config, simulation - SIMULATE_POINTS);
}

/* What was measured of a program. */
struct measured {
	const struct program *program;
	double cpis[SIMULATIONS]; /* 0: not simulated */
	json_t *model;		  /* NULL: not yet */
	bool is_example;
	size_t done, all;
	/* What is modelled: the points that are simulated too, by all techniques. */
	struct model_point_request points[ARRAY_COUNT(points)];
	struct model_request request;
};

struct misses {
	const struct subject *subject;
	struct technique techniques[ARRAY_COUNT(techniques)];
	struct job_machine machines[SIMULATIONS];
	struct measured *programs;
	/* Of each point: program * (SIMULATIONS + 1) + simulation; behind these the model. */
	size_t *owners;
	size_t capacity;
};

static bool take(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	struct misses *misses = plan->own;
	struct measured *measured = &misses->programs[misses->owners[i] / (SIMULATIONS + 1)];
	const size_t simulation = misses->owners[i] % (SIMULATIONS + 1);
	const json_t *values = json_object_get(result, "values");

	(void)err;
	if (simulation == SIMULATIONS)
		measured->model = json_incref(result);
	else
		measured->cpis[simulation] =
			member_number(values, "cycles") / member_number(values, "instructions");
	measured->done++;
	return true;
}

static const json_t *modelled_point(const json_t *model, size_t point, size_t technique)
{
	return json_array_get(json_object_get(model, "points"),
			      point * ARRAY_COUNT(techniques) + technique);
}

static double modelled_dmiss(const json_t *model, size_t point, size_t technique)
{
	return member_number(json_object_get(modelled_point(model, point, technique), "components"),
			     "dmiss");
}

static double simulated_dmiss(const double *cpis, size_t point)
{
	return cpis[SIMULATE_POINTS + point] - cpis[ISOLATED_BASE];
}

static size_t technique_named(const char *name)
{
	size_t i = 0;

	while (strcmp(techniques[i].name, name) != 0)
		i++;
	return i;
}

/* By technique and number of MSHRs: CPI, error, and for unlimited ones the cycles per miss. */
static void add_techniques(json_t *program, const json_t *model, const double *cpis,
			   double per_miss)
{
	json_t *modelled = json_object(), *errors = json_object(), *penalties = json_object();

	for (size_t t = 0; t < ARRAY_COUNT(techniques); t++) {
		json_t *cpi = json_object(), *error = json_object();

		for (size_t p = 0; p < MSHR_POINTS; p++) {
			double ours = modelled_dmiss(model, p, t), truth = simulated_dmiss(cpis, p);

			json_object_set_new(cpi, points[p].name, json_real(ours));
			json_object_set_new(error, points[p].name,
					    json_real(truth != 0 ? (ours - truth) / truth : 0));
		}
		json_object_set_new(modelled, techniques[t].name, cpi);
		json_object_set_new(errors, techniques[t].name, error);
		json_object_set_new(penalties, techniques[t].name,
				    json_real(modelled_dmiss(model, 0, t) * per_miss));
	}
	json_object_set_new(penalties, "simulated", json_real(simulated_dmiss(cpis, 0) * per_miss));
	json_object_set_new(program, "modelled", modelled);
	json_object_set_new(program, "errors", errors);
	json_object_set_new(program, "cycles_per_miss", penalties);
}

static json_t *program_json_of(const struct misses *misses, const struct measured *measured)
{
	const double *c = measured->cpis;
	const json_t *model = measured->model;
	double base = c[ISOLATED_BASE], instructions = member_number(model, "instructions");
	const json_t *best = modelled_point(model, 0, technique_named("swam_mlp"));
	double load_misses = member_number(json_object_get(best, "detail"), "load_misses");
	double sum = c[ISOLATED_BRANCH] + c[ISOLATED_ICACHE] - base + simulated_dmiss(c, 0);
	json_t *result = json_pack(
		"{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:O, s:f, s:f, s:{s:f, s:f, s:f},"
		" s:f}",
		"name", measured->program->name, "instructions", (json_int_t)instructions,
		"load_misses", (json_int_t)load_misses, "misses_per_1000",
		instructions > 0 ? 1000 * load_misses / instructions : 0, "cpi", c[ISOLATED_WHOLE],
		"base", base, "branch", c[ISOLATED_BRANCH] - base, "icache",
		c[ISOLATED_ICACHE] - base, "isolated_sum", sum, "isolated_sum_error",
		(sum - c[ISOLATED_WHOLE]) / c[ISOLATED_WHOLE], "analytic",
		json_object_get(best, "components"), "analytic_cpi", member_number(best, "cpi"),
		"analytic_error",
		(member_number(best, "cpi") - c[ISOLATED_WHOLE]) / c[ISOLATED_WHOLE], "dmiss",
		points[0].name, simulated_dmiss(c, 0), points[1].name, simulated_dmiss(c, 1),
		points[2].name, simulated_dmiss(c, 2), "dmiss_without_pending_hits",
		c[SIMULATE_NO_PENDING] - base);

	double width = misses->subject->machine.config.dispatch_width;
	double curve = member_number(json_object_get(best, "components"), "base");

	json_object_set_new(result, "base_curve_error", json_real(curve / base - 1));
	json_object_set_new(result, "base_width", json_real(1 / width));
	json_object_set_new(result, "base_width_error", json_real(1 / width / base - 1));
	add_techniques(result, model, c, load_misses > 0 ? instructions / load_misses : 0);
	return result;
}

/* The example at some points, by the words for them. */
static json_t *example_rows(const struct misses *misses, const struct measured *measured,
			    const size_t *order, size_t count,
			    void (*name_of)(const struct config *config, char name[32]))
{
	size_t first_order = technique_named("plain_without_half"), swam = technique_named("swam");
	json_t *rows = json_array();

	for (size_t i = 0; i < count; i++) {
		size_t p = order[i];
		struct config config = misses->subject->machine.config;
		char name[32];

		set_point(&config, p);
		name_of(&config, name);
		json_array_append_new(rows,
				      json_pack("{s:s, s:f, s:f, s:f}", "name", name, "simulated",
						simulated_dmiss(measured->cpis, p), "first_order",
						modelled_dmiss(measured->model, p, first_order),
						"swam", modelled_dmiss(measured->model, p, swam)));
	}
	return rows;
}

static void name_latency(const struct config *config, char name[32])
{
	snprintf(name, 32, "%u cycles", config->memory_latency);
}

static void name_l2(const struct config *config, char name[32])
{
	snprintf(name, 32, "%u KB", config->l2_size / 1024);
}

/* Figure 1 and footnote 1. */
static void add_example(json_t *result, const struct misses *misses,
			const struct measured *measured)
{
	static const size_t latencies[] = {3, 0, 4, 5}, sizes[] = {0, 6};

	json_object_set_new(
		result, "latencies",
		example_rows(misses, measured, latencies, ARRAY_COUNT(latencies), name_latency));
	json_object_set_new(result, "l2_sizes",
			    example_rows(misses, measured, sizes, ARRAY_COUNT(sizes), name_l2));
}

/* Techniques of ours were made while looking at these programs; the others were held out. */
static bool is_tuned_on(const json_t *program)
{
#define NAME(name) name,
	static const char *const tuned_on[] = {MISSES_TUNED_ON(NAME, NAME, NAME)};
#undef NAME
	const char *name = member_text(program, "name");
	name += *name == '@';
	size_t length = strcspn(name, ":");

	for (size_t i = 0; i < ARRAY_COUNT(tuned_on); i++)
		if (strlen(tuned_on[i]) == length && strncmp(name, tuned_on[i], length) == 0)
			return true;
	return false;
}

enum mean { MEAN_ARITHMETIC, MEAN_GEOMETRIC, MEAN_HARMONIC, MEAN_TUNED, MEAN_HELD_OUT, MEANS };

/* Means of the absolute errors of one technique over the programs. An error of exactly 0 makes the
 * geometric and the harmonic one 0; a mean over no program is 0. */
static void find_means(const json_t *programs, const char *technique, const char *point,
		       double means[MEANS])
{
	double sum = 0, logarithms = 0, reciprocals = 0, tuned = 0, count = 0, tuned_count = 0;
	const json_t *program;
	size_t i;

	json_array_foreach(programs, i, program)
	{
		const json_t *errors = json_object_get(program, "errors");
		double e = fabs(member_number(json_object_get(errors, technique), point));

		sum += e;
		logarithms += log(e);
		reciprocals += 1 / e;
		count++;
		if (is_tuned_on(program)) {
			tuned += e;
			tuned_count++;
		}
	}
	for (unsigned k = 0; k < MEANS; k++)
		means[k] = 0;
	if (count > 0)
		means[MEAN_ARITHMETIC] = sum / count;
	if (count > 0 && isfinite(reciprocals)) {
		means[MEAN_GEOMETRIC] = exp(logarithms / count);
		means[MEAN_HARMONIC] = count / reciprocals;
	}
	if (tuned_count > 0)
		means[MEAN_TUNED] = tuned / tuned_count;
	if (count > tuned_count)
		means[MEAN_HELD_OUT] = (sum - tuned) / (count - tuned_count);
}

/* By kind of mean and number of MSHRs, an object with all techniques. */
static void add_means(json_t *summary, const json_t *programs)
{
	static const char *const kinds[MEANS] = {"mean", "geometric", "harmonic", "tuned",
						 "held_out"};

	for (size_t p = 0; p < MSHR_POINTS; p++) {
		json_t *by_kind[MEANS];

		for (unsigned k = 0; k < MEANS; k++) {
			char name[64];

			by_kind[k] = json_object();
			snprintf(name, sizeof(name), "%s_error_%s", kinds[k], points[p].name);
			json_object_set_new(summary, name, by_kind[k]);
		}
		for (size_t t = 0; t < ARRAY_COUNT(techniques); t++) {
			double means[MEANS];

			find_means(programs, techniques[t].name, points[p].name, means);
			for (unsigned k = 0; k < MEANS; k++)
				json_object_set_new(by_kind[k], techniques[t].name,
						    json_real(means[k]));
		}
	}
}

static double mean_of(const json_t *programs, const char *member)
{
	double sum = 0;
	const json_t *program;
	size_t i;

	json_array_foreach(programs, i, program) sum += fabs(member_number(program, member));
	return json_array_size(programs) ? sum / (double)json_array_size(programs) : 0;
}

static json_t *conclude(struct plan *plan, bool interrupted, struct err *err)
{
	static const char *const means[] = {"isolated_sum_error", "analytic_error",
					    "base_curve_error", "base_width_error"};
	const struct misses *misses = plan->own;
	json_t *programs = json_array(), *summary = json_object();
	json_t *result = json_pack("{s:o, s:o, s:[], s:[], s:o}", "configuration",
				   job_machine_json(&misses->subject->machine), "programs",
				   programs, "latencies", "l2_sizes", "summary", summary);

	(void)interrupted;
	(void)err;
	for (size_t i = 0; i < misses->subject->program_count; i++) {
		const struct measured *measured = &misses->programs[i];

		if (measured->done < measured->all)
			continue;
		json_array_append_new(programs, program_json_of(misses, measured));
		if (measured->is_example)
			add_example(result, misses, measured);
	}
	add_means(summary, programs);
	for (size_t i = 0; i < ARRAY_COUNT(means); i++)
		json_object_set_new(summary, means[i], json_real(mean_of(programs, means[i])));
	return result;
}

static void release(struct plan *plan)
{
	struct misses *misses = plan->own;

	for (size_t i = 0; i < misses->subject->program_count; i++) {
		struct measured *measured = &misses->programs[i];

		json_decref(measured->model);
		for (size_t k = 0; k < measured->request.point_count; k++)
			json_decref(measured->points[k].set);
	}
	free(misses->programs);
	free(misses->owners);
}

static const struct plan functions = {.take = take, .conclude = conclude, .release = release};

static void prepare_model(struct misses *misses, size_t program)
{
	struct measured *measured = &misses->programs[program];

	measured->request = (struct model_request){
		.program = &misses->subject->programs[program],
		.machine = &misses->subject->machine,
		.points = measured->points,
		.point_count = measured->is_example ? ARRAY_COUNT(points) : MSHR_POINTS,
		.techniques = misses->techniques,
		.technique_count = ARRAY_COUNT(techniques),
		.is_silent = true,
	};
	for (size_t i = 0; i < measured->request.point_count; i++) {
		measured->points[i].config = misses->subject->machine.config;
		measured->points[i].set = json_object();
		set_point(&measured->points[i].config, i);
	}
}

static void add_point(struct plan *plan, size_t owner, const struct point *point)
{
	struct misses *misses = plan->own;
	size_t count = plan->count;

	*ARRAY_PUSH(misses->owners, count, misses->capacity) = owner;
	plan_add(plan, point);
}

static void add_points(struct plan *plan, size_t program)
{
	struct misses *misses = plan->own;
	struct measured *measured = &misses->programs[program];
	const size_t first = plan->count, owner = program * (SIMULATIONS + 1);
	const size_t simulations =
		measured->is_example ? SIMULATIONS : SIMULATE_POINTS + MSHR_POINTS;

	for (size_t i = 0; i < simulations; i++) {
		const struct point point = point_of(measured->program, &misses->machines[i]);

		add_point(plan, owner + i, &point);
	}
	const struct point model = {.kind = &point_modelled, .model = &measured->request};
	add_point(plan, owner + SIMULATIONS, &model);
	measured->all = plan->count - first;
}

struct plan *chen2008_misses(const struct measurement_request *request, struct err *err)
{
	const struct subject *subject = request->subject;
	struct plan *plan = plan_create(sizeof(struct misses), &functions);
	struct misses *misses = plan->own;

	(void)err;
	misses->subject = subject;
	misses->programs = mem_alloc_array(subject->program_count, sizeof(*misses->programs));
	for (size_t i = 0; i < ARRAY_COUNT(techniques); i++)
		misses->techniques[i] = techniques[i].technique;
	for (size_t i = 0; i < SIMULATIONS; i++) {
		misses->machines[i] = subject->machine;
		set_simulation(&misses->machines[i].config, i);
	}
	for (size_t i = 0; i < subject->program_count; i++) {
		misses->programs[i].program = &subject->programs[i];
		misses->programs[i].is_example =
			strcmp(subject->programs[i].name, request->example) == 0;
		prepare_model(misses, i);
		add_points(plan, i);
	}
	return plan;
}
