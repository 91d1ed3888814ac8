#include "core/ooo/ooo.h"

static void commit_branch(struct ooo *core, struct entry *e)
{
	struct ooo_counters *n = &core->counters;
	bool is_wrong = e->flags & ENTRY_MISPREDICTED;
	uint32_t slot = ooo_slot(core, e);

	if (e->flags & ENTRY_PREDICTED)
		predictor_update(core->predictor, branch_kind_of(e->control), e->pc, e->bytes,
				 !!(e->flags & ENTRY_TAKEN), core->details[slot].next_pc,
				 &core->predictions[slot]);
	n->mispredictions += is_wrong;
	if (!(e->flags & ENTRY_BRANCH))
		return;
	n->branches++;
	core->branches_in_flight--;
	if (e->control == CONTROL_CONDITIONAL) {
		n->conditional++;
		n->conditional_mispredictions += is_wrong;
	} else if (e->control == CONTROL_RETURN) {
		n->return_mispredictions += is_wrong;
	} else {
		n->indirect_mispredictions += is_wrong;
	}
}

static uint8_t unfinished_state(const struct ooo *core, const struct entry *e)
{
	if (!(e->flags & ENTRY_ISSUED))
		return e->flags & ENTRY_NO_MSHR ? HEAD_MSHR : HEAD_WAITS;
	if (!(e->flags & ENTRY_LOAD))
		return e->complete_at == NEVER || e->complete_at - core->now > 1 ||
				       e->unit == UNIT_MUL || e->unit == UNIT_DIV ||
				       e->unit >= UNIT_FP_ADD
			       ? HEAD_UNIT
			       : HEAD_EXECUTES;
	const struct detail *d = &core->details[ooo_slot(core, e)];
	if (core->now < d->tlb_done_at)
		return HEAD_DTLB;
	if (d->level == LEVEL_L1)
		return HEAD_EXECUTES;
	uint64_t l1_until =
		ooo_l1_until(core, d->tlb_done_at + core->config.l1d_latency, d->near_done_at);

	return (uint8_t)(HEAD_L1D + ooo_wait_level(core, l1_until, d->near_done_at));
}

/* With an empty window: what comes next, and what it waited for when it was fetched. */
static void look_ahead(struct ooo *core)
{
	if (core->dispatched == core->fetched)
		return;
	core->cycle.is_fronted = true;
	core->cycle.front_waits = ooo_entry(core, core->dispatched)->tags & FETCH_WAITS;
}

static unsigned commit_detail(const struct entry *e)
{
	return e->tags | (e->flags & ENTRY_BRANCH ? COMMIT_BRANCH : 0) |
	       (e->flags & ENTRY_MISPREDICTED ? COMMIT_MISPREDICTED : 0);
}

/* What most instructions do not have: memory, control, being alone. */
#define COMMIT_SPECIAL (ENTRY_LOAD | ENTRY_STORE | ENTRY_SERIALISE | ENTRY_CONTROL | ENTRY_WRONG)

static bool does_write(const struct ooo *core, const struct entry *e)
{
	return e->flags & ENTRY_STORE ||
	       (e->unit == UNIT_AMO && core->accesses[ooo_slot(core, e)].bytes &&
		!insn_only_reserves(e->op));
}

/* False if it cannot commit for want of a store buffer entry. */
static bool commit_special(struct ooo *core, struct entry *e)
{
	BUG_ON(e->flags & ENTRY_WRONG);
	if (e->flags & (ENTRY_LOAD | ENTRY_STORE)) {
		bool writes = does_write(core, e);

		if (writes && !ooo_store_buffer_has_room(core))
			return false;
		if (e->flags & ENTRY_STORE)
			ooo_lsq_commit_store(core, e);
		if (writes)
			ooo_store_buffer_put(core, e);
		core->lsq_used--;
		core->counters.loads += !!(e->flags & ENTRY_LOAD);
		core->counters.stores += writes;
	}
	if (e->flags & ENTRY_CONTROL)
		commit_branch(core, e);
	if (e->flags & ENTRY_SERIALISE) {
		core->window_serialised = false;
		core->counters.serialised++;
	}
	return true;
}

/* Where a run asked to end with a function's return has come. True: not past here. */
static bool ends_here(struct ooo *core, const struct entry *e)
{
	if (e->pc == core->roi_return && core->roi_depth-- == 0) {
		core->has_returned = true;
		return true;
	}
	core->roi_depth += e->pc == core->roi_call;
	return false;
}

/* A store that has to wait for the store buffer is not done, whatever the width. */
static uint8_t waiting_state(const struct ooo *core, const struct entry *e)
{
	return does_write(core, e) && !ooo_store_buffer_has_room(core) ? HEAD_STORE : HEAD_DONE;
}

void ooo_commit(struct ooo *core)
{
	const uint64_t now = core->now, dispatched = core->dispatched;
	const bool has_roi = core->roi_return != UINT64_MAX;
	uint64_t left = core->commit_limit - core->counters.committed, count = 0;
	uint64_t width = left < core->config.commit_width ? left : core->config.commit_width;
	struct entry *e = NULL;
	uint8_t state = HEAD_EMPTY;

	if (core->buffer_first != core->buffer_last)
		ooo_store_buffer_drain(core);
	for (; core->head < dispatched; core->head++, count++) {
		e = ooo_entry(core, core->head);
		if (e->complete_at > now) {
			state = unfinished_state(core, e);
			break;
		}
		if (count == width) {
			state = waiting_state(core, e);
			break;
		}
		if (UNLIKELY(has_roi) && ends_here(core, e)) {
			state = HEAD_DONE;
			break;
		}
		if (e->flags & COMMIT_SPECIAL && !commit_special(core, e)) {
			state = HEAD_STORE;
			break;
		}
		if (core->wants_events &&
		    (e->tags || e->flags & ENTRY_BRANCH || core->wants_commits))
			ooo_event(core, EVENT_COMMIT, e, commit_detail(e));
	}
	if (e)
		core->cycle.head_pc = e->pc;
	else
		look_ahead(core);
	core->cycle.head_state = state;
	core->cycle.committed = (uint16_t)count;
	core->counters.committed += count;
	core->progressed |= count > 0;
}
