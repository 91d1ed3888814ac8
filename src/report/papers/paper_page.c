#include "report/papers/paper_page.h"

#include <string.h>

#include "base/array.h"
#include "report/page/assets.h"
#include "report/page/html.h"
#include "report/papers/content_html.h"
#include "value/member.h"

static void write_heading(FILE *out, const json_t *result)
{
	const json_t *paper = json_object_get(result, "paper");
	json_t *author;
	size_t i, count = json_array_size(json_object_get(paper, "authors"));

	fputs("<header class=\"top\">\n<p class=\"kicker\">cyclestack reproduce</p>\n<h1>", out);
	html_text(out, member_text(paper, "title"));
	fputs("</h1>\n<p class=\"facts\">", out);
	json_array_foreach(json_object_get(paper, "authors"), i, author)
	{
		const char *name = json_string_value(author);

		html_text(out, name ? name : "");
		fputs(i + 2 < count ? ", " : i + 1 < count ? " and " : "", out);
	}
	fputs("; ", out);
	html_text(out, member_text(paper, "venue"));
	fputs("</p>\n<p class=\"facts muted\">Every table and figure, with our programs at size ",
	      out);
	html_text(out, member_text(result, "size"));
	fputs(". Beside each stands what the paper's text or tables state, and where; what is only in "
	      "a drawing is said to be there and not guessed at.</p>\n",
	      out);
	if (json_is_true(json_object_get(result, "partial")))
		fputs("<p class=\"facts\"><span class=\"badge warn\">interrupted</span> What was not "
		      "finished is left out.</p>\n",
		      out);
	fputs("</header>\n<nav id=\"contents\"></nav>\n", out);
}

static void write_claims(FILE *out, const json_t *claims)
{
	size_t i, held = 0;
	json_t *claim;

	json_array_foreach(claims, i, claim) held += json_is_true(json_object_get(claim, "holds"));
	fprintf(out,
		"<section id=\"claims\" data-short=\"Claims\">\n<h2>The paper&#39;s claims</h2>\n"
		"<p class=\"verdict\">%zu of %zu hold here.</p>\n<div class=\"scroll\"><table>\n"
		"<thead><tr><th scope=\"col\">claim</th><th scope=\"col\">section</th>"
		"<th scope=\"col\" class=\"left\">test, and what came out</th>"
		"<th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
		held, json_array_size(claims));
	json_array_foreach(claims, i, claim)
	{
		const json_t *holds = json_object_get(claim, "holds");

		fputs("<tr><td class=\"about\">", out);
		html_text(out, member_text(claim, "claim"));
		fputs("</td><td>", out);
		html_text(out, member_text(claim, "section"));
		fputs("</td><td class=\"about\">", out);
		html_text(out, member_text(claim, "test"));
		if (json_object_get(claim, "of"))
			fprintf(out, " (on %.0f of %.0f programs)", member_number(claim, "on"),
				member_number(claim, "of"));
		fputs("<br><strong>", out);
		html_text(out, member_text(claim, "ours"));
		fputs("</strong>", out);
		if (json_object_get(claim, "reason")) {
			fputs("<br>Reason: ", out);
			html_text(out, member_text(claim, "reason"));
		}
		fprintf(out, "</td><td class=\"%s\">%s</td></tr>\n",
			json_is_false(holds) ? "over" : "",
			json_is_true(holds)    ? "holds"
			: json_is_false(holds) ? "does not hold"
					       : "not measured");
	}
	fputs("</tbody>\n</table></div>\n</section>\n", out);
}

static void write_statements(FILE *out, const json_t *figure)
{
	json_t *statement;
	size_t i;

	if (!json_array_size(json_object_get(figure, "paper")))
		return;
	fputs("<ul class=\"note\">\n", out);
	json_array_foreach(json_object_get(figure, "paper"), i, statement)
	{
		const char *section = member_text(statement, "section");

		fputs("<li>The paper: ", out);
		html_text(out, member_text(statement, "text"));
		fprintf(out, " <span class=\"muted\">(%s",
			strncmp(section, "table", 5) == 0 ? "" : "section ");
		html_text(out, section);
		fputs(")</span></li>\n", out);
	}
	if (json_is_true(json_object_get(figure, "figure_only")))
		fputs("<li>The paper, other numbers: figure only</li>\n", out);
	fputs("</ul>\n", out);
}

static void write_content(FILE *out, const struct paper_figure *figure, const json_t *result)
{
	struct content content;

	paper_build(&content, figure, result);
	if (figure->script_part)
		fprintf(out, "<div class=\"slot\" data-part=\"%s\">\n", figure->script_part);
	content_html_write(out, &content);
	fputs(figure->script_part ? "</div>\n" : "", out);
	content_release(&content);
}

static void begin_section(FILE *out, const char *id, const char *label, const char *title,
			  const char *shows)
{
	fputs("<section id=\"", out);
	html_text(out, id);
	fputs("\" data-short=\"", out);
	html_text(out, label);
	fputs("\">\n<h2>", out);
	html_text(out, label);
	fputs(". ", out);
	html_text(out, title);
	fputs("</h2>\n<p>", out);
	html_text(out, shows);
	fputs("</p>\n", out);
}

static const struct paper_figure *figure_named(const struct paper *paper, const char *id)
{
	for (const struct paper_figure *f = paper->figures; f->id; f++)
		if (strcmp(f->id, id) == 0)
			return f;
	return NULL;
}

static void write_figures(FILE *out, const struct paper *paper, const json_t *result)
{
	json_t *figure;
	size_t i;

	json_array_foreach(json_object_get(result, "figures"), i, figure)
	{
		const char *id = member_text(figure, "id");
		const struct paper_figure *row = figure_named(paper, id);

		begin_section(out, id, member_text(figure, "label"), member_text(figure, "title"),
			      member_text(figure, "shows"));
		write_statements(out, figure);
		if (row)
			write_content(out, row, result);
		fputs("</section>\n", out);
	}
	for (const struct paper_figure *f = paper->additions; f->id; f++) {
		begin_section(out, f->id, f->label, f->title, f->shows);
		write_content(out, f, result);
		fputs("</section>\n", out);
	}
}

static bool has_script_parts(const struct paper *paper)
{
	for (const struct paper_figure *f = paper->figures; f->id; f++)
		if (f->script_part)
			return true;
	return false;
}

bool paper_page_write(FILE *out, const struct paper *paper, const json_t *result, struct err *err)
{
	const struct page_asset with_judge[] = {page_asset_common(), page_asset_charts(),
						page_asset_reproduce_data(), page_asset_judge(),
						page_asset_reproduce_figures()};
	const struct page_asset alone[] = {page_asset_common(), page_asset_reproduce_figures()};
	const struct page_asset *scripts = has_script_parts(paper) ? with_judge : alone;
	size_t count = has_script_parts(paper) ? ARRAY_COUNT(with_judge) : ARRAY_COUNT(alone);
	char title[128];

	if (!paper_check_result(paper, result, err))
		return false;
	snprintf(title, sizeof(title), "%s, reproduced - cyclestack", paper->short_title);
	html_begin(out, title, scripts, count);
	write_heading(out, result);
	write_claims(out, json_object_get(result, "claims"));
	write_figures(out, paper, result);
	return html_end(out, result, scripts, count, err);
}
