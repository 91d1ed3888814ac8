/* The document of a reproduction: every table and figure of a paper with our numbers, beside each
 * what the paper states, and its claims with our verdicts. */
#include <string.h>

#include "papers/paper.h"
#include "report/judge.h"
#include "report/report.h"
#include "value/member.h"

/* What the figures of a paper are made from. */
struct reproduction {
	struct doc *doc;
	const struct paper *paper;
	const json_t *result;
	const struct judge_report *judge; /* NULL if the paper, and so its figures, show none */
};

static const char *authors_of(struct doc *doc, const json_t *authors)
{
	const size_t count = json_array_size(authors);
	const char *text = "";
	json_t *author;
	size_t i;

	json_array_foreach(authors, i, author) text = doc_words(doc, "%s%s%s", text,
								!i		? ""
								: i + 1 < count ? ", "
										: " and ",
								json_string_value(author));
	return text;
}

static void heading(const struct reproduction *r)
{
	const json_t *paper = json_object_get(r->result, "paper");
	struct doc *doc = r->doc;

	doc->title = doc_words(doc, "%s, reproduced - cyclestack", r->paper->short_title);
	doc_say(&doc->heading, "%s", member_text(paper, "title"));
	doc_paragraph(doc,
		      doc_words(doc, "%s; %s", authors_of(doc, json_object_get(paper, "authors")),
				member_text(paper, "venue")));
	doc_note(doc, doc_words(doc,
				"Every table and figure, with our programs at size %s. Beside each "
				"stands what the paper's text or tables state, and where; what is "
				"only in a drawing is said to be there and not guessed at.",
				member_text(r->result, "size")));
	if (json_is_true(json_object_get(r->result, "partial")))
		doc_warn(doc, "interrupted: what was not finished is left out");
}

/* Claims. */

static const char *verdict_of(const json_t *claim)
{
	const json_t *holds = json_object_get(claim, "holds");

	return json_is_true(holds)    ? "holds"
	       : json_is_false(holds) ? "does not hold"
				      : "not measured";
}

static const char *test_of(struct doc *doc, const json_t *claim)
{
	if (!json_object_get(claim, "of"))
		return member_text(claim, "test");
	return doc_words(doc, "%s; on %.0f of %.0f programs", member_text(claim, "test"),
			 member_number(claim, "on"), member_number(claim, "of"));
}

static void claim_table(const struct reproduction *r, const json_t *claims)
{
	static const char *const titles[] = {"section", "verdict",	 "claim",
					     "test",	"what came out", "reason"};
	struct doc_table *table = doc_table(r->doc, "verdicts", NULL, "name");
	json_t *claim;
	size_t i;

	for (i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		doc_column(table, titles[i], DOC_WORDS, 0);
	json_array_foreach(claims, i, claim)
	{
		doc_row(table, member_text(claim, "id"));
		doc_cell_words(table, member_text(claim, "section"));
		doc_cell_words(table, verdict_of(claim))->is_marked =
			json_is_false(json_object_get(claim, "holds"));
		doc_cell_words(table, member_text(claim, "claim"));
		doc_cell_words(table, test_of(r->doc, claim));
		doc_cell_words(table, member_text(claim, "ours"));
		doc_cell_words(table, member_text(claim, "reason"));
	}
}

/* Says it if the programs are too short for verdicts to mean much. */
static void too_small(const struct reproduction *r)
{
	const char *why = member_text(r->result, "too_small");

	if (*why)
		doc_say(doc_text(r->doc, DOC_WARNING), "%c%s.", why[0] & ~0x20, why + 1);
}

/* For a page and CSV, before the figures. */
static void claims_first(const struct reproduction *r)
{
	const json_t *claims = json_object_get(r->result, "claims");
	json_t *claim;
	size_t i, held = 0;

	json_array_foreach(claims, i, claim) held += json_is_true(json_object_get(claim, "holds"));
	doc_section(r->doc, "claims", "The paper's claims")->short_title = "Claims";
	doc_say(doc_text(r->doc, DOC_VERDICT), "%zu of %zu hold here.", held,
		json_array_size(claims));
	too_small(r);
	claim_table(r, claims);
	doc_end(r->doc);
	doc_only(r->doc, DOC_IN_PAGE);
}

static void claim_in_text(struct doc *doc, const json_t *claim)
{
	const bool holds = json_is_true(json_object_get(claim, "holds"));
	const char *verdict = holds					       ? "HOLDS"
			      : json_is_false(json_object_get(claim, "holds")) ? "DOES NOT HOLD"
									       : "NOT MEASURED";

	doc_say(doc_text(doc, holds ? DOC_PARAGRAPH : DOC_WARNING), "%s: %s (section %s)", verdict,
		member_text(claim, "claim"), member_text(claim, "section"));
	doc_paragraph(doc, doc_words(doc, "test: %s", test_of(doc, claim)));
	doc_paragraph(doc, doc_words(doc, "ours: %s", member_text(claim, "ours")));
	if (json_object_get(claim, "reason"))
		doc_paragraph(doc, doc_words(doc, "reason: %s", member_text(claim, "reason")));
}

/* For text, after the figures, where a reader of a terminal still sees them. */
static void claims_last(const struct reproduction *r)
{
	json_t *claim;
	size_t i;

	doc_section(r->doc, NULL, "The paper's claims");
	too_small(r);
	json_array_foreach(json_object_get(r->result, "claims"), i, claim)
		claim_in_text(r->doc, claim);
	doc_end(r->doc);
	doc_only(r->doc, DOC_IN_TEXT);
}

/* Figures. */

/* Tables are named after their figure, so that CSV can have them. */
static void name_tables(struct doc *doc, const char *figure)
{
	unsigned count = 0;

	for (struct doc_block *block = doc->open->first; block; block = block->next) {
		if (block->kind != DOC_TABLE || block->id)
			continue;
		block->id = ++count > 1 ? doc_words(doc, "%s-values-%u", figure, count)
					: doc_words(doc, "%s-values", figure);
	}
}

static void limit_from(struct doc_block *block, unsigned where)
{
	for (; block; block = block->next)
		block->where = where;
}

/* A page shows parts of the judgement in place of what a figure is in text, pictures and CSV. */
static void figure_content(const struct reproduction *r, const struct paper_figure *figure)
{
	struct doc_block *before = r->doc->open->last;

	paper_build(r->doc, figure, r->result);
	name_tables(r->doc, figure->id);
	if (!figure->judged)
		return;
	limit_from(before->next, DOC_IN_TEXT | DOC_IN_CSV);
	before = r->doc->open->last;
	figure->judged(r->judge, figure);
	limit_from(before->next, DOC_IN_PAGE);
}

static void begin_section(struct doc *doc, const char *id, const char *label, const char *title,
			  const char *shows)
{
	doc_section(doc, id, doc_words(doc, "%s. %s", label, title))->short_title =
		doc_words(doc, "%s", label);
	doc_paragraph(doc, shows);
}

static void statements(struct doc *doc, const json_t *figure)
{
	json_t *statement;
	size_t i;

	json_array_foreach(json_object_get(figure, "paper"), i, statement)
	{
		const char *section = member_text(statement, "section");

		doc_note(doc, doc_words(doc, "paper, %s%s: %s",
					strncmp(section, "table", 5) == 0 ? "" : "section ",
					section, member_text(statement, "text")));
	}
	if (json_is_true(json_object_get(figure, "figure_only")))
		doc_note(doc, "paper, other numbers: figure only");
}

static const struct paper_figure *figure_named(const struct paper *paper, const char *id)
{
	for (const struct paper_figure *f = paper->figures; f->id; f++)
		if (strcmp(f->id, id) == 0)
			return f;
	return NULL;
}

/* What the paper states is read from the result, which may be older than the tables. */
static void figures(const struct reproduction *r)
{
	json_t *figure;
	size_t i;

	json_array_foreach(json_object_get(r->result, "figures"), i, figure)
	{
		const char *id = member_text(figure, "id");
		const struct paper_figure *row = figure_named(r->paper, id);

		begin_section(r->doc, id, member_text(figure, "label"),
			      member_text(figure, "title"), member_text(figure, "shows"));
		statements(r->doc, figure);
		if (row)
			figure_content(r, row);
		doc_end(r->doc);
	}
	for (const struct paper_figure *f = r->paper->additions; f->id; f++) {
		begin_section(r->doc, f->id, f->label, f->title, f->shows);
		figure_content(r, f);
		doc_end(r->doc);
	}
}

static void whole(const struct reproduction *r)
{
	heading(r);
	claims_first(r);
	figures(r);
	if (r->judge) {
		judge_details(r->judge);
		judge_about(r->judge);
	}
	claims_last(r);
}

REPORT_BUILDER(reproduce)
{
	const struct paper *paper =
		paper_find(member_text(json_object_get(result, "paper"), "name"), err);
	struct reproduction r = {doc, paper, result, NULL};
	struct judge_report judge;

	(void)options;
	if (!paper || !paper_check_result(paper, result, err))
		return false;
	json_t *shown = paper->judgement ? paper->judgement(result) : NULL;
	if (shown) {
		judge_report_init(&judge, doc, shown);
		r.judge = &judge;
	}
	whole(&r);
	if (shown)
		judge_report_release(&judge);
	json_decref(shown);
	return true;
}
