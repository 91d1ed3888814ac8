#include "report/page/stat_page.h"

#include "report/file/file.h"
#include "report/page/html.h"
#include "report/page/svg.h"
#include "value/layout.h"
#include "value/member.h"

#define PLOT_WIDTH  720
#define PLOT_HEIGHT 60

/* The interval at which the epoch begins. */
static size_t first_interval(const json_t *intervals, int64_t epoch)
{
	size_t first = 0;

	while (first < json_array_size(intervals) &&
	       member_whole(json_array_get(intervals, first), "epoch") != epoch)
		first++;
	return first;
}

/* A step for each interval, as high as its count in a cycle. */
static void put_plot(FILE *out, const json_t *result, const json_t *counter)
{
	const json_t *intervals = json_object_get(result, "intervals");
	double cycles = member_number(json_object_get(result, "values"), "cycles"), most = 0;
	size_t first = first_interval(intervals, member_whole(counter, "epoch")), i;
	struct svg svg;
	json_t *count;

	json_array_foreach(json_object_get(counter, "intervals"), i, count)
	{
		double length = member_number(json_array_get(intervals, first + i), "cycles");
		double rate = length > 0 ? json_number_value(count) / length : 0;

		most = rate > most ? rate : most;
	}
	svg_begin(&svg, out, true, PLOT_WIDTH, PLOT_HEIGHT, member_text(counter, "signal"),
		  "its count in each interval, in a cycle");
	svg_line(&svg, 0, PLOT_HEIGHT - 1, PLOT_WIDTH, PLOT_HEIGHT - 1, SVG_THIRD, 0.5, false);
	svg_path_begin(&svg);
	json_array_foreach(json_object_get(counter, "intervals"), i, count)
	{
		const json_t *interval = json_array_get(intervals, first + i);
		double start = member_number(interval, "start");
		double length = member_number(interval, "cycles");
		double rate = length > 0 ? json_number_value(count) / length : 0;
		double y = PLOT_HEIGHT - 1 - (most > 0 ? rate / most * (PLOT_HEIGHT - 6) : 0);

		svg_path_point(&svg, start / cycles * PLOT_WIDTH, y);
		svg_path_point(&svg, (start + length) / cycles * PLOT_WIDTH, y);
	}
	svg_path_end(&svg, SVG_NONE, SVG_FIRST, 1, false);
	svg_end(&svg);
}

static void put_name(FILE *out, const json_t *item, const char *member)
{
	html_text(out, member_text(item, member));
	if (*member_text(item, "where")) {
		fputs(" @ ", out);
		html_text(out, member_text(item, "where"));
	}
}

static void put_counters(FILE *out, const json_t *result)
{
	json_t *counter;
	size_t i;

	json_array_foreach(json_object_get(result, "counters"), i, counter)
	{
		fputs("<section><h2>", out);
		put_name(out, counter, "signal");
		fputs("</h2>\n<p class=\"facts\">", out);
		if (json_is_true(json_object_get(counter, "saturated")))
			fputs("at least ", out);
		html_integer(out, member_whole(counter, "total"));
		fputs(" ", out);
		html_text(out, member_text(counter, "unit"));
		if (json_array_size(json_object_get(result, "epochs")) > 1)
			fprintf(out, ", epoch %lld", (long long)member_whole(counter, "epoch"));
		fputs("</p>\n<div class=\"scroll\">", out);
		put_plot(out, result, counter);
		fputs("</div></section>\n", out);
	}
}

static void put_derived(FILE *out, const json_t *result)
{
	const json_t *derived = json_object_get(result, "derived");
	json_t *item;
	size_t i;

	if (!json_array_size(derived))
		return;
	fputs("<section><h2>Derived values</h2>\n<table><thead><tr><th>value</th><th>formula</th>"
	      "<th>of the whole</th></tr></thead><tbody>\n",
	      out);
	json_array_foreach(derived, i, item)
	{
		fputs("<tr><td>", out);
		put_name(out, item, "name");
		fputs("</td><td>", out);
		html_text(out, member_text(item, "formula"));
		fputs("</td><td>", out);
		if (json_is_number(json_object_get(item, "value")))
			html_decimal(out, member_number(item, "value"), 4);
		else
			fputs("-", out);
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody></table></section>\n", out);
}

/* All intervals of an epoch: a row each, a column for each counter. */
static void put_epoch(FILE *out, const json_t *result, int64_t epoch)
{
	const json_t *intervals = json_object_get(result, "intervals");
	const json_t *counters = json_object_get(result, "counters");
	size_t first = first_interval(intervals, epoch), i;
	json_t *counter;

	fputs("<details><summary>All intervals", out);
	if (epoch)
		fprintf(out, " of epoch %lld", (long long)epoch);
	fputs("</summary><div class=\"scroll\"><table><thead><tr><th>cycle</th><th>cycles</th>",
	      out);
	json_array_foreach(counters, i, counter)
	{
		if (member_whole(counter, "epoch") != epoch)
			continue;
		fputs("<th>", out);
		put_name(out, counter, "signal");
		fputs("</th>", out);
	}
	fputs("</tr></thead><tbody>\n", out);
	for (size_t k = first; k < json_array_size(intervals) &&
			       member_whole(json_array_get(intervals, k), "epoch") == epoch;
	     k++) {
		const json_t *interval = json_array_get(intervals, k);

		fprintf(out, "<tr><td>%lld</td><td>%lld</td>",
			(long long)member_whole(interval, "start"),
			(long long)member_whole(interval, "cycles"));
		json_array_foreach(counters, i, counter)
		{
			if (member_whole(counter, "epoch") == epoch)
				fprintf(out, "<td>%lld</td>",
					(long long)json_integer_value(json_array_get(
						json_object_get(counter, "intervals"), k - first)));
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div></details>\n", out);
}

bool stat_page_write(FILE *out, const json_t *result, struct err *err)
{
	const json_t *values = json_object_get(result, "values");

	if (!layout_check(result, &layout_stat, err))
		return false;
	html_begin(out, "statistics - cyclestack", NULL, 0);
	fputs("<header class=\"top\">\n<p class=\"kicker\">cyclestack stat</p>\n<h1>", out);
	html_text(out, member_text(json_object_get(result, "program"), "name"));
	fputs(" on ", out);
	html_text(out, member_text(json_object_get(result, "configuration"), "name"));
	fputs("</h1>\n<p class=\"facts\">", out);
	html_integer(out, member_whole(values, "cycles"));
	fputs(" cycles, ", out);
	html_integer(out, member_whole(values, "instructions"));
	fprintf(out, " instructions, %zu intervals</p>\n</header>\n",
		json_array_size(json_object_get(result, "intervals")));
	put_counters(out, result);
	put_derived(out, result);
	for (size_t i = 0; i < json_array_size(json_object_get(result, "epochs")); i++)
		put_epoch(out, result, (int64_t)i);
	fputs("</main>\n</body>\n</html>\n", out);
	return report_finish(out, "the page", err);
}
