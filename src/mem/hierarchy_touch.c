/*
 * Accesses without time: those of hierarchy.c in which every fill is complete at once, no register
 * and no memory is taken and nobody asks when the data is there. What tags, policies, prefetchers,
 * TLBs, rows and counters do is the same; the tests play both against the same twin.
 */
#include "mem/hierarchy_parts.h"

/* One access as it passes from level to level. */
struct touch {
	struct hierarchy *h;
	enum hierarchy_side side;
	enum request_kind kind;
	uint8_t dirties;     /* the enum hierarchy_cache that it writes; CACHE_COUNT: none */
	uint8_t worst_level; /* the highest level that lines are said to come from */
	uint64_t pc;
};

/* A line read from or written to memory: it opens its row. */
static inline void touch_memory(struct hierarchy *h, uint64_t address)
{
	struct main_memory_answer answer;

	if (LIKELY(main_memory_is_never_busy(&h->memory)))
		return;
	main_memory_request(&h->memory, HIERARCHY_TIMELESS, HIERARCHY_TIMELESS, address, false,
			    &answer);
	if (answer.row != ROW_NONE)
		happened(h, &h->events.rows[answer.row - ROW_HIT]);
}

static void write_back(struct hierarchy *h, unsigned from, const struct cache_victim *victim);

/* Enters a line, and writes back its victim if that is dirty. */
static inline struct cache_line *enter(struct hierarchy *h, unsigned cache,
				       enum hierarchy_side side, uint64_t address)
{
	struct cache_victim victim;
	struct cache_line *line = cache_fill(&h->level[cache].cache, address, &victim);

	if (side == SIDE_INSTRUCTION)
		line->flags = CACHE_LINE_INSTRUCTION;
	if (!victim.valid)
		return line;
	bool instruction = victim.flags & CACHE_LINE_INSTRUCTION;
	happened(h,
		 &h->events.cache[cache][side].evicted[instruction ? SIDE_INSTRUCTION : SIDE_DATA]);
	if (victim.flags & CACHE_LINE_PREFETCHED)
		happened(h, &h->events.prefetch[cache].unused);
	if (!(victim.flags & CACHE_LINE_DIRTY))
		return line;
	if (UNLIKELY(is_dead(h, cache, victim.address)))
		happened(h, &h->events.write_backs_saved[cache]);
	else
		write_back(h, cache, &victim);
	return line;
}

static void write_back(struct hierarchy *h, unsigned from, const struct cache_victim *victim)
{
	unsigned to = next_cache(from);

	happened(h, &h->events.write_backs[from]);
	if (to > h->last) {
		happened(h, &h->events.memory_writes);
		touch_memory(h, victim->address);
		return;
	}
	struct cache_line *line = cache_touch(&h->level[to].cache, victim->address);
	if (!line)
		line = enter(h, to,
			     victim->flags & CACHE_LINE_INSTRUCTION ? SIDE_INSTRUCTION : SIDE_DATA,
			     victim->address);
	line->flags |= CACHE_LINE_DIRTY;
}

static enum memory_level touch_cache(const struct touch *touch, unsigned cache, uint64_t address);

/* Brings a line into a cache that does not have it, and returns where it was. */
static enum memory_level fill(const struct touch *touch, unsigned cache, uint64_t address,
			      uint8_t flags)
{
	struct hierarchy *h = touch->h;
	unsigned below = next_cache(cache);
	enum memory_level level = LEVEL_MEMORY;

	if (below <= h->last) {
		level = touch_cache(touch, below, address);
	} else {
		touch_memory(h, address);
		happened(h, touch->kind == REQUEST_DEMAND ? &h->events.memory_reads[touch->side]
			    : touch->kind == REQUEST_WALK ? &h->events.memory_walks
							  : &h->events.memory_prefetches);
	}
	struct cache_line *line = enter(h, cache, touch->side, address);
	line->flags |= flags;
	line->level = (level < touch->worst_level ? level : touch->worst_level) & 3;
	return level;
}

static void prefetch(const struct touch *cause, unsigned cache,
		     const struct prefetch_access *access)
{
	struct hierarchy_level *level = &cause->h->level[cache];
	const struct touch touch = {.h = cause->h,
				    .side = cause->side,
				    .kind = REQUEST_PREFETCH,
				    .dirties = CACHE_COUNT,
				    .worst_level = cause->worst_level,
				    .pc = cause->pc};

	for (unsigned i = 0; i < level->prefetcher_count; i++) {
		struct prefetcher *prefetcher = &level->prefetcher[i];
		uint64_t lines[PREFETCH_MOST_LINES];
		unsigned count = prefetcher->kind->observe(prefetcher, access, lines);

		for (unsigned n = 0; n < count; n++) {
			if (cache_holds(&level->cache, lines[n]))
				continue;
			fill(&touch, cache, lines[n], CACHE_LINE_PREFETCHED);
			happened(touch.h, &touch.h->events.prefetch[cache].issued);
		}
	}
}

/* A demand hit: whether it is the first use of a line that a prefetcher brought in. */
static inline bool count_hit(const struct touch *touch, unsigned cache, struct cache_line *line)
{
	struct hierarchy *h = touch->h;
	struct cache_events *events = &h->events.cache[cache][touch->side];

	happened(h, &events->hits);
	if (!!(line->flags & CACHE_LINE_INSTRUCTION) != (touch->side == SIDE_INSTRUCTION))
		happened(h, &events->crossed);
	if (!(line->flags & CACHE_LINE_PREFETCHED))
		return false;
	line->flags &= (uint8_t)~CACHE_LINE_PREFETCHED;
	happened(h, &h->events.prefetch[cache].useful);
	return true;
}

static enum memory_level touch_cache(const struct touch *touch, unsigned cache, uint64_t address)
{
	struct hierarchy *h = touch->h;
	struct hierarchy_level *level = &h->level[cache];
	struct cache_line *line = cache_touch(&level->cache, address);
	const bool is_demand = touch->kind == REQUEST_DEMAND, hit = line;
	const uint8_t dirty = cache == touch->dirties ? CACHE_LINE_DIRTY : 0;
	enum memory_level from = level_of(cache);
	bool first_use = false;

	if (hit) {
		first_use = is_demand && count_hit(touch, cache, line);
		line->flags |= dirty;
	} else {
		if (is_demand)
			happened(h, &h->events.cache[cache][touch->side].misses);
		from = fill(touch, cache, address, dirty);
	}
	if (is_demand && level->prefetcher_count) {
		const struct prefetch_access access = {
			.address = address, .pc = touch->pc, .hit = hit, .first_use = first_use};

		prefetch(touch, cache, &access);
	}
	return from;
}

/* A store to a write-through L1D: the next level is always written. */
static enum memory_level touch_through(const struct touch *touch, uint64_t address)
{
	struct hierarchy *h = touch->h;
	struct cache_line *line = cache_touch(&h->level[CACHE_L1D].cache, address);
	enum memory_level level = LEVEL_MEMORY;

	if (line) {
		happened(h, &h->events.cache[CACHE_L1D][SIDE_DATA].hits);
		if (line->flags & CACHE_LINE_PREFETCHED) {
			line->flags &= (uint8_t)~CACHE_LINE_PREFETCHED;
			happened(h, &h->events.prefetch[CACHE_L1D].useful);
		}
	} else {
		happened(h, &h->events.cache[CACHE_L1D][SIDE_DATA].misses);
	}
	if (h->last == CACHE_L1D) {
		touch_memory(h, address);
		happened(h, &h->events.memory_writes);
	} else {
		level = touch_cache(touch, CACHE_L2, address);
	}
	return line ? LEVEL_L1 : level;
}

/* The highest level whose misses count, by what is hidden from the side. */
static uint8_t worst_level(const struct hierarchy *h, enum hierarchy_side side)
{
	const unsigned hides = h->hides >> 4 * side;

	return hides & HIDES_L1I   ? LEVEL_L1
	       : hides & HIDES_L2I ? LEVEL_L2
	       : hides & HIDES_L3I ? LEVEL_L3
				   : LEVEL_MEMORY;
}

static void walk(const struct touch *cause, uint64_t page)
{
	struct hierarchy *h = cause->h;
	const struct touch load = {.h = h,
				   .side = SIDE_DATA,
				   .kind = REQUEST_WALK,
				   .dirties = CACHE_COUNT,
				   .worst_level =
					   h->ideal_walk ? LEVEL_L1 : worst_level(h, SIDE_DATA),
				   .pc = cause->pc};
	uint64_t ready_at;
	unsigned level = walk_cache_begin(&h->walk_cache, page, &ready_at);

	for (level++; level-- > 0;) {
		enum memory_level from =
			touch_cache(&load, CACHE_L1D, page_walk_address(page, level));

		happened(h, &h->events.walk_loads);
		if (from > LEVEL_L1)
			happened(h, &h->events.walk_misses);
		if (level)
			walk_cache_put(&h->walk_cache, page, level, 0);
	}
}

static void translate(const struct touch *touch, uint64_t address)
{
	struct hierarchy *h = touch->h;
	const enum hierarchy_side side = touch->side;
	bool hit;

	tlb_touch(&h->tlb[side], address, &hit);
	if (hit) {
		happened(h, &h->events.tlb[side].hits);
		return;
	}
	happened(h, &h->events.tlb[side].misses);
	if (h->has_tlb2) {
		tlb_touch(&h->tlb2, address, &hit);
		if (hit) {
			happened(h, &h->events.tlb2[side].hits);
			return;
		}
	}
	happened(h, &h->events.walks[side]);
	if (h->walks)
		walk(touch, address >> h->tlb[SIDE_DATA].page_bits);
	if (h->has_tlb2)
		happened(h, &h->events.tlb2[side].misses);
}

enum memory_level hierarchy_touch(struct hierarchy *h, enum hierarchy_operation operation,
				  uint64_t pc, uint64_t address)
{
	const enum hierarchy_side side = operation == ACCESS_FETCH ? SIDE_INSTRUCTION : SIDE_DATA;
	struct touch touch = {
		.h = h, .side = side, .kind = REQUEST_DEMAND, .dirties = CACHE_COUNT, .pc = pc};

	/* Where the line is where it was looked for, it is a prefetcher that has something to do.
	 */
	if (!hierarchy_plain_finds(&h->plain[operation], address) &&
	    hierarchy_plain_touch(&h->plain[operation], operation == ACCESS_STORE, pc, address)) {
		happened(h, &h->events.plain[operation]);
		return LEVEL_L1;
	}
	translate(&touch, address);
	touch.worst_level = worst_level(h, side);
	if (operation == ACCESS_STORE && h->write_through) {
		touch.dirties = CACHE_L2;
		return touch_through(&touch, address);
	}
	if (operation == ACCESS_STORE)
		touch.dirties = CACHE_L1D;
	return touch_cache(&touch, side == SIDE_INSTRUCTION ? CACHE_L1I : CACHE_L1D, address);
}
