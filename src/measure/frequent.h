/*
 * frequent.h - which of many numbers occur most often, in the room of a few (Misra and Gries,
 * 1982).
 *
 * A number that is more than one in FREQUENT_ITEMS + 1 of all has an item; the count of an item is
 * at most how often it occurred, and less by at most all occurrences divided by FREQUENT_ITEMS + 1.
 */
#ifndef MEASURE_FREQUENT_H
#define MEASURE_FREQUENT_H

#include <stdbool.h>
#include <stdint.h>

#define FREQUENT_ITEMS 8

struct frequent_item {
	uint64_t key;
	uint64_t count; /* 0: there is none */
};

/* Zeros are nothing seen. */
struct frequent {
	uint64_t seen;
	struct frequent_item items[FREQUENT_ITEMS];
};

static inline void frequent_add(struct frequent *f, uint64_t key)
{
	struct frequent_item *free_item = 0;

	f->seen++;
	for (unsigned i = 0; i < FREQUENT_ITEMS; i++) {
		if (f->items[i].count && f->items[i].key == key) {
			f->items[i].count++;
			return;
		}
		if (!f->items[i].count && !free_item)
			free_item = &f->items[i];
	}
	if (free_item) {
		*free_item = (struct frequent_item){key, 1};
		return;
	}
	for (unsigned i = 0; i < FREQUENT_ITEMS; i++)
		f->items[i].count--;
}

/* The item of the largest count, of equals the one with the smallest key; false if there is none.
 */
bool frequent_most(const struct frequent *f, struct frequent_item *most);
/* Those there are, the largest count first; how many. */
unsigned frequent_sorted(const struct frequent *f, struct frequent_item items[FREQUENT_ITEMS]);

#endif
