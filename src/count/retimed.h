/*
 * retimed.h - a stack from one run alone, without what other machines really do.
 *
 * The instructions that commit are timed again on machines that have one cause more each (clocks.h,
 * retime.h). What a cause adds to the time, from the commit of one instruction to the next, is its
 * part of the cycles in between. Instructions are settled in chunks: in each, the parts of the
 * causes, as far as they are positive (what a cause gained is taken from its next parts), share the
 * cycles that the core really took, and within a component the finer causes share as the slots of
 * the chunk do (slot_rule.h). A component's part is charged to the instruction before whose commit
 * it arose, or to the last one that missed, mispredicted or waited; a finer cause to those that the
 * slot rule names. Where the core takes longer than all parts together, components share the rest
 * as they have shared so far.
 *
 * So slots add up to W times the cycles, exactly, by instruction, thread and interval, and nothing
 * is negative. On an in-order core it is the slot rule itself.
 */
#ifndef COUNT_RETIMED_H
#define COUNT_RETIMED_H

#include "count/count.h"
#include "count/ledger.h"

struct retimed;

/* Requests intervals of about `instructions` committed instructions; must be called before the
 * first record. */
void retimed_set_interval(struct retimed *retimed, uint64_t instructions);
uint64_t retimed_slots_per_cycle(const struct retimed *retimed);
/* With everything charged up to the last record; valid until the next. */
struct ledger *retimed_ledger(struct retimed *retimed);

#endif
