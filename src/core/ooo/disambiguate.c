/* Loads that do not wait for the addresses of older stores: what store sets hold back, and what
 * happens when a load was wrong. */
#include "core/ooo/ooo.h"

/* A store's address is known the cycle after it issued. */
static bool has_address(struct ooo *core, uint64_t store)
{
	const struct entry *e = ooo_entry(core, store);

	return store < core->head || (e->flags & ENTRY_ISSUED && e->ready_at <= core->base.now);
}

void ooo_sets_add_load(struct ooo *core, const struct entry *e, uint32_t slot)
{
	uint32_t set = store_sets_find(&core->sets, e->pc, core->base.now);
	struct detail *detail = &core->details[slot];

	detail->waits_for = set ? core->sets.last_store[set] : 0;
	detail->held_at = detail->held_cycles = 0;
	core->load_sources[slot] = 0;
}

void ooo_sets_add_store(struct ooo *core, const struct entry *e, uint64_t sequence)
{
	uint32_t set = store_sets_find(&core->sets, e->pc, core->base.now);
	struct detail *detail = &core->details[ooo_slot(core, e)];

	detail->set = set;
	detail->waits_for = set ? store_sets_enter(&core->sets, set, sequence) : 0;
}

bool ooo_sets_hold_load(struct ooo *core, uint32_t slot)
{
	struct detail *detail = &core->details[slot];

	if (!detail->waits_for)
		return false;
	if (!has_address(core, detail->waits_for)) {
		if (!detail->held_at) {
			const struct step_access *store =
				&core->accesses.slots[detail->waits_for & core->slot_mask];

			core->base.totals.held_loads++;
			core->marks[slot] |= RETIRED_HELD;
			detail->held_at = ooo_overlap(store->address, store->bytes,
						      &core->accesses.slots[slot])
						  ? NEVER
						  : core->base.now;
		}
		core->entries[slot].flags |= ENTRY_DELAYED;
		return ooo_block(core, slot), true;
	}
	detail->waits_for = 0;
	if (detail->held_at && detail->held_at != NEVER)
		detail->held_cycles = core->base.now - detail->held_at;
	return false;
}

bool ooo_sets_hold_store(struct ooo *core, uint32_t slot)
{
	uint64_t store = core->details[slot].waits_for;

	if (!store || has_address(core, store))
		return false;
	return ooo_block(core, slot), true;
}

void ooo_sets_store_issued(struct ooo *core, uint32_t slot)
{
	uint64_t sequence = core->head + ooo_age(core, slot);

	store_sets_leave(&core->sets, (uint32_t)core->details[slot].set, sequence);
	core->known_stores[core->known_count++] = sequence;
}

void ooo_sets_squash_store(struct ooo *core, uint32_t slot, uint64_t sequence)
{
	store_sets_leave(&core->sets, (uint32_t)core->details[slot].set, sequence);
}

void ooo_sets_begin(struct ooo *core)
{
	store_sets_forget_stores(&core->sets);
	for (uint64_t sequence = core->head; sequence != core->dispatched; sequence++) {
		const struct entry *e = ooo_entry(core, sequence);
		struct detail *detail = &core->details[ooo_slot(core, e)];
		const bool has_read = e->flags & ENTRY_LOAD && e->flags & ENTRY_ISSUED;

		core->load_sources[ooo_slot(core, e)] = has_read ? NEVER : 0;
		if (e->flags & (ENTRY_LOAD | ENTRY_STORE) && !has_read)
			detail->waits_for = detail->held_at = detail->held_cycles = 0;
	}
}

/* Whether the load has read what was there before the store. */
static bool read_too_early(struct ooo *core, uint64_t load, uint64_t store)
{
	const struct entry *e = ooo_entry(core, load);
	const struct step_access *access = &core->accesses.slots[store & core->slot_mask];
	const uint32_t slot = (uint32_t)load & core->slot_mask;

	return e->flags & ENTRY_LOAD && e->flags & ENTRY_ISSUED &&
	       core->load_sources[slot] < store &&
	       ooo_overlap(access->address, access->bytes, &core->accesses.slots[slot]);
}

/* Of several loads that were wrong the oldest is replayed, and joins the set of the youngest of
 * the stores that it should have waited for. */
void ooo_sets_check(struct ooo *core)
{
	uint64_t oldest = core->dispatched, culprit = 0;

	for (unsigned i = 0; i < core->known_count; i++) {
		uint64_t store = core->known_stores[i];

		for (uint64_t load = store + 1; load < core->dispatched && load <= oldest; load++)
			if (read_too_early(core, load, store)) {
				culprit = load < oldest || store > culprit ? store : culprit;
				oldest = load;
				break;
			}
	}
	core->known_count = 0;
	if (!culprit)
		return;
	store_sets_join(&core->sets, ooo_entry(core, oldest)->pc, ooo_entry(core, culprit)->pc,
			core->base.now);
	ooo_replay(core, oldest);
}
