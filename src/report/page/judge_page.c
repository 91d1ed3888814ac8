#include "report/page/judge_page.h"

#include "base/array.h"
#include "report/page/html.h"
#include "report/papers/content.h"
#include "value/layout.h"
#include "value/member.h"

static void write_heading(FILE *out, const json_t *judge)
{
	const json_t *configuration = json_object_get(judge, "configuration");
	const json_t *left_out = json_object_get(judge, "left_out");
	size_t i;
	json_t *change, *name;

	fputs("<header class=\"top\">\n<p class=\"kicker\">cyclestack judge</p>\n"
	      "<h1>Counter architectures beside the truth <span class=\"on\">on</span> <bdi>",
	      out);
	html_text(out, member_text(configuration, "name"));
	fputs("</bdi></h1>\n<p class=\"facts\">", out);
	json_array_foreach(json_object_get(configuration, "changes"), i, change)
	{
		fputs("<code class=\"badge\">", out);
		html_text(out, json_string_value(change));
		fputs("</code> ", out);
	}
	fprintf(out,
		"<span class=\"muted\">%zu program%s; the truth is the difference between runs of "
		"idealised machines, in two orders.",
		json_array_size(json_object_get(judge, "programs")),
		json_array_size(json_object_get(judge, "programs")) == 1 ? "" : "s");
	if (json_array_size(left_out))
		fputs(" Left out, because they count what only an out-of-order core has: ", out);
	json_array_foreach(left_out, i, name)
	{
		html_text(out, json_string_value(name));
		fputs(i + 1 < json_array_size(left_out) ? ", " : ".", out);
	}
	fputs("</span></p>\n</header>\n", out);
}

static void write_percent(FILE *out, const json_t *fraction)
{
	fputs("<td>", out);
	if (json_is_number(fraction)) {
		html_decimal(out, 100 * json_number_value(fraction), 2);
		fputs(" %", out);
	}
	fputs("</td>", out);
}

/* One column per method, one row per program; the last rows are the mean and the largest. */
static void write_errors(FILE *out, const json_t *judge)
{
	json_t *summary = json_object_get(judge, "summary");
	json_t *mean = json_object_get(summary, "mean_error");
	const char *method;
	json_t *unused, *program;
	size_t i;

	fputs("<div class=\"scroll\"><table id=\"error-table\">\n<thead><tr><th scope=\"col\">"
	      "program</th>",
	      out);
	json_object_foreach(mean, method, unused)
	{
		fputs("<th scope=\"col\">", out);
		html_text(out, method);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	json_array_foreach(json_object_get(judge, "programs"), i, program)
	{
		fputs("<tr><th scope=\"row\"><bdi>", out);
		html_text(out, member_text(program, "name"));
		fputs("</bdi></th>", out);
		json_object_foreach(mean, method, unused) write_percent(
			out, json_object_get(
				     json_object_get(json_object_get(program, "methods"), method),
				     "max_error"));
		fputs("</tr>\n", out);
	}
	fputs("</tbody>\n<tfoot>\n<tr><th scope=\"row\">mean</th>", out);
	json_object_foreach(mean, method, unused) write_percent(out, unused);
	fputs("</tr>\n<tr><th scope=\"row\">largest</th>", out);
	json_object_foreach(mean, method, unused) write_percent(
		out, json_object_get(json_object_get(summary, "largest_error"), method));
	fputs("</tr>\n</tfoot>\n</table></div>\n", out);
}

bool judge_page_write(FILE *out, const json_t *judge, struct err *err)
{
	const struct page_asset scripts[] = {page_asset_common(), page_asset_charts(),
					     page_asset_judge()};
	struct content words;

	if (!layout_check(judge, &layout_judge, err))
		return false;
	content_init(&words);
	html_begin(out,
		   content_words(&words, "Judged on %s - cyclestack",
				 member_text(json_object_get(judge, "configuration"), "name")),
		   scripts, ARRAY_COUNT(scripts));
	content_release(&words);
	write_heading(out, judge);
	fputs("<nav id=\"contents\"></nav>\n<section id=\"errors\">\n<h2>Largest error of each "
	      "method</h2>\n",
	      out);
	write_errors(out, judge);
	fputs("</section>\n", out);
	return html_end(out, judge, scripts, ARRAY_COUNT(scripts), err);
}
