#include "core/ooo/ooo.h"

/* Links operand i of e behind its producer, if that has not issued; true if so. */
static bool link_source(struct ooo *core, struct entry *e, unsigned i)
{
	const struct reg_state *reg = &core->regs[e->rs[i]];

	if (reg->at != NEVER)
		return false;
	uint32_t slot = (uint32_t)(reg->writer & core->slot_mask);
	struct entry *producer = &core->entries[slot];

	e->producers[i] = (uint16_t)slot;
	e->next_link[i] = producer->consumers;
	producer->consumers = (uint16_t)(ooo_slot(core, e) * 4 + i);
	return true;
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The same for all operands but a store's data; returns when those known will be there. */
static uint64_t link_sources(struct ooo *core, struct entry *e, uint64_t ready)
{
	for (unsigned i = 0; i < 3; i++) {
		if (i == 1 && e->flags & ENTRY_STORE)
			continue;
		if (link_source(core, e, i))
			e->waiting++;
		else
			ready = later(ready, core->regs[e->rs[i]].at);
	}
	return ready;
}

static void rename_store_data(struct ooo *core, struct entry *e)
{
	if (link_source(core, e, 1))
		e->flags |= ENTRY_DATA_WAIT;
	core->details[ooo_slot(core, e)].data_at = core->regs[e->rs[1]].at;
}

/* Registers hold the time of their value, so that a source costs one look and most often no
 * branch: x0 and what is not used are there since cycle 0. */
static inline __attribute__((always_inline)) void enter_window(struct ooo *core, struct entry *e,
							       uint64_t sequence, uint32_t words)
{
	struct reg_state *regs = core->regs, *rd = &regs[e->rd];
	uint64_t first = regs[e->rs[0]].at, second = regs[e->rs[1]].at, third = regs[e->rs[2]].at;
	uint64_t ready = core->now + 1;

	e->complete_at = NEVER;
	e->consumers = NO_LINK;
	e->producers[0] = e->producers[1] = e->producers[2] = NO_LINK;
	e->waiting = 0;
	e->previous = rd->writer;
	if (e->flags & ENTRY_STORE) {
		rename_store_data(core, e);
		second = 0;
	}
	uint64_t last = later(later(first, second), third);
	if (last == NEVER) {
		e->ready_at = link_sources(core, e, ready);
	} else {
		e->ready_at = ready = later(ready, last);
		ooo_schedule(core, e, (uint32_t)sequence & core->slot_mask, ready, words);
	}
	rd->writer = sequence;
	rd->at = NEVER;
}

/* Those that passed the front end by now. */
static void ripen(struct ooo *core)
{
	while (core->group_first < core->group_last &&
	       core->groups[core->group_first & core->slot_mask].at <= core->now)
		core->ripe = core->groups[core->group_first++ & core->slot_mask].end;
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Memory and serialising instructions have conditions of their own. */
static inline uint8_t enter_special(struct ooo *core, struct entry *e)
{
	if (e->flags & (ENTRY_LOAD | ENTRY_STORE)) {
		if (core->lsq_used == core->config.lsq_size)
			return DISPATCH_LSQ;
		if (UNLIKELY(e->flags & ENTRY_SERIALISE) && core->dispatched != core->head)
			return DISPATCH_SERIALISE;
		core->lsq_used++;
		if (e->flags & ENTRY_STORE)
			ooo_lsq_add_store(core, e);
	} else if (core->dispatched != core->head) {
		return DISPATCH_SERIALISE;
	}
	core->window_serialised = e->flags & ENTRY_SERIALISE;
	return DISPATCH_NONE;
}

static inline __attribute__((always_inline)) void dispatch(struct ooo *core, uint32_t words)
{
	const struct config *config = &core->config;
	const uint32_t width = config->dispatch_width;

	ripen(core);
	uint32_t ripe = (uint32_t)(core->ripe - core->dispatched);
	uint32_t rob_room = config->rob_size - (uint32_t)(core->dispatched - core->head);
	uint32_t iq_room = config->issue_queue_size - core->iq_used;
	uint32_t most = least(least(width, ripe), least(rob_room, iq_room));
	uint32_t count = 0, useful = 0;
	uint8_t stall = DISPATCH_NONE;

	while (count < most && !core->window_serialised) {
		struct entry *e = ooo_entry(core, core->dispatched);
		unsigned flags = e->flags;

		if (flags & (ENTRY_LOAD | ENTRY_STORE | ENTRY_SERIALISE)) {
			stall = enter_special(core, e);
			if (stall != DISPATCH_NONE)
				break;
		}
		core->useful_pcs[useful] = e->pc;
		useful += ~flags & ENTRY_WRONG;
		enter_window(core, e, core->dispatched, words);
		core->dispatched++;
		count++;
		if (flags & ENTRY_BRANCH)
			ooo_event(core, EVENT_BRANCH_DISPATCH, e, 0);
	}
	if (count < width && stall == DISPATCH_NONE)
		stall = count == ripe		  ? DISPATCH_EMPTY
			: core->window_serialised ? DISPATCH_SERIALISE
			: count == rob_room	  ? DISPATCH_ROB
						  : DISPATCH_IQ;
	core->cycle.dispatched = (uint16_t)count;
	core->cycle.useful_dispatched = (uint16_t)useful;
	core->cycle.dispatch_stall = stall;
	core->iq_used += count;
	core->counters.dispatched += count;
	core->progressed |= count > 0;
}

void ooo_dispatch(struct ooo *core)
{
	if (LIKELY(core->mask_words == 4))
		dispatch(core, 4);
	else
		dispatch(core, core->mask_words);
}
