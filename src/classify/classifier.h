/*
 * classifier.h - what is known of a machine before any event is judged: its readings, their slopes,
 * the sizes found, and the categories that there are on it.
 *
 * `classifier_init` reads and fits, which is all that the sizes need; `classifier_find_categories`
 * then looks for the way in which the machine predicts branches and writes stores.
 */
#ifndef CLASSIFY_CLASSIFIER_H
#define CLASSIFY_CLASSIFIER_H

#include "classify/category.h"

#define POINT_NAME_BYTES 96

struct classifier {
	struct readings readings;
	struct slopes slopes;
	struct geometry geometry;
	struct categories categories;
	/* Whether some event counts executed branches. If so, they can be told from those that
	 * retire. */
	bool tells_executed;
};

/* False with a sentence if the text is not what a collector prints. Release it either way. */
bool classifier_init(struct classifier *c, const char *text, struct err *err);
void classifier_release(struct classifier *c);
void classifier_find_categories(struct classifier *c);
/* Whether the event was counted on some point. */
bool classifier_is_counted(const struct classifier *c, size_t event);

/* "kernel:unit:value", without what is 0. */
void classifier_point_name(char text[POINT_NAME_BYTES], const struct readings_point *point);
/* To six decimals, so that results are the same wherever sums are rounded otherwise. */
double classifier_rounded(double value);

#endif
