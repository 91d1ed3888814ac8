/* Every paper of the table is complete. */
#include "../test.h"
#include "base/array.h"
#include "papers/paper.h"

TEST(a_paper_is_found_by_its_name)
{
	struct err err;

	for (size_t i = 0; papers[i]; i++)
		assert_ptr_equal(paper_find(papers[i]->name, &err), papers[i]);
	assert_null(paper_find("nobody1999", &err));
	assert_non_null(strstr(err.text, "nobody1999"));
	assert_non_null(strstr(err.text, papers[0]->name));
	assert_null(paper_find(NULL, &err));
	assert_non_null(strstr(err.text, papers[0]->name));
}

/* A figure without measurements still has content that can be released. */
static void check_figures(const struct paper *paper, const struct paper_figure *figures)
{
	json_t *nothing = json_object();

	for (const struct paper_figure *f = figures; f->id; f++) {
		struct doc doc;

		assert_true(f->label && f->title && f->shows);
		assert_true(!f->judged || paper->judgement);
		for (const struct paper_figure *g = figures; g < f; g++)
			assert_string_not_equal(f->id, g->id);
		for (size_t i = 0; i < PAPER_STATEMENTS_MOST && f->statements[i].text; i++)
			assert_non_null(f->statements[i].section);
		doc_init(&doc, "reproduce");
		paper_build(&doc, f, nothing);
		assert_non_null(doc.root.first);
		doc_release(&doc);
	}
	json_decref(nothing);
}

TEST(every_paper_is_complete)
{
	for (size_t i = 0; papers[i]; i++) {
		const struct paper *paper = papers[i];

		assert_true(paper->authors[0] && paper->title && paper->venue && paper->year);
		assert_true(paper->needs[0] && paper->figures[0].id);
		/* A paper that needs an inspection has kernels in place of programs. */
		assert_true(paper->programs[0].name || strcmp(paper->needs[0], "inspection") == 0);
		check_figures(paper, paper->figures);
		check_figures(paper, paper->additions);
		for (const struct paper_parameter *p = paper->parameters; p->what; p++)
			assert_true(config_find(p->key) != CONFIG_COUNT);
		for (const struct claim *c = paper->claims; c->id; c++) {
			assert_true(c->claim && c->section && c->test && c->decide);
			for (const struct claim *d = paper->claims; d < c; d++)
				assert_string_not_equal(c->id, d->id);
		}
	}
}

TEST(a_claim_is_decided_by_the_number_of_programs)
{
	static const struct {
		bool is_most;
		size_t on, of;
		enum claim_verdict verdict;
	} rows[] = {
		{false, 3, 3, CLAIM_HOLDS},    {false, 2, 3, CLAIM_FAILS},
		{true, 2, 3, CLAIM_HOLDS},     {true, 2, 4, CLAIM_FAILS},
		{true, 0, 0, CLAIM_UNDECIDED}, {false, 0, 0, CLAIM_UNDECIDED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct claim_outcome outcome = {.ours = ""};
		struct claim claim = {"id", "1", "c", "t", .is_most = rows[i].is_most};

		claim_set_counted(&outcome, &claim, rows[i].on, rows[i].of);
		assert_int_equal(outcome.verdict, rows[i].verdict);
		json_t *object = claim_object(&claim, &outcome);
		assert_int_equal(json_integer_value(json_object_get(object, "on")), rows[i].on);
		json_decref(object);
	}
}

static const struct paper_bars bars = {"T", "D", .top = 0};

static const struct paper_table table = {
	.note = "Note.",
	.rows = "run.programs",
	.names = "program",
	.columns = PAPER_COLUMNS(PAPER_COLUMN("paper", "stated.ipc", DOC_NUMBER, 1),
				 {"ours", "deep.ipc", DOC_NUMBER, 1, PAPER_FIRST, "run.means.ipc"}),
	.total_name = "mean",
	.conclusion = "run.answer",
	.bars = &bars,
};

static const struct paper_figure figure = {.id = "figure-1", .table = &table};

/* Two programs, one of which has a name in the paper; the total is elsewhere in the result. */
TEST(a_table_is_made_of_paths)
{
	json_t *result = json_loads("{\"programs\": [{\"name\": \"@a:test\", \"paper\": \"pa\", "
				    "\"ours\": \"a\", \"ipc\": 1.5}], \"run\": {\"programs\": ["
				    "{\"name\": \"@a:test\", \"deep\": {\"ipc\": 2.25}}, "
				    "{\"name\": \"@b:test\"}], "
				    "\"means\": {\"ipc\": 3}, \"answer\": \"Yes.\"}}",
				    0, NULL);
	struct doc doc;

	assert_non_null(result);
	doc_init(&doc, "reproduce");
	paper_build(&doc, &figure, result);
	/* The note, the bars, the table, the conclusion. */
	const struct doc_block *block = doc.root.first->next->next;
	const struct doc_table *made = block->table;
	assert_int_equal(made->row_count, 3);
	assert_string_equal(made->rows[0].name, "pa: a");
	assert_true(made->rows[0].cells[0].value == 1.5 && made->rows[0].cells[1].value == 2.25);
	assert_string_equal(made->rows[1].name, "@b:test");
	assert_true(made->rows[1].cells[0].kind == DOC_NONE);
	assert_true(made->rows[1].cells[1].kind == DOC_NONE);
	assert_true(made->rows[2].is_total && made->rows[2].cells[1].value == 3);
	const struct doc_drawing *drawing = doc_picture(&doc.root);
	assert_int_equal(drawing->series_count, 1);
	assert_int_equal(drawing->group_count, 3);
	assert_string_equal(drawing->groups[1].name, "b");
	assert_true(drawing->groups[0].values[0] == 2.25 && drawing->groups[2].values[0] == 3);
	assert_string_equal(block->next->text->pieces[0].text, "Yes.");
	assert_null(block->next->next);
	doc_release(&doc);
	json_decref(result);
}

static const struct paper_lines lines = {"T", "D", "size", "LUTs", .again = 0},
				lines_again = {"T", "D", "size", "LUTs", .again = 1};

/* A row whose name is no number, or that lacks a cell that is drawn, is no point; the table has it.
 * Here none has the cell of a column that is not drawn. */
TEST(lines_are_over_rows_that_are_numbers)
{
	static const char *const names[] = {"1", "2x", "x", "", "4", "8"};
	json_t *rows = json_array();

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		json_array_append_new(rows, json_pack("{s:s, s:i, s:i}", "n", names[i], "a",
						      10 + (int)i, "b", 20 + (int)i));
	json_object_del(json_array_get(rows, 5), "b");
	json_t *result = json_pack("{s:o}", "rows", rows);
	for (unsigned again = 0; again < 2; again++) {
		const struct paper_table with_lines = {
			.rows = "rows",
			.names = "N",
			.name = "n",
			.columns =
				PAPER_COLUMNS(PAPER_DRAWN("a", "a", DOC_NUMBER, 0, PAPER_FIRST),
					      PAPER_COLUMN("c", "c", DOC_NUMBER, 0),
					      PAPER_DRAWN("b", "b", DOC_NUMBER, 0, PAPER_SECOND)),
			.lines = again ? &lines_again : &lines,
		};
		struct doc doc;

		doc_init(&doc, "reproduce");
		paper_table_build(&doc, &with_lines, result);
		const struct doc_drawing *drawing = doc_picture(&doc.root);
		assert_int_equal(drawing->x_count, 2);
		assert_true(drawing->xs[0] == 1 && drawing->xs[1] == 4);
		assert_int_equal(drawing->panel_count, 1 + again);
		assert_int_equal(drawing->panels[0].series_count, 2);
		assert_true(drawing->panels[0].series[1].values[1] == 24);
		if (again)
			assert_int_equal(drawing->panels[1].series_count, 1);
		assert_int_equal(doc.root.last->table->row_count, ARRAY_COUNT(names));
		doc_release(&doc);
	}
	json_decref(result);
}

/* A result that lacks a measurement of its paper, or a required member, is refused. */
TEST(a_result_is_checked_before_it_is_shown)
{
	json_t *result = json_pack(
		"{s:s, s:{s:s, s:s, s:s, s:i, s:[]}, s:s, s:b, s:s, s:[], s:[], s:[], s:[]}",
		"schema", "cyclestack-reproduce-1", "paper", "name", "n", "title", "t", "venue",
		"v", "year", 2006, "authors", "size", "test", "partial", 0, "example", "x",
		"programs", "figures", "machine", "claims");
	const struct paper *with_needs = papers[0];
	struct paper plain = {.needs = (const char *const[]){NULL}};
	struct err err;

	assert_non_null(result);
	assert_true(paper_check_result(&plain, result, &err));
	assert_false(paper_check_result(with_needs, result, &err));
	assert_non_null(strstr(err.text, with_needs->needs[0]));
	json_object_set_new(result, "claims", json_pack("[{s:s}]", "claim", "c"));
	assert_false(paper_check_result(&plain, result, &err));
	assert_string_equal(err.text, "claims[0].id is missing");
	json_decref(result);
}

TEST(a_finding_that_is_too_long_is_cut)
{
	struct claim_outcome outcome = {.ours = ""};

	for (unsigned i = 0; i < 1000; i++)
		claim_say(&outcome, "abc%u", i);
	assert_int_equal(strlen(outcome.ours), CLAIM_OURS_BYTES - 1);
}

static void fails(struct claim_outcome *outcome, const struct claim *claim, const json_t *result,
		  const json_t *programs)
{
	(void)claim, (void)result;
	claim_say(outcome, "%zu programs", json_array_size(programs));
	claim_set(outcome, false);
}

static const struct claim failing[] = {
	{"known", "1", "c", "t", .decide = fails, .reason = "it is slow"},
	{"unknown", "2", "c", "t", .decide = fails},
	{0},
};

static const struct paper_program of_two[] = {{"pa", "a", 1.5}, {"pb", "b", 2.5}, {0}};
static const struct paper_parameter no_parameters[] = {{0}};
static const struct paper_figure no_figures[] = {{0}};

static const struct paper small = {
	.name = "small",
	.authors = (const char *const[]){"Someone", NULL},
	.title = "T",
	.venue = "V",
	.year = 2006,
	.programs = of_two,
	.stated_as = "stated",
	.example = "b",
	.parameters = no_parameters,
	.figures = no_figures,
	.additions = no_figures,
	.claims = failing,
	.needs = (const char *const[]){"run", NULL},
};

static void derive(json_t *result)
{
	json_object_set_new(result, "derived", json_integer((json_int_t)json_object_size(result)));
}

/* The result of programs that execute so many instructions; 0: it is not known of one. */
static json_t *result_of(const int64_t *instructions, size_t count)
{
	struct config config;
	json_t *programs = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(programs, instructions[i]
							? json_pack("{s:I}", "instructions",
								    (json_int_t)instructions[i])
							: json_object());
	json_t *measured = json_pack("{s:{s:o}}", "run", "programs", programs);
	config_reset(&config);
	json_t *result = paper_result(&small, "test", &config, measured, false);
	json_decref(measured);
	return result;
}

static const char *claim_member(const json_t *result, size_t i, const char *name)
{
	return json_string_value(
		json_object_get(json_array_get(json_object_get(result, "claims"), i), name));
}

/* Verdicts stay, but what is known of their reasons is of longer programs. */
TEST(claims_are_doubted_where_programs_are_short)
{
	static const int64_t shorter[] = {2500000, 1500000, 0, 9999999, 10000000};
	static const int64_t longer[] = {10000000, 0, 20000000};
	json_t *result = result_of(shorter, ARRAY_COUNT(shorter));

	assert_string_equal(json_string_value(json_object_get(result, "too_small")),
			    "size test is too small to judge claims by: 3 of 5 programs execute "
			    "fewer than 10 million instructions (1.5 million at least), in which "
			    "starting up weighs and data may fit the caches");
	assert_string_equal(claim_member(result, 0, "ours"), "5 programs");
	assert_string_equal(claim_member(result, 0, "reason"),
			    "not known at this size, which is too small to judge it; at larger "
			    "ones: it is slow");
	assert_string_equal(claim_member(result, 1, "reason"),
			    "not known at this size, which is too small to judge it");
	json_decref(result);
	result = result_of(longer, ARRAY_COUNT(longer));
	assert_null(json_object_get(result, "too_small"));
	assert_string_equal(claim_member(result, 0, "reason"), "it is slow");
	json_decref(result);
}

TEST(a_result_has_what_the_paper_states)
{
	json_t *result = result_of(NULL, 0);
	const json_t *programs = json_object_get(result, "programs");

	assert_string_equal(json_string_value(json_object_get(result, "example")), "@b:test");
	assert_int_equal(json_array_size(programs), 2);
	assert_true(json_real_value(json_object_get(json_array_get(programs, 1), "stated")) == 2.5);
	assert_string_equal(claim_member(result, 0, "ours"), "nothing was measured");
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(result, "claims"), 0), "holds")));
	json_decref(result);
}

/* The number that is derived is made last, from all the other members. */
TEST(a_paper_may_state_nothing_and_derive_more)
{
	struct paper paper = small;
	struct config config;

	config_reset(&config);
	for (unsigned i = 0; i < 2; i++) {
		paper.stated_as = i ? NULL : "stated";
		paper.derive = i ? derive : NULL;
		json_t *measured = json_pack("{s:{}}", "run");
		json_t *result = paper_result(&paper, "test", &config, measured, false);
		const json_t *program = json_array_get(json_object_get(result, "programs"), 0);
		assert_int_equal(json_object_size(program), i ? 3 : 4);
		assert_int_equal(json_integer_value(json_object_get(result, "derived")),
				 i ? json_object_size(result) - 1 : 0);
		json_decref(result);
		json_decref(measured);
	}
}
