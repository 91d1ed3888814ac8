/* The two plans of advice, from runs that are made up: which points there are, what becomes of
 * their cycles, in which order, and what an interruption leaves out. */
#include "made_up_base.h"
#include "../json.h"

#include "base/array.h"
#include "count/count.h"
#include "experiment/advise.h"
#include "report/report.h"
#include "value/member.h"

static char name[] = "made";
static struct program program;
static struct job_machine machine;

static struct advise_request make_request(uint64_t whole_most)
{
	program = (struct program){.name = name, .max_instructions = 77};
	machine = (struct job_machine){.name = "midcore"};
	config_default(&machine.config);
	return (struct advise_request){
		.program = &program, .machine = &machine, .copies = 2, .whole_most = whole_most};
}

static json_t *run_of(int64_t cycles, int64_t instructions)
{
	return json_pack("{s:{s:I, s:I}}", "values", "cycles", (json_int_t)cycles, "instructions",
			 (json_int_t)instructions);
}

TEST(the_base_plan_is_one_run_that_lists_hot_instructions)
{
	const struct advise_request request = make_request(1000);
	struct plan *plan = advise_base_plan(&request);
	bool interrupted = false;
	struct err err = {.text = ""};
	json_t *run = json_object();

	assert_int_equal(plan->count, 1);
	assert_ptr_equal(plan->points[0].observers[0], &count_exact);
	assert_non_null(plan->points[0].places);
	assert_ptr_equal(plan->points[0].machine, &machine);
	assert_int_equal(plan->points[0].max_instructions, 77);
	assert_null(plan->conclude(plan, true, &err));
	assert_string_equal(err.text, "interrupted before the program had been simulated once");
	assert_int_equal(err.kind, ERR_STOPPED);
	assert_true(plan->take(plan, 0, run, &err));
	json_t *base = plan->conclude(plan, interrupted, &err);
	assert_ptr_equal(base, run);
	json_decref(base);
	json_decref(run);
	plan_destroy(plan);
}

/* The changes beyond the machine's own, joined; the facts and the windows have none. */
static const char *changes_of(const struct point *point)
{
	static char text[4096];

	text[0] = '\0';
	for (size_t i = 0; i < point->machine->change_count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "," : "",
			 point->machine->changes[i]);
	return text;
}

static size_t point_with(const struct plan *plan, const char *changes)
{
	for (size_t i = 0; i < plan->count; i++)
		if (strcmp(changes_of(&plan->points[i]), changes) == 0)
			return i;
	fail_msg("no point has %s", changes);
	return 0;
}

static const json_t *row_with(const json_t *rows, const char *change)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const json_t *changes = json_object_get(row, "changes");

		for (size_t k = 0; k < json_array_size(changes); k++)
			if (strcmp(json_string_value(json_array_get(changes, k)), change) == 0)
				return row;
	}
	fail_msg("no row has %s", change);
	return NULL;
}

static void take(struct plan *plan, const char *changes, int64_t cycles)
{
	json_t *run = run_of(cycles, MADE_UP_INSTRUCTIONS);
	struct err err = {.text = ""};

	if (!plan->take(plan, point_with(plan, changes), run, &err))
		fail_msg("%s", err.text);
	json_decref(run);
}

#define AT_LINE "ideal.at=0x900:branch/0x1000:branch/0x1004:branch"

TEST(gains_are_differences_of_cycles_ranked)
{
	const struct advise_request request = make_request(MADE_UP_INSTRUCTIONS);
	json_t *base = made_up_base();
	struct err err = {.text = ""};
	struct plan *plan = advise_plan(&request, base, &err);

	assert_non_null(plan);
	assert_ptr_equal(plan->points[0].kind, &point_facts);
	assert_int_equal(plan->points[0].facts->charges[0].pc, 0x1000);
	assert_int_equal(plan->points[0].facts->charges[0].slots[CAUSE_BRANCH], 1000);
	assert_int_equal(plan->points[0].facts->charges[0].slots[CAUSE_BASE], 0);
	for (size_t i = 1; i < plan->count; i++) {
		assert_ptr_equal(plan->points[i].kind, &point_simulated);
		assert_null(plan->points[i].observers);
		/* What is a place and a bound is simulated once. */
		for (size_t k = 1; k < i; k++) {
			char other[4096];

			strcpy(other, changes_of(&plan->points[k]));
			assert_string_not_equal(changes_of(&plan->points[i]), other);
		}
	}
	take(plan, AT_LINE, 740);
	take(plan, "ideal.branch=true", 700);
	take(plan, "l2.size_bytes=2097152", 990);
	take(plan, "frontend.depth=6", 1010);
	json_t *result = plan->conclude(plan, true, &err);
	assert_number(result, "cycles", 1000);
	assert_number(result, "instructions", 700);
	assert_number(result, "status", 3);
	assert_number(result, "left_out",
		      0 + (double)json_number_value(json_object_get(result, "left_out")));
	assert_true(json_number_value(json_object_get(result, "left_out")) > 5);
	const json_t *software = json_object_get(result, "software"),
		     *steps = json_object_get(result, "machine");
	/* The one that no machine can take away comes last, without a gain. */
	assert_int_equal(json_array_size(software), 3);
	assert_number(json_array_get(software, 0), "gain", 300);
	assert_string_equal(text(json_array_get(software, 0), "scope"), "program");
	assert_number(json_array_get(software, 1), "gain", 260);
	assert_number(json_array_get(software, 1), "error", 0);
	assert_number(json_array_get(software, 1), "lost", 267.5);
	assert_string_equal(text(json_array_get(software, 1), "measured"), "whole");
	assert_string_equal(text(json_array_get(software, 2), "kind"), "serialise");
	assert_true(json_is_null(json_object_get(json_array_get(software, 2), "gain")));
	assert_string_equal(text(json_array_get(software, 2), "measured"), "nothing");
	assert_int_equal(json_array_size(steps), 3);
	assert_number(json_array_get(steps, 0), "gain", 300);
	assert_true(json_is_true(json_object_get(json_array_get(steps, 0), "bound")));
	assert_true(json_is_null(json_object_get(json_array_get(steps, 0), "bits")));
	assert_number(json_array_get(steps, 1), "gain", 10);
	assert_number(json_array_get(steps, 1), "bits", 8944640);
	assert_number(json_array_get(steps, 2), "gain", -10);
	assert_true(json_is_false(json_object_get(result, "nothing")));
	/* It has a document. */
	struct doc doc;
	if (!report_build(&doc, result, NULL, &err))
		fail_msg("%s", err.text);
	doc_release(&doc);
	json_decref(result);
	plan_destroy(plan);
	json_decref(base);
}

TEST(a_bound_alone_is_nothing_to_gain)
{
	const struct advise_request request = make_request(MADE_UP_INSTRUCTIONS);
	json_t *base = made_up_base();
	struct err err = {.text = ""};
	struct plan *plan = advise_plan(&request, base, &err);

	take(plan, "ideal.l2d=true", 500); /* of no place */
	take(plan, AT_LINE, 981);
	take(plan, "l2.size_bytes=2097152", 981);
	json_t *result = plan->conclude(plan, true, &err);
	assert_true(json_is_true(json_object_get(result, "nothing")));
	json_decref(result);
	take(plan, "l2.size_bytes=2097152", 980);
	result = plan->conclude(plan, true, &err);
	assert_true(json_is_false(json_object_get(result, "nothing")));
	json_decref(result);
	plan_destroy(plan);
	json_decref(base);
}

TEST(a_loss_that_no_machine_takes_away_is_something)
{
	const struct advise_request request = make_request(MADE_UP_INSTRUCTIONS);
	json_t *base = made_up_base(),
	       *causes = json_object_get(json_object_get(base, "exact"), "causes");
	struct err err = {.text = ""};

	/* A fiftieth of 4000 slots. */
	for (int slots = 79; slots <= 80; slots++) {
		json_object_set_new(causes, "serialise", json_integer(slots));
		json_object_set_new(causes, "base", json_integer(1100 - slots));
		struct plan *plan = advise_plan(&request, base, &err);
		json_t *result = plan->conclude(plan, true, &err);

		assert_int_equal(json_is_true(json_object_get(result, "nothing")), slots == 79);
		json_decref(result);
		plan_destroy(plan);
	}
	json_decref(base);
}

TEST(of_a_long_program_one_run_answers_what_can_change_while_it_runs)
{
	const struct advise_request request = make_request(MADE_UP_INSTRUCTIONS - 1);
	json_t *base = made_up_base(), *answers = json_array();
	struct err err = {.text = ""};
	struct plan *plan = advise_plan(&request, base, &err);
	json_t *run = json_pack("{s:o}", "what_if", answers);

	assert_non_null(plan->points[1].part);
	for (size_t i = 2; i < plan->count; i++)
		assert_null(strstr(changes_of(&plan->points[i]), "ideal."));
	point_with(plan, "l2.size_bytes=2097152");
	assert_false(plan->take(plan, 1, run, &err));
	assert_non_null(strstr(err.text, "answers 0 of"));
	/* Whatever is asked: the same answer, but the second place has none. */
	for (size_t i = 0; i < 100; i++) {
		json_array_append_new(answers, i == 1 ? json_pack("{s:i}", "windows", 0)
						      : json_pack("{s:i, s:f, s:f}", "windows", 5,
								  "gain", 0.25, "error", 0.24));
		if (plan->take(plan, 1, run, &err))
			break;
	}
	json_t *result = plan->conclude(plan, true, &err);
	const json_t *line = row_with(json_object_get(result, "software"), AT_LINE);
	assert_string_equal(text(line, "measured"), "windows");
	assert_number(line, "gain", 250);
	assert_number(line, "error", 240);
	assert_number(line, "windows", 5);
	/* 25 +- 24 % may be 1 %. */
	assert_true(json_is_true(json_object_get(result, "nothing")));
	json_decref(result);
	json_decref(run);
	plan_destroy(plan);
	json_decref(base);
}

TEST(a_program_that_does_something_else_there_has_no_gain)
{
	const struct advise_request request = make_request(MADE_UP_INSTRUCTIONS);
	json_t *base = made_up_base(), *run = run_of(900, MADE_UP_INSTRUCTIONS + 1);
	struct err err = {.text = ""};
	struct plan *plan = advise_plan(&request, base, &err);

	assert_false(plan->take(plan, point_with(plan, "ideal.branch=true"), run, &err));
	assert_non_null(strstr(err.text, "701 instructions instead of 700"));
	json_decref(run);
	plan_destroy(plan);
	json_decref(base);
}

TEST(the_pattern_of_a_place_is_the_first_that_has_a_name)
{
	const struct advise_request request = make_request(MADE_UP_INSTRUCTIONS);
	json_t *base = made_up_base(), *places = json_array();
	struct err err = {.text = ""};
	struct plan *plan = advise_plan(&request, base, &err);
	json_t *facts = json_pack("{s:o}", "places", places);

	for (size_t i = 0; i < plan->points[0].facts->charge_count; i++)
		json_array_append_new(
			places, i == 1	 ? json_pack("{s:s, s:{s:s, s:s, s:{s:s, s:i}}}", "pc",
						     "0x1004", "pattern", "name", "some", "evidence",
						     "seen", "about", "pc", "0x77", "line", -4)
				: i == 4 ? json_pack("{s:s, s:i}", "pc", "0x9", "pattern", 5)
					 : json_pack("{s:s, s:{s:s}}", "pc", "0x8", "pattern",
						     "name", "none"));
	assert_true(plan->take(plan, 0, facts, &err));
	take(plan, AT_LINE, 740);
	json_t *result = plan->conclude(plan, true, &err);
	const json_t *pattern =
		json_object_get(row_with(json_object_get(result, "software"), AT_LINE), "pattern");
	assert_string_equal(text(pattern, "name"), "some");
	assert_string_equal(text(pattern, "evidence"), "seen");
	assert_string_equal(text(pattern, "helps"), "");
	assert_string_equal(text(pattern, "pc"), "0x1004");
	assert_string_equal(text(json_object_get(pattern, "about"), "pc"), "0x77");
	assert_number(json_object_get(pattern, "about"), "line", 0);
	json_decref(result);
	json_decref(facts);
	plan_destroy(plan);
	json_decref(base);
}

TEST(a_base_that_is_no_run_is_refused)
{
	const struct advise_request request = make_request(1);
	json_t *base = made_up_base();
	struct err err = {.text = ""};

	json_object_del(base, "exact");
	assert_null(advise_plan(&request, base, &err));
	assert_true(*err.text);
	json_decref(base);
}
