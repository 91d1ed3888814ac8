#include "core/ooo/ooo.h"

/* Links operand i of e behind its producer. */
static void link_source(struct ooo *core, struct entry *e, unsigned i, uint32_t producer)
{
	e->producers[i] = (uint16_t)producer;
	e->next_link[i] = core->entries[producer].consumers;
	core->entries[producer].consumers = (uint16_t)(ooo_slot(core, e) * 4 + i);
}

/* When operand i will be there, as far as known; NEVER if its producer has not
 * issued, and then the operand is linked behind it. */
static inline uint64_t rename_source(struct ooo *core, struct entry *e, unsigned i)
{
	uint64_t writer = core->writers[e->rs[i]];
	uint32_t slot = (uint32_t)(writer & core->slot_mask);

	/* x0, and values already in the register file. */
	if (writer < core->head)
		return 0;
	uint64_t at = core->entries[slot].complete_at;
	if (at == NEVER)
		link_source(core, e, i, slot);
	return at;
}

static void enter_window(struct ooo *core, struct entry *e)
{
	uint64_t ready = core->now + 1, at;
	unsigned waiting = 0;

	e->consumers = NO_LINK;
	e->producers[0] = e->producers[1] = e->producers[2] = NO_LINK;
	at = rename_source(core, e, 0);
	waiting += at == NEVER;
	if (at != NEVER && at > ready)
		ready = at;
	if (e->rs[1]) {
		at = rename_source(core, e, 1);
		if (e->flags & ENTRY_STORE) {
			e->data_at = at;
			if (at == NEVER)
				e->flags |= ENTRY_DATA_WAIT;
		} else {
			waiting += at == NEVER;
			if (at != NEVER && at > ready)
				ready = at;
		}
	} else {
		e->data_at = 0;
	}
	if (UNLIKELY(e->rs[2])) {
		at = rename_source(core, e, 2);
		waiting += at == NEVER;
		if (at != NEVER && at > ready)
			ready = at;
	}
	e->ready_at = ready;
	e->waiting = (uint16_t)waiting;
	if (e->rd != REG_SINK) {
		e->previous = core->writers[e->rd];
		core->writers[e->rd] = e->sequence;
	}
	if (e->flags & (ENTRY_LOAD | ENTRY_STORE | ENTRY_SERIALISE)) {
		if (e->flags & (ENTRY_LOAD | ENTRY_STORE))
			ooo_lsq_add(core, e);
		if (e->flags & ENTRY_SERIALISE)
			core->window_serialised = true;
	}
	if (!waiting)
		ooo_schedule(core, e);
}

/* Room in the window, looked at once a cycle. */
struct room {
	uint32_t rob, iq, lsq;
};

static uint8_t dispatch_stall(const struct ooo *core, const struct entry *e,
			      const struct room *room)
{
	if (UNLIKELY(core->window_serialised))
		return DISPATCH_SERIALISE;
	if (!room->rob)
		return DISPATCH_ROB;
	if (!room->iq)
		return DISPATCH_IQ;
	if (e->flags & (ENTRY_LOAD | ENTRY_STORE) && !room->lsq)
		return DISPATCH_LSQ;
	if (UNLIKELY(e->flags & ENTRY_SERIALISE) && core->dispatched != core->head)
		return DISPATCH_SERIALISE;
	return DISPATCH_NONE;
}

void ooo_dispatch(struct ooo *core)
{
	const struct config *config = &core->config;
	const unsigned width = config->dispatch_width;
	const uint64_t now = core->now, fed = core->fed;
	struct room room = {config->rob_size - (uint32_t)(core->dispatched - core->head),
			    config->issue_queue_size - core->iq_used,
			    config->lsq_size - core->lsq_used};
	unsigned count = 0, useful = 0;
	uint8_t stall = DISPATCH_NONE;

	for (; count < width; count++) {
		struct entry *e = ooo_entry(core, core->dispatched);

		stall = core->dispatched == fed || e->ready_at > now
				? DISPATCH_EMPTY
				: dispatch_stall(core, e, &room);
		if (stall != DISPATCH_NONE)
			break;
		room.rob--;
		room.iq--;
		room.lsq -= !!(e->flags & (ENTRY_LOAD | ENTRY_STORE));
		core->useful_pcs[useful] = e->pc;
		useful += !(e->flags & ENTRY_WRONG);
		enter_window(core, e);
		core->dispatched++;
		if (e->flags & ENTRY_BRANCH)
			ooo_event(core, EVENT_BRANCH_DISPATCH, e, 0);
	}
	core->cycle.dispatched = (uint8_t)count;
	core->cycle.useful_dispatched = (uint8_t)useful;
	core->cycle.dispatch_stall = stall;
	core->iq_used += count;
	core->counters.dispatched += count;
	core->progressed |= count > 0;
}
