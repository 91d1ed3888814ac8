#include "mem/schedule.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void schedule_release(struct schedule *schedule)
{
	free(schedule->times);
	*schedule = (struct schedule){0};
}

static void forget_past(struct schedule *s, uint64_t now)
{
	while (s->first < s->count && s->times[s->first].until <= now)
		s->first++;
	/* Half of the array at most is unused, and what is moved was added since the last move. */
	if (s->first == s->count || s->first > s->count / 2) {
		s->count -= s->first;
		memmove(s->times, s->times + s->first, s->count * sizeof(*s->times));
		s->first = 0;
	}
}

static void insert(struct schedule *s, size_t place, struct schedule_stretch stretch)
{
	bool joins_before = place > s->first && s->times[place - 1].until == stretch.from;
	bool joins_after = place < s->count && s->times[place].from == stretch.until;

	if (joins_before && joins_after) {
		s->times[place - 1].until = s->times[place].until;
		s->count--;
		memmove(s->times + place, s->times + place + 1,
			(s->count - place) * sizeof(*s->times));
	} else if (joins_before) {
		s->times[place - 1].until = stretch.until;
	} else if (joins_after) {
		s->times[place].from = stretch.from;
	} else {
		ARRAY_PUSH(s->times, s->count, s->capacity);
		memmove(s->times + place + 1, s->times + place,
			(s->count - 1 - place) * sizeof(*s->times));
		s->times[place] = stretch;
	}
}

uint64_t schedule_take(struct schedule *s, uint64_t now, uint64_t at, uint64_t cycles)
{
	uint64_t needed = cycles ? cycles : 1;
	size_t place;

	if (s->count)
		forget_past(s, now);
	place = s->first;
	while (place < s->count && s->times[place].from < at + needed) {
		if (s->times[place].until > at)
			at = s->times[place].until;
		place++;
	}
	if (cycles)
		insert(s, place, (struct schedule_stretch){at, at + cycles});
	return at;
}
