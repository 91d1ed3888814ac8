/*
 * call_slots.h - dispatch slots by path of calls: the rules of slots.h, but each instruction is
 * charged at the node of call_tree.h that it was executed in, instead of at its address.
 *
 * Transfers are seen when they are fetched, slots are charged when instructions are dispatched or
 * hold up others. Instructions of the right path have numbers in program order: those of the
 * fetched, the dispatched and the committed are running totals, so that the node of an instruction
 * is that of its number. A record names the instruction that holds up others by its address; it is
 * the oldest in the window, or else the youngest of that address that was dispatched, or else the
 * next one.
 *
 * For each function, the slots of its nodes add up to those of its instructions in slots.h.
 * Code that a wrong path was about to fetch is at a node of its function near that of the
 * mispredicted branch.
 */
#ifndef COUNT_CALL_SLOTS_H
#define COUNT_CALL_SLOTS_H

#include "config/config.h"
#include "count/call_tree.h"
#include "count/ledger.h"
#include "count/slot_rule.h"

#define CALL_SLOTS_EVENTS (SLOT_RULE_EVENTS | EVENTS_TRANSFERS)

struct call_slots;

/* The tree is the caller's, and has begun. */
struct call_slots *call_slots_create(const struct config *config, struct call_tree *tree,
				     uint64_t interval);
void call_slots_destroy(struct call_slots *calls); /* NULL is allowed */
/* For simulation_attach. */
void call_slots_cycle(void *calls, const struct cycle *cycle);

/* The functions of addresses have changed. */
void call_slots_forget(struct call_slots *calls);

/* With everything up to the last record; valid until the next. A row's pc is that of a node: */
struct ledger *call_slots_ledger(struct call_slots *calls);
static inline uint32_t call_slots_node(uint64_t pc)
{
	return pc ? (uint32_t)(pc / 2 - 1) : CALL_NONE;
}

/* How many of a node's calls have been fetched and have not committed. */
uint64_t call_slots_uncommitted(const struct call_slots *calls, uint32_t node);

/* False with a sentence if what was dispatched was not what was fetched. */
bool call_slots_check(const struct call_slots *calls, struct err *err);

#endif
