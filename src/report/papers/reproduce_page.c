#include "report/papers/reproduce_page.h"

#include <string.h>

#include "base/array.h"
#include "report/page/html.h"
#include "report/page/assets.h"
#include "report/papers/reproduce_check.h"
#include "report/papers/reproduce_drawings.h"
#include "value/member.h"

static const json_t *judged(const json_t *result)
{
	return json_object_get(json_object_get(result, "judge"), "programs");
}

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
		html_text(out, json_string_value(author));
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

static void write_claims(FILE *out, const json_t *result)
{
	size_t i, held = 0;
	json_t *claim;

	json_array_foreach(json_object_get(result, "claims"), i, claim) held +=
		json_is_true(json_object_get(claim, "holds"));
	fprintf(out,
		"<section id=\"claims\" data-short=\"Claims\">\n<h2>The paper&#39;s claims</h2>\n"
		"<p class=\"verdict\">%zu of %zu hold here.</p>\n<div class=\"scroll\"><table>\n"
		"<thead><tr><th scope=\"col\">claim</th><th scope=\"col\">section</th>"
		"<th scope=\"col\" class=\"left\">test, and what came out</th>"
		"<th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n",
		held, json_array_size(json_object_get(result, "claims")));
	json_array_foreach(json_object_get(result, "claims"), i, claim)
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
		fprintf(out, "</strong></td><td class=\"%s\">%s</td></tr>\n",
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

static void write_plot(FILE *out, const json_t *result, unsigned figure)
{
	size_t i;
	json_t *plot;

	json_array_foreach(json_object_get(result, "plots"), i, plot)
	{
		if ((unsigned)member_number(plot, "figure") != figure)
			continue;
		bool is_stretch = strcmp(member_text(plot, "kind"), "stretch") == 0;

		fputs("<p class=\"note\">From the first ", out);
		html_integer(out, json_integer_value(json_object_get(plot, "instructions")));
		fputs(" instructions of <code>", out);
		html_text(out, member_text(plot, "program"));
		fputs("</code>, the program with most clean events of the kind: ", out);
		html_integer(out, json_integer_value(json_object_get(plot, "found")));
		fputs("; the example is the first, in cycle ", out);
		html_integer(out, json_integer_value(json_object_get(plot, "first_cycle")));
		fputs(is_stretch ? ". Letters: i an L1I miss, B a mispredicted branch entering the "
				   "window, D an L2 miss of a load; all of the right path."
				 : ".",
		      out);
		fputs("</p>\n<div class=\"scroll\">", out);
		reproduce_draw_interval(out, plot, true);
		fputs("</div>\n", out);
		return;
	}
	fputs("<p>No clean event was found.</p>\n", out);
}

static void write_example(FILE *out, const json_t *result)
{
	size_t i;
	json_t *program;

	json_array_foreach(judged(result), i, program)
	{
		if (strcmp(member_text(program, "name"), member_text(result, "example")) != 0)
			continue;
		fputs("<div class=\"scroll\">", out);
		reproduce_draw_stacks(out, program, true);
		fputs("</div>\n", out);
		return;
	}
	fputs("<p>Not finished.</p>\n", out);
}

static void write_percent(FILE *out, double part, unsigned places)
{
	fputs("<td>", out);
	html_decimal(out, 100 * part, places);
	fputs(" %</td>", out);
}

/* A program of ours under the paper's name of what it stands for; `pair` may be NULL. */
static void write_program(FILE *out, const json_t *result, const char *name, const json_t **pair)
{
	size_t i;
	json_t *item;

	*pair = NULL;
	json_array_foreach(json_object_get(result, "programs"), i, item)
	{
		if (strcmp(member_text(item, "name"), name) == 0)
			*pair = item;
	}
	fputs("<th scope=\"row\"><bdi>", out);
	html_text(out, *pair ? member_text(*pair, "paper") : name);
	fputs("</bdi>", out);
	if (*pair) {
		fputs(": <bdi>", out);
		html_text(out, member_text(*pair, "ours"));
		fputs("</bdi>", out);
	}
	fputs("</th>", out);
}

static void write_overlap(FILE *out, const json_t *result)
{
	size_t i;
	json_t *program;

	fputs("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">program</th>"
	      "<th scope=\"col\">paper</th><th scope=\"col\">ours</th>"
	      "<th scope=\"col\">ours, with a full window</th></tr></thead>\n<tbody>\n",
	      out);
	json_array_foreach(judged(result), i, program)
	{
		const json_t *pair;

		fputs("<tr>", out);
		write_program(out, result, member_text(program, "name"), &pair);
		if (pair)
			write_percent(out, member_number(pair, "overlap"), 2);
		else
			fputs("<td></td>", out);
		write_percent(out, member_number(program, "overlap"), 2);
		write_percent(out, member_number(program, "overlap_full"), 2);
		fputs("</tr>\n", out);
	}
	fputs("</tbody>\n</table></div>\n", out);
}

static void write_machine(FILE *out, const json_t *result)
{
	size_t i;
	json_t *parameter;

	fputs("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">parameter</th>"
	      "<th scope=\"col\" class=\"left\">our name</th><th scope=\"col\">paper</th>"
	      "<th scope=\"col\">ours</th></tr></thead>\n<tbody>\n",
	      out);
	json_array_foreach(json_object_get(result, "machine"), i, parameter)
	{
		fputs("<tr><th scope=\"row\">", out);
		html_text(out, member_text(parameter, "what"));
		fputs("</th><td class=\"left\"><code>", out);
		html_text(out, member_text(parameter, "key"));
		fputs("</code></td><td>", out);
		html_text(out, member_text(parameter, "paper"));
		fputs("</td><td>", out);
		html_text(out, member_text(parameter, "ours"));
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody>\n</table></div>\n", out);
}

/* What a reader without scripts sees of figure 12; judge.js puts its own in its place. */
static void write_errors(FILE *out, const json_t *result)
{
	json_t *mean = json_object_get(json_object_get(json_object_get(result, "judge"), "summary"),
				       "mean_error");
	const char *method;
	json_t *value, *program;
	const json_t *pair;
	size_t i;

	fputs("<div id=\"errors\"><div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">"
	      "program</th>",
	      out);
	json_object_foreach(mean, method, value)
	{
		fputs("<th scope=\"col\">", out);
		html_text(out, method);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	json_array_foreach(judged(result), i, program)
	{
		fputs("<tr>", out);
		write_program(out, result, member_text(program, "name"), &pair);
		json_object_foreach(mean, method, value) write_percent(
			out,
			member_number(json_object_get(json_object_get(program, "methods"), method),
				      "max_error"),
			2);
		fputs("</tr>\n", out);
	}
	fputs("</tbody>\n<tfoot><tr><th scope=\"row\">mean</th>", out);
	json_object_foreach(mean, method, value) write_percent(out, json_number_value(value), 2);
	fputs("</tr></tfoot>\n</table></div></div>\n", out);
}

static void write_content(FILE *out, const json_t *result, const char *id)
{
	static const struct {
		const char *id;
		void (*write)(FILE *out, const json_t *result);
	} plain[] = {{"figure-1", write_example},
		     {"table-1", write_overlap},
		     {"table-2", write_machine},
		     {"figure-12", write_errors}};
	static const struct {
		const char *id;
		unsigned figure;
	} plots[] = {{"figure-2", 2},
		     {"figure-3", 3},
		     {"figure-5", 5},
		     {"figure-7", 7},
		     {"figure-8", 8}};

	for (size_t i = 0; i < ARRAY_COUNT(plain); i++)
		if (strcmp(plain[i].id, id) == 0) {
			plain[i].write(out, result);
			return;
		}
	for (size_t i = 0; i < ARRAY_COUNT(plots); i++)
		if (strcmp(plots[i].id, id) == 0) {
			write_plot(out, result, plots[i].figure);
			return;
		}
	fputs("<div class=\"slot\"></div>\n", out);
}

static void write_figures(FILE *out, const json_t *result)
{
	size_t i;
	json_t *figure;

	json_array_foreach(json_object_get(result, "figures"), i, figure)
	{
		const char *label = member_text(figure, "label");

		fputs("<section id=\"", out);
		html_text(out, member_text(figure, "id"));
		fputs("\" data-short=\"", out);
		html_text(out, label);
		fputs("\">\n<h2>", out);
		html_text(out, label);
		fputs(". ", out);
		html_text(out, member_text(figure, "title"));
		fputs("</h2>\n<p>", out);
		html_text(out, member_text(figure, "shows"));
		fputs("</p>\n", out);
		if (json_array_size(json_object_get(figure, "paper")))
			write_statements(out, figure);
		write_content(out, result, member_text(figure, "id"));
		fputs("</section>\n", out);
	}
}

static void write_clearing(FILE *out, const json_t *result)
{
	static const char *const names[] = {"older_lost", "younger_lost", "wrong_path_kept"};
	const json_t *clearing = json_object_get(result, "clearing");
	const json_t *programs = json_object_get(clearing, "programs");
	const json_t *unused;

	fputs("<section id=\"clearing\" data-short=\"Clearing\">\n<h2>What does clearing the sFMT "
	      "lose?</h2>\n<p>A mispredicted branch clears the shared table. Clearing at its "
	      "resolution loses older counts of the right path that no commit has added yet; "
	      "clearing at its commit, as published, loses counts of the right path made since "
	      "the resolution; and counts of wrong paths that a commit adds before they are "
	      "cleared stay. In cycles, percent of the run and percent of the simulated I-side "
	      "components.</p>\n<div class=\"scroll\"><table class=\"wide\">\n<thead><tr>"
	      "<th scope=\"col\">program</th><th scope=\"col\">older lost, at resolution</th>"
	      "<th scope=\"col\">of run</th><th scope=\"col\">of I-side</th>"
	      "<th scope=\"col\">younger lost, at commit</th><th scope=\"col\">of run</th>"
	      "<th scope=\"col\">of I-side</th><th scope=\"col\">wrong path kept</th>"
	      "<th scope=\"col\">of run</th><th scope=\"col\">of I-side</th></tr></thead>\n"
	      "<tbody>\n",
	      out);
	for (size_t i = 0; i <= json_array_size(programs); i++) {
		const json_t *program = i < json_array_size(programs)
						? json_array_get(programs, i)
						: json_object_get(clearing, "total");

		fputs("<tr>", out);
		write_program(out, result, member_text(program, "name"), &unused);
		for (size_t k = 0; k < ARRAY_COUNT(names); k++) {
			const json_t *loss = json_object_get(program, names[k]);

			fputs("<td>", out);
			html_integer(out, json_integer_value(json_object_get(loss, "cycles")));
			fputs("</td>", out);
			write_percent(out, member_number(loss, "of_run"), 2);
			if (json_is_number(json_object_get(loss, "of_iside")))
				write_percent(out, member_number(loss, "of_iside"), 1);
			else
				fputs("<td></td>", out);
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody>\n</table></div>\n<p><strong>", out);
	html_text(out, member_text(clearing, "answer"));
	fputs("</strong></p>\n</section>\n", out);
}

bool reproduce_page_write(FILE *out, const json_t *result, struct err *err)
{
	const struct page_asset scripts[] = {page_asset_common(), page_asset_charts(),
					     page_asset_reproduce_data(), page_asset_judge(),
					     page_asset_reproduce_figures()};

	if (!page_check_reproduce(result, err))
		return false;
	html_begin(out, "Eyerman et al. 2006, reproduced - cyclestack", scripts,
		   ARRAY_COUNT(scripts));
	write_heading(out, result);
	write_claims(out, result);
	write_figures(out, result);
	write_clearing(out, result);
	return html_end(out, result, scripts, ARRAY_COUNT(scripts), err);
}
