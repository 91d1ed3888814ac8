/* The points of a model beside simulations that are made up: which machines are simulated, what is
 * said of each point, and which simulations cannot be compared. */
#include "../json.h"
#include "experiment/against.h"

#define POINTS	   3
#define TECHNIQUES 2
#define VARIANTS   5

static struct model_point_request points[POINTS];
static struct program program = {.max_instructions = 4321};
static const struct job_machine machine = {.name = "m"};

static struct model_request make_request(void)
{
	for (unsigned i = 0; i < POINTS; i++) {
		config_default(&points[i].config);
		points[i].config.cache_levels = 1 + i;
		points[i].config.rob_size = 40 + i;
		points[i].config.memory_latency = 333;
	}
	return (struct model_request){.program = &program,
				      .machine = &machine,
				      .points = points,
				      .point_count = POINTS,
				      .technique_count = TECHNIQUES};
}

/* The model's answer: a CPI and a D-miss component for each point and technique. */
static double modelled(size_t i)
{
	return 0.5 + 0.25 * (double)i;
}

static json_t *make_answer(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < POINTS * TECHNIQUES; i++)
		json_array_append_new(list, json_pack("{s:f, s:{s:f}}", "cpi", 2 * modelled(i),
						      "components", "dmiss", modelled(i)));
	return json_pack("{s:i, s:o}", "instructions", 8000, "points", list);
}

static double made_up_cpi(size_t point, size_t variant)
{
	return 2 + 0.5 * (double)point + 0.125 * (double)(variant * variant);
}

/* What is perfect in each variant, on machines with one, two and three caches. */
static void check_variant(const struct config *c, unsigned levels, unsigned variant)
{
	bool hides_data = variant >= 1 && variant <= 3;

	assert_int_equal(c->ideal_branch, variant == 1 || variant == 3 || variant == 4);
	assert_int_equal(c->ideal_l1i, variant == 1 || variant == 2 || variant == 4);
	assert_int_equal(c->ideal_itlb, variant == 1 || variant == 2 || variant == 4);
	assert_int_equal(c->ideal_l1d, hides_data && levels == 1);
	assert_int_equal(c->ideal_l2d, hides_data && levels == 2);
	assert_int_equal(c->memory_latency, hides_data && levels == 3 ? 1 : 333);
}

static void check_point(const struct point *point, size_t i)
{
	assert_ptr_equal(point->kind, &point_simulated);
	assert_ptr_equal(point->program, &program);
	assert_int_equal(point->max_instructions, 4321);
	assert_null(point->observers);
	assert_string_equal(point->machine->name, "m");
	assert_int_equal(point->machine->config.rob_size, 40 + i / VARIANTS);
	check_variant(&point->machine->config, 1 + (unsigned)(i / VARIANTS), i % VARIANTS);
}

static json_t *made_up(double cpi, int instructions)
{
	return json_pack("{s:{s:I, s:i}}", "values", "cycles", (json_int_t)(cpi * 8000),
			 "instructions", instructions);
}

static void check_result(const json_t *result)
{
	for (size_t i = 0; i < POINTS * TECHNIQUES; i++) {
		const json_t *point = json_array_get(json_object_get(result, "points"), i);
		const json_t *simulated = json_object_get(point, "simulated");
		const json_t *components = json_object_get(simulated, "components");
		double c[VARIANTS];

		for (unsigned v = 0; v < VARIANTS; v++)
			c[v] = made_up_cpi(i / TECHNIQUES, v);
		assert_number(simulated, "cpi", c[0]);
		assert_number(components, "base", c[1]);
		assert_number(components, "branch", c[2] - c[1]);
		assert_number(components, "icache", c[3] - c[1]);
		assert_number(components, "dmiss", c[4] - c[1]);
		assert_number(json_object_get(point, "error"), "dmiss",
			      modelled(i) / (c[4] - c[1]) - 1);
		assert_number(json_object_get(point, "error"), "cpi", 2 * modelled(i) / c[0] - 1);
	}
}

TEST(points_have_their_simulations)
{
	const struct model_request request = make_request();
	json_t *answer = make_answer();
	struct plan *plan = against_plan(&request, answer);
	struct err err;

	assert_int_equal(plan->count, VARIANTS * POINTS);
	for (size_t i = plan->count; i-- > 0;) {
		json_t *result = made_up(made_up_cpi(i / VARIANTS, i % VARIANTS), 8000);

		check_point(&plan->points[i], i);
		assert_true(plan->take(plan, i, result, &err));
		json_decref(result);
	}
	json_t *result = plan->conclude(plan, false, &err);
	plan_destroy(plan);
	json_decref(answer);
	check_result(result);
	json_decref(result);
}

/* A component that no simulation has cannot be wrong by a part of it. */
TEST(nothing_is_divided_by_nothing)
{
	const struct model_request request = make_request();
	json_t *answer = make_answer();
	struct plan *plan = against_plan(&request, answer);
	struct err err;

	for (size_t i = 0; i < plan->count; i++) {
		json_t *result = made_up(2, 8000);

		assert_true(plan->take(plan, i, result, &err));
		json_decref(result);
	}
	json_t *result = plan->conclude(plan, false, &err);
	plan_destroy(plan);
	json_decref(answer);
	assert_number(
		json_object_get(json_array_get(json_object_get(result, "points"), 0), "error"),
		"dmiss", 0);
	json_decref(result);
}

TEST(simulations_that_differ_are_refused)
{
	const struct model_request request = make_request();
	json_t *answer = make_answer(), *result = made_up(2, 8001);
	struct plan *plan = against_plan(&request, answer);
	struct err err = {.text = ""};

	assert_false(plan->take(plan, 0, result, &err));
	assert_string_equal(err.text,
			    "the simulation committed 8001 instructions and the model saw "
			    "8000: the program does not do the same each time");
	err.text[0] = 0;
	assert_null(plan->conclude(plan, true, &err));
	assert_string_equal(err.text, "");
	plan_destroy(plan);
	json_decref(answer);
	json_decref(result);
}
