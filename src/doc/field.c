#include "doc/field.h"

#include <math.h>
#include <string.h>

#include "doc/markup.h"

#define LEAST_RANGE 1e-9
#define KEY_LINE    15
#define X_STEPS	    10

void field_make_wide(double low, double *high)
{
	if (!(*high - low > LEAST_RANGE))
		*high = low + 1;
}

double field_x(const struct field *field, double value)
{
	double part = (value - field->first) / (field->last - field->first);

	return field->left + (field->right - field->left) * part;
}

double field_y(const struct field *field, double value)
{
	double part = (value - field->low) / (field->high - field->low);

	return field->bottom - (field->bottom - field->top) * fmin(1, fmax(0, part));
}

double field_step(double range, unsigned most)
{
	double step = pow(10, floor(log10(range / most)));

	while (range / step > most)
		step *= range / (2 * step) <= most ? 2 : range / (5 * step) <= most ? 5 : 10;
	return step;
}

unsigned field_places(double step, enum doc_unit unit, unsigned least)
{
	double scale = unit == DOC_PERCENT || unit == DOC_CHANGE ? 100 : 1;

	return (unsigned)fmax(least, fmin(9, ceil(-log10(step * scale) - 0.001)));
}

void field_draw_y_axis(struct picture *picture, const struct field *field, unsigned steps,
		       enum doc_unit unit, unsigned places)
{
	double step = field_step(field->high - field->low, steps ? steps : 1);
	long first = lround(ceil(field->low / step - 0.001)),
	     last = lround(floor(field->high / step + 0.001));
	unsigned needed = field_places(step, unit, places);

	for (long i = first; i <= last; i++) {
		double value = (double)i * step, y = field_y(field, value);
		char text[MARKUP_VALUE_BYTES];

		/* Whole numbers of a unit without decimals are one apart at least. */
		enum doc_unit shown = needed && unit == DOC_COUNT ? DOC_NUMBER : unit;
		markup_value(text, shown, needed, false, value);
		picture_line(picture, field->left, y, field->right, y, PICTURE_GRID, 1, false);
		picture_text(picture, field->left - 6, y + 4, PICTURE_END, 11, PICTURE_MUTED, text);
	}
}

void field_draw_x_axis(struct picture *picture, const struct field *field, enum doc_unit unit,
		       const char *title)
{
	double step = field_step(field->last - field->first, X_STEPS);
	long first = lround(ceil(field->first / step - 0.001)),
	     last = lround(floor(field->last / step + 0.001));
	unsigned needed = field_places(step, unit, 0);

	for (long i = first; i <= last; i++) {
		double value = (double)i * step, x = field_x(field, value);
		char text[MARKUP_VALUE_BYTES];

		markup_value(text, unit, needed, false, value);
		picture_line(picture, x, field->bottom, x, field->bottom + 4, PICTURE_MUTED, 1,
			     false);
		picture_text(picture, x, field->bottom + 16, PICTURE_MIDDLE, 11, PICTURE_MUTED,
			     text);
	}
	if (title)
		picture_text(picture, field->right, field->bottom + 30, PICTURE_END, 11,
			     PICTURE_MUTED, title);
}

static void draw_key(struct picture *picture, double x, double y, const struct doc_series *series)
{
	if (series->style == DOC_AREA)
		picture_rect(picture, x, y - 9, 18, 10, series->colour);
	else if (series->style == DOC_POINTS)
		picture_rect(picture, x + 6, y - 6, 4, 4, series->colour);
	else
		picture_line(picture, x, y - 4, x + 18, y - 4, series->colour, 2,
			     series->style == DOC_DASHED);
	picture_text(picture, x + 23, y, PICTURE_START, 11, PICTURE_MUTED, series->name);
}

double field_draw_keys(struct picture *picture, const struct field *field, double y,
		       const struct doc_series *series, size_t count)
{
	double x = field->left, begin = y;

	for (size_t i = 0; i < count; i++) {
		if (!series[i].name || series[i].style == DOC_UNDRAWN)
			continue;
		double width = 40 + PICTURE_LETTER * (double)strlen(series[i].name);

		if (x > field->left && x + width > field->right) {
			x = field->left;
			y += KEY_LINE;
		}
		if (picture)
			draw_key(picture, x, y, &series[i]);
		x += width;
	}
	return y - begin;
}
