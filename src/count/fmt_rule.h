/*
 * fmt_rule.h - what a frontend miss event table does with an event and with a record, for
 * count_fmt.c, which says what it counts, and for count_usual.c. Inside count/ only.
 *
 * For each record: fmt_event with each of its events, then fmt_record.
 */
#ifndef COUNT_FMT_RULE_H
#define COUNT_FMT_RULE_H

#include "base/bits.h"
#include "count/blocked.h"
#include "count/branch_table.h"

struct fmt {
	bool is_published, only_rob;
	uint32_t rob_size;
	struct branch_table table;
	struct count_blocked blocked;
	uint64_t global[COMPONENT_COUNT];
	uint64_t running; /* cycles that are not full */
	/* Nothing has dispatched since the last resolution. */
	bool is_refilling;
	/* Then the row of that branch; NULL once it has committed, after which the global counter
	 * counts. */
	struct branch_row *refilling;
};

static inline void fmt_resolve(struct fmt *fmt, uint32_t slot)
{
	struct branch_row *row = branch_table_resolve(&fmt->table, slot);

	row->penalty = fmt->running - row->since;
	fmt->refilling = row;
	fmt->is_refilling = true;
}

static inline void fmt_commit(struct fmt *fmt, bool is_published, bool is_mispredicted)
{
	struct branch_row *row = branch_table_commit(&fmt->table);

	for (unsigned i = 0; i < I_COUNTERS; i++)
		fmt->global[COMPONENT_L1I + i] += row->stalls[i];
	if (!is_mispredicted)
		return;
	uint64_t cycles = is_published ? fmt->running - row->since : row->penalty;
	fmt->global[COMPONENT_BRANCH] += count_saturated(cycles);
	if (fmt->refilling == row)
		fmt->refilling = NULL;
}

static inline void fmt_replay(struct fmt *fmt, uint32_t branches)
{
	branch_table_replay(&fmt->table, branches);
	fmt->is_refilling = false;
	fmt->refilling = NULL;
}

/* Between the resolution of a branch and the next dispatch. The paper's row counts by itself until
 * its branch commits, and from then on every cycle counts. */
static inline void fmt_refill(struct fmt *fmt, bool is_published, const struct cycle *c,
			      bool is_full, enum component stall)
{
	if (c->dispatched) {
		fmt->is_refilling = false;
		fmt->refilling = NULL;
	} else if (is_published) {
		if (!fmt->refilling)
			fmt->global[COMPONENT_BRANCH] += c->repeat;
	} else if (!is_full && stall == COMPONENT_BASE) {
		if (fmt->refilling)
			fmt->refilling->penalty += c->repeat;
		else
			fmt->global[COMPONENT_BRANCH] += c->repeat;
	}
}

/* After the record's events. `is_full` is that of count_is_full, `stall` of count_fetch_stall. */
static inline __attribute__((always_inline)) void fmt_record(struct fmt *fmt, bool is_published,
							     const struct cycle *c, bool is_full,
							     enum component stall)
{
	count_blocked_follow(&fmt->blocked, c);
	if (is_full)
		count_blocked_add(&fmt->blocked, c, c->repeat);
	else
		fmt->running += c->repeat;
	if (stall != COMPONENT_BASE && (is_published || !is_full)) {
		uint32_t *stalls = &branch_table_next(&fmt->table)->stalls[stall - COMPONENT_L1I];

		*stalls = (uint32_t)count_saturated(*stalls + c->repeat);
	}
	if (fmt->is_refilling)
		fmt_refill(fmt, is_published, c, is_full, stall);
}

#endif
