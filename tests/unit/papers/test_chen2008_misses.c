/* The measurements of Chen and Aamodt 2008 from numbers that are given: which machines are
 * simulated, and every value of the result from the simulations and models it comes from. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "papers/chen2008_misses.h"
#include "value/member.h"

#define PROGRAMS    3
#define ABOUT(a, b) (fabs((a) - (b)) < 1e-9)

static const char *const names[] = {
	"plain_without_none",
	"plain_with_none",
	"plain_without_quarter",
	"plain_without_half",
	"plain_without_three_quarters",
	"plain_without_full",
	"plain_with_quarter",
	"plain_with_half",
	"plain_with_three_quarters",
	"plain_with_full",
	"plain_without_distance",
	"plain_with_distance",
	"plain_unaware",
	"swam_none",
	"swam_without_distance",
	"swam",
	"swam_mlp",
	"timeline",
	"timeline_without_pending_hits",
	"timeline_without_store_addresses",
	"timeline_without_store_mshrs",
	"timeline_without_base_times",
};
#define TECHNIQUES ARRAY_COUNT(names)

static const char *const texts[TECHNIQUES] = {
	"plain, no pending hits, no compensation",
	"plain, pending hits, no compensation",
	"plain, no pending hits, 1/4 of the window",
	"plain, no pending hits, 2/4 of the window",
	"plain, no pending hits, 3/4 of the window",
	"plain, no pending hits, 4/4 of the window",
	"plain, pending hits, 1/4 of the window",
	"plain, pending hits, 2/4 of the window",
	"plain, pending hits, 3/4 of the window",
	"plain, pending hits, 4/4 of the window",
	"plain, no pending hits, distance",
	"plain, pending hits, distance",
	"plain, pending hits, distance, MSHRs ignored",
	"swam, pending hits, no compensation",
	"swam, no pending hits, distance",
	"swam, pending hits, distance",
	"swam-mlp, pending hits, distance",
	"timeline",
	"timeline, no pending hits",
	"timeline, store addresses ignored",
	"timeline, stores without MSHRs",
	"timeline, mean base rate",
};

/* The simulations of a program in order: what is perfect, and the point. */
static const struct {
	bool branch, fetch, l2d, pending;
	uint32_t mshrs, latency, l2_times;
} simulations[] = {
	{false, false, false, false, 5, 70, 1}, /* the machine as it is */
	{true, true, true, false, 5, 70, 1},	{false, true, true, false, 5, 70, 1},
	{true, false, true, false, 5, 70, 1},	{true, true, false, true, 5, 70, 1},
	{true, true, false, false, 0, 70, 1}, /* 0: unlimited */
	{true, true, false, false, 16, 70, 1},	{true, true, false, false, 8, 70, 1},
	{true, true, false, false, 0, 100, 1},	{true, true, false, false, 0, 400, 1},
	{true, true, false, false, 0, 800, 1},	{true, true, false, false, 0, 70, 4},
};

static struct config machine_config(void)
{
	struct config config;

	config_default(&config);
	config.cache_levels = 2;
	config.l2_mshrs = 5;
	config.memory_latency = 70;
	config.l2_size = 256 * 1024;
	config.dispatch_width = 5;
	config.ideal_itlb = true;
	return config;
}

/* Programs 0 and 2 have 8 simulations each, the example all 12; a model follows these. */
#define POINTS (9 + 13 + 9)

static unsigned simulation_of(size_t point, size_t *program)
{
	*program = point < 9 ? 0 : point < 22 ? 1 : 2;
	return (unsigned)(point - (*program == 0 ? 0 : *program == 1 ? 9 : 22));
}

static double made_up_cpi(size_t program, unsigned simulation)
{
	return 1.0 + 0.037 * simulation + 0.5 * (double)program + 0.007 * simulation * simulation;
}

static double made_up_dmiss(size_t program, size_t point, size_t technique)
{
	return 0.25 + 0.5 * (double)program + 0.125 * (double)point + 0.001 * (double)technique;
}

static struct program programs[PROGRAMS];
static char first_name[] = "@ssor:test", example_name[] = "@chess:test",
	    last_name[] = "@ssort:test";
static struct subject subject;

static void check_simulation(const struct point *point, size_t program, unsigned simulation)
{
	const struct config *c = &point->machine->config;

	assert_ptr_equal(point->kind, &point_simulated);
	assert_ptr_equal(point->program, &programs[program]);
	assert_int_equal(point->max_instructions, 1000 + program);
	assert_null(point->observers);
	assert_int_equal(c->ideal_branch, simulations[simulation].branch);
	assert_int_equal(c->ideal_l1i, simulations[simulation].fetch);
	/* Perfect in the machine as it is too. */
	assert_int_equal(c->ideal_itlb, simulation == 0 || simulations[simulation].fetch);
	assert_int_equal(c->ideal_l2d, simulations[simulation].l2d);
	assert_int_equal(c->ideal_pending, simulations[simulation].pending);
	assert_int_equal(c->l2_mshrs,
			 simulations[simulation].mshrs ? simulations[simulation].mshrs : UNLIMITED);
	assert_int_equal(c->memory_latency, simulations[simulation].latency);
	assert_int_equal(c->l2_size, 256 * 1024 * simulations[simulation].l2_times);
}

static json_t *made_up_simulation(double cpi)
{
	return json_pack("{s:{s:I, s:I}}", "values", "cycles", (json_int_t)llround(cpi * 1000000),
			 "instructions", (json_int_t)1000000);
}

static json_t *made_up_model(const struct model_request *request, size_t program)
{
	json_t *modelled = json_array();

	assert_ptr_equal(request->program, &programs[program]);
	assert_int_equal(request->point_count, program == 1 ? 7 : 3);
	assert_int_equal(request->technique_count, TECHNIQUES);
	assert_true(request->is_silent);
	assert_ptr_equal(request->machine, &subject.machine);
	for (size_t p = 0; p < request->point_count; p++) {
		const struct config *c = &request->points[p].config;

		/* The same points are simulated, but nothing is perfect. */
		assert_int_equal(c->l2_mshrs,
				 simulations[5 + p].mshrs ? simulations[5 + p].mshrs : UNLIMITED);
		assert_int_equal(c->memory_latency, simulations[5 + p].latency);
		assert_int_equal(c->l2_size, 256 * 1024 * simulations[5 + p].l2_times);
		assert_false(c->ideal_branch);
		for (size_t t = 0; t < TECHNIQUES; t++) {
			char text[TECHNIQUE_TEXT_BYTES];

			technique_text(&request->techniques[t], text);
			assert_string_equal(text, texts[t]);
			assert_int_equal(request->techniques[t].store_fills_miss,
					 request->techniques[t].pending_hits);
			json_array_append_new(
				modelled,
				json_pack("{s:f, s:{s:f, s:f}, s:{s:I}}", "cpi",
					  p == 0 && t == 16 ? 2.5 + (double)program : 99.0,
					  "components", "base", p == 0 && t == 16 ? 0.75 : 98.0,
					  "dmiss", made_up_dmiss(program, p, t), "detail",
					  "load_misses",
					  (json_int_t)(p == 0 && t == 16 ? 4000 * (program + 1)
									 : 97)));
		}
	}
	return json_pack("{s:I, s:o}", "instructions", (json_int_t)1000000, "points", modelled);
}

static json_t *made_up(const struct point *point, size_t i)
{
	size_t program;
	unsigned simulation = simulation_of(i, &program);

	if (point->kind == &point_modelled) {
		assert_int_equal(simulation, program == 1 ? 12 : 8);
		return made_up_model(point->model, program);
	}
	check_simulation(point, program, simulation);
	return made_up_simulation(made_up_cpi(program, simulation));
}

static struct plan *make_plan(char *const *all, size_t count, const char *example)
{
	const struct measurement_request request = {.subject = &subject, .example = example};
	struct err err;

	for (unsigned i = 0; i < count; i++)
		programs[i] = (struct program){.name = all[i], .max_instructions = 1000 + i};
	subject = (struct subject){.programs = programs,
				   .program_count = count,
				   .machine = {.config = machine_config(), .name = "m"}};
	struct plan *plan = chen2008_misses(&request, &err);
	assert_non_null(plan);
	return plan;
}

/* The last point first; `undone`: a point that is never done. */
static json_t *run(size_t undone)
{
	char *const all[] = {first_name, example_name, last_name};
	struct plan *plan = make_plan(all, PROGRAMS, example_name);
	struct err err;

	assert_int_equal(plan->count, POINTS);
	for (size_t i = plan->count; i-- > 0;) {
		json_t *result = made_up(&plan->points[i], i);

		if (i != undone)
			assert_true(plan->take(plan, i, result, &err));
		json_decref(result);
	}
	json_t *result = plan->conclude(plan, undone < POINTS, &err);
	assert_non_null(result);
	plan_destroy(plan);
	return result;
}

static void assert_number(const json_t *object, const char *name, double want)
{
	if (!ABOUT(member_number(object, name), want))
		fail_msg("%s is %.9g, not %.9g", name, member_number(object, name), want);
}

static double dmiss(size_t program, size_t point)
{
	return made_up_cpi(program, 5 + (unsigned)point) - made_up_cpi(program, 1);
}

TEST(a_program_has_these_values)
{
	static const char *const points_named[] = {"unlimited", "mshrs_16", "mshrs_8"};
	json_t *result = run(POINTS);
	const json_t *list = json_object_get(result, "programs");

	assert_int_equal(json_array_size(list), PROGRAMS);
	for (size_t i = 0; i < PROGRAMS; i++) {
		const json_t *p = json_array_get(list, i);
		double c[8], misses = 4000.0 * (double)(i + 1), cpi = 2.5 + (double)i;

		for (unsigned s = 0; s < 8; s++)
			c[s] = made_up_cpi(i, s);
		double sum = c[2] + c[3] - c[1] + (c[5] - c[1]);
		assert_string_equal(member_text(p, "name"), programs[i].name);
		assert_number(p, "instructions", 1000000);
		assert_number(p, "load_misses", misses);
		assert_number(p, "misses_per_1000", misses / 1000);
		assert_number(p, "cpi", c[0]);
		assert_number(p, "base", c[1]);
		assert_number(p, "branch", c[2] - c[1]);
		assert_number(p, "icache", c[3] - c[1]);
		assert_number(p, "isolated_sum", sum);
		assert_number(p, "isolated_sum_error", (sum - c[0]) / c[0]);
		assert_number(json_object_get(p, "analytic"), "base", 0.75);
		assert_number(json_object_get(p, "analytic"), "dmiss", made_up_dmiss(i, 0, 16));
		assert_number(p, "analytic_cpi", cpi);
		assert_number(p, "analytic_error", (cpi - c[0]) / c[0]);
		assert_number(p, "dmiss_without_pending_hits", c[4] - c[1]);
		assert_number(p, "base_curve_error", 0.75 / c[1] - 1);
		assert_number(p, "base_width", 0.2);
		assert_number(p, "base_width_error", 0.2 / c[1] - 1);
		for (unsigned k = 0; k < 3; k++)
			assert_number(json_object_get(p, "dmiss"), points_named[k], dmiss(i, k));
		const json_t *penalties = json_object_get(p, "cycles_per_miss");
		assert_int_equal(json_object_size(penalties), TECHNIQUES + 1);
		assert_number(penalties, "simulated", dmiss(i, 0) * 1000000 / misses);
		for (size_t t = 0; t < TECHNIQUES; t++) {
			const json_t *ours =
				json_object_get(json_object_get(p, "modelled"), names[t]);
			const json_t *errors =
				json_object_get(json_object_get(p, "errors"), names[t]);

			for (unsigned k = 0; k < 3; k++) {
				assert_number(ours, points_named[k], made_up_dmiss(i, k, t));
				assert_number(errors, points_named[k],
					      made_up_dmiss(i, k, t) / dmiss(i, k) - 1);
			}
			assert_number(penalties, names[t],
				      made_up_dmiss(i, 0, t) * 1000000 / misses);
		}
	}
	json_decref(result);
}

TEST(the_example_has_its_figures)
{
	static const struct {
		const char *list, *names[4];
		unsigned count, points[4];
	} figures[] = {
		{"latencies",
		 {"100 cycles", "70 cycles", "400 cycles", "800 cycles"},
		 4,
		 {3, 0, 4, 5}},
		{"l2_sizes", {"256 KB", "1024 KB"}, 2, {0, 6}},
	};
	json_t *result = run(POINTS);

	for (unsigned f = 0; f < 2; f++) {
		const json_t *rows = json_object_get(result, figures[f].list);

		assert_int_equal(json_array_size(rows), figures[f].count);
		for (unsigned i = 0; i < figures[f].count; i++) {
			const json_t *row = json_array_get(rows, i);
			unsigned point = figures[f].points[i];

			assert_string_equal(member_text(row, "name"), figures[f].names[i]);
			assert_number(row, "simulated", dmiss(1, point));
			assert_number(row, "first_order", made_up_dmiss(1, point, 3));
			assert_number(row, "swam", made_up_dmiss(1, point, 15));
		}
	}
	json_decref(result);
}

TEST(means_are_over_the_programs)
{
	static const char *const points_named[] = {"unlimited", "mshrs_16", "mshrs_8"};
	static const char *const members[] = {"isolated_sum_error", "analytic_error",
					      "base_curve_error", "base_width_error"};
	json_t *result = run(POINTS);
	const json_t *summary = json_object_get(result, "summary");
	const json_t *list = json_object_get(result, "programs");

	/* Five kinds of means at three points, and these. */
	assert_int_equal(json_object_size(summary), 5 * 3 + 4);
	for (unsigned k = 0; k < 4; k++) {
		double sum = 0;

		for (size_t i = 0; i < PROGRAMS; i++)
			sum += fabs(member_number(json_array_get(list, i), members[k]));
		assert_number(summary, members[k], sum / 3);
	}
	for (unsigned p = 0; p < 3; p++)
		for (size_t t = 0; t < TECHNIQUES; t++) {
			double e[PROGRAMS];
			char name[64];

			for (size_t i = 0; i < PROGRAMS; i++)
				e[i] = fabs(made_up_dmiss(i, p, t) / dmiss(i, p) - 1);
#define OF(kind)                                                          \
	(snprintf(name, sizeof(name), kind "_error_%s", points_named[p]), \
	 json_object_get(summary, name))
			assert_number(OF("mean"), names[t], (e[0] + e[1] + e[2]) / 3);
			assert_number(OF("geometric"), names[t], cbrt(e[0] * e[1] * e[2]));
			assert_number(OF("harmonic"), names[t],
				      3 / (1 / e[0] + 1 / e[1] + 1 / e[2]));
			/* Only the first is one that was looked at. */
			assert_number(OF("tuned"), names[t], e[0]);
			assert_number(OF("held_out"), names[t], (e[1] + e[2]) / 2);
#undef OF
		}
	json_decref(result);
}

TEST(what_was_not_done_is_left_out)
{
	/* A simulation of the last program, its model, and the example's model. */
	static const size_t undone[] = {POINTS - 2, POINTS - 1, 9 + 12};

	for (size_t i = 0; i < ARRAY_COUNT(undone); i++) {
		json_t *result = run(undone[i]);
		const json_t *left = json_object_get(result, "programs");

		assert_int_equal(json_array_size(left), 2);
		assert_string_equal(member_text(json_array_get(left, 0), "name"), first_name);
		assert_string_equal(member_text(json_array_get(left, 1), "name"),
				    i < 2 ? example_name : last_name);
		assert_int_equal(json_array_size(json_object_get(result, "latencies")),
				 i < 2 ? 4 : 0);
		json_decref(result);
	}
}

/* Every technique is wrong by this part of a CPI of 1. */
static json_t *model_with_error(double error, int instructions, int load_misses)
{
	json_t *list = json_array();

	for (size_t i = 0; i < 3 * TECHNIQUES; i++)
		json_array_append_new(list,
				      json_pack("{s:{s:f}, s:{s:i}}", "components", "dmiss",
						1 + error, "detail", "load_misses", load_misses));
	return json_pack("{s:i, s:o}", "instructions", instructions, "points", list);
}

/* Programs of which only the errors are chosen. */
static json_t *run_with_errors(char *const *all, const double *errors, size_t count)
{
	struct plan *plan = make_plan(all, count, "");
	struct err err;

	assert_int_equal(plan->count, 9 * count);
	for (size_t i = 0; i < plan->count; i++) {
		json_t *result = i % 9 == 8 ? model_with_error(errors[i / 9], 1000000, 10)
					    : made_up_simulation(i % 9 < 5 ? 1 : 2);

		assert_true(plan->take(plan, i, result, &err));
		json_decref(result);
	}
	json_t *result = plan->conclude(plan, false, &err);
	plan_destroy(plan);
	return result;
}

static double mean(const json_t *result, const char *kind)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_error_mshrs_8", kind);
	return member_number(json_object_get(json_object_get(result, "summary"), name), "swam");
}

TEST(programs_that_were_looked_at)
{
	static const struct {
		const char *name;
		bool is_tuned;
	} cases[] = {
		{"@ssor:test", true},	 {"ssor", true},
		{"@ssor", true},	 {"@ssort:test", false},
		{"@sso:test", false},	 {"@sparsemv:ref", true},
		{"@stencil:test", true}, {"@hospital:small", true},
		{"netflow:x", true},	 {"@chess:test", false},
		{"@@ssor", false},	 {"@", false},
		{"@:ssor", false},	 {"@sors:test", false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char *name = mem_strdup(cases[i].name);
		const double error = 0.5;
		json_t *result = run_with_errors(&name, &error, 1);

		assert_true(ABOUT(mean(result, "tuned"), cases[i].is_tuned ? 0.5 : 0));
		assert_true(ABOUT(mean(result, "held_out"), cases[i].is_tuned ? 0 : 0.5));
		json_decref(result);
		free(name);
	}
}

/* No program, only programs of one kind, and an error that is exactly 0. */
TEST(means_of_few)
{
	static const char *const kinds[] = {"mean", "geometric", "harmonic", "tuned", "held_out"};
	static char ssor[] = "@ssor", chess[] = "@chess", netflow[] = "@netflow";
	static const struct {
		size_t count;
		char *names[2];
		double errors[2], means[5];
	} cases[] = {
		{0, {NULL}, {0}, {0, 0, 0, 0, 0}},
		{1, {ssor}, {-0.5}, {0.5, 0.5, 0.5, 0.5, 0}},
		{1, {chess}, {0.25}, {0.25, 0.25, 0.25, 0, 0.25}},
		{2, {chess, ssor}, {0, 0.5}, {0.25, 0, 0, 0.5, 0}},
		{2, {ssor, netflow}, {0.25, 1}, {0.625, 0.5, 0.4, 0.625, 0}},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		json_t *result = run_with_errors(cases[i].names, cases[i].errors, cases[i].count);

		for (unsigned k = 0; k < ARRAY_COUNT(kinds); k++)
			if (!ABOUT(mean(result, kinds[k]), cases[i].means[k]))
				fail_msg("case %zu, %s: %g", i, kinds[k], mean(result, kinds[k]));
		if (!cases[i].count)
			assert_number(json_object_get(result, "summary"), "analytic_error", 0);
		json_decref(result);
	}
}

/* Where nothing misses, nothing is divided by. */
TEST(a_program_without_misses)
{
	char *const all[] = {first_name};
	struct plan *plan = make_plan(all, 1, "");
	struct err err;

	for (size_t i = 0; i < plan->count; i++) {
		json_t *result = i == 8 ? model_with_error(-0.5, 0, 0) : made_up_simulation(2);

		assert_true(plan->take(plan, i, result, &err));
		json_decref(result);
	}
	json_t *result = plan->conclude(plan, false, &err);
	const json_t *p = json_array_get(json_object_get(result, "programs"), 0);
	assert_number(p, "misses_per_1000", 0);
	assert_number(json_object_get(p, "cycles_per_miss"), "swam", 0);
	assert_number(json_object_get(p, "cycles_per_miss"), "simulated", 0);
	assert_number(json_object_get(json_object_get(p, "errors"), "swam"), "mshrs_8", 0);
	json_decref(result);
	plan_destroy(plan);
}

TEST(one_level_of_cache_has_no_l2)
{
	const struct measurement_request request = {.subject = &subject, .example = example_name};
	struct err err;

	for (unsigned levels = 1; levels <= 3; levels += 2) {
		programs[0] = (struct program){.name = example_name};
		subject = (struct subject){.programs = programs, .program_count = 1};
		subject.machine.config = machine_config();
		subject.machine.config.cache_levels = levels;
		struct plan *plan = chen2008_misses(&request, &err);
		const struct config *eight = &plan->points[7].machine->config,
				    *latency = &plan->points[9].machine->config,
				    *large = &plan->points[11].machine->config;

		assert_int_equal(eight->l2_mshrs, levels == 1 ? 5 : 8);
		assert_int_equal(large->l2_size, (levels == 1 ? 1 : 4) * 256 * 1024);
		assert_int_equal(latency->memory_latency, 400);
		plan_destroy(plan);
	}
}
