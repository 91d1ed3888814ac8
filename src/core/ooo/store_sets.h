/*
 * store_sets.h - which stores a load has been found to depend on (Chrysos and Emer 1998).
 *
 * Two tables. By pc, the set that a load or store belongs to (SSIT): any number of loads and
 * stores share a set. By set, the store of it that was dispatched last and has not issued (LFST).
 * A load of a set waits for that store, and so does a store, so that the stores of a set issue in
 * order. A load that has read too early, and the store that it should have read from, are put
 * into one set: a new one if neither has any, that of the other if only one has, and if both
 * have, the one with the smaller number. After a number of cycles all pcs lose their sets, since
 * a set can only grow.
 *
 * Invariant: last_store is a store in the window that has not issued, or 0.
 *
 * Deliberately not modelled: ports of the tables, tags (pcs that share an entry share its set),
 * the store of a set that was dispatched before the last one, if that is squashed.
 */
#ifndef CORE_OOO_STORE_SETS_H
#define CORE_OOO_STORE_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

struct store_sets {
	uint32_t *set_of;     /* by pc; 0: none */
	uint64_t *last_store; /* by set, from 1 on: a sequence number, or 0 */
	uint32_t mask, sets, next;
	uint64_t clear_cycles, cleared; /* `cleared` counts the periods */
};

void store_sets_init(struct store_sets *sets, const struct config *config);
void store_sets_release(struct store_sets *sets);
/* Whether they are those that the configuration asks for. */
bool store_sets_fit(const struct store_sets *sets, const struct config *config);

/* The set of the instruction at pc in cycle `now`; 0: none. */
uint32_t store_sets_find(struct store_sets *sets, uint64_t pc, uint64_t now);
/* The store becomes the last of its set; returns the one before it, or 0. */
uint64_t store_sets_enter(struct store_sets *sets, uint32_t set, uint64_t store);
/* The store has issued, or is squashed. */
void store_sets_leave(struct store_sets *sets, uint32_t set, uint64_t store);
/* No store is the last of its set any more. */
void store_sets_forget_stores(struct store_sets *sets);
/* The load read before the store that it depends on had its address. */
void store_sets_join(struct store_sets *sets, uint64_t load_pc, uint64_t store_pc, uint64_t now);

#endif
