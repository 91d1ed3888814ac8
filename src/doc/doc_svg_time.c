#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "doc/doc_svg_parts.h"
#include "doc/field.h"

#define LONG_ENOUGH 0.9 /* of the longest step: shorter ones do not set the axis */

static double positive(double value)
{
	return value > 0 ? value : 0;
}

/* Fills in the heights: per unit of weight, or shares of the whole. */
static void fill_step(const struct doc_drawing *drawing, struct doc_step *step)
{
	double weight = step->to - step->from, whole = 0;

	for (size_t i = 0; i < step->count; i++)
		for (size_t k = 0; k < drawing->series_count; k++) {
			double value = positive(drawing->groups[step->first + i].values[k]);

			step->values[k] += value;
			whole += value;
		}
	double by = drawing->unit == DOC_PERCENT ? whole : weight;
	for (size_t k = 0; k < drawing->series_count; k++)
		step->values[k] = by > 0 ? step->values[k] / by : 0;
}

struct doc_step *doc_svg_steps(const struct doc_drawing *drawing, size_t *count)
{
	size_t each = (drawing->weight_count + DOC_SVG_MOST_STEPS - 1) / DOC_SVG_MOST_STEPS;
	size_t steps = each ? (drawing->weight_count + each - 1) / each : 0;
	size_t bytes = steps * sizeof(struct doc_step);
	/* The values are behind the steps, in the same block. */
	struct doc_step *list =
		mem_alloc(bytes + steps * drawing->series_count * sizeof(double) + 1);
	double *values = (double *)(void *)((char *)list + bytes), at = 0;

	for (size_t i = 0; i < steps; i++) {
		struct doc_step *step = &list[i];

		step->first = i * each;
		step->count = step->first + each <= drawing->weight_count
				      ? each
				      : drawing->weight_count - step->first;
		step->values = values + i * drawing->series_count;
		step->from = at;
		for (size_t k = 0; k < step->count; k++)
			at += positive(drawing->weights[step->first + k]);
		step->to = at;
		fill_step(drawing, step);
	}
	*count = steps;
	return list;
}

static double height_of(const struct doc_drawing *drawing, const struct doc_step *step)
{
	double sum = 0;

	for (size_t k = 0; k < drawing->series_count; k++)
		sum += step->values[k];
	return sum;
}

/* What is left at the end of a run is a step too, and of few instructions: it is cut at the top
 * where its quotient is higher than those of all others. */
static double highest(const struct doc_drawing *drawing, const struct doc_step *steps, size_t count)
{
	double longest = 0, high = 0;

	for (size_t i = 0; i < count; i++)
		longest = fmax(longest, steps[i].to - steps[i].from);
	for (size_t i = 0; i < count; i++)
		if (steps[i].to - steps[i].from >= LONG_ENOUGH * longest)
			high = fmax(high, height_of(drawing, &steps[i]));
	return high;
}

/* The area of one series: along its upper edges, then back along its lower ones. */
static void draw_series(struct picture *picture, const struct field *field,
			const struct doc_step *steps, size_t count, size_t series,
			struct doc_colour colour)
{
	picture_path_begin(picture);
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t n = 0; n < count; n++) {
			const struct doc_step *step = &steps[pass ? count - 1 - n : n];
			double sum = 0;

			for (size_t k = 0; k < series + !pass; k++)
				sum += step->values[k];
			double y = field_y(field, sum);
			picture_path_point(picture, field_x(field, pass ? step->to : step->from),
					   y);
			picture_path_point(picture, field_x(field, pass ? step->from : step->to),
					   y);
		}
	picture_path_end(picture, colour, PICTURE_NONE, 0, false);
}

static bool is_seen(const struct doc_step *steps, size_t count, size_t series)
{
	for (size_t i = 0; i < count; i++)
		if (steps[i].values[series] > 0)
			return true;
	return false;
}

void doc_svg_over_time(FILE *out, const struct doc_drawing *drawing, bool is_page)
{
	double width = is_page ? DOC_SVG_PAGE_WIDTH : DOC_SVG_WIDTH;
	struct field field = {DOC_SVG_LEFT, width - DOC_SVG_RIGHT, 12, 222, 0, 0, 0, 0};
	struct picture picture;
	size_t count;
	struct doc_step *steps = doc_svg_steps(drawing, &count);

	field.high = highest(drawing, steps, count);
	field_make_wide(0, &field.high);
	field.last = count ? steps[count - 1].to : 0;
	field_make_wide(0, &field.last);
	if (!is_page)
		field.top += 24 + field_draw_keys(NULL, &field, 0, drawing->series,
						  drawing->series_count);
	field.bottom = field.top + 210;
	picture_begin(&picture, out, is_page, width, field.bottom + 38, drawing->title,
		      drawing->description);
	if (!is_page)
		field_draw_keys(&picture, &field, 16, drawing->series, drawing->series_count);
	field_draw_y_axis(&picture, &field, 5, drawing->unit, 0);
	for (size_t k = 0; k < drawing->series_count; k++)
		if (is_seen(steps, count, k))
			draw_series(&picture, &field, steps, count, k, drawing->series[k].colour);
	field_draw_x_axis(&picture, &field, DOC_NUMBER, drawing->x_title);
	picture_end(&picture);
	free(steps);
}
