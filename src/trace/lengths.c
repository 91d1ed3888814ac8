#include "trace/lengths.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

#define CALLS_MOST    65536 /* a power of two */
#define CALLS_TRIED   64    /* by a return */
#define PLACES_TRIED  32    /* in the table, whatever addresses there are */
#define SURENESS_MOST 100

struct place {
	uint64_t pc;
	uint8_t bytes;	  /* 0: the place is empty */
	uint8_t sureness; /* how often `bytes` was found more than another length, up to a limit */
};

struct lengths {
	struct place *table; /* by a hash of the pc */
	uint64_t calls[CALLS_MOST];
	uint32_t top, depth; /* the innermost call is calls[top - 1] */
};

struct lengths *lengths_create(void)
{
	struct lengths *lengths = mem_alloc(sizeof(*lengths));

	lengths->table = mem_alloc_array(LENGTHS_MOST, sizeof(*lengths->table));
	return lengths;
}

void lengths_destroy(struct lengths *lengths)
{
	if (!lengths)
		return;
	free(lengths->table);
	free(lengths);
}

/* The place of the address, or an empty one for it; NULL if there is neither near its own. */
static struct place *find(const struct lengths *lengths, uint64_t pc)
{
	uint32_t at = (uint32_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 44);

	for (unsigned i = 0; i < PLACES_TRIED; i++) {
		struct place *place = &lengths->table[(at + i) % LENGTHS_MOST];

		if (!place->bytes || place->pc == pc)
			return place;
	}
	return NULL;
}

/* Whether that can be the distance from an instruction to the one behind it. */
static bool is_length(uint64_t distance)
{
	return distance >= 1 && distance <= LENGTHS_BYTES_MOST;
}

void lengths_pass(struct lengths *lengths, uint64_t pc, uint64_t next_pc)
{
	uint64_t distance = next_pc - pc;
	struct place *place = is_length(distance) ? find(lengths, pc) : NULL;

	if (!place)
		return;
	if (!place->sureness)
		*place = (struct place){pc, (uint8_t)distance, 1};
	else if (place->bytes != distance)
		place->sureness--;
	else if (place->sureness < SURENESS_MOST)
		place->sureness++;
}

void lengths_call(struct lengths *lengths, uint64_t pc)
{
	lengths->calls[lengths->top++ % CALLS_MOST] = pc;
	if (lengths->depth < CALLS_MOST)
		lengths->depth++;
}

void lengths_return(struct lengths *lengths, uint64_t next_pc)
{
	for (uint32_t i = 0; i < lengths->depth && i < CALLS_TRIED; i++) {
		uint64_t call = lengths->calls[(lengths->top - 1 - i) % CALLS_MOST];

		if (!is_length(next_pc - call))
			continue;
		lengths->top -= i + 1;
		lengths->depth -= i + 1;
		lengths_pass(lengths, call, next_pc);
		return;
	}
}

uint8_t lengths_at(const struct lengths *lengths, uint64_t pc)
{
	const struct place *place = find(lengths, pc);

	return place ? place->bytes : 0;
}
