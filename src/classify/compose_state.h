/*
 * compose_state.h - what a metric is asked of, and what answers it (compose.h). compose.c makes the
 * question and the events that may be in sums, and writes the answer; compose_sum.c finds the sum.
 */
#ifndef CLASSIFY_COMPOSE_STATE_H
#define CLASSIFY_COMPOSE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "classify/classifier.h"
#include "classify/metric.h"
#include "classify/pivot.h"

#define SUM_MOST 16 /* events */

/* The kernels on which a metric is known, and those on which only its bounds are. */
struct question {
	const struct classifier *c;
	const struct metric *metric;
	const struct category *categories[METRIC_TERMS_MOST];
	size_t rows;
	size_t *probe;			   /* by row */
	double *expected, *noise, *target; /* the target is the expectation in units of noise */
	bool *is_asked;			   /* by point: it has a row */
};

enum fate { KEPT, FORBIDDEN, UNCOUNTED, UNSTEADY, UNFIT, FATES };

/* The events that may be in sums. */
struct candidates {
	size_t *events;
	double *cost, *besides;
	struct matrix matrix; /* their slopes in units of noise */
	size_t fates[FATES];
};

struct sum {
	size_t columns[SUM_MOST]; /* of the matrix */
	double factors[SUM_MOST];
	size_t count;
	double error;	      /* root of the mean square of what it is off, in units of noise */
	bool fits, fits_rows; /* bounds too, and where the metric is known */
	bool is_whole;
};

static inline double compose_sum_at(const struct candidates *all, const struct sum *sum, size_t row)
{
	double value = 0;

	for (size_t i = 0; i < sum->count; i++)
		value += sum->factors[i] * matrix_column(&all->matrix, sum->columns[i])[row];
	return value;
}

/* The best sum that fits, or the nearest one. */
struct sum compose_find_sum(const struct question *q, const struct candidates *all);

#endif
