/*
 * orders.h - what each of several causes costs, over all orders in which they can become real.
 *
 * Some causes have no effect without others: a real L2 behind a perfect L1, for example. So an
 * order is admissible if each cause comes after those it needs. A machine in which the first
 * causes of an admissible order are real is one whose set of causes contains what each of them
 * needs (an order ideal of the relation); there are far fewer such sets than orders. Given the
 * cycles of each set, one pass over the sets finds for every cause:
 *
 *   the lowest and the highest number of cycles that it adds in any order;
 *   the mean over all orders, which is its Shapley value where orders are restricted by precedence
 *   (Faigle and Kern 1992); these means add up to the difference between all real and none;
 *
 * and for each pair that can become real in either order its interaction: the cycles that both
 * add together beyond what each adds alone (Fields et al. 2003), as the mean over the orders in
 * which one comes right after the other. It is positive if each makes the other worse, negative if
 * they hide each other.
 *
 * An order is never looked at by itself: the number of orders that pass through a set is the
 * number of ways to it times the number of ways from it to the end.
 */
#ifndef COUNT_ORDERS_H
#define COUNT_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets are found by trying all 2^n; and the number of orders, at most n!, must fit into 64 bits. */
#define ORDERS_MOST 16

struct orders {
	unsigned count; /* of causes */
	/* By cause: those it needs, as bits, including what these need. */
	uint32_t needs[ORDERS_MOST];
	uint32_t *sets; /* ascending; the first is empty, the last has all causes */
	size_t set_count;
	/* By set: the number of orders of its causes, and of the causes that it lacks. */
	uint64_t *ways_to, *ways_from;
};

/* needs[i] has only bits below `count`, not bit i, and contains the needs of its members. */
void orders_init(struct orders *orders, unsigned count, const uint32_t *needs);
void orders_release(struct orders *orders);
/* The number of admissible orders. */
uint64_t orders_all(const struct orders *orders);
/* The place of a set in `sets`; it must be one of them. */
size_t orders_find(const struct orders *orders, uint32_t set);

struct orders_cost {
	int64_t lowest, highest;
	double mean;
};

/* `cycles` is by place in `sets`. */
struct orders_cost orders_cost_of(const struct orders *orders, const uint64_t *cycles,
				  unsigned cause);
/* False if one of the two needs the other: they have no interaction. */
bool orders_interaction(const struct orders *orders, const uint64_t *cycles, unsigned first,
			unsigned second, double *mean);

#endif
