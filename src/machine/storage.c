#include "machine/storage.h"

#include "base/bits.h"
#include "mem/prefetch.h"
#include "mem/prefetch_stride.h"

#define PC_BITS	     (STORAGE_ADDRESS_BITS - 1) /* instructions begin at even addresses */
#define ARCHITECTED  64				/* registers that a program has */
#define DATA_BITS    64
#define STREAM_PAGES 16 /* that the stream prefetcher tracks */

const char *const storage_names[STORAGE_PARTS_COUNT] = {
#define PART(id, name) [STORAGE_##id] = (name),
	STORAGE_PARTS(PART)
#undef PART
};

/* Bits that tell so many things apart. */
static uint64_t bits_for(uint64_t things)
{
	return things > 1 ? bits_log2(things - 1) + 1 : 0;
}

/* Of a set, to know which of its lines goes next. */
static uint64_t replacement_bits(enum config_replacement kind, uint64_t ways)
{
	switch (kind) {
	case REPLACE_LRU: return ways * bits_for(ways);
	case REPLACE_LRR: return bits_for(ways);
	case REPLACE_PLRU: return ways - 1;
	case REPLACE_SRRIP: return 2 * ways;
	case REPLACE_RANDOM: break;
	}
	return 0;
}

struct shape {
	uint64_t size, line, ways;
	enum config_replacement replacement;
	bool has_dirty; /* a line may differ from what is behind the cache */
	uint32_t prefetch;
};

/* A line has its data, its tag, whether it is there, whether it is dirty, and, if prefetchers bring
 * lines in, whether it has been used. */
static uint64_t cache_bits(const struct shape *shape)
{
	const uint64_t lines = shape->size / shape->line, sets = lines / shape->ways;
	const uint64_t tag = STORAGE_ADDRESS_BITS - bits_for(sets) - bits_for(shape->line);

	return lines * (8 * shape->line + tag + 1 + shape->has_dirty + (shape->prefetch != 0)) +
	       sets * replacement_bits(shape->replacement, shape->ways);
}

/* Strides are within a page; of a page that is tracked: its number, the last line and the furthest
 * named one, the direction, the moves, and its place by use. */
static uint64_t prefetch_bits(const struct shape *shape)
{
	const uint64_t in_page = bits_for(PREFETCH_PAGE_BYTES);
	uint64_t bits = 0;

	if (shape->prefetch & PREFETCH_STRIDE)
		bits += STRIDE_ENTRIES *
			(1 + PC_BITS - bits_for(STRIDE_ENTRIES) + STORAGE_ADDRESS_BITS + in_page +
			 1 + bits_for(STRIDE_MOST_CONFIDENT + 1));
	if (shape->prefetch & PREFETCH_STREAM)
		bits += STREAM_PAGES *
			(1 + STORAGE_ADDRESS_BITS - in_page +
			 2 * (in_page - bits_for(shape->line)) + 2 + 2 + bits_for(STREAM_PAGES));
	return bits;
}

/* An entry has the page's number without the set, the frame's, and five bits of rights and state.
 */
static uint64_t tlb_bits(const struct config *c, uint64_t entries, uint64_t ways)
{
	const uint64_t page = STORAGE_ADDRESS_BITS - bits_for(c->page_bytes);
	const uint64_t sets = entries / ways;

	return entries * (page - bits_for(sets) + page + 5) + entries * bits_for(ways);
}

static uint64_t tage_bits(const struct config *c)
{
	uint64_t bits = c->tage_longest + 4; /* the history, and when alternates are used */

	for (uint32_t t = 0; t < c->tage_tables; t++)
		bits += (uint64_t)c->tage_entries * ((8 + t < 12 ? 8 + t : 12) + 3 + 2);
	return bits;
}

static uint64_t predictor_bits(const struct config *c)
{
	const uint64_t bimodal = UINT64_C(2) * c->bimodal_entries;
	const uint64_t gshare = UINT64_C(2) * c->gshare_entries + c->gshare_history;

	switch (c->predictor_kind) {
	case PREDICTOR_BIMODAL: return bimodal;
	case PREDICTOR_GSHARE: return gshare;
	case PREDICTOR_HYBRID: return bimodal + gshare + UINT64_C(2) * c->chooser_entries;
	case PREDICTOR_TAGE: return bimodal + tage_bits(c);
	default: return 0;
	}
}

static bool has_targets(const struct config *c)
{
	return c->predictor_kind != PREDICTOR_NONE && c->predictor_kind != PREDICTOR_PERFECT;
}

static void add_targets(struct storage *storage, const struct config *c)
{
	const uint64_t entries = (uint64_t)c->btb_sets * c->btb_ways;

	storage->bits[STORAGE_BTB] =
		entries * (1 + PC_BITS - bits_for(c->btb_sets) + PC_BITS + bits_for(c->btb_ways));
	storage->bits[STORAGE_RETURN] = (uint64_t)c->ras_entries * PC_BITS;
	if (c->indirect_kind == INDIRECT_HISTORY)
		storage->bits[STORAGE_INDIRECT] = c->indirect_entries * (1 + 2 * (uint64_t)PC_BITS);
}

/* The line that is on its way, its address, and whether it is taken. */
static uint64_t mshr_bits(uint32_t count, uint64_t line)
{
	return count == UNLIMITED ? 0
				  : count * (1 + STORAGE_ADDRESS_BITS - bits_for(line) + 8 * line);
}

static void add_caches(struct storage *storage, const struct config *c)
{
	const struct shape l1i = {c->l1i_size,	      c->l1i_line, c->l1i_ways,
				  c->l1i_replacement, false,	   c->l1i_prefetch};
	const struct shape l1d = {c->l1d_size,
				  c->l1d_line,
				  c->l1d_ways,
				  c->l1d_replacement,
				  c->l1d_write != WRITE_THROUGH,
				  c->l1d_prefetch};
	const struct shape l2 = {c->l2_size,	    c->l2_line, c->l2_ways,
				 c->l2_replacement, true,	c->l2_prefetch};
	const struct shape l3 = {c->l3_size,	    c->l3_line, c->l3_ways,
				 c->l3_replacement, true,	c->l3_prefetch};
	const struct shape *shapes[] = {&l1i, &l1d, &l2, &l3};
	const bool is_ooo = c->core_kind == CORE_OOO;

	for (unsigned i = 0; i < 4 && i <= c->cache_levels; i++) {
		storage->bits[STORAGE_L1I + i] = cache_bits(shapes[i]);
		storage->bits[STORAGE_PREFETCH] += prefetch_bits(shapes[i]);
	}
	if (is_ooo)
		storage->bits[STORAGE_MSHRS] =
			mshr_bits(c->l1d_mshrs, c->l1d_line) +
			(c->cache_levels > 1 ? mshr_bits(c->l2_mshrs, c->l2_line) : 0) +
			(c->cache_levels > 2 ? mshr_bits(c->l3_mshrs, c->l3_line) : 0);
}

static void add_tlbs(struct storage *storage, const struct config *c)
{
	const uint64_t page = STORAGE_ADDRESS_BITS - bits_for(c->page_bytes);

	storage->bits[STORAGE_ITLB] = tlb_bits(c, c->itlb_entries, c->itlb_ways);
	storage->bits[STORAGE_DTLB] = tlb_bits(c, c->dtlb_entries, c->dtlb_ways);
	if (c->tlb2_entries)
		storage->bits[STORAGE_TLB2] = tlb_bits(c, c->tlb2_entries, c->tlb2_ways);
	/* Which level, which place in it, where that leads, and the order of use. */
	if (c->tlb_miss == TLB_MISS_WALK)
		storage->bits[STORAGE_WALK] =
			c->walk_cache * (1 + 2 + page + page + bits_for(c->walk_cache));
}

/* Of an operation in an issue queue: its kind, its place, where its result goes, and for three
 * sources which register and whether it is there. */
static uint64_t queue_bits(const struct config *c, uint64_t rename)
{
	const uint64_t entry = 32 + bits_for(c->rob_size) + rename + 3 * (rename + 1);

	return c->issue_queue_kind == ISSUE_QUEUE_UNIFIED
		       ? c->issue_queue_size * entry
		       : ((uint64_t)c->issue_queue_int + c->issue_queue_memory +
			  c->issue_queue_fp) *
				 entry;
}

static void add_window(struct storage *storage, const struct config *c)
{
	const uint64_t rename = bits_for((uint64_t)c->rob_size + ARCHITECTED);
	const uint64_t store = STORAGE_ADDRESS_BITS + DATA_BITS + 8 + 1;

	storage->bits[STORAGE_FETCH] = c->fetch_buffer * (UINT64_C(32) + PC_BITS + 1);
	/* An entry comes with a register: where it was and is named, what it holds. */
	storage->bits[STORAGE_ROB] =
		c->rob_size * (PC_BITS + 4 + bits_for(ARCHITECTED) + 2 * rename + DATA_BITS);
	storage->bits[STORAGE_QUEUES] = queue_bits(c, rename);
	storage->bits[STORAGE_LSQ] = c->lsq_size * (store + bits_for(c->rob_size));
	if (c->disambiguation == DISAMBIGUATION_PREDICT)
		storage->bits[STORAGE_STORE_SETS] =
			c->store_sets_entries * (1 + bits_for(c->store_sets_sets)) +
			c->store_sets_sets * (1 + bits_for(c->rob_size));
	if (c->store_buffer != UNLIMITED)
		storage->bits[STORAGE_STORES] = c->store_buffer * store;
	/* What is taken back to where the branch was: the names of all registers. */
	if (c->max_branches != UNLIMITED)
		storage->bits[STORAGE_BRANCHES] = c->max_branches * ARCHITECTED * rename;
}

struct storage storage_of(const struct config *config)
{
	struct storage storage = {{0}};

	add_caches(&storage, config);
	add_tlbs(&storage, config);
	storage.bits[STORAGE_PREDICTOR] = predictor_bits(config);
	if (has_targets(config))
		add_targets(&storage, config);
	if (config->core_kind == CORE_OOO)
		add_window(&storage, config);
	else
		storage.bits[STORAGE_STORES] = config->inorder_write_buffer *
					       (STORAGE_ADDRESS_BITS + UINT64_C(1) + DATA_BITS + 8);
	return storage;
}

uint64_t storage_sum(const struct storage *storage)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < STORAGE_PARTS_COUNT; i++)
		sum += storage->bits[i];
	return sum;
}
