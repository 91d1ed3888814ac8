/*
 * What is built has the parameters of the configuration: every one of the memory hierarchy and of
 * the predictor has a value that no other has, and is then set alone to another one. The part that
 * it belongs to must have it, and no other part may change.
 */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "core/core.h"
#include "machine/parts.h"

/* A parameter of the hierarchy: its value in the machine of all tests, another one, and where it
 * is in what was built. */
struct probe {
	enum config_id id;
	uint32_t value, other;
	uint64_t (*read)(const struct hierarchy *hierarchy);
};

static uint64_t sets_of(const struct cache *cache)
{
	return cache->set_mask + 1;
}

static uint64_t word_index(enum config_id id, const char *word)
{
	uint64_t i = 0;

	while (config_rows[id].words[i] && strcmp(config_rows[id].words[i], word) != 0)
		i++;
	return i;
}

static uint64_t prefetchers_of(const struct hierarchy_level *level)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < level->prefetcher_count; i++) {
		const struct prefetcher *p = &level->prefetcher[i];

		bits |= UINT64_C(1) << word_index(CONFIG_l1i_prefetch, p->kind->name);
		/* It works on the lines of its own cache. */
		assert_int_equal(p->line_bytes, UINT64_C(1) << level->cache.line_bits);
	}
	return bits;
}

static uint64_t entries_of(const struct tlb *tlb)
{
	return (tlb->set_mask + 1) * tlb->ways;
}

#define READ(name, expression)                                 \
	static uint64_t read_##name(const struct hierarchy *h) \
	{                                                      \
		return expression;                             \
	}
#define READ_CACHE(part, which)                                                         \
	READ(part##_size, sets_of(&h->level[which].cache) * h->level[which].cache.ways  \
				  << h->level[which].cache.line_bits)                   \
	READ(part##_line, UINT64_C(1) << h->level[which].cache.line_bits)               \
	READ(part##_ways, h->level[which].cache.ways)                                   \
	READ(part##_latency, h->level[which].latency_cycles)                            \
	READ(part##_replacement,                                                        \
	     word_index(CONFIG_##part##_replacement, h->level[which].cache.kind->name)) \
	READ(part##_prefetch, prefetchers_of(&h->level[which]))
READ_CACHE(l1i, CACHE_L1I)
READ_CACHE(l1d, CACHE_L1D)
READ_CACHE(l2, CACHE_L2)
READ_CACHE(l3, CACHE_L3)
READ(l1d_mshrs, h->level[CACHE_L1D].mshr.limit)
READ(l2_mshrs, h->level[CACHE_L2].mshr.limit)
READ(l3_mshrs, h->level[CACHE_L3].mshr.limit)
READ(l1d_write, h->write_through ? WRITE_THROUGH : WRITE_BACK)
READ(page_bytes, UINT64_C(1) << h->tlb[SIDE_DATA].page_bits)
READ(tlb_miss, h->walks ? TLB_MISS_WALK : TLB_MISS_FIXED)
READ(walk_cache, h->walk_cache.limit)
READ(itlb_entries, entries_of(&h->tlb[SIDE_INSTRUCTION]))
READ(itlb_ways, h->tlb[SIDE_INSTRUCTION].ways)
READ(itlb_miss, h->tlb_miss_cycles[SIDE_INSTRUCTION])
READ(dtlb_entries, entries_of(&h->tlb[SIDE_DATA]))
READ(dtlb_ways, h->tlb[SIDE_DATA].ways)
READ(dtlb_miss, h->tlb_miss_cycles[SIDE_DATA])
READ(tlb2_entries, entries_of(&h->tlb2))
READ(tlb2_ways, h->tlb2.ways)
READ(tlb2_latency, h->tlb2_latency_cycles)
READ(memory_latency, h->memory.p.latency_cycles)
READ(memory_line, h->memory.p.line_cycles)
READ(dram_banks, h->memory.p.banks)
READ(dram_row, h->memory.p.row_bytes)
READ(dram_rows, h->memory.p.closes_rows ? ROWS_CLOSED : ROWS_OPEN)
READ(dram_hit, h->memory.p.row_hit_cycles)
READ(dram_closed, h->memory.p.row_closed_cycles)
READ(dram_conflict, h->memory.p.row_conflict_cycles)
READ(ideal_l1i, !!(h->hides & HIDES_L1I))
READ(ideal_l2i, !!(h->hides & HIDES_L2I))
READ(ideal_l3i, !!(h->hides & HIDES_L3I))
READ(ideal_l3d, !!(h->hides & HIDES_L3D))
READ(ideal_itlb, !!(h->hides & HIDES_ITLB))
READ(ideal_l1d, !!(h->hides & HIDES_L1D))
READ(ideal_l2d, !!(h->hides & HIDES_L2D))
READ(ideal_dtlb, !!(h->hides & HIDES_DTLB))
READ(ideal_pending, h->ideal_pending)
READ(ideal_walk, h->ideal_walk)
READ(ideal_bandwidth, h->ideal_bandwidth)

#define PROBE(field, value, other) {CONFIG_##field, value, other, read_##field},

/* Sizes are sets x ways x line with a number of sets that stays a power of two. */
static const struct probe probes[] = {
	/* clang-format off */
	PROBE(l1i_size, 16 * 3 * 32, 32 * 3 * 32) PROBE(l1i_line, 32, 64) PROBE(l1i_ways, 3, 6)
	PROBE(l1i_latency, 2, 11) PROBE(l1i_replacement, REPLACE_LRR, REPLACE_SRRIP)
	PROBE(l1i_prefetch, PREFETCH_NEXT_LINE, PREFETCH_STREAM | PREFETCH_ADJACENT_LINE)
	PROBE(l1d_size, 32 * 5 * 16, 64 * 5 * 16) PROBE(l1d_line, 16, 8) PROBE(l1d_ways, 5, 10)
	PROBE(l1d_latency, 6, 20) PROBE(l1d_replacement, REPLACE_RANDOM, REPLACE_LRU)
	PROBE(l1d_mshrs, 10, 23)
	PROBE(l1d_prefetch, PREFETCH_STRIDE, PREFETCH_STREAM | PREFETCH_NEXT_LINE)
	PROBE(l2_size, 64 * 7 * 64, 32 * 7 * 64) PROBE(l2_line, 64, 128) PROBE(l2_ways, 7, 14)
	PROBE(l2_latency, 13, 21) PROBE(l2_replacement, REPLACE_SRRIP, REPLACE_RANDOM)
	PROBE(l2_mshrs, 12, 25)
	PROBE(l2_prefetch, PREFETCH_STREAM, PREFETCH_ADJACENT_LINE | PREFETCH_STRIDE)
	PROBE(l3_size, 128 * 9 * 128, 256 * 9 * 128) PROBE(l3_line, 128, 256) PROBE(l3_ways, 9, 18)
	PROBE(l3_latency, 31, 32) PROBE(l3_replacement, REPLACE_LRU, REPLACE_LRR)
	PROBE(l3_mshrs, 14, 27) PROBE(l3_prefetch, PREFETCH_ADJACENT_LINE, PREFETCH_STRIDE)
	PROBE(l1d_write, WRITE_BACK, WRITE_THROUGH)
	PROBE(page_bytes, 2048, 8192) PROBE(tlb_miss, TLB_MISS_WALK, TLB_MISS_FIXED)
	PROBE(walk_cache, 17, 29)
	PROBE(itlb_entries, 4 * 11, 8 * 11) PROBE(itlb_ways, 11, 22) PROBE(itlb_miss, 41, 42)
	PROBE(dtlb_entries, 2 * 26, 4 * 26) PROBE(dtlb_ways, 26, 13) PROBE(dtlb_miss, 43, 44)
	PROBE(tlb2_entries, 8 * 30, 16 * 30) PROBE(tlb2_ways, 30, 15) PROBE(tlb2_latency, 19, 33)
	PROBE(memory_latency, 211, 212) PROBE(memory_line, 15, 37)
	PROBE(dram_banks, 8, 256) PROBE(dram_row, 4096, 1024)
	PROBE(dram_rows, ROWS_OPEN, ROWS_CLOSED)
	PROBE(dram_hit, 51, 52) PROBE(dram_closed, 83, 84) PROBE(dram_conflict, 127, 129)
	PROBE(ideal_l1i, false, true) PROBE(ideal_l2i, false, true)
	PROBE(ideal_l3i, false, true) PROBE(ideal_l3d, false, true)
	PROBE(ideal_itlb, false, true) PROBE(ideal_l1d, false, true)
	PROBE(ideal_l2d, false, true) PROBE(ideal_dtlb, false, true)
	PROBE(ideal_pending, false, true) PROBE(ideal_walk, false, true)
	PROBE(ideal_bandwidth, false, true)
	/* clang-format on */
};

static struct config unequal_machine(void)
{
	struct config config;

	config_reset(&config);
	config.cache_levels = 3;
	config.memory_kind = MEMORY_DRAM;
	for (size_t i = 0; i < ARRAY_COUNT(probes); i++)
		config_put(&config, probes[i].id, probes[i].value);
	return config;
}

static struct hierarchy *build(const struct config *config)
{
	struct err err = {.text = ""};
	struct hierarchy *hierarchy;

	if (!config_check(config, &err))
		fail_msg("%s", err.text);
	hierarchy = parts_hierarchy(config, &err);
	if (!hierarchy)
		fail_msg("%s", err.text);
	return hierarchy;
}

/* What the inline paths read is what the parts have. */
static void assert_fast_paths_agree(const struct hierarchy *h)
{
	for (unsigned operation = 0; operation < ACCESS_COUNT; operation++) {
		enum hierarchy_side side = operation == ACCESS_FETCH ? SIDE_INSTRUCTION : SIDE_DATA;
		const struct hierarchy_fast *fast = &h->fast[operation];
		const struct hierarchy_level *level = &h->level[CACHE_L1I + side];

		assert_int_equal(fast->latency_cycles, level->latency_cycles);
		assert_int_equal(fast->line_bits, level->cache.line_bits);
		assert_int_equal(fast->page_bits, h->tlb[side].page_bits);
		assert_int_equal(fast->tlb_ways, h->tlb[side].ways);
		assert_int_equal(fast->tlb_set_mask, h->tlb[side].set_mask);
		assert_ptr_equal(fast->entries, h->tlb[side].entries);
	}
}

static void assert_machine(const struct hierarchy *h, size_t changed)
{
	for (size_t i = 0; i < ARRAY_COUNT(probes); i++) {
		uint64_t wanted = i == changed ? probes[i].other : probes[i].value;

		if (probes[i].read(h) != wanted)
			fail_msg("with another %s, %s is %llu instead of %llu",
				 changed < ARRAY_COUNT(probes) ? config_rows[probes[changed].id].key
							       : "nothing",
				 config_rows[probes[i].id].key,
				 (unsigned long long)probes[i].read(h), (unsigned long long)wanted);
	}
	assert_int_equal(h->tlb[SIDE_INSTRUCTION].page_bits, h->tlb[SIDE_DATA].page_bits);
	assert_int_equal(h->tlb2.page_bits, h->tlb[SIDE_DATA].page_bits);
	/* Fetches take no MSHR. */
	assert_int_equal(h->level[CACHE_L1I].mshr.limit, MSHR_UNLIMITED);
	assert_true(h->limited);
	assert_fast_paths_agree(h);
}

TEST(each_parameter_reaches_its_part_and_no_other)
{
	for (size_t i = 0; i <= ARRAY_COUNT(probes); i++) {
		struct config config = unequal_machine();

		if (i < ARRAY_COUNT(probes)) {
			assert_int_not_equal(probes[i].value, probes[i].other);
			config_put(&config, probes[i].id, probes[i].other);
		}
		struct hierarchy *hierarchy = build(&config);

		assert_machine(hierarchy, i);
		hierarchy_destroy(hierarchy);
	}
}

/* No two numbers of the machine are equal, so one taken for another would be noticed. */
TEST(no_two_numbers_are_equal)
{
	for (size_t i = 0; i < ARRAY_COUNT(probes); i++)
		for (size_t k = 0; k < i; k++)
			if (config_rows[probes[i].id].type <= CONFIG_IS_COUNT &&
			    config_rows[probes[k].id].type <= CONFIG_IS_COUNT)
				assert_int_not_equal(probes[i].value, probes[k].value);
}

/* The parameters of parts whose keys begin so are in the table, but for those that say which parts
 * there are (tested below), and those of the core. */
TEST(no_parameter_of_a_part_is_left_out)
{
	static const char *const parts[] = {"l1",  "l2",    "l3",    "itlb", "dtlb",
					    "tlb", "walk.", "dram.", "page", "memory."};
	static const enum config_id others[] = {CONFIG_memory_ports, CONFIG_memory_kind};

	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		bool is_part = false, is_listed = false;

		for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
			is_part |= strncmp(config_rows[id].key, parts[i], strlen(parts[i])) == 0;
		for (size_t i = 0; i < ARRAY_COUNT(others); i++)
			is_part &= id != others[i];
		for (size_t i = 0; i < ARRAY_COUNT(probes); i++)
			is_listed |= probes[i].id == id;
		if (is_part && !is_listed)
			fail_msg("no test sets %s", config_rows[id].key);
	}
}

TEST(the_machine_has_the_parts_that_it_names)
{
	struct config config = unequal_machine();
	struct hierarchy *h;

	for (config.cache_levels = 1; config.cache_levels <= 3; config.cache_levels++) {
		h = build(&config);
		assert_int_equal(h->last, CACHE_L1D + config.cache_levels - 1);
		assert_int_equal(!!h->level[CACHE_L2].cache.keys, config.cache_levels >= 2);
		assert_int_equal(!!h->level[CACHE_L3].cache.keys, config.cache_levels >= 3);
		hierarchy_destroy(h);
	}
	config = unequal_machine();
	config.memory_kind = MEMORY_FIXED;
	config.tlb2_entries = 0;
	h = build(&config);
	assert_int_equal(h->memory.p.banks, 0);
	assert_false(h->has_tlb2);
	hierarchy_destroy(h);
	/* Without a limit. */
	config = unequal_machine();
	config.l1d_mshrs = config.l2_mshrs = config.l3_mshrs = UNLIMITED;
	h = build(&config);
	assert_false(h->limited);
	for (unsigned i = 0; i < CACHE_COUNT; i++) {
		assert_false(h->level[i].limited);
		assert_int_equal(h->level[i].mshr.limit, MSHR_UNLIMITED);
	}
	hierarchy_destroy(h);
	/* Lines of the stack that are dead are the core's to say: the cache is a write-back one. */
	config = unequal_machine();
	config.l1d_write = WRITE_LIVE;
	config.core_kind = CORE_INORDER;
	h = build(&config);
	assert_false(h->write_through);
	assert_int_equal(h->dead_low, h->dead_high);
	/* An in-order core has one data miss at a time. */
	assert_int_equal(h->level[CACHE_L1D].mshr.limit, 1);
	assert_int_equal(h->level[CACHE_L2].mshr.limit, 12);
	hierarchy_destroy(h);
}

/* With one cache level an ideal L2 means an ideal L1, on its own side only. */
TEST(an_ideal_l2_stays_on_its_side)
{
	struct config config = unequal_machine();

	config.cache_levels = 1;
	for (int side = 0; side < SIDE_COUNT; side++) {
		config.ideal_l2i = side == SIDE_INSTRUCTION;
		config.ideal_l2d = side == SIDE_DATA;
		struct hierarchy *h = build(&config);

		assert_true(h->hides & (side == SIDE_DATA ? HIDES_L1D : HIDES_L1I));
		assert_false(h->hides & (side == SIDE_DATA ? HIDES_L1I : HIDES_L1D));
		hierarchy_destroy(h);
	}
}

/* A parameter of the predictor: its value in the machine of all tests, another one, and its place
 * in the predictor's own parameters. */
struct predictor_probe {
	enum config_id id;
	uint32_t value, other;
	size_t place;
	bool is_of_tage;
};

#define PREDICTOR(field, value, other, member, is_of_tage)                               \
	{                                                                                \
		CONFIG_##field, value, other, offsetof(struct predictor_params, member), \
			is_of_tage                                                       \
	}

static const struct predictor_probe predictor_probes[] = {
	PREDICTOR(bimodal_entries, 64, 32, bimodal_entries, false),
	PREDICTOR(gshare_entries, 128, 256, gshare_entries, false),
	PREDICTOR(gshare_history, 5, 6, gshare_history_bits, false),
	PREDICTOR(chooser_entries, 16, 8, chooser_entries, false),
	PREDICTOR(tage_tables, 3, 4, tage_tables, true),
	PREDICTOR(tage_entries, 512, 1024, tage_entries, true),
	PREDICTOR(tage_shortest, 7, 9, tage_shortest_history, true),
	PREDICTOR(tage_longest, 40, 70, tage_longest_history, true),
	PREDICTOR(btb_sets, 4, 2, btb_sets, false),
	PREDICTOR(btb_ways, 2, 3, btb_ways, false),
	PREDICTOR(ras_entries, 10, 11, return_stack_entries, false),
	PREDICTOR(indirect_entries, 2048, 4096, indirect_entries, false),
};

struct state_bytes {
	uint8_t *bytes;
	size_t count, capacity;
};

static void keep_bytes(void *context, const void *bytes, size_t count)
{
	struct state_bytes *kept = context;

	for (size_t i = 0; i < count; i++)
		*ARRAY_PUSH(kept->bytes, kept->count, kept->capacity) = ((const uint8_t *)bytes)[i];
}

/* What the predictor is after a random program of its own. */
static struct state_bytes exercise(struct predictor *predictor)
{
	struct state_bytes kept = {0};
	struct rng rng = {5};

	for (unsigned i = 0; i < 4000; i++) {
		uint64_t pc = 0x1000 + 4 * rng_below(&rng, 200);
		enum branch_kind kind = (enum branch_kind)(pc / 4 % (BRANCH_RETURN + 1));
		bool taken = kind != BRANCH_CONDITIONAL || rng_below(&rng, 3);

		predictor_warm(predictor, kind, pc, 4, taken, 0x8000 + 64 * rng_below(&rng, 3));
	}
	predictor_state(predictor, keep_bytes, &kept);
	predictor_destroy(predictor);
	return kept;
}

static struct state_bytes by_config(const struct config *config)
{
	struct err err = {.text = ""};
	struct predictor *predictor;

	if (!config_check(config, &err))
		fail_msg("%s", err.text);
	predictor = parts_predictor(config, 64, &err);
	if (!predictor)
		fail_msg("%s", err.text);
	return exercise(predictor);
}

static struct state_bytes by_hand(const char *kind, const char *indirect, size_t changed)
{
	struct predictor_params params = {.kind = kind, .indirect_kind = indirect, .in_flight = 64};
	struct err err = {.text = ""};
	struct predictor *predictor;

	for (size_t i = 0; i < ARRAY_COUNT(predictor_probes); i++)
		*(uint32_t *)((char *)&params + predictor_probes[i].place) =
			i == changed ? predictor_probes[i].other : predictor_probes[i].value;
	predictor = predictor_create(&params, &err);
	if (!predictor)
		fail_msg("%s", err.text);
	return exercise(predictor);
}

static bool same_bytes(const struct state_bytes *a, const struct state_bytes *b)
{
	return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

static struct config unequal_predictor(void)
{
	struct config config;

	config_reset(&config);
	config.indirect_kind = INDIRECT_HISTORY;
	for (size_t i = 0; i < ARRAY_COUNT(predictor_probes); i++)
		config_put(&config, predictor_probes[i].id, predictor_probes[i].value);
	return config;
}

TEST(each_parameter_reaches_the_predictor)
{
	for (size_t i = 0; i < ARRAY_COUNT(predictor_probes); i++) {
		const struct predictor_probe *probe = &predictor_probes[i];
		const char *kind = probe->is_of_tage ? "tage" : "hybrid";
		struct config config = unequal_predictor();

		config.predictor_kind = probe->is_of_tage ? PREDICTOR_TAGE : PREDICTOR_HYBRID;
		config_put(&config, probe->id, probe->other);
		struct state_bytes got = by_config(&config);
		struct state_bytes wanted = by_hand(kind, "history", i);
		struct state_bytes plain = by_hand(kind, "history", SIZE_MAX);

		if (!same_bytes(&got, &wanted))
			fail_msg("the predictor does not have the machine's %s",
				 config_rows[probe->id].key);
		/* The test can fail: the parameter makes a difference. */
		assert_false(same_bytes(&plain, &wanted));
		free(got.bytes);
		free(wanted.bytes);
		free(plain.bytes);
	}
}

/* A predictor that is none or perfect still has targets and returns; the direction is static. */
TEST(each_kind_of_predictor_is_built)
{
	for (uint32_t kind = PREDICTOR_NONE; kind <= PREDICTOR_PERFECT; kind++)
		for (uint32_t indirect = INDIRECT_BTB; indirect <= INDIRECT_HISTORY; indirect++) {
			struct config config = unequal_predictor();
			const char *word = config_rows[CONFIG_predictor_kind].words[kind];

			if (kind == PREDICTOR_NONE || kind == PREDICTOR_PERFECT)
				word = "static_not_taken";
			if (kind == PREDICTOR_NONE)
				config.core_kind = CORE_INORDER;
			config.predictor_kind = kind;
			config.indirect_kind = indirect;
			struct state_bytes got = by_config(&config);
			struct state_bytes wanted = by_hand(
				word, indirect == INDIRECT_BTB ? "btb" : "history", SIZE_MAX);

			if (!same_bytes(&got, &wanted))
				fail_msg("predictor %s is not built",
					 config_rows[CONFIG_predictor_kind].words[kind]);
			free(got.bytes);
			free(wanted.bytes);
		}
}

/* What a configuration may say can be built: at both ends of every range, as far as the other
 * parameters allow it. Ends that would only take much memory are left out. */
TEST(what_is_allowed_can_be_built)
{
	static const enum config_predictor kinds[] = {PREDICTOR_HYBRID, PREDICTOR_TAGE,
						      PREDICTOR_GSHARE};
	unsigned built = 0;

	for (enum config_id id = 0; id < CONFIG_COUNT; id++)
		for (size_t k = 0; k < ARRAY_COUNT(kinds); k++)
			for (int end = 0; end < 2; end++) {
				const struct config_row *row = &config_rows[id];
				struct config config = unequal_predictor();
				uint32_t value = end ? row->most : row->least;
				struct err err = {.text = ""};

				config.predictor_kind = kinds[k];
				if (row->type > CONFIG_IS_COUNT || value > 1 << 16)
					continue;
				config_put(&config, id, value);
				if (!config_applies(&config, id) || !config_check(&config, NULL))
					continue;
				struct hierarchy *hierarchy = parts_hierarchy(&config, &err);
				struct predictor *predictor = parts_predictor(&config, 64, &err);

				if (!hierarchy || !predictor)
					fail_msg("%s of %u: %s", row->key, value, err.text);
				hierarchy_destroy(hierarchy);
				predictor_destroy(predictor);
				built++;
			}
	assert_true(built > 200);
}

TEST(nothing_can_be_destroyed)
{
	hierarchy_destroy(NULL);
	predictor_destroy(NULL);
	core_ooo.destroy(NULL);
	core_inorder.destroy(NULL);
}
