#include "core/ooo/ooo.h"

/* Links operand i of e behind its producer, or notes when its value is there. */
static void rename_source(struct ooo *core, struct entry *e, unsigned i)
{
	uint64_t writer = core->writers[e->rs[i]];
	uint32_t slot = (uint32_t)(writer & core->slot_mask);
	struct entry *producer = &core->entries[slot];
	bool is_data = e->unit == UNIT_STORE && i == 1;

	e->producers[i] = NO_LINK;
	/* x0, and values already in the register file. */
	if (writer < core->head)
		return;
	if (producer->complete_at == NEVER) {
		e->producers[i] = (uint16_t)slot;
		e->next_link[i] = producer->consumers;
		producer->consumers = (uint16_t)(ooo_slot(core, e) * 4 + i);
		if (is_data)
			e->flags |= ENTRY_DATA_WAIT;
		else
			e->waiting++;
	} else if (is_data) {
		e->data_at = producer->complete_at;
	} else if (producer->complete_at > e->ready_at) {
		e->ready_at = producer->complete_at;
	}
}

static void enter_window(struct ooo *core, struct entry *e)
{
	e->waiting = 0;
	e->consumers = NO_LINK;
	e->ready_at = core->now + 1;
	e->data_at = 0;
	for (unsigned i = 0; i < 3; i++)
		rename_source(core, e, i);
	if (e->rd != REG_SINK) {
		e->previous = core->writers[e->rd];
		core->writers[e->rd] = e->sequence;
	}
	core->iq_used++;
	if (e->flags & (ENTRY_LOAD | ENTRY_STORE))
		ooo_lsq_add(core, e);
	if (e->flags & ENTRY_SERIALISE)
		core->window_serialised = true;
	if (!e->waiting)
		ooo_schedule(core, e);
}

static uint8_t dispatch_stall(const struct ooo *core, const struct entry *e)
{
	const struct config *config = &core->config;

	if (core->window_serialised)
		return DISPATCH_SERIALISE;
	if (core->dispatched - core->head >= config->rob_size)
		return DISPATCH_ROB;
	if (core->iq_used >= config->issue_queue_size)
		return DISPATCH_IQ;
	if (e->flags & (ENTRY_LOAD | ENTRY_STORE) && core->lsq_used >= config->lsq_size)
		return DISPATCH_LSQ;
	if (e->flags & ENTRY_SERIALISE && core->dispatched != core->head)
		return DISPATCH_SERIALISE;
	return DISPATCH_NONE;
}

void ooo_dispatch(struct ooo *core)
{
	struct cycle *cycle = &core->cycle;

	while (cycle->dispatched < core->config.dispatch_width) {
		struct entry *e = ooo_entry(core, core->dispatched);

		if (core->dispatched == core->fed || e->ready_at > core->now) {
			cycle->dispatch_stall = DISPATCH_EMPTY;
			break;
		}
		cycle->dispatch_stall = dispatch_stall(core, e);
		if (cycle->dispatch_stall != DISPATCH_NONE)
			break;
		enter_window(core, e);
		core->dispatched++;
		cycle->dispatched++;
		cycle->useful_dispatched += !(e->flags & ENTRY_WRONG);
		if (e->flags & ENTRY_BRANCH)
			ooo_event(core, EVENT_BRANCH_DISPATCH, e, 0);
	}
	core->counters.dispatched += cycle->dispatched;
	core->progressed |= cycle->dispatched > 0;
}
