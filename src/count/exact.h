/*
 * exact.h - the stack that this tool shows by default: its components say what would go away.
 *
 * How much that is, is measured elsewhere, on copies of the core without the cause (job/gain.h);
 * exact_anchor is told it. Which instructions, threads and intervals it is part of follows the
 * dispatch slots (slots.h), of which each keeps as many as it has (anchor.h). Without an anchor the
 * stack is that of the slots.
 *
 * Slots add up to W times the cycles, exactly, by instruction, thread and interval, and nothing is
 * negative.
 */
#ifndef COUNT_EXACT_H
#define COUNT_EXACT_H

#include "count/anchor.h"
#include "count/count.h"
#include "count/ledger.h"

struct exact;

/* Requests intervals of about `instructions` committed instructions; must be called before the
 * first record. */
void exact_set_interval(struct exact *exact, uint64_t instructions);
uint64_t exact_slots_per_cycle(const struct exact *exact);
/* What has been charged up to the last record, before any anchor; valid until the next record. */
const uint64_t *exact_charged(struct exact *exact);
/* The same by instruction: rows in the order in which instructions were first charged. */
const struct ledger_row *exact_charged_rows(struct exact *exact, size_t *count);
/* From now on the causes have these slots, until the next record. All together they are the slots
 * that have been charged. */
void exact_anchor(struct exact *exact, const struct anchor_group *groups, size_t count);
/* Everything up to the last record; valid until the next. */
struct ledger *exact_ledger(struct exact *exact);

#endif
