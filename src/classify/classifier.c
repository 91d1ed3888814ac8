#include "classify/classifier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void classifier_release(struct classifier *c)
{
	categories_release(&c->categories);
	geometry_release(&c->geometry);
	slopes_release(&c->slopes);
	readings_release(&c->readings);
}

bool classifier_init(struct classifier *c, const char *text, struct err *err)
{
	*c = (struct classifier){0};
	if (!readings_parse(&c->readings, text, err))
		return false;
	if (c->readings.point_count > POINTS_MOST)
		return err_set(err, "readings: %zu kernels with different parameters, at most %d",
			       c->readings.point_count, POINTS_MOST);
	slopes_init(&c->slopes, &c->readings);
	geometry_find(&c->geometry, &c->readings, &c->slopes);
	return true;
}

/* How many branches each point mispredicts: by the event that fits that category best, if one does.
 */
static double *find_mispredictions(const struct classifier *c)
{
	double best = 0, *wrong = NULL;

	for (size_t i = 0; i < c->categories.count; i++) {
		const struct category *category = &c->categories.list[i];

		if (strcmp(category->name, CATEGORY_MISPREDICTED) != 0)
			continue;
		for (size_t e = 0; e < c->readings.event_count; e++) {
			double score = category_fit(&c->categories, category, &c->slopes, e).score;

			if (score <= best)
				continue;
			best = score;
			if (!wrong)
				wrong = mem_alloc_array(c->readings.point_count, sizeof(double));
			for (size_t p = 0; p < c->readings.point_count; p++)
				wrong[p] = slopes_at(&c->slopes, e, p);
		}
	}
	return wrong;
}

static bool some_counts(const struct classifier *c, const char *category)
{
	for (size_t i = 0; i < c->categories.count; i++)
		for (size_t e = 0; e < c->readings.event_count; e++)
			if (strcmp(c->categories.list[i].name, category) == 0 &&
			    category_fit(&c->categories, &c->categories.list[i], &c->slopes, e)
					    .score > 0)
				return true;
	return false;
}

/* The machine predicts branches in the first way for which an event counts its mispredictions; if
 * none does, they are assumed to be learned. It writes stores through to the second level if an
 * event counts accesses there as if it did. */
void classifier_find_categories(struct classifier *c)
{
	enum prediction kind = 0;
	double *wrong = NULL;

	for (; !wrong && kind < PREDICTIONS; kind++) {
		categories_release(&c->categories);
		categories_init(&c->categories, &c->readings, &c->geometry, kind, NULL, false);
		wrong = find_mispredictions(c);
	}
	kind = wrong ? kind - 1 : PREDICTION_LEARNED;
	categories_release(&c->categories);
	categories_init(&c->categories, &c->readings, &c->geometry, kind, wrong, true);
	if (!some_counts(c, CATEGORY_LEVEL_2)) {
		categories_release(&c->categories);
		categories_init(&c->categories, &c->readings, &c->geometry, kind, wrong, false);
	}
	free(wrong);
}

bool classifier_is_counted(const struct classifier *c, size_t event)
{
	for (size_t p = 0; p < c->readings.point_count; p++)
		if (!isnan(slopes_at(&c->slopes, event, p)))
			return true;
	return false;
}

double classifier_rounded(double value)
{
	return round(value * 1e6) / 1e6;
}

void classifier_point_name(char text[POINT_NAME_BYTES], const struct readings_point *point)
{
	if (point->unit)
		snprintf(text, POINT_NAME_BYTES, "%s:%llu:%llu", point->kernel,
			 (unsigned long long)point->unit, (unsigned long long)point->value);
	else if (point->value)
		snprintf(text, POINT_NAME_BYTES, "%s:%llu", point->kernel,
			 (unsigned long long)point->value);
	else
		snprintf(text, POINT_NAME_BYTES, "%s", point->kernel);
}
