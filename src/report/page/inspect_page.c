#include "report/page/inspect_page.h"

#include <string.h>

#include "base/array.h"
#include "report/page/html.h"
#include "report/papers/content_html.h"
#include "report/papers/inspect_figures.h"
#include "value/layout.h"
#include "value/member.h"

static void write_heading(FILE *out, const json_t *result)
{
	const json_t *configuration = json_object_get(result, "configuration");

	fputs("<header class=\"top\">\n<p class=\"kicker\">cyclestack inspect</p>\n<h1>What the "
	      "events of <bdi>",
	      out);
	html_text(out,
		  configuration ? member_text(configuration, "name") : member_text(result, "on"));
	fputs("</bdi> count</h1>\n<p class=\"facts\">", out);
	html_integer(out, (json_int_t)json_array_size(json_object_get(result, "events")));
	fputs(" events <span class=\"muted\">judged from readings alone, after Danalis and others "
	      "(2017).</span></p>\n</header>\n<nav id=\"contents\"></nav>\n",
	      out);
}

static const char *list_words(struct content *content, const json_t *list)
{
	const char *words = "";
	const json_t *value;
	size_t i;

	json_array_foreach(list, i, value)
	{
		const char *comma = *words ? ", " : "";

		words = json_is_string(value) ? content_words(content, "%s%s%s", words, comma,
							      json_string_value(value))
					      : content_words(content, "%s%s%lld", words, comma,
							      (long long)json_integer_value(value));
	}
	return words;
}

static void write_machine(FILE *out, const json_t *machine)
{
	static const struct {
		const char *member, *name;
	} rows[] = {
		{"data_bytes", "caches of data, bytes"},
		{"instruction_bytes", "caches of instructions, bytes"},
		{"data_pages", "TLBs of data, pages"},
		{"instruction_pages", "TLBs of instructions, pages"},
	};
	struct content content;

	fputs("<section id=\"machine\" data-short=\"Machine\">\n<h2>Found on the way</h2>\n", out);
	content_init(&content);
	struct content_table *table = content_table(&content, NULL, "what");
	content_column_words(&content, table, "found");
	content_row(&content, table, "line, bytes");
	content_cell_words(
		&content, table,
		content_words(&content, "%lld", (long long)member_whole(machine, "line_bytes")));
	content_row(&content, table, "page, bytes");
	content_cell_words(
		&content, table,
		content_words(&content, "%lld", (long long)member_whole(machine, "page_bytes")));
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		content_row(&content, table, rows[i].name);
		content_cell_words(&content, table,
				   list_words(&content, json_object_get(machine, rows[i].member)));
	}
	content_html_write(out, &content);
	content_release(&content);
	fputs("</section>\n", out);
}

static void add_event_row(struct content *content, struct content_table *table, const json_t *event)
{
	const json_t *holds = json_object_get(event, "holds");

	content_row(content, table,
		    *member_text(event, "name")
			    ? member_text(event, "name")
			    : content_words(content, "%lld:%lld",
					    (long long)member_whole(event, "type"),
					    (long long)member_whole(event, "code")));
	content_cell_words(content, table, member_text(event, "verdict"));
	content_value(table, member_number(event, "confidence"));
	content_cell_words(content, table, list_words(content, json_object_get(event, "also")));
	content_cell_words(content, table,
			   !holds		 ? ""
			   : json_is_true(holds) ? "as its name says"
						 : "NOT as its name says");
}

static void write_events(FILE *out, const json_t *events)
{
	struct content content;
	const json_t *event;
	size_t i;

	fputs("<section id=\"events\" data-short=\"Events\">\n<h2>Verdicts</h2>\n", out);
	content_init(&content);
	struct content_table *table = content_table(&content, NULL, "event");
	content_column_words(&content, table, "counts");
	content_column(&content, table, "sure", CONTENT_NUMBER, 2);
	content_column_words(&content, table, "the same here as");
	content_column_words(&content, table, "name");
	json_array_foreach(events, i, event) add_event_row(&content, table, event);
	content_html_write(out, &content);
	content_release(&content);
	fputs("</section>\n", out);
}

static void write_figure(FILE *out, const struct inspect_figure *figure, const json_t *result)
{
	struct content content;

	fprintf(out, "<section id=\"%s\" data-short=\"%s\">\n<h2>", figure->id, figure->id);
	html_text(out, figure->title);
	fputs("</h2>\n", out);
	content_init(&content);
	figure->build(&content, result);
	content_html_write(out, &content);
	content_release(&content);
	fputs("</section>\n", out);
}

bool inspect_page_write(FILE *out, const json_t *result, struct err *err)
{
	const struct page_asset scripts[] = {page_asset_common()};

	if (!layout_check(result, &layout_inspect, err))
		return false;
	html_begin(out, "Events - cyclestack", scripts, ARRAY_COUNT(scripts));
	write_heading(out, result);
	write_machine(out, json_object_get(result, "machine"));
	write_events(out, json_object_get(result, "events"));
	for (const struct inspect_figure *figure = inspect_figures; figure->id; figure++)
		write_figure(out, figure, result);
	return html_end(out, result, scripts, ARRAY_COUNT(scripts), err);
}
