/*
 * sfmt_rule.h - what a shared frontend miss event table does with an event and with a record, for
 * count_sfmt.c, which says what it counts, and for count_usual.c. Inside count/ only.
 *
 * For each record: the function of each of its events, then sfmt_deliver and sfmt_record.
 */
#ifndef COUNT_SFMT_RULE_H
#define COUNT_SFMT_RULE_H

#include <string.h>

#include "base/bits.h"
#include "count/blocked.h"
#include "count/branch_table.h"
#include "count/sfmt.h"

#define SFMT_NO_SLOT UINT32_MAX

struct sfmt {
	struct config config;
	bool at_resolve, only_counters, is_aged;
	struct count_age age;
	struct branch_table table;
	struct count_blocked blocked;
	uint64_t global[COMPONENT_COUNT];
	uint64_t running;
	struct branch_row *refilling;
	bool is_refilling;

	uint64_t stalls[I_COUNTERS]; /* the shared I-side counters */
	uint64_t *bit_epoch;	     /* by slot: the epoch in which its bit was set */
	uint64_t epoch;		     /* incremented to clear all bits */
	uint32_t awaited;	     /* slot of the instruction a miss delays, or SFMT_NO_SLOT */

	/* The cycles in `stalls` that belong to the right path and to wrong paths (oracle). */
	uint64_t right, wrong;
	struct sfmt_losses losses;
};

static inline void sfmt_clear_stalls(struct sfmt *sfmt)
{
	memset(sfmt->stalls, 0, sizeof(sfmt->stalls));
	sfmt->right = sfmt->wrong = 0;
}

static inline void sfmt_clear_for_branch(struct sfmt *sfmt)
{
	/* When the branch resolves, fetch has been on its wrong path, so right-path stalls are
	 * older than the branch. When it commits, older instructions have committed already, so
	 * right-path stalls are younger. */
	if (sfmt->at_resolve)
		sfmt->losses.older += sfmt->right;
	else
		sfmt->losses.younger += sfmt->right;
	sfmt_clear_stalls(sfmt);
	if (sfmt->only_counters)
		return;
	sfmt->epoch++;
	if (sfmt->at_resolve)
		return;
	for (uint64_t n = sfmt->table.head; n < sfmt->table.tail; n++) {
		struct branch_row *row = branch_table_row(&sfmt->table, n);

		row->since = sfmt->running;
		row->penalty = 0;
	}
}

static inline void sfmt_add_stalls(struct sfmt *sfmt)
{
	for (unsigned i = 0; i < I_COUNTERS; i++)
		sfmt->global[COMPONENT_L1I + i] += count_saturated(sfmt->stalls[i]);
	sfmt->losses.wrong += sfmt->wrong;
	sfmt_clear_stalls(sfmt);
	sfmt->epoch++;
}

static inline void sfmt_resolve(struct sfmt *sfmt, const struct cycle_event *e)
{
	struct branch_row *row = branch_table_resolve(&sfmt->table, e->slot);

	row->penalty = sfmt->running - row->since;
	sfmt->refilling = row;
	sfmt->is_refilling = true;
	sfmt->awaited = SFMT_NO_SLOT;
	if (sfmt->at_resolve)
		sfmt_clear_for_branch(sfmt);
}

static inline void sfmt_commit(struct sfmt *sfmt, const struct cycle_event *e)
{
	if (e->detail & FETCH_WAITS && sfmt->bit_epoch[e->slot] == sfmt->epoch)
		sfmt_add_stalls(sfmt);
	if (!(e->detail & COMMIT_BRANCH))
		return;
	struct branch_row *row = branch_table_commit(&sfmt->table);
	if (!(e->detail & COMMIT_MISPREDICTED))
		return;
	sfmt->global[COMPONENT_BRANCH] += count_saturated(row->penalty);
	if (sfmt->refilling == row)
		sfmt->refilling = NULL;
	if (!sfmt->at_resolve)
		sfmt_clear_for_branch(sfmt);
}

static inline void sfmt_replay(struct sfmt *sfmt, uint32_t branches)
{
	branch_table_replay(&sfmt->table, branches);
	sfmt->is_refilling = false;
	sfmt->refilling = NULL;
	sfmt->awaited = SFMT_NO_SLOT;
}

/* After the record's events: the instruction that was awaited when they began, and since then has
 * not been squashed, is delivered. A miss that begins in this cycle delays a later instruction. */
static inline void sfmt_deliver(struct sfmt *sfmt, const struct cycle *c, uint32_t awaited)
{
	if (!c->fetched || LIKELY(awaited == SFMT_NO_SLOT))
		return;
	sfmt->bit_epoch[awaited] = sfmt->epoch;
	if (sfmt->awaited == awaited)
		sfmt->awaited = SFMT_NO_SLOT;
}

static inline void sfmt_count_stall(struct sfmt *sfmt, const struct cycle *c, enum component stall,
				    uint64_t cycles)
{
	sfmt->stalls[stall - COMPONENT_L1I] += cycles;
	if (c->wrong_path)
		sfmt->wrong += cycles;
	else
		sfmt->right += cycles;
}

static inline void sfmt_count_not_full(struct sfmt *sfmt, const struct cycle *c,
				       enum component stall, uint64_t cycles)
{
	sfmt->running += cycles;
	if (stall != COMPONENT_BASE) {
		sfmt_count_stall(sfmt, c, stall, cycles);
	} else if (sfmt->is_refilling) {
		if (sfmt->refilling)
			sfmt->refilling->penalty += cycles;
		else
			sfmt->global[COMPONENT_BRANCH] += cycles;
	}
}

/* After the record's events. `is_full` is that of count_is_full, `stall` of count_fetch_stall. */
static inline __attribute__((always_inline)) void sfmt_record(struct sfmt *sfmt, bool is_aged,
							      const struct cycle *c, bool is_full,
							      enum component stall)
{
	uint64_t before_full = is_full ? 0 : c->repeat;

	count_blocked_follow(&sfmt->blocked, c);
	if (is_aged) {
		const uint64_t young = count_age_cycles(&sfmt->age, &sfmt->config, c);

		if (young < before_full)
			before_full = young;
	}
	if (c->dispatched) {
		sfmt->is_refilling = false;
		sfmt->refilling = NULL;
	}
	sfmt_count_not_full(sfmt, c, stall, before_full);
	if (before_full < c->repeat)
		count_blocked_add(&sfmt->blocked, c, c->repeat - before_full);
}

#endif
