#include "core/ooo/ooo.h"

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* What does not change while instructions are dispatched, kept out of memory. */
struct dispatching {
	struct ooo *core;
	struct entry *entries;
	uint64_t *wheel;
	uint64_t next; /* the cycle after this one */
	uint32_t slot_mask;
};

/* Links operand i of the instruction in `slot` behind the writer of a register, which has not
 * issued. Operands are linked in order: leave_window relies on it. */
static inline void link_source(const struct dispatching *d, struct entry *e, uint32_t slot,
			       unsigned i, const struct reg_state *reg)
{
	uint32_t writer = (uint32_t)reg->writer & d->slot_mask;
	struct entry *producer = &d->entries[writer];

	e->producers[i] = (uint16_t)writer;
	e->next_link[i] = producer->consumers;
	producer->consumers = (uint16_t)(slot * 4 + i);
}

/* Registers hold the time of their value, so that a source costs one look: x0 and what is not
 * used are there since cycle 0. */
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

/* Those that passed the front end by now. */
static inline void ripen(struct ooo *core)
{
	while (core->group_first < core->group_last &&
	       core->groups[core->group_first & core->slot_mask].at <= core->base.now)
		core->ripe = core->groups[core->group_first++ & core->slot_mask].end;
}

/* Of a serialising instruction, or of any while the load-store queue is nearly full: why it
 * cannot dispatch. */
static uint8_t why_not(const struct ooo *core, unsigned flags, uint64_t sequence)
{
	if (flags & (ENTRY_LOAD | ENTRY_STORE) && core->lsq_used == core->config.lsq_size)
		return DISPATCH_LSQ;
	if (flags & ENTRY_SERIALISE && sequence != core->head)
		return DISPATCH_SERIALISE;
	return DISPATCH_NONE;
}

/* The number of words of a mask is a constant where this is inlined. */
static inline __attribute__((always_inline)) void dispatch(struct ooo *core, const uint32_t words)
{
	const struct config *config = &core->config;
	const uint32_t width = config->dispatch_width;
	const uint64_t first = core->dispatched;

	ripen(core);
	const uint32_t ripe = (uint32_t)(core->ripe - first);
	const uint32_t rob_room = config->rob_size - (uint32_t)(first - core->head);
	const uint32_t iq_room = config->issue_queue_size - core->iq_used;
	const uint32_t most = least(least(width, ripe), least(rob_room, iq_room));
	uint64_t sequence = first, end = core->window_serialised ? first : first + most;
	const struct dispatching d = {core, core->entries, core->wheel, core->base.now + 1,
				      core->slot_mask};
	const uint32_t wants = core->wants;
	/* Mostly there is room for whatever comes. */
	const bool is_roomy = config->lsq_size - core->lsq_used >= most;
	const unsigned careful = ENTRY_SERIALISE | (is_roomy ? 0 : ENTRY_LOAD | ENTRY_STORE);
	uint32_t useful = 0;
	uint8_t stall = DISPATCH_NONE;

	for (; sequence != end; sequence++) {
		struct entry *e = &d.entries[sequence & d.slot_mask];
		unsigned flags = e->flags;

		if (UNLIKELY(flags & careful)) {
			stall = why_not(core, flags, sequence);
			if (stall != DISPATCH_NONE)
				break;
			if (flags & ENTRY_SERIALISE) {
				core->window_serialised = true;
				end = sequence + 1;
			}
		}
		core->lsq_used += !!(flags & (ENTRY_LOAD | ENTRY_STORE));
		enter_window(&d, e, sequence, flags, words);
		if (UNLIKELY(wants)) {
			core->useful_pcs[useful] = e->pc;
			if (flags & ENTRY_BRANCH)
				ooo_event(core, EVENT_BRANCH_DISPATCH, e, 0);
			if (UNLIKELY(wants & EVENT_BIT(EVENT_DISPATCH)))
				ooo_event_of_class(core, EVENT_DISPATCH, e, 0);
		}
		useful += ~flags & ENTRY_WRONG;
	}
	const uint32_t count = (uint32_t)(sequence - first);
	if (count < width && stall == DISPATCH_NONE)
		stall = count == ripe		  ? DISPATCH_EMPTY
			: core->window_serialised ? DISPATCH_SERIALISE
			: count == rob_room	  ? DISPATCH_ROB
						  : DISPATCH_IQ;
	core->dispatched = sequence;
	core->iq_used += count;
	core->cycle.dispatched = (uint16_t)count;
	core->cycle.useful_dispatched = (uint16_t)useful;
	core->cycle.dispatch_stall = stall;
	core->base.totals.dispatched += count;
	core->progressed |= count > 0;
}

void ooo_dispatch(struct ooo *core)
{
	if (LIKELY(core->mask_words == 4))
		dispatch(core, 4);
	else
		dispatch(core, core->mask_words);
}
