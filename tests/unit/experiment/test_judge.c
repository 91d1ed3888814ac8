/* Judging from runs that are made up, no two numbers of which are equal: every value of the result
 * is held to the run that it comes from. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "count/count.h"
#include "count/truth.h"
#include "experiment/judge.h"
#include "value/member.h"

#define PROGRAMS    2
#define ABOUT(a, b) (fabs((a) - (b)) < 1e-9)

struct fake {
	struct subject subject;
	struct truth_plan plan;
	size_t undone; /* points at the end that nobody has run */
	size_t other;  /* a point that commits other instructions; 0: none */
	bool is_bare;  /* no misses, overlap, losses */
};

static struct fake fake;
static struct program programs[PROGRAMS];

static uint64_t made_up_cycles(size_t program, size_t machine)
{
	return 1000000 * (program + 1) + 1000 * machine + 13 * machine * machine;
}

/* What a method says of a component. */
static int64_t made_up_component(size_t program, size_t method, enum component component)
{
	return (int64_t)(10000 * program + 700 * method + 31 * component * component + 11);
}

static json_t *made_up_stacks(size_t program)
{
	json_t *stacks = json_object();

	for (size_t m = 0; m < observer_methods(); m++) {
		json_t *components = json_object();

		for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
			json_object_set_new(components, component_rows[i].name,
					    json_integer(made_up_component(program, m, i)));
		json_object_set_new(stacks, observer_kinds[m]->name,
				    json_pack("{s:o}", "components", components));
	}
	return stacks;
}

static json_t *made_up_result(size_t program, size_t machine, uint64_t instructions)
{
	json_t *result = json_pack("{s:{s:I, s:I}}", "values", "cycles",
				   (json_int_t)made_up_cycles(program, machine), "instructions",
				   (json_int_t)instructions);

	if (machine != fake.plan.real)
		return result;
	json_object_set_new(result, "stacks", made_up_stacks(program));
	if (fake.is_bare)
		return result;
	json_object_set_new(result, "misses",
			    json_pack("{s:{s:i, s:i, s:i, s:i, s:i}}", "naive-nonspec", "l1i", 20,
				      "branch", (int)program * 50, "l1d", 60, "l2d", 80, "l3d",
				      100));
	json_object_set_new(result, "overlap",
			    json_pack("{s:i, s:i}", "cycles", 3000, "full_cycles", 1500));
	json_object_set_new(result, "losses",
			    json_pack("{s:{s:i}, s:{s:i}}", "sfmt", "x", 5, "afmt", "x", 6));
	return result;
}

static void check_point(const struct point *point, size_t program, size_t machine)
{
	assert_ptr_equal(point->kind, &point_simulated);
	assert_ptr_equal(point->program, &programs[program]);
	assert_int_equal(point->max_instructions, 5000 + program);
	assert_int_equal(point->output, 0);
	assert_int_equal(point->repetition, 0);
	assert_string_equal(point->machine->name, "m");
	assert_memory_equal(&point->machine->config, &fake.plan.machines[machine].config,
			    sizeof(struct config));
	/* All methods that fit, and what else is needed, observe the real one alone. */
	assert_int_equal(point->observers != NULL, machine == fake.plan.real);
	if (!point->observers)
		return;
	size_t count = 0;
	for (size_t m = 0; m < observer_methods(); m++)
		if (observer_fits(observer_kinds[m], &point->machine->config))
			assert_ptr_equal(point->observers[count++], observer_kinds[m]);
	if (observer_fits(&count_overlap, &point->machine->config))
		assert_ptr_equal(point->observers[count++], &count_overlap);
	assert_null(point->observers[count]);
}

/* The last points first: what is concluded does not depend on the order. */
static void take_made_up(struct plan *plan)
{
	const size_t machines = fake.plan.count;
	struct err err;

	assert_int_equal(plan->count, PROGRAMS * machines);
	for (size_t i = plan->count; i-- > 0;) {
		size_t program = i / machines;
		json_t *result = made_up_result(program, i % machines,
						fake.other && i == fake.other ? 7 : 5000 + program);

		check_point(&plan->points[i], program, i % machines);
		if (i < plan->count - fake.undone)
			assert_true(plan->take(plan, i, result, &err));
		json_decref(result);
	}
}

static char names[PROGRAMS][8] = {"first", "second"};
static char *arguments[] = {names[0], names[1], NULL};

static json_t *judge(unsigned levels, bool all_orders, struct err *err)
{
	struct config config;

	config_default(&config);
	config.cache_levels = levels;
	for (unsigned i = 0; i < PROGRAMS; i++)
		programs[i] = (struct program){.name = names[i],
					       .argv = arguments,
					       .argc = 2,
					       .hash = "h",
					       .max_instructions = 5000 + i};
	fake.subject = (struct subject){.programs = programs,
					.program_count = PROGRAMS,
					.machine = {.config = config, .name = "m"}};
	truth_plan_init(&fake.plan, &config, all_orders);
	err->text[0] = 0;
	const struct judge_options options = {.all_orders = all_orders};
	struct plan *plan = judge_plan(&fake.subject, &options);
	take_made_up(plan);
	json_t *result = plan->conclude(plan, fake.undone, err);
	plan_destroy(plan);
	return result;
}

static void finish(json_t *result)
{
	json_decref(result);
	truth_plan_release(&fake.plan);
	fake = (struct fake){.undone = 0};
}

static void assert_number(const json_t *object, const char *name, double want)
{
	if (!json_object_get(object, name) || !ABOUT(member_number(object, name), want))
		fail_msg("%s is %.9g, not %.9g", name, member_number(object, name), want);
}

static void made_up_all(size_t program, uint64_t *cycles)
{
	for (size_t m = 0; m < fake.plan.count; m++)
		cycles[m] = made_up_cycles(program, m);
}

/* What a method says; folded: with resource in base. */
static double told(size_t program, size_t method, enum component i, bool is_folded)
{
	const double value = (double)made_up_component(program, method, i);

	if (is_folded && i == COMPONENT_RESOURCE)
		return 0;
	if (is_folded && i == COMPONENT_BASE)
		return value + (double)made_up_component(program, method, COMPONENT_RESOURCE);
	return value;
}

/* The errors of a method from two stacks of the truth. */
static void check_errors(const json_t *verdict, const json_t *errors, const struct stack *a,
			 const struct stack *b, size_t p, size_t m, bool is_folded)
{
	const double real = (double)made_up_cycles(p, fake.plan.real);
	double most_a = 0, most_b = 0, most = 0, outside = 0;
	const char *worst = "";

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		const double at = told(p, m, i, is_folded);
		const double da = fabs(at - (double)a->cycles[i]) / real;
		const double db = fabs(at - (double)b->cycles[i]) / real;
		const bool between = (at - (double)a->cycles[i]) * (at - (double)b->cycles[i]) <= 0;

		if (!truth_has(&fake.subject.machine.config, i))
			continue;
		if (errors)
			assert_number(errors, component_rows[i].name, fmax(da, db));
		if (fmax(da, db) > most)
			worst = component_rows[i].name;
		most_a = fmax(most_a, da);
		most_b = fmax(most_b, db);
		most = fmax(most, fmax(da, db));
		outside = fmax(outside, between ? 0 : fmin(da, db));
	}
	assert_number(verdict, "max_error", most);
	assert_number(verdict, "max_error_a", most_a);
	assert_number(verdict, "max_error_b", most_b);
	assert_number(verdict, "max_error_interval", outside);
	assert_string_equal(member_text(verdict, "worst"), worst);
}

static const json_t *program_of(const json_t *result, size_t i)
{
	return json_array_get(json_object_get(result, "programs"), i);
}

static const json_t *method_of(const json_t *program, const char *name)
{
	return json_object_get(json_object_get(program, "methods"), name);
}

TEST(verdicts_are_distances_from_the_truth)
{
	struct err err;
	uint64_t cycles[200];

	for (unsigned levels = 1; levels <= 3; levels++) {
		json_t *result = judge(levels, false, &err);
		const struct config *config = &fake.subject.machine.config;

		assert_string_equal(member_text(result, "schema"), "cyclestack-judge-1");
		assert_string_equal(member_text(json_object_get(result, "configuration"), "name"),
				    "m");
		assert_int_equal(json_array_size(json_object_get(result, "programs")), PROGRAMS);
		for (size_t p = 0; p < PROGRAMS; p++) {
			const json_t *of = program_of(result, p);
			const json_t *truth = json_object_get(of, "truth");
			double real = (double)made_up_cycles(p, fake.plan.real);
			struct stack a, b;
			int64_t parts[TRUTH_PARTS];

			made_up_all(p, cycles);
			truth_read(&fake.plan, cycles, TRUTH_A, &a);
			truth_read(&fake.plan, cycles, TRUTH_B, &b);
			truth_read_parts(&fake.plan, cycles, parts);
			assert_string_equal(member_text(of, "name"), names[p]);
			assert_number(of, "instructions", 5000 + (double)p);
			assert_number(of, "cycles", real);
			for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
				const char *name = component_rows[i].name;

				if (!truth_has(config, i)) {
					assert_null(
						json_object_get(json_object_get(truth, "a"), name));
					continue;
				}
				assert_number(json_object_get(truth, "a"), name,
					      (double)a.cycles[i]);
				assert_number(json_object_get(truth, "b"), name,
					      (double)b.cycles[i]);
			}
			for (unsigned i = 0; i < TRUTH_PARTS; i++)
				assert_number(json_object_get(truth, "parts"),
					      cause_rows[truth_parts[i].cause].name,
					      (double)parts[i]);
			assert_null(json_object_get(truth, "base_parts"));
			assert_null(json_object_get(truth, "all_orders"));
			assert_int_equal(json_object_size(json_object_get(of, "methods")),
					 observer_methods());
			for (size_t m = 0; m < observer_methods(); m++) {
				const struct observer_kind *kind = observer_kinds[m];
				const json_t *x = method_of(of, kind->name);
				if (!observer_fits(kind, config)) {
					assert_null(x);
					continue;
				}
				const json_t *together = json_object_get(x, "folded");
				struct stack folded_a = a, folded_b = b;

				check_errors(x, json_object_get(x, "errors"), &a, &b, p, m, false);
				truth_fold(&folded_a);
				truth_fold(&folded_b);
				check_errors(together, NULL, &folded_a, &folded_b, p, m, true);
				/* Base is the same in both orders. */
				assert_number(together, "base",
					      fabs(told(p, m, COMPONENT_BASE, true) -
						   (double)folded_a.cycles[COMPONENT_BASE]) /
						      real);
				for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
					assert_number(json_object_get(x, "components"),
						      component_rows[i].name,
						      (double)made_up_component(p, m, i));
				if (kind->bits)
					assert_number(x, "bits", (double)kind->bits(config));
				else
					assert_true(json_is_null(json_object_get(x, "bits")));
				assert_null(json_object_get(x, "distance_to_mean"));
			}
		}
		finish(result);
	}
}

TEST(events_have_their_price)
{
	static const double counts[] = {60, 80, 100};
	struct err err;
	uint64_t cycles[200];

	for (unsigned levels = 1; levels <= 3; levels++) {
		json_t *result = judge(levels, false, &err);

		for (size_t p = 0; p < PROGRAMS; p++) {
			const json_t *of = program_of(result, p);
			const json_t *events = json_object_get(of, "events");
			const json_t *per = json_object_get(of, "per_event");
			const enum component data = component_long(levels);
			struct stack a;

			made_up_all(p, cycles);
			truth_read(&fake.plan, cycles, TRUTH_A, &a);
			assert_number(events, "l1i", 20);
			assert_number(events, "branch", 50 * (double)p);
			assert_number(events, "l2d", counts[levels - 1]);
			for (size_t m = 0; m < observer_methods(); m++) {
				const char *name = observer_kinds[m]->name;

				assert_number(json_object_get(per, "l1i"), name,
					      told(p, m, COMPONENT_L1I, false) / 20);
				assert_number(json_object_get(per, "l2d"), name,
					      told(p, m, data, false) / counts[levels - 1]);
				if (p)
					assert_number(json_object_get(per, "branch"), name,
						      told(p, m, COMPONENT_BRANCH, false) / 50);
			}
			assert_number(json_object_get(per, "l1i"), "simulated",
				      (double)a.cycles[COMPONENT_L1I] / 20);
			assert_number(json_object_get(per, "l2d"), "simulated",
				      (double)a.cycles[data] / counts[levels - 1]);
			if (p)
				assert_number(json_object_get(per, "branch"), "simulated",
					      (double)a.cycles[COMPONENT_BRANCH] / 50);
			else /* there were none */
				assert_int_equal(json_object_size(json_object_get(per, "branch")),
						 0);
			double real = (double)made_up_cycles(p, fake.plan.real);
			assert_number(of, "overlap", 3000 / real);
			assert_number(of, "overlap_full", 1500 / real);
			assert_number(json_object_get(of, "sfmt"), "x", 5);
			assert_number(json_object_get(json_object_get(of, "sfmt_losses"), "afmt"),
				      "x", 6);
		}
		finish(result);
	}
	fake.is_bare = true;
	json_t *result = judge(2, false, &err);
	const json_t *of = program_of(result, 0);
	assert_null(json_object_get(of, "events"));
	assert_null(json_object_get(of, "per_event"));
	assert_null(json_object_get(of, "overlap"));
	assert_null(json_object_get(of, "sfmt"));
	finish(result);
}

TEST(summaries_are_means_and_the_largest)
{
	static const char *const members[][3] = {
		{"max_error", "mean_error", "largest_error"},
		{"distance_to_range", "mean_distance_to_range", "largest_distance_to_range"},
		{"distance_to_mean", "mean_distance_to_mean", "largest_distance_to_mean"},
	};
	struct err err;

	for (unsigned orders = 0; orders < 2; orders++) {
		json_t *result = judge(2, orders, &err);
		const json_t *summary = json_object_get(result, "summary");

		const json_t *together = json_object_get(summary, "folded");

		assert_int_equal(json_object_size(summary), orders ? 7 : 3);
		assert_int_equal(json_object_size(together), orders ? 6 : 2);
		for (unsigned k = 0; k < (orders ? 3 : 1); k++)
			for (size_t m = 0; m < observer_methods(); m++) {
				const char *name = observer_kinds[m]->name;
				double e[PROGRAMS], f[PROGRAMS];

				for (size_t p = 0; p < PROGRAMS; p++) {
					const json_t *x = method_of(program_of(result, p), name);

					e[p] = member_number(x, members[k][0]);
					f[p] = member_number(json_object_get(x, "folded"),
							     members[k][0]);
				}
				assert_number(json_object_get(summary, members[k][1]), name,
					      (e[0] + e[1]) / 2);
				assert_number(json_object_get(summary, members[k][2]), name,
					      fmax(e[0], e[1]));
				assert_number(json_object_get(together, members[k][1]), name,
					      (f[0] + f[1]) / 2);
				assert_number(json_object_get(together, members[k][2]), name,
					      fmax(f[0], f[1]));
			}
		finish(result);
	}
}

static void check_distances(const json_t *verdict, const struct truth_all *all, size_t p, size_t m,
			    bool is_folded)
{
	const double real = (double)made_up_cycles(p, fake.plan.real);
	double range = 0, mean = 0;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		const double at = told(p, m, i, is_folded), low = (double)all->costs[i].lowest,
			     high = (double)all->costs[i].highest;

		if (!truth_has(&fake.subject.machine.config, i))
			continue;
		range = fmax(range, fmax(low - at, at - high) / real);
		mean = fmax(mean, fabs(at - all->costs[i].mean) / real);
	}
	assert_number(verdict, "distance_to_range", range);
	assert_number(verdict, "distance_to_mean", mean);
}

TEST(all_orders_are_told)
{
	struct err err;
	uint64_t cycles[2000];
	json_t *result = judge(2, true, &err);
	const struct config *config = &fake.subject.machine.config;
	const struct judge_work work =
		judge_work_of(&fake.subject, &(struct judge_options){.all_orders = true});

	assert_true(fake.plan.count <= 2000);
	assert_int_equal(work.machines, fake.plan.count);
	assert_int_equal(work.simulations, 2 * fake.plan.count);
	assert_int_equal(work.orders, orders_all(&fake.plan.orders));
	for (size_t p = 0; p < PROGRAMS; p++) {
		const json_t *of = program_of(result, p);
		const json_t *told = json_object_get(json_object_get(of, "truth"), "all_orders");
		const json_t *list = json_object_get(told, "interactions");
		struct truth_all all;
		size_t pairs = 0;

		made_up_all(p, cycles);
		truth_read_all(&fake.plan, cycles, &all);
		assert_number(told, "machines", (double)fake.plan.orders.set_count);
		assert_number(told, "orders", (double)orders_all(&fake.plan.orders));
		for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
			const char *name = component_rows[i].name;

			if (truth_has(config, i)) {
				assert_number(json_object_get(told, "lowest"), name,
					      (double)all.costs[i].lowest);
				assert_number(json_object_get(told, "highest"), name,
					      (double)all.costs[i].highest);
				assert_number(json_object_get(told, "mean"), name,
					      all.costs[i].mean);
			}
			for (enum component k = i + 1; k < COMPONENT_COUNT; k++) {
				const json_t *pair = json_array_get(list, pairs);

				if (!all.interact[i][k])
					continue;
				assert_string_equal(member_text(pair, "first"), name);
				assert_string_equal(member_text(pair, "second"),
						    component_rows[k].name);
				assert_number(pair, "cycles", all.interactions[i][k]);
				pairs++;
			}
		}
		assert_int_equal(json_array_size(list), pairs);
		assert_true(pairs > 0);
		for (size_t m = 0; m < observer_methods(); m++) {
			const json_t *x = method_of(of, observer_kinds[m]->name);
			struct truth_all together = all;

			check_distances(x, &all, p, m, false);
			together.costs[COMPONENT_BASE].lowest +=
				all.costs[COMPONENT_RESOURCE].lowest;
			together.costs[COMPONENT_BASE].highest +=
				all.costs[COMPONENT_RESOURCE].highest;
			together.costs[COMPONENT_BASE].mean += all.costs[COMPONENT_RESOURCE].mean;
			together.costs[COMPONENT_RESOURCE] = (struct orders_cost){0};
			check_distances(json_object_get(x, "folded"), &together, p, m, true);
		}
	}
	finish(result);
}

TEST(an_in_order_core_leaves_methods_out)
{
	struct err err;
	struct subject subject = {.programs = programs, .program_count = 3};

	config_default(&subject.machine.config);
	subject.machine.config.core_kind = CORE_INORDER;
	subject.machine.name = "m";
	const struct judge_options options = {.all_orders = false};
	const struct judge_work work = judge_work_of(&subject, &options);
	assert_int_equal(work.orders, 0);
	assert_int_equal(work.simulations, 3 * work.machines);
	subject.program_count = 0;
	struct plan *plan = judge_plan(&subject, &options);
	assert_int_equal(plan->count, 0);
	json_t *result = plan->conclude(plan, false, &err);
	const json_t *left_out = json_object_get(result, "left_out");
	size_t at = 0;
	for (size_t m = 0; m < observer_methods(); m++)
		if (observer_kinds[m]->needs_ooo)
			assert_string_equal(json_string_value(json_array_get(left_out, at++)),
					    observer_kinds[m]->name);
	assert_int_equal(json_array_size(left_out), at);
	assert_true(at > 0);
	/* There is no mean over no program. */
	assert_int_equal(
		json_object_size(json_object_get(json_object_get(result, "summary"), "mean_error")),
		0);
	json_decref(result);
	plan_destroy(plan);
}

TEST(programs_that_are_not_done_are_left_out)
{
	struct err err;

	fake.undone = 1;
	json_t *result = judge(2, false, &err);
	assert_int_equal(json_array_size(json_object_get(result, "programs")), 1);
	assert_string_equal(member_text(program_of(result, 0), "name"), "first");
	finish(result);
}

TEST(runs_that_differ_are_refused)
{
	struct err err;

	fake.other = 1;
	assert_null(judge(2, false, &err));
	assert_string_equal(err.text,
			    "first: an idealised machine committed 7 instructions, the real "
			    "one 5000; such runs cannot be compared (does the program look "
			    "at the time?)");
	finish(NULL);
}

/*
 * A quick judgement.
 */
#define QUICK_METHODS 3 /* of those that are looked at: which are told apart follows from these */

static const struct judge_options quick = {
	.is_quick = true, .gain = {.budget = 0.25, .within = 0.01}, .copies = 2};

/* Each method is off by so much in base alone, in parts of 1000 of the cycles, and the truth of
 * base is known to 10 of them, of the others to 1. */
static int base_off(size_t method)
{
	return method == 2 ? 100 : method == 3 ? 112 : method == 4 ? 135 : 500;
}

static json_t *quick_result(size_t program, bool is_measured)
{
	json_t *stacks = json_object(), *errors = json_object();

	for (size_t m = 0; m < observer_methods(); m++)
		json_object_set_new(stacks, observer_kinds[m]->name,
				    json_pack("{s:{s:i, s:i, s:i}}", "components", "base",
					      (int)(1000 * (300 + base_off(m))), "l2d",
					      (int)(1000 * (650 - base_off(m) / 2)), "resource",
					      50000));
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		json_object_set_new(errors, component_rows[i].name,
				    json_integer(i == COMPONENT_BASE ? 10000 : 1000));
	json_t *gain = json_pack("{s:i}", "windows", is_measured ? 7 : 0);

	if (is_measured) {
		json_object_set_new(gain, "costs",
				    json_pack("{s:i, s:i, s:i, s:i, s:i}", "base", 290000,
					      "dependence", 10000, "latency", 50000, "l2d", 640000,
					      "mshr", 10000));
		json_object_set(gain, "errors", errors);
	}
	json_decref(errors);
	return json_pack("{s:{s:i, s:i}, s:o, s:o}", "values", "cycles", 1000000, "instructions",
			 5000 + (int)program, "stacks", stacks, "gain", gain);
}

static json_t *judge_quickly(size_t unmeasured, struct err *err)
{
	struct subject *subject = &fake.subject;

	config_default(&subject->machine.config);
	subject->machine.name = "m";
	subject->programs = programs;
	subject->program_count = PROGRAMS;
	for (unsigned i = 0; i < PROGRAMS; i++)
		programs[i] = (struct program){.name = names[i],
					       .argv = arguments,
					       .argc = 2,
					       .hash = "h",
					       .max_instructions = 5000 + i};
	struct plan *plan = judge_plan(subject, &quick);

	assert_int_equal(plan->count, PROGRAMS);
	for (size_t i = 0; i < PROGRAMS; i++) {
		const struct point *point = &plan->points[i];
		json_t *result = quick_result(i, i != unmeasured);
		size_t count = 0;

		assert_ptr_equal(point->program, &programs[i]);
		assert_ptr_equal(point->gain, &quick.gain);
		assert_int_equal(point->gain_copies, 2);
		assert_memory_equal(&point->machine->config, &subject->machine.config,
				    sizeof(struct config));
		/* Those that are judged, and exact, whose windows are the truth. */
		bool has_exact = false;
		for (; point->observers[count]; count++)
			has_exact |= point->observers[count] == &count_exact;
		assert_true(has_exact && count > QUICK_METHODS);
		assert_true(plan->take(plan, i, result, err));
		json_decref(result);
	}
	json_t *result = plan->conclude(plan, false, err);
	plan_destroy(plan);
	return result;
}

static bool is_open(const json_t *result, const char *one, const char *other)
{
	const json_t *list = json_object_get(json_object_get(result, "summary"), "open");
	json_t *pair;
	size_t i;

	json_array_foreach(list, i, pair)
	{
		const char *first = member_text(pair, "first"),
			   *second = member_text(pair, "second");

		if ((strcmp(first, one) == 0 && strcmp(second, other) == 0) ||
		    (strcmp(first, other) == 0 && strcmp(second, one) == 0))
			return true;
	}
	return false;
}

TEST(a_quick_judgement_says_what_it_knows)
{
	const struct judge_work work = judge_work_of(&(struct subject){.program_count = 3}, &quick);
	struct err err;
	json_t *result = judge_quickly(PROGRAMS, &err);
	const json_t *summary = json_object_get(result, "summary");

	assert_int_equal(work.simulations, 3);
	for (size_t p = 0; p < PROGRAMS; p++) {
		const json_t *of = program_of(result, p), *truth = json_object_get(of, "truth");
		const json_t *a = json_object_get(truth, "a");

		assert_number(a, "base", 300000);
		assert_number(a, "resource", 50000);
		assert_number(a, "l2d", 650000);
		assert_number(a, "l1i", 0);
		assert_null(json_object_get(truth, "b"));
		assert_null(json_object_get(truth, "parts"));
		assert_number(json_object_get(truth, "measured"), "windows", 7);
		assert_null(method_of(of, "exact"));
		for (size_t m = 0; m < observer_methods(); m++) {
			const json_t *x = method_of(of, observer_kinds[m]->name);
			const double off = base_off(m) / 1000.0;

			if (observer_kinds[m] == &count_exact)
				continue;
			assert_number(x, "max_error", off);
			assert_number(x, "max_error_a", off);
			assert_number(x, "max_error_low", off - 0.01);
			assert_number(x, "max_error_high", off + 0.01);
			assert_null(json_object_get(x, "max_error_b"));
			assert_null(json_object_get(x, "max_error_interval"));
			assert_string_equal(member_text(x, "worst"), "base");
			/* Base and resource together are known less well. */
			assert_number(json_object_get(x, "folded"), "max_error_high", off + 0.011);
			assert_number(json_object_get(summary, "mean_error_low"),
				      observer_kinds[m]->name, off - 0.01);
			assert_number(json_object_get(summary, "largest_error_high"),
				      observer_kinds[m]->name, off + 0.01);
		}
	}
	/* Errors of 100 and 112 differ by more than the truth of base can hide: both are off to the
	 * same side, by 12 wherever it is. Two of 500 do not differ. */
	assert_false(is_open(result, observer_kinds[2]->name, observer_kinds[3]->name));
	assert_false(is_open(result, observer_kinds[3]->name, observer_kinds[4]->name));
	assert_true(is_open(result, observer_kinds[5]->name, observer_kinds[6]->name));
	json_decref(result);
	fake = (struct fake){.undone = 0};
}

TEST(what_no_window_measured_is_not_judged)
{
	struct err err;

	assert_null(judge_quickly(1, &err));
	assert_string_equal(err.text,
			    "second: no window of its run could be simulated on other machines, so "
			    "that its truth is not known; without --quick these are simulated from "
			    "the beginning");
	fake = (struct fake){.undone = 0};
}
