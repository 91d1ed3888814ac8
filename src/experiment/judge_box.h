/*
 * judge_box.h - how far methods are from a truth that is known within intervals.
 *
 * Each component of the truth is somewhere in its interval, whatever the others are: the truth is
 * in a box. The error of a method is its largest distance from the truth in any component. All
 * numbers are parts of the run's cycles.
 *
 * Not modelled: that components of the truth add up to the cycles, and are hardly ever all at the
 * ends of their intervals. So what is said to be open may not be, and what is said to be certain is
 * so if the truth is in the box.
 */
#ifndef EXPERIMENT_JUDGE_BOX_H
#define EXPERIMENT_JUDGE_BOX_H

#include <stdbool.h>

#include "value/component.h"

struct judge_box {
	double at[COMPONENT_COUNT], off[COMPONENT_COUNT]; /* the truth is at +- off */
	bool has[COMPONENT_COUNT];			  /* others are not compared */
};

/* What a method says, by component. */
struct judge_told {
	double at[COMPONENT_COUNT];
};

struct judge_range {
	double low, high;
};

/* What the error of a method may be. */
struct judge_range judge_box_error(const struct judge_box *box, const struct judge_told *told);
/* By how much the error of `worse` exceeds that of `better` at least, wherever in the box the truth
 * is; not above 0 if it need not. */
double judge_box_excess(const struct judge_box *box, const struct judge_told *worse,
			const struct judge_told *better);
/* Adds resource to base. */
void judge_box_fold(struct judge_box *box);

#endif
