#include "count/slot_rule.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "core/frontend.h"

void slot_rule_init(struct slot_rule *rule, const struct config *config)
{
	*rule = (struct slot_rule){
		.width = shape_width(config),
		.window = shape_window(config),
		.depth = frontend_stages(config),
		.cache_levels = config->cache_levels,
	};
	while (rule->gap_mask + 1 < rule->depth)
		rule->gap_mask = 2 * rule->gap_mask + 1;
	rule->gaps = mem_alloc_array(rule->gap_mask + 1, sizeof(*rule->gaps));
}

void slot_rule_release(struct slot_rule *rule)
{
	free(rule->gaps);
	free(rule->charges);
}

static void charge(struct slot_rule *rule, enum cause cause, uint64_t pc, uint64_t slots)
{
	struct slot_charge *last =
		rule->charge_count ? &rule->charges[rule->charge_count - 1] : NULL;

	if (last && last->pc == pc && last->cause == cause) {
		last->slots += slots;
		return;
	}
	*ARRAY_PUSH(rule->charges, rule->charge_count, rule->charge_capacity) =
		(struct slot_charge){pc, slots, cause};
}

static enum cause fetch_cause(const struct cycle *c)
{
	if (UNLIKELY(c->excess & (EXCESS_FETCH_WALK | EXCESS_FETCH_BANDWIDTH)))
		return c->excess & EXCESS_FETCH_WALK ? CAUSE_WALK : CAUSE_BANDWIDTH;
	switch ((enum fetch_stall)c->fetch_stall) {
	case FETCH_ITLB: return CAUSE_ITLB;
	case FETCH_L1I: return CAUSE_L1I;
	case FETCH_L2I: return CAUSE_L2I;
	case FETCH_L3I: return CAUSE_L3I;
	case FETCH_MISFETCH: return CAUSE_BTB;
	case FETCH_TAKEN: return CAUSE_TAKEN;
	case FETCH_SERIALISE: return CAUSE_SERIALISE;
	default: return CAUSE_BASE;
	}
}

/* What the oldest instruction waits for. */
static enum cause head_cause(const struct cycle *c)
{
	static const uint8_t late_causes[] = {
		[LATE_INT_ALU] = CAUSE_UNIT_INT_ALU,
		[LATE_INT_MULDIV] = CAUSE_UNIT_INT_MULDIV,
		[LATE_MEMORY] = CAUSE_UNIT_MEMORY,
		[LATE_FP_ADD] = CAUSE_UNIT_FP_ADD,
		[LATE_WAIT] = CAUSE_WAIT,
		[LATE_FP_MULDIV] = CAUSE_UNIT_FP_MULDIV,
		[LATE_STORE_DTLB] = CAUSE_DTLB,
		[LATE_STORE_L1D] = CAUSE_L1D,
		[LATE_STORE_L2D] = CAUSE_L2D,
		[LATE_STORE_L3D] = CAUSE_L3D,
		[LATE_STORE_MSHR] = CAUSE_MSHR,
	};

	if (UNLIKELY(c->excess & (EXCESS_HEAD_WALK | EXCESS_HEAD_BANDWIDTH)))
		return c->excess & EXCESS_HEAD_WALK ? CAUSE_WALK : CAUSE_BANDWIDTH;
	if (c->head_late != LATE_NONE)
		return (enum cause)late_causes[c->head_late];
	switch ((enum head_state)c->head_state) {
	case HEAD_STORE: return CAUSE_STORE;
	case HEAD_UNIT: return CAUSE_LATENCY;
	case HEAD_DTLB: return CAUSE_DTLB;
	case HEAD_L1D: return CAUSE_L1D;
	case HEAD_L2D: return CAUSE_L2D;
	case HEAD_L3D: return CAUSE_L3D;
	case HEAD_MSHR: return CAUSE_MSHR;
	default: return CAUSE_DEPENDENCE;
	}
}

/* The reason why feed could not fill the pipeline; its effect on dispatch comes `depth` cycles
 * later. */
static struct gap gap_of(const struct slot_rule *rule, const struct cycle *c)
{
	struct gap gap = {rule->last_pc, CAUSE_BASE};

	if (!c->fed && !c->buffer_used) {
		gap.cause = (uint8_t)fetch_cause(c);
		gap.pc = c->fetch_pc;
	}
	return gap;
}

/* Charges slots that the front end left empty, in each of the record's cycles: an empty slot at
 * dispatch is caused by what feed could not do `depth` cycles earlier. */
static void charge_gaps(struct slot_rule *rule, const struct cycle *c, uint64_t slots)
{
	uint64_t looked_at = c->repeat < rule->depth ? c->repeat : rule->depth;

	for (uint64_t i = 0; i < looked_at; i++) {
		struct gap gap = rule->gaps[(c->number + i - rule->depth) & rule->gap_mask];

		charge(rule, (enum cause)gap.cause, gap.cause ? gap.pc : rule->last_pc, slots);
	}
	if (c->repeat > looked_at) { /* the cause of the later cycles is in this record itself */
		struct gap gap = gap_of(rule, c);

		charge(rule, (enum cause)gap.cause, gap.cause ? gap.pc : rule->last_pc,
		       slots * (c->repeat - looked_at));
	}
}

/* Charges the undecided slots: to the branch if it has resolved, else to the miss. */
void slot_rule_decide(struct slot_rule *rule, bool is_branch)
{
	rule->has_undecided = false;
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++) {
		if (rule->undecided[i])
			charge(rule, is_branch ? CAUSE_BRANCH : i,
			       is_branch ? rule->culprit : rule->undecided_pc, rule->undecided[i]);
		rule->undecided[i] = 0;
	}
}

static bool is_long_miss(const struct slot_rule *rule, const struct cycle *c)
{
	unsigned last = HEAD_L1D + rule->cache_levels - 1;

	return !c->committed && (c->head_state == last || c->head_state == HEAD_DTLB);
}

/* While a misprediction is unresolved, the right path would have dispatched: at full width until
 * the window was full, and then only as instructions commit. That many of the lost slots are
 * charged to the branch; the others would have been lost to the oldest instruction in any case.
 * `slots` are lost in each cycle. */
static void charge_branch(struct slot_rule *rule, const struct cycle *c, uint64_t slots)
{
	uint64_t room = rule->window - rule->would_hold + c->committed;
	uint64_t could = slots * c->repeat < room ? slots * c->repeat : room;

	if (!rule->is_wrong)
		could = slots * c->repeat;
	if (rule->is_wrong && is_long_miss(rule, c)) {
		rule->undecided[head_cause(c)] += could;
		rule->undecided_pc = c->head_pc;
		rule->has_undecided = true;
	} else {
		charge(rule, CAUSE_BRANCH, rule->culprit, could);
	}
	if (could < slots * c->repeat)
		charge(rule, head_cause(c), c->head_pc, slots * c->repeat - could);
	rule->would_hold += could;
}

static void charge_empty(struct slot_rule *rule, const struct cycle *c, uint64_t slots)
{
	struct gap now = gap_of(rule, c);

	if (rule->is_wrong)
		charge_branch(rule, c, slots);
	else if (!rule->is_refilling)
		charge_gaps(rule, c, slots);
	else if (now.cause == CAUSE_BASE || now.cause == CAUSE_SERIALISE)
		charge(rule, rule->refills_after, rule->culprit, slots * c->repeat);
	else
		charge(rule, (enum cause)now.cause, now.pc, slots * c->repeat);
}

static void charge_serialise(struct slot_rule *rule, const struct cycle *c, uint64_t slots)
{
	enum cause cause = head_cause(c);

	if (rule->is_wrong)
		charge_branch(rule, c, slots);
	else
		charge(rule, cause == CAUSE_DEPENDENCE ? CAUSE_SERIALISE : cause,
		       c->head_pc ? c->head_pc : rule->last_pc, slots * c->repeat);
}

/* In order, the record names what stops issue. Behind a mispredicted branch, it is the branch. */
static void charge_order(struct slot_rule *rule, const struct cycle *c, uint64_t slots)
{
	if (rule->is_wrong)
		charge_branch(rule, c, slots);
	else
		charge(rule, head_cause(c), c->head_pc, slots * c->repeat);
}

/* Charges what is lost behind a full window to what the oldest instruction waits for. */
static void charge_held(struct slot_rule *rule, const struct cycle *c)
{
	const uint64_t used = count_held_used(&rule->held, c, rule->width, c->useful_dispatched);
	const uint64_t empty = count_held_is_full(c) ? rule->width - c->dispatched : 0;
	const uint64_t lost = empty + c->useful_dispatched - used;

	if (used > c->useful_dispatched)
		charge(rule, CAUSE_BASE, rule->last_pc, used - c->useful_dispatched);
	else
		rule->filled = (uint32_t)used;
	if (lost)
		charge(rule, head_cause(c), c->head_pc, lost * c->repeat);
}

static void charge_lost(struct slot_rule *rule, const struct cycle *c)
{
	uint64_t slots = rule->width - c->dispatched;

	uint64_t wrong = (uint64_t)(c->dispatched - c->useful_dispatched - c->again_dispatched);

	if (c->again_dispatched)
		charge(rule, CAUSE_REPLAY, rule->replayed, c->again_dispatched * c->repeat);
	if (wrong)
		charge_branch(rule, c, wrong);
	if (!slots)
		return;
	switch ((enum dispatch_stall)c->dispatch_stall) {
	case DISPATCH_ORDER: charge_order(rule, c, slots); break;
	case DISPATCH_SERIALISE: charge_serialise(rule, c, slots); break;
	case DISPATCH_ROB:
	case DISPATCH_IQ:
	case DISPATCH_LSQ:
	case DISPATCH_BRANCHES: break; /* charge_held */
	default: charge_empty(rule, c, slots); break;
	}
}

static void take_events(struct slot_rule *rule, const struct cycle *c)
{
	if (!(c->event_kinds & (EVENT_BIT(EVENT_MISPREDICT) | EVENT_BIT(EVENT_REPLAY) |
				EVENT_BIT(EVENT_BRANCH_DISPATCH))))
		return;
	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		if (e->wrong_path)
			continue;
		if (e->kind == EVENT_MISPREDICT) {
			slot_rule_decide(rule, true);
			rule->is_wrong = false;
			rule->is_refilling = true;
			rule->refills_after = CAUSE_BRANCH;
		} else if (e->kind == EVENT_REPLAY) {
			slot_rule_decide(rule, false);
			rule->is_wrong = false;
			rule->is_refilling = true;
			rule->refills_after = CAUSE_REPLAY;
			rule->culprit = rule->replayed = e->pc;
		} else if (e->kind == EVENT_BRANCH_DISPATCH && e->mispredicted) {
			rule->is_wrong = true;
			rule->culprit = e->pc;
			/* The wrong path is not included; committed instructions are subtracted
			 * in cycle(). */
			rule->would_hold = (uint64_t)c->rob_used + c->committed +
					   c->useful_dispatched + c->again_dispatched -
					   c->dispatched;
		}
	}
}

void slot_rule_cycle(struct slot_rule *rule, const struct cycle *c)
{
	if (UNLIKELY(rule->has_undecided) && c->committed)
		slot_rule_decide(rule, false);
	/* Dispatch follows resolution in a cycle. A mispredicted branch is the last useful
	 * instruction that dispatches, so the remaining slots of its cycle are lost to it. */
	take_events(rule, c);
	if (c->useful_dispatched || c->again_dispatched) {
		/* The fetch buffer hides groups that taken branches cut short, but only once it
		 * contains instructions. */
		if (c->dispatch_stall != DISPATCH_EMPTY)
			rule->is_refilling = false;
	}
	if (c->useful_dispatched)
		rule->last_pc = c->useful_pcs[c->useful_dispatched - 1];
	if (c->useful_dispatched < rule->width)
		charge_lost(rule, c);
	rule->filled = c->useful_dispatched;
	if (count_held_is_full(c) || UNLIKELY(rule->held.owed))
		charge_held(rule, c);
	if (rule->is_wrong)
		rule->would_hold -= c->committed;
	struct gap gap = gap_of(rule, c);
	if (LIKELY(c->repeat == 1)) {
		rule->gaps[c->number & rule->gap_mask] = gap;
		return;
	}
	for (uint64_t i = 0; i < c->repeat && i < rule->depth; i++)
		rule->gaps[(c->number + c->repeat - 1 - i) & rule->gap_mask] = gap;
}
