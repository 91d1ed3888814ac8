/*
 * truth.h - what a CPI stack should be, from simulations of idealised machines (Eyerman et al.
 * 2006, section 5.2), and the distance of a method from it.
 *
 * A machine with everything perfect gives the base; then one structure after another becomes real,
 * and the cycles that each adds are its component: the L1 data cache, the branch predictor, and
 * then in order A the L1I, the L2 for instructions, the I-TLB, the L2 for data, the D-TLB; in
 * order B the data side first. A cycle that two misses share is charged to the one that became
 * real first. Both orders begin with the L1D and the predictor, so their distance says little about
 * how much the order matters; all orders say it (orders.h): an L2 after its L1, page walks after
 * the D-TLB and the L1D, a busy memory after the last cache for data. An ideal L2 hides the L3 as
 * well: with three levels l2i and l2d stand for both. Perfect structures change only time, so every
 * run commits the same instructions.
 *
 * Page walks and a memory that can be busy come after what they make longer: in order A at the end,
 * in order B right after the L2 for data and the D-TLB. What a machine does not have, or has
 * perfect to begin with, needs no run.
 *
 * A component can be slightly negative: an additional miss can make a schedule better.
 *
 * Units, store buffer and replays have no component in the paper: they stay as they are in all of
 * these runs and are part of the base. Further runs split it: in an order of their own, from a
 * machine in which they too are perfect, units become limited, the store buffer finite, loads
 * replayed, and last operations take their time.
 */
#ifndef COUNT_TRUTH_H
#define COUNT_TRUTH_H

#include "config/config.h"
#include "count/orders.h"
#include "value/component.h"

enum truth_order { TRUTH_A, TRUTH_B, TRUTH_ORDERS };

enum { TRUTH_UNIT, TRUTH_STORE, TRUTH_REPLAY, TRUTH_LATENCY, TRUTH_PARTS };

struct truth_machine {
	struct config config;
	unsigned made_real; /* components, as bits */
};

struct truth_plan {
	struct truth_machine *machines;
	size_t count, capacity;
	size_t real;	 /* the real machine */
	unsigned causes; /* the components that can become real, as bits */
	/* By part: the machine with everything perfect, this part and those after it; 0: there is
	 * no such part. */
	size_t parts[TRUTH_PARTS];
	/* The machine with everything perfect and operations of one cycle; 0: the real one has
	 * them. */
	size_t units;
	/* All orders, if they were asked for: of what, and the machine of each set. */
	bool has_orders;
	struct orders orders;
	enum component cause[ORDERS_MOST];
	size_t *machine_of_set;
};

/* A part of the base, and the parameter that makes it perfect. */
struct truth_part {
	const char *name;
	enum config_id ideal;
};

extern const struct truth_part truth_parts[TRUTH_PARTS];

/* Plans the machines that a machine of this configuration is compared with: for orders A and B, or
 * for these and all others. */
void truth_plan_init(struct truth_plan *plan, const struct config *config, bool all_orders);
void truth_plan_release(struct truth_plan *plan);
/* Computes the truth from the cycles of all machines. */
void truth_read(const struct truth_plan *plan, const uint64_t *cycles, enum truth_order order,
		struct stack *stack);

/* Computes the cycles of the base that each part adds. */
void truth_read_parts(const struct truth_plan *plan, const uint64_t *cycles,
		      int64_t parts[TRUTH_PARTS]);

/* What all orders say: the cost of each component, 0 of those that cannot become real, and the
 * interaction of each pair that has one. */
struct truth_all {
	struct orders_cost costs[COMPONENT_COUNT];
	bool interact[COMPONENT_COUNT][COMPONENT_COUNT];
	double interactions[COMPONENT_COUNT][COMPONENT_COUNT];
};

/* The plan must have all orders. */
void truth_read_all(const struct truth_plan *plan, const uint64_t *cycles, struct truth_all *all);

/* Reduces a method's stack to the components of the truth: resource is added to base, a third
 * level to the second. */
void truth_fold(struct stack *stack);
/* Whether the truth has this component on a machine of this configuration. */
bool truth_has(const struct config *config, enum component component);

/* The distance of a value from the truth, as fractions of the run's cycles. */
struct truth_error {
	double a, b;	 /* distance from order A and from order B */
	double largest;	 /* the larger of the two */
	double interval; /* distance from the interval between the two orders */
};

struct truth_error truth_error_of(const struct stack *x, const struct stack *a,
				  const struct stack *b, enum component component, uint64_t cycles);
/* The distance from what lies between the lowest and the highest cost of all orders, and from their
 * mean, as fractions of the run's cycles. */
struct truth_distance {
	double range, mean;
};

struct truth_distance truth_distance_of(const struct stack *x, const struct truth_all *all,
					enum component component, uint64_t cycles);

#endif
