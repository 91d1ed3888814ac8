#include "mem/hierarchy.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"

static bool check_level(const struct level_parameters *level, const char *name,
			const struct hierarchy_parameters *p, struct err *err)
{
	if (!cache_check(&level->cache, name, err))
		return false;
	if (level->cache.line_bytes > p->page_bytes)
		return err_set(err,
			       "%s: a line of %" PRIu32 " bytes is longer than a page of %" PRIu64,
			       name, level->cache.line_bytes, p->page_bytes);
	if (!level->mshrs)
		return err_set(err, "%s: at least one MSHR is needed", name);
	return true;
}

static bool check_order(const struct level_parameters *upper, const char *upper_name,
			const struct level_parameters *lower, const char *lower_name,
			struct err *err)
{
	if (lower->cache.line_bytes >= upper->cache.line_bytes)
		return true;
	return err_set(err,
		       "%s: a line of %" PRIu32 " bytes is shorter than the %" PRIu32
		       " bytes of a line of %s",
		       lower_name, lower->cache.line_bytes, upper->cache.line_bytes, upper_name);
}

static bool check(const struct hierarchy_parameters *p, struct err *err)
{
	if (p->levels < 1 || p->levels > 3)
		return err_set(err, "%u cache levels are not between 1 and 3", p->levels);
	if (!bits_is_power_of_two(p->page_bytes))
		return err_set(err, "a page of %" PRIu64 " bytes is not a power of two",
			       p->page_bytes);
	if (!check_level(&p->l1i, "l1i", p, err) || !check_level(&p->l1d, "l1d", p, err))
		return false;
	if (p->levels >= 2 && (!check_level(&p->l2, "l2", p, err) ||
			       !check_order(&p->l1i, "l1i", &p->l2, "l2", err) ||
			       !check_order(&p->l1d, "l1d", &p->l2, "l2", err)))
		return false;
	if (p->levels >= 3 &&
	    (!check_level(&p->l3, "l3", p, err) || !check_order(&p->l2, "l2", &p->l3, "l3", err)))
		return false;
	return tlb_check(&p->itlb, "itlb", err) && tlb_check(&p->dtlb, "dtlb", err) &&
	       (!p->tlb2.entries || tlb_check(&p->tlb2, "tlb2", err)) &&
	       main_memory_check(&p->memory, err);
}

static void level_init(struct hierarchy_level *level, const struct level_parameters *p,
		       uint64_t page_bytes, uint64_t seed)
{
	cache_init(&level->cache, &p->cache, seed);
	mshr_init(&level->mshr, p->mshrs);
	level->limited = p->mshrs != MSHR_UNLIMITED;
	level->latency_cycles = p->latency_cycles;
	for (unsigned i = 0; i < PREFETCH_KINDS; i++)
		if (p->prefetch[i])
			prefetcher_init(&level->prefetcher[level->prefetcher_count++],
					p->prefetch[i], p->cache.line_bytes, page_bytes);
}

static void level_release(struct hierarchy_level *level)
{
	cache_release(&level->cache);
	mshr_release(&level->mshr);
	for (unsigned i = 0; i < level->prefetcher_count; i++)
		prefetcher_release(&level->prefetcher[i]);
}

static void fast_init(struct hierarchy *h, enum hierarchy_operation operation)
{
	enum hierarchy_side side = operation == ACCESS_FETCH ? SIDE_INSTRUCTION : SIDE_DATA;
	const struct hierarchy_level *level = &h->level[CACHE_L1I + side];
	const struct tlb *tlb = &h->tlb[side];
	struct hierarchy_fast *fast = &h->fast[operation];

	*fast = (struct hierarchy_fast){
		.keys = &h->no_key,
		.lines = level->cache.lines,
		.entries = tlb->entries,
		.tlb_set_mask = tlb->set_mask,
		.tlb_ways = tlb->ways,
		.latency_cycles = level->latency_cycles,
		.line_bits = level->cache.line_bits,
		.page_bits = tlb->page_bits,
	};
	for (unsigned i = 0; i < level->prefetcher_count; i++)
		if (level->prefetcher[i].kind->sees_hits)
			return;
	if (level->cache.kind->touch || level->cache.trees ||
	    (operation == ACCESS_STORE && h->write_through))
		return;
	fast->keys = level->cache.keys;
	fast->set_mask = level->cache.set_mask;
	fast->ways = level->cache.ways;
}

static void plain_init(struct hierarchy *h, enum hierarchy_operation operation)
{
	enum hierarchy_side side = operation == ACCESS_FETCH ? SIDE_INSTRUCTION : SIDE_DATA;
	struct hierarchy_level *level = &h->level[CACHE_L1I + side];
	struct hierarchy_plain *plain = &h->plain[operation];

	*plain = (struct hierarchy_plain){
		.tlb = &h->tlb[side],
		.keys = &h->no_key,
		.lines = level->cache.lines,
		.guesses = (const uint8_t *)&h->no_key,
		.entries = h->tlb[side].entries,
		.tlb_set_mask = h->tlb[side].set_mask,
		.tlb_ways = h->tlb[side].ways,
		.line_bits = level->cache.line_bits,
		.page_bits = h->tlb[side].page_bits,
	};
	if (operation == ACCESS_STORE && h->write_through)
		return;
	for (unsigned i = 0; i < level->prefetcher_count; i++) {
		struct prefetcher *prefetcher = &level->prefetcher[i];

		if (!prefetcher->kind->sees_hits)
			continue;
		if (prefetcher->kind != &prefetch_stride || plain->strides)
			return;
		plain->strides = prefetcher->state;
		plain->prefetch_page_bytes = prefetcher->page_bytes;
	}
	plain->cache = &level->cache;
	plain->keys = level->cache.keys;
	plain->guesses = level->cache.guesses;
	plain->trees = level->cache.trees;
	plain->tree_uses = level->cache.tree_uses;
	plain->guess_mask = level->cache.guess_mask;
	plain->set_mask = level->cache.set_mask;
	plain->ways = level->cache.ways;
}

void hierarchy_seed(struct hierarchy *h, uint64_t seed)
{
	for (unsigned cache = 0; cache <= h->last; cache++)
		h->level[cache].cache.rng.state = seed + cache;
}

/* All that takes time or hides it, but for the caches' own part in it. */
static void set_times(struct hierarchy *h, const struct hierarchy_parameters *p)
{
	const bool has_l2 = p->levels >= 2, has_l3 = p->levels == 3;

	/* Without an L2, an ideal L2 means that no L1 miss waits for memory. */
	h->hides = (p->ideal_l1i || (p->ideal_l2i && !has_l2) ? HIDES_L1I : 0) |
		   (p->ideal_l2i ? HIDES_L2I : 0) | (p->ideal_l3i && has_l3 ? HIDES_L3I : 0) |
		   (p->ideal_itlb ? HIDES_ITLB : 0) |
		   (p->ideal_l1d || (p->ideal_l2d && !has_l2) ? HIDES_L1D : 0) |
		   (p->ideal_l2d ? HIDES_L2D : 0) | (p->ideal_l3d && has_l3 ? HIDES_L3D : 0) |
		   (p->ideal_dtlb ? HIDES_DTLB : 0);
	h->ideal_pending = p->ideal_pending;
	h->ideal_walk = p->ideal_walk;
	h->ideal_bandwidth = p->ideal_bandwidth;
	h->tlb_miss_cycles[SIDE_INSTRUCTION] = p->itlb.miss_cycles;
	h->tlb_miss_cycles[SIDE_DATA] = p->dtlb.miss_cycles;
	h->tlb2_latency_cycles = p->tlb2_latency_cycles;
	h->limited = false;
	for (unsigned cache = CACHE_L1D; cache <= h->last; cache++)
		h->limited |= h->level[cache].limited;
}

struct hierarchy *hierarchy_create(const struct hierarchy_parameters *p, struct err *err)
{
	const struct level_parameters *levels[CACHE_COUNT] = {&p->l1i, &p->l1d, &p->l2, &p->l3};
	struct hierarchy *h;

	if (!check(p, err))
		return NULL;
	h = mem_alloc(sizeof(*h));
	h->last = CACHE_L1D + p->levels - 1;
	main_memory_init(&h->memory, &p->memory);
	h->write_through = p->l1d_write_through;
	for (unsigned cache = 0; cache <= h->last; cache++)
		level_init(&h->level[cache], levels[cache], p->page_bytes, p->seed + cache);
	set_times(h, p);
	tlb_init(&h->tlb[SIDE_INSTRUCTION], &p->itlb, p->page_bytes);
	tlb_init(&h->tlb[SIDE_DATA], &p->dtlb, p->page_bytes);
	h->has_tlb2 = p->tlb2.entries;
	if (h->has_tlb2)
		tlb_init(&h->tlb2, &p->tlb2, p->page_bytes);
	h->walks = p->walks;
	walk_cache_init(&h->walk_cache, p->walk_cache_entries);
	for (unsigned operation = 0; operation < ACCESS_COUNT; operation++) {
		fast_init(h, operation);
		plain_init(h, operation);
	}
	return h;
}

bool hierarchy_reconfigure(struct hierarchy *h, const struct hierarchy_parameters *p,
			   struct err *err)
{
	const struct level_parameters *levels[CACHE_COUNT] = {&p->l1i, &p->l1d, &p->l2, &p->l3};

	if (!check(p, err))
		return false;
	BUG_ON(h->last != CACHE_L1D + p->levels - 1 || h->write_through != p->l1d_write_through ||
	       h->walks != p->walks || h->has_tlb2 != (p->tlb2.entries > 0));
	for (unsigned cache = 0; cache <= h->last; cache++) {
		struct hierarchy_level *level = &h->level[cache];

		level->latency_cycles = levels[cache]->latency_cycles;
		level->limited = levels[cache]->mshrs != MSHR_UNLIMITED;
		mshr_change_limit(&level->mshr, levels[cache]->mshrs);
	}
	main_memory_change_times(&h->memory, &p->memory);
	set_times(h, p);
	for (unsigned operation = 0; operation < ACCESS_COUNT; operation++) {
		fast_init(h, operation);
		plain_init(h, operation);
	}
	return true;
}

void hierarchy_destroy(struct hierarchy *h)
{
	if (!h)
		return;
	for (unsigned cache = 0; cache <= h->last; cache++)
		level_release(&h->level[cache]);
	tlb_release(&h->tlb[SIDE_INSTRUCTION]);
	tlb_release(&h->tlb[SIDE_DATA]);
	tlb_release(&h->tlb2);
	walk_cache_release(&h->walk_cache);
	main_memory_release(&h->memory);
	free(h->log);
	free(h);
}

void hierarchy_keep_log(struct hierarchy *h, bool keeps)
{
	h->keeps_log = keeps;
	h->log_count = 0;
	for (size_t i = 0; i < MEMORY_EVENT_COUNT; i++)
		h->logs[i] = keeps && !h->log_omits[i];
}

void hierarchy_log_only(struct hierarchy *h, const bool events[MEMORY_EVENT_COUNT])
{
	for (size_t i = 0; i < MEMORY_EVENT_COUNT; i++)
		h->log_omits[i] = !events[i];
	hierarchy_keep_log(h, h->keeps_log);
}

static struct cache_counters cache_sums(const struct cache_events *events, uint64_t plain)
{
	return (struct cache_counters){
		.accesses = events->hits + plain + events->pending + events->misses,
		.hits = events->hits + plain,
		.pending = events->pending,
		.misses = events->misses,
		.crossed = events->crossed,
		.evicted = {events->evicted[0], events->evicted[1]},
	};
}

static struct tlb_counters tlb_sums(const struct tlb_events *events, uint64_t plain)
{
	return (struct tlb_counters){
		.accesses = events->hits + plain + events->pending + events->misses,
		.hits = events->hits + plain,
		.pending = events->pending,
		.misses = events->misses,
	};
}

void hierarchy_count(const struct hierarchy *h, struct hierarchy_counters *counters)
{
	const struct memory_events *e = &h->events;
	const uint64_t plain[SIDE_COUNT] = {
		[SIDE_INSTRUCTION] = e->plain[ACCESS_FETCH],
		[SIDE_DATA] = e->plain[ACCESS_LOAD] + e->plain[ACCESS_STORE],
	};

	*counters = (struct hierarchy_counters){
		.walk_loads = e->walk_loads,
		.walk_misses = e->walk_misses,
		.memory_prefetches = e->memory_prefetches,
		.memory_walks = e->memory_walks,
		.memory_writes = e->memory_writes,
		.memory_busy = e->memory_busy,
		.memory_queue = e->memory_queue,
		.rows = {e->rows[0], e->rows[1], e->rows[2]},
		.blocked = e->blocked,
	};
	for (unsigned side = 0; side < SIDE_COUNT; side++) {
		counters->tlb[side] = tlb_sums(&e->tlb[side], plain[side]);
		counters->tlb2[side] = tlb_sums(&e->tlb2[side], 0);
		counters->walks[side] = e->walks[side];
		counters->memory_reads[side] = e->memory_reads[side];
		for (unsigned i = 0; i < CACHE_COUNT; i++)
			counters->cache[i][side] = cache_sums(
				&e->cache[i][side], i == CACHE_L1I + side ? plain[side] : 0);
	}
	for (unsigned i = 0; i < CACHE_COUNT; i++) {
		counters->write_backs[i] = e->write_backs[i];
		counters->write_backs_saved[i] = e->write_backs_saved[i];
		counters->prefetch[i] = e->prefetch[i];
	}
}
