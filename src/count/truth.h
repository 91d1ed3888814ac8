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
 * What the paper leaves in the base becomes real before all of these, with everything else perfect:
 * operations wait for the results of others, take their time, find their unit taken (one kind after
 * the other), queues are smaller than the reorder buffer, branches in flight are few, stores find
 * no room, loads wait for the stores they overlap, are held back or replayed. What queues and
 * branches cost while misses are waited for is part of the misses. Cycles that dependences add stay
 * part of the base, the others are `resource`. MSHRs, which more loads could use, become limited
 * right after the last cache for data becomes real in order A; what that adds is a part of the
 * component of that cache.
 */
#ifndef COUNT_TRUTH_H
#define COUNT_TRUTH_H

#include "config/config.h"
#include "count/orders.h"
#include "value/component.h"

enum truth_order { TRUTH_A, TRUTH_B, TRUTH_ORDERS };

/* What components consist of, in the order in which it becomes real; all but the last before the
 * first component. */
enum truth_part_id {
	TRUTH_DEPENDENCE,
	TRUTH_LATENCY,
	TRUTH_INT_ALU,
	TRUTH_INT_MULDIV,
	TRUTH_MEMORY_PORTS,
	TRUTH_FP_ADD,
	TRUTH_FP_MULDIV,
	TRUTH_QUEUES,
	TRUTH_MAX_BRANCHES,
	TRUTH_STORE,
	TRUTH_FORWARD,
	TRUTH_REPLAY,
	TRUTH_MSHR,
	TRUTH_PARTS
};

struct truth_machine {
	struct config config;
	unsigned made_real; /* components, as bits */
};

struct truth_plan {
	struct truth_machine *machines;
	size_t count, capacity;
	size_t real;	 /* the real machine */
	unsigned causes; /* the components that can become real, as bits */
	/* By part: the machine before it becomes real; 0: there is no such part. */
	size_t parts[TRUTH_PARTS];
	size_t after_mshrs; /* the machine in which MSHRs have become limited */
	/* All orders, if they were asked for: of what, and the machine of each set. */
	bool has_orders;
	struct orders orders;
	enum component cause[ORDERS_MOST];
	size_t *machine_of_set;
};

struct truth_part {
	enum cause cause;
	enum config_id ideal; /* the switch that makes it perfect */
};

extern const struct truth_part truth_parts[TRUTH_PARTS];

/* Order A from the machine with everything perfect to the real one. The cause of the first link is
 * the base, that of each other one what becomes real with its machine. */
struct truth_link {
	enum cause cause;
	size_t machine;
};

#define TRUTH_LINKS (TRUTH_PARTS + 12)

/* Plans the machines that a machine of this configuration is compared with: for orders A and B, or
 * for these and all others. */
void truth_plan_init(struct truth_plan *plan, const struct config *config, bool all_orders);
void truth_plan_release(struct truth_plan *plan);
/* Computes the truth from the cycles of all machines. */
void truth_read(const struct truth_plan *plan, const uint64_t *cycles, enum truth_order order,
		struct stack *stack);

/* The number of links. */
size_t truth_chain(const struct truth_plan *plan, struct truth_link links[TRUTH_LINKS]);

/* Computes the cycles that each part adds. */
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

/* Adds resource to base, as the paper does, whose methods do not tell them apart. */
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
