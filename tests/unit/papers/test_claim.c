/* With a made-up paper: what its result states and is checked for, and the limits of claims of a
 * common form, at the limit and beside it. */
#include "../test.h"
#include "../report/expected.h"

#include "papers/paper.h"
#include "papers/path.h"
#include "value/member.h"

#define MADE_UP "tests/unit/papers/data/made_up.json"
#define EYERMAN "tests/unit/report/results/reproduce-eyerman2006.json"

static void build_words(struct doc *doc, const struct paper_figure *figure, const json_t *result)
{
	(void)result;
	doc_paragraph(doc, doc_words(doc, "Content of %s.", figure->id));
}

static const struct paper_figure figures[] = {
	{"figure-1",
	 "Figure 1",
	 "First <t>",
	 "Shows & tells more than there is room for in a line.",
	 {{"said <so>, at more length than a line has", "5.1"},
	  {"in a table, and longer than a line is", "table 2"}},
	 .is_figure_only = true,
	 .build = build_words},
	{"table-1", "Table 1", "Second", "Parameters.", {{0}}, .table = &paper_machine_table},
	{0},
};

static const struct paper_figure additions[] = {
	{"more",
	 "More",
	 "An addition",
	 "It adds one more, and that takes two lines.",
	 {{"not on a page", "tabl 9"}},
	 .build = build_words},
	{0},
};

static const struct paper_program programs[] = {
	{"pa", "a", 1.5}, {"pab", "ab", 2.5}, {NULL, NULL, 0}};

static const struct paper fake = {
	.name = "fake1999",
	.short_title = "Fake <1999>",
	.authors = (const char *const[]){"A. <One>", "B. Two", "C. Three", NULL},
	.title = "A <Title> & more",
	.venue = "Venue \"99\"",
	.programs = programs,
	.figures = figures,
	.additions = additions,
	.stated_as = "ipc",
	.needs = (const char *const[]){"machine", NULL},
};

/* A figure has room for six statements. */
TEST(six_statements_are_in_a_result)
{
	static const struct paper_figure six[] = {
		{"f",
		 "F",
		 "t",
		 "s",
		 {{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}, {"f", "6"}},
		 .is_figure_only = true,
		 .has_picture = true,
		 .build = build_words},
		{0},
	};
	static const struct claim none[] = {{.id = NULL}};
	static const struct paper_parameter parameters[] = {{0}};
	struct paper paper = fake;
	struct config config;
	json_t *measured = json_object();

	config_reset(&config);
	paper.figures = six;
	paper.claims = none;
	paper.parameters = parameters;
	json_t *result = paper_result(&paper, "z", &config, measured, true);
	json_t *figure = json_array_get(json_object_get(result, "figures"), 0);
	char *written = json_dumps(figure, JSON_COMPACT);
	assert_string_equal(
		written, "{\"id\":\"f\",\"label\":\"F\",\"title\":\"t\",\"shows\":\"s\",\"paper\":["
			 "{\"text\":\"a\",\"section\":\"1\"},{\"text\":\"b\",\"section\":\"2\"},"
			 "{\"text\":\"c\",\"section\":\"3\"},{\"text\":\"d\",\"section\":\"4\"},"
			 "{\"text\":\"e\",\"section\":\"5\"},{\"text\":\"f\",\"section\":\"6\"}],"
			 "\"figure_only\":true}");
	free(written);
	assert_true(json_is_true(json_object_get(result, "partial")));
	assert_string_equal(json_string_value(json_object_get(result, "example")), "");
	json_decref(result);
	json_decref(measured);
}

TEST(curves_are_equally_long)
{
	static const char *const parts[] = {"example", "mean"};
	static const char *const curves[] = {"useful_issued", "dispatched", "useful_dispatched",
					     "committed", "rob_used"};
	json_t *measured = expected_json(EYERMAN);
	json_t *plots = json_object_get(measured, "plots");
	struct paper paper = fake;
	struct err err = {.text = ""};
	char wanted[128];

	paper.needs = (const char *const[]){"plots", NULL};
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < 5; k++) {
			json_t *result = expected_json(MADE_UP);
			json_t *changed = json_deep_copy(plots);
			json_t *plot = json_array_get(changed, 1);
			json_t *list = json_object_get(json_object_get(plot, parts[i]), curves[k]);

			json_object_set_new(result, "plots", changed);
			assert_true(paper_check_result(&paper, result, &err));
			json_array_append_new(list, json_integer(1));
			assert_false(paper_check_result(&paper, result, &err));
			/* The first list is the one that the others are compared with. */
			snprintf(wanted, sizeof(wanted),
				 "plots[1]: %s.%s is not as long as the other lists", parts[i],
				 i || k ? curves[k] : curves[1]);
			assert_string_equal(err.text, wanted);
			json_decref(result);
		}
	json_t *result = expected_json(MADE_UP);
	json_object_set(result, "plots", plots);
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < 5; k++)
			json_array_clear(json_object_get(
				json_object_get(json_array_get(plots, 0), parts[i]), curves[k]));
	assert_false(paper_check_result(&paper, result, &err));
	assert_string_equal(err.text,
			    "plots[0]: example.useful_issued is not as long as the other lists");
	json_decref(result);
	json_decref(measured);
}

TEST(a_result_has_what_its_paper_needs)
{
	json_t *result = expected_json(MADE_UP);
	struct paper paper = fake;
	struct err err = {.text = ""};

	assert_true(paper_check_result(&paper, result, &err));
	paper.needs = (const char *const[]){"machine", "judge", NULL};
	assert_false(paper_check_result(&paper, result, &err));
	assert_string_equal(err.text, "judge is missing");
	paper.needs = fake.needs;
	paper.stated_as = "writes";
	assert_false(paper_check_result(&paper, result, &err));
	assert_string_equal(err.text, "programs[0].writes is missing");
	paper.stated_as = NULL;
	assert_true(paper_check_result(&paper, result, &err));
	json_decref(result);
}

TEST(programs_are_found_by_their_names)
{
	json_t *result = expected_json(MADE_UP);
	char name[PAPER_NAME_BYTES];
	struct doc doc;
	struct err err;

	assert_ptr_equal(paper_program_of(programs, "@a:test"), &programs[0]);
	assert_ptr_equal(paper_program_of(programs, "@ab"), &programs[1]);
	assert_null(paper_program_of(programs, "a:test"));
	assert_null(paper_program_of(programs, "xa:test"));
	assert_null(paper_program_of(programs, "@abc:test"));
	assert_null(paper_program_of(programs, "@b:test"));
	assert_null(paper_program_of(programs, "@"));
	paper_program_name(name, "ours", "size");
	assert_string_equal(name, "@ours:size");
	doc_init(&doc, "reproduce");
	assert_string_equal(paper_both_names(&doc, result, "@a:test"), "pa: a");
	assert_string_equal(paper_both_names(&doc, result, "@z:test"), "@z:test");
	doc_release(&doc);
	assert_null(paper_program_entry(result, "@z:test"));
	json_decref(result);
	assert_null(paper_find("x", &err));
	assert_string_equal(err.text, "there is no paper \"x\"; there is eyerman2006, chen2008, "
				      "hough2006, danalis2017");
	assert_null(paper_find(NULL, &err));
	assert_string_equal(err.text, "which paper? There is eyerman2006, chen2008, hough2006, "
				      "danalis2017");
}

TEST(a_path_leads_through_members)
{
	json_t *from = json_pack("{s:{s:{s:i, s:i}, s:i}, s:i}", "a", "b", "c", 1, "cc", 2, "bb", 3,
				 "", 4);

	assert_true(path_number(from, "a.b.c") == 1);
	assert_true(path_number(from, "a.b.cc") == 2);
	assert_true(path_number(from, "a.bb") == 3);
	assert_true(path_number(from, "a.b.d") == 0);
	assert_true(path_number(from, "") == 4);
	assert_null(path_value(from, "a.x.c"));
	assert_null(path_value(NULL, "a"));
	assert_ptr_equal(path_value(from, NULL), from);
	json_decref(from);
}

TEST(the_first_path_that_leads_somewhere_counts)
{
	json_t *from = json_pack("{s:{s:i, s:{s:i}}, s:i}", "a", "b", 1, "c", "d", 2, "e", 3);

	assert_true(path_number(from, "a.b|e") == 1);
	assert_true(path_number(from, "e|a.b") == 3);
	assert_true(path_number(from, "x|e") == 3);
	assert_true(path_number(from, "a.x|e") == 3);
	assert_true(path_number(from, "x.b.c|a.c.x|a.c.d") == 2);
	assert_null(path_value(from, "x|y"));
	assert_null(path_value(from, "a.x|a.y.z"));
	json_decref(from);
}

static bool is_positive(const json_t *values)
{
	return json_number_value(json_object_get(values, "m")) > 0;
}

/* Decides one claim over values that are exact in a double. */
static void expect_claim(const struct claim *claim, const char *result_text,
			 enum claim_verdict verdict, const char *ours)
{
	json_t *result = json_loads(result_text, 0, NULL);
	struct claim_outcome outcome = {.ours = ""};

	assert_non_null(result);
	claim->decide(&outcome, claim, result, json_object_get(result, "programs"));
	assert_int_equal(outcome.verdict, verdict);
	assert_string_equal(outcome.ours, ours);
	json_decref(result);
}

TEST(claims_hold_up_to_their_limits)
{
	const struct claim falling = {.decide = claim_decide_falling,
				      .path = "e",
				      .words = "w ",
				      .methods = CLAIM_METHODS("a", "b", "c")};
	const struct claim above = {.decide = claim_decide_above,
				    .path = "e",
				    .words = "w ",
				    .methods = CLAIM_METHODS("a", "b"),
				    .limit = 0.5};
	const struct claim little = {.decide = claim_decide_little_more,
				     .path = "e",
				     .words = "w ",
				     .methods = CLAIM_METHODS("a", "b"),
				     .limit = 0.25};
	const struct claim below = {
		.decide = claim_decide_each_below, .path = "v", .value = path_number, .limit = 0.5};
	const struct claim within = {.decide = claim_decide_each_within,
				     .path = "v",
				     .value = path_number,
				     .limit = 0.5};
	struct claim each = {.decide = claim_decide_each,
			     .path = "p",
			     .words = "mean ",
			     .methods = CLAIM_METHODS("m", "n"),
			     .holds_on = is_positive,
			     .is_most = true};

	expect_claim(&falling, "{\"e\": {\"a\": 3, \"b\": 2, \"c\": 1}}", CLAIM_HOLDS,
		     "w a 300.00 %, b 200.00 %, c 100.00 %");
	expect_claim(&falling, "{\"e\": {\"a\": 2, \"b\": 2, \"c\": 1}}", CLAIM_FAILS,
		     "w a 200.00 %, b 200.00 %, c 100.00 %");
	expect_claim(&falling, "{\"e\": {\"a\": 3, \"b\": 1, \"c\": 1}}", CLAIM_FAILS,
		     "w a 300.00 %, b 100.00 %, c 100.00 %");
	expect_claim(&falling, "{\"e\": {\"a\": 1, \"b\": 3, \"c\": 2}}", CLAIM_FAILS,
		     "w a 100.00 %, b 300.00 %, c 200.00 %");
	expect_claim(&above, "{\"e\": {\"a\": 0.75, \"b\": 0.625}}", CLAIM_HOLDS,
		     "w a 75.0 %, b 62.5 %");
	expect_claim(&above, "{\"e\": {\"a\": 0.5, \"b\": 0.625}}", CLAIM_FAILS,
		     "w a 50.0 %, b 62.5 %");
	expect_claim(&above, "{\"e\": {\"a\": 0.75, \"b\": 0.5}}", CLAIM_FAILS,
		     "w a 75.0 %, b 50.0 %");
	expect_claim(&little, "{\"e\": {\"a\": 0.5, \"b\": 0.75}}", CLAIM_HOLDS,
		     "w a 50.00 %, b 75.00 %");
	expect_claim(&little, "{\"e\": {\"a\": 0.5, \"b\": 0.875}}", CLAIM_FAILS,
		     "w a 50.00 %, b 87.50 %");
	expect_claim(
		&below,
		"{\"programs\": [{\"name\": \"@x:t\", \"v\": 0.25}, {\"name\": \"y\", \"v\": 0.5}]}",
		CLAIM_FAILS, "largest 50.00 %, mean 37.50 %; y 50.00 %");
	expect_claim(&below, "{\"programs\": [{\"name\": \"@x:t\", \"v\": 0.375}]}", CLAIM_HOLDS,
		     "largest 37.50 %, mean 37.50 %");
	expect_claim(
		&within,
		"{\"programs\": [{\"name\": \"@x:t\", \"v\": 0.5}, {\"name\": \"@y:t\", \"v\": 0.5}]}",
		CLAIM_HOLDS, "at most 50.00 % (x)");
	expect_claim(
		&within,
		"{\"programs\": [{\"name\": \"@x:t\", \"v\": 0.5}, {\"name\": \"@y:t\", \"v\": 0.75}]}",
		CLAIM_FAILS, "at most 75.00 % (y)");
	/* Half of the programs are not most of them. */
	expect_claim(&each,
		     "{\"programs\": [{\"name\": \"@x:t\", \"p\": {\"m\": 2, \"n\": 5}},"
		     " {\"name\": \"@y:t\", \"p\": {\"m\": 0, \"n\": 6}}]}",
		     CLAIM_FAILS, "mean m 1.0, n 5.5; not on y");
	expect_claim(&each,
		     "{\"programs\": [{\"name\": \"@x:t\", \"p\": {\"m\": 2, \"n\": 5}},"
		     " {\"name\": \"@y:t\", \"p\": {\"m\": -1, \"n\": 6}},"
		     " {\"name\": \"@z:t\", \"p\": {\"m\": 5, \"n\": 1}}]}",
		     CLAIM_HOLDS, "mean m 2.0, n 4.0; not on y");
	/* Each of several that it does not hold on is named. */
	expect_claim(&each,
		     "{\"programs\": [{\"name\": \"@x:t\", \"p\": {\"m\": 0, \"n\": 5}},"
		     " {\"name\": \"@y:t\", \"p\": {\"m\": -1, \"n\": 6}},"
		     " {\"name\": \"@z:t\", \"p\": {\"m\": 4, \"n\": 1}}]}",
		     CLAIM_FAILS, "mean m 1.0, n 4.0; not on x, y");
	each.events = "k";
	expect_claim(&each,
		     "{\"programs\": [{\"name\": \"@x:t\", \"k\": 1, \"p\": {\"m\": 2, \"n\": 5}},"
		     " {\"name\": \"@y:t\", \"k\": 0, \"p\": {\"m\": 0, \"n\": 6}},"
		     " {\"name\": \"@z:t\", \"p\": {\"m\": 5, \"n\": 1}}]}",
		     CLAIM_HOLDS, "mean m 2.0, n 5.0");
	expect_claim(&each, "{\"programs\": [{\"name\": \"@x:t\"}]}", CLAIM_UNDECIDED,
		     "no program has such events");
}

TEST(a_claim_has_a_reason_only_if_it_fails)
{
	const struct claim with = {"i", "s", "c", "t", .reason = "r"},
			   without = {"i", "s", "c", "t", .reason = NULL};
	static const struct {
		enum claim_verdict verdict;
		bool is_counted;
		const char *wanted;
	} rows[] = {
		{CLAIM_UNDECIDED, true,
		 "{\"id\":\"i\",\"claim\":\"c\",\"section\":\"s\",\"test\":\"t\",\"ours\":\"o\","
		 "\"holds\":null,\"on\":3,\"of\":5}"},
		{CLAIM_HOLDS, false,
		 "{\"id\":\"i\",\"claim\":\"c\",\"section\":\"s\",\"test\":\"t\",\"ours\":\"o\","
		 "\"holds\":true}"},
		{CLAIM_FAILS, false,
		 "{\"id\":\"i\",\"claim\":\"c\",\"section\":\"s\",\"test\":\"t\",\"ours\":\"o\","
		 "\"holds\":false,\"reason\":\"r\"}"},
	};

	for (size_t i = 0; i < 3; i++) {
		const struct claim_outcome outcome = {.verdict = rows[i].verdict,
						      .ours = "o",
						      .is_counted = rows[i].is_counted,
						      .on = 3,
						      .of = 5};
		json_t *object = claim_object(&with, &outcome);
		char *text = json_dumps(object, JSON_COMPACT);

		assert_string_equal(text, rows[i].wanted);
		free(text);
		json_decref(object);
		object = claim_object(&without, &outcome);
		assert_string_equal(member_text(object, "reason"),
				    rows[i].verdict == CLAIM_FAILS ? "not known" : "");
		json_decref(object);
	}
}

EXPECTED_MAIN
