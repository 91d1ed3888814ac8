#include "core/ooo/ooo.h"

/* Removes operand i from its producer's list. Links are added at the front and removed youngest
 * first, so this one is normally the first; only loads are in a store's list in any order. */
static void unlink_source(struct ooo *core, struct entry *e, unsigned i)
{
	uint16_t *at = &core->entries[e->producers[i]].consumers;
	uint16_t link = (uint16_t)(ooo_slot(core, e) * 4 + i);

	while (*at != link)
		at = &core->entries[*at / 4].next_link[*at % 4];
	*at = e->next_link[i];
}

/* Squashes an instruction in the window. */
static void leave_window(struct ooo *core, struct entry *e)
{
	for (unsigned i = 3; i-- > 0;)
		if (e->producers[i] != NO_LINK)
			unlink_source(core, e, i);
	struct reg_state *rd = &core->regs[e->rd];

	rd->writer = e->previous;
	rd->at = e->previous < core->head ? 0 : ooo_entry(core, e->previous)->complete_at;
	if (!(e->flags & ENTRY_ISSUED)) {
		core->iq_used--;
		if (core->is_split)
			core->split_used[issue_class_of(e)]--;
	}
	if (e->flags & (ENTRY_LOAD | ENTRY_STORE))
		core->lsq_used--;
	if (e->flags & ENTRY_STORE)
		ooo_lsq_squash_store(core, e);
	if (e->flags & ENTRY_SERIALISE)
		core->window_serialised = false;
}

/* Removes everything from `fetched` on from the front end. */
static void unfeed(struct ooo *core)
{
	uint32_t mask = core->group_mask;

	core->fed = core->fetched;
	if (core->passed > core->fed)
		core->passed = core->fed;
	while (core->group_last > core->group_first &&
	       core->groups[(core->group_last - 1) & mask].end > core->fed) {
		bool is_first = core->group_last - 1 == core->group_first;
		uint64_t start =
			is_first ? core->passed : core->groups[(core->group_last - 2) & mask].end;

		if (start < core->fed) {
			core->groups[(core->group_last - 1) & mask].end = core->fed;
			return;
		}
		core->group_last--;
	}
}

static void squash_after(struct ooo *core, uint64_t sequence)
{
	uint64_t count = core->fetched - (sequence + 1);

	if (core->dispatched > sequence + 1)
		ooo_unschedule(core, (uint32_t)((sequence + 1) & core->slot_mask),
			       (uint32_t)(core->dispatched - (sequence + 1)));
	while (core->dispatched > sequence + 1)
		leave_window(core, ooo_entry(core, --core->dispatched));
	core->fetched = sequence + 1;
	if (core->fed > core->fetched)
		unfeed(core);
	core->base.record->squashed = (uint16_t)(core->base.record->squashed + count);
	core->base.totals.squashed += count;
}

static void note_squashed(struct ooo *core, uint64_t first)
{
	for (uint64_t sequence = first; sequence != core->fetched; sequence++)
		ooo_event_of_class(core, EVENT_SQUASH, ooo_entry(core, sequence), 0, 0);
}

/* An outstanding fetch is abandoned; its line is still filled. */
static void abandon_fetch(struct ooo *core)
{
	core->fetch_ready_at = 0;
	core->arrived[0] = core->arrived[1] = core->held_from = NEVER;
	core->held_until = 0;
	core->fetch_tags = 0;
}

static void recover(struct ooo *core, struct entry *e)
{
	uint32_t slot = ooo_slot(core, e);

	uint64_t sequence = core->head + ooo_age(core, slot);

	if (ooo_wants(core, EVENT_SQUASH))
		note_squashed(core, sequence + 1);
	squash_after(core, sequence);
	core->branches_fetched = core->details[slot].branches_fetched;
	core->wrong_depth = core->details[slot].wrong_depth - 1;
	checkpoint_restore(&core->checkpoints[slot], core->base.cpu, &core->undo);
	if (e->flags & ENTRY_PREDICTED)
		predictor_recover(core->predictor, branch_kind_of(e->control), e->pc, e->bytes,
				  !!(e->flags & ENTRY_TAKEN), core->details[slot].next_pc,
				  &core->predictions[slot]);
	e->flags |= ENTRY_RESOLVED;
	core->again_end = 0;
	abandon_fetch(core);
	core->misfetch_sequence = NEVER;
	core->base.is_nowhere = false;
	core->base.progressed = true;
	ooo_event(core, EVENT_MISPREDICT, e, 0);
	/* The time slice ended with the branch itself. */
	if (!core->wrong_depth && core->base.cpu->instructions >= core->base.process->slice_ends)
		core_end_slice(&core->base, ooo_next_slot(core));
}

/* Removes the branches from `end` on from those that resolve. */
static void keep_resolving(struct ooo *core, uint64_t end)
{
	size_t kept = 0;

	for (size_t i = 0; i < core->resolving_count; i++)
		if (core->resolving[i] < end)
			core->resolving[kept++] = core->resolving[i];
	core->resolving_count = kept;
}

/* Returns an instruction to its state before it was fetched; `end` is the end of the window. */
static void forget(struct ooo *core, uint64_t sequence, uint64_t end)
{
	struct entry *e = ooo_entry(core, sequence);
	unsigned flags = e->flags;

	if (sequence < end)
		flags |= ENTRY_REDISPATCH;
	if (flags & ENTRY_ISSUED)
		flags |= ENTRY_REISSUE;
	e->flags = (uint16_t)(flags &
			      ~(ENTRY_ISSUED | ENTRY_DATA_WAIT | ENTRY_NO_MSHR | ENTRY_DELAYED));
	e->tags = 0;
}

void ooo_replay(struct ooo *core, uint64_t load)
{
	const uint64_t fetched = core->fetched, dispatched = core->dispatched;
	const struct entry *e = ooo_entry(core, load);
	uint32_t branches = 0;

	if (ooo_wants(core, EVENT_SQUASH))
		note_squashed(core, load);
	squash_after(core, load - 1);
	for (uint64_t sequence = load; sequence < fetched; sequence++) {
		branches += !!(ooo_entry(core, sequence)->flags & ENTRY_BRANCH);
		forget(core, sequence, dispatched);
	}
	core->branches_fetched -= branches;
	if (core->again_end < fetched)
		core->again_end = fetched;
	keep_resolving(core, load);
	abandon_fetch(core);
	core->marks[load & core->slot_mask] |= RETIRED_REPLAYED;
	core->misfetch_until = NEVER; /* decode will see that branch again */
	core->base.progressed = true;
	core->base.totals.replays++;
	ooo_add_event(core, (struct cycle_event){.kind = EVENT_REPLAY,
						 .wrong_path = !!(e->flags & ENTRY_WRONG),
						 .slot = ooo_slot(core, e),
						 .amount = branches,
						 .pc = e->pc});
}

static void resolve_branches(struct ooo *core)
{
	for (;;) {
		uint64_t oldest = NEVER;

		for (size_t i = 0; i < core->resolving_count; i++) {
			uint64_t sequence = core->resolving[i];

			if (ooo_entry(core, sequence)->complete_at <= core->base.now &&
			    sequence < oldest)
				oldest = sequence;
		}
		if (oldest == NEVER)
			return;
		recover(core, ooo_entry(core, oldest));
		keep_resolving(core, oldest);
	}
}

void ooo_resolve(struct ooo *core)
{
	resolve_branches(core);
	if (core->known_count)
		ooo_sets_check(core);
}
