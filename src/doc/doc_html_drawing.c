#include "doc/doc_html_drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "doc/doc_svg.h"
#include "doc/doc_svg_parts.h"
#include "doc/field.h"
#include "doc/markup.h"

#define BAR_PIXELS    950 /* about the width of a bar in a window of usual size */
#define LETTER_PIXELS 7.2
#define AXIS_STEPS    5

void doc_html_key(FILE *out, struct doc_colour colour, const char *name, const char *about)
{
	fputs("<span", out);
	markup_attribute(out, "title", about);
	fprintf(out, "><i class=\"swatch %s\"></i>", doc_colour_class(colour));
	markup_text(out, name);
	fputs("</span>\n", out);
}

/* A group's values are absent where they are not a number. */
static bool is_used(const struct doc_drawing *drawing, size_t series)
{
	for (size_t i = 0; i < drawing->group_count; i++) {
		double value = drawing->groups[i].values[series];

		if (!isnan(value) && value != 0)
			return true;
	}
	return false;
}

/* The legend of a drawing whose series the reader may hide has the number of each. */
static void put_legend(FILE *out, const struct doc_drawing *drawing)
{
	fputs(drawing->can_hide ? "<div class=\"legend\" data-hide>\n" : "<div class=\"legend\">\n",
	      out);
	for (size_t i = 0; i < drawing->series_count; i++) {
		const struct doc_series *series = &drawing->series[i];

		if (!series->name || !(drawing->can_hide || is_used(drawing, i)))
			continue;
		if (!drawing->can_hide) {
			doc_html_key(out, series->colour, series->name, series->about);
			continue;
		}
		fprintf(out, "<span data-series=\"%zu\"", i);
		markup_attribute(out, "title", series->about);
		fprintf(out, "><i class=\"swatch %s\"></i>", doc_colour_class(series->colour));
		markup_text(out, series->name);
		fputs("</span>\n", out);
	}
	fputs("</div>\n", out);
}

/* Values for who points at a plot. */

static void put_number(FILE *out, const char *name, double value)
{
	fprintf(out, "&quot;%s&quot;:", name);
	markup_number(out, value);
	fputc(',', out);
}

static void put_string(FILE *out, const char *name, const char *text)
{
	if (!text)
		return;
	fprintf(out, "&quot;%s&quot;:", name);
	markup_json(out, text);
	fputc(',', out);
}

static void put_numbers(FILE *out, const double *values, size_t count)
{
	fputc('[', out);
	for (size_t i = 0; values && i < count; i++) {
		if (i)
			fputc(',', out);
		markup_number(out, values[i]);
	}
	fputc(']', out);
}

static void put_ranges(FILE *out, double width, double first, double last)
{
	put_number(out, "width", width);
	put_number(out, "left", DOC_SVG_LEFT);
	put_number(out, "right", width - DOC_SVG_RIGHT);
	put_number(out, "first", first);
	put_number(out, "last", last);
}

static void put_plot_values(FILE *out, const struct doc_drawing *drawing)
{
	const char *between = "";
	double first, last;

	doc_svg_plot_range(drawing, &first, &last);
	fputs(" data-values=\"{", out);
	put_ranges(out, DOC_SVG_WIDTH, first, last);
	put_string(out, "name", drawing->x_name ? drawing->x_name : "");
	put_string(out, "shown", drawing->shown);
	put_string(out, "other", drawing->other);
	put_number(out, "places", drawing->places);
	if (drawing->xs) {
		fputs("&quot;xs&quot;:", out);
		put_numbers(out, drawing->xs, drawing->x_count);
		fputc(',', out);
	}
	fputs("&quot;series&quot;:[", out);
	for (size_t i = 0; i < drawing->panel_count; i++)
		for (size_t k = 0; k < drawing->panels[i].series_count; k++) {
			const struct doc_series *series = &drawing->panels[i].series[k];

			if (!series->words)
				continue;
			fprintf(out, "%s[&quot;%s&quot;,", between,
				doc_colour_class(series->colour));
			markup_json(out, series->words);
			fputc(',', out);
			put_numbers(out, series->values, series->value_count);
			fputc(',', out);
			put_numbers(out, series->others, series->value_count);
			fputc(']', out);
			between = ",";
		}
	fputs("]}\"", out);
}

/* The name of a step is that of its first group, and of its last if it has several. */
static void put_title(FILE *out, const struct doc_drawing *drawing, const struct doc_step *step)
{
	const char *first = drawing->groups[step->first].name,
		   *last = drawing->groups[step->first + step->count - 1].name;
	if (step->count == 1 || !first || !last) {
		markup_json(out, first);
		return;
	}
	char *words = mem_format("%s ... %s", first, last);

	markup_json(out, words);
	free(words);
}

static void put_time_values(FILE *out, const struct doc_drawing *drawing)
{
	size_t count;
	struct doc_step *steps = doc_svg_steps(drawing, &count);

	fputs(" data-values=\"{", out);
	put_ranges(out, DOC_SVG_PAGE_WIDTH, 0, count ? steps[count - 1].to : 1);
	put_number(out, "places", drawing->places ? drawing->places : 3);
	put_number(out, "percent", drawing->unit == DOC_PERCENT);
	fputs("&quot;sum&quot;:1,&quot;titles&quot;:[", out);
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc(',', out);
		put_title(out, drawing, &steps[i]);
	}
	fputs("],&quot;ends&quot;:[", out);
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc(',', out);
		markup_number(out, steps[i].to);
	}
	fputs("],&quot;series&quot;:[", out);
	for (size_t k = 0; k < drawing->series_count; k++) {
		fprintf(out, "%s[&quot;%s&quot;,", k ? "," : "",
			doc_colour_class(drawing->series[k].colour));
		markup_json(out, drawing->series[k].name);
		fputs(",[", out);
		for (size_t i = 0; i < count; i++) {
			if (i)
				fputc(',', out);
			markup_number(out, steps[i].values[k]);
		}
		fputs("],[]]", out);
	}
	fputs("]}\"", out);
	free(steps);
}

/* Lying stacks: a label, a bar as wide as there is room, and a word. */
struct lying {
	const struct doc_drawing *drawing;
	double low, high;
};

static double share_of(const struct lying *lying, double value)
{
	return (value - lying->low) / (lying->high - lying->low);
}

static void put_share(FILE *out, const char *name, double share)
{
	fprintf(out, " %s=\"", name);
	markup_length(out, 100 * share);
	fputs("%\"", out);
}

/* A word in the bar; the script shows it, or its short form, where there is room for it. */
static void put_word(FILE *out, const struct doc_series *series, double from, double share,
		     const char *value)
{
	const char *name = series->name ? series->name : "";
	double room = BAR_PIXELS * share - 6;
	bool fits = room >= LETTER_PIXELS * (double)(strlen(name) + strlen(value) + 1);
	bool name_fits = room >= LETTER_PIXELS * (double)strlen(name);

	fprintf(out, "<text class=\"on-%s\" y=\"50%%\" dominant-baseline=\"central\"",
		doc_colour_class(series->colour));
	put_share(out, "x", from + share / 2);
	fputs(" data-share=\"", out);
	markup_number(out, share);
	fputc('"', out);
	markup_attribute(out, "data-short", name);
	fputs(" data-long=\"", out);
	markup_text(out, name);
	fprintf(out, " %s\"%s>", value, name_fits ? "" : " display=\"none\"");
	markup_text(out, name);
	if (fits)
		fprintf(out, " %s", value);
	fputs("</text>", out);
}

static void put_part(FILE *out, const struct lying *lying, const struct doc_series *series,
		     double from, double to)
{
	const struct doc_drawing *drawing = lying->drawing;
	double left = share_of(lying, fmin(from, to)), right = share_of(lying, fmax(from, to));
	char value[MARKUP_VALUE_BYTES];

	fprintf(out, "<rect class=\"%s\" height=\"100%%\"", doc_colour_class(series->colour));
	put_share(out, "x", left);
	put_share(out, "width", right - left);
	markup_attribute(out, "data-part", series->name);
	fputs("/>", out);
	if (drawing->is_main || drawing->has_axis) {
		markup_value(value, drawing->unit, drawing->places, false, to - from);
		put_word(out, series, left, right - left, value);
	}
}

/* A line of the words that a reader sees who points at a bar. */
static void put_tip(FILE *out, const struct doc_drawing *drawing, const struct doc_group *group)
{
	fputs(" data-tip=\"", out);
	markup_text(out, group->name);
	for (size_t i = 0; i < drawing->series_count; i++) {
		double part = group->values[i];
		char value[MARKUP_VALUE_BYTES];

		if (isnan(part) || part == 0)
			continue;
		fprintf(out, "&#10;%s&#9;", doc_colour_class(drawing->series[i].colour));
		markup_text(out, drawing->series[i].name);
		fprintf(out, "&#9;%s",
			markup_value(value, drawing->unit, drawing->places, false, part));
	}
	fputc('"', out);
}

static void put_upright(FILE *out, const struct lying *lying, const char *class, double value)
{
	fprintf(out, "<line class=\"%s\" y1=\"-15%%\" y2=\"115%%\"", class);
	put_share(out, "x1", share_of(lying, value));
	put_share(out, "x2", share_of(lying, value));
	fputs("/>", out);
}

static void put_bar(FILE *out, const struct lying *lying, const struct doc_group *group)
{
	const struct doc_drawing *drawing = lying->drawing;
	double right = 0, left = 0;

	fprintf(out, "<svg class=\"bar %s\" role=\"img\"",
		drawing->is_main    ? "main"
		: drawing->has_axis ? "middle"
				    : "small");
	markup_attribute(out, "aria-label", group->name);
	put_tip(out, drawing, group);
	fputc('>', out);
	for (size_t i = 0; i < drawing->series_count; i++) {
		double part = group->values[i], *from = part > 0 ? &right : &left;

		if (isnan(part) || part == 0)
			continue;
		put_part(out, lying, &drawing->series[i], *from, *from + part);
		*from += part;
	}
	if (lying->low < 0)
		put_upright(out, lying, "zero", 0);
	if (drawing->limit > 0 && drawing->limit < lying->high)
		put_upright(out, lying, "limit", drawing->limit);
	fputs("</svg>\n", out);
}

static void put_group(FILE *out, const struct lying *lying, const struct doc_group *group)
{
	if (!lying->drawing->is_main) {
		fprintf(out, "<div class=\"label%s\"", group->is_total ? " truth" : "");
		markup_attribute(out, "title", group->name);
		markup_attribute(out, "data-key", group->key);
		fputc('>', out);
		markup_text(out, group->name);
		if (group->about) {
			fputs("<small>", out);
			markup_text(out, group->about);
			fputs("</small>", out);
		}
		fputs("</div>\n", out);
	}
	put_bar(out, lying, group);
	if (!lying->drawing->is_main) {
		fprintf(out, "<div class=\"beside%s\">", group->is_marked ? " over" : "");
		markup_text(out, group->beside);
		fputs("</div>\n", out);
	}
}

static void put_axis(FILE *out, const struct lying *lying)
{
	const struct doc_drawing *drawing = lying->drawing;
	double step = field_step(lying->high - lying->low, AXIS_STEPS);
	long first = lround(ceil(lying->low / step - 0.001)),
	     last = lround(floor(lying->high / step + 0.001));
	unsigned places = field_places(step, drawing->unit, 0);

	fputs("<div></div><svg class=\"axis\" aria-hidden=\"true\">", out);
	for (long i = first; i <= last; i++) {
		double value = (double)i * step, share = share_of(lying, value);
		char text[MARKUP_VALUE_BYTES];

		fputs("<line y1=\"0\" y2=\"5\"", out);
		put_share(out, "x1", share);
		put_share(out, "x2", share);
		fputs("/><text y=\"17\"", out);
		put_share(out, "x", share);
		fprintf(out, ">%s</text>", markup_value(text, drawing->unit, places, false, value));
	}
	fputs("</svg><div></div>\n", out);
}

static void put_lying(FILE *out, const struct doc_drawing *drawing)
{
	struct lying lying = {.drawing = drawing};

	for (size_t i = 0; i < drawing->group_count; i++)
		doc_svg_range(drawing, &drawing->groups[i], &lying.low, &lying.high);
	/* What is beyond the end of the axis is cut. */
	if (drawing->top > 0) {
		lying.high = fmin(lying.high, drawing->top);
		lying.low = fmax(lying.low, -drawing->top);
	}
	field_make_wide(lying.low, &lying.high);
	fputs(drawing->is_main ? "<div class=\"mainbar\">\n" : "<div class=\"bars\">\n", out);
	for (size_t i = 0; i < drawing->group_count; i++)
		put_group(out, &lying, &drawing->groups[i]);
	if (drawing->has_axis)
		put_axis(out, &lying);
	fputs("</div>\n", out);
}

/* Stacks and steps have their legend outside the picture; plots have it inside. */
static bool has_legend(const struct doc_drawing *drawing)
{
	if (drawing->kind == DOC_STACKS) {
		for (size_t i = 0; i < drawing->group_count; i++)
			if (drawing->groups[i].is_labelled)
				return false;
		return true;
	}
	return drawing->kind == DOC_BARS || drawing->kind == DOC_OVER_TIME;
}

static bool has_words(const struct doc_drawing *drawing)
{
	for (size_t i = 0; i < drawing->panel_count; i++)
		for (size_t k = 0; k < drawing->panels[i].series_count; k++)
			if (drawing->panels[i].series[k].words)
				return true;
	return false;
}

void doc_html_drawing(FILE *out, const struct doc_drawing *drawing)
{
	bool is_pointed =
		drawing->kind == DOC_OVER_TIME || (drawing->kind == DOC_PLOT && has_words(drawing));

	fputs("<figure>\n", out);
	if (drawing->heading && drawing->kind != DOC_STACKS) {
		fputs("<figcaption>", out);
		markup_text(out, drawing->heading);
		fputs("</figcaption>\n", out);
	}
	if (has_legend(drawing))
		put_legend(out, drawing);
	if (drawing->kind == DOC_LYING) {
		put_lying(out, drawing);
	} else {
		fputs("<div class=\"scroll", out);
		if (is_pointed)
			fputs(" values\" tabindex=\"0\" role=\"group", out);
		fputc('"', out);
		if (is_pointed)
			markup_attribute(out, "aria-label", drawing->title);
		if (drawing->kind == DOC_OVER_TIME)
			put_time_values(out, drawing);
		else if (is_pointed)
			put_plot_values(out, drawing);
		fputc('>', out);
		doc_svg_drawing(out, drawing, true);
		fputs("</div>\n", out);
	}
	fputs("</figure>\n", out);
}

static void begin_figure(FILE *out, const struct doc_block *block, const char *class)
{
	fputs("<figure", out);
	markup_attribute(out, "class", class);
	markup_attribute(out, "id", block->id);
	fputs("><div class=\"scroll\">", out);
}

void doc_html_flame(FILE *out, const struct doc_block *block)
{
	begin_figure(out, block, "flame");
	doc_svg_flame(out, block->flame, true);
	fputs("</div></figure>\n", out);
}

void doc_html_pipeline(FILE *out, const struct doc_block *block)
{
	begin_figure(out, block, NULL);
	doc_svg_pipeline(out, block->pipeline, true);
	fputs("</div></figure>\n", out);
}
