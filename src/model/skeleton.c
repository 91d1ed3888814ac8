#include "model/skeleton.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"

#define RING	   SKELETON_WINDOW_MOST
#define RING_MASK  (RING - 1)
#define WORD_BYTES 8

/*
 * A profile is what reaches a value: chains[k-1] is the chain of k misses that the value depends on
 * which begins latest; their beginnings descend. A reference to one is the sequence number of the
 * step that made it, plus 1; 0 is the empty profile. Since no chain begins after the step that made
 * the profile, one made window_most steps ago is empty in every window, and its place in the ring
 * is free.
 *
 * A chain is one number: the sequence number at which it begins; how many steps after that its last
 * miss is, which is fewer than a window has; and through what it came from there to the value (enum
 * miss_path).
 */
#define AFTER_BITS 10
#define START_BIT  (AFTER_BITS + MISS_PATH_BITS)
_Static_assert(SKELETON_WINDOW_MOST <= 1 << AFTER_BITS, "a chain holds where its last miss is");

struct profile_node {
	uint64_t *chains;
	size_t count, capacity;
};

/* The stores last made to the bytes of a word: sequence numbers plus 1. */
struct word_stores {
	uint64_t word_plus_1;
	uint64_t stores[WORD_BYTES];
};

/* Who brought a block in. */
struct block_fetch {
	uint64_t block_plus_1;
	uint64_t sequence;
	uint64_t profile; /* of loads that hit it */
	bool is_store;	  /* and no load has asked for it since */
};

struct skeleton_builder {
	struct skeleton result;
	uint64_t sequence; /* of the step to be added */
	/* From this step on no window has a place where a chain begins, unless one is added. */
	uint64_t near_until;
	uint64_t registers[TRACE_REGISTERS];
	struct profile_node ring[RING];
	uint64_t store_profiles[RING]; /* of the store at that sequence number */
	struct word_stores *words;     /* open addressing */
	size_t word_mask, word_count;
	struct block_fetch *blocks;
	size_t block_mask, block_count;
	unsigned paths;			      /* those that chains remember */
	uint16_t links[SKELETON_WINDOW_MOST]; /* of the miss under way, as in the skeleton */
	uint64_t *merged;		      /* the profile under way */
	size_t merged_count, merged_capacity;
	uint64_t *addresses; /* the profile of all store addresses so far */
	size_t address_count, address_capacity;
	uint64_t merged_from; /* if it is one reference's, that one; NO_REFERENCE if it is not */
};

#define NO_REFERENCE UINT64_MAX

static inline uint64_t make_chain(uint64_t start, uint64_t last)
{
	return start << START_BIT | (last - start) << MISS_PATH_BITS;
}

static inline uint64_t start_of(uint64_t chain)
{
	return chain >> START_BIT;
}

static inline uint64_t last_of(uint64_t chain)
{
	return start_of(chain) + ((chain >> MISS_PATH_BITS) & ((1 << AFTER_BITS) - 1));
}

static inline bool begins_later(uint64_t chain, uint64_t than)
{
	return start_of(chain) > start_of(than);
}

struct skeleton_builder *skeleton_builder_create(const struct skeleton_options *options)
{
	struct skeleton_builder *b = mem_alloc(sizeof(*b));

	BUG_ON(!options->window_most || options->window_most > SKELETON_WINDOW_MOST);
	b->result.options = *options;
	b->paths = options->links ? MISS_PATHS : 0;
	b->word_mask = b->block_mask = 4095;
	b->words = mem_alloc_array(b->word_mask + 1, sizeof(*b->words));
	b->blocks = mem_alloc_array(b->block_mask + 1, sizeof(*b->blocks));
	return b;
}

struct skeleton_builder *skeleton_builder_of(const struct skeleton *skeleton)
{
	struct skeleton_builder *b = mem_alloc(sizeof(*b));

	b->result = *skeleton;
	b->sequence = skeleton->instructions;
	return b;
}

void skeleton_builder_destroy(struct skeleton_builder *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < RING; i++)
		free(b->ring[i].chains);
	free(b->words);
	free(b->blocks);
	free(b->merged);
	free(b->addresses);
	free(b->result.stores);
	free(b->result.misses);
	free(b->result.distances);
	free(b->result.links);
	free(b);
}

const struct skeleton *skeleton_builder_result(const struct skeleton_builder *b)
{
	return &b->result;
}

/* Whether the step of that sequence number can be in one window with the step that is added
 * next. */
static inline bool is_near(const struct skeleton_builder *b, uint64_t sequence)
{
	return b->sequence - sequence < b->result.options.window_most;
}

/* How many chains of the profile begin near. */
static size_t near_count(const struct skeleton_builder *b, const struct profile_node *node)
{
	size_t count = node->count;

	while (count && !is_near(b, start_of(node->chains[count - 1])))
		count--;
	return count;
}

static void merge_begin(struct skeleton_builder *b)
{
	b->merged_count = 0;
	b->merged_from = 0;
}

static void reserve_merged(struct skeleton_builder *b, size_t count)
{
	if (count <= b->merged_capacity)
		return;
	b->merged_capacity = 2 * count;
	b->merged = mem_realloc(b->merged, b->merged_capacity, sizeof(*b->merged));
}

/* Adds a profile to the one under way, having come through `path`: of each length the chain that
 * begins later. */
static void merge(struct skeleton_builder *b, uint64_t reference, unsigned path)
{
	if (LIKELY(!reference || !is_near(b, reference - 1)) || reference == b->merged_from)
		return;
	const struct profile_node *node = &b->ring[(reference - 1) & RING_MASK];
	size_t count = near_count(b, node);
	bool changes = false, keeps = false;

	reserve_merged(b, count);
	path &= b->paths;
	for (size_t i = 0; i < count; i++) {
		if (i >= b->merged_count || begins_later(node->chains[i], b->merged[i])) {
			b->merged[i] = node->chains[i] | path;
			changes = true;
		} else {
			keeps |= begins_later(b->merged[i], node->chains[i]);
		}
	}
	keeps |= path || b->merged_count > count;
	if (count > b->merged_count)
		b->merged_count = count;
	if (changes)
		b->merged_from = keeps ? NO_REFERENCE : reference;
}

/* Makes every chain under way one longer by the step itself, a miss; `start` is its sequence
 * number, or that of the store without which it is none. */
static void merge_miss(struct skeleton_builder *b, uint64_t start)
{
	BUG_ON(b->merged_count >= SKELETON_WINDOW_MOST);
	reserve_merged(b, b->merged_count + 1);
	for (size_t i = b->merged_count++; i > 0; i--) {
		uint64_t before = b->merged[i - 1];

		b->links[i] = (uint16_t)((b->sequence - last_of(before)) << MISS_PATH_BITS |
					 (before & MISS_PATHS));
		b->merged[i] = make_chain(start_of(before) < start ? start_of(before) : start,
					  b->sequence);
	}
	b->merged[0] = make_chain(start, b->sequence);
	/* A chain that begins before every window is none. */
	while (b->merged_count && !is_near(b, start_of(b->merged[b->merged_count - 1])))
		b->merged_count--;
	b->merged_from = NO_REFERENCE;
}

/* The reference of the profile under way. */
static uint64_t merge_end(struct skeleton_builder *b)
{
	if (b->merged_from != NO_REFERENCE)
		return b->merged_from;
	struct profile_node *node = &b->ring[b->sequence & RING_MASK];
	if (b->merged_count > node->capacity) {
		node->capacity = 2 * b->merged_count;
		node->chains = mem_realloc(node->chains, node->capacity, sizeof(*node->chains));
	}
	memcpy(node->chains, b->merged, b->merged_count * sizeof(*node->chains));
	node->count = b->merged_count;
	b->merged_from = b->sequence + 1;
	return b->merged_from;
}

static size_t hash_of(uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* The place of the word, or the empty one where it belongs. */
static struct word_stores *find_word(const struct skeleton_builder *b, uint64_t word)
{
	for (size_t at = hash_of(word);; at++) {
		struct word_stores *entry = &b->words[at & b->word_mask];

		if (!entry->word_plus_1 || entry->word_plus_1 == word + 1)
			return entry;
	}
}

static bool has_near_store(const struct skeleton_builder *b, const struct word_stores *entry)
{
	for (unsigned i = 0; i < WORD_BYTES; i++)
		if (entry->stores[i] && is_near(b, entry->stores[i] - 1))
			return true;
	return false;
}

/* Leaves only the words that were written in the last window_most steps. */
static void prune_words(struct skeleton_builder *b)
{
	struct word_stores *old = b->words;
	size_t old_mask = b->word_mask, near = 0;

	for (size_t i = 0; i <= old_mask; i++)
		near += old[i].word_plus_1 && has_near_store(b, &old[i]);
	while (near * 4 > b->word_mask)
		b->word_mask = 2 * b->word_mask + 1;
	b->words = mem_alloc_array(b->word_mask + 1, sizeof(*b->words));
	b->word_count = near;
	for (size_t i = 0; i <= old_mask; i++)
		if (old[i].word_plus_1 && has_near_store(b, &old[i]))
			*find_word(b, old[i].word_plus_1 - 1) = old[i];
	free(old);
}

static struct block_fetch *find_block(const struct skeleton_builder *b, uint64_t block)
{
	for (size_t at = hash_of(block);; at++) {
		struct block_fetch *entry = &b->blocks[at & b->block_mask];

		if (!entry->block_plus_1 || entry->block_plus_1 == block + 1)
			return entry;
	}
}

static void prune_blocks(struct skeleton_builder *b)
{
	struct block_fetch *old = b->blocks;
	size_t old_mask = b->block_mask, near = 0;

	for (size_t i = 0; i <= old_mask; i++)
		near += old[i].block_plus_1 && is_near(b, old[i].sequence);
	while (near * 4 > b->block_mask)
		b->block_mask = 2 * b->block_mask + 1;
	b->blocks = mem_alloc_array(b->block_mask + 1, sizeof(*b->blocks));
	b->block_count = near;
	for (size_t i = 0; i <= old_mask; i++)
		if (old[i].block_plus_1 && is_near(b, old[i].sequence))
			*find_block(b, old[i].block_plus_1 - 1) = old[i];
	free(old);
}

static void set_fetch(struct skeleton_builder *b, uint64_t block, uint64_t profile, bool is_store)
{
	struct block_fetch *entry = find_block(b, block);

	b->near_until = b->sequence + b->result.options.window_most;
	b->block_count += !entry->block_plus_1;
	*entry = (struct block_fetch){block + 1, b->sequence, profile, is_store};
	if (b->block_count * 2 > b->block_mask)
		prune_blocks(b);
}

static void add_stores(struct skeleton_builder *b, const struct trace_step *step, uint64_t profile)
{
	b->store_profiles[b->sequence & RING_MASK] = profile;
	for (unsigned i = 0; i < step->op->access_bytes;) {
		uint64_t at = step->address + i;
		struct word_stores *entry = find_word(b, at / WORD_BYTES);

		b->word_count += !entry->word_plus_1;
		entry->word_plus_1 = at / WORD_BYTES + 1;
		for (; i < step->op->access_bytes &&
		       (step->address + i) / WORD_BYTES == at / WORD_BYTES;
		     i++)
			entry->stores[(step->address + i) % WORD_BYTES] = b->sequence + 1;
	}
	if (b->word_count * 2 > b->word_mask)
		prune_words(b);
}

/* Adds the profiles of the stores that a load reads from. Returns the earliest of them, or
 * UINT64_MAX if some byte was not written by a store that is near. */
static uint64_t merge_stores(struct skeleton_builder *b, const struct trace_step *step)
{
	uint64_t earliest = 0;
	bool is_whole = true;

	for (unsigned i = 0; i < step->op->access_bytes; i++) {
		uint64_t at = step->address + i;
		const struct word_stores *entry = find_word(b, at / WORD_BYTES);
		uint64_t store = entry->word_plus_1 ? entry->stores[at % WORD_BYTES] : 0;

		if (!store || !is_near(b, store - 1)) {
			is_whole = false;
			/* A word that nobody has written has no other byte to look at. */
			if (!entry->word_plus_1)
				i += WORD_BYTES - 1 - (unsigned)(at % WORD_BYTES);
			continue;
		}
		is_whole &= b->sequence - (store - 1) < b->result.options.forward_most;
		if (!i || store - 1 < earliest)
			earliest = store - 1;
		merge(b, b->store_profiles[(store - 1) & RING_MASK], MISS_PATH_MEMORY);
	}
	return is_whole ? earliest : UINT64_MAX;
}

/* Keeps, of each length, the later chain of the profile under way, of a store's address. */
static void add_store_address(struct skeleton_builder *b)
{
	while (b->address_count && !is_near(b, start_of(b->addresses[b->address_count - 1])))
		b->address_count--;
	for (size_t i = 0; i < b->merged_count; i++) {
		if (i == b->address_count)
			*ARRAY_PUSH(b->addresses, b->address_count, b->address_capacity) =
				b->merged[i];
		else if (begins_later(b->merged[i], b->addresses[i]))
			b->addresses[i] = b->merged[i];
	}
}

/* Adds the profile of all store addresses to the one under way. */
static void merge_store_addresses(struct skeleton_builder *b)
{
	while (b->address_count && !is_near(b, start_of(b->addresses[b->address_count - 1])))
		b->address_count--;
	reserve_merged(b, b->address_count);
	for (size_t i = 0; i < b->address_count; i++) {
		if (i < b->merged_count && !begins_later(b->addresses[i], b->merged[i]))
			continue;
		b->merged[i] = b->addresses[i] | (MISS_PATH_STORE_ADDRESS & b->paths);
		b->merged_from = NO_REFERENCE;
		if (i == b->merged_count)
			b->merged_count++;
	}
}

/* Makes the step a miss, which counts in windows from `start` on, and enters it in the result. */
static void add_miss(struct skeleton_builder *b, const struct trace_op *op,
		     const struct label *label, uint64_t start)
{
	struct skeleton *s = &b->result;
	uint64_t parent_distance = b->merged_count ? b->sequence - start_of(b->merged[0]) : 0;

	merge_miss(b, start);
	*ARRAY_PUSH(s->misses, s->count, s->capacity) = (struct skeleton_miss){
		.sequence = b->sequence,
		.pc = op->pc,
		.first = s->distance_count,
		.count = (uint32_t)b->merged_count,
		.parent_distance = (uint32_t)parent_distance,
		.base_issued = label->base_issued,
		.base_left = label->base_left,
	};
	for (size_t i = 0; i < b->merged_count; i++) {
		if (s->options.links)
			*ARRAY_PUSH(s->links, s->link_count, s->link_capacity) =
				i ? b->links[i] : 0;
		*ARRAY_PUSH(s->distances, s->distance_count, s->distance_capacity) =
			(uint16_t)(b->sequence - start_of(b->merged[i]));
	}
}

static void add_load_miss(struct skeleton_builder *b, const struct trace_op *op,
			  const struct label *label)
{
	add_miss(b, op, label, b->sequence);
	set_fetch(b, label->block, merge_end(b), false);
}

/* A load of a block that a store is fetching: a miss in windows that hold the store; in others its
 * value still has the chains of its address. */
static void add_store_fill(struct skeleton_builder *b, const struct trace_op *op,
			   const struct label *label, uint64_t store)
{
	size_t count = b->merged_count;
	uint64_t *before = mem_alloc_array(count + 1, sizeof(*before));

	for (size_t i = 0; i < count; i++)
		before[i] = b->merged[i];
	add_miss(b, op, label, store);
	for (size_t i = 0; i < count; i++)
		if (i >= b->merged_count || begins_later(before[i], b->merged[i]))
			b->merged[i] = before[i];
	if (count > b->merged_count)
		b->merged_count = count;
	free(before);
	set_fetch(b, label->block, merge_end(b), false);
}

/* A load that hits: it may wait for the block it hits. */
static void add_load_hit(struct skeleton_builder *b, const struct trace_op *op,
			 const struct label *label, uint64_t earliest_store)
{
	struct block_fetch *fetch = find_block(b, label->block);

	if (!b->result.options.pending_hits || !fetch->block_plus_1 || !is_near(b, fetch->sequence))
		return;
	/* All bytes come from stores no older than the fetch. */
	if (earliest_store != UINT64_MAX && earliest_store >= fetch->sequence)
		return;
	if (fetch->is_store && b->result.options.store_fills_miss)
		add_store_fill(b, op, label, fetch->sequence);
	else
		merge(b, fetch->profile, MISS_PATH_PENDING_HIT);
}

static inline void add_step(struct skeleton_builder *b, const struct trace_step *step,
			    const struct label *label)
{
	const struct trace_op *op = step->op;
	uint64_t earliest_store = UINT64_MAX;

	merge_begin(b);
	for (unsigned i = 0; i < TRACE_SOURCES; i++) {
		if (i == op->address_sources && op->is_store && b->result.options.store_addresses)
			add_store_address(b);
		merge(b, b->registers[op->sources[i]], 0);
	}
	if (op->is_load) {
		if (b->result.options.store_addresses)
			merge_store_addresses(b);
		earliest_store = merge_stores(b, step);
		if (label->data == DATA_LONG_MISS)
			add_load_miss(b, op, label);
		else
			add_load_hit(b, op, label, earliest_store);
	}
	uint64_t profile = merge_end(b);
	if (op->is_store) {
		add_stores(b, step, profile);
		if (label->data == DATA_LONG_MISS && !op->is_load) {
			set_fetch(b, label->block, profile, true);
			*ARRAY_PUSH(b->result.stores, b->result.store_count,
				    b->result.store_capacity) =
				(struct skeleton_store){b->sequence, label->base_left};
		}
	}
	for (unsigned i = 0; i < TRACE_DESTINATIONS; i++)
		b->registers[op->destinations[i]] = profile;
	b->registers[0] = 0;
	if (!b->sequence)
		b->result.base_start = label->base_left;
	b->sequence++;
}

/* How many of the steps change nothing. Where no chain begins within a window, profiles hold
 * nothing that is near, and steps that do not miss make none that do; whether a load reads from a
 * store matters only where the store is younger than a fetch that is near. */
static size_t count_idle(const struct skeleton_builder *b, const struct label *labels, size_t count)
{
	size_t idle = 0;

	if (b->sequence >= b->near_until && b->sequence)
		while (idle < count && labels[idle].data != DATA_LONG_MISS)
			idle++;
	return idle;
}

void skeleton_builder_add(struct skeleton_builder *b, const struct trace_step *steps,
			  const struct label *labels, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const size_t idle = count_idle(b, labels + i, count - i);

		b->sequence += idle;
		i += idle;
		if (i < count)
			add_step(b, &steps[i], &labels[i]);
	}
	b->result.instructions = b->sequence;
	if (count)
		b->result.base_cycles = labels[count - 1].base_left;
}

/* NULL if there is none. */
static const struct skeleton_miss *find_miss(const struct skeleton *s, uint64_t sequence)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->misses[middle].sequence < sequence)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->count && s->misses[low].sequence == sequence ? &s->misses[low] : NULL;
}

static uint16_t link_of(const struct skeleton *s, const struct skeleton_miss *miss, uint32_t length)
{
	return s->links[miss->first + length - 1];
}

const struct skeleton_miss *skeleton_previous(const struct skeleton *s,
					      const struct skeleton_miss *miss, uint32_t length,
					      unsigned *path)
{
	BUG_ON(!s->options.links || length < 2 || length > miss->count);
	uint16_t link = link_of(s, miss, length);
	const struct skeleton_miss *previous =
		find_miss(s, miss->sequence - (link >> MISS_PATH_BITS));

	BUG_ON(!previous);
	*path = link & MISS_PATHS;
	return previous;
}

bool skeleton_has_link(const struct skeleton *s, const struct skeleton_miss *miss, uint32_t length)
{
	uint64_t back = link_of(s, miss, length) >> MISS_PATH_BITS;
	const struct skeleton_miss *previous =
		back && back <= miss->sequence ? find_miss(s, miss->sequence - back) : NULL;

	return previous && previous->count >= length - 1;
}
