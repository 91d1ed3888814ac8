#include "measure/distinct.h"

#include <stdlib.h>

#include "base/array.h"

#define ROOM_FIRST 8
#define LEVEL_MOST 48

static uint64_t hash_of(uint64_t number)
{
	number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
	return number ^ (number >> 31);
}

static bool is_kept(const struct distinct *d, uint64_t hash)
{
	return !(hash & ((UINT64_C(1) << d->level) - 1));
}

/* Where the number is, or the empty place where it belongs. */
static uint64_t *place_of(const struct distinct *d, uint64_t number, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 48);

	for (;; at++) {
		uint64_t *place = &d->items[at & (d->room - 1)];

		if (!*place || *place == number + 1)
			return place;
	}
}

/* Enters those that are still kept into a table of so many places. */
static void enter_again(struct distinct *d, uint32_t room)
{
	uint64_t *before = d->items;
	uint32_t room_before = d->room;

	d->items = mem_alloc_array(room, sizeof(*d->items));
	d->room = room;
	d->count = 0;
	for (uint32_t i = 0; i < room_before; i++) {
		if (!before[i])
			continue;
		uint64_t hash = hash_of(before[i] - 1);

		if (!is_kept(d, hash))
			continue;
		*place_of(d, before[i] - 1, hash) = before[i];
		d->count++;
	}
	free(before);
}

void distinct_add_other(struct distinct *d, uint64_t number)
{
	uint64_t hash = hash_of(number);

	if (!is_kept(d, hash))
		return;
	if (!d->room)
		enter_again(d, ROOM_FIRST);
	uint64_t *place = place_of(d, number, hash);
	if (*place)
		return;
	*place = number + 1;
	d->count++;
	if (d->count > DISTINCT_MOST)
		while (d->count > DISTINCT_MOST && d->level < LEVEL_MOST) {
			d->level++;
			enter_again(d, d->room);
		}
	else if (d->count > d->room / 2)
		enter_again(d, 2 * d->room);
}

void distinct_release(struct distinct *d)
{
	free(d->items);
	*d = (struct distinct){0};
}
