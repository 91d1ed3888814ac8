/*
 * field.h - the area of a drawing inside its axes: from values to pixels, and the axes themselves.
 *
 * Values beyond the y axis are drawn at its end. A range that is empty is made 1 wide, so that it
 * can be a divisor.
 */
#ifndef DOC_FIELD_H
#define DOC_FIELD_H

#include "doc/doc.h"
#include "doc/picture.h"

struct field {
	double left, right, top, bottom; /* in pixels */
	double low, high;		 /* range of the y axis */
	double first, last;		 /* range of the x axis */
};

void field_make_wide(double low, double *high);
double field_x(const struct field *field, double value);
double field_y(const struct field *field, double value);
/* The smallest of 1, 2 and 5 times a power of ten that gives at most so many steps. */
double field_step(double range, unsigned most);
/* The decimals that steps need to look different, and no less than `least`. */
unsigned field_places(double step, enum doc_unit unit, unsigned least);

/* Numbers have as many decimals as `places`, and more if steps would look equal. */
void field_draw_y_axis(struct picture *picture, const struct field *field, unsigned steps,
		       enum doc_unit unit, unsigned places);
/* Below the field. The title is at the end. */
void field_draw_x_axis(struct picture *picture, const struct field *field, enum doc_unit unit,
		       const char *title);
/* A legend in lines from y on, as wide as the field; returns the height of its lines but the
 * first. With a picture of NULL nothing is drawn. */
double field_draw_keys(struct picture *picture, const struct field *field, double y,
		       const struct doc_series *series, size_t count);

#endif
