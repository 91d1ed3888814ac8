#include "measure/frequent.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	const struct frequent_item *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

unsigned frequent_sorted(const struct frequent *f, struct frequent_item items[FREQUENT_ITEMS])
{
	unsigned count = 0;

	for (unsigned i = 0; i < FREQUENT_ITEMS; i++)
		if (f->items[i].count)
			items[count++] = f->items[i];
	if (count > 1)
		qsort(items, count, sizeof(*items), compare);
	return count;
}

bool frequent_most(const struct frequent *f, struct frequent_item *most)
{
	struct frequent_item items[FREQUENT_ITEMS];
	unsigned count = frequent_sorted(f, items);

	*most = count ? items[0] : (struct frequent_item){0};
	return count;
}
