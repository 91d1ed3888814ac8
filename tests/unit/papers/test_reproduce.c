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
