/*
 * Times computed by hand, on the machine of Eyerman et al. (2006, table 2) with the lines and TLBs
 * that the preset adds: L1I 1 cycle, L1D 2, L2 9 more, memory 250 more, a TLB miss 30 more.
 */
#include "../test.h"
#include "base/array.h"
#include "mem/hierarchy.h"

#define PC UINT64_C(0x10000)

static struct hierarchy_parameters usual(void)
{
	return (struct hierarchy_parameters){
		.levels = 2,
		.l1i = {{8192, 32, 1, &replace_lru}, 1, MSHR_UNLIMITED, {NULL}},
		.l1d = {{16384, 32, 4, &replace_lru}, 2, MSHR_UNLIMITED, {NULL}},
		.l2 = {{1 << 20, 64, 8, &replace_lru}, 9, MSHR_UNLIMITED, {NULL}},
		.l3 = {{8 << 20, 64, 16, &replace_lru}, 30, MSHR_UNLIMITED, {NULL}},
		.memory = {.latency_cycles = 250},
		.page_bytes = 4096,
		.itlb = {64, 4, 30},
		.dtlb = {128, 4, 30},
	};
}

static struct hierarchy *make(const struct hierarchy_parameters *p)
{
	struct err err = {.text = ""};
	struct hierarchy *h = hierarchy_create(p, &err);

	assert_string_equal(err.text, "");
	return h;
}

static struct access_result load(struct hierarchy *h, uint64_t address, uint64_t now)
{
	struct access_result result;

	hierarchy_load(h, PC, address, now, &result);
	return result;
}

static struct access_result store(struct hierarchy *h, uint64_t address, uint64_t now)
{
	struct access_result result;

	hierarchy_store(h, PC, address, now, &result);
	return result;
}

static struct access_result fetch(struct hierarchy *h, uint64_t address, uint64_t now)
{
	struct access_result result;

	hierarchy_fetch(h, address, now, &result);
	return result;
}

TEST(latencies_add_up)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy *h = make(&p);
	struct access_result r;

	r = load(h, 0x100000, 1000);
	assert_int_equal(r.done_at, 1000 + 30 + 2 + 9 + 250);
	assert_int_equal(r.tlb_done_at, 1030);
	assert_int_equal(r.miss_until[0], 1041);
	assert_int_equal(r.miss_until[1], r.done_at);
	assert_int_equal(r.level, LEVEL_MEMORY);
	assert_true(r.tlb_miss && !r.pending && !r.blocked);
	r = load(h, 0x100040, 2000);
	assert_int_equal(r.done_at, 2000 + 2 + 9 + 250);
	assert_int_equal(r.tlb_done_at, 2000);
	assert_false(r.tlb_miss);
	/* The L2's line is as long as two of the L1D's. */
	r = load(h, 0x100020, 3000);
	assert_int_equal(r.done_at, 3000 + 2 + 9);
	assert_int_equal(r.miss_until[0], r.done_at);
	assert_int_equal(r.level, LEVEL_L2);
	r = load(h, 0x10003f, 4000);
	assert_int_equal(r.done_at, 4002);
	assert_int_equal(r.level, LEVEL_L1);
	/* Instructions hit in the L2 on lines that data brought in; their TLB is separate. */
	r = fetch(h, 0x100000, 5000);
	assert_int_equal(r.done_at, 5000 + 30 + 1 + 9);
	r = fetch(h, 0x100004, 6000);
	assert_int_equal(r.done_at, 6001);
	hierarchy_destroy(h);
}

TEST(with_one_or_three_levels_too)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy *h;
	struct access_result r;

	p.levels = 1;
	h = make(&p);
	r = load(h, 0, 100);
	assert_int_equal(r.done_at, 100 + 30 + 2 + 250);
	assert_int_equal(r.miss_until[0], r.done_at);
	assert_int_equal(load(h, 0, 1000).done_at, 1002);
	hierarchy_destroy(h);
	p.levels = 3;
	h = make(&p);
	r = load(h, 0, 100);
	assert_int_equal(r.done_at, 100 + 30 + 2 + 9 + 30 + 250);
	assert_int_equal(r.miss_until[0], 100 + 30 + 2 + 9);
	assert_int_equal(r.miss_until[1], 100 + 30 + 2 + 9 + 30);
	assert_int_equal(r.miss_until[2], r.done_at);
	/* 8 ways of 128 KB: eight more lines evict the first from the L2, not from the L3; its
	 * page, in the same of 32 sets as theirs, is evicted from the TLB too. */
	for (uint64_t i = 1; i <= 8; i++)
		load(h, i << 17, 1000 * i);
	r = load(h, 0, 20000);
	assert_int_equal(r.level, LEVEL_L3);
	assert_int_equal(r.done_at, 20000 + 30 + 2 + 9 + 30);
	assert_int_equal(r.miss_until[0], 20000 + 30 + 2 + 9);
	assert_int_equal(r.miss_until[1], r.done_at);
	hierarchy_destroy(h);
}

TEST(a_pending_hit_waits_for_the_fill_and_no_longer)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy *h = make(&p);
	struct access_result r;

	load(h, 0x2000, 0); /* fills the D-TLB */
	r = load(h, 0x2100, 1000);
	assert_int_equal(r.done_at, 1261);
	r = load(h, 0x2108, 1001);
	assert_int_equal(r.done_at, 1261);
	assert_int_equal(r.miss_until[0], 1011);
	assert_int_equal(r.level, LEVEL_MEMORY);
	assert_int_equal(r.tag_level, LEVEL_L1);
	assert_true(r.pending);
	/* The other half of the L2's line: a miss of the L1D that is pending in the L2. */
	r = load(h, 0x2120, 1002);
	assert_int_equal(r.done_at, 1261);
	assert_int_equal(r.miss_until[0], 1013);
	assert_int_equal(r.tag_level, LEVEL_L2);
	assert_true(r.pending);
	/* If the fill arrives no later than a hit would, there is no wait. */
	r = load(h, 0x2110, 1259);
	assert_int_equal(r.done_at, 1261);
	assert_int_equal(r.level, LEVEL_L1);
	assert_false(r.pending);
	hierarchy_destroy(h);
	p.ideal_pending = true;
	h = make(&p);
	load(h, 0x2000, 0);
	assert_int_equal(load(h, 0x2100, 1000).done_at, 1261);
	r = load(h, 0x2108, 1001);
	assert_int_equal(r.done_at, 1003);
	assert_false(r.pending);
	assert_int_equal(load(h, 0x2120, 1002).done_at, 1002 + 2 + 9);
	hierarchy_destroy(h);
}

TEST(a_page_walk_under_way_is_waited_for_not_repeated)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy *h = make(&p);
	struct access_result r;
	struct hierarchy_counters counters;

	load(h, 0x3000, 100);
	r = load(h, 0x3800, 110);
	assert_int_equal(r.tlb_done_at, 130);
	assert_int_equal(r.done_at, 130 + 261);
	assert_true(r.tlb_pending && !r.tlb_miss);
	r = load(h, 0x3c00, 130);
	assert_int_equal(r.tlb_done_at, 130);
	assert_false(r.tlb_pending);
	hierarchy_count(h, &counters);
	assert_int_equal(counters.tlb[SIDE_DATA].misses, 1);
	assert_int_equal(counters.tlb[SIDE_DATA].pending, 1);
	assert_int_equal(counters.tlb[SIDE_DATA].hits, 1);
	hierarchy_destroy(h);
}

TEST(n_mshrs_allow_n_misses_and_no_more)
{
	for (unsigned which = 0; which < 2; which++) {
		for (uint32_t n = 1; n <= 4; n++) {
			struct hierarchy_parameters p = usual();
			struct hierarchy *h;
			struct access_result r;

			*(which ? &p.l2.mshrs : &p.l1d.mshrs) = n;
			h = make(&p);
			hierarchy_touch_load(h, PC, 0x4fc0);
			for (uint32_t i = 0; i < n; i++)
				assert_int_equal(load(h, 0x4000 + 64 * i, 1000 + i).done_at,
						 1261 + i);
			r = load(h, 0x4000 + 64 * n, 1010);
			assert_true(r.blocked);
			assert_int_equal(r.retry_at, 1261);
			/* Accesses that need no MSHR are not blocked: hits, pending hits, fetches.
			 */
			assert_false(load(h, 0x4fc0, 1010).blocked);
			assert_false(load(h, 0x4008, 1010).blocked);
			assert_false(fetch(h, 0x8000, 1010).blocked);
			/* The other half of an outstanding L2 line is a miss of the L1D only. */
			assert_int_equal(load(h, 0x4020, 1010).blocked, !which);
			r = load(h, 0x4000 + 64 * n, 1261);
			assert_false(r.blocked);
			assert_int_equal(r.done_at, 1261 + 261);
			hierarchy_destroy(h);
		}
	}
}

TEST(a_blocked_access_changes_nothing)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy *h;
	struct access_result r;

	p.l1d.mshrs = 1;
	h = make(&p);
	load(h, 0x4000, 1000);
	assert_true(load(h, 0x5000, 1001).blocked);
	assert_true(load(h, 0x5000, 1002).blocked);
	r = load(h, 0x5000, 2000);
	assert_true(r.tlb_miss);
	assert_int_equal(r.done_at, 2000 + 30 + 261);
	hierarchy_destroy(h);
}

TEST(perfect_caches_and_tlbs_cost_only_what_is_before_them)
{
	struct {
		size_t flag;
		uint64_t data, fetch;
	} cases[] = {
		{offsetof(struct hierarchy_parameters, ideal_l1d), 30 + 2, 30 + 1 + 9 + 250},
		{offsetof(struct hierarchy_parameters, ideal_l2d), 30 + 2 + 9, 30 + 1 + 9 + 250},
		{offsetof(struct hierarchy_parameters, ideal_dtlb), 2 + 9 + 250, 30 + 1 + 9 + 250},
		{offsetof(struct hierarchy_parameters, ideal_l1i), 30 + 2 + 9 + 250, 30 + 1},
		{offsetof(struct hierarchy_parameters, ideal_l2i), 30 + 2 + 9 + 250, 30 + 1 + 9},
		{offsetof(struct hierarchy_parameters, ideal_itlb), 30 + 2 + 9 + 250, 1 + 9 + 250},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct hierarchy_parameters p = usual();
		struct hierarchy *h;

		*(bool *)((char *)&p + cases[i].flag) = true;
		h = make(&p);
		assert_int_equal(load(h, 0x9000, 100).done_at, 100 + cases[i].data);
		assert_int_equal(fetch(h, 0xa000, 100).done_at, 100 + cases[i].fetch);
		hierarchy_destroy(h);
	}
}

TEST(perfect_levels_hold_no_mshr)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy *h;

	p.l1d.mshrs = p.l2.mshrs = 1;
	p.ideal_l1d = true;
	h = make(&p);
	for (uint64_t i = 0; i < 8; i++)
		assert_false(load(h, 0x4000 + 64 * i, 1000).blocked);
	hierarchy_destroy(h);
	p.l1d.mshrs = 8;
	p.ideal_l1d = false;
	p.ideal_l2d = true;
	h = make(&p);
	for (uint64_t i = 0; i < 8; i++)
		assert_false(load(h, 0x4000 + 64 * i, 1000).blocked);
	assert_true(load(h, 0x4000 + 64 * 8, 1000).blocked);
	hierarchy_destroy(h);
}

TEST(write_back_caches_allocate_and_write_victims_down)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy *h = make(&p);
	struct hierarchy_counters counters;

	assert_int_equal(store(h, 0x6000, 1000).done_at, 1000 + 30 + 261);
	assert_int_equal(store(h, 0x6008, 2000).done_at, 2002);
	assert_int_equal(load(h, 0x6010, 2010).level, LEVEL_L1);
	for (uint64_t i = 1; i <= 4; i++) /* ways of 4 KB */
		load(h, 0x6000 + 4096 * i, 3000 * i);
	hierarchy_count(h, &counters);
	assert_int_equal(counters.write_backs[CACHE_L1D], 1);
	assert_int_equal(counters.cache[CACHE_L1D][SIDE_DATA].evicted[SIDE_DATA], 1);
	assert_int_equal(counters.memory_writes, 0);
	assert_int_equal(load(h, 0x6000, 20000).level, LEVEL_L2);
	for (uint64_t i = 1; i <= 8; i++) /* ways of 128 KB */
		load(h, 0x6000 + (i << 17), 30000 + 3000 * i);
	hierarchy_count(h, &counters);
	assert_int_equal(counters.memory_writes, 1);
	assert_int_equal(counters.write_backs[CACHE_L2], 1);
	hierarchy_destroy(h);
}

TEST(write_through_stores_are_done_at_the_next_level)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy *h;
	struct hierarchy_counters counters;

	p.l1d_write_through = true;
	h = make(&p);
	assert_int_equal(store(h, 0x6000, 1000).done_at, 1000 + 30 + 2 + 9 + 250);
	assert_int_equal(load(h, 0x6000, 2000).level, LEVEL_L2); /* not allocated in the L1D */
	assert_int_equal(store(h, 0x6000, 3000).done_at, 3000 + 2 + 9);
	for (uint64_t i = 1; i <= 4; i++)
		load(h, 0x6000 + 4096 * i, 4000 * i);
	hierarchy_count(h, &counters);
	assert_int_equal(counters.write_backs[CACHE_L1D], 0);
	hierarchy_destroy(h);
	p.levels = 1;
	h = make(&p);
	load(h, 0x6000, 1000);
	assert_int_equal(store(h, 0x6000, 2000).done_at, 2000 + 2 + 250);
	assert_int_equal(load(h, 0x6000, 3000).done_at, 3002);
	hierarchy_count(h, &counters);
	assert_int_equal(counters.memory_writes, 1);
	hierarchy_destroy(h);
}

TEST(a_line_pushed_out_of_the_l2_stays_in_the_l1)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy *h;

	p.l2.cache.size_bytes = 4096; /* 8 ways of 8 lines */
	h = make(&p);
	load(h, 0, 0);
	for (uint64_t i = 1; i <= 8; i++)
		fetch(h, 512 * i, 1000 * i);
	assert_int_equal(load(h, 0, 20000).level, LEVEL_L1);
	assert_int_equal(fetch(h, 0, 21000).level, LEVEL_MEMORY);
	hierarchy_destroy(h);
}

TEST(counters_tell_the_sides_of_a_unified_cache_apart)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy_counters counters;
	struct hierarchy *h = make(&p);

	load(h, 0, 0);
	fetch(h, 0, 1000);
	fetch(h, 64, 2000);
	load(h, 64, 3000);
	load(h, 64, 4000);
	hierarchy_count(h, &counters);
	assert_int_equal(counters.cache[CACHE_L2][SIDE_DATA].accesses, 2);
	assert_int_equal(counters.cache[CACHE_L2][SIDE_DATA].misses, 1);
	assert_int_equal(counters.cache[CACHE_L2][SIDE_DATA].crossed, 1);
	assert_int_equal(counters.cache[CACHE_L2][SIDE_INSTRUCTION].crossed, 1);
	assert_int_equal(counters.cache[CACHE_L1D][SIDE_DATA].accesses, 3);
	assert_int_equal(counters.cache[CACHE_L1D][SIDE_DATA].hits, 1);
	assert_int_equal(counters.memory_reads[SIDE_DATA], 1);
	assert_int_equal(counters.memory_reads[SIDE_INSTRUCTION], 1);
	hierarchy_destroy(h);
}

TEST(warming_leaves_nothing_pending)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy *h = make(&p);

	assert_int_equal(hierarchy_touch_load(h, PC, 0x7000), LEVEL_MEMORY);
	assert_int_equal(hierarchy_touch_store(h, PC, 0x7020), LEVEL_L2);
	assert_int_equal(hierarchy_touch_store(h, PC, 0x7028), LEVEL_L1);
	assert_int_equal(hierarchy_touch_fetch(h, 0x7040), LEVEL_MEMORY);
	assert_int_equal(load(h, 0x7000, 0).done_at, 2);
	assert_int_equal(load(h, 0x7020, 0).done_at, 2);
	assert_int_equal(fetch(h, 0x7040, 0).done_at, 1);
	assert_int_equal(load(h, 0x7040, 0).done_at, 11);
	hierarchy_destroy(h);
}

TEST(a_prefetched_line_can_be_useful_late_or_unused)
{
	struct hierarchy_parameters p = usual();
	struct hierarchy_counters counters;
	struct hierarchy *h;
	struct access_result r;

	p.l1d.prefetch[0] = &prefetch_next_line;
	h = make(&p);
	load(h, 0x10000, 1000); /* L2 lines are 64 bytes: brings 0x10020 with it */
	r = load(h, 0x10020, 1100);
	assert_int_equal(r.done_at, 1000 + 30 + 261);
	assert_true(r.pending);
	/* That first use prefetched 0x10040 from cycle 1100 on. */
	r = load(h, 0x10040, 1200);
	assert_int_equal(r.done_at, 1100 + 261);
	r = load(h, 0x10060, 2000);
	assert_int_equal(r.done_at, 2002);
	hierarchy_count(h, &counters);
	assert_int_equal(counters.prefetch[CACHE_L1D].issued, 4);
	assert_int_equal(counters.prefetch[CACHE_L1D].useful, 3);
	assert_int_equal(counters.prefetch[CACHE_L1D].late, 2);
	assert_int_equal(counters.prefetch[CACHE_L1D].unused, 0);
	for (uint64_t i = 1; i <= 4; i++) /* fills the set of 0x10080 with 4 other lines */
		load(h, 0x10080 + 4096 * i, 10000 * i);
	hierarchy_count(h, &counters);
	assert_int_equal(counters.prefetch[CACHE_L1D].unused, 1);
	hierarchy_destroy(h);
}

TEST(impossible_machines_are_refused_with_a_sentence)
{
	struct hierarchy_parameters p;
	struct err err;

#define REFUSED(change, sentence)                        \
	do {                                             \
		p = usual();                             \
		change;                                  \
		assert_null(hierarchy_create(&p, &err)); \
		assert_string_equal(err.text, sentence); \
	} while (0)
	REFUSED(p.levels = 0, "0 cache levels are not between 1 and 3");
	REFUSED(p.levels = 4, "4 cache levels are not between 1 and 3");
	REFUSED(p.page_bytes = 3000, "a page of 3000 bytes is not a power of two");
	REFUSED(p.l1d.cache.ways = 0, "l1d: 0 ways are not between 1 and 64");
	REFUSED(p.l1i.cache.line_bytes = 8192,
		"l1i: a line of 8192 bytes is longer than a page of 4096");
	REFUSED(p.l2.cache.line_bytes = 16,
		"l2: a line of 16 bytes is shorter than the 32 bytes of a line of l1i");
	REFUSED((p.l1i.cache.line_bytes = 16, p.l2.cache.line_bytes = 16),
		"l2: a line of 16 bytes is shorter than the 32 bytes of a line of l1d");
	REFUSED(p.l2.mshrs = 0, "l2: at least one MSHR is needed");
	REFUSED((p.levels = 3, p.l3.cache.ways = 0), "l3: 0 ways are not between 1 and 64");
	REFUSED((p.levels = 3, p.l3.cache.line_bytes = 32),
		"l3: a line of 32 bytes is shorter than the 64 bytes of a line of l2");
	REFUSED(p.itlb.ways = 3,
		"itlb: 64 entries in 3 ways do not make a number of sets that is a power of two");
	REFUSED((p.tlb2.entries = 12, p.tlb2.ways = 4),
		"tlb2: 12 entries in 4 ways do not make a number of sets that is a power of two");
	REFUSED(p.dtlb.ways = 3,
		"dtlb: 128 entries in 3 ways do not make a number of sets that is a power of two");
	REFUSED((p.memory.banks = 3, p.memory.row_bytes = 1024),
		"3 banks with rows of 1024 bytes: both must be powers of two");
#undef REFUSED
	/* Parameters that are not used are not checked. */
	p = usual();
	p.l3.cache.ways = 0;
	hierarchy_destroy(make(&p));
	hierarchy_destroy(NULL);
}

/* One cache of one line, and a channel that a line occupies for 100 cycles. */
static struct hierarchy *make_busy(const struct prefetch_kind *prefetch)
{
	struct hierarchy_parameters p = usual();

	p.levels = 1;
	p.l1d = (struct level_parameters){{32, 32, 1, &replace_lru}, 2, MSHR_UNLIMITED, {prefetch}};
	p.memory.line_cycles = 100;
	p.ideal_dtlb = p.ideal_itlb = true;
	return make(&p);
}

TEST(a_victim_is_written_when_the_line_that_replaces_it_arrives)
{
	struct hierarchy *h = make_busy(NULL);

	assert_int_equal(store(h, 0x1000, 0).done_at, 2 + 250);
	assert_int_equal(load(h, 0x2000, 1000).done_at, 1002 + 250);
	/* The victim has the channel from 1252 to 1352. */
	struct access_result r = load(h, 0x3000, 1249);
	assert_int_equal(r.done_at, 1352 + 250);
	assert_int_equal(r.queue_cycles, 1352 - 1251);
	assert_int_equal(h->events.memory_writes, 1);
	assert_int_equal(h->events.memory_busy, 4 * 100);
	hierarchy_destroy(h);
}

TEST(fetches_and_prefetches_occupy_the_channel)
{
	struct hierarchy *h = make_busy(&prefetch_next_line);

	assert_int_equal(fetch(h, 0x8000, 0).done_at, 1 + 250);
	/* The fetch has the channel until 101, the load until 201, the line after its own until
	 * 301. */
	assert_int_equal(load(h, 0x1000, 0).done_at, 101 + 250);
	assert_int_equal(load(h, 0x3000, 10).queue_cycles, 301 - 12);
	hierarchy_destroy(h);
}

/* Plays `count` loads, the n-th of the address that `address` gives, and returns how many missed.
 */
static uint64_t play(struct hierarchy *h, uint64_t (*address)(uint64_t n), uint64_t count)
{
	uint64_t before = h->events.cache[CACHE_L1D][SIDE_DATA].misses;

	for (uint64_t n = 0; n < count; n++)
		load(h, address(n), n * 1000);
	return h->events.cache[CACHE_L1D][SIDE_DATA].misses - before;
}

static uint64_t line_after_line(uint64_t n)
{
	return n * 32;
}

static uint64_t every_third_line(uint64_t n)
{
	return n * 96;
}

static uint64_t pairs_anywhere(uint64_t n)
{
	return n / 2 * 8192 + n % 2 * 32;
}

/* Two lines that are there after the first pair of loads. */
static uint64_t to_and_fro(uint64_t n)
{
	return n % 2 * 64;
}

/* A page of its own for each, at a distance that never repeats. */
static uint64_t ever_further(uint64_t n)
{
	return n * n * 4096;
}

/* On a stream that a prefetcher is for, the misses that are left are few; on one that it is not
 * for, it brings in nothing. */
TEST(each_prefetcher_covers_its_stream_and_leaves_another_alone)
{
	static const struct {
		const struct prefetch_kind *kind;
		uint64_t (*covers)(uint64_t n), (*leaves)(uint64_t n);
		unsigned most_left; /* percent of the misses */
		uint64_t most_issued;
	} rows[] = {
		/* One miss in each page of 128 lines. */
		{&prefetch_next_line, line_after_line, to_and_fro, 1, 2},
		{&prefetch_adjacent_line, pairs_anywhere, to_and_fro, 50, 2},
		/* The stride is known after the third load; each page of 42 begins with a miss. */
		{&prefetch_stride, every_third_line, ever_further, 6, 0},
		/* In each page the first three lines, which give the direction. */
		{&prefetch_stream, line_after_line, to_and_fro, 3, 0},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct hierarchy_parameters p = usual();
		struct hierarchy *plain = make(&p), *covered, *left;
		uint64_t misses = play(plain, rows[i].covers, 2000), still;

		p.l1d.prefetch[0] = rows[i].kind;
		covered = make(&p);
		left = make(&p);
		still = play(covered, rows[i].covers, 2000);
		assert_int_equal(misses, 2000);
		assert_true(still * 100 <= misses * rows[i].most_left);
		play(left, rows[i].leaves, 2000);
		assert_true(left->events.prefetch[CACHE_L1D].issued <= rows[i].most_issued);
		hierarchy_destroy(plain);
		hierarchy_destroy(covered);
		hierarchy_destroy(left);
	}
}
