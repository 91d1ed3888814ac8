#include "core/ooo/ooo.h"

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* What is left of a limit, which may have become less than what is used. */
static inline uint32_t room_of(uint32_t limit, uint32_t used)
{
	return used < limit ? limit - used : 0;
}

/* Values that do not change while instructions are dispatched, so that the compiler can keep them
 * in registers. */
struct dispatching {
	struct ooo *core;
	struct entry *entries;
	uint64_t *wheel;
	uint64_t next; /* the cycle after this one */
	uint32_t slot_mask;
};

/* Adds operand i of the instruction in `slot` to the consumers of the register's writer, which
 * has not issued. Operands are linked in order: leave_window relies on it. */
static inline void link_source(const struct dispatching *d, struct entry *e, uint32_t slot,
			       unsigned i, const struct reg_state *reg)
{
	uint32_t writer = (uint32_t)reg->writer & d->slot_mask;
	struct entry *producer = &d->entries[writer];

	e->producers[i] = (uint16_t)writer;
	e->next_link[i] = producer->consumers;
	producer->consumers = (uint16_t)(slot * 4 + i);
}

/* Each register holds the time at which its value is available, so that a source needs one load.
 * The value of x0, which also stands for unused sources, is available from cycle 0. */
static inline __attribute__((always_inline)) void enter_window(const struct dispatching *d,
							       struct entry *e, uint64_t sequence,
							       unsigned flags, uint32_t words)
{
	const uint32_t slot = (uint32_t)sequence & d->slot_mask;
	struct reg_state *const regs = d->core->regs, *const rd = &regs[e->rd];
	const struct reg_state *first = &regs[e->rs[0]], *second = &regs[e->rs[1]], *third;
	uint64_t ready = d->next;
	uint32_t waiting = 0;

	e->complete_at = NEVER;
	e->consumers = NO_LINK;
	e->producers[0] = e->producers[1] = e->producers[2] = NO_LINK;
	e->previous = rd->writer;
	if (first->at == NEVER) {
		link_source(d, e, slot, 0, first);
		waiting = 1;
	} else {
		ready = later(ready, first->at);
	}
	if (flags & ENTRY_STORE) {
		if (second->at == NEVER) {
			link_source(d, e, slot, OPERAND_DATA, second);
			e->flags = (uint16_t)(flags | ENTRY_DATA_WAIT);
		}
		d->core->details[slot].data_at = second->at;
		ooo_lsq_add_store(d->core, e, sequence);
	} else {
		if (second->at == NEVER) {
			link_source(d, e, slot, 1, second);
			waiting++;
		} else {
			ready = later(ready, second->at);
		}
		if (UNLIKELY(e->rs[2])) {
			third = &regs[e->rs[2]];
			if (third->at == NEVER) {
				link_source(d, e, slot, 2, third);
				waiting++;
			} else {
				ready = later(ready, third->at);
			}
		}
	}
	e->ready_at = ready;
	e->waiting = (uint16_t)waiting;
	rd->writer = sequence;
	rd->at = NEVER;
	if (!waiting)
		ooo_schedule(d->core, d->wheel, e->queue, slot, d->next - 1, ready, words);
}

/* Advances `passed` over the instructions that have passed the front end by now. */
static inline void pass_front_end(struct ooo *core)
{
	while (core->group_first < core->group_last &&
	       core->groups[core->group_first & core->group_mask].at <= core->base.now)
		core->passed = core->groups[core->group_first++ & core->group_mask].end;
}

/* Why a serialising instruction, or any instruction while the load-store queue is nearly full,
 * cannot dispatch. */
static uint8_t why_not(const struct ooo *core, unsigned flags, uint64_t sequence)
{
	if (flags & (ENTRY_LOAD | ENTRY_STORE) && core->lsq_used >= core->config.lsq_size)
		return DISPATCH_LSQ;
	if (flags & ENTRY_SERIALISE && sequence != core->head)
		return DISPATCH_SERIALISE;
	return DISPATCH_NONE;
}

/* Why no instruction has passed the front end: what would have by now was to be fed as many cycles
 * ago as it has stages. */
static inline uint8_t why_empty(const struct ooo *core, uint64_t first)
{
	const uint64_t fed_at = core->base.now - core->stages;

	return fed_at >= core->held_from && fed_at <= core->held_until && core->head != first
		       ? DISPATCH_BRANCHES
		       : DISPATCH_EMPTY;
}

/* Writes what was asked for of the instructions [first, end), which dispatch in this cycle. */
static void note_dispatched(struct ooo *core, uint64_t first, uint64_t end)
{
	const bool wants_all = ooo_wants(core, EVENT_DISPATCH);
	/* A branch has an event if it has one of these flags, and none of those. */
	const unsigned noted = core->base.is_mistaken_only ? ENTRY_MISPREDICTED : ENTRY_BRANCH;
	const unsigned left_out = core->base.is_mistaken_only ? ENTRY_WRONG | ENTRY_RESOLVED : 0;
	uint64_t *useful_pcs = core->base.lists->useful_pcs;

	for (uint64_t sequence = first; sequence != end; sequence++) {
		const struct entry *e = ooo_entry(core, sequence);
		const unsigned flags = e->flags;

		*useful_pcs = e->pc;
		useful_pcs += !(flags & (ENTRY_WRONG | ENTRY_REDISPATCH));
		if (flags & noted && flags & ENTRY_BRANCH && !(flags & left_out))
			ooo_event_branch(core, EVENT_BRANCH_DISPATCH, e);
		if (UNLIKELY(wants_all))
			ooo_event_of_class(core, EVENT_DISPATCH, e, 0, flags & ENTRY_REDISPATCH);
	}
}

/* The number of words of a mask, and whether there are several issue queues or store sets, and so
 * replays, are constants where this is inlined. */
static inline __attribute__((always_inline)) void dispatch(struct ooo *core, const uint32_t words,
							   const bool is_split, const bool has_sets)
{
	const struct config *config = &core->config;
	const uint32_t width = config->dispatch_width;
	const uint64_t first = core->dispatched;

	pass_front_end(core);
	const uint32_t passed = (uint32_t)(core->passed - first);
	const uint32_t rob_room = room_of(config->rob_size, (uint32_t)(first - core->head));
	const uint32_t iq_room =
		is_split ? width : room_of(config->issue_queue_size, core->iq_used);
	const uint32_t most = least(least(width, passed), least(rob_room, iq_room));
	uint64_t sequence = first, end = core->window_serialised ? first : first + most;
	const struct dispatching d = {core, core->entries, core->wheel, core->base.now + 1,
				      core->slot_mask};
	/* Usually the load-store queue has room for the whole group. */
	const bool has_lsq_room = core->lsq_used + most <= config->lsq_size;
	const unsigned checked_flags = ENTRY_SERIALISE |
				       (has_lsq_room ? 0 : ENTRY_LOAD | ENTRY_STORE) |
				       (has_sets ? ENTRY_LOAD | ENTRY_REDISPATCH : 0);
	uint32_t useful = 0, again = 0;
	uint8_t stall = DISPATCH_NONE;

	for (; sequence != end; sequence++) {
		struct entry *e = &d.entries[sequence & d.slot_mask];
		unsigned flags = e->flags, is_useful = !(flags & ENTRY_WRONG);

		if (is_split) {
			enum issue_class class = issue_class_of(e);

			if (core->split_used[class] >= core->split_size[class]) {
				stall = DISPATCH_IQ;
				break;
			}
		}
		if (UNLIKELY(flags & checked_flags)) {
			stall = why_not(core, flags, sequence);
			if (stall != DISPATCH_NONE)
				break;
			if (flags & ENTRY_SERIALISE) {
				core->window_serialised = true;
				end = sequence + 1;
			}
			if (has_sets && flags & ENTRY_REDISPATCH) {
				again += is_useful;
				is_useful = 0;
			}
			if (has_sets && flags & ENTRY_LOAD)
				ooo_sets_add_load(core, e, (uint32_t)sequence & d.slot_mask);
		}
		core->lsq_used += !!(flags & (ENTRY_LOAD | ENTRY_STORE));
		if (is_split)
			core->split_used[issue_class_of(e)]++;
		enter_window(&d, e, sequence, flags, words);
		useful += is_useful;
	}
	const uint32_t count = (uint32_t)(sequence - first);
	if (count < width && stall == DISPATCH_NONE)
		stall = count == passed		  ? why_empty(core, first)
			: core->window_serialised ? DISPATCH_SERIALISE
			: count == rob_room	  ? DISPATCH_ROB
						  : DISPATCH_IQ;
	if (core->base.wants &
	    (EVENTS_USEFUL | EVENT_BIT(EVENT_BRANCH_DISPATCH) | EVENT_BIT(EVENT_DISPATCH)))
		note_dispatched(core, first, sequence);
	core->dispatched = sequence;
	core->iq_used += count;
	core->base.record->dispatched = (uint16_t)count;
	core->base.record->useful_dispatched = (uint16_t)useful;
	core->base.record->again_dispatched = (uint16_t)again;
	core->base.record->dispatch_stall = stall;
	core->base.totals.dispatched += count;
	core->base.progressed |= count > 0;
}

#define STAGE(name, words, is_split, has_sets)             \
	static void name(struct ooo *core)                 \
	{                                                  \
		dispatch(core, words, is_split, has_sets); \
	}
STAGE(dispatch_plain_4, 4, false, false)
STAGE(dispatch_plain, core->mask_words, false, false)
STAGE(dispatch_sets_8, 8, false, true)
STAGE(dispatch_sets, core->mask_words, false, true)
STAGE(dispatch_split, core->mask_words, true, core->has_sets)
#undef STAGE

ooo_stage *ooo_choose_dispatch(const struct ooo *core)
{
	if (core->is_split)
		return dispatch_split;
	if (core->has_sets)
		return core->mask_words == 8 ? dispatch_sets_8 : dispatch_sets;
	return core->mask_words == 4 ? dispatch_plain_4 : dispatch_plain;
}
