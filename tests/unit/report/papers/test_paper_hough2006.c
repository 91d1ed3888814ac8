/* The claims of hough2006: each holds on a measurement made for it, and fails when that changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/papers/paper_hough2006.h"
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

static void every_claim_can_hold(void **state)
{
	(void)state;
	expect(&good, "none");
}

static void every_claim_can_fail(void **state)
{
	struct numbers n = good;

	(void)state;
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

static void the_machines_are_variations_of_leon2(void **state)
{
	(void)state;
	assert_string_equal(hough2006_machines[0].name, "base");
	assert_string_equal(hough2006_machines[0].changes, "");
	assert_string_equal(paper_hough2006.machine, "leon2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_claim_can_hold),
		cmocka_unit_test(every_claim_can_fail),
		cmocka_unit_test(the_machines_are_variations_of_leon2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
