/*
 * algebra_bags.h - storage of the algebra workload: movable bags, handles, a
 * root stack with scopes, and lists.
 *
 * A new bag is on the root stack until its scope ends, so nothing reachable
 * from a running function is ever collected. Pointers into a bag hold only until
 * the next bag is made. Collections are generational: bags that survived one are
 * old and looked at again only when the arena is full. Only algebra.c includes
 * this file.
 */
#ifndef ALGEBRA_BAGS_H
#define ALGEBRA_BAGS_H

#include "workload.h"

typedef uint32_t bag;

enum bag_kind { KIND_DEAD, KIND_LIST, KIND_PERM, KIND_VECTORS, KIND_INTEGER };

struct bag_header {
	uint32_t bytes, self;
	uint32_t kind, marked;
};

enum { ROOTS = 4096 };

static struct heap {
	uint8_t *arena;
	size_t used, room, old, nursery;
	size_t *place;
	uint32_t n_handles, handle_room, free_handle;
	bag *changed, *stack;
	uint32_t n_changed;
	uint64_t collections, survivors;
	int n_roots;
	bag root[ROOTS];
} heap;

static struct bag_header *bag_header(bag b)
{
	return (struct bag_header *)(void *)(heap.arena + heap.place[b]);
}

static void *bag_body(bag b)
{
	return bag_header(b) + 1;
}

/* Bags stay alive while on the root stack; a scope gives back all but its result. */
static int scope_begin(void)
{
	return heap.n_roots;
}

static bag scope_keep(bag b)
{
	if (heap.n_roots == ROOTS)
		abort();
	return heap.root[heap.n_roots++] = b;
}

static bag scope_end(int scope, bag result)
{
	heap.n_roots = scope;
	return result ? scope_keep(result) : 0;
}

static void *grown(void *block, size_t bytes)
{
	block = realloc(block, bytes);
	if (!block)
		abort();
	return block;
}

static void heap_init(size_t room, size_t nursery, uint32_t handles)
{
	memset(&heap, 0, sizeof(heap));
	heap.room = room;
	heap.nursery = nursery;
	heap.handle_room = handles;
	heap.arena = grown(NULL, room);
	heap.place = grown(NULL, handles * sizeof(*heap.place));
	heap.changed = grown(NULL, handles * sizeof(*heap.changed));
	heap.stack = grown(NULL, handles * sizeof(*heap.stack));
	heap.n_handles = 1;
}

static void heap_release(void)
{
	free(heap.arena);
	free(heap.place);
	free(heap.changed);
	free(heap.stack);
}

static uint32_t mark_push(uint32_t depth, bag b)
{
	if (b && heap.place[b] >= heap.old && !bag_header(b)->marked) {
		bag_header(b)->marked = 1;
		heap.stack[depth++] = b;
	}
	return depth;
}

static uint32_t mark_children(uint32_t depth, bag b)
{
	const bag *entry = bag_body(b);

	if (bag_header(b)->kind == KIND_LIST)
		for (uint32_t i = 1; i <= entry[0]; i++)
			depth = mark_push(depth, entry[i]);
	return depth;
}

static void mark_from(bag b)
{
	uint32_t depth = mark_push(0, b);

	while (depth > 0) {
		bag next = heap.stack[--depth];

		depth = mark_children(depth, next);
	}
}

/* Slides marked bags down over dead ones from heap.old on. */
static void heap_compact(void)
{
	size_t to = heap.old;

	for (size_t from = heap.old; from < heap.used;) {
		struct bag_header *h = (struct bag_header *)(void *)(heap.arena + from);
		size_t bytes = h->bytes;

		if (h->marked) {
			h->marked = 0;
			heap.place[h->self] = to;
			if (to != from)
				memmove(heap.arena + to, h, bytes);
			to += bytes;
			heap.survivors++;
		} else if (h->kind != KIND_DEAD) {
			heap.place[h->self] = heap.free_handle;
			heap.free_handle = h->self;
		}
		from += bytes;
	}
	heap.used = to;
}

static void heap_collect(int full)
{
	for (uint32_t i = 0; i < heap.n_changed; i++)
		bag_header(heap.changed[i])->marked = 0;
	if (full)
		heap.old = 0;
	for (int i = 0; i < heap.n_roots; i++)
		mark_from(heap.root[i]);
	if (!full)
		for (uint32_t i = 0; i < heap.n_changed; i++) {
			const bag *entry = bag_body(heap.changed[i]);

			for (uint32_t k = 1; k <= entry[0]; k++)
				mark_from(entry[k]);
		}
	heap.n_changed = 0;
	heap_compact();
	heap.old = heap.used;
	heap.collections++;
}

static size_t heap_claim(size_t bytes)
{
	size_t at;

	if (heap.used + bytes > heap.old + heap.nursery)
		heap_collect(0);
	if (heap.used + bytes + heap.nursery > heap.room) {
		heap_collect(1);
		while (2 * (heap.used + bytes + heap.nursery) > heap.room) {
			heap.room *= 2;
			heap.arena = grown(heap.arena, heap.room);
		}
	}
	at = heap.used;
	heap.used += bytes;
	return at;
}

static bag bag_new(enum bag_kind kind, size_t body_bytes)
{
	size_t bytes = (sizeof(struct bag_header) + body_bytes + 7) & ~(size_t)7;
	size_t at = heap_claim(bytes);
	bag b = heap.free_handle;

	if (b) {
		heap.free_handle = (uint32_t)heap.place[b];
	} else {
		if (heap.n_handles == heap.handle_room) {
			heap.handle_room *= 2;
			heap.place = grown(heap.place, heap.handle_room * sizeof(*heap.place));
			heap.changed =
				grown(heap.changed, heap.handle_room * sizeof(*heap.changed));
			heap.stack = grown(heap.stack, heap.handle_room * sizeof(*heap.stack));
		}
		b = heap.n_handles++;
	}
	heap.place[b] = at;
	*bag_header(b) = (struct bag_header){(uint32_t)bytes, b, (uint32_t)kind, 0};
	return scope_keep(b);
}

/* A list's body: how many entries are in use, then the entries. */
static bag list_new(uint32_t room)
{
	bag list = bag_new(KIND_LIST, (room + 1) * sizeof(bag));

	((bag *)bag_body(list))[0] = 0;
	return list;
}

static uint32_t list_size(bag list)
{
	return ((const bag *)bag_body(list))[0];
}

static bag list_get(bag list, uint32_t i)
{
	return ((const bag *)bag_body(list))[i + 1];
}

static void list_set(bag list, uint32_t i, bag value)
{
	((bag *)bag_body(list))[i + 1] = value;
	if (heap.place[list] < heap.old && !bag_header(list)->marked) {
		bag_header(list)->marked = 1;
		heap.changed[heap.n_changed++] = list;
	}
}

static void list_fill(bag list, uint32_t size)
{
	bag *entry = bag_body(list);

	memset(entry + 1, 0, size * sizeof(*entry));
	entry[0] = size;
}

/* Growing moves the body to a new place, so only lists that are roots themselves may grow. */
static void list_append(bag list, bag value)
{
	uint32_t size = list_size(list);
	size_t bytes = bag_header(list)->bytes;

	if (sizeof(struct bag_header) + (size + 2) * sizeof(bag) > bytes) {
		size_t at = heap_claim(2 * bytes), from = heap.place[list];
		struct bag_header *left = (struct bag_header *)(void *)(heap.arena + from);

		memcpy(heap.arena + at, left, bytes);
		left->kind = KIND_DEAD;
		left->marked = 0;
		heap.place[list] = at;
		bag_header(list)->bytes = (uint32_t)(2 * bytes);
		bag_header(list)->marked = 0;
		for (uint32_t i = 0; i < heap.n_changed; i++)
			if (heap.changed[i] == list)
				heap.changed[i--] = heap.changed[--heap.n_changed];
	}
	((bag *)bag_body(list))[0] = size + 1;
	list_set(list, size, value);
}

#endif
