#include "report/papers/paper_text.h"

#include <stdlib.h>
#include <string.h>

#include "report/papers/content_text.h"
#include "value/member.h"

static void print_heading(FILE *out, const struct terminal *terminal, const char *heading)
{
	fputc('\n', out);
	terminal_style(out, terminal, "1");
	fputs(heading, out);
	terminal_plain(out, terminal);
	fputc('\n', out);
}

static void print_figure(FILE *out, const struct paper_figure *figure, const json_t *result,
			 const struct terminal *terminal)
{
	struct content content;

	paper_build(&content, figure, result);
	print_heading(out, terminal,
		      content_words(&content, "%s. %s", figure->label, figure->title));
	terminal_put_words(out, terminal, 2, figure->shows);
	for (size_t i = 0; i < PAPER_STATEMENTS_MOST && figure->statements[i].text; i++) {
		const struct paper_statement *statement = &figure->statements[i];

		terminal_put_words(out, terminal, 2,
				   content_words(&content, "paper, %s%s: %s",
						 strncmp(statement->section, "table", 5) == 0
							 ? ""
							 : "section ",
						 statement->section, statement->text));
	}
	if (figure->is_figure_only)
		fputs("paper, other numbers: figure only\n", out);
	content_text_print(out, &content, terminal);
	content_release(&content);
}

static void print_claim(FILE *out, const json_t *claim, const struct terminal *terminal)
{
	const json_t *holds = json_object_get(claim, "holds");
	const char *verdict = json_is_true(holds)    ? "HOLDS"
			      : json_is_false(holds) ? "DOES NOT HOLD"
						     : "NOT MEASURED";
	struct content words;

	content_init(&words);
	terminal_style(out, terminal, json_is_true(holds) ? "32" : "33");
	terminal_put_words(out, terminal, 2,
			   content_words(&words, "%s: %s (section %s)", verdict,
					 member_text(claim, "claim"),
					 member_text(claim, "section")));
	terminal_plain(out, terminal);
	const char *test = content_words(&words, "test: %s", member_text(claim, "test"));
	if (json_object_get(claim, "of"))
		test = content_words(&words, "%s; on %.0f of %.0f programs", test,
				     member_number(claim, "on"), member_number(claim, "of"));
	terminal_put_words(out, terminal, 2, test);
	terminal_put_words(out, terminal, 2,
			   content_words(&words, "ours: %s", member_text(claim, "ours")));
	if (json_object_get(claim, "reason"))
		terminal_put_words(
			out, terminal, 2,
			content_words(&words, "reason: %s", member_text(claim, "reason")));
	content_release(&words);
}

void paper_text_print(FILE *out, const struct paper *paper, const json_t *result,
		      const struct terminal *terminal)
{
	json_t *claim;
	size_t i;

	for (i = 0; paper->authors[i]; i++)
		fprintf(out, "%s%s",
			!i			? ""
			: paper->authors[i + 1] ? ", "
						: " and ",
			paper->authors[i]);
	fprintf(out, "\n%s\n%s; with our programs at size %s%s\n", paper->title, paper->venue,
		member_text(result, "size"),
		json_is_true(json_object_get(result, "partial"))
			? "; interrupted: what was not finished is left out"
			: "");
	for (const struct paper_figure *f = paper->figures; f->id; f++)
		print_figure(out, f, result, terminal);
	for (const struct paper_figure *f = paper->additions; f->id; f++)
		print_figure(out, f, result, terminal);
	print_heading(out, terminal, "The paper's claims");
	json_array_foreach(json_object_get(result, "claims"), i, claim)
		print_claim(out, claim, terminal);
}
