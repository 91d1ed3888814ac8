/*
 * slot_rule.h - which instruction and which cause a lost dispatch slot is charged to.
 *
 * A core that dispatches W instructions per cycle has W slots per cycle. A slot filled with an
 * instruction of the right path is `base` of that instruction: the user of the rule charges those.
 * One that counts as used before it is (held.h) is charged as base of the last one.
 * A lost slot is charged to
 *   - what the oldest instruction waits for, if the window is full, or if core.max_branches keeps
 *     it from filling (held.h);
 *   - the mispredicted branch, while its wrong path dispatches and until dispatch is busy
 *     again, unless fetch then waits for an I-side miss. Slots in which the right path could
 *     not have dispatched either, because the window would have been full by then, are charged
 *     to the oldest instruction; so are slots in which it waits for a long data miss, if the
 *     branch does not resolve before the miss has ended;
 *   - the fetch miss, if no instruction has passed the front end because none was fed into it
 *     as many cycles ago as it is deep;
 *   - base, where the program itself could not fill it.
 * Not hardware: it uses which instructions are on the right path. It does not say what would go
 * away: slots lost behind a mispredicted branch are charged to it even if what precedes it would
 * have taken that time in any case.
 */
#ifndef COUNT_SLOT_RULE_H
#define COUNT_SLOT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "count/held.h"
#include "signal/cycle.h"
#include "value/component.h"

/* What the rule reads of a record besides its counts. */
#define SLOT_RULE_EVENTS \
	(EVENT_BIT(EVENT_MISPREDICT) | EVENT_BIT(EVENT_REPLAY) | EVENTS_MISTAKEN | EVENTS_USEFUL)

struct slot_charge {
	uint64_t pc, slots;
	enum cause cause;
};

/* The reason why less than the full width was fed into the pipeline in a cycle, and the pc it is
 * charged to. */
struct gap {
	uint64_t pc;
	uint8_t cause;
};

struct slot_rule {
	uint32_t width, window, cache_levels;
	struct gap *gaps; /* of the last `depth` cycles, at the cycle's number masked */
	uint64_t gap_mask;
	uint64_t depth;	  /* cycles between feed and dispatch */
	uint64_t last_pc; /* the last right-path instruction dispatched */

	/* The pc of the mispredicted branch, at most one of which on the right path is unresolved
	 * at a time; while refilling after a replay, that of the load. */
	uint64_t culprit;
	enum cause refills_after; /* CAUSE_BRANCH or CAUSE_REPLAY */
	uint64_t replayed;	  /* the pc of the load that was replayed last */
	bool is_wrong;		  /* the branch has dispatched and not resolved */
	/* Number of instructions that the window would hold if the right path had dispatched at
	 * full width since the branch. */
	uint64_t would_hold;
	/* The branch has resolved, or the load is replayed, and the front end is not full again. */
	bool is_refilling;

	/* Slots lost after the branch while the oldest instruction waits for a long data miss. If
	 * the branch resolves before the miss ends, they are charged to the branch. Otherwise
	 * they are charged to the miss, because the branch waited for it. */
	uint64_t undecided[CAUSE_COUNT];
	uint64_t undecided_pc;
	bool has_undecided;

	struct count_held held;
	/* Of the instructions that the last record has in useful_pcs, those whose slots count as
	 * used: the user of the rule charges them as base. */
	uint32_t filled;

	/* What has been charged and not been taken by the caller, who sets charge_count to 0. */
	struct slot_charge *charges;
	size_t charge_count, charge_capacity;
};

void slot_rule_init(struct slot_rule *rule, const struct config *config);
void slot_rule_release(struct slot_rule *rule);
/* Adds charges for the lost slots of the record's cycles, except for those that are undecided. */
void slot_rule_cycle(struct slot_rule *rule, const struct cycle *cycle);
/* Charges the undecided slots: to the branch if it has resolved, else to the miss. */
void slot_rule_decide(struct slot_rule *rule, bool is_branch);

#endif
