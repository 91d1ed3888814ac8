/*
 * twin_hierarchy.h - a slow implementation of the rules of mem/hierarchy.h: caches and TLBs are
 * arrays with time stamps, MSHRs a list of times, and an access is one walk down to the level that
 * has the line and one walk back up that inserts it. Memory and prefetchers are twins, too.
 */
#ifndef TESTS_MEM_TWIN_HIERARCHY_H
#define TESTS_MEM_TWIN_HIERARCHY_H

#include "mem/hierarchy.h"
#include "twin_cache.h"
#include "twin_memory.h"
#include "twin_prefetch.h"

struct twin_page {
	uint64_t number;
	uint64_t used; /* 0: empty */
	uint64_t ready_at, walk_cycles;
};

/* What a page walk remembers: the entry of a level, by the page number without the bits below it.
 */
struct twin_table_entry {
	unsigned level;
	uint64_t number;
	uint64_t used; /* 0: empty */
	uint64_t ready_at;
};

struct twin_hierarchy {
	const struct hierarchy_parameters *p;
	struct twin_cache cache[CACHE_COUNT];
	/* The time until which each MSHR is busy, if their number is limited. */
	uint64_t *busy_until[CACHE_COUNT];
	struct twin_prefetcher *prefetcher[CACHE_COUNT][PREFETCH_KINDS];
	struct twin_page *pages[SIDE_COUNT], *pages2;
	struct twin_table_entry *walk_cache;
	struct twin_memory memory;
	uint64_t stamp;
	uint64_t dead_low, dead_high, dirty_evicted[CACHE_COUNT];
	struct hierarchy_counters counters;
};

/* Values that do not change during one access. */
struct twin_walk {
	enum hierarchy_operation operation;
	enum hierarchy_side side;
	uint64_t pc, now, cap;
	unsigned cap_level;
	bool timeless, occupies, is_page_walk, is_hidden;
	struct access_relief relief;
	uint64_t hit_at; /* when the data of a hit is there */
};

static inline const struct level_parameters *twin_level(const struct twin_hierarchy *t, unsigned c)
{
	const struct level_parameters *all[] = {&t->p->l1i, &t->p->l1d, &t->p->l2, &t->p->l3};

	return all[c];
}

static inline bool twin_exists(const struct twin_hierarchy *t, unsigned c)
{
	return c < CACHE_COUNT && (c <= CACHE_L1D || c - CACHE_L1D < t->p->levels);
}

static inline unsigned twin_below(unsigned c)
{
	return c == CACHE_L1I || c == CACHE_L1D ? CACHE_L2 : c + 1;
}

static inline unsigned twin_level_number(unsigned c)
{
	return c == CACHE_L3 ? LEVEL_L3 : c == CACHE_L2 ? LEVEL_L2 : LEVEL_L1;
}

static inline void twin_init(struct twin_hierarchy *t, const struct hierarchy_parameters *p)
{
	*t = (struct twin_hierarchy){.p = p};
	for (unsigned c = 0; twin_exists(t, c); c++) {
		const struct level_parameters *level = twin_level(t, c);

		twin_cache_init(&t->cache[c], level->cache.replacement->name,
				level->cache.size_bytes, level->cache.line_bytes, level->cache.ways,
				p->seed + c);
		if (level->mshrs != MSHR_UNLIMITED)
			t->busy_until[c] = calloc(level->mshrs, sizeof(uint64_t));
		for (unsigned i = 0; i < PREFETCH_KINDS; i++)
			if (level->prefetch[i])
				t->prefetcher[c][i] = twin_prefetcher_create(
					level->prefetch[i]->name, level->cache.line_bytes,
					p->page_bytes);
	}
	t->pages[SIDE_INSTRUCTION] = calloc(p->itlb.entries, sizeof(struct twin_page));
	t->pages[SIDE_DATA] = calloc(p->dtlb.entries, sizeof(struct twin_page));
	t->pages2 = calloc(p->tlb2.entries + 1, sizeof(struct twin_page));
	t->walk_cache = calloc(p->walk_cache_entries + 1, sizeof(struct twin_table_entry));
	twin_memory_init(&t->memory, &p->memory);
}

static inline void twin_release(struct twin_hierarchy *t)
{
	for (unsigned c = 0; c < CACHE_COUNT; c++) {
		twin_cache_release(&t->cache[c]);
		free(t->busy_until[c]);
		for (unsigned i = 0; i < PREFETCH_KINDS; i++)
			free(t->prefetcher[c][i]);
	}
	free(t->pages[0]);
	free(t->pages[1]);
	free(t->pages2);
	free(t->walk_cache);
	twin_memory_release(&t->memory);
}

/* Perfect for all, or for this access. */
static inline bool twin_perfect_l1(const struct twin_hierarchy *t, const struct twin_walk *w,
				   enum hierarchy_side side)
{
	bool l1 = side == SIDE_DATA ? t->p->ideal_l1d : t->p->ideal_l1i;
	bool l2 = side == SIDE_DATA ? t->p->ideal_l2d : t->p->ideal_l2i;

	return l1 || (l2 && t->p->levels == 1) ||
	       w->relief.hides & (side == SIDE_DATA ? HIDES_L1D : HIDES_L1I);
}

static inline bool twin_perfect_l2(const struct twin_hierarchy *t, const struct twin_walk *w,
				   enum hierarchy_side side)
{
	return (side == SIDE_DATA ? t->p->ideal_l2d : t->p->ideal_l2i) ||
	       w->relief.hides & (side == SIDE_DATA ? HIDES_L2D : HIDES_L2I);
}

static inline bool twin_perfect_l3(const struct twin_walk *w, enum hierarchy_side side)
{
	return w->relief.hides & (side == SIDE_DATA ? HIDES_L3D : HIDES_L3I);
}

static inline bool twin_spared_tlb(const struct twin_walk *w)
{
	return w->relief.hides & (w->side == SIDE_DATA ? HIDES_DTLB : HIDES_ITLB);
}

static inline bool twin_perfect_tlb(const struct twin_hierarchy *t, const struct twin_walk *w)
{
	return (w->side == SIDE_DATA ? t->p->ideal_dtlb : t->p->ideal_itlb) || twin_spared_tlb(w);
}

/* An access from which a level is hidden, and it is itself spared something, waits for no memory.
 */
static inline bool twin_is_near(const struct twin_walk *w)
{
	return w->relief.hides && w->cap_level < LEVEL_MEMORY;
}

/* What is left of a number of cycles, rounded to the nearest. */
static inline uint64_t twin_left(const struct twin_walk *w, uint64_t cycles)
{
	uint64_t left = 100 - w->relief.spared_percent;

	if (w->operation == ACCESS_FETCH)
		return cycles;
	return cycles * left / 100 + (cycles * left % 100 >= 50);
}

/* Whether a miss in cache c of this access needs an MSHR. */
static inline bool twin_needs_mshr(const struct twin_hierarchy *t, const struct twin_walk *w,
				   unsigned c)
{
	if ((w->operation == ACCESS_FETCH && !w->is_page_walk) || w->timeless || w->is_hidden ||
	    !t->busy_until[c] || twin_perfect_l1(t, w, SIDE_DATA))
		return false;
	return c == CACHE_L1D || (!twin_perfect_l2(t, w, SIDE_DATA) &&
				  (c == CACHE_L2 || !twin_perfect_l3(w, SIDE_DATA)));
}

static inline uint64_t *twin_first_free_mshr(struct twin_hierarchy *t, unsigned c)
{
	uint64_t *first = &t->busy_until[c][0];

	for (unsigned i = 1; i < twin_level(t, c)->mshrs; i++)
		if (t->busy_until[c][i] < *first)
			first = &t->busy_until[c][i];
	return first;
}

static inline bool twin_writes_through(const struct twin_hierarchy *t, const struct twin_walk *w)
{
	return w->operation == ACCESS_STORE && t->p->l1d_write_through;
}

/* 0, or the time at which enough MSHRs will be free. */
static inline uint64_t twin_blocked(struct twin_hierarchy *t, const struct twin_walk *w,
				    uint64_t address)
{
	unsigned c = w->side == SIDE_DATA ? CACHE_L1D : CACHE_L1I;
	uint64_t until = 0;

	if (twin_writes_through(t, w))
		c = CACHE_L2;
	for (; twin_exists(t, c) && !twin_cache_find(&t->cache[c], address); c = twin_below(c)) {
		if (!twin_needs_mshr(t, w, c))
			continue;
		uint64_t free_at = *twin_first_free_mshr(t, c);

		if (free_at > w->now && free_at > until)
			until = free_at;
	}
	return until;
}

/* Looks a page up in the `ways` of its set: the page, or NULL with the one to replace in *oldest.
 */
static inline struct twin_page *twin_find_page(struct twin_page *set, unsigned ways,
					       uint64_t number, struct twin_page **oldest)
{
	*oldest = set;
	for (struct twin_page *page = set; page < set + ways; page++) {
		if (page->used && page->number == number)
			return page;
		if (page->used < (*oldest)->used)
			*oldest = page;
	}
	return NULL;
}

static inline void twin_walk(struct twin_hierarchy *t, const struct twin_walk *w, unsigned first,
			     uint64_t address, uint64_t at, bool demand, struct access_result *r);

static inline struct twin_table_entry *twin_find_entry(struct twin_hierarchy *t, unsigned level,
						       uint64_t number)
{
	for (unsigned i = 0; i < t->p->walk_cache_entries; i++)
		if (t->walk_cache[i].used && t->walk_cache[i].level == level &&
		    t->walk_cache[i].number == number)
			return &t->walk_cache[i];
	return NULL;
}

static inline void twin_remember_entry(struct twin_hierarchy *t, unsigned level, uint64_t number,
				       uint64_t ready_at)
{
	struct twin_table_entry *oldest = &t->walk_cache[0];

	for (unsigned i = 1; i < t->p->walk_cache_entries; i++)
		if (t->walk_cache[i].used < oldest->used)
			oldest = &t->walk_cache[i];
	if (t->p->walk_cache_entries)
		*oldest = (struct twin_table_entry){level, number, ++t->stamp, ready_at};
}

/* Four levels, from the root to the page, each a load that begins when the one before it is done.
 * Levels above the lowest one remembered need no load. */
static inline uint64_t twin_page_walk(struct twin_hierarchy *t, const struct twin_walk *cause,
				      uint64_t page, uint64_t at, uint64_t *walk_cycles)
{
	static const uint64_t pages_below[] = {1, 512, 512 * 512, 512 * 512 * 512};
	bool hidden = twin_perfect_tlb(t, cause);
	bool hits = t->p->ideal_walk || twin_perfect_l1(t, cause, SIDE_DATA);
	bool l2 = twin_perfect_l2(t, cause, SIDE_DATA), l3 = twin_perfect_l3(cause, SIDE_DATA);
	struct twin_walk w = *cause;
	uint64_t begin = at;
	unsigned known = 4, loads = 0;

	w.side = SIDE_DATA;
	w.operation = ACCESS_LOAD;
	w.is_page_walk = true;
	w.is_hidden = hidden || hits;
	w.relief.spared_percent = 0;
	w.occupies = !w.timeless && !w.is_hidden && !t->p->ideal_bandwidth && !l2 && !l3;
	for (unsigned level = 3; level >= 1; level--)
		if (twin_find_entry(t, level, page / pages_below[level]))
			known = level;
	if (known < 4) {
		struct twin_table_entry *e = twin_find_entry(t, known, page / pages_below[known]);

		e->used = ++t->stamp;
		if (e->ready_at > at && !w.timeless && !hidden)
			at = e->ready_at;
	}
	for (unsigned level = known; level-- > 0;) {
		uint64_t entry = UINT64_C(0x8000000000000000) +
				 level * UINT64_C(0x1000000000000000) +
				 page / pages_below[level] * 8;
		struct access_result r = {0};

		w.cap = UINT64_MAX;
		w.cap_level = LEVEL_MEMORY;
		if (hits || l2 || l3) {
			w.cap = at + t->p->l1d.latency_cycles +
				(hits ? 0 : t->p->l2.latency_cycles) +
				(hits || l2 ? 0 : t->p->l3.latency_cycles);
			w.cap_level = hits ? LEVEL_L1 : l2 ? LEVEL_L2 : LEVEL_L3;
		}
		if (hidden)
			w.cap = at;
		if (w.timeless)
			w.cap = 0;
		twin_walk(t, &w, CACHE_L1D, entry, at, false, &r);
		t->counters.walk_loads++;
		t->counters.walk_misses += r.tag_level > LEVEL_L1;
		loads++;
		if (!w.timeless)
			at = r.done_at;
		if (level)
			twin_remember_entry(t, level, page / pages_below[level],
					    w.timeless ? 0 : at);
	}
	*walk_cycles = 0;
	if (!w.timeless && !hidden)
		*walk_cycles = at - begin - loads * t->p->l1d.latency_cycles;
	return at;
}

/* The second-level TLB, then a walk or the fixed time. */
static inline uint64_t twin_find_translation(struct twin_hierarchy *t, const struct twin_walk *w,
					     uint64_t number, uint64_t *walk_cycles)
{
	const struct tlb_parameters *p = w->side == SIDE_DATA ? &t->p->dtlb : &t->p->itlb;
	bool ideal = twin_perfect_tlb(t, w);
	struct tlb_counters *counters = &t->counters.tlb2[w->side];
	struct twin_page *oldest = NULL, *page;
	uint64_t at = w->now;

	*walk_cycles = 0;
	if (t->p->tlb2.entries) {
		unsigned ways = t->p->tlb2.ways;

		counters->accesses++;
		page = twin_find_page(t->pages2 + number % (t->p->tlb2.entries / ways) * ways, ways,
				      number, &oldest);
		if (!ideal)
			at += t->p->tlb2_latency_cycles;
		if (page) {
			bool on_its_way = !w->timeless && page->ready_at > at;

			page->used = ++t->stamp;
			(*(on_its_way ? &counters->pending : &counters->hits))++;
			if (!on_its_way || ideal)
				return w->timeless ? w->now : w->now + twin_left(w, at - w->now);
			*walk_cycles = twin_left(w, page->walk_cycles < page->ready_at - at
							    ? page->walk_cycles
							    : page->ready_at - at);
			return w->now + twin_left(w, page->ready_at - w->now);
		}
		counters->misses++;
		*oldest = (struct twin_page){.number = number, .used = ++t->stamp};
	}
	t->counters.walks[w->side]++;
	if (t->p->walks)
		at = twin_page_walk(t, w, number, at, walk_cycles);
	else if (!ideal)
		at += p->miss_cycles;
	if (!w->timeless) {
		at = w->now + twin_left(w, at - w->now);
		*walk_cycles = twin_left(w, *walk_cycles);
	}
	if (oldest && !w->timeless) {
		oldest->ready_at = at;
		oldest->walk_cycles = *walk_cycles;
	}
	return w->timeless ? w->now : at;
}

static inline uint64_t twin_translate(struct twin_hierarchy *t, const struct twin_walk *w,
				      uint64_t address, struct access_result *r)
{
	const struct tlb_parameters *p = w->side == SIDE_DATA ? &t->p->dtlb : &t->p->itlb;
	uint64_t number = address / t->p->page_bytes;
	struct twin_page *set = t->pages[w->side] + number % (p->entries / p->ways) * p->ways;
	struct twin_page *oldest, *page = twin_find_page(set, p->ways, number, &oldest);
	struct tlb_counters *counters = &t->counters.tlb[w->side];
	uint64_t at;

	counters->accesses++;
	if (page) {
		page->used = ++t->stamp;
		if (page->ready_at <= w->now || w->timeless) {
			counters->hits++;
			return w->now;
		}
		counters->pending++;
		if (twin_spared_tlb(w))
			return w->now;
		r->tlb_pending = true;
		r->walk_cycles = twin_left(w, page->walk_cycles < page->ready_at - w->now
						      ? page->walk_cycles
						      : page->ready_at - w->now);
		return w->now + twin_left(w, page->ready_at - w->now);
	}
	counters->misses++;
	r->tlb_miss = true;
	*oldest = (struct twin_page){.number = number, .used = ++t->stamp};
	at = twin_find_translation(t, w, number, &r->walk_cycles);
	if (!w->timeless) {
		oldest->ready_at = at;
		oldest->walk_cycles = r->walk_cycles;
	}
	return at;
}

/* A line to or from memory: the cycle in which it is there, and how long it waited. */
static inline uint64_t twin_use_memory(struct twin_hierarchy *t, const struct twin_walk *w,
				       uint64_t at, uint64_t address, uint64_t *queue)
{
	int row;
	uint64_t done =
		twin_memory_request(&t->memory, w->now, at, address, w->occupies, queue, &row);

	if (row >= 0)
		t->counters.rows[row]++;
	if (w->occupies)
		t->counters.memory_busy += t->p->memory.line_cycles;
	t->counters.memory_queue += *queue;
	return done;
}

static inline void twin_write_back(struct twin_hierarchy *t, const struct twin_walk *w,
				   unsigned from, struct twin_line victim, uint64_t at);

/* Whether every byte of the line is in the dead range. */
static inline bool twin_is_dead(const struct twin_hierarchy *t, unsigned c, uint64_t address)
{
	bool is_dead = true;

	for (uint64_t b = 0; b < twin_level(t, c)->cache.line_bytes; b++)
		is_dead &= address + b >= t->dead_low && address + b < t->dead_high;
	return is_dead;
}

/* Inserts a line that arrives in cycle `at`. */
static inline struct twin_line *twin_enter(struct twin_hierarchy *t, const struct twin_walk *w,
					   unsigned c, enum hierarchy_side side, uint64_t address,
					   uint64_t at)
{
	struct twin_line victim;
	struct twin_line *line = twin_cache_enter(&t->cache[c], address, &victim);

	line->instruction = side == SIDE_INSTRUCTION;
	if (!victim.valid)
		return line;
	t->counters.cache[c][side].evicted[victim.instruction ? SIDE_INSTRUCTION : SIDE_DATA]++;
	t->counters.prefetch[c].unused += victim.prefetched;
	if (victim.dirty && twin_is_dead(t, c, victim.address))
		t->counters.write_backs_saved[c]++;
	else if (victim.dirty)
		twin_write_back(t, w, c, victim, at);
	t->dirty_evicted[c] += victim.dirty;
	return line;
}

static inline void twin_write_back(struct twin_hierarchy *t, const struct twin_walk *w,
				   unsigned from, struct twin_line victim, uint64_t at)
{
	unsigned c = twin_below(from);
	struct twin_line *line;

	t->counters.write_backs[from]++;
	if (!twin_exists(t, c)) {
		uint64_t queue;

		t->counters.memory_writes++;
		twin_use_memory(t, w, at, victim.address, &queue);
		return;
	}
	line = twin_cache_find(&t->cache[c], victim.address);
	if (line)
		twin_cache_use(&t->cache[c], line);
	else
		line = twin_enter(t, w, c, victim.instruction ? SIDE_INSTRUCTION : SIDE_DATA,
				  victim.address, at);
	line->dirty = true;
}

/* The time at which a wait becomes one for memory; stored here until twin_divide_wait. */
static inline uint64_t *twin_near(struct access_result *r)
{
	return &r->miss_until[MISS_LEVELS - 1];
}

/* A wait begins when the L1 has answered. The L2, if there is an L3, answers after its latency at
 * the latest; the last cache answers at `near`; the rest of the wait is for memory. */
static inline void twin_divide_wait(const struct twin_hierarchy *t, unsigned l1,
				    struct access_result *r)
{
	uint64_t near = *twin_near(r);
	uint64_t l2_at =
		r->tlb_done_at + twin_level(t, l1)->latency_cycles + t->p->l2.latency_cycles;

	r->miss_until[0] = t->p->levels == 1		       ? r->done_at
			   : t->p->levels == 3 && l2_at < near ? l2_at
							       : near;
	r->miss_until[1] = t->p->levels == 3 ? near : r->done_at;
	r->miss_until[2] = r->done_at;
}

static inline void twin_prefetch(struct twin_hierarchy *t, const struct twin_walk *w, unsigned c,
				 uint64_t address, bool hit, bool first_use, uint64_t at)
{
	for (unsigned i = 0; i < PREFETCH_KINDS; i++) {
		uint64_t lines[4];
		struct access_result ignored;
		unsigned count = 0;

		if (t->prefetcher[c][i])
			count = twin_prefetcher_observe(t->prefetcher[c][i], address, w->pc, hit,
							first_use, lines);
		for (unsigned n = 0; n < count; n++) {
			if (twin_cache_find(&t->cache[c], lines[n]))
				continue;
			twin_walk(t, w, c, lines[n], at - twin_level(t, c)->latency_cycles, false,
				  &ignored);
			twin_cache_find(&t->cache[c], lines[n])->prefetched = true;
			t->counters.prefetch[c].issued++;
		}
	}
}

/* An ideal switch: the data is there by the cap, and what was waited for memory after it is not. */
static inline void twin_cap(const struct twin_walk *w, struct access_result *r)
{
	if (!w->is_page_walk && !w->timeless && w->relief.spared_percent) {
		uint64_t *const ends[] = {twin_near(r), &r->done_at};
		uint64_t free_at = r->done_at - r->queue_cycles;

		for (unsigned i = 0; i < 2; i++)
			if (*ends[i] > w->hit_at)
				*ends[i] = w->hit_at + twin_left(w, *ends[i] - w->hit_at);
		if (free_at > w->hit_at)
			free_at = w->hit_at + twin_left(w, free_at - w->hit_at);
		r->queue_cycles = r->done_at - free_at;
	}
	if (r->done_at <= w->cap)
		return;
	r->queue_cycles -=
		r->done_at - w->cap < r->queue_cycles ? r->done_at - w->cap : r->queue_cycles;
	r->done_at = w->cap;
}

/* Searches for the line from cache `first` and cycle `at` on, and inserts it in all caches that
 * missed. A prefetch is not counted, trains nothing and needs no MSHR. */
static inline void twin_walk(struct twin_hierarchy *t, const struct twin_walk *w, unsigned first,
			     uint64_t address, uint64_t at, bool demand, struct access_result *r)
{
	unsigned missed[CACHE_COUNT];
	uint64_t missed_at[CACHE_COUNT];
	unsigned misses = 0;
	unsigned dirties = w->operation != ACCESS_STORE || !demand ? CACHE_COUNT
			   : twin_writes_through(t, w)		   ? CACHE_L2
								   : CACHE_L1D;
	struct twin_line *line = NULL;
	unsigned c = first;

	for (; twin_exists(t, c); c = twin_below(c)) {
		at += twin_level(t, c)->latency_cycles;
		line = twin_cache_find(&t->cache[c], address);
		if (demand)
			t->counters.cache[c][w->side].accesses++;
		if (line)
			break;
		/* A page walk may have taken the last MSHR before. */
		if ((demand || w->is_page_walk) && twin_needs_mshr(t, w, c) &&
		    *twin_first_free_mshr(t, c) > at)
			at = *twin_first_free_mshr(t, c);
		missed[misses] = c;
		missed_at[misses++] = at;
	}
	*twin_near(r) = at;
	r->queue_cycles = 0;
	if (line) {
		bool on_its_way = !w->timeless && line->ready_at > at;
		bool first_use = demand && line->prefetched;

		r->done_at = at;
		r->level = r->tag_level = (uint8_t)twin_level_number(c);
		if (on_its_way && !(t->p->ideal_pending && w->side == SIDE_DATA)) {
			r->done_at = line->ready_at;
			r->level = (uint8_t)line->level;
			if (line->near_done_at > at)
				*twin_near(r) = line->near_done_at;
			r->queue_cycles = line->queue_cycles < line->ready_at - at
						  ? line->queue_cycles
						  : line->ready_at - at;
		}
		twin_cache_use(&t->cache[c], line);
		line->dirty |= c == dirties;
		if (demand) {
			struct cache_counters *counters = &t->counters.cache[c][w->side];

			(*(on_its_way ? &counters->pending : &counters->hits))++;
			counters->crossed += line->instruction != (w->side == SIDE_INSTRUCTION);
			t->counters.prefetch[c].useful += first_use;
			t->counters.prefetch[c].late += first_use && on_its_way;
			line->prefetched = false;
		}
		twin_cap(w, r);
		r->pending = r->done_at > at;
		if (demand)
			twin_prefetch(t, w, c, address, true, first_use, at);
	} else {
		r->done_at = twin_use_memory(t, w, at, address, &r->queue_cycles);
		r->level = r->tag_level = LEVEL_MEMORY;
		twin_cap(w, r);
		if (demand)
			t->counters.memory_reads[w->side]++;
		else if (w->is_page_walk)
			t->counters.memory_walks++;
		else
			t->counters.memory_prefetches++;
	}
	if (r->level > w->cap_level)
		r->level = (uint8_t)w->cap_level;
	if (*twin_near(r) > r->done_at || twin_is_near(w))
		*twin_near(r) = r->done_at;
	while (misses--) {
		c = missed[misses];
		line = twin_enter(t, w, c, w->side, address, r->done_at);
		line->ready_at = r->done_at;
		line->near_done_at = *twin_near(r);
		line->queue_cycles = r->queue_cycles;
		line->level = r->level;
		line->dirty = c == dirties;
		if (!demand && !w->is_page_walk)
			continue;
		if (twin_needs_mshr(t, w, c))
			*twin_first_free_mshr(t, c) = r->done_at;
		if (!demand)
			continue;
		t->counters.cache[c][w->side].misses++;
		twin_prefetch(t, w, c, address, false, false, missed_at[misses]);
	}
}

/* A written-through store: its effect on the L1D, and whether the L1D has the line. */
static inline bool twin_pass_l1d(struct twin_hierarchy *t, const struct twin_walk *w,
				 uint64_t address, uint64_t at)
{
	struct cache_counters *counters = &t->counters.cache[CACHE_L1D][SIDE_DATA];
	struct twin_line *line = twin_cache_find(&t->cache[CACHE_L1D], address);

	counters->accesses++;
	if (!line) {
		counters->misses++;
		return false;
	}
	bool on_its_way = !w->timeless && line->ready_at > at;

	(*(on_its_way ? &counters->pending : &counters->hits))++;
	twin_cache_use(&t->cache[CACHE_L1D], line);
	t->counters.prefetch[CACHE_L1D].useful += line->prefetched;
	t->counters.prefetch[CACHE_L1D].late += line->prefetched && on_its_way;
	line->prefetched = false;
	return true;
}

static inline void twin_access_spared(struct twin_hierarchy *t, enum hierarchy_operation operation,
				      uint64_t pc, uint64_t address, uint64_t now, bool timeless,
				      struct access_relief relief, struct access_result *r)
{
	struct twin_walk w = {
		.operation = operation,
		.side = operation == ACCESS_FETCH ? SIDE_INSTRUCTION : SIDE_DATA,
		.pc = pc,
		.now = now,
		.cap = UINT64_MAX,
		.cap_level = LEVEL_MEMORY,
		.timeless = timeless,
		.relief = relief,
	};
	w.occupies = !timeless && !t->p->ideal_bandwidth && !twin_perfect_l1(t, &w, w.side) &&
		     !twin_perfect_l2(t, &w, w.side) && !twin_perfect_l3(&w, w.side);
	unsigned l1 = w.side == SIDE_DATA ? CACHE_L1D : CACHE_L1I;
	uint64_t at;

	*r = (struct access_result){0};
	r->retry_at = twin_blocked(t, &w, address);
	if (r->retry_at) {
		r->blocked = true;
		t->counters.blocked++;
		return;
	}
	at = r->tlb_done_at = twin_translate(t, &w, address, r);
	w.hit_at = at + twin_level(t, l1)->latency_cycles;
	if (twin_perfect_l1(t, &w, w.side)) {
		w.cap = at + twin_level(t, l1)->latency_cycles;
		w.cap_level = LEVEL_L1;
	} else if (twin_perfect_l2(t, &w, w.side)) {
		w.cap = at + twin_level(t, l1)->latency_cycles + t->p->l2.latency_cycles;
		w.cap_level = LEVEL_L2;
	} else if (twin_perfect_l3(&w, w.side)) {
		w.cap = at + twin_level(t, l1)->latency_cycles + t->p->l2.latency_cycles +
			t->p->l3.latency_cycles;
		w.cap_level = LEVEL_L3;
	}
	if (timeless)
		w.cap = 0;
	if (!twin_writes_through(t, &w)) {
		twin_walk(t, &w, l1, address, at, true, r);
		twin_divide_wait(t, l1, r);
		return;
	}
	at += t->p->l1d.latency_cycles;
	bool held = twin_pass_l1d(t, &w, address, at);

	if (twin_exists(t, CACHE_L2)) {
		twin_walk(t, &w, CACHE_L2, address, at, true, r);
	} else {
		*twin_near(r) = at;
		r->done_at = twin_use_memory(t, &w, at, address, &r->queue_cycles);
		twin_cap(&w, r);
		if (*twin_near(r) > r->done_at || twin_is_near(&w))
			*twin_near(r) = r->done_at;
		r->level = (uint8_t)w.cap_level;
		r->tag_level = LEVEL_MEMORY;
		t->counters.memory_writes++;
	}
	if (held)
		r->tag_level = LEVEL_L1;
	twin_divide_wait(t, l1, r);
}

static inline void twin_access(struct twin_hierarchy *t, enum hierarchy_operation operation,
			       uint64_t pc, uint64_t address, uint64_t now, bool timeless,
			       struct access_result *r)
{
	twin_access_spared(t, operation, pc, address, now, timeless, (struct access_relief){0}, r);
}

#endif
