/*
 * btb.h - branch target buffer: set-associative, LRU, full tags, so that it
 * never gives one branch another's target.
 *
 * Ways are kept most recently used first. Only btb_update moves them: if
 * look-ups changed the order, it would depend on wrong paths. "Used" therefore
 * means "committed taken".
 *
 * Open because the look-up is inlined into the predictor.
 */
#ifndef PRED_BTB_H
#define PRED_BTB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct btb_entry {
	uint64_t pc; /* BTB_NO_PC: empty */
	uint64_t target;
};

#define BTB_NO_PC UINT64_MAX /* odd, so no instruction's address */

struct btb {
	struct btb_entry *entries;
	uint64_t set_mask;
	uint32_t ways;
};

/* False with a sentence if the geometry is not possible. */
bool btb_init(struct btb *btb, uint32_t sets, uint32_t ways, struct err *err);
void btb_release(struct btb *btb);

static inline struct btb_entry *btb_set(const struct btb *btb, uint64_t pc)
{
	return btb->entries + ((pc >> 1) & btb->set_mask) * btb->ways;
}

/* False if the branch is not there. */
static inline bool btb_lookup(const struct btb *btb, uint64_t pc, uint64_t *target)
{
	const struct btb_entry *set = btb_set(btb, pc);

	for (uint32_t way = 0; way < btb->ways; way++) {
		if (set[way].pc == pc) {
			*target = set[way].target;
			return true;
		}
	}
	return false;
}

/* Records that the branch was taken, and its target. */
void btb_update(struct btb *btb, uint64_t pc, uint64_t target);

#endif
