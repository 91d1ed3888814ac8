/*
 * truth.h - what a CPI stack should say, from simulations of idealised machines
 * (Eyerman et al. 2006, section 5.2), and how far a method is from it.
 *
 * Everything perfect gives the base; then one thing after another becomes real, and what
 * each adds is its component: the L1 data cache, the branch predictor, and then in order
 * A the L1I, the L2 for instructions, the I-TLB, the L2 for data, the D-TLB; in order B the
 * data side first. A cycle that two misses share goes to the one that became real first,
 * so the two orders are the ends of an interval. An ideal L2 hides the L3 as well: with
 * three levels l2i and l2d stand for both. Perfect things change time and nothing else, so
 * every run commits the same instructions.
 *
 * A component can come out slightly negative: a miss more can make a schedule better.
 *
 * Units have no component in the paper: a run with units of one cycle splits the base.
 */
#ifndef COUNT_TRUTH_H
#define COUNT_TRUTH_H

#include "config/config.h"
#include "value/component.h"

#define TRUTH_RUNS_MAX 16

enum truth_order { TRUTH_A, TRUTH_B, TRUTH_ORDERS };

struct truth_plan {
	struct config config[TRUTH_RUNS_MAX];
	unsigned made_real[TRUTH_RUNS_MAX]; /* components, as bits */
	unsigned count;
	unsigned real;	/* the run of the machine as it is */
	unsigned units; /* everything perfect, and units of one cycle */
};

/* The runs a machine of this configuration needs. */
void truth_plan_init(struct truth_plan *plan, const struct config *config);
/* From the cycles of all runs. */
void truth_read(const struct truth_plan *plan, const uint64_t *cycles, enum truth_order order,
		struct stack *stack);

/* A method's stack in the components that the truth has: resource counts as base, a third
 * level as the second. */
void truth_fold(struct stack *stack);
/* The components that are left, on a machine of this configuration. */
bool truth_has(const struct config *config, enum component component);

/* How far x is from the truth, as parts of the run's cycles. */
struct truth_error {
	double a, b;	 /* from each */
	double largest;	 /* the larger of the two */
	double interval; /* from the interval they span */
};

struct truth_error truth_error_of(const struct stack *x, const struct stack *a,
				  const struct stack *b, enum component component, uint64_t cycles);

#endif
