/*
 * anchor.h - a ledger whose causes have been measured otherwise: the slots of each cause are given,
 * those of each instruction, thread and interval stay what they are, and which instruction has how
 * many of which cause follows, as nearly as possible, what was charged to it.
 *
 * The table of instructions by causes is scaled by rows and by columns in turn until both sums are
 * right (iterative proportional fitting, Deming and Stephan 1940). So that there always is such a
 * table, every cell begins with a little of what it would have if causes were those of the
 * instructions near it, and with a trace of what it would have if they were alike everywhere. Then
 * cells are made whole, and the sums stay exact.
 */
#ifndef COUNT_ANCHOR_H
#define COUNT_ANCHOR_H

#include <stddef.h>
#include <stdint.h>

#include "count/ledger.h"

/* Causes, as bits, whose slots are known together: they share as they were charged. */
struct anchor_group {
	uint64_t causes, slots;
};

/* The groups have each cause once at most, and all slots of the ledger together. The new ledger is
 * only read. */
void anchor_ledger(struct ledger *from, const struct anchor_group *groups, size_t count,
		   struct ledger *to);

/* Makes the causes of these rows add up to `wanted`, which has all their slots; each row keeps as
 * many as it has. */
void anchor_rows(uint64_t **rows, size_t count, const uint64_t wanted[CAUSE_COUNT]);

#endif
