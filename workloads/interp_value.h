/*
 * interp_value.h - the values of interp: numbers, strings, arrays and hashes.
 *
 * Values are counted references; who holds one, drops it. Numbers and strings
 * never change and turn into each other when asked; arrays and hashes are
 * shared by all who hold them. Hashes are chained and double when full. There
 * is no weak reference: a script that ties a knot never gets it freed.
 */
#ifndef INTERP_VALUE_H
#define INTERP_VALUE_H

#include "workload.h"

enum type { UNDEF, INT, STR, ARRAY, HASH };

struct entry;

struct value {
	enum type type;
	int32_t refs;
	size_t count; /* bytes of a string, elements of an array or hash */
	size_t room;
	union {
		int64_t number;
		char *bytes;
		struct value **items;
		struct entry **buckets;
		struct value *next_free;
	};
};

struct entry {
	struct entry *next;
	struct value *key, *held;
	uint32_t hash;
};

struct text {
	const char *at;
	size_t length;
};

enum { SLAB_VALUES = 64 };

struct slab {
	struct slab *next;
	struct value values[SLAB_VALUES];
};

struct heap {
	struct slab *slabs;
	struct value *free_values;
	int64_t live_values;
	char scratch[4][24];
	unsigned scratch_turn;
};
static void heap_grow(struct heap *heap)
{
	struct slab *slab = workload_alloc(sizeof(*slab));

	slab->next = heap->slabs;
	heap->slabs = slab;
	for (int i = 0; i < SLAB_VALUES; i++) {
		slab->values[i].next_free = heap->free_values;
		heap->free_values = &slab->values[i];
	}
}

static void heap_release(struct heap *heap)
{
	for (struct slab *slab = heap->slabs, *next; slab; slab = next) {
		next = slab->next;
		free(slab);
	}
}

static struct value *value_new(struct heap *heap, enum type type)
{
	struct value *v;

	if (!heap->free_values)
		heap_grow(heap);
	v = heap->free_values;
	heap->free_values = v->next_free;
	*v = (struct value){.type = type, .refs = 1};
	heap->live_values++;
	return v;
}

static struct value *keep(struct value *v)
{
	v->refs++;
	return v;
}

static void drop(struct heap *heap, struct value *v)
{
	if (!v || --v->refs)
		return;
	if (v->type == STR) {
		free(v->bytes);
	} else if (v->type == ARRAY) {
		for (size_t i = 0; i < v->count; i++)
			drop(heap, v->items[i]);
		free(v->items);
	} else if (v->type == HASH) {
		for (size_t i = 0; i < v->room; i++)
			for (struct entry *e = v->buckets[i], *next; e; e = next) {
				next = e->next;
				drop(heap, e->key);
				drop(heap, e->held);
				free(e);
			}
		free(v->buckets);
	}
	v->next_free = heap->free_values;
	heap->free_values = v;
	heap->live_values--;
}

static struct value *number(struct heap *heap, int64_t n)
{
	struct value *v = value_new(heap, INT);

	v->number = n;
	return v;
}

/* A string of that length whose bytes are still to be written. */
static struct value *string_room(struct heap *heap, size_t length)
{
	struct value *v = value_new(heap, STR);

	v->bytes = malloc(length + 1);
	if (!v->bytes)
		abort();
	v->bytes[length] = 0;
	v->count = length;
	return v;
}

static struct value *string(struct heap *heap, const char *bytes, size_t length)
{
	struct value *v = string_room(heap, length);

	memcpy(v->bytes, bytes, length);
	return v;
}

static int64_t number_of(const struct value *v)
{
	if (v->type == INT)
		return v->number;
	return v->type == STR ? strtoll(v->bytes, NULL, 10) : (int64_t)v->count;
}

/* The value as text, in place or, for a number, in scratch space for a moment. */
static struct text text_of(struct heap *heap, const struct value *v)
{
	char *out;
	int64_t n;

	if (v->type == STR)
		return (struct text){v->bytes, v->count};
	if (v->type != INT)
		return (struct text){"", 0};
	out = heap->scratch[heap->scratch_turn++ & 3] + 23;
	n = v->number;
	*out = 0;
	do
		*--out = (char)('0' + (n < 0 ? -(n % 10) : n % 10));
	while (n /= 10);
	if (v->number < 0)
		*--out = '-';
	return (struct text){out, strlen(out)};
}

static int truth(const struct value *v)
{
	if (v->type == STR)
		return v->count > 1 || (v->count == 1 && v->bytes[0] != '0');
	return v->type == INT ? v->number != 0 : v->count != 0;
}

static int text_compare(struct text a, struct text b)
{
	int order = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

static void array_insert(struct value *a, size_t where, struct value *v)
{
	if (a->count == a->room) {
		a->room = a->room ? 2 * a->room : 4;
		a->items = realloc(a->items, a->room * sizeof(struct value *));
		if (!a->items)
			abort();
	}
	memmove(a->items + where + 1, a->items + where, (a->count - where) * sizeof(v));
	a->items[where] = v;
	a->count++;
}

static uint32_t text_hash(struct text t)
{
	uint32_t h = 0;

	for (size_t i = 0; i < t.length; i++)
		h = h * 33 + (uint8_t)t.at[i];
	return h ^ (h >> 7);
}

static void hash_grow(struct value *h)
{
	size_t room = h->room ? 2 * h->room : 8;
	struct entry **buckets = workload_alloc(room * sizeof(struct entry *));

	for (size_t i = 0; i < h->room; i++)
		for (struct entry *e = h->buckets[i], *next; e; e = next) {
			next = e->next;
			e->next = buckets[e->hash & (room - 1)];
			buckets[e->hash & (room - 1)] = e;
		}
	free(h->buckets);
	h->buckets = buckets;
	h->room = room;
}

/* Where the pointer to the key's entry is, or the end of its chain; NULL in an empty hash. */
static struct entry **hash_find(const struct value *h, struct text key, uint32_t hash)
{
	struct entry **link;

	if (!h->room)
		return NULL;
	for (link = &h->buckets[hash & (h->room - 1)]; *link; link = &(*link)->next)
		if ((*link)->hash == hash && (*link)->key->count == key.length &&
		    memcmp((*link)->key->bytes, key.at, key.length) == 0)
			break;
	return link;
}

static void hash_set(struct heap *heap, struct value *h, struct text key, struct value *held)
{
	uint32_t hash = text_hash(key);
	struct entry **link = hash_find(h, key, hash), *e;

	if (link && *link) {
		drop(heap, (*link)->held);
		(*link)->held = held;
		return;
	}
	if (h->count >= h->room) {
		hash_grow(h);
		link = hash_find(h, key, hash);
	}
	e = *link = workload_alloc(sizeof(*e));
	e->key = string(heap, key.at, key.length);
	e->held = held;
	e->hash = hash;
	h->count++;
}

#endif
