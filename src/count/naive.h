/*
 * naive.h - what the two naive methods share: counts of misses times fixed penalties.
 *
 * An L1 miss costs the next level's latency, a miss of the last cache the memory's latency, a TLB
 * miss the TLB's miss latency, a misprediction the depth of the front end (in order,
 * inorder.mispredict_cycles). The base is the
 * remainder and can be negative. (Eyerman et al. 2006, section 2.)
 *
 * Not modelled: overlap of misses, and latency that the window hides.
 */
#ifndef COUNT_NAIVE_H
#define COUNT_NAIVE_H

#include "count/count.h"

struct naive {
	struct config config;
	uint64_t misses[COMPONENT_COUNT];
};

void *naive_create(const struct config *config, uint32_t slots);
void naive_read(const void *counter, uint64_t cycles, struct stack *stack);
/* Adds "misses", {method: {component: N}}, to the result. */
void naive_describe(const struct observer_kind *kind, void *counter, json_t *result);
/* Adds the misses whose bits are set in an event's detail. */
void naive_add(struct naive *naive, unsigned detail);

/* naive-nonspec: an event that is a commit or a store's miss. */
static inline void naive_add_commit(struct naive *naive, const struct cycle_event *e)
{
	/* Most events are correctly predicted branches without misses. */
	if ((e->detail & ~COMMIT_TAKEN) == COMMIT_BRANCH)
		return;
	naive_add(naive, e->detail);
	naive->misses[COMPONENT_BRANCH] += !!(e->detail & COMMIT_MISPREDICTED);
}

#endif
