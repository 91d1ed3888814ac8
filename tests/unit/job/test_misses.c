/* The measurements of Chen and Aamodt 2008 from numbers that are given: which machines are
 * simulated, and every value of the result from the simulations and models it comes from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "job/job.h"
#include "job/model_job.h"

/* Simulations and models are made up here. */
static bool made_up_jobs(const struct job_batch *batch, bool *interrupted, struct err *err);
static json_t *made_up_model(const struct model_request *request, struct worker_report *report,
			     struct frame_bytes *saved, struct err *err);
#define jobs_run  made_up_jobs
#define model_run made_up_model
#include "job/misses.c" /* with its static functions */

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
	return config;
}

/* Programs 0 and 2 have 8 simulations each, the example all 12. */
static unsigned simulation_of(size_t job, size_t *program)
{
	*program = job < 8 ? 0 : job < 20 ? 1 : 2;
	return (unsigned)(job - (*program == 0 ? 0 : *program == 1 ? 8 : 20));
}

static double made_up_cpi(size_t program, unsigned simulation)
{
	return 1.0 + 0.037 * simulation + 0.5 * (double)program + 0.007 * simulation * simulation;
}

static double made_up_dmiss(size_t program, size_t point, size_t technique)
{
	return 0.25 + 0.5 * (double)program + 0.125 * (double)point + 0.001 * (double)technique;
}

struct fake {
	struct judge_request request;
	bool stops_after_first;
	size_t progress_done, progress_all;
	unsigned models;
};

static struct fake fake;

static void check_job(const struct job *job, size_t program, unsigned simulation)
{
	const struct config *c = &job->machine->config;

	assert_ptr_equal(job->program, &fake.request.programs[program]);
	assert_int_equal(job->max_instructions, 1000 + program);
	assert_true(job->is_silent);
	assert_true(job->is_whole);
	assert_int_equal(c->ideal_branch, simulations[simulation].branch);
	assert_int_equal(c->ideal_l1i, simulations[simulation].fetch);
	assert_int_equal(c->ideal_itlb, simulations[simulation].fetch);
	assert_int_equal(c->ideal_l2d, simulations[simulation].l2d);
	assert_int_equal(c->ideal_pending, simulations[simulation].pending);
	assert_int_equal(c->l2_mshrs,
			 simulations[simulation].mshrs ? simulations[simulation].mshrs : UNLIMITED);
	assert_int_equal(c->memory_latency, simulations[simulation].latency);
	assert_int_equal(c->l2_size, 256 * 1024 * simulations[simulation].l2_times);
}

static bool made_up_jobs(const struct job_batch *batch, bool *interrupted, struct err *err)
{
	assert_int_equal(batch->count, 28);
	assert_int_equal(batch->at_once, 7);
	assert_ptr_equal(batch->shelf, fake.request.shelf);
	*interrupted = fake.stops_after_first;
	/* All but one of the last program's, if somebody stops it. */
	for (size_t i = 0; i < batch->count - fake.stops_after_first; i++) {
		size_t program;
		unsigned simulation = simulation_of(i, &program);
		json_t *result =
			json_pack("{s:{s:I, s:I}}", "values", "cycles",
				  (json_int_t)llround(made_up_cpi(program, simulation) * 1000000),
				  "instructions", (json_int_t)1000000);

		check_job(&batch->jobs[i], program, simulation);
		assert_true(batch->done(batch->context, i, result, err));
		batch->progress(batch->context, i);
		assert_int_equal(fake.progress_done, i);
		assert_int_equal(fake.progress_all, 28);
		json_decref(result);
	}
	return true;
}

static json_t *made_up_model(const struct model_request *request, struct worker_report *report,
			     struct frame_bytes *saved, struct err *err)
{
	size_t program = (size_t)(request->program - fake.request.programs);
	json_t *modelled = json_array();

	(void)report;
	(void)err;
	assert_null(saved);
	fake.models++;
	assert_int_equal(request->point_count, program == 1 ? 7 : 3);
	assert_int_equal(request->technique_count, TECHNIQUES);
	assert_true(request->is_silent);
	assert_ptr_equal(request->machine, &fake.request.machine);
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

static void note_progress(void *context, size_t done, size_t all)
{
	assert_ptr_equal(context, &fake);
	fake.progress_done = done;
	fake.progress_all = all;
}

static struct program programs[PROGRAMS];
static char first_name[] = "@ssor:test", example_name[] = "@chess:test",
	    last_name[] = "@ssort:test";
static const struct job_shelf shelf;

static json_t *run(bool stops_after_first)
{
	bool interrupted = !stops_after_first;
	struct err err;

	char *const all[] = {first_name, example_name, last_name};
	for (unsigned i = 0; i < PROGRAMS; i++)
		programs[i] = (struct program){.name = all[i], .max_instructions = 1000 + i};
	fake = (struct fake){.request = {.programs = programs,
					 .program_count = PROGRAMS,
					 .machine = {.config = machine_config(), .name = "m"},
					 .shelf = &shelf,
					 .at_once = 7,
					 .progress = note_progress,
					 .context = &fake},
			     .stops_after_first = stops_after_first};
	json_t *result = misses_run(&fake.request, example_name, &interrupted, &err);
	assert_non_null(result);
	assert_int_equal(interrupted, stops_after_first);
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

static void a_program_has_these_values(void **unused)
{
	static const char *const points_named[] = {"unlimited", "mshrs_16", "mshrs_8"};
	json_t *result = run(false);
	const json_t *list = json_object_get(result, "programs");

	(void)unused;
	assert_int_equal(json_array_size(list), PROGRAMS);
	assert_int_equal(fake.models, PROGRAMS);
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

static void the_example_has_its_figures(void **unused)
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
	json_t *result = run(false);

	(void)unused;
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

static void means_are_over_the_programs(void **unused)
{
	static const char *const points_named[] = {"unlimited", "mshrs_16", "mshrs_8"};
	static const char *const members[] = {"isolated_sum_error", "analytic_error",
					      "base_curve_error", "base_width_error"};
	json_t *result = run(false);
	const json_t *summary = json_object_get(result, "summary");
	const json_t *list = json_object_get(result, "programs");

	(void)unused;
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

static void what_was_not_done_is_left_out(void **unused)
{
	json_t *result = run(true);

	(void)unused;
	assert_int_equal(json_array_size(json_object_get(result, "programs")), 2);
	assert_int_equal(fake.models, 2);
	json_decref(result);
}

static void programs_that_were_looked_at(void **unused)
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
		{"@@ssor", false},	 {"", false},
		{"@:ssor", false},	 {"@sors:test", false},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		json_t *program = json_pack("{s:s}", "name", cases[i].name);

		assert_int_equal(is_tuned_on(program), cases[i].is_tuned);
		json_decref(program);
	}
}

/* No program, only programs of one kind, and an error that is exactly 0. */
static void means_of_few(void **unused)
{
	static const struct {
		const char *programs;
		double means[MEANS];
	} cases[] = {
		{"[]", {0, 0, 0, 0, 0}},
		{"[{\"name\":\"@ssor\",\"errors\":{\"t\":{\"p\":-0.5}}}]", {0.5, 0.5, 0.5, 0.5, 0}},
		{"[{\"name\":\"@chess\",\"errors\":{\"t\":{\"p\":0.25}}}]",
		 {0.25, 0.25, 0.25, 0, 0.25}},
		{"[{\"name\":\"@chess\",\"errors\":{\"t\":{\"p\":0}}},"
		 "{\"name\":\"@ssor\",\"errors\":{\"t\":{\"p\":0.5}}}]",
		 {0.25, 0, 0, 0.5, 0}},
		{"[{\"name\":\"@ssor\",\"errors\":{\"t\":{\"p\":0.25}}},"
		 "{\"name\":\"@netflow\",\"errors\":{\"t\":{\"p\":1}}}]",
		 {0.625, 0.5, 0.4, 0.625, 0}},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		json_t *list = json_loads(cases[i].programs, 0, NULL);
		double means[MEANS];

		find_means(list, "t", "p", means);
		for (unsigned k = 0; k < MEANS; k++)
			if (!ABOUT(means[k], cases[i].means[k]))
				fail_msg("case %zu, mean %u: %g", i, k, means[k]);
		assert_true(ABOUT(mean_of(list, "nothing"), 0));
		json_decref(list);
	}
}

/* Where nothing misses, nothing is divided by. */
static void a_program_without_misses(void **unused)
{
	double cpis[1][SIMULATIONS];
	struct measurement_state state = {.request = &fake.request, .cpis = cpis};
	json_t *points_of = json_array();

	(void)unused;
	fake.request.programs = programs;
	fake.request.machine.config = machine_config();
	programs[0].name = first_name;
	for (unsigned s = 0; s < SIMULATIONS; s++)
		cpis[0][s] = 2;
	for (size_t i = 0; i < 3 * TECHNIQUES; i++)
		json_array_append_new(points_of,
				      json_pack("{s:{s:f}, s:{s:i}}", "components", "dmiss", 0.5,
						"detail", "load_misses", 0));
	json_t *model = json_pack("{s:i, s:o}", "instructions", 0, "points", points_of);
	json_t *p = program_json_of(&state, 0, model);
	assert_number(p, "misses_per_1000", 0);
	assert_number(json_object_get(p, "cycles_per_miss"), "swam", 0);
	assert_number(json_object_get(p, "cycles_per_miss"), "simulated", 0);
	assert_number(json_object_get(json_object_get(p, "errors"), "swam"), "mshrs_8", 0);
	json_decref(p);
	json_decref(model);
}

static void one_level_of_cache_has_no_l2(void **unused)
{
	struct config config = machine_config();

	(void)unused;
	config.cache_levels = 1;
	set_point(&config, 1);
	assert_int_equal(config.l2_mshrs, 5);
	set_point(&config, 6);
	assert_int_equal(config.l2_size, 256 * 1024);
	set_point(&config, 4);
	assert_int_equal(config.memory_latency, 400);
	config.cache_levels = 3;
	set_point(&config, 1);
	assert_int_equal(config.l2_mshrs, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_has_these_values),
		cmocka_unit_test(the_example_has_its_figures),
		cmocka_unit_test(means_are_over_the_programs),
		cmocka_unit_test(what_was_not_done_is_left_out),
		cmocka_unit_test(programs_that_were_looked_at),
		cmocka_unit_test(means_of_few),
		cmocka_unit_test(a_program_without_misses),
		cmocka_unit_test(one_level_of_cache_has_no_l2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
