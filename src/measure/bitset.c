#include "measure/bitset.h"

#include <stdlib.h>

#include "base/array.h"

#define BLOCK_BITS  (UINT64_C(1) << 15)
#define BLOCK_BYTES (BLOCK_BITS / 8)

void bitset_init(struct bitset *set, uint64_t bits)
{
	set->block_count = (bits + BLOCK_BITS - 1) / BLOCK_BITS;
	set->blocks = mem_alloc_array(set->block_count, sizeof(*set->blocks));
}

void bitset_release(struct bitset *set)
{
	for (uint64_t i = 0; i < set->block_count; i++)
		free(set->blocks[i]);
	free(set->blocks);
}

bool bitset_add(struct bitset *set, uint64_t number)
{
	uint64_t **block = &set->blocks[number / BLOCK_BITS];
	uint64_t bit = UINT64_C(1) << (number % 64);

	if (!*block)
		*block = mem_alloc(BLOCK_BYTES);
	uint64_t *word = &(*block)[number % BLOCK_BITS / 64];
	bool is_new = !(*word & bit);
	*word |= bit;
	return is_new;
}

void bitset_remove(struct bitset *set, uint64_t number)
{
	set->blocks[number / BLOCK_BITS][number % BLOCK_BITS / 64] &=
		~(UINT64_C(1) << (number % 64));
}
