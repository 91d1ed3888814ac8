#include "mem/hierarchy.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"

/* One access as it passes from level to level. */
struct request {
	enum hierarchy_side side;
	bool demand;	      /* not a prefetch */
	bool takes_mshrs;     /* the access takes MSHRs of the limited caches that it misses in */
	uint8_t dirties;      /* the enum hierarchy_cache that it writes; CACHE_COUNT: none */
	uint8_t worst_level;  /* the highest level whose latency counts */
	uint64_t latest_done; /* the last cycle in which the data can arrive */
	uint64_t now;
	uint64_t pc;
};

/* The cycle in which a level has the line, and the level that serves it. */
struct supply {
	uint64_t done_at;
	uint64_t near_done_at;
	uint8_t level;
	uint8_t tag_level;
	bool pending;
};

/* Kept out of the way of those who keep no log. */
static __attribute__((noinline, cold)) void log_event(struct hierarchy *h, const uint64_t *event,
						      uint64_t amount)
{
	*ARRAY_PUSH(h->log, h->log_count, h->log_capacity) = (struct memory_log_entry){
		(uint32_t)(event - (const uint64_t *)&h->events), (uint32_t)amount};
}

/* Every event goes through here. */
static inline void happened_times(struct hierarchy *h, uint64_t *event, uint64_t amount)
{
	*event += amount;
	if (UNLIKELY(h->keeps_log))
		log_event(h, event, amount);
}

static inline void happened(struct hierarchy *h, uint64_t *event)
{
	happened_times(h, event, 1);
}

static unsigned next_cache(unsigned cache)
{
	return cache == CACHE_L1I ? CACHE_L2 : cache + 1;
}

static uint8_t level_of(unsigned cache)
{
	return cache == CACHE_L1I ? LEVEL_L1 : (uint8_t)(cache - CACHE_L1D);
}

static void idealise(struct supply *supply, const struct request *request)
{
	if (supply->done_at > request->latest_done)
		supply->done_at = request->latest_done;
	if (supply->near_done_at > supply->done_at)
		supply->near_done_at = supply->done_at;
	if (supply->level > request->worst_level)
		supply->level = request->worst_level;
}

static void write_back(struct hierarchy *h, unsigned from, const struct cache_victim *victim);

/* Enters a line and writes back its victim if that is dirty. */
static struct cache_line *enter(struct hierarchy *h, unsigned cache, enum hierarchy_side side,
				uint64_t address)
{
	struct cache_victim victim;
	struct cache_line *line = cache_fill(&h->level[cache].cache, address, &victim);

	if (side == SIDE_INSTRUCTION)
		line->flags = CACHE_LINE_INSTRUCTION;
	if (victim.valid) {
		bool instruction = victim.flags & CACHE_LINE_INSTRUCTION;

		happened(h, &h->events.cache[cache][side]
				     .evicted[instruction ? SIDE_INSTRUCTION : SIDE_DATA]);
		if (victim.flags & CACHE_LINE_PREFETCHED)
			happened(h, &h->events.prefetch[cache].unused);
		if (victim.flags & CACHE_LINE_DIRTY)
			write_back(h, cache, &victim);
	}
	return line;
}

static void write_back(struct hierarchy *h, unsigned from, const struct cache_victim *victim)
{
	unsigned to = next_cache(from);
	struct cache_line *line;

	happened(h, &h->events.write_backs[from]);
	if (to > h->last) {
		happened(h, &h->events.memory_writes);
		return;
	}
	line = cache_touch(&h->level[to].cache, victim->address);
	if (!line)
		line = enter(h, to,
			     victim->flags & CACHE_LINE_INSTRUCTION ? SIDE_INSTRUCTION : SIDE_DATA,
			     victim->address);
	line->flags |= CACHE_LINE_DIRTY;
}

static void read_cache(struct hierarchy *h, const struct request *request, unsigned cache,
		       uint64_t address, uint64_t at, struct supply *supply);

/* What the level after `cache` supplies to a look-up that missed by cycle `at`. */
static void read_below(struct hierarchy *h, const struct request *request, unsigned cache,
		       uint64_t address, uint64_t at, struct supply *supply)
{
	unsigned below = next_cache(cache);

	if (below <= h->last) {
		read_cache(h, request, below, address, at, supply);
		return;
	}
	*supply = (struct supply){
		.done_at = at + h->memory_latency_cycles,
		.near_done_at = at,
		.level = LEVEL_MEMORY,
		.tag_level = LEVEL_MEMORY,
	};
	idealise(supply, request);
	happened(h, request->demand ? &h->events.memory_reads[request->side]
				    : &h->events.memory_prefetches);
}

static struct cache_line *enter_supplied(struct hierarchy *h, const struct request *request,
					 unsigned cache, uint64_t address,
					 const struct supply *supply)
{
	struct cache_line *line = enter(h, cache, request->side, address);

	line->ready_at = supply->done_at;
	line->far_cycles = (uint32_t)(supply->done_at - supply->near_done_at);
	line->level = supply->level;
	return line;
}

static void prefetch(struct hierarchy *h, const struct request *cause, unsigned cache,
		     const struct prefetch_access *access, uint64_t at)
{
	struct hierarchy_level *level = &h->level[cache];
	struct request request = *cause;

	request.demand = false;
	request.takes_mshrs = false;
	request.dirties = CACHE_COUNT;
	for (unsigned i = 0; i < level->prefetcher_count; i++) {
		struct prefetcher *prefetcher = &level->prefetcher[i];
		uint64_t lines[PREFETCH_MOST_LINES];
		unsigned count = prefetcher->kind->observe(prefetcher, access, lines);

		for (unsigned n = 0; n < count; n++) {
			struct supply supply;

			if (cache_holds(&level->cache, lines[n]))
				continue;
			read_below(h, &request, cache, lines[n], at, &supply);
			enter_supplied(h, &request, cache, lines[n], &supply)->flags |=
				CACHE_LINE_PREFETCHED;
			happened(h, &h->events.prefetch[cache].issued);
		}
	}
}

/* The look-up in `cache` of a line that is there; true if this is the first use of
 * what a prefetcher brought in. */
static bool read_hit(struct hierarchy *h, const struct request *request, unsigned cache,
		     struct cache_line *line, uint64_t at, struct supply *supply)
{
	struct cache_events *events = &h->events.cache[cache][request->side];
	bool on_its_way = line->ready_at > at;
	bool first_use = request->demand && line->flags & CACHE_LINE_PREFETCHED;

	*supply = (struct supply){.done_at = at,
				  .near_done_at = at,
				  .level = level_of(cache),
				  .tag_level = level_of(cache)};
	if (on_its_way && !(h->ideal_pending && request->side == SIDE_DATA)) {
		uint64_t near = line->ready_at - line->far_cycles;

		supply->done_at = line->ready_at;
		supply->near_done_at = near > at ? near : at;
		supply->level = line->level;
	}
	idealise(supply, request);
	supply->pending = supply->done_at > at;
	if (cache == request->dirties)
		line->flags |= CACHE_LINE_DIRTY;
	if (!request->demand)
		return false;
	happened(h, on_its_way ? &events->pending : &events->hits);
	if (!!(line->flags & CACHE_LINE_INSTRUCTION) != (request->side == SIDE_INSTRUCTION))
		happened(h, &events->crossed);
	if (first_use) {
		line->flags &= (uint8_t)~CACHE_LINE_PREFETCHED;
		happened(h, &h->events.prefetch[cache].useful);
		if (on_its_way)
			happened(h, &h->events.prefetch[cache].late);
	}
	return first_use;
}

/* A look-up that begins in cycle `at`, with all that follows from it. */
static void read_cache(struct hierarchy *h, const struct request *request, unsigned cache,
		       uint64_t address, uint64_t at, struct supply *supply)
{
	struct hierarchy_level *level = &h->level[cache];
	struct cache_line *line = cache_touch(&level->cache, address);
	bool hit = line;
	bool first_use = false;

	at += level->latency_cycles;
	if (hit) {
		first_use = read_hit(h, request, cache, line, at, supply);
	} else {
		if (request->demand)
			happened(h, &h->events.cache[cache][request->side].misses);
		read_below(h, request, cache, address, at, supply);
		line = enter_supplied(h, request, cache, address, supply);
		if (cache == request->dirties)
			line->flags |= CACHE_LINE_DIRTY;
		if (request->takes_mshrs && !(cache > CACHE_L1D && h->ideal_l2[SIDE_DATA])) {
			happened(h, &h->events.mshr[cache].taken);
			happened_times(h, &h->events.mshr[cache].cycles,
				       supply->done_at - request->now);
			if (level->limited)
				mshr_take(&level->mshr, request->now, supply->done_at);
		}
	}
	if (request->demand && level->prefetcher_count) {
		struct prefetch_access access = {
			.address = address, .pc = request->pc, .hit = hit, .first_use = first_use};

		prefetch(h, request, cache, &access, at);
	}
}

/* A store to a write-through L1D: a hit updates the replacement state, and the next level is
 * always written. */
static void write_through(struct hierarchy *h, const struct request *request, uint64_t address,
			  uint64_t at, struct supply *supply)
{
	struct hierarchy_level *level = &h->level[CACHE_L1D];
	struct cache_events *events = &h->events.cache[CACHE_L1D][SIDE_DATA];
	struct cache_line *line = cache_touch(&level->cache, address);

	at += level->latency_cycles;
	if (line) {
		bool on_its_way = line->ready_at > at;

		happened(h, on_its_way ? &events->pending : &events->hits);
		if (line->flags & CACHE_LINE_PREFETCHED) {
			line->flags &= (uint8_t)~CACHE_LINE_PREFETCHED;
			happened(h, &h->events.prefetch[CACHE_L1D].useful);
			if (on_its_way)
				happened(h, &h->events.prefetch[CACHE_L1D].late);
		}
	} else {
		happened(h, &events->misses);
	}
	if (h->last == CACHE_L1D) {
		*supply = (struct supply){
			.done_at = at + h->memory_latency_cycles,
			.near_done_at = at,
			.level = LEVEL_MEMORY,
			.tag_level = LEVEL_MEMORY,
		};
		idealise(supply, request);
		happened(h, &h->events.memory_writes);
	} else {
		read_cache(h, request, CACHE_L2, address, at, supply);
	}
	if (line)
		supply->tag_level = LEVEL_L1;
}

/* The first cycle in which every MSHR that the access needs is free; 0: now. */
static uint64_t blocked_until(const struct hierarchy *h, bool through, uint64_t address,
			      uint64_t now)
{
	uint64_t free_at[CACHE_COUNT] = {0};
	uint64_t until = 0;

	for (unsigned cache = CACHE_L1D; cache <= h->last; cache++) {
		free_at[cache] = mshr_blocked_until(&h->level[cache].mshr, now);
		until |= free_at[cache];
	}
	/* Usually no cache has run out of MSHRs, and no look-up is needed. Ideal levels never
	 * run out, because no access takes their MSHRs. */
	if (LIKELY(!until))
		return 0;
	until = 0;
	for (unsigned cache = through ? CACHE_L2 : CACHE_L1D; cache <= h->last; cache++) {
		if (cache_holds(&h->level[cache].cache, address))
			break;
		if (free_at[cache] > until)
			until = free_at[cache];
	}
	return until;
}

/* Returns the end of the TLB phase. */
static uint64_t translate(struct hierarchy *h, const struct request *request, uint64_t address,
			  struct access_result *result)
{
	struct tlb_events *events = &h->events.tlb[request->side];
	bool hit;
	struct tlb_entry *entry = tlb_touch(&h->tlb[request->side], address, &hit);
	uint64_t now = request->now;

	if (!hit) {
		happened(h, &events->misses);
		result->tlb_miss = true;
		now += h->tlb_miss_cycles[request->side];
		entry->ready_at = now < request->latest_done ? now : request->latest_done;
		return now;
	}
	if (entry->ready_at > now) {
		happened(h, &events->pending);
		result->tlb_pending = true;
		return entry->ready_at;
	}
	happened(h, &events->hits);
	return now;
}

/* Divides the wait from when the L1 answers to done_at among the levels it goes through. From
 * `near` on it is for memory; between, with three levels, the L2's latency comes first. */
static void divide_wait(const struct hierarchy *h, uint64_t l1_done_at, uint64_t near,
			struct access_result *result)
{
	uint64_t *until = result->miss_until, l2_done_at;

	for (unsigned i = 0; i < MISS_LEVELS; i++)
		until[i] = result->done_at;
	if (h->last == CACHE_L2) {
		until[0] = near;
	} else if (h->last == CACHE_L3) {
		l2_done_at = l1_done_at + h->level[CACHE_L2].latency_cycles;
		until[0] = l2_done_at < near ? l2_done_at : near;
		until[1] = near;
	}
}

static void access_memory(struct hierarchy *h, enum hierarchy_operation operation,
			  struct request *request, uint64_t address, struct access_result *result)
{
	enum hierarchy_side side = request->side;
	unsigned l1 = CACHE_L1I + side;
	bool through = operation == ACCESS_STORE && h->write_through;
	struct supply supply;
	uint64_t at = translate(h, request, address, result);

	result->tlb_done_at = at;
	if (operation == ACCESS_STORE)
		request->dirties = through ? CACHE_L2 : CACHE_L1D;
	if (h->ideal_l1[side] || h->ideal_l2[side]) {
		uint64_t latest = at + h->level[l1].latency_cycles;

		request->worst_level = LEVEL_L1;
		if (!h->ideal_l1[side]) {
			latest += h->level[CACHE_L2].latency_cycles;
			request->worst_level = LEVEL_L2;
		}
		if (latest < request->latest_done)
			request->latest_done = latest;
	}
	if (through)
		write_through(h, request, address, at, &supply);
	else
		read_cache(h, request, l1, address, at, &supply);
	result->done_at = supply.done_at;
	divide_wait(h, at + h->level[l1].latency_cycles, supply.near_done_at, result);
	result->level = supply.level;
	result->tag_level = supply.tag_level;
	result->pending = supply.pending;
}

/* Hits that the inline path does not handle, without building a request: in a way that is not
 * the first (random hits in a 4-way L1D: 46 M/s by the general path, 72 M/s with this), or on
 * a line whose fill is under way. */
static bool hit_quickly(struct hierarchy *h, enum hierarchy_operation operation, uint64_t address,
			uint64_t now, struct access_result *result)
{
	struct hierarchy_fast *fast = &h->fast[operation];
	enum hierarchy_side side = operation == ACCESS_FETCH ? SIDE_INSTRUCTION : SIDE_DATA;
	struct cache *cache = &h->level[CACHE_L1I + side].cache;
	uint64_t page = address >> fast->page_bits;
	uint64_t line = address >> fast->line_bits;
	uint64_t set = line & fast->set_mask, at = now + fast->latency_cycles;
	size_t first = set * fast->ways;
	const struct tlb_entry *entry =
		fast->entries + (page & fast->tlb_set_mask) * fast->tlb_ways;
	unsigned way = 0;

	if (entry->key != page + 1 || entry->ready_at > now)
		return false;
	while (way < fast->ways && fast->keys[first + way] != line + 1)
		way++;
	if (way == fast->ways)
		return false;
	struct cache_line *found = &fast->lines[first + way];
	hierarchy_fast_result(now, at, result);
	if (found->ready_at <= at) {
		happened(h, &h->events.plain[operation]);
	} else {
		uint64_t near = found->ready_at - found->far_cycles;

		if (h->ideal_pending || h->ideal_l1[side] || h->ideal_l2[side])
			return false;
		result->done_at = found->ready_at;
		divide_wait(h, at, near > at ? near : at, result);
		result->level = found->level;
		result->pending = true;
		happened(h, &h->events.cache[CACHE_L1I + side][side].pending);
		happened(h, &h->events.tlb[side].hits);
	}
	if (operation == ACCESS_STORE)
		found->flags |= CACHE_LINE_DIRTY;
	if (way && cache->hit_to_front)
		cache_move_to_front(cache, set, way);
	return true;
}

void hierarchy_access(struct hierarchy *h, enum hierarchy_operation operation, uint64_t pc,
		      uint64_t address, uint64_t now, struct access_result *result)
{
	struct request request = {
		.side = operation == ACCESS_FETCH ? SIDE_INSTRUCTION : SIDE_DATA,
		.demand = true,
		.takes_mshrs = operation != ACCESS_FETCH && !h->ideal_l1[SIDE_DATA],
		.dirties = CACHE_COUNT,
		.worst_level = LEVEL_MEMORY,
		.latest_done = UINT64_MAX,
		.now = now,
		.pc = pc,
	};

	h->log_count = 0;
	if (hit_quickly(h, operation, address, now, result))
		return;
	*result = (struct access_result){0};
	if (h->limited && operation != ACCESS_FETCH) {
		bool through = operation == ACCESS_STORE && h->write_through;

		result->retry_at = blocked_until(h, through, address, now);
		if (result->retry_at) {
			result->blocked = true;
			happened(h, &h->events.blocked);
			return;
		}
	}
	access_memory(h, operation, &request, address, result);
}

enum memory_level hierarchy_touch(struct hierarchy *h, enum hierarchy_operation operation,
				  uint64_t pc, uint64_t address)
{
	/* In cycle HIERARCHY_TIMELESS every fill is complete, and one that completes by
	 * latest_done = 0 is never under way. */
	struct request request = {
		.side = operation == ACCESS_FETCH ? SIDE_INSTRUCTION : SIDE_DATA,
		.demand = true,
		.dirties = CACHE_COUNT,
		.worst_level = LEVEL_MEMORY,
		.now = HIERARCHY_TIMELESS,
		.pc = pc,
	};
	struct access_result result;

	if (hit_quickly(h, operation, address, HIERARCHY_TIMELESS, &result))
		return LEVEL_L1;
	result = (struct access_result){0};
	access_memory(h, operation, &request, address, &result);
	return result.tag_level;
}
