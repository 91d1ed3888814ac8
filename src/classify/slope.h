/*
 * slope.h - how much each event grows by an iteration of each kernel.
 *
 * The readings of a point are runs of several lengths, each repeated. Of the repeats of a length
 * the median is taken, and a line is fitted by least squares. What an event is compared by is its
 * slope times r^2 of the fit: 0 for an event that does not vary (not NaN), and small for one that
 * varies but not with the iterations. Constant offsets, such as what starting and stopping counters
 * costs, are in the intercept and so in no slope (Danalis and others 2017, footnote 4, section 5).
 */
#ifndef CLASSIFY_SLOPE_H
#define CLASSIFY_SLOPE_H

#include "classify/readings.h"

struct slope {
	double slope, r2;
};

/* Fits y = a + slope x. With fewer than two different x, or with equal y, slope and r2 are 0. */
struct slope slope_fit(const double *x, const double *y, size_t count);
/* The middle one, or the mean of the two in the middle; the list is sorted. NAN if it is empty. */
double slope_median(double *values, size_t count);
/* exp(-2 (found - expected)^2), with found = slope * r2. */
double slope_goodness(double found, double expected);

/* A matrix of events by points: slope times r2; NAN where an event was not counted. `spreads` has
 * by how much repeats of a run differ in an iteration, in the middle. */
struct slopes {
	size_t event_count, point_count;
	double *values, *spreads;
};

void slopes_init(struct slopes *slopes, const struct readings *readings);
void slopes_release(struct slopes *slopes);

static inline double slopes_at(const struct slopes *slopes, size_t event, size_t point)
{
	return slopes->values[event * slopes->point_count + point];
}

#endif
