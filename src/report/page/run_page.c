#include "report/page/run_page.h"

#include "base/array.h"
#include "report/page/html.h"
#include "report/page/names.h"
#include "report/papers/content.h"
#include "report/text/verdict.h"
#include "report/text/what_if_text.h"
#include "value/member.h"
#include "value/profile.h"

/* The data that the parts of the static page are written from. */
struct run {
	FILE *out;
	const json_t *result;
	const struct profile *profile;
	double cycles, instructions;
};

static double ratio(double part, double whole)
{
	return whole != 0 ? part / whole : 0;
}

/* Cycles of the exact stack. */
static double part(const struct run *run, int component)
{
	return (double)run->profile->methods[0].stack.cycles[component];
}

static const char *text_of(const json_t *object, const char *member, const char *name)
{
	return member_text(json_object_get(object, member), name);
}

static void write_tile(FILE *out, const char *label, double value, unsigned places)
{
	fprintf(out, "<div class=\"tile\"><dt>%s</dt><dd>", label);
	html_decimal(out, value, places);
	fputs("</dd></div>\n", out);
}

static void write_heading(const struct run *run)
{
	FILE *out = run->out;
	const json_t *configuration = json_object_get(run->result, "configuration");
	const json_t *changes = json_object_get(configuration, "changes");
	const json_t *arguments =
		json_object_get(json_object_get(run->result, "program"), "arguments");
	size_t i;
	json_t *item;

	fputs("<header class=\"top\">\n<p class=\"kicker\">cyclestack run</p>\n<h1><bdi>", out);
	html_text(out, text_of(run->result, "program", "name"));
	fputs("</bdi> <span class=\"on\">on</span> <bdi>", out);
	html_text(out, text_of(run->result, "configuration", "name"));
	fputs("</bdi></h1>\n", out);
	if (json_array_size(arguments) || json_array_size(changes) ||
	    json_is_true(json_object_get(run->result, "partial"))) {
		fputs("<p class=\"facts\">", out);
		if (json_is_true(json_object_get(run->result, "partial")))
			fputs("<span class=\"badge warn\">partial: a limit ended the run</span> ",
			      out);
		json_array_foreach(changes, i, item)
		{
			fputs("<code class=\"badge\">", out);
			html_text(out, json_string_value(item));
			fputs("</code> ", out);
		}
		if (json_array_size(arguments))
			fputs("<span class=\"muted\">arguments</span>", out);
		json_array_foreach(arguments, i, item)
		{
			fputs(" <code>", out);
			html_text(out, json_string_value(item));
			fputs("</code>", out);
		}
		fputs("</p>\n", out);
	}
	fputs("<dl class=\"tiles\">\n", out);
	write_tile(out, "cycles", run->cycles, 0);
	write_tile(out, "instructions", run->instructions, 0);
	write_tile(out, "cycles per instruction", ratio(run->cycles, run->instructions), 3);
	write_tile(out, "instructions per cycle", ratio(run->instructions, run->cycles), 3);
	fputs("</dl>\n</header>\n", out);
}

static void write_verdict(const struct run *run)
{
	static const struct verdict_marks marks = {"<strong>", "</strong>", "<i class=\"swatch ",
						   "\"></i>"};

	fputs("<p class=\"verdict\">", run->out);
	verdict_write(run->out, run->profile, &marks);
	fputs("</p>\n", run->out);
}

/* One bar over the whole width; the exact stack has no negative component. */
static void write_bar(const struct run *run)
{
	FILE *out = run->out;
	double left = 0;

	fputs("<svg class=\"bar main\" role=\"img\" aria-label=\"stack of the whole run; the "
	      "table below has its values\">\n",
	      out);
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		const char *name = component_rows[i].name;
		double share = 100 * ratio(part(run, i), run->cycles);

		if (share <= 0)
			continue;
		fprintf(out, "<rect class=\"%s\" data-component=\"%s\" height=\"100%%\" x=\"", name,
			name);
		html_decimal(out, left, 3);
		fputs("%\" width=\"", out);
		html_decimal(out, share, 3);
		fputs("%\"/>\n", out);
		/* Whether a word fits depends on the reader's width: this threshold is a cautious
		 * guess. */
		if (share >= 9) {
			fprintf(out,
				"<text class=\"on-%s\" dominant-baseline=\"central\" y=\"50%%\" x=\"",
				name);
			html_decimal(out, left + share / 2, 3);
			fprintf(out, "%%\">%s</text>\n", name);
		}
		left += share;
	}
	fputs("</svg>\n", out);
}

static void write_row(const struct run *run, const char *fill, const char *name,
		      const char *meaning, double cycles, bool is_part)
{
	FILE *out = run->out;

	fprintf(out,
		"<tr%s><th scope=\"row\"><i class=\"swatch %s\"></i>%s</th><td class=\"about\">",
		is_part ? " class=\"part\"" : "", fill, name);
	html_text(out, meaning);
	fputs("</td><td class=\"share\">", out);
	if (!is_part && cycles > 0) {
		fprintf(out,
			"<svg class=\"bar\" aria-hidden=\"true\"><rect class=\"%s\" height=\"100%%\" width=\"",
			fill);
		html_decimal(out, 100 * ratio(cycles, run->cycles), 2);
		fputs("%\"/></svg>", out);
	}
	fputs("</td><td>", out);
	html_decimal(out, 100 * ratio(cycles, run->cycles), 2);
	fputs(" %</td><td>", out);
	html_decimal(out, cycles, 0);
	fputs("</td><td>", out);
	html_decimal(out, ratio(cycles, run->instructions), 4);
	fputs("</td></tr>\n", out);
}

/* Writes the causes of a component that has more than one. */
static void write_causes(const struct run *run, int component)
{
	const struct profile *profile = run->profile;

	for (unsigned pass = 0, count = 0; pass < 2; pass++) {
		for (int i = 0; i < CAUSE_COUNT; i++) {
			int64_t slots = profile->slots.causes[i];

			if (slots == 0 ||
			    (int)cause_component(profile->levels, (enum cause)i) != component)
				continue;
			if (pass == 0)
				count++;
			else if (count > 1)
				write_row(run, component_rows[component].name, cause_rows[i].name,
					  cause_rows[i].meaning, profile_cycles(profile, slots),
					  true);
		}
	}
}

static void write_table(const struct run *run)
{
	FILE *out = run->out;

	fputs("<div class=\"scroll\"><table class=\"stack\">\n<thead><tr><th scope=\"col\">component"
	      "</th><th scope=\"col\" class=\"about\"></th><th class=\"share\"></th>"
	      "<th scope=\"col\">share</th><th scope=\"col\">cycles</th><th scope=\"col\">CPI</th>"
	      "</tr></thead>\n<tbody>\n",
	      out);
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		const struct component_row *row = &component_rows[i];

		if (!run->profile->methods[0].has[i])
			continue;
		write_row(run, row->name, row->name, row->meaning, part(run, i), false);
		write_causes(run, i);
	}
	fputs("</tbody>\n<tfoot><tr><th scope=\"row\">total</th><td class=\"about\"></td>"
	      "<td class=\"share\"></td><td>100 %</td><td>",
	      out);
	html_decimal(out, run->cycles, 0);
	fputs("</td><td>", out);
	html_decimal(out, ratio(run->cycles, run->instructions), 4);
	fputs("</td></tr></tfoot>\n</table></div>\n", out);
}

/* What the run would have taken on other machines. */
static void write_what_if(const struct run *run)
{
	const json_t *answers = json_object_get(run->result, "what_if");
	FILE *out = run->out;
	json_t *answer, *change;
	size_t i, k;

	if (!json_array_size(answers))
		return;
	fputs("<section id=\"what-if\">\n<h2>What if</h2>\n<p class=\"note\">" WHAT_IF_NOTE
	      "</p>\n<div class=\"scroll\"><table class=\"stack\">\n<thead><tr>"
	      "<th scope=\"col\">change</th><th scope=\"col\">cycles</th><th scope=\"col\">CPI</th>"
	      "<th scope=\"col\">gain</th><th scope=\"col\">mean error</th>"
	      "<th scope=\"col\">largest error</th></tr></thead>\n<tbody>\n",
	      out);
	json_array_foreach(answers, i, answer)
	{
		const double cycles = member_number(answer, "cycles");
		const char *const shares[] = {"gain", "mean_error", "largest_error"};

		fputs("<tr><th scope=\"row\">", out);
		json_array_foreach(json_object_get(answer, "changes"), k, change)
		{
			fputs(k ? ", " : "", out);
			html_text(out, json_string_value(change));
		}
		fputs("</th><td>", out);
		html_decimal(out, cycles, 0);
		fputs("</td><td>", out);
		html_decimal(out, ratio(cycles, run->instructions), 4);
		for (k = 0; k < ARRAY_COUNT(shares); k++) {
			fputs("</td><td>", out);
			html_decimal(out, 100 * member_number(answer, shares[k]), 2);
			fputs(" %", out);
		}
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody>\n</table></div>\n</section>\n", out);
}

static bool write_run(const struct run *run, struct err *err)
{
	const struct page_asset scripts[] = {page_asset_common(), page_asset_charts(),
					     page_asset_functions(), page_asset_run()};
	FILE *out = run->out;
	struct content words;

	content_init(&words);
	html_begin(out,
		   content_words(&words, "%s on %s - cyclestack", run->profile->program,
				 text_of(run->result, "configuration", "name")),
		   scripts, ARRAY_COUNT(scripts));
	content_release(&words);
	write_heading(run);
	fputs("<nav id=\"contents\"></nav>\n<section id=\"stack\">\n<h2>Where the cycles went</h2>\n",
	      out);
	write_verdict(run);
	write_bar(run);
	write_table(run);
	fputs("</section>\n", out);
	write_what_if(run);
	json_t *causes = page_causes(run->profile->levels);
	bool ok = html_json(out, "causes", causes) ||
		  err_set(err, "the result cannot be written as JSON");
	json_decref(causes);
	return ok && html_end(out, run->result, scripts, ARRAY_COUNT(scripts), err);
}

bool page_write(FILE *out, const json_t *result, struct err *err)
{
	struct profile profile;

	if (!profile_read(&profile, result, err))
		return false;
	const struct run run = {
		.out = out,
		.result = result,
		.profile = &profile,
		.cycles = (double)profile.cycles,
		.instructions = (double)profile.instructions,
	};
	bool ok = write_run(&run, err);
	profile_release(&profile);
	return ok;
}
