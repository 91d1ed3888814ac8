#include "core/ooo/ooo.h"

static void commit_branch(struct ooo *core, struct entry *e)
{
	uint32_t slot = ooo_slot(core, e);

	if (e->flags & ENTRY_PREDICTED)
		predictor_update(core->predictor, branch_kind_of(e->control), e->pc, e->bytes,
				 !!(e->flags & ENTRY_TAKEN), core->details[slot].next_pc,
				 &core->predictions[slot]);
	core->branches_committed += !!(e->flags & ENTRY_BRANCH);
	fetch_count_control(&core->base.totals, e->control, e->flags & ENTRY_BRANCH,
			    e->flags & ENTRY_MISPREDICTED);
}

static uint8_t unfinished_state(struct ooo *core, const struct entry *e)
{
	if (!(e->flags & ENTRY_ISSUED))
		return e->flags & ENTRY_NO_MSHR ? HEAD_MSHR : HEAD_WAITS;
	if (!(e->flags & ENTRY_LOAD))
		return e->complete_at == NEVER || e->complete_at - core->base.now > 1 ||
				       e->unit == UNIT_MUL || e->unit == UNIT_DIV ||
				       e->unit >= UNIT_FP_ADD
			       ? HEAD_UNIT
			       : HEAD_EXECUTES;
	const struct detail *d = &core->details[ooo_slot(core, e)];
	if (core->base.now < d->tlb_done_at) {
		if (core->base.now >= d->tlb_done_at - d->walk_cycles)
			core->base.record->excess |= EXCESS_HEAD_WALK;
		return HEAD_DTLB;
	}
	if (!d->miss_until[0])
		return HEAD_EXECUTES;
	if (core->base.now >= e->complete_at - d->queue_cycles)
		core->base.record->excess |= EXCESS_HEAD_BANDWIDTH;
	return (uint8_t)(HEAD_L1D + ooo_wait_level(core, d->miss_until));
}

static const uint8_t unit_kinds[UNIT_COUNT] = {
	[UNIT_ALU] = LATE_INT_ALU,	[UNIT_BRANCH] = LATE_INT_ALU,
	[UNIT_JUMP] = LATE_INT_ALU,	[UNIT_JUMP_INDIRECT] = LATE_INT_ALU,
	[UNIT_FENCE] = LATE_INT_ALU,	[UNIT_CSR] = LATE_INT_ALU,
	[UNIT_SYSTEM] = LATE_INT_ALU,	[UNIT_MUL] = LATE_INT_MULDIV,
	[UNIT_DIV] = LATE_INT_MULDIV,	[UNIT_LOAD] = LATE_MEMORY,
	[UNIT_STORE] = LATE_MEMORY,	[UNIT_AMO] = LATE_MEMORY,
	[UNIT_FP_ADD] = LATE_FP_ADD,	[UNIT_FP_MUL] = LATE_FP_MULDIV,
	[UNIT_FP_DIV] = LATE_FP_MULDIV,
};

uint8_t ooo_late_state(const struct ooo *core, const struct entry *e, uint64_t now)
{
	const unsigned flags = e->flags;

	if (flags & ENTRY_ISSUED)
		return flags & ENTRY_DELAYED && now >= e->ready_at ? (uint8_t)e->waiting
								   : LATE_NONE;
	/* A load that had to wait for something else does not wait for a port. */
	if (flags & ENTRY_DELAYED && flags & ENTRY_LOAD)
		return LATE_NONE;
	const uint8_t kind = unit_kinds[e->unit];
	const struct taken *taken = &core->taken[kind];
	const uint64_t ready =
		flags & ENTRY_DELAYED ? core->details[ooo_slot(core, e)].wanted_at : e->ready_at;

	return ready < now && taken->since < now && taken->until >= now ? kind : LATE_NONE;
}

/* Why the store buffer is full: what its oldest store waits for. */
static uint8_t store_late_state(const struct ooo *core)
{
	const struct pending_store *s = &core->store_buffer[core->buffer_first % STORE_BUFFER_MAX];

	if (core->buffer_first == core->buffer_written)
		return core->store_retry_at > core->base.now ? LATE_STORE_MSHR : LATE_NONE;
	if (core->base.now < s->tlb_done_at)
		return LATE_STORE_DTLB;
	if (!s->miss_until[0])
		return LATE_NONE;
	return (uint8_t)(LATE_STORE_L1D + ooo_wait_level(core, s->miss_until));
}

/* With an empty window, records whether an instruction follows and what it waited for when it was
 * fetched. */
static void look_ahead(struct ooo *core)
{
	if (core->dispatched == core->fetched)
		return;
	core->base.record->is_fronted = true;
	core->base.record->front_waits = ooo_entry(core, core->dispatched)->tags & FETCH_WAITS;
}

/* Flags that most instructions do not have. Loads are counted without a conditional branch. */
#define COMMIT_SPECIAL (ENTRY_STORE | ENTRY_SERIALISE | ENTRY_CONTROL | ENTRY_WRONG)

/* False if it cannot commit because the store buffer is full. */
static bool commit_special(struct ooo *core, struct entry *e)
{
	unsigned flags = e->flags;

	if (flags & ENTRY_CONTROL) {
		BUG_ON(flags & ENTRY_WRONG);
		commit_branch(core, e);
		return true;
	}
	bool writes = ooo_does_write(core, e);
	if (writes && !ooo_store_buffer_has_room(core))
		return false;
	BUG_ON(flags & ENTRY_WRONG);
	if (flags & ENTRY_STORE) {
		ooo_lsq_commit_store(core, e);
		core->lsq_used--;
	}
	if (writes) {
		ooo_store_buffer_put(core, e);
		core->base.totals.stores++;
	}
	if (flags & ENTRY_SERIALISE) {
		core->window_serialised = false;
		core->base.totals.serialised++;
	}
	return true;
}

/* A store that waits for the store buffer is HEAD_STORE even if the commit width is used up. */
static uint8_t waiting_state(const struct ooo *core, const struct entry *e)
{
	return ooo_does_write(core, e) && !ooo_store_buffer_has_room(core) ? HEAD_STORE : HEAD_DONE;
}

/* Where committed_pcs is asked for and not every commit: what commits is looked at again only if an
 * event of it may be needed. `flags` and `tags` are those of all that commit, flags of branches and
 * tags if they are needed. */
static inline void retire_few(struct ooo *core, uint64_t first, uint64_t end, unsigned flags,
			      unsigned tags)
{
	const unsigned needs = ooo_wants(core, EVENT_COMMIT) ? core->base.commit_needs : 0;
	/* As in commit_detail; other instructions have none of these flags, and may write. */
	const unsigned detail = tags | (flags & ENTRY_BRANCH) << 12 | (flags & ENTRY_TAKEN) << 13 |
				(flags & ENTRY_MISPREDICTED) << 11 | COMMIT_WRITES;

	if (UNLIKELY(detail & needs))
		ooo_retire_needed(core, first, end);
}

static inline __attribute__((always_inline)) void commit(struct ooo *core, bool wants_pcs)
{
	const uint64_t now = core->base.now, first = core->head, dispatched = core->dispatched;
	const uint64_t width = core_commit_width(&core->base, core->config.commit_width);
	struct entry *const entries = core->entries, *e = NULL;
	uint64_t head = first;
	uint32_t loads = 0;
	const bool needs_tags = core->base.commit_needs & (COMMIT_BRANCH - 1);
	unsigned flags = 0, tags = 0;
	uint8_t state = HEAD_EMPTY, late = LATE_NONE;

	if (now >= core->drain_at)
		ooo_store_buffer_drain(core);
	for (; head != dispatched; head++) {
		e = &entries[head & core->slot_mask];
		if (e->complete_at > now) {
			state = unfinished_state(core, e);
			late = ooo_late_state(core, e, now);
			break;
		}
		if (head - first == width) {
			state = waiting_state(core, e);
			break;
		}
		if (core_ends_before(&core->base, e->pc)) {
			state = HEAD_DONE;
			break;
		}
		if (e->flags & COMMIT_SPECIAL) {
			if (!commit_special(core, e)) {
				state = HEAD_STORE;
				break;
			}
			flags |= e->flags;
		}
		core_follow_commit(&core->base, e->pc);
		loads += !!(e->flags & ENTRY_LOAD);
		if (!wants_pcs)
			continue;
		core->base.committed_pcs[head - first] = e->pc;
		if (UNLIKELY(needs_tags))
			tags |= e->tags;
	}
	if (core->base.wants & (EVENT_BIT(EVENT_COMMIT_PLAIN) | EVENTS_RETIRED) ||
	    (!wants_pcs && core->base.wants & EVENT_BIT(EVENT_COMMIT)))
		ooo_retire(core, first, head);
	else if (wants_pcs)
		retire_few(core, first, head, flags, tags);
	if (UNLIKELY(state == HEAD_STORE)) {
		late = store_late_state(core);
		ooo_retire_note_store(core, (enum head_late)late);
	}
	if (e)
		core->base.record->head_pc = e->pc;
	else
		look_ahead(core);
	core->head = head;
	core->lsq_used -= loads;
	core->base.totals.loads += loads;
	core->base.record->head_state = state;
	core->base.record->head_late = late;
	core->base.record->committed = (uint16_t)(head - first);
	core->base.totals.committed += head - first;
	core->base.progressed |= head != first;
}

/* Says which access the record says is waited for. */
static void note_head(const struct ooo *core)
{
	const struct cycle *c = core->base.record;
	struct cycle_accesses *accesses = core->base.accesses;

	if (c->head_late >= LATE_STORE_DTLB) {
		const struct pending_store *store =
			&core->store_buffer[core->buffer_first % STORE_BUFFER_MAX];

		accesses->head_address = store->address;
		accesses->head_by = store->pc;
	} else if (core->head != core->dispatched) {
		accesses->head_address = core->accesses.slots[core->head & core->slot_mask].address;
		accesses->head_by = c->head_pc;
	}
}

/* Without EVENTS_ACCESSES this is nowhere tested by itself. */
static __attribute__((noinline)) void commit_asked(struct ooo *core)
{
	const bool wants_accesses = core->base.wants & EVENTS_ACCESSES;

	if (wants_accesses)
		core_begin_accesses(&core->base);
	commit(core, core->base.wants & EVENTS_COMMITTED);
	if (wants_accesses)
		note_head(core);
}

void ooo_commit(struct ooo *core)
{
	if (UNLIKELY(core->base.wants & (EVENTS_COMMITTED | EVENTS_ACCESSES)))
		commit_asked(core);
	else
		commit(core, false);
}
