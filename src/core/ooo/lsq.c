#include "core/ooo/ooo.h"

/* Stores in the window stand in a ring of slots, oldest first; committed ones in the
 * store buffer until they are written. A count per hash of 8-byte granule, over both,
 * says quickly that no store can overlap a load. */

static uint32_t *store_at(struct ooo *core, uint64_t position)
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
	if (last != first)
		core->store_filter[last] = (uint16_t)(core->store_filter[last] + change);
}

void ooo_lsq_add(struct ooo *core, struct entry *e)
{
	core->lsq_used++;
	if (!(e->flags & ENTRY_STORE))
		return;
	*store_at(core, core->store_last++) = ooo_slot(core, e);
	filter_add(core, e->address, e->access_bytes, 1);
}

void ooo_lsq_squash_store(struct ooo *core, struct entry *e)
{
	core->store_last--;
	BUG_ON(*store_at(core, core->store_last) != ooo_slot(core, e));
	if (core->unknown_from > core->store_last)
		core->unknown_from = core->store_last;
	filter_add(core, e->address, e->access_bytes, -1);
}

void ooo_lsq_commit_store(struct ooo *core, struct entry *e)
{
	BUG_ON(*store_at(core, core->store_first) != ooo_slot(core, e));
	core->store_first++;
	/* Commit comes before issue in a cycle: loads that waited for it may go now. */
	ooo_unblock(core);
}

void ooo_lsq_know_addresses(struct ooo *core)
{
	while (core->unknown_from < core->store_last &&
	       core->entries[*store_at(core, core->unknown_from)].flags & ENTRY_ISSUED)
		core->unknown_from++;
}

static bool block(struct ooo *core, struct entry *e)
{
	ooo_clear_ready(core, e);
	mask_set(core->blocked, ooo_slot(core, e));
	return false;
}

static bool park_until(struct ooo *core, struct entry *e, uint64_t at)
{
	ooo_clear_ready(core, e);
	e->ready_at = at;
	ooo_schedule(core, e);
	return false;
}

static bool overlap(uint64_t a, unsigned a_bytes, uint64_t b, unsigned b_bytes)
{
	return a < b + b_bytes && b < a + a_bytes;
}

static bool covers(uint64_t outer, unsigned outer_bytes, uint64_t inner, unsigned inner_bytes)
{
	return outer <= inner && inner + inner_bytes <= outer + outer_bytes;
}

static bool may_overlap(const struct ooo *core, const struct entry *load)
{
	return core->store_filter[filter_index(load->address)] ||
	       core->store_filter[filter_index(load->address + load->access_bytes - 1)];
}

/* The youngest store in the window older than the load that overlaps it, or NULL. */
static struct entry *find_store(struct ooo *core, const struct entry *load)
{
	for (uint64_t p = core->store_last; p-- > core->store_first;) {
		struct entry *store = &core->entries[*store_at(core, p)];

		if (store->sequence < load->sequence &&
		    overlap(store->address, store->access_bytes, load->address, load->access_bytes))
			return store;
	}
	return NULL;
}

/* The same among committed stores that are not written yet. */
static const struct pending_store *find_committed(const struct ooo *core, const struct entry *load)
{
	for (uint64_t p = core->buffer_last; p-- > core->buffer_first;) {
		const struct pending_store *store = &core->store_buffer[p % STORE_BUFFER_MAX];

		if (store->done_at > core->now &&
		    overlap(store->address, store->bytes, load->address, load->access_bytes))
			return store;
	}
	return NULL;
}

static bool forward(struct ooo *core, struct entry *e)
{
	e->complete_at = core->now + core->config.l1d_latency;
	e->tlb_done_at = core->now;
	e->near_done_at = e->complete_at;
	core->counters.forwarded++;
	return true;
}

static void finish_load(struct entry *e, const struct access_result *result)
{
	e->complete_at = result->done_at;
	e->tlb_done_at = result->tlb_done_at;
	e->near_done_at = result->near_done_at;
	e->level = result->level;
}

/* Each access of a load is a look-up of its own and may miss. */
static void note_miss(struct ooo *core, struct entry *e, const struct access_result *result)
{
	unsigned misses = ooo_misses(core, result) << DATA_MISS_SHIFT;

	if (LIKELY(!misses))
		return;
	e->tags |= (uint16_t)misses;
	ooo_event(core, EVENT_LOAD_MISS, e, misses);
}

static bool wait_for_mshr(struct ooo *core, struct entry *e, uint64_t at)
{
	e->flags |= ENTRY_NO_MSHR;
	core->progressed = true; /* the next record says so */
	return park_until(core, e, at);
}

static bool access_cache(struct ooo *core, struct entry *e)
{
	uint64_t last = e->address + e->access_bytes - 1;
	struct access_result result, second;

	hierarchy_load(core->memory, e->pc, e->address, core->now, &result);
	if (result.blocked)
		return wait_for_mshr(core, e, result.retry_at);
	note_miss(core, e, &result);
	if (UNLIKELY(hierarchy_line_of(core->memory, SIDE_DATA, last) !=
		     hierarchy_line_of(core->memory, SIDE_DATA, e->address))) {
		hierarchy_load(core->memory, e->pc, last, core->now, &second);
		if (second.blocked)
			return wait_for_mshr(core, e, second.retry_at);
		note_miss(core, e, &second);
		if (second.done_at > result.done_at)
			result = second;
	}
	finish_load(e, &result);
	return true;
}

bool ooo_lsq_start_load(struct ooo *core, struct entry *e)
{
	e->flags &= (uint16_t)~ENTRY_NO_MSHR;
	if (UNLIKELY(!e->access_bytes)) { /* a store-conditional that failed */
		e->complete_at = core->now + core->config.l1d_latency;
		e->tlb_done_at = e->near_done_at = core->now;
		return true;
	}
	if (core->config.disambiguation == DISAMBIGUATION_CONSERVATIVE &&
	    core->unknown_from < core->store_last &&
	    core->entries[*store_at(core, core->unknown_from)].sequence < e->sequence)
		return block(core, e);
	if (LIKELY(!may_overlap(core, e)))
		return access_cache(core, e);
	const struct entry *store = find_store(core, e);
	if (store) {
		if (!covers(store->address, store->access_bytes, e->address, e->access_bytes) ||
		    store->complete_at == NEVER)
			return block(core, e);
		if (store->complete_at > core->now)
			return park_until(core, e, store->complete_at);
		return forward(core, e);
	}
	const struct pending_store *committed = find_committed(core, e);
	if (!committed)
		return access_cache(core, e);
	if (covers(committed->address, committed->bytes, e->address, e->access_bytes))
		return forward(core, e);
	if (committed->done_at == NEVER)
		return block(core, e);
	return park_until(core, e, committed->done_at);
}

bool ooo_store_buffer_has_room(const struct ooo *core)
{
	uint64_t limit = core->config.store_buffer;

	if (limit > STORE_BUFFER_MAX)
		limit = STORE_BUFFER_MAX;
	return core->buffer_last - core->buffer_first < limit;
}

void ooo_store_buffer_put(struct ooo *core, const struct entry *e)
{
	core->store_buffer[core->buffer_last++ % STORE_BUFFER_MAX] =
		(struct pending_store){e->address, e->pc, NEVER, e->access_bytes};
	if (!(e->flags & ENTRY_STORE)) /* an atomic, which was not in the window's list */
		filter_add(core, e->address, e->access_bytes, 1);
}

static void note_store_miss(struct ooo *core, const struct pending_store *s,
			    const struct access_result *result)
{
	unsigned misses = ooo_misses(core, result) << DATA_MISS_SHIFT;
	const struct entry miss = {.pc = s->pc};

	if (misses)
		ooo_event(core, EVENT_STORE_MISS, &miss, misses);
}

static bool write_store(struct ooo *core, struct pending_store *s)
{
	uint64_t last = s->address + s->bytes - 1;
	struct access_result result, second;

	hierarchy_store(core->memory, s->pc, s->address, core->now, &result);
	if (!result.blocked)
		note_store_miss(core, s, &result);
	if (!result.blocked && UNLIKELY(hierarchy_line_of(core->memory, SIDE_DATA, last) !=
					hierarchy_line_of(core->memory, SIDE_DATA, s->address))) {
		hierarchy_store(core->memory, s->pc, last, core->now, &second);
		if (!second.blocked)
			note_store_miss(core, s, &second);
		if (second.blocked || second.done_at > result.done_at)
			result = second;
	}
	if (result.blocked) {
		core->store_retry_at = result.retry_at;
		return false;
	}
	s->done_at = result.done_at;
	return true;
}

void ooo_store_buffer_drain(struct ooo *core)
{
	while (core->buffer_first < core->buffer_written &&
	       core->store_buffer[core->buffer_first % STORE_BUFFER_MAX].done_at <= core->now) {
		const struct pending_store *s =
			&core->store_buffer[core->buffer_first++ % STORE_BUFFER_MAX];

		filter_add(core, s->address, s->bytes, -1);
		core->progressed = true;
	}
	while (core->buffer_written < core->buffer_last && core->now >= core->store_retry_at) {
		if (!write_store(core,
				 &core->store_buffer[core->buffer_written % STORE_BUFFER_MAX]))
			break;
		core->buffer_written++;
		core->progressed = true;
		core->unblock = true;
	}
}
