/* The claims of hough2006: each holds on a measurement made for it, and fails when that changes. */
#include "../test.h"
#include "base/array.h"
#include "papers/paper_hough2006.h"
#include "value/member.h"

/* A result of one program with these numbers. */
struct numbers {
	double small_way, other;
	int differ, back, through, naive;
};

static json_t *result_of(const struct numbers *n)
{
	json_t *machines = json_array();
	struct config config;

	for (const struct hough2006_machine *m = hough2006_machines; m->name; m++) {
		bool is_base = m == hough2006_machines;
		bool is_small = strcmp(m->changes, "l1i.size_bytes=1k") == 0;

		json_array_append_new(machines,
				      json_pack("{s:s, s:{s:i}, s:{s:f}, s:i}", "name", m->name,
						"cycles", "heapsort", 1000, "ratios", "heapsort",
						is_base	   ? 1
						: is_small ? n->small_way
							   : n->other,
						"differ", is_small ? n->differ : 0));
	}
	json_t *measured = json_pack(
		"{s:{s:[{s:s, s:i, s:i}], s:o, s:[{s:s, s:i, s:i, s:i, s:i}, {s:s, s:i, s:i, s:i, "
		"s:i}]}}",
		"variations", "programs", "name", "@heapsort:test", "back", n->back, "through",
		n->through, "machines", machines, "storage", "n", "2", "ranges", 100, "signals",
		100, "counters", 100, "naive", 100, "n", "8", "ranges", 390, "signals", 110,
		"counters", 300, "naive", n->naive);
	assert_non_null(measured);
	config_reset(&config);
	assert_true(config_settle(&config, NULL));
	json_t *result = paper_result(&paper_hough2006, "test", &config, measured, false);
	json_decref(measured);
	return result;
}

static const json_t *claim_named(const json_t *result, const char *id)
{
	json_t *claim;
	size_t i;

	json_array_foreach(json_object_get(result, "claims"), i, claim)
	{
		if (strcmp(member_text(claim, "id"), id) == 0)
			return json_object_get(claim, "holds");
	}
	return NULL;
}

static const struct numbers good = {2.27, 1.0, 0, 10, 20, 1500};

static void expect(const struct numbers *n, const char *wrong)
{
	static const char *const ids[] = {"linear", "repeats", "small-way", "write-back"};
	json_t *result = result_of(n);
	struct err err;

	assert_true(paper_check_result(&paper_hough2006, result, &err));
	for (size_t i = 0; i < 4; i++) {
		const json_t *holds = claim_named(result, ids[i]);

		assert_true(json_is_boolean(holds));
		assert_int_equal(json_is_true(holds), strcmp(ids[i], wrong) != 0);
	}
	json_decref(result);
}

TEST(every_claim_can_hold)
{
	expect(&good, "none");
}

TEST(every_claim_can_fail)
{
	struct numbers n = good;

	n.naive = 400;
	expect(&n, "linear");
	n = good;
	n.differ = 1;
	expect(&n, "repeats");
	n = good;
	n.small_way = 1.005;
	expect(&n, "small-way");
	n = good;
	n.other = 1.05;
	expect(&n, "small-way");
	n = good;
	n.back = 20;
	expect(&n, "write-back");
}

TEST(the_machines_are_variations_of_leon2)
{
	assert_string_equal(hough2006_machines[0].name, "base");
	assert_string_equal(hough2006_machines[0].changes, "");
	assert_string_equal(paper_hough2006.machine, "leon2");
}

/* Two rows are the fewest that grow; a machine that was not measured has the ratio 0. */
TEST(claims_of_hough2006_need_rows)
{
	static const struct {
		const char *storage, *ours;
	} rows[] = {
		{"[]", "nothing was measured"},
		{"[{\"n\": \"2\", \"ranges\": 1}]", "nothing was measured"},
		{"[{\"n\": \"2\", \"ranges\": 2, \"signals\": 4, \"counters\": 8, \"naive\": 16},"
		 " {\"n\": \"6\", \"ranges\": 3, \"signals\": 10, \"counters\": 16, \"naive\": 64}]",
		 "for N 3 times as large ours is at most 2.5 times, naive 4.0 times"},
	};

	for (size_t i = 0; i < 3; i++) {
		json_t *result = json_pack("{s:{s:[{s:s, s:i, s:i}], s:o}}", "variations",
					   "programs", "name", "@hanoi:t", "back", 1, "through", 2,
					   "storage", json_loads(rows[i].storage, 0, NULL));
		json_t *claims = paper_claims(&paper_hough2006, result);

		assert_string_equal(
			json_string_value(json_object_get(json_array_get(claims, 0), "ours")),
			rows[i].ours);
		assert_int_equal(json_is_null(json_object_get(json_array_get(claims, 0), "holds")),
				 i < 2);
		assert_string_equal(
			json_string_value(json_object_get(json_array_get(claims, 2), "ours")),
			"hanoi 0.00, others up to 1.00");
		json_decref(claims);
		json_decref(result);
	}
}

/* Of each kind no more than N times as much, or one that grows faster is enough. */
TEST(every_series_grows_with_n_or_less)
{
	static const struct {
		const char *last;
		bool holds;
	} rows[] = {
		{"\"ranges\": 6, \"signals\": 12, \"counters\": 24", true},
		{"\"ranges\": 7, \"signals\": 12, \"counters\": 24", false},
		{"\"ranges\": 6, \"signals\": 13, \"counters\": 24", false},
		{"\"ranges\": 6, \"signals\": 12, \"counters\": 25", false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		json_t *result = json_pack("{s:{s:[{}], s:[{s:s, s:i, s:i, s:i, s:i}]}}",
					   "variations", "programs", "storage", "n", "2", "ranges",
					   2, "signals", 4, "counters", 8, "naive", 16);
		char last[128];

		snprintf(last, sizeof(last), "{\"n\": \"6\", %s, \"naive\": 64}", rows[i].last);
		json_array_append_new(
			json_object_get(json_object_get(result, "variations"), "storage"),
			json_loads(last, 0, NULL));
		json_t *claims = paper_claims(&paper_hough2006, result);
		assert_int_equal(json_is_true(json_object_get(json_array_get(claims, 0), "holds")),
				 rows[i].holds);
		json_decref(claims);
		json_decref(result);
	}
}

TEST(claims_of_hough2006_name_each_program)
{
	json_t *result = json_pack("{s:{s:[{s:s, s:i, s:i}, {s:s, s:i, s:i}]}}", "variations",
				   "programs", "name", "@hanoi:t", "back", 1, "through", 2, "name",
				   "@heapsort:t", "back", 5, "through", 4);
	json_t *claims = paper_claims(&paper_hough2006, result);

	assert_string_equal(json_string_value(json_object_get(json_array_get(claims, 2), "ours")),
			    "hanoi 0.00, others up to 1.00, heapsort 0.00, others up to 1.00");
	assert_string_equal(json_string_value(json_object_get(json_array_get(claims, 3), "ours")),
			    "hanoi 1 of 2, heapsort 5 of 4");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(claims, 3), "on")), 1);
	assert_true(json_is_false(json_object_get(json_array_get(claims, 3), "holds")));
	json_decref(claims);
	json_decref(result);
}

/* Programs that are too short are said to be, and what fails with them has no other reason. */
TEST(short_programs_are_too_small_to_judge_by)
{
	static const struct {
		json_int_t instructions;
		bool is_small;
	} rows[] = {{PAPER_LEAST_INSTRUCTIONS - 1, true}, {PAPER_LEAST_INSTRUCTIONS, false}};

	for (size_t i = 0; i < 2; i++) {
		json_t *with = result_of(&good);
		json_t *variations = json_object_get(with, "variations");
		json_t *program = json_array_get(json_object_get(variations, "programs"), 0);
		json_t *machines = json_object_get(variations, "machines");
		struct config config;

		/* What early versions wrote does not say how long the programs are. */
		assert_null(json_object_get(with, "too_small"));
		json_object_set_new(program, "instructions", json_integer(rows[i].instructions));
		json_object_set_new(json_array_get(machines, 4), "differ", json_integer(3));
		config_reset(&config);
		assert_true(config_settle(&config, NULL));
		json_t *result = paper_result(&paper_hough2006, "test", &config, with, false);
		const json_t *claim = json_array_get(json_object_get(result, "claims"), 1);

		assert_string_equal(member_text(claim, "id"), "repeats");
		assert_string_equal(member_text(claim, "reason"),
				    rows[i].is_small ? "not known at this size, which is too small "
						       "to judge it"
						     : "not known");
		assert_string_equal(
			member_text(result, "too_small"),
			rows[i].is_small
				? "size test is too small to judge claims by: 1 of 1 programs "
				  "execute fewer than 10 million instructions (10.0 million at "
				  "least), in which starting up weighs and data may fit the caches"
				: "");
		json_decref(result);
		json_decref(with);
	}
}
