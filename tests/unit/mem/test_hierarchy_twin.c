#include "../test.h"
#include "base/array.h"
#include "mem/hierarchy.h"
#include "twin_hierarchy.h"

static const char *const policies[] = {"lru", "lru", "lru", "lrr", "random", "plru", "srrip"};
static const char *const prefetchers[] = {"next_line", "adjacent_line", "stride", "stream"};

static bool one_in(struct rng *rng, unsigned n)
{
	return !rng_below(rng, n);
}

static void random_level(struct rng *rng, struct level_parameters *level, unsigned least_line,
			 unsigned most_sets, unsigned most_latency)
{
	static const unsigned ways[] = {1, 2, 3, 4, 8};
	unsigned line = least_line << rng_below(rng, 2);
	unsigned sets = 1u << rng_below(rng, bits_log2(most_sets) + 1);
	unsigned ways_here = ways[rng_below(rng, ARRAY_COUNT(ways))];

	*level = (struct level_parameters){
		.cache = {(uint64_t)line * sets * ways_here, line, ways_here,
			  replace_find(policies[rng_below(rng, ARRAY_COUNT(policies))])},
		.latency_cycles = 1 + (unsigned)rng_below(rng, most_latency),
		.mshrs = one_in(rng, 2) ? MSHR_UNLIMITED : 1 + (uint32_t)rng_below(rng, 4),
	};
	for (unsigned i = 0; i < PREFETCH_KINDS; i++)
		if (one_in(rng, 5))
			level->prefetch[i] = prefetch_find(
				prefetchers[rng_below(rng, ARRAY_COUNT(prefetchers))]);
}

static void random_parameters(struct rng *rng, struct hierarchy_parameters *p)
{
	unsigned longest;

	*p = (struct hierarchy_parameters){
		.levels = 1 + (unsigned)rng_below(rng, 3),
		.l1d_write_through = one_in(rng, 3),
		.memory = {.latency_cycles = 1 + (uint32_t)rng_below(rng, 80),
			   .line_cycles = one_in(rng, 2) ? 0 : (uint32_t)rng_below(rng, 8),
			   .banks = one_in(rng, 2) ? 0 : 1u << rng_below(rng, 4),
			   .row_bytes = 64u << rng_below(rng, 6),
			   .row_hit_cycles = (uint32_t)rng_below(rng, 10),
			   .row_closed_cycles = 10 + (uint32_t)rng_below(rng, 10),
			   .row_conflict_cycles = 20 + (uint32_t)rng_below(rng, 10),
			   .closes_rows = one_in(rng, 4)},
		.page_bytes = 1024u << rng_below(rng, 3),
		.itlb = {4u << rng_below(rng, 3), 1u << rng_below(rng, 3),
			 (uint32_t)rng_below(rng, 40)},
		.dtlb = {4u << rng_below(rng, 3), 1u << rng_below(rng, 3),
			 (uint32_t)rng_below(rng, 40)},
		.tlb2 = {one_in(rng, 2) ? 0 : 8u << rng_below(rng, 3), 1u << rng_below(rng, 3), 0},
		.tlb2_latency_cycles = (uint32_t)rng_below(rng, 8),
		.walks = one_in(rng, 2),
		.walk_cache_entries = (uint32_t)rng_below(rng, 5),
		.ideal_walk = one_in(rng, 8),
		.ideal_bandwidth = one_in(rng, 8),
		.ideal_l1i = one_in(rng, 8),
		.ideal_l2i = one_in(rng, 8),
		.ideal_itlb = one_in(rng, 8),
		.ideal_l1d = one_in(rng, 8),
		.ideal_l2d = one_in(rng, 8),
		.ideal_dtlb = one_in(rng, 8),
		.ideal_pending = one_in(rng, 8),
		.seed = rng_next(rng),
	};
	random_level(rng, &p->l1i, 16, 16, 3);
	random_level(rng, &p->l1d, 16, 16, 3);
	longest = p->l1i.cache.line_bytes > p->l1d.cache.line_bytes ? p->l1i.cache.line_bytes
								    : p->l1d.cache.line_bytes;
	random_level(rng, &p->l2, longest, 32, 12);
	random_level(rng, &p->l3, p->l2.cache.line_bytes, 64, 20);
}

static void assert_same_result(const struct access_result *a, const struct access_result *b)
{
	assert_int_equal(a->blocked, b->blocked);
	if (a->blocked) {
		assert_int_equal(a->retry_at, b->retry_at);
		return;
	}
	assert_int_equal(a->done_at, b->done_at);
	assert_int_equal(a->tlb_done_at, b->tlb_done_at);
	assert_memory_equal(a->miss_until, b->miss_until, sizeof(a->miss_until));
	assert_int_equal(a->walk_cycles, b->walk_cycles);
	assert_int_equal(a->queue_cycles, b->queue_cycles);
	assert_true(a->tlb_done_at + a->queue_cycles <= a->done_at);
	assert_int_equal(a->level, b->level);
	assert_int_equal(a->tag_level, b->tag_level);
	assert_int_equal(a->tlb_miss, b->tlb_miss);
	assert_int_equal(a->tlb_pending, b->tlb_pending);
	assert_int_equal(a->pending, b->pending);
	assert_true(a->tlb_done_at <= a->miss_until[0]);
	for (unsigned i = 0; i < MISS_LEVELS; i++)
		assert_true(a->miss_until[i] <=
			    (i + 1 < MISS_LEVELS ? a->miss_until[i + 1] : a->done_at));
}

static void assert_same_contents(const struct hierarchy *h, struct twin_hierarchy *t)
{
	for (unsigned c = 0; twin_exists(t, c); c++) {
		const struct cache *cache = &h->level[c].cache;
		size_t lines = (cache->set_mask + 1) * cache->ways;
		size_t held = 0;

		for (size_t i = 0; i < lines; i++) {
			const struct cache_line *line = &cache->lines[i];
			struct twin_line *twin;

			held += t->cache[c].lines[i].valid;
			if (!cache->keys[i])
				continue;
			held--;
			twin = twin_cache_find(&t->cache[c], (cache->keys[i] - 1)
								     << cache->line_bits);
			assert_non_null(twin);
			assert_int_equal(!!(line->flags & CACHE_LINE_DIRTY), twin->dirty);
			assert_int_equal(!!(line->flags & CACHE_LINE_INSTRUCTION),
					 twin->instruction);
			assert_int_equal(!!(line->flags & CACHE_LINE_PREFETCHED), twin->prefetched);
			assert_int_equal(line->ready_at, twin->ready_at);
		}
		assert_int_equal(held, 0);
	}
}

static void assert_same_counters(const struct hierarchy *h, const struct twin_hierarchy *t)
{
	struct hierarchy_counters counters;

	hierarchy_count(h, &counters);
	assert_memory_equal(&counters, &t->counters, sizeof(counters));
	for (unsigned c = 0; c < CACHE_COUNT; c++)
		assert_int_equal(counters.write_backs[c] + counters.write_backs_saved[c],
				 t->dirty_evicted[c]);
	for (unsigned c = 0; c < CACHE_COUNT; c++)
		for (unsigned side = 0; side < SIDE_COUNT; side++)
			assert_int_equal(counters.cache[c][side].accesses,
					 counters.cache[c][side].hits +
						 counters.cache[c][side].pending +
						 counters.cache[c][side].misses);
}

/* Half of the addresses are in runs, half are anywhere in a small space. */
static uint64_t random_address(struct rng *rng, uint64_t step)
{
	uint64_t region = rng_below(rng, 3) << 20;

	if (one_in(rng, 2))
		return region + step * 4 % 16384;
	return region + rng_below(rng, one_in(rng, 3) ? 65536 : 1024);
}

static void issue(struct hierarchy *h, enum hierarchy_operation operation, uint64_t pc,
		  uint64_t address, uint64_t now, struct access_result *result)
{
	switch (operation) {
	case ACCESS_FETCH: hierarchy_fetch(h, address, now, result); break;
	case ACCESS_LOAD: hierarchy_load(h, pc, address, now, result); break;
	default: hierarchy_store(h, pc, address, now, result);
	}
}

static enum memory_level touch(struct hierarchy *h, enum hierarchy_operation operation, uint64_t pc,
			       uint64_t address)
{
	switch (operation) {
	case ACCESS_FETCH: return hierarchy_touch_fetch(h, address);
	case ACCESS_LOAD: return hierarchy_touch_load(h, pc, address);
	default: return hierarchy_touch_store(h, pc, address);
	}
}

/* A third of the accesses is spared something. Levels that there are not cannot be. */
static struct access_relief random_relief(struct rng *rng, const struct hierarchy_parameters *p)
{
	struct access_relief relief = {0};

	if (!one_in(rng, 3))
		return relief;
	for (unsigned i = 0; i < 8; i++)
		relief.hides |= (uint8_t)(one_in(rng, 4) << i);
	if (p->levels < 2)
		relief.hides &= (uint8_t) ~(HIDES_L2I | HIDES_L2D);
	if (p->levels < 3)
		relief.hides &= (uint8_t) ~(HIDES_L3I | HIDES_L3D);
	if (one_in(rng, 2))
		relief.spared_percent = (uint8_t)rng_below(rng, 101);
	return relief;
}

static void issue_spared(struct hierarchy *h, enum hierarchy_operation operation, uint64_t pc,
			 uint64_t address, uint64_t now, struct access_relief relief,
			 struct access_result *result)
{
	if (!relief.hides && !relief.spared_percent)
		issue(h, operation, pc, address, now, result);
	else if (hierarchy_hits(h, operation, address, now))
		hierarchy_fast_result(now, now + h->fast[operation].latency_cycles, result);
	else
		hierarchy_access_spared(h, operation, pc, address, now, relief, result);
}

static void follow(const struct hierarchy_parameters *p, struct rng *rng, unsigned steps,
		   unsigned touch_one_in, bool changes_dead, bool is_spared, uint64_t *saved)
{
	struct err err = {.text = ""};
	struct hierarchy *h = hierarchy_create(p, &err);
	struct twin_hierarchy t;
	uint64_t now = rng_below(rng, 100);
	/* Where memory can be busy it must be able to keep up, or the queue grows without end. */
	unsigned pace = p->memory.line_cycles || p->memory.banks ? 60 : 6;

	assert_string_equal(err.text, "");
	assert_non_null(h);
	twin_init(&t, p);
	for (unsigned step = 0; step < steps; step++) {
		enum hierarchy_operation operation = (unsigned)rng_below(rng, ACCESS_COUNT);
		uint64_t address = random_address(rng, step);
		uint64_t pc = operation == ACCESS_FETCH ? address : step % 7 * 4;
		struct access_relief relief = {0};
		struct access_result real;
		struct access_result expected;

		if (is_spared)
			relief = random_relief(rng, p);
		if (changes_dead && one_in(rng, 50)) {
			t.dead_low = random_address(rng, step);
			t.dead_high =
				one_in(rng, 4) ? t.dead_low : t.dead_low + rng_below(rng, 20000);
			hierarchy_set_dead(h, t.dead_low, t.dead_high);
		}
		if (one_in(rng, touch_one_in)) {
			twin_access(&t, operation, pc, address, 0, true, &expected);
			assert_int_equal(touch(h, operation, pc, address), expected.tag_level);
			continue;
		}
		memset(&real, 0xff, sizeof(real));
		issue_spared(h, operation, pc, address, now, relief, &real);
		twin_access_spared(&t, operation, pc, address, now, false, relief, &expected);
		assert_same_result(&real, &expected);
		if (real.blocked && one_in(rng, 2)) {
			now = real.retry_at;
			issue_spared(h, operation, pc, address, now, relief, &real);
			twin_access_spared(&t, operation, pc, address, now, false, relief,
					   &expected);
			assert_same_result(&real, &expected);
			assert_false(real.blocked);
		}
		now += one_in(rng, 100) ? 1000 : rng_below(rng, pace);
		if (step % 64 == 0)
			assert_same_contents(h, &t);
	}
	assert_same_contents(h, &t);
	assert_same_counters(h, &t);
	for (unsigned c = 0; c < CACHE_COUNT; c++)
		*saved += t.counters.write_backs_saved[c];
	twin_release(&t);
	hierarchy_destroy(h);
}

TEST(times_contents_and_counters_are_those_of_the_twin)
{
	uint64_t saved[2] = {0, 0};

	for (uint64_t machine = 0; machine < 400; machine++) {
		struct rng rng = {machine};
		struct hierarchy_parameters p;

		random_parameters(&rng, &p);
		follow(&p, &rng, 3000, machine % 4 ? 1000000 : 3, machine % 3 == 1, false,
		       &saved[machine % 3 == 1]);
	}
	assert_int_equal(saved[0], 0);
	assert_true(saved[1] > 1000);
}

TEST(spared_accesses_are_those_of_the_twin)
{
	uint64_t saved = 0;

	for (uint64_t machine = 0; machine < 400; machine++) {
		struct rng rng = {machine + 5000};
		struct hierarchy_parameters p;

		random_parameters(&rng, &p);
		follow(&p, &rng, 3000, machine % 4 ? 1000000 : 3, machine % 3 == 1, true, &saved);
	}
}

/* The same accesses in the same order; if there are not enough MSHRs, later. */
static struct hierarchy *play(const struct hierarchy_parameters *p, uint64_t seed, bool timed)
{
	struct hierarchy *h = hierarchy_create(p, NULL);
	struct rng rng = {seed};
	uint64_t now = 0;

	assert_non_null(h);
	for (unsigned step = 0; step < 3000; step++) {
		enum hierarchy_operation operation = (unsigned)rng_below(&rng, ACCESS_COUNT);
		uint64_t address = random_address(&rng, step);
		uint64_t pc = operation == ACCESS_FETCH ? address : step % 7 * 4;
		struct access_result result = {.blocked = true, .retry_at = now};

		now += rng_below(&rng, 6);
		if (!timed)
			touch(h, operation, pc, address);
		while (timed && result.blocked) {
			now = now > result.retry_at ? now : result.retry_at;
			issue(h, operation, pc, address, now, &result);
		}
	}
	return h;
}

/* Compares keys, order, flags and the state of the policies, but not times. */
static void assert_same_tags(const struct hierarchy *a, const struct hierarchy *b)
{
	for (unsigned c = 0; c <= a->last; c++) {
		const struct cache *left = &a->level[c].cache;
		const struct cache *right = &b->level[c].cache;
		size_t sets = left->set_mask + 1;

		assert_memory_equal(left->keys, right->keys,
				    sets * left->ways * sizeof(*left->keys));
		for (size_t i = 0; i < sets * left->ways; i++) {
			assert_int_equal(left->lines[i].flags, right->lines[i].flags);
			assert_int_equal(left->lines[i].rank, right->lines[i].rank);
		}
		if (left->trees)
			assert_memory_equal(left->trees, right->trees, sets * sizeof(*left->trees));
		assert_int_equal(left->rng.state, right->rng.state);
	}
	for (unsigned side = 0; side < SIDE_COUNT; side++)
		for (size_t i = 0; i < (a->tlb[side].set_mask + 1) * a->tlb[side].ways; i++)
			assert_int_equal(a->tlb[side].entries[i].key, b->tlb[side].entries[i].key);
}

/* Compares misses, evictions and traffic, but not the counts that depend on time. */
static void assert_same_misses(const struct hierarchy *a, const struct hierarchy *b)
{
	struct hierarchy_counters left;
	struct hierarchy_counters right;
	struct hierarchy_counters *both[] = {&left, &right};

	hierarchy_count(a, &left);
	hierarchy_count(b, &right);
	for (unsigned i = 0; i < 2; i++) {
		both[i]->blocked = both[i]->memory_busy = both[i]->memory_queue = 0;
		for (unsigned side = 0; side < SIDE_COUNT; side++) {
			both[i]->tlb[side].hits = both[i]->tlb[side].pending = 0;
			both[i]->tlb2[side].hits = both[i]->tlb2[side].pending = 0;
			for (unsigned c = 0; c < CACHE_COUNT; c++) {
				both[i]->cache[c][side].hits = both[i]->cache[c][side].pending = 0;
				both[i]->prefetch[c].late = 0;
			}
		}
	}
	assert_memory_equal(&left, &right, sizeof(left));
}

TEST(no_ideal_switch_changes_tags_or_misses)
{
	for (uint64_t machine = 0; machine < 60; machine++) {
		struct rng rng = {machine + 1000};
		struct hierarchy_parameters p;

		random_parameters(&rng, &p);
		p.ideal_l1i = p.ideal_l2i = p.ideal_itlb = false;
		p.ideal_l1d = p.ideal_l2d = p.ideal_dtlb = p.ideal_pending = false;
		p.ideal_walk = p.ideal_bandwidth = false;
		bool *switches[] = {&p.ideal_l1i,     &p.ideal_l2i,  &p.ideal_itlb,
				    &p.ideal_l1d,     &p.ideal_l2d,  &p.ideal_dtlb,
				    &p.ideal_pending, &p.ideal_walk, &p.ideal_bandwidth};
		struct hierarchy *real = play(&p, machine, true);
		struct hierarchy *untimed = play(&p, machine, false);

		assert_same_tags(real, untimed);
		assert_same_misses(real, untimed);
		hierarchy_destroy(untimed);
		for (size_t i = 0; i < ARRAY_COUNT(switches); i++) {
			struct hierarchy *ideal;

			*switches[i] = true;
			ideal = play(&p, machine, true);
			assert_same_tags(real, ideal);
			assert_same_misses(real, ideal);
			hierarchy_destroy(ideal);
			*switches[i] = false;
		}
		hierarchy_destroy(real);
	}
}
