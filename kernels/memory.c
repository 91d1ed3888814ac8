/* Kernels that access memory: random chains of pointers (read, page, block), random stores (write),
 * pairs of loads at a given distance (pair), blocks of which one half is used more often than the
 * other (half, whole), a stream (stream), blocks in an order with an offset (order). All use one
 * buffer, which is as large as the largest of them needs. */
#include "kernel.h"

#define BUFFER_BYTES	 (UINT64_C(512) << 20)
#define PAIR_BYTES	 BUFFER_BYTES
#define STREAM_BYTES	 (UINT64_C(64) << 20)
#define ORDER_BLOCK	 UINT64_C(4096)
#define CACHE_LINE_MOST	 UINT64_C(1024)
#define WRITE_WARM_MOST	 UINT64_C(512)
#define WRITE_TWICE_MOST UINT64_C(16384)
#define HALF_ROUNDS	 4 /* of one half, for one of the other */
#define PLACE_BYTES	 UINT64_C(16)

#define SIXTEEN(operation) FOUR(FOUR(operation))

#define INLINE static inline __attribute__((always_inline))

/* The state of the kernels: what the last preparation made. */
static struct {
	char *buffer;
	/* A chain grows from size to size: `count` elements of `unit` bytes are linked. */
	uint64_t unit, count;
	bool is_spread;
	uint64_t random;
	char *at;	 /* where the next run goes on */
	uint64_t number; /* the same for a run that computes its addresses */
	/* What memory_prepare_write has read last. */
	uint64_t written_unit, written_bytes;
} memory = {.random = KERNEL_SEED};

/* Before every preparation. */
static bool map_buffer(const char **reason)
{
	memory.written_unit = 0;
	if (memory.buffer)
		return true;
	memory.buffer = kernel_map(BUFFER_BYTES);
	*reason = "there is no memory for the buffer";
	return memory.buffer;
}

static bool fits(const struct kernel_run *run, uint64_t least_unit, const char **reason)
{
	*reason = "expected a unit that is a power of two and a size from two units to 512 MB";
	return run->unit >= least_unit && (run->unit & (run->unit - 1)) == 0 &&
	       run->value >= 2 * run->unit && run->value <= BUFFER_BYTES && map_buffer(reason);
}

INLINE uint64_t below(uint64_t most)
{
	RANDOM(memory.random);
	return ((memory.random >> 32) * most) >> 32;
}

/* Where element i is. With one element in a page, its place in the page is different from page to
 * page, so that the elements do not compete for one set of a cache. */
INLINE char *element(uint64_t i)
{
	uint64_t place = memory.is_spread ? SPREAD(i, memory.unit) : 0;

	return memory.buffer + i * memory.unit + place;
}

INLINE void link_to(char *from, char *to)
{
	*(char **)from = to;
}

/* Puts the elements from..to-1 into the cycle 0 .. from-1, each behind a random one: all cycles are
 * equally likely. Most of the time of a large chain is spent here, so that it keeps to registers:
 * 16 instructions an element, where straightforward code had 60. */
static void insert_plain(uint64_t from, uint64_t to)
{
	uint64_t random = memory.random, unit = memory.unit;
	char *buffer = memory.buffer, *at = buffer + from * unit;

	for (uint64_t i = from; i < to; i++, at += unit) {
		RANDOM(random);
		char *before = buffer + (((random >> 32) * i) >> 32) * unit;

		*(char **)at = *(char **)before;
		*(char **)before = at;
	}
	memory.random = random;
}

static void insert_spread(uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		char *before = element(below(i)), *after = *(char **)before;

		link_to(element(i), after);
		link_to(before, element(i));
	}
}

static void warm(uint64_t count)
{
	char *at = element(0);

	for (uint64_t i = 0; i < count; i++)
		at = *(char **)at;
	memory.at = at;
}

static bool grow_chain(const struct kernel_run *run, bool is_spread)
{
	uint64_t count = run->value / run->unit;

	if (memory.unit != run->unit || memory.is_spread != is_spread || memory.count > count) {
		memory.unit = run->unit;
		memory.is_spread = is_spread;
		memory.count = 1;
		link_to(element(0), element(0));
	}
	(is_spread ? insert_spread : insert_plain)(memory.count, count);
	memory.count = count;
	warm(count);
	return true;
}

bool memory_prepare_chain(const struct kernel_run *run, const char **reason)
{
	return fits(run, 8, reason) && grow_chain(run, false);
}

bool memory_prepare_pages(const struct kernel_run *run, const char **reason)
{
	return fits(run, CACHE_LINE_MOST, reason) && grow_chain(run, true);
}

/* The unit is the number of pages of 4096 bytes in a block; elements are 128 bytes apart. Each
 * block has a random chain of its own, which ends in the next block. */
bool memory_prepare_blocks(const struct kernel_run *run, const char **reason)
{
	uint64_t in_block = run->unit * 4096 / 128, blocks;

	*reason = "expected 1 to 4096 pages in a block and at least one block";
	if (run->unit < 1 || run->unit > 4096 || run->value > BUFFER_BYTES ||
	    run->value / 128 < in_block || !map_buffer(reason))
		return false;
	memory.unit = 128;
	memory.is_spread = false;
	memory.count = UINT64_MAX; /* no chain to grow */
	blocks = run->value / 128 / in_block;
	for (uint64_t b = 0; b < blocks; b++) {
		uint64_t first = b * in_block, last = first + 1;

		link_to(element(first), element(last));
		link_to(element(last), element((b + 1) % blocks * in_block));
		for (uint64_t i = 2; i < in_block; i++) {
			/* Behind any but the last. */
			uint64_t before = below(i - 1);
			char *place = element(first + before + (before != 0));

			link_to(element(first + i), *(char **)place);
			link_to(place, element(first + i));
		}
	}
	warm(blocks * in_block);
	return true;
}

KERNEL void kernel_read(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations;
	char *at = memory.at;

	do {
		at = *(char **)at;
		BLIND(at);
		i++;
		BLIND(i);
	} while (i < size);
	LOOP_END;
	memory.at = at;
}

/* A permutation of 0 .. mask, which is a power of two less one, computed without memory. */
INLINE uint64_t permuted(uint64_t i, uint64_t mask, uint64_t shift)
{
	i = (i * UINT64_C(0x9e3779b97f4a7c15)) & mask;
	i ^= i >> shift;
	i = (i * UINT64_C(0xd1342543de82ef95)) & mask;
	i ^= i >> shift;
	return i;
}

static uint64_t write_mask(const struct kernel_run *run)
{
	return run->value / run->unit - 1;
}

static uint64_t write_shift(uint64_t mask)
{
	return ((unsigned)__builtin_popcountll(mask) + 1) / 2;
}

/* As in element(): places in pages differ, so that pages do not compete for one set. */
static uint64_t write_spread(uint64_t unit)
{
	return unit >= CACHE_LINE_MOST ? (unit - 1) & ~UINT64_C(63) : 0;
}

INLINE uint64_t *write_place(char *buffer, uint64_t x, uint64_t unit, uint64_t spread)
{
	return (uint64_t *)(buffer + x * unit + (SPREAD(x, unit) & spread));
}

static void read_written(const struct kernel_run *run, uint64_t rounds)
{
	uint64_t mask = write_mask(run), shift = write_shift(mask);
	uint64_t spread = write_spread(run->unit);

	for (uint64_t i = 0; i < rounds * (mask + 1); i++)
		*(volatile uint64_t *)write_place(memory.buffer, permuted(i, mask, shift),
						  run->unit, spread);
}

/* All of the buffer is read, so that what fits in a cache is there even if stores do not bring it
 * in; in the order of the stores, so that they begin with what was read longest ago. A small one is
 * read twice, because caches may replace at random. */
bool memory_prepare_write(const struct kernel_run *run, const char **reason)
{
	if (memory.written_unit == run->unit && memory.written_bytes == run->value)
		return true;
	if (!fits(run, 8, reason))
		return false;
	*reason = "expected a power of two";
	if (run->value & (run->value - 1))
		return false;
	memory.unit = memory.count = 0;
	memory.written_unit = run->unit;
	memory.written_bytes = run->value;
	memory.number = 0;
	read_written(run, write_mask(run) < WRITE_TWICE_MOST ? 2 : 1);
	return true;
}

/* Where stores do not bring lines in, what was pushed out would stay out. */
void memory_warm_write(const struct kernel_run *run)
{
	if (write_mask(run) < WRITE_WARM_MOST)
		read_written(run, 1);
}

KERNEL void kernel_write(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, unit = run->unit, mask = write_mask(run);
	uint64_t shift = write_shift(mask), number = memory.number, spread = write_spread(unit);
	char *buffer = memory.buffer;

	do {
		*(volatile uint64_t *)write_place(buffer, permuted(number, mask, shift), unit,
						  spread) = i;
		number++;
		i++;
		BLIND(i);
	} while (i < size);
	LOOP_END;
	memory.number = number;
}

/* As kernel_write, but a store begins long after the one before: its address waits for 64
 * divisions. What stores make wait for each other does not happen here. */
KERNEL void kernel_apart(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, unit = run->unit, mask = write_mask(run);
	uint64_t shift = write_shift(mask), number = memory.number, spread = write_spread(unit);
	uint64_t zero = 0, divisor = size;
	char *buffer = memory.buffer;

	BLIND(divisor);
	do {
		BLIND(zero);
		SIXTEEN(zero /= divisor; BLIND(zero));
		SIXTEEN(zero /= divisor; BLIND(zero));
		SIXTEEN(zero /= divisor; BLIND(zero));
		SIXTEEN(zero /= divisor; BLIND(zero));
		number += zero;
		*(volatile uint64_t *)write_place(buffer, permuted(number, mask, shift), unit,
						  spread) = i;
		number++;
		i++;
		BLIND(i);
	} while (i < size);
	LOOP_END;
	memory.number = number;
}

bool memory_prepare_pair(const struct kernel_run *run, const char **reason)
{
	*reason = "expected a distance that is a power of two from 8 to 1 MB";
	return run->value >= 8 && run->value <= 1 << 20 && (run->value & (run->value - 1)) == 0 &&
	       map_buffer(reason);
}

/* Two loads from a random block of twice the distance: at its upper half, then at its beginning.
 * They are in one line, or page, if that is larger than the distance. The second waits for the
 * first. */
KERNEL void kernel_pair(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, distance = run->value, x = memory.random;
	uint64_t blocks = PAIR_BYTES / (2 * distance), zero;

	do {
		RANDOM(x);
		char *block = memory.buffer + (((x >> 32) * blocks) >> 32) * 2 * distance;
		zero = *(volatile uint64_t *)(block + distance) & 7;
		BLIND(zero);
		zero = *(volatile uint64_t *)(block + (zero & 8)) & 8;
		BLIND(zero);
		x += zero & 7;
		i++;
		BLIND(i);
	} while (i < size);
	LOOP_END;
	memory.random = x;
}

/* In turn, a place in each of `value` blocks of `unit` bytes, which are anywhere; after each, any
 * place at all. In each round the other place of every fourth block is used too, so that it is of
 * each block in one round of four: it is `apart` from the first by one bit of its address. Where
 * only one half of a block stays in a cache, because a prefetcher brought in the other, a place in
 * the other half misses; where both are one line, it does not. */
INLINE void use_halves(const struct kernel_run *run, uint64_t apart)
{
	uint64_t i = 0, size = run->iterations, unit = run->unit, mask = PAIR_BYTES / unit - 1;
	uint64_t shift = write_shift(mask), x = memory.random, number = memory.number;
	uint64_t hot = run->value - 1, places = PAIR_BYTES / PLACE_BYTES;
	unsigned round = (unsigned)__builtin_popcountll(hot);

	do {
		RANDOM(x);
		*(volatile uint64_t *)(memory.buffer + (((x >> 32) * places) >> 32) * PLACE_BYTES);
		uint64_t block = permuted(number & hot, mask, shift);
		uint64_t place = block * unit + (SPREAD(block, unit * 4) / 4 & ~(PLACE_BYTES - 1));
		*(volatile uint64_t *)(memory.buffer + place);
		uint64_t is_other = ((number + (number >> round)) & (HALF_ROUNDS - 1)) == 0;
		*(volatile uint64_t *)(memory.buffer + (place ^ is_other * apart));
		number++;
		i++;
		BLIND(i);
	} while (i < size);
	memory.random = x;
	memory.number = number;
}

KERNEL void kernel_half(const struct kernel_run *run)
{
	use_halves(run, run->unit / 2);
	LOOP_END;
}

KERNEL void kernel_whole(const struct kernel_run *run)
{
	use_halves(run, 8);
	LOOP_END;
}

static bool prepare_halves(const struct kernel_run *run, void (*use)(const struct kernel_run *),
			   const char **reason)
{
	const struct kernel_run warm = {run->unit, run->value, HALF_ROUNDS * run->value};

	*reason = "expected a unit and a number of blocks that are powers of two, from 32 to 4096 "
		  "and from 8 to 65536";
	if (run->unit < 32 || run->unit > 4096 || (run->unit & (run->unit - 1)) || run->value < 8 ||
	    run->value > 65536 || (run->value & (run->value - 1)) || !map_buffer(reason))
		return false;
	memory.number = 0;
	/* Both kernels use the same places, but for the other ones. */
	memory.random = KERNEL_SEED;
	use(&warm);
	return true;
}

bool memory_prepare_half(const struct kernel_run *run, const char **reason)
{
	return prepare_halves(run, kernel_half, reason);
}

bool memory_prepare_whole(const struct kernel_run *run, const char **reason)
{
	return prepare_halves(run, kernel_whole, reason);
}

bool memory_prepare_stream(const struct kernel_run *run, const char **reason)
{
	memory.number = 0;
	return fits(run, 8, reason);
}

/* Loads that are `unit` bytes apart, one after the other through the buffer, and round again. */
KERNEL void kernel_stream(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, unit = run->unit, mask = run->value - 1;
	uint64_t place = memory.number;

	do {
		*(volatile uint64_t *)(memory.buffer + place);
		place = (place + unit) & mask;
		i++;
		BLIND(i);
	} while (i < size);
	LOOP_END;
	memory.number = place;
}

bool memory_prepare_order(const struct kernel_run *run, const char **reason)
{
	*reason = "expected a buffer of at least two blocks of 4096 bytes";
	if (run->value < 2 * ORDER_BLOCK || run->value > BUFFER_BYTES || !map_buffer(reason))
		return false;
	memory.unit = memory.count = memory.number = 0;
	/* Within a block, one element of 64 bytes after the other by its pointer. */
	for (uint64_t i = 0; i < run->value; i += 64)
		link_to(memory.buffer + i,
			memory.buffer + (i & ~(ORDER_BLOCK - 1)) + (i * 5 + 64) % ORDER_BLOCK);
	return true;
}

/* Block after block; each round begins `unit` blocks later than the one before and leaves the
 * skipped ones for its end. */
KERNEL void kernel_order(const struct kernel_run *run)
{
	uint64_t blocks = run->value / ORDER_BLOCK, first = 0, done = 0;

	while (done < run->iterations) {
		for (uint64_t b = 0; b < blocks; b++) {
			char *at = memory.buffer + (first + b) % blocks * ORDER_BLOCK;

			for (unsigned i = 0; i < ORDER_BLOCK / 64; i++) {
				at = *(char **)at;
				BLIND(at);
			}
		}
		first = (first + run->unit) % blocks;
		done += blocks * (ORDER_BLOCK / 64);
	}
}
