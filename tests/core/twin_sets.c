#include "twin_state.h"

#include <stdlib.h>

#include "base/array.h"

/*
 * Store sets (Chrysos and Emer 1998). Each load and store may belong to a set, by its pc. A load or
 * store of a set waits for the store of the set that dispatched last before it, until that has its
 * address. A load that read before an older store it overlaps had its address is fetched again,
 * with everything younger, and the two are put into one set.
 */

void twin_sets_init(struct twin *twin)
{
	const struct config *c = &twin->config;

	twin->has_sets = c->disambiguation == DISAMBIGUATION_PREDICT && !c->ideal_replay;
	if (!twin->has_sets)
		return;
	twin->set_of_pc = mem_alloc_array(c->store_sets_entries, sizeof(unsigned));
	twin->last_of_set = mem_alloc_array(c->store_sets_sets + 1, sizeof(uint64_t));
}

void twin_sets_release(struct twin *twin)
{
	free(twin->set_of_pc);
	free(twin->last_of_set);
}

void twin_sets_begin_cycle(struct twin *twin)
{
	const struct config *c = &twin->config;

	if (!twin->has_sets || c->store_sets_clear == UNLIMITED || twin->now % c->store_sets_clear)
		return;
	for (unsigned p = 0; p < c->store_sets_entries; p++)
		twin->set_of_pc[p] = 0;
}

static unsigned *set_of(struct twin *twin, uint64_t pc)
{
	return &twin->set_of_pc[pc / 2 % twin->config.store_sets_entries];
}

void twin_sets_dispatch(struct twin *twin, struct instruction *i)
{
	i->waits_for = NO_INSTRUCTION;
	i->held_from = i->held_cycles = 0;
	if (!twin->has_sets || !(i->is_load || i->is_store))
		return;
	i->set = *set_of(twin, i->pc);
	if (!i->set)
		return;
	i->waits_for = twin->last_of_set[i->set];
	if (i->is_store)
		twin->last_of_set[i->set] = i->number;
}

/* A store that has issued, or is squashed, is no longer waited for. */
void twin_sets_leave(struct twin *twin, const struct instruction *i)
{
	if (twin->has_sets && i->is_store && i->set && twin->last_of_set[i->set] == i->number)
		twin->last_of_set[i->set] = NO_INSTRUCTION;
}

bool twin_sets_hold(struct twin *twin, struct instruction *i)
{
	const struct instruction *store = numbered(twin, i->waits_for);

	if (i->waits_for == NO_INSTRUCTION)
		return false;
	if (i->waits_for >= twin->oldest && !twin_has_address(twin, store)) {
		if (i->is_load && !i->held_from) {
			twin->counters.held_loads++;
			/* A load that depends on the store would wait in any case. */
			i->held_from = twin_overlap(store->address, store->access_bytes, i->address,
						    i->access_bytes)
					       ? NEVER
					       : twin->now;
		}
		return true;
	}
	i->waits_for = NO_INSTRUCTION;
	if (i->held_from && i->held_from != NEVER)
		i->held_cycles = twin->now - i->held_from;
	return false;
}

static void put_into_one_set(struct twin *twin, const struct instruction *load,
			     const struct instruction *store)
{
	unsigned *a = set_of(twin, load->pc), *b = set_of(twin, store->pc), set;

	if (!*a && !*b)
		set = 1 + twin->sets_made++ % twin->config.store_sets_sets;
	else if (*a && *b)
		set = *a < *b ? *a : *b;
	else
		set = *a ? *a : *b;
	*a = *b = set;
}

static void fetch_again_from(struct twin *twin, struct instruction *load)
{
	unsigned branches = 0;

	for (uint64_t n = load->number; n < twin->next; n++) {
		struct instruction *i = numbered(twin, n);

		if (i->stage == AGAIN)
			break;
		twin_event_of_class(twin, EVENT_SQUASH, i, 0);
		twin->cycle.squashed++;
		twin->counters.squashed++;
		branches += i->is_branch;
		i->was_fetched = true;
		i->was_dispatched |= i->stage == WAITING || i->stage == ISSUED;
		i->was_issued |= i->stage == ISSUED;
	}
	for (uint64_t n = twin->next; n-- > load->number;) {
		struct instruction *i = numbered(twin, n);

		if (i->stage == WAITING || i->stage == ISSUED)
			twin_sets_leave(twin, i);
		i->stage = AGAIN;
		i->complete_at = NEVER;
		i->may_issue_at = 0;
		i->has_no_mshr = false;
		i->tags = 0;
		if (n == twin->misfetched)
			twin->misfetch_until = NEVER;
	}
	twin_abandon_fetch(twin);
	twin->counters.replays++;
	twin_event(twin, EVENT_REPLAY, 0, load->is_wrong, load->number, load->pc);
	twin->events[twin->cycle.event_count - 1].amount = branches;
}

/* The addresses of the stores that issued in the last cycle are known now. */
void twin_sets_check(struct twin *twin)
{
	if (!twin->has_sets)
		return;
	for (uint64_t n = twin->oldest; n < twin->next; n++) {
		struct instruction *load = numbered(twin, n);

		if (!load->is_load || load->stage != ISSUED)
			continue;
		for (uint64_t s = n; s-- > twin->oldest;) {
			const struct instruction *store = numbered(twin, s);

			if (store->is_store && store->stage == ISSUED &&
			    store->issued_at + 1 == twin->now && load->read_from < s &&
			    twin_overlap(store->address, store->access_bytes, load->address,
					 load->access_bytes)) {
				put_into_one_set(twin, load, store);
				fetch_again_from(twin, load);
				return;
			}
		}
	}
}
