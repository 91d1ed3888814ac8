#include "job/misses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/model_job.h"
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

/* The simulations of a program; those from SIMULATE_POINTS on are of the points. */
enum {
	SIMULATE_WHOLE,
	SIMULATE_BASE,
	SIMULATE_BRANCH,
	SIMULATE_ICACHE,
	SIMULATE_NO_PENDING,
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
	if (simulation == SIMULATE_WHOLE)
		return;
	config->ideal_branch = simulation != SIMULATE_BRANCH;
	config->ideal_l1i = config->ideal_itlb = simulation != SIMULATE_ICACHE;
	config->ideal_l2d = simulation == SIMULATE_BASE || simulation == SIMULATE_BRANCH ||
			    simulation == SIMULATE_ICACHE;
	config->ideal_pending = simulation == SIMULATE_NO_PENDING;
	if (simulation >= SIMULATE_POINTS)
		set_point(config, simulation - SIMULATE_POINTS);
}

struct measurement_state {
	const struct judge_request *request;
	double (*cpis)[SIMULATIONS]; /* of each program; 0: not simulated */
	size_t *owners;		     /* of each job: program * SIMULATIONS + simulation */
	size_t job_count;
};

static bool take(void *context, size_t i, json_t *result, struct err *err)
{
	struct measurement_state *state = context;
	const json_t *values = json_object_get(result, "values");

	(void)err;
	state->cpis[state->owners[i] / SIMULATIONS][state->owners[i] % SIMULATIONS] =
		member_number(values, "cycles") / member_number(values, "instructions");
	return true;
}

static void show(void *context, size_t done)
{
	const struct measurement_state *state = context;

	if (state->request->progress)
		state->request->progress(state->request->context, done, state->job_count);
}

static bool is_simulated(const struct program *program, const char *example, size_t simulation)
{
	return simulation < SIMULATE_POINTS + MSHR_POINTS || strcmp(program->name, example) == 0;
}

static bool simulate(struct measurement_state *state, const char *example, bool *interrupted,
		     struct err *err)
{
	const struct judge_request *request = state->request;
	size_t most = request->program_count * SIMULATIONS;
	struct job *jobs = mem_alloc_array(most, sizeof(*jobs));
	struct job_machine *machines = mem_alloc_array(most, sizeof(*machines));

	state->owners = mem_alloc_array(most, sizeof(*state->owners));
	for (size_t i = 0; i < most; i++) {
		const struct program *program = &request->programs[i / SIMULATIONS];
		size_t n = state->job_count;

		if (!is_simulated(program, example, i % SIMULATIONS))
			continue;
		machines[n] = request->machine;
		set_simulation(&machines[n].config, i % SIMULATIONS);
		jobs[n] = (struct job){.program = program,
				       .machine = &machines[n],
				       .max_instructions = program->max_instructions,
				       .is_silent = true,
				       .is_whole = true};
		state->owners[n] = i;
		state->job_count++;
	}
	const struct job_batch batch = {.jobs = jobs,
					.count = state->job_count,
					.at_once = request->at_once,
					.shelf = request->shelf,
					.done = take,
					.progress = show,
					.context = state};
	bool ok = jobs_run(&batch, interrupted, err);
	free(machines);
	free(jobs);
	return ok;
}

static bool is_complete(const struct measurement_state *state, size_t program, const char *example)
{
	for (size_t i = 0; i < SIMULATIONS; i++)
		if (is_simulated(&state->request->programs[program], example, i) &&
		    state->cpis[program][i] == 0)
			return false;
	return true;
}

/* The points that are simulated too, by all techniques. */
static json_t *model_program(const struct judge_request *request, size_t program, bool is_example,
			     struct err *err)
{
	const size_t count = is_example ? ARRAY_COUNT(points) : MSHR_POINTS;
	struct technique list[ARRAY_COUNT(techniques)];
	struct model_point_request requests[ARRAY_COUNT(points)];
	struct worker_report report = {0};

	for (size_t i = 0; i < ARRAY_COUNT(techniques); i++)
		list[i] = techniques[i].technique;
	for (size_t i = 0; i < count; i++) {
		requests[i] = (struct model_point_request){request->machine.config, json_object()};
		set_point(&requests[i].config, i);
	}
	const struct model_request model = {
		.program = &request->programs[program],
		.machine = &request->machine,
		.points = requests,
		.point_count = count,
		.techniques = list,
		.technique_count = ARRAY_COUNT(techniques),
		.is_silent = true,
	};
	json_t *result = model_run(&model, &report, NULL, err);
	for (size_t i = 0; i < count; i++)
		json_decref(requests[i].set);
	return result;
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
	return cpis[SIMULATE_POINTS + point] - cpis[SIMULATE_BASE];
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

static json_t *program_json_of(const struct measurement_state *state, size_t program,
			       const json_t *model)
{
	const double *c = state->cpis[program];
	double base = c[SIMULATE_BASE], instructions = member_number(model, "instructions");
	const json_t *best = modelled_point(model, 0, technique_named("swam_mlp"));
	double misses = member_number(json_object_get(best, "detail"), "load_misses");
	double sum = c[SIMULATE_BRANCH] + c[SIMULATE_ICACHE] - base + simulated_dmiss(c, 0);
	json_t *result = json_pack(
		"{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:O, s:f, s:f, s:{s:f, s:f, s:f},"
		" s:f}",
		"name", state->request->programs[program].name, "instructions",
		(json_int_t)instructions, "load_misses", (json_int_t)misses, "misses_per_1000",
		instructions > 0 ? 1000 * misses / instructions : 0, "cpi", c[SIMULATE_WHOLE],
		"base", base, "branch", c[SIMULATE_BRANCH] - base, "icache",
		c[SIMULATE_ICACHE] - base, "isolated_sum", sum, "isolated_sum_error",
		(sum - c[SIMULATE_WHOLE]) / c[SIMULATE_WHOLE], "analytic",
		json_object_get(best, "components"), "analytic_cpi", member_number(best, "cpi"),
		"analytic_error",
		(member_number(best, "cpi") - c[SIMULATE_WHOLE]) / c[SIMULATE_WHOLE], "dmiss",
		points[0].name, simulated_dmiss(c, 0), points[1].name, simulated_dmiss(c, 1),
		points[2].name, simulated_dmiss(c, 2), "dmiss_without_pending_hits",
		c[SIMULATE_NO_PENDING] - base);

	double width = state->request->machine.config.dispatch_width;
	double curve = member_number(json_object_get(best, "components"), "base");

	json_object_set_new(result, "base_curve_error", json_real(curve / base - 1));
	json_object_set_new(result, "base_width", json_real(1 / width));
	json_object_set_new(result, "base_width_error", json_real(1 / width / base - 1));
	add_techniques(result, model, c, misses > 0 ? instructions / misses : 0);
	return result;
}

/* The example at some points, by the words for them. */
static json_t *example_rows(const struct measurement_state *state, size_t program,
			    const json_t *model, const size_t *order, size_t count,
			    void (*name_of)(const struct config *config, char name[32]))
{
	size_t first_order = technique_named("plain_without_half"), swam = technique_named("swam");
	json_t *rows = json_array();

	for (size_t i = 0; i < count; i++) {
		size_t p = order[i];
		struct config config = state->request->machine.config;
		char name[32];

		set_point(&config, p);
		name_of(&config, name);
		json_array_append_new(
			rows, json_pack("{s:s, s:f, s:f, s:f}", "name", name, "simulated",
					simulated_dmiss(state->cpis[program], p), "first_order",
					modelled_dmiss(model, p, first_order), "swam",
					modelled_dmiss(model, p, swam)));
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
static void add_example(json_t *result, const struct measurement_state *state, size_t program,
			const json_t *model)
{
	static const size_t latencies[] = {3, 0, 4, 5}, sizes[] = {0, 6};

	json_object_set_new(result, "latencies",
			    example_rows(state, program, model, latencies, ARRAY_COUNT(latencies),
					 name_latency));
	json_object_set_new(
		result, "l2_sizes",
		example_rows(state, program, model, sizes, ARRAY_COUNT(sizes), name_l2));
}

/* Techniques of ours were made while looking at these programs; the others were held out. */
static bool is_tuned_on(const json_t *program)
{
	static const char *const tuned_on[] = {"ssor", "sparsemv", "stencil", "hospital",
					       "netflow"};
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

static json_t *assemble(const struct measurement_state *state, const char *example, struct err *err)
{
	static const char *const means[] = {"isolated_sum_error", "analytic_error",
					    "base_curve_error", "base_width_error"};
	json_t *programs = json_array(), *summary = json_object();
	json_t *result = json_pack("{s:o, s:o, s:[], s:[], s:o}", "configuration",
				   job_machine_json(&state->request->machine), "programs", programs,
				   "latencies", "l2_sizes", "summary", summary);

	for (size_t i = 0; i < state->request->program_count; i++) {
		bool is_example = strcmp(state->request->programs[i].name, example) == 0;

		if (!is_complete(state, i, example))
			continue;
		json_t *model = model_program(state->request, i, is_example, err);

		if (!model) {
			json_decref(result);
			return NULL;
		}
		json_array_append_new(programs, program_json_of(state, i, model));
		if (is_example)
			add_example(result, state, i, model);
		json_decref(model);
	}
	add_means(summary, programs);
	for (size_t i = 0; i < ARRAY_COUNT(means); i++)
		json_object_set_new(summary, means[i], json_real(mean_of(programs, means[i])));
	return result;
}

json_t *misses_run(const struct judge_request *request, const char *example, bool *interrupted,
		   struct err *err)
{
	struct measurement_state state = {.request = request};
	json_t *result = NULL;

	state.cpis = mem_alloc_array(request->program_count, sizeof(*state.cpis));
	if (simulate(&state, example, interrupted, err))
		result = assemble(&state, example, err);
	free(state.owners);
	free(state.cpis);
	return result;
}
