#include <math.h>
#include <string.h>

#include "doc/doc_svg.h"
#include "doc/doc_svg_parts.h"
#include "doc/field.h"
#include "doc/markup.h"
#include "doc/picture.h"

#define CELL	     8
#define ROW	     15
#define MOST_LABEL   44 /* characters */
#define LETTER	     6.7
#define CYCLE_STEP   10
#define LEAST_WIDTH  420
#define AXIS_HEIGHT  16
#define LEGEND_FIRST 14

struct chart {
	struct picture picture;
	const struct doc_pipeline *pipeline;
	double left, top;
	unsigned row;
};

static double cycle_x(const struct chart *chart, uint64_t cycle)
{
	return chart->left + CELL * (double)(cycle - chart->pipeline->from);
}

/* The first colour is grey, which pale rows and grids have. */
static struct doc_colour stage_colour(unsigned stage)
{
	return doc_method(stage + 1);
}

static void draw_span(struct chart *chart, const struct doc_lane *lane, const struct doc_span *span)
{
	const struct doc_pipeline *pipeline = chart->pipeline;
	uint64_t begin = span->begin > pipeline->from ? span->begin : pipeline->from;
	uint64_t end = span->end <= pipeline->to ? span->end : pipeline->to + 1;
	char words[64];

	if (begin >= end || span->stage >= pipeline->stage_count)
		return;
	snprintf(words, sizeof(words), "cycles %llu to %llu", (unsigned long long)span->begin,
		 (unsigned long long)(span->end > span->begin ? span->end - 1 : span->end));
	picture_rect_about(&chart->picture, cycle_x(chart, begin),
			   chart->top + ROW * (double)chart->row + 2, CELL * (double)(end - begin),
			   ROW - 3, stage_colour(span->stage), lane->label,
			   pipeline->stages[span->stage], words);
}

static void draw_label(struct chart *chart, const char *label)
{
	FILE *out = chart->picture.out;
	char text[MOST_LABEL + 1];

	snprintf(text, sizeof(text), "%s", label ? label : "");
	fputs("<text font-family=\"monospace\" font-size=\"11\"", out);
	picture_attribute(&chart->picture, "y", chart->top + ROW * (double)(chart->row + 1) - 4);
	fputs(" x=\"2\" class=\"lane\" xml:space=\"preserve\">", out);
	markup_text(out, text);
	fputs("</text>\n", out);
}

static void draw_lane(struct chart *chart, const struct doc_lane *lane)
{
	fputs(lane->is_pale ? "<g opacity=\"0.45\">\n" : "<g>\n", chart->picture.out);
	draw_label(chart, lane->label);
	for (size_t i = 0; i < lane->count; i++)
		draw_span(chart, lane, &lane->spans[i]);
	fputs("</g>\n", chart->picture.out);
	chart->row++;
}

static void draw_axis(struct chart *chart, double bottom)
{
	const struct doc_pipeline *pipeline = chart->pipeline;
	uint64_t first = (pipeline->from + CYCLE_STEP - 1) / CYCLE_STEP * CYCLE_STEP;

	picture_text(&chart->picture, 2, chart->top - 5, PICTURE_START, 11, PICTURE_MUTED, "cycle");
	for (uint64_t cycle = first; cycle <= pipeline->to; cycle += CYCLE_STEP) {
		double x = cycle_x(chart, cycle);
		char text[32];

		snprintf(text, sizeof(text), "%llu", (unsigned long long)cycle);
		picture_line(&chart->picture, x, chart->top, x, bottom, PICTURE_GRID, 1, false);
		/* Long numbers are as wide as two steps. */
		if (strlen(text) * PICTURE_LETTER < CYCLE_STEP * CELL ||
		    cycle / CYCLE_STEP % 2 == 0)
			picture_text(&chart->picture, x, chart->top - 5, PICTURE_MIDDLE, 11,
				     PICTURE_MUTED, text);
	}
}

/* The stages as series, for a legend; the legend's height is added to the chart's top. */
static void draw_legend(struct chart *chart, const struct field *field, bool is_measured)
{
	const struct doc_pipeline *pipeline = chart->pipeline;
	double y = LEGEND_FIRST;

	for (size_t i = 0; i < pipeline->stage_count; i += 8) {
		struct doc_series stages[8] = {0};
		size_t count = pipeline->stage_count - i < 8 ? pipeline->stage_count - i : 8;

		for (size_t k = 0; k < count; k++)
			stages[k] = (struct doc_series){.name = pipeline->labels[i + k],
							.colour = stage_colour((unsigned)(i + k))};
		y += 16 +
		     field_draw_keys(is_measured ? NULL : &chart->picture, field, y, stages, count);
	}
	chart->top = y + AXIS_HEIGHT;
}

void doc_svg_pipeline(FILE *out, const struct doc_pipeline *pipeline, bool is_page)
{
	struct chart chart = {.pipeline = pipeline};
	double longest = 0;

	for (size_t i = 0; i < pipeline->lane_count; i++) {
		const char *label = pipeline->lanes[i].label;

		longest = fmax(longest, label ? (double)strlen(label) : 0);
	}
	chart.left = 12 + LETTER * fmin(MOST_LABEL, longest);
	double cycles =
		pipeline->to >= pipeline->from ? (double)(pipeline->to - pipeline->from) + 1 : 0;
	double width = fmax(LEAST_WIDTH, chart.left + CELL * cycles + 12);
	struct field field = {.left = 4, .right = fmin(width, DOC_SVG_PAGE_WIDTH)};

	draw_legend(&chart, &field, true);
	double bottom = chart.top + ROW * (double)pipeline->lane_count + 4;
	picture_begin(&chart.picture, out, is_page, width, bottom + 4,
		      "A row for each instruction, a column for each cycle", NULL);
	draw_legend(&chart, &field, false);
	draw_axis(&chart, bottom);
	for (unsigned losses = 0; losses < 2; losses++)
		for (size_t i = 0; i < pipeline->lane_count; i++)
			if (pipeline->lanes[i].is_loss == losses)
				draw_lane(&chart, &pipeline->lanes[i]);
	picture_end(&chart.picture);
}
