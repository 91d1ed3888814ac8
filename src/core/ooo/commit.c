#include "core/ooo/ooo.h"

static void commit_branch(struct ooo *core, struct entry *e)
{
	struct ooo_counters *n = &core->counters;
	bool is_wrong = e->flags & ENTRY_MISPREDICTED;

	if (e->flags & ENTRY_PREDICTED)
		predictor_update(core->predictor, branch_kind_of(e->control), e->pc, e->bytes,
				 !!(e->flags & ENTRY_TAKEN), e->next_pc,
				 &core->predictions[ooo_slot(core, e)]);
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
		return HEAD_WAITS;
	if (!(e->flags & ENTRY_LOAD))
		return e->complete_at == NEVER || e->complete_at - core->now > 1 ||
				       e->unit == UNIT_MUL || e->unit == UNIT_DIV ||
				       e->unit >= UNIT_FP_ADD
			       ? HEAD_UNIT
			       : HEAD_EXECUTES;
	if (core->now < e->tlb_done_at)
		return HEAD_DTLB;
	if (e->level == LEVEL_L1)
		return HEAD_EXECUTES;
	return core->now < e->near_done_at ? HEAD_L1D : HEAD_L2D;
}

void ooo_commit(struct ooo *core)
{
	struct cycle *cycle = &core->cycle;

	if (core->buffer_first != core->buffer_last)
		ooo_store_buffer_drain(core);
	cycle->head_state = HEAD_EMPTY;
	while (core->head < core->dispatched) {
		struct entry *e = ooo_entry(core, core->head);

		cycle->head_pc = e->pc;
		if (e->complete_at > core->now) {
			cycle->head_state = unfinished_state(core, e);
			break;
		}
		bool writes = e->flags & ENTRY_STORE || (e->unit == UNIT_AMO && e->access_bytes &&
							 !insn_only_reserves(e->op));
		if (writes && !ooo_store_buffer_has_room(core)) {
			cycle->head_state = HEAD_STORE;
			break;
		}
		cycle->head_state = HEAD_DONE;
		if (cycle->committed == core->config.commit_width ||
		    core->counters.committed + cycle->committed == core->commit_limit)
			break;
		BUG_ON(e->flags & ENTRY_WRONG);
		if (UNLIKELY(e->pc == core->roi_return) && core->roi_depth-- == 0) {
			core->has_returned = true;
			break;
		}
		core->roi_depth += e->pc == core->roi_call;
		if (e->flags & (ENTRY_LOAD | ENTRY_STORE)) {
			if (e->flags & ENTRY_STORE)
				ooo_lsq_commit_store(core, e);
			if (writes)
				ooo_store_buffer_put(core, e);
			core->lsq_used--;
			core->counters.loads += !!(e->flags & ENTRY_LOAD);
			core->counters.stores += writes;
		}
		if (e->control != CONTROL_NONE)
			commit_branch(core, e);
		if (UNLIKELY(e->flags & ENTRY_SERIALISE)) {
			core->window_serialised = false;
			core->counters.serialised++;
		}
		if (core->wants_commits)
			ooo_event(core, EVENT_COMMIT, e, 0);
		core->head++;
		cycle->committed++;
		if (core->head == core->dispatched)
			cycle->head_state = HEAD_EMPTY;
	}
	core->counters.committed += cycle->committed;
	core->progressed |= cycle->committed > 0;
}
