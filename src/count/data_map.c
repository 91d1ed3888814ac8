/* A branch is a word: an odd one is a number, shifted; an even one leads to the branches below, or
 * to the numbers of a page. */
#include "count/data_map.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

#define LEVELS 4

/* By level, the bits of an address below the branch, and how many of those choose within it. The
 * last level is a page, of pieces. */
static const unsigned below[LEVELS] = {29, 20, 12, DATA_MAP_PIECE_BITS};
#define SPACE_BITS  38
#define SPACE_BYTES (UINT64_C(1) << SPACE_BITS)
#define PAGE	    (LEVELS - 1)
#define PIECES	    (1u << (12 - DATA_MAP_PIECE_BITS))

static size_t count_of(unsigned level)
{
	return (size_t)1 << ((level ? below[level - 1] : SPACE_BITS) - below[level]);
}

static uint64_t whole(uint32_t number)
{
	return (uint64_t)number << 1 | 1;
}

static bool is_whole(uint64_t branch)
{
	return branch & 1;
}

static void *lower(uint64_t branch)
{
	return (void *)(uintptr_t)branch;
}

static void free_branch(struct data_map *map, uint64_t branch, unsigned level)
{
	if (is_whole(branch))
		return;
	uint64_t *branches = lower(branch);
	if (level == PAGE)
		map->leaves--;
	for (size_t i = 0; level < PAGE && i < count_of(level); i++)
		free_branch(map, branches[i], level + 1);
	free(branches);
}

/* Branches below one that was whole. */
static uint64_t cut(struct data_map *map, uint32_t number, unsigned level)
{
	const size_t count = count_of(level);

	if (level == PAGE) {
		uint32_t *pieces = mem_alloc_array(count, sizeof(*pieces));

		map->leaves++;
		for (size_t i = 0; i < count; i++)
			pieces[i] = number;
		return (uint64_t)(uintptr_t)pieces;
	}
	uint64_t *branches = mem_alloc_array(count, sizeof(*branches));
	for (size_t i = 0; i < count; i++)
		branches[i] = whole(number);
	return (uint64_t)(uintptr_t)branches;
}

static void set_pieces(uint32_t *pieces, uint64_t base, uint64_t first, uint64_t last,
		       uint32_t number)
{
	const uint64_t end = base + PIECES - 1;

	for (uint64_t i = first > base ? first : base; i <= (last < end ? last : end); i++)
		pieces[i - base] = number;
}

/* Sets the pieces from first to last, of which `branches`, at that level, hold some: theirs begin
 * with piece `base`. */
static void set(struct data_map *map, uint64_t *branches, unsigned level, uint64_t base,
		uint64_t first, uint64_t last, uint32_t number)
{
	const unsigned bits = below[level] - DATA_MAP_PIECE_BITS;
	const uint64_t low = first > base ? (first - base) >> bits : 0;

	for (uint64_t i = low; i < count_of(level) && base + (i << bits) <= last; i++) {
		const uint64_t start = base + (i << bits), end = start + (UINT64_C(1) << bits) - 1;

		if (first <= start && end <= last) {
			free_branch(map, branches[i], level + 1);
			branches[i] = whole(number);
			continue;
		}
		if (is_whole(branches[i]) && branches[i] == whole(number))
			continue;
		if (is_whole(branches[i]) && level + 1 == PAGE &&
		    map->leaves >= (map->most ? map->most : DATA_MAP_LEAVES_MOST)) {
			branches[i] = whole(map->over);
			continue;
		}
		if (is_whole(branches[i]))
			branches[i] = cut(map, (uint32_t)(branches[i] >> 1), level + 1);
		if (level + 1 == PAGE)
			set_pieces(lower(branches[i]), start, first, last, number);
		else
			set(map, lower(branches[i]), level + 1, start, first, last, number);
	}
}

void data_map_set(struct data_map *map, uint64_t start, uint64_t bytes, uint32_t number)
{
	if (!bytes || start >= SPACE_BYTES)
		return;
	const uint64_t last = bytes > SPACE_BYTES - start ? SPACE_BYTES - 1 : start + bytes - 1;

	if (!map->top)
		map->top = lower(cut(map, 0, 0));
	set(map, map->top, 0, 0, start >> DATA_MAP_PIECE_BITS, last >> DATA_MAP_PIECE_BITS, number);
}

uint32_t data_map_find(const struct data_map *map, uint64_t address)
{
	const uint64_t *branches = map->top;

	if (!branches || address >= SPACE_BYTES)
		return 0;
	for (unsigned level = 0; level < PAGE; level++) {
		const uint64_t branch = branches[address >> below[level] & (count_of(level) - 1)];

		if (is_whole(branch))
			return (uint32_t)(branch >> 1);
		branches = lower(branch);
	}
	const uint32_t *pieces = (const uint32_t *)branches;
	return pieces[address >> DATA_MAP_PIECE_BITS & (PIECES - 1)];
}

void data_map_release(struct data_map *map)
{
	if (map->top)
		free_branch(map, (uint64_t)(uintptr_t)map->top, 0);
	map->top = NULL;
}
