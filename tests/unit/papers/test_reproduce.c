/* The document of a made-up result: what it warns of, and results of which there is none. */
#include "../test.h"
#include "papers/paper.h"
#include "report/report.h"

/* Of hough2006, without programs, figures or claims. */
static json_t *result_of(const char *paper)
{
	return json_pack(
		"{s:s, s:{s:s, s:s, s:s, s:i, s:[]}, s:s, s:b, s:s, s:[], s:[], s:[], s:[], "
		"s:{s:[], s:[], s:[]}}",
		"schema", "cyclestack-reproduce-1", "paper", "name", paper, "title", "t", "venue",
		"v", "year", 2006, "authors", "size", "test", "partial", 0, "example", "x",
		"programs", "figures", "machine", "claims", "variations", "programs", "machines",
		"storage");
}

/* How often it is warned with this text within the block. */
static unsigned warnings(const struct doc_block *block, const char *text)
{
	unsigned count = block->kind == DOC_SENTENCE && block->text->style == DOC_WARNING &&
			 strcmp(block->text->pieces[0].text, text) == 0;

	for (const struct doc_block *part = block->first; part; part = part->next)
		count += warnings(part, text);
	return count;
}

/* In both places with claims, as a sentence. */
TEST(programs_that_are_too_short_are_warned_of)
{
	static const char *const rows[][2] = {
		{"size test is too small", "Size test is too small."},
		{"", "."},
	};

	for (unsigned i = 0; i < 2; i++) {
		json_t *result = result_of("hough2006");
		struct err err = {.text = ""};
		struct doc doc;

		json_object_set_new(result, "too_small", json_string(rows[i][0]));
		doc_init(&doc, "reproduce");
		if (!report_reproduce(&doc, result, NULL, &err))
			fail_msg("%s", err.text);
		assert_int_equal(warnings(&doc.root, rows[i][1]), i ? 0 : 2);
		doc_release(&doc);
		json_decref(result);
	}
}

/* How many sentences within the block begin so. */
static unsigned sentences(const struct doc_block *block, const char *text)
{
	unsigned count = block->kind == DOC_SENTENCE &&
			 strncmp(block->text->pieces[0].text, text, strlen(text)) == 0;

	for (const struct doc_block *part = block->first; part; part = part->next)
		count += sentences(part, text);
	return count;
}

/* A figure that the paper does not have, as one of a later version, is shown without content. */
TEST(a_result_may_have_figures_that_nobody_knows)
{
	static const char *const said[] = {
		"A, B and C; v",
		"paper, section 5: it grows",
		"paper, table 1: it is 3",
		"paper, other numbers: figure only",
		"nothing yet",
		"lines of writes",
		"HOLDS: c0 (section 6)",
		"DOES NOT HOLD: c1 (section 6)",
		"NOT MEASURED: c2 (section 6)",
		"test: t0; on 2 of 3 programs",
		"test: t1",
		"reason: it is slow",
		"1 of 3 hold here.",
	};
	json_t *result = result_of("hough2006"), *claims = json_object_get(result, "claims");
	struct err err = {.text = ""};
	struct doc doc;

	json_object_set_new(json_object_get(result, "paper"), "authors",
			    json_pack("[s, s, s]", "A", "B", "C"));
	json_object_set_new(result, "partial", json_true());
	json_object_set_new(result, "figures",
			    json_pack("[{s:s, s:s, s:s, s:s, s:[{s:s, s:s}, {s:s, s:s}], s:b}, "
				      "{s:s, s:s, s:s, s:s, s:[], s:b}]",
				      "id", "figure-99", "label", "Figure 99", "title", "T",
				      "shows", "nothing yet", "paper", "text", "it grows",
				      "section", "5", "text", "it is 3", "section", "table 1",
				      "figure_only", 1, "id", "figure-4", "label", "Figure 4",
				      "title", "T", "shows", "lines of writes", "paper",
				      "figure_only", 0));
	for (int i = 0; i < 3; i++) {
		const char name[] = {'c', (char)('0' + i), '\0'}, test[] = {'t', name[1], '\0'};

		json_array_append_new(claims, json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "id",
							name, "claim", name, "section", "6", "test",
							test, "ours", "o", "holds",
							i == 2 ? json_null() : json_boolean(!i)));
	}
	json_object_update_new(json_array_get(claims, 0),
			       json_pack("{s:i, s:i}", "on", 2, "of", 3));
	json_object_set_new(json_array_get(claims, 1), "reason", json_string("it is slow"));
	doc_init(&doc, "reproduce");
	if (!report_reproduce(&doc, result, NULL, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (sentences(&doc.root, said[i]) != 1)
			fail_msg("%u times: %s", sentences(&doc.root, said[i]), said[i]);
	assert_int_equal(sentences(&doc.root, "reason: "), 1);
	assert_int_equal(doc.warning_count, 1);
	assert_string_equal(doc.warnings[0], "interrupted: what was not finished is left out");
	doc_release(&doc);
	json_decref(result);
}

TEST(a_paper_that_nobody_knows_has_no_document)
{
	json_t *result = result_of("nobody1999");
	struct err err = {.text = ""};
	struct doc doc;

	doc_init(&doc, "reproduce");
	assert_false(report_reproduce(&doc, result, NULL, &err));
	assert_non_null(strstr(err.text, "nobody1999"));
	assert_null(doc.root.first);
	doc_release(&doc);
	json_decref(result);
	/* Nor has one without what its paper measures. */
	result = result_of("chen2008");
	doc_init(&doc, "reproduce");
	assert_false(report_reproduce(&doc, result, NULL, &err));
	assert_string_equal(err.text, "misses is missing");
	assert_null(doc.root.first);
	doc_release(&doc);
	json_decref(result);
}
