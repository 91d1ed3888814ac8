/*
 * stages_rule.h - what the stacks of stages.h do with a record, for count_stages.c and
 * count_usual.c. Inside count/ only.
 */
#ifndef COUNT_STAGES_RULE_H
#define COUNT_STAGES_RULE_H

#include "base/bits.h"
#include "count/stages.h"

/* The cause for which the front end delivers nothing: a wrong path, an I-side miss, or the refill
 * after a wrong path. */
static inline enum component stages_front_cause(const struct stages *stages, const struct cycle *c,
						enum component stall)
{
	if (stages->shadow.is_wrong)
		return COMPONENT_BRANCH;
	if (stall != COMPONENT_BASE)
		return stall;
	if (stages->shadow.is_refilling || c->fetch_stall == FETCH_MISFETCH ||
	    c->fetch_stall == FETCH_TAKEN)
		return COMPONENT_BRANCH;
	return stages->shadow.is_replaying ? COMPONENT_RESOURCE : COMPONENT_BASE;
}

static inline enum component stages_head_cause(const struct cycle *c)
{
	static const uint8_t late[] = {
		[LATE_INT_ALU] = COMPONENT_RESOURCE,	[LATE_INT_MULDIV] = COMPONENT_RESOURCE,
		[LATE_MEMORY] = COMPONENT_RESOURCE,	[LATE_FP_ADD] = COMPONENT_RESOURCE,
		[LATE_FP_MULDIV] = COMPONENT_RESOURCE,	[LATE_WAIT] = COMPONENT_RESOURCE,
		[LATE_STORE_DTLB] = COMPONENT_DTLB,	[LATE_STORE_L1D] = COMPONENT_L1D,
		[LATE_STORE_L2D] = COMPONENT_L2D,	[LATE_STORE_L3D] = COMPONENT_L3D,
		[LATE_STORE_MSHR] = COMPONENT_RESOURCE,
	};
	static const uint8_t state[] = {
		[HEAD_EMPTY] = COMPONENT_BASE,	  [HEAD_STORE] = COMPONENT_RESOURCE,
		[HEAD_UNIT] = COMPONENT_RESOURCE, [HEAD_DTLB] = COMPONENT_DTLB,
		[HEAD_L1D] = COMPONENT_L1D,	  [HEAD_L2D] = COMPONENT_L2D,
		[HEAD_L3D] = COMPONENT_L3D,	  [HEAD_MSHR] = COMPONENT_RESOURCE,
	};

	return (enum component)(c->head_late ? late[c->head_late] : state[c->head_state]);
}

/* Why a stage did not pass more. */
struct stages_causes {
	enum component front, head;
};

static inline enum component stages_why_lost(struct stages_causes causes, enum stage_view view,
					     const struct cycle *c)
{
	bool is_front;

	switch (view) {
	case STAGE_DISPATCH:
		is_front =
			c->dispatch_stall == DISPATCH_NONE || c->dispatch_stall == DISPATCH_EMPTY;
		break;
	case STAGE_ISSUE:
		/* The issue queue has no instruction of the right path, though the window has room;
		 * or none of them is ready. */
		is_front = (!c->iq_used && !count_held_is_full(c)) || c->issued > c->useful_issued;
		break;
	default: is_front = c->head_state == HEAD_EMPTY; break;
	}
	return is_front ? causes.front : causes.head;
}

static inline __attribute__((always_inline)) void stages_charge(struct stages *stages,
								struct stages_causes causes,
								enum stage_view view,
								const struct cycle *c,
								uint64_t passed)
{
	uint64_t *shares = stages->shares[view], *surplus = &stages->surplus[view];
	const enum component why = stages_why_lost(causes, view, c);

	if (LIKELY(!*surplus && passed <= stages->width)) {
		shares[COMPONENT_BASE] += passed * c->repeat;
		shares[why] += (stages->width - passed) * c->repeat;
		return;
	}
	/* With a surplus, the cycles of a record are charged differently. */
	for (uint64_t left = c->repeat; left;) {
		uint64_t useful = passed + *surplus;
		uint64_t used = useful < stages->width ? useful : stages->width;
		uint64_t cycles = *surplus || useful > stages->width ? 1 : left;

		*surplus = useful - used;
		shares[COMPONENT_BASE] += used * cycles;
		shares[why] += (stages->width - used) * cycles;
		left -= cycles;
	}
}

/* Slots that were owed are lost to what the oldest instruction waits for; they have been base. */
static inline __attribute__((always_inline)) void stages_charge_dispatch(
	struct stages *stages, struct stages_causes causes, const struct cycle *c)
{
	const bool is_full = count_held_is_full(c);
	uint64_t used = c->useful_dispatched;

	if (is_full || stages->held.owed)
		used = count_held_used(&stages->held, c, stages->width, used);
	if (is_full || used == c->useful_dispatched) {
		stages_charge(stages, causes, STAGE_DISPATCH, c, used);
		return;
	}
	stages_charge(stages, causes, STAGE_DISPATCH, c, c->useful_dispatched);
	stages->shares[STAGE_DISPATCH][COMPONENT_BASE] -= c->useful_dispatched - used;
	stages->shares[STAGE_DISPATCH][causes.head] += c->useful_dispatched - used;
}

/* After the record's events: count_shadow_event and count_shadow_end. `stall` is that of
 * count_fetch_stall. */
static inline __attribute__((always_inline)) void stages_record(struct stages *stages,
								const struct cycle *c,
								enum component stall)
{
	const struct stages_causes causes = {stages_front_cause(stages, c, stall),
					     stages_head_cause(c)};

	stages_charge_dispatch(stages, causes, c);
	stages_charge(stages, causes, STAGE_ISSUE, c, c->useful_issued);
	stages_charge(stages, causes, STAGE_COMMIT, c, c->committed);
}

#endif
