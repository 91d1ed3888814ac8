/*
 * slots.h - the view `slots`: every dispatch slot of every cycle is charged to one instruction and
 * one cause, by the rules of slot_rule.h, and to base where it was filled.
 *
 * Instructions that were dispatched and not committed where a run was cut off have had slots, but
 * were not executed.
 */
#ifndef COUNT_SLOTS_H
#define COUNT_SLOTS_H

#include "count/count.h"
#include "count/ledger.h"

struct slots;

/* Requests intervals of about `instructions` committed instructions; must be called before the
 * first record. */
void slots_set_interval(struct slots *slots, uint64_t instructions);
uint64_t slots_per_cycle(const struct slots *slots);
/* With everything charged up to the last record; valid until the next. */
struct ledger *slots_ledger(struct slots *slots);

#endif
