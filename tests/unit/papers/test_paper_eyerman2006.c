/* The paper's claims, tested with made-up judgements in which they hold or fail. */
#include "../test.h"
#include "papers/paper_eyerman2006.h"

/* Two programs with the numbers that the paper claims. */
static json_t *as_published(void)
{
	static const char *const text =
		"{'programs': [{'name': '@compiler:test', 'cycles': 1000, 'instructions': 900,"
		" 'truth': {'a': {'base': 500, 'l1i': 80, 'l2i': 15, 'itlb': 5, 'branch': 200,"
		"                 'l1d': 10, 'l2d': 190, 'dtlb': 0},"
		"           'b': {'base': 500, 'l1i': 78, 'l2i': 15, 'itlb': 5, 'branch': 200,"
		"                 'l1d': 10, 'l2d': 192, 'dtlb': 0}},"
		" 'methods': {'naive': {'components': {'base': -100}, 'max_error': 0.6, 'bits': 400},"
		"  'naive-nonspec': {'max_error': 0.5, 'bits': 900},"
		"  'power5': {'max_error': 0.35, 'bits': 800},"
		"  'fmt': {'max_error': 0.03, 'bits': 9000},"
		"  'sfmt': {'max_error': 0.03, 'bits': 3000}},"
		" 'events': {'l1i': 10, 'branch': 10, 'l2d': 2},"
		" 'per_event': {'l1i': {'naive': 9, 'power5': 4, 'fmt': 8.5, 'simulated': 8},"
		"  'branch': {'naive': 5, 'power5': 3, 'fmt': 21, 'simulated': 20},"
		"  'l2d': {'naive': 250, 'power5': 100, 'fmt': 96, 'simulated': 95}},"
		" 'overlap': 0.005, 'overlap_full': 0.001,"
		" 'sfmt_losses': {'sfmt': {'older_lost': 0, 'younger_lost': 1, 'wrong_path_kept': 2},"
		"  'sfmt-resolve': {'older_lost': 30, 'younger_lost': 0, 'wrong_path_kept': 1}}},"
		" {'name': '@chess:test', 'cycles': 1000, 'instructions': 900,"
		" 'truth': {'a': {'base': 800, 'l1i': 0, 'l2i': 0, 'itlb': 0, 'branch': 200,"
		"                 'l1d': 0, 'l2d': 0, 'dtlb': 0},"
		"           'b': {'base': 800, 'l1i': 0, 'l2i': 0, 'itlb': 0, 'branch': 200,"
		"                 'l1d': 0, 'l2d': 0, 'dtlb': 0}},"
		" 'methods': {'naive': {'components': {'base': 900}, 'max_error': 0.1, 'bits': 400},"
		"  'naive-nonspec': {'max_error': 0.1, 'bits': 900},"
		"  'power5': {'max_error': 0.1, 'bits': 800},"
		"  'fmt': {'max_error': 0.02, 'bits': 9000},"
		"  'sfmt': {'max_error': 0.02, 'bits': 3000}},"
		" 'events': {'l1i': 0, 'branch': 10, 'l2d': 0},"
		" 'per_event': {'l1i': {}, 'l2d': {},"
		"  'branch': {'naive': 5, 'power5': 3, 'fmt': 21, 'simulated': 20}},"
		" 'overlap': 0.001, 'overlap_full': 0.001,"
		" 'sfmt_losses': {'sfmt': {'older_lost': 0, 'younger_lost': 0, 'wrong_path_kept': 0},"
		"  'sfmt-resolve': {'older_lost': 0, 'younger_lost': 0, 'wrong_path_kept': 0}}}],"
		" 'summary': {'mean_error': {'naive': 0.35, 'naive-nonspec': 0.3, 'power5': 0.2,"
		"   'fmt': 0.025, 'sfmt': 0.025, 'sfmt-resolve': 0.03},"
		"  'largest_error': {'naive': 0.6, 'naive-nonspec': 0.5, 'power5': 0.35, 'fmt': 0.03,"
		"   'sfmt': 0.03}}}";
	char *copy = strdup(text);

	for (char *c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	json_t *judge = json_loads(copy, 0, NULL);
	free(copy);
	assert_non_null(judge);
	return judge;
}

static json_t *claims_of(json_t *judge)
{
	json_t *result = json_pack("{s:O}", "judge", judge);
	json_t *claims = paper_claims(&paper_eyerman2006, result);

	json_decref(result);
	return claims;
}

static json_t *clearing_of(json_t *judge)
{
	json_t *result = json_pack("{s:O}", "judge", judge);

	paper_eyerman2006_derive(result);
	json_t *clearing = json_incref(json_object_get(result, "clearing"));
	json_decref(result);
	return clearing;
}

static json_t *claim_named(json_t *claims, const char *id)
{
	json_t *claim;
	size_t i;

	json_array_foreach(claims, i, claim)
	{
		if (strcmp(json_string_value(json_object_get(claim, "id")), id) == 0)
			return claim;
	}
	fail_msg("no claim %s", id);
	return NULL;
}

/* Sets the number at a dotted path of keys and indices. */
static void put(json_t *at, const char *path, double value)
{
	char *copy = strdup(path), *rest = copy, *word = strsep(&rest, ".");

	for (; rest; word = strsep(&rest, "."))
		at = json_is_array(at) ? json_array_get(at, (size_t)atoi(word))
				       : json_object_get(at, word);
	assert_non_null(at);
	json_object_set_new(at, word, json_real(value));
	free(copy);
}

TEST(everything_holds_as_published)
{
	json_t *judge = as_published(), *claims = claims_of(judge), *claim;
	size_t i;

	assert_true(json_array_size(claims) >= 14);
	json_array_foreach(claims, i, claim)
	{
		if (!json_is_true(json_object_get(claim, "holds")))
			fail_msg("%s", json_string_value(json_object_get(claim, "id")));
		assert_true(json_string_length(json_object_get(claim, "ours")) > 5);
		assert_true(json_string_length(json_object_get(claim, "test")) > 5);
		assert_true(json_string_length(json_object_get(claim, "section")) > 0);
	}
	json_decref(claims);
	json_decref(judge);
}

/* Errors with resource in base, as newer results have them beside those without. */
TEST(claims_are_about_base_with_resource)
{
	json_t *judge = as_published(), *programs = json_object_get(judge, "programs"), *program;
	json_t *summary = json_object_get(judge, "summary"), *together = json_deep_copy(summary);
	const char *const changed[] = {"fmt-below-4", "sfmt-below-4"};
	const char *name;
	json_t *method;
	size_t i;

	json_object_set_new(summary, "folded", together);
	put(summary, "mean_error.fmt", 0.9);
	put(summary, "largest_error.power5", 0);
	json_array_foreach(programs, i, program)
	{
		json_object_foreach(json_object_get(program, "methods"), name, method)
		{
			json_object_set_new(method, "folded",
					    json_pack("{s:O}", "max_error",
						      json_object_get(method, "max_error")));
			put(method, "max_error", 0.9);
		}
	}
	json_t *claims = claims_of(judge), *clearing = clearing_of(judge), *claim;
	json_array_foreach(claims, i, claim)
		assert_true(json_is_true(json_object_get(claim, "holds")));
	assert_non_null(
		strstr(json_string_value(json_object_get(clearing, "answer")), "fmt 2.50 %"));
	json_decref(claims);
	json_decref(clearing);

	put(judge, "programs.1.methods.fmt.folded.max_error", 0.04);
	put(judge, "programs.1.methods.sfmt.folded.max_error", 0.04);
	put(judge, "programs.1.methods.fmt.max_error", 0);
	put(judge, "programs.1.methods.sfmt.max_error", 0);
	claims = claims_of(judge);
	for (i = 0; i < 2; i++)
		assert_true(
			json_is_false(json_object_get(claim_named(claims, changed[i]), "holds")));
	json_decref(claims);
	json_decref(judge);
}

/* What a page shows of a judgement. */
TEST(a_page_shows_errors_of_base_with_resource)
{
	json_t *judge = as_published();
	json_t *method = json_object_get(
		json_object_get(json_array_get(json_object_get(judge, "programs"), 0), "methods"),
		"fmt");

	json_object_set_new(method, "errors",
			    json_pack("{s:f, s:f}", "base", 0.5, "resource", 0.4));
	json_object_set_new(
		method, "folded",
		json_pack("{s:f, s:f, s:s}", "base", 0.1, "max_error", 0.2, "worst", "l2d"));
	json_object_set_new(json_object_get(judge, "summary"), "folded",
			    json_pack("{s:{s:f}}", "mean_error", "fmt", 0.15));
	json_t *result = json_pack("{s:O}", "judge", judge);
	json_t *shown = paper_eyerman2006.judgement(result);
	method = json_object_get(
		json_object_get(json_array_get(json_object_get(shown, "programs"), 0), "methods"),
		"fmt");
	assert_true(json_real_value(json_object_get(method, "max_error")) == 0.2);
	assert_string_equal(json_string_value(json_object_get(method, "worst")), "l2d");
	assert_null(json_object_get(method, "base"));
	assert_null(json_object_get(method, "folded"));
	const json_t *errors = json_object_get(method, "errors");
	assert_true(json_real_value(json_object_get(errors, "base")) == 0.1);
	assert_null(json_object_get(errors, "resource"));
	const json_t *summary = json_object_get(shown, "summary");
	assert_null(json_object_get(summary, "folded"));
	assert_true(json_real_value(json_object_get(json_object_get(summary, "mean_error"),
						    "fmt")) == 0.15);
	/* The result itself is not changed. */
	method = json_object_get(
		json_object_get(json_array_get(json_object_get(judge, "programs"), 0), "methods"),
		"fmt");
	assert_true(json_real_value(json_object_get(method, "max_error")) == 0.03);
	json_decref(shown);
	json_decref(result);
	json_decref(judge);
}

TEST(each_claim_can_fail)
{
	static const struct {
		const char *id, *path;
		double value;
	} broken[] = {
		{"order", "summary.mean_error.fmt", 0.25},
		{"order", "summary.mean_error.naive-nonspec", 0.4},
		{"fmt-below-4", "programs.1.methods.fmt.max_error", 0.04},
		{"sfmt-below-4", "programs.0.methods.sfmt.max_error", 0.05},
		{"shared-adds-little", "summary.mean_error.sfmt", 0.031},
		{"earlier-approaches", "summary.largest_error.power5", 0.29},
		{"negative-base", "programs.0.methods.naive.components.base", 1},
		{"negative-base", "programs.0.per_event.l2d.simulated", 251},
		{"negative-base-most", "programs.1.methods.naive.components.base", -200},
		{"l1i-delay", "programs.0.per_event.l1i.simulated", 7.4},
		{"l1i-delay", "programs.0.per_event.l1i.simulated", 9.6},
		{"l1i-power5", "programs.0.per_event.l1i.power5", 8},
		{"branch-order", "programs.1.per_event.branch.naive", 2},
		{"branch-order", "programs.0.per_event.branch.fmt", 5},
		{"branch-resolution", "programs.0.per_event.branch.simulated", 9},
		{"long-order", "programs.0.per_event.l2d.power5", 95},
		{"long-order", "programs.0.per_event.l2d.naive", 140},
		{"overlap", "programs.0.overlap", 0.02},
		{"overlap", "programs.0.overlap", 0.06},
		{"two-orders", "programs.0.truth.b.l1i", 50},
		{"l1d-hidden", "programs.1.truth.a.l1d", 60},
		{"storage", "programs.0.methods.sfmt.bits", 5000},
		/* At the limit. */
		{"order", "summary.mean_error.fmt", 0.2},
		{"earlier-approaches", "summary.largest_error.power5", 0.3},
		{"negative-base", "programs.0.per_event.l2d.simulated", 250},
		{"negative-base-most", "programs.0.methods.naive.components.base", 0},
		{"l1i-delay", "programs.0.per_event.l1i.simulated", 9.5},
		{"branch-order", "programs.0.per_event.branch.power5", 5},
		{"branch-resolution", "programs.0.per_event.branch.simulated", 10},
		{"long-order", "programs.0.per_event.l2d.naive", 150},
		{"storage", "programs.0.methods.sfmt.bits", 4500},
	};

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		json_t *judge = as_published();

		put(judge, broken[i].path, broken[i].value);
		json_t *claims = claims_of(judge);
		if (!json_is_false(json_object_get(claim_named(claims, broken[i].id), "holds")))
			fail_msg("%s holds with %s", broken[i].id, broken[i].path);
		json_decref(claims);
		json_decref(judge);
	}
}

TEST(each_claim_holds_at_its_limit)
{
	static const struct {
		const char *id, *path;
		double value;
	} rows[] = {
		{"l1i-delay", "programs.0.per_event.l1i.simulated", 7.5},
		{"long-order", "programs.0.per_event.l2d.power5", 96},
		{"overlap", "programs.0.overlap", 0.01},
		{"two-orders", "programs.0.truth.b.l1i", 60},
		{"l1d-hidden", "programs.1.truth.a.l1d", 50},
		{"storage", "programs.0.methods.sfmt.bits", 4499},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *judge = as_published();

		put(judge, rows[i].path, rows[i].value);
		json_t *claims = claims_of(judge);
		if (!json_is_true(json_object_get(claim_named(claims, rows[i].id), "holds")))
			fail_msg("%s does not hold with %s", rows[i].id, rows[i].path);
		json_decref(claims);
		json_decref(judge);
	}
}

/* With three programs the third does not count, unless it is far off. */
TEST(most_programs_overlap_little_and_none_much)
{
	static const struct {
		double overlap;
		bool holds;
	} rows[] = {{0.02, true}, {0.054, true}, {0.055, false}};

	for (size_t i = 0; i < 3; i++) {
		json_t *judge = as_published(), *programs = json_object_get(judge, "programs");

		json_array_append_new(programs, json_deep_copy(json_array_get(programs, 1)));
		put(judge, "programs.2.overlap", rows[i].overlap);
		json_t *claims = claims_of(judge), *claim = claim_named(claims, "overlap");
		assert_int_equal(json_is_true(json_object_get(claim, "holds")), rows[i].holds);
		assert_non_null(strstr(json_string_value(json_object_get(claim, "ours")),
				       "at most 1 % on 2 of 3 programs"));
		json_decref(claims);
		json_decref(judge);
	}
}

/* A program of the user's has a negative base, but the paper names no program that it stands for.
 */
TEST(a_program_of_no_paper_is_none_that_is_named)
{
	json_t *judge = as_published();
	json_t *program = json_array_get(json_object_get(judge, "programs"), 0);

	json_object_set_new(program, "name", json_string("@mine:test"));
	json_t *claims = claims_of(judge), *claim = claim_named(claims, "negative-base");
	assert_string_equal(json_string_value(json_object_get(claim, "ours")),
			    "negative: mine -10 %; among them 0 of the 0 that stand for programs "
			    "the paper names");
	assert_true(json_is_true(json_object_get(claim, "holds")));
	claim = claim_named(claims, "negative-base-most");
	assert_true(json_is_false(json_object_get(claim, "holds")));
	json_decref(claims);
	json_decref(judge);
}

/* Without components there is nothing in which two orders could differ. */
TEST(no_components_differ_by_nothing)
{
	json_t *judge = as_published(), *programs = json_object_get(judge, "programs"), *program;
	size_t i;

	json_array_foreach(programs, i, program)
		json_object_set_new(json_object_get(program, "truth"), "a", json_object());
	json_t *claims = claims_of(judge), *claim = claim_named(claims, "two-orders");
	assert_true(json_is_true(json_object_get(claim, "holds")));
	assert_string_equal(json_string_value(json_object_get(claim, "ours")),
			    "at most 0.00 % of the cycles ( of compiler)");
	json_decref(claims);
	json_decref(judge);
}

TEST(programs_without_an_event_do_not_count)
{
	json_t *judge = as_published(), *claims = claims_of(judge);
	json_t *claim = claim_named(claims, "l1i-delay");

	assert_int_equal(json_integer_value(json_object_get(claim, "of")), 1);
	json_decref(claims);
	put(judge, "programs.0.events.l1i", 0);
	claims = claims_of(judge);
	claim = claim_named(claims, "l1i-delay");
	assert_true(json_is_null(json_object_get(claim, "holds")));
	json_decref(claims);
	json_decref(judge);
}

TEST(without_programs_there_are_no_verdicts)
{
	json_t *judge = json_pack("{s:[], s:{s:{}, s:{}}}", "programs", "summary", "mean_error",
				  "largest_error");
	json_t *claims = claims_of(judge), *clearing = clearing_of(judge), *claim;
	size_t i;

	assert_true(json_array_size(claims) >= 14);
	json_array_foreach(claims, i, claim)
		assert_true(json_is_null(json_object_get(claim, "holds")));
	assert_int_equal(json_array_size(json_object_get(clearing, "programs")), 0);
	json_decref(claims);
	json_decref(clearing);
	json_decref(judge);
}

TEST(clearing_is_counted_three_ways)
{
	json_t *judge = as_published(), *clearing = clearing_of(judge);
	json_t *first = json_array_get(json_object_get(clearing, "programs"), 0);
	json_t *older = json_object_get(first, "older_lost");

	assert_int_equal(json_integer_value(json_object_get(first, "iside")), 100);
	assert_int_equal(json_integer_value(json_object_get(older, "cycles")), 30);
	assert_true(json_real_value(json_object_get(older, "of_run")) == 0.03);
	assert_true(json_real_value(json_object_get(older, "of_iside")) == 0.3);
	json_t *second = json_array_get(json_object_get(clearing, "programs"), 1);
	assert_true(
		json_is_null(json_object_get(json_object_get(second, "younger_lost"), "of_iside")));
	const char *answer = json_string_value(json_object_get(clearing, "answer"));
	assert_non_null(strstr(answer, "clearing at commit loses less"));
	assert_non_null(strstr(answer, ", little beside the 4 %"));
	json_decref(clearing);
	json_decref(judge);
}

/* The answer in words follows from the numbers. */
TEST(the_answer_follows_from_the_numbers)
{
	json_t *judge = as_published();

	put(judge, "programs.0.sfmt_losses.sfmt.younger_lost", 40);
	json_t *clearing = clearing_of(judge);
	const char *answer = json_string_value(json_object_get(clearing, "answer"));
	assert_non_null(strstr(answer, "clearing at resolution loses less"));
	assert_non_null(strstr(answer, "not little beside"));
	json_decref(clearing);
	json_decref(judge);
}

/* Where both ways lose the same, at half of the 4 %, and where resolution is just as far away. */
TEST(the_answer_has_limits)
{
	static const struct {
		double younger, resolve;
		const char *said, *unsaid;
	} rows[] = {
		{29, 0.5625,
		 "clearing at commit loses less: 31.0 % of the I-side cycles against 31.0 %",
		 "clearing at resolution loses"},
		{30, 0.5625,
		 "clearing at resolution loses less: 31.0 % of the I-side cycles against 32.0 %",
		 "clearing at commit loses"},
		{17, 0.5625, "at most 1.90 % of a run, little beside", "not little"},
		{18, 0.5625, "at most 2.00 % of a run, not little beside", ", little"},
		{1, 0.5625, "fmt 2.50 %: what the published clearing gains", "fmt 2.50 %."},
		{1, 0.4375, "fmt 2.50 %: what the published clearing gains", "fmt 2.50 %."},
		{1, 0.625, "62.50 % clearing at resolution, fmt 2.50 %.", "what the published"},
		{1, 0.375, "fmt 2.50 %.", "what the published clearing gains"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *judge = as_published();

		put(judge, "programs.0.sfmt_losses.sfmt.younger_lost", rows[i].younger);
		put(judge, "summary.mean_error.sfmt", 0.25);
		put(judge, "summary.mean_error.sfmt-counters", 0.5);
		put(judge, "summary.mean_error.sfmt-resolve", rows[i].resolve);
		json_t *clearing = clearing_of(judge);
		const char *answer = json_string_value(json_object_get(clearing, "answer"));
		if (!strstr(answer, rows[i].said))
			fail_msg("%zu: %s", i, answer);
		if (strstr(answer, rows[i].unsaid))
			fail_msg("%zu: %s", i, answer);
		json_decref(clearing);
		json_decref(judge);
	}
}
