#include "core/ooo/ooo.h"

/* Stores in the window are in a ring of their sequence numbers, oldest first; committed stores
 * are in the store buffer until they are written. A counter per hash of 8-byte granule, over
 * both, shows quickly that no store can overlap a load. */

static uint64_t *store_at(struct ooo *core, uint64_t position)
{
	return &core->stores[position & core->slot_mask];
}

static unsigned filter_index(uint64_t address)
{
	return (address >> 3) % FILTER_ENTRIES;
}

static void filter_add(struct ooo *core, uint64_t address, unsigned bytes, int change)
{
	unsigned first = filter_index(address);
	unsigned last = filter_index(address + bytes - 1);

	core->store_filter[first] = (uint16_t)(core->store_filter[first] + change);
	while (UNLIKELY(first != last)) {
		first = (first + 1) % FILTER_ENTRIES;
		core->store_filter[first] = (uint16_t)(core->store_filter[first] + change);
	}
}

static const struct step_access *access_of(const struct ooo *core, const struct entry *e)
{
	return &core->accesses.slots[ooo_slot(core, e)];
}

static void find_unknown(struct ooo *core)
{
	core->unknown_store = core->unknown_from < core->store_last && core->is_conservative
				      ? *store_at(core, core->unknown_from)
				      : core->no_unknown_store;
}

void ooo_lsq_add_store(struct ooo *core, struct entry *e, uint64_t sequence)
{
	const struct step_access *access = access_of(core, e);

	*store_at(core, core->store_last++) = sequence;
	if (UNLIKELY(core->has_sets))
		ooo_sets_add_store(core, e, sequence);
	if (core->unknown_store == NEVER)
		find_unknown(core);
	filter_add(core, access->address, access->bytes, 1);
}

void ooo_lsq_squash_store(struct ooo *core, struct entry *e)
{
	const struct step_access *access = access_of(core, e);

	core->store_last--;
	BUG_ON(ooo_entry(core, *store_at(core, core->store_last)) != e);
	if (core->has_sets)
		ooo_sets_squash_store(core, ooo_slot(core, e), *store_at(core, core->store_last));
	if (core->unknown_from > core->store_last)
		core->unknown_from = core->store_last;
	find_unknown(core);
	filter_add(core, access->address, access->bytes, -1);
}

void ooo_lsq_commit_store(struct ooo *core, struct entry *e)
{
	BUG_ON(ooo_entry(core, *store_at(core, core->store_first)) != e);
	core->store_first++;
	/* Commit precedes issue in a cycle: loads that waited for this store may issue now. */
	ooo_unblock(core);
}

/* Makes ready again the loads that are older than all stores without an address. */
static void reveal(struct ooo *core)
{
	uint64_t *ready = core->ready + QUEUE_MEMORY * core->mask_words, count;
	uint64_t end =
		core->unknown_store < core->dispatched ? core->unknown_store : core->dispatched;

	for (uint64_t sequence = core->head; sequence < end; sequence += count) {
		uint32_t word = (uint32_t)(sequence & core->slot_mask) / 64;

		count = 64 - sequence % 64 < end - sequence ? 64 - sequence % 64 : end - sequence;
		uint64_t bits = ~UINT64_C(0) >> (64 - count) << sequence % 64;
		ready[word] |= core->hidden[word] & bits;
		core->hidden[word] &= ~bits;
	}
	core->has_hidden = core->unknown_store != NEVER;
}

void ooo_lsq_know_addresses(struct ooo *core)
{
	while (core->unknown_from < core->store_last &&
	       ooo_entry(core, *store_at(core, core->unknown_from))->flags & ENTRY_ISSUED)
		core->unknown_from++;
	find_unknown(core);
	if (core->has_hidden)
		reveal(core);
}

void ooo_lsq_change_disambiguation(struct ooo *core)
{
	core->no_unknown_store = core->has_sets ? 0 : NEVER;
	/* With store sets, unknown_store tells nothing of who is hidden: nobody is then. */
	core->unknown_store = NEVER;
	if (core->has_hidden)
		reveal(core);
	find_unknown(core);
	ooo_unblock(core);
	core->known_count = 0;
	if (core->has_sets)
		ooo_sets_begin(core);
}

/* Each of the following makes a load that cannot start not ready. */

static bool block(struct ooo *core, uint32_t slot)
{
	core->entries[slot].flags |= ENTRY_DELAYED;
	ooo_block(core, slot);
	return false;
}

static bool park_until(struct ooo *core, struct entry *e, uint64_t at)
{
	e->flags |= ENTRY_DELAYED;
	ooo_park(core, e, at);
	return false;
}

/* Waits for a store that will be of use in cycle `at`. With store sets, another store may have its
 * address before, and be the one that the load reads: the load is tried again whenever a blocked
 * one is, and in that cycle. */
static bool wait_until(struct ooo *core, struct entry *e, uint32_t slot, uint64_t at)
{
	if (LIKELY(!core->has_sets))
		return park_until(core, e, at);
	ooo_visit(core, at);
	return block(core, slot);
}

static bool covers(uint64_t address, unsigned bytes, const struct step_access *load)
{
	return address <= load->address && load->address + load->bytes <= address + bytes;
}

static bool may_overlap(const struct ooo *core, const struct step_access *load)
{
	return core->store_filter[filter_index(load->address)] ||
	       core->store_filter[filter_index(load->address + load->bytes - 1)];
}

/* With store sets, a store that issued before this cycle; else any. */
static bool is_seen(const struct ooo *core, const struct entry *store)
{
	return LIKELY(!core->has_sets) ||
	       (store->flags & ENTRY_ISSUED && store->ready_at <= core->base.now);
}

/* The slot of the youngest store in the window, older than the load, that overlaps it; with store
 * sets, of those that have an address. */
static inline bool find_store(struct ooo *core, uint32_t load, uint32_t *store)
{
	const struct step_access *const slots = core->accesses.slots;
	const struct step_access access = slots[load];
	const uint64_t sequence = core->head + ooo_age(core, load), first = core->store_first;
	uint64_t p = core->store_last;

	while (p > first && *store_at(core, p - 1) > sequence)
		p--;
	while (p-- > first) {
		uint32_t slot = (uint32_t)(*store_at(core, p) & core->slot_mask);

		if (ooo_overlap(slots[slot].address, slots[slot].bytes, &access) &&
		    is_seen(core, &core->entries[slot])) {
			*store = slot;
			return true;
		}
	}
	return false;
}

/* The same among committed stores that are not written yet. */
static const struct pending_store *find_committed(const struct ooo *core,
						  const struct step_access *load)
{
	for (uint64_t p = core->buffer_last; p-- > core->buffer_first;) {
		const struct pending_store *store = &core->store_buffer[p % STORE_BUFFER_MAX];

		if (store->done_at > core->base.now &&
		    ooo_overlap(store->address, store->bytes, load))
			return store;
	}
	return NULL;
}

/* Completes a load that needs no cache access, after the latency of a hit. */
static bool finish_at_once(struct ooo *core, struct entry *e)
{
	struct detail *detail = &core->details[ooo_slot(core, e)];

	e->complete_at = core->base.now + core->config.l1d_latency;
	detail->tlb_done_at = core->base.now;
	detail->miss_until[0] = 0;
	core->tlb_waits[ooo_slot(core, e)] = 0;
	return true;
}

static bool forward(struct ooo *core, struct entry *e)
{
	core->base.totals.forwarded++;
	ooo_event(core, EVENT_FORWARD, e, 0);
	return finish_at_once(core, e);
}

static void finish_load(struct ooo *core, struct entry *e, const struct access_result *result)
{
	struct detail *detail = &core->details[ooo_slot(core, e)];

	e->complete_at = result->done_at;
	detail->tlb_done_at = result->tlb_done_at;
	detail->miss_until[0] = result->level == LEVEL_L1 ? 0 : result->miss_until[0];
	detail->miss_until[1] = result->miss_until[1];
	detail->walk_cycles = ooo_at_most_32_bits(result->walk_cycles);
	detail->queue_cycles = ooo_at_most_32_bits(result->queue_cycles);
	core->tlb_waits[ooo_slot(core, e)] =
		ooo_at_most_32_bits(result->tlb_done_at - core->base.now);
}

/* A load that spans two lines makes two accesses, each of which may miss. */
static void note_miss(struct ooo *core, struct entry *e, uint64_t address,
		      const struct access_result *result)
{
	unsigned misses = ooo_misses(core, result) << DATA_MISS_SHIFT;

	if (LIKELY(!misses))
		return;
	e->tags |= (uint16_t)misses;
	if (e->flags & ENTRY_WRONG && misses & DATA_MISS_L1)
		ooo_retire_note_line(core, SIDE_DATA, address, misses >> DATA_MISS_SHIFT);
	ooo_event_miss(core, EVENT_LOAD_MISS, ooo_slot(core, e), e->pc, e->flags, misses, result);
}

static bool wait_for_mshr(struct ooo *core, struct entry *e, uint64_t at)
{
	e->flags |= ENTRY_NO_MSHR;
	core->base.progressed = true; /* the head state changes in the next cycle */
	return park_until(core, e, at);
}

static void load(struct ooo *core, const struct entry *e, uint64_t address,
		 struct access_result *result)
{
	core_access(&core->base, ACCESS_LOAD, e->pc, e->pc, address, result);
	if (ooo_wants(core, EVENT_LOAD_ACCESS) && core->base.memory->log_count)
		core_add_access(&core->base, EVENT_LOAD_ACCESS, ooo_slot(core, e), e->pc,
				!!(e->flags & ENTRY_WRONG));
	if (UNLIKELY(core->base.wants & EVENTS_ACCESSES))
		core_add_looked_up(&core->base, e->pc, address,
				   ooo_access_marks(EVENT_LOAD_ACCESS, e->flags));
}

static bool access_memory(struct ooo *core, struct entry *e, const struct step_access *access)
{
	uint64_t last = access->address + access->bytes - 1;
	struct access_result result, second;

	load(core, e, access->address, &result);
	if (result.blocked)
		return wait_for_mshr(core, e, result.retry_at);
	note_miss(core, e, access->address, &result);
	if (UNLIKELY(!hierarchy_same_line(core->base.memory, SIDE_DATA, access->address, last))) {
		load(core, e, last, &second);
		if (second.blocked)
			return wait_for_mshr(core, e, second.retry_at);
		note_miss(core, e, last, &second);
		if (second.done_at > result.done_at)
			result = second;
	}
	finish_load(core, e, &result);
	return true;
}

/* A plain hit, the most frequent case, needs no struct access_result. */
static bool access_cache(struct ooo *core, struct entry *e, const struct step_access *access)
{
	uint64_t last = access->address + access->bytes - 1;

	if (LIKELY(hierarchy_same_line(core->base.memory, SIDE_DATA, access->address, last) &&
		   hierarchy_hits(core->base.memory, ACCESS_LOAD, access->address,
				  core->base.now))) {
		ooo_event_plain(core, EVENT_LOAD_ACCESS, ooo_slot(core, e), e->pc, access->address,
				e->flags);
		return finish_at_once(core, e);
	}
	return access_memory(core, e, access);
}

/* The load waits for the store's data as for a source operand. Its own first operand is
 * available, so its link is free. Making all such loads ready whenever any store issued or
 * committed cost sparsemv 9 % of its speed. */
static bool wait_for_data(struct ooo *core, struct entry *e, uint32_t slot, uint32_t store_slot)
{
	struct entry *store = &core->entries[store_slot];

	mask_clear(core->ready + QUEUE_MEMORY * core->mask_words, slot);
	e->flags |= ENTRY_DELAYED;
	e->waiting = 1;
	e->producers[0] = (uint16_t)store_slot;
	e->next_link[0] = store->consumers;
	store->consumers = (uint16_t)(slot * 4);
	return false;
}

/* Starts a load that may overlap a store not yet written. */
static bool start_behind_stores(struct ooo *core, struct entry *e, uint32_t slot)
{
	const struct step_access *access = &core->accesses.slots[slot];
	uint32_t store_slot;

	if (find_store(core, slot, &store_slot)) {
		const struct entry *store = &core->entries[store_slot];

		if (UNLIKELY(core->config.ideal_forwarding)) {
			core->load_sources[slot] = core->head + ooo_age(core, store_slot);
			return forward(core, e);
		}
		if (!covers(core->accesses.slots[store_slot].address,
			    core->accesses.slots[store_slot].bytes, access))
			return block(core, slot);
		if (store->complete_at == NEVER)
			return core->has_sets ? block(core, slot)
					      : wait_for_data(core, e, slot, store_slot);
		if (store->complete_at > core->base.now)
			return wait_until(core, e, slot, store->complete_at);
		core->load_sources[slot] = core->head + ooo_age(core, store_slot);
		return forward(core, e);
	}
	const struct pending_store *committed = find_committed(core, access);
	if (!committed)
		return access_cache(core, e, access);
	if (covers(committed->address, committed->bytes, access) || core->config.ideal_forwarding)
		return forward(core, e);
	if (committed->done_at == NEVER)
		return block(core, slot);
	return wait_until(core, e, slot, committed->done_at);
}

static inline __attribute__((always_inline)) bool start_load(struct ooo *core, struct entry *e,
							     uint32_t slot)
{
	const struct step_access *access = &core->accesses.slots[slot];

	if (LIKELY(!may_overlap(core, access)))
		return access_cache(core, e, access);
	return start_behind_stores(core, e, slot);
}

/* With store sets: starts a load that its set does not hold back. */
static __attribute__((noinline)) bool start_predicted(struct ooo *core, struct entry *e,
						      uint32_t slot)
{
	if (ooo_sets_hold_load(core, slot))
		return false;
	uint64_t held = core->details[slot].held_cycles; /* starting overwrites it */
	if (!start_load(core, e, slot))
		return false;
	if (held) {
		e->ready_at = e->complete_at - held;
		e->waiting = LATE_WAIT;
		e->flags |= ENTRY_DELAYED;
	}
	return true;
}

/* Makes a load not ready until the stores before it have addresses. */
static bool hide(struct ooo *core, uint32_t slot)
{
	mask_clear(core->ready + QUEUE_MEMORY * core->mask_words, slot);
	mask_set(core->hidden, slot);
	core->entries[slot].flags |= ENTRY_DELAYED;
	core->has_hidden = true;
	return false;
}

bool ooo_lsq_start_load(struct ooo *core, struct entry *e, uint32_t slot)
{
	if (UNLIKELY(e->flags & (ENTRY_NO_MSHR | ENTRY_DELAYED))) {
		/* It may wait for a store from now on: the head state changes in the next cycle. */
		core->base.progressed |= !!(e->flags & ENTRY_NO_MSHR);
		e->flags &= (uint16_t) ~(ENTRY_NO_MSHR | ENTRY_DELAYED);
	}
	if (UNLIKELY(!core->accesses.slots[slot].bytes)) /* a store-conditional that failed */
		return finish_at_once(core, e);
	if (core->unknown_store < core->head + ooo_age(core, slot))
		return core->has_sets ? start_predicted(core, e, slot) : hide(core, slot);
	return start_load(core, e, slot);
}

void ooo_store_buffer_put(struct ooo *core, const struct entry *e)
{
	const struct step_access *access = access_of(core, e);

	if (core->buffer_written == core->buffer_last && core->store_retry_at < core->drain_at)
		core->drain_at = core->store_retry_at;
	struct pending_store *s = &core->store_buffer[core->buffer_last++ % STORE_BUFFER_MAX];
	s->address = access->address;
	s->pc = e->pc;
	s->done_at = NEVER;
	s->bytes = access->bytes;
	if (!(e->flags & ENTRY_STORE)) /* an atomic, which was not added at dispatch */
		filter_add(core, access->address, access->bytes, 1);
}

static void note_store_miss(struct ooo *core, const struct pending_store *s,
			    const struct access_result *result)
{
	unsigned misses = ooo_misses(core, result) << DATA_MISS_SHIFT;

	if (misses)
		ooo_event_miss(core, EVENT_STORE_MISS, 0, s->pc, 0, misses, result);
}

static void store(struct ooo *core, const struct pending_store *s, uint64_t address,
		  struct access_result *result)
{
	core_access(&core->base, ACCESS_STORE, s->pc, s->pc, address, result);
	if (ooo_wants(core, EVENT_STORE_ACCESS) && core->base.memory->log_count)
		core_add_access(&core->base, EVENT_STORE_ACCESS, 0, s->pc, false);
	if (UNLIKELY(core->base.wants & EVENTS_ACCESSES))
		core_add_looked_up(&core->base, s->pc, address, ACCESS_STORES);
	if (!result->blocked)
		note_store_miss(core, s, result);
}

static bool write_store(struct ooo *core, struct pending_store *s)
{
	uint64_t last = s->address + s->bytes - 1;
	bool is_one = hierarchy_same_line(core->base.memory, SIDE_DATA, s->address, last);
	struct access_result result, second;

	s->written_at = core->base.now;
	if (LIKELY(is_one &&
		   hierarchy_hits(core->base.memory, ACCESS_STORE, s->address, core->base.now))) {
		s->done_at = core->base.now + core->config.l1d_latency;
		s->tlb_done_at = s->miss_until[0] = 0;
		s->walk_cycles = s->queue_cycles = 0;
		ooo_event_plain(core, EVENT_STORE_ACCESS, 0, s->pc, s->address, 0);
		return true;
	}
	store(core, s, s->address, &result);
	for (uint64_t at = s->address; UNLIKELY(!is_one) && !result.blocked && at != last;) {
		at = hierarchy_next_line(core->base.memory, SIDE_DATA, at, last);
		store(core, s, at, &second);
		if (second.blocked || second.done_at > result.done_at)
			result = second;
	}
	if (result.blocked) {
		core->store_retry_at = result.retry_at;
		core->base.progressed = true; /* only this cycle has the attempt */
		return false;
	}
	s->done_at = result.done_at;
	s->tlb_done_at = result.tlb_done_at;
	s->miss_until[0] = result.level == LEVEL_L1 ? 0 : result.miss_until[0];
	s->miss_until[1] = result.miss_until[1];
	s->walk_cycles = ooo_at_most_32_bits(result.walk_cycles);
	s->queue_cycles = ooo_at_most_32_bits(result.queue_cycles);
	return true;
}

void ooo_store_buffer_drain(struct ooo *core)
{
	uint64_t first = core->buffer_first, written = core->buffer_written;

	while (first < written &&
	       core->store_buffer[first % STORE_BUFFER_MAX].done_at <= core->base.now) {
		const struct pending_store *s = &core->store_buffer[first++ % STORE_BUFFER_MAX];

		filter_add(core, s->address, s->bytes, -1);
		core->base.progressed = true;
	}
	while (written < core->buffer_last && core->base.now >= core->store_retry_at) {
		if (!write_store(core, &core->store_buffer[written % STORE_BUFFER_MAX]))
			break;
		written++;
		core->base.progressed = true;
		core->unblock = true;
	}
	/* An empty buffer begins again with its first place, which is in the host's cache. */
	if (first == core->buffer_last)
		first = written = core->buffer_last = 0;
	core->buffer_first = first;
	core->buffer_written = written;
	core->drain_at =
		first < written ? core->store_buffer[first % STORE_BUFFER_MAX].done_at : NEVER;
	if (written < core->buffer_last && core->store_retry_at < core->drain_at)
		core->drain_at = core->store_retry_at;
}
