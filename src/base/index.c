#include "base/index.h"

#include <stdlib.h>

#include "base/array.h"

#define LEAST_CAPACITY 64
#define MULTIPLIER     UINT64_C(0x9e3779b97f4a7c15)

size_t index_find(const struct index *index, uint64_t hash, index_same *same, const void *context)
{
	if (!index->capacity)
		return INDEX_NONE;
	for (size_t i = hash & (index->capacity - 1); index->slots[i].number;
	     i = (i + 1) & (index->capacity - 1))
		if (index->slots[i].hash == hash && same(context, index->slots[i].number - 1))
			return index->slots[i].number - 1;
	return INDEX_NONE;
}

static void put(struct index *index, struct index_slot slot)
{
	size_t i = slot.hash & (index->capacity - 1);

	while (index->slots[i].number)
		i = (i + 1) & (index->capacity - 1);
	index->slots[i] = slot;
}

void index_add(struct index *index, uint64_t hash, size_t number)
{
	if (2 * (index->count + 1) > index->capacity) {
		struct index larger = {.count = index->count,
				       .capacity = index->capacity ? 2 * index->capacity
								   : LEAST_CAPACITY};

		larger.slots = mem_alloc_array(larger.capacity, sizeof(*larger.slots));
		for (size_t i = 0; i < index->capacity; i++)
			if (index->slots[i].number)
				put(&larger, index->slots[i]);
		free(index->slots);
		*index = larger;
	}
	put(index, (struct index_slot){hash, number + 1});
	index->count++;
}

void index_release(struct index *index)
{
	free(index->slots);
	*index = (struct index){0};
}

uint64_t index_hash_number(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * MULTIPLIER;
	return hash ^ hash >> 29;
}

uint64_t index_hash_text(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = index_hash_number(hash, (uint8_t)*text);
	return hash;
}
