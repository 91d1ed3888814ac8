/*
 * objdb_index.h - the three kinds of index of objdb, behind one table of
 * functions: a B-tree for lookups and ranges, a chained hash, a skip list for
 * what is taken from the front.
 *
 * All map a 64 bit key, which is unique within the index, to an object number.
 * Trees delete lazily: leaves may run empty, and are then skipped.
 */
#ifndef OBJDB_INDEX_H
#define OBJDB_INDEX_H

#include "workload.h"

enum { TREE_FANOUT = 16, SKIP_LEVELS = 12 };

struct tree_node {
	int32_t leaf, count;
	uint64_t keys[TREE_FANOUT];
	uint32_t objects[TREE_FANOUT]; /* of a leaf */
	struct tree_node *children[TREE_FANOUT + 1];
	struct tree_node *right; /* neighbour of a leaf */
};

struct hash_entry {
	struct hash_entry *next;
	uint64_t key;
	uint32_t object;
};

struct skip_node {
	uint64_t key;
	uint32_t object;
	int32_t levels;
	struct skip_node *next[];
};

struct index;

struct index_kind {
	const char *name;
	int (*insert)(struct index *, uint64_t key, uint32_t object); /* 0: is there already */
	int (*remove)(struct index *, uint64_t key);		      /* 0: is not there */
	uint32_t (*find)(const struct index *, uint64_t key);	      /* 0: is not there */
	void (*release)(struct index *);
};

struct index {
	const struct index_kind *kind;
	uint32_t count;
	struct tree_node *root;
	struct hash_entry **buckets;
	uint32_t bucket_count;
	struct skip_node *head;
};

/* The first position whose key is not below. */
static int tree_position(const struct tree_node *n, uint64_t key)
{
	int low = 0, high = n->count;

	while (low < high) {
		int middle = (low + high) / 2;

		if (n->keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Keys of an inner node are the largest of the child to the left. */
static struct tree_node *tree_leaf(const struct index *ix, uint64_t key)
{
	struct tree_node *n = ix->root;

	while (n && !n->leaf)
		n = n->children[tree_position(n, key)];
	return n;
}

static struct tree_node *tree_split(struct tree_node *n, uint64_t *middle_key)
{
	struct tree_node *right = workload_alloc(sizeof(*right));
	int keep = TREE_FANOUT / 2;

	right->leaf = n->leaf;
	right->count = n->count - keep;
	memcpy(right->keys, n->keys + keep, sizeof(n->keys[0]) * (size_t)right->count);
	if (n->leaf) {
		memcpy(right->objects, n->objects + keep,
		       sizeof(n->objects[0]) * (size_t)right->count);
		right->right = n->right;
		n->right = right;
	} else {
		memcpy(right->children, n->children + keep,
		       sizeof(n->children[0]) * (size_t)(right->count + 1));
	}
	n->count = n->leaf ? keep : keep - 1;
	*middle_key = n->keys[keep - 1];
	return right;
}

/* Makes room in the full child at the position; the node itself has room. */
static void tree_split_child(struct tree_node *n, int at)
{
	uint64_t key;
	struct tree_node *right = tree_split(n->children[at], &key);

	memmove(n->keys + at + 1, n->keys + at, sizeof(n->keys[0]) * (size_t)(n->count - at));
	memmove(n->children + at + 2, n->children + at + 1,
		sizeof(n->children[0]) * (size_t)(n->count - at));
	n->keys[at] = key;
	n->children[at + 1] = right;
	n->count++;
}

static int tree_insert(struct index *ix, uint64_t key, uint32_t object)
{
	struct tree_node *n;
	int at;

	if (!ix->root) {
		ix->root = workload_alloc(sizeof(*ix->root));
		ix->root->leaf = 1;
	}
	if (ix->root->count == TREE_FANOUT) {
		n = workload_alloc(sizeof(*n));
		n->children[0] = ix->root;
		ix->root = n;
		tree_split_child(n, 0);
	}
	for (n = ix->root; !n->leaf; n = n->children[at]) {
		at = tree_position(n, key);
		if (n->children[at]->count == TREE_FANOUT) {
			tree_split_child(n, at);
			at += key > n->keys[at];
		}
	}
	at = tree_position(n, key);
	if (at < n->count && n->keys[at] == key)
		return 0;
	memmove(n->keys + at + 1, n->keys + at, sizeof(n->keys[0]) * (size_t)(n->count - at));
	memmove(n->objects + at + 1, n->objects + at,
		sizeof(n->objects[0]) * (size_t)(n->count - at));
	n->keys[at] = key;
	n->objects[at] = object;
	n->count++;
	ix->count++;
	return 1;
}

static int tree_remove(struct index *ix, uint64_t key)
{
	struct tree_node *n = tree_leaf(ix, key);
	int at = n ? tree_position(n, key) : 0;

	if (!n || at == n->count || n->keys[at] != key)
		return 0;
	n->count--;
	memmove(n->keys + at, n->keys + at + 1, sizeof(n->keys[0]) * (size_t)(n->count - at));
	memmove(n->objects + at, n->objects + at + 1,
		sizeof(n->objects[0]) * (size_t)(n->count - at));
	ix->count--;
	return 1;
}

static uint32_t tree_find(const struct index *ix, uint64_t key)
{
	const struct tree_node *n = tree_leaf(ix, key);
	int at = n ? tree_position(n, key) : 0;

	return n && at < n->count && n->keys[at] == key ? n->objects[at] : 0;
}

/* Objects with keys from first on, in order; returns how many of at most limit. */
static int tree_range(const struct index *ix, uint64_t first, uint64_t last, uint32_t *objects,
		      int limit)
{
	const struct tree_node *n = tree_leaf(ix, first);
	int at = n ? tree_position(n, first) : 0, count = 0;

	for (; n; n = n->right, at = 0)
		for (; at < n->count; at++) {
			if (n->keys[at] > last || count == limit)
				return count;
			objects[count++] = n->objects[at];
		}
	return count;
}

static void tree_free(struct tree_node *n)
{
	for (int i = 0; !n->leaf && i <= n->count; i++)
		tree_free(n->children[i]);
	free(n);
}

static void tree_release(struct index *ix)
{
	if (ix->root)
		tree_free(ix->root);
}

static struct hash_entry **hash_link(const struct index *ix, uint64_t key)
{
	struct hash_entry **link = &ix->buckets[key & (ix->bucket_count - 1)];

	while (*link && (*link)->key != key)
		link = &(*link)->next;
	return link;
}

static void hash_grow(struct index *ix)
{
	uint32_t count = ix->bucket_count ? 2 * ix->bucket_count : 64;
	struct hash_entry **buckets = workload_alloc(sizeof(struct hash_entry *) * count);

	for (uint32_t i = 0; i < ix->bucket_count; i++)
		for (struct hash_entry *e = ix->buckets[i], *next; e; e = next) {
			next = e->next;
			e->next = buckets[e->key & (count - 1)];
			buckets[e->key & (count - 1)] = e;
		}
	free(ix->buckets);
	ix->buckets = buckets;
	ix->bucket_count = count;
}

static int hash_insert(struct index *ix, uint64_t key, uint32_t object)
{
	struct hash_entry **link;

	if (ix->count >= ix->bucket_count)
		hash_grow(ix);
	link = hash_link(ix, key);
	if (*link)
		return 0;
	*link = workload_alloc(sizeof(**link));
	(*link)->key = key;
	(*link)->object = object;
	ix->count++;
	return 1;
}

static int hash_remove(struct index *ix, uint64_t key)
{
	struct hash_entry **link = ix->bucket_count ? hash_link(ix, key) : NULL, *gone;

	if (!link || !*link)
		return 0;
	gone = *link;
	*link = gone->next;
	free(gone);
	ix->count--;
	return 1;
}

static uint32_t hash_find(const struct index *ix, uint64_t key)
{
	struct hash_entry **link = ix->bucket_count ? hash_link(ix, key) : NULL;

	return link && *link ? (*link)->object : 0;
}

static void hash_release(struct index *ix)
{
	for (uint32_t i = 0; i < ix->bucket_count; i++)
		for (struct hash_entry *e = ix->buckets[i], *next; e; e = next) {
			next = e->next;
			free(e);
		}
	free(ix->buckets);
}

/* Levels come from the key, so that the list does not depend on its history. */
static int skip_levels(uint64_t key)
{
	uint64_t mixed = (key ^ (key >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
	int levels = 1;

	for (mixed >>= 20; (mixed & 3) == 0 && levels < SKIP_LEVELS; mixed >>= 2)
		levels++;
	return levels;
}

static struct skip_node *skip_new(uint64_t key, uint32_t object, int levels)
{
	struct skip_node *n =
		workload_alloc(sizeof(*n) + sizeof(struct skip_node *) * (size_t)levels);

	n->key = key;
	n->object = object;
	n->levels = levels;
	return n;
}

/* The last node below the key on every level; returns the one after it. */
static struct skip_node *skip_search(const struct index *ix, uint64_t key,
				     struct skip_node *before[SKIP_LEVELS])
{
	struct skip_node *n = ix->head;

	for (int level = SKIP_LEVELS - 1; level >= 0; level--) {
		while (n->next[level] && n->next[level]->key < key)
			n = n->next[level];
		before[level] = n;
	}
	return n->next[0];
}

static int skip_insert(struct index *ix, uint64_t key, uint32_t object)
{
	struct skip_node *before[SKIP_LEVELS], *found, *n;

	if (!ix->head)
		ix->head = skip_new(0, 0, SKIP_LEVELS);
	found = skip_search(ix, key, before);
	if (found && found->key == key)
		return 0;
	n = skip_new(key, object, skip_levels(key));
	for (int level = 0; level < n->levels; level++) {
		n->next[level] = before[level]->next[level];
		before[level]->next[level] = n;
	}
	ix->count++;
	return 1;
}

static int skip_remove(struct index *ix, uint64_t key)
{
	struct skip_node *before[SKIP_LEVELS], *n;

	n = ix->head ? skip_search(ix, key, before) : NULL;
	if (!n || n->key != key)
		return 0;
	for (int level = 0; level < n->levels; level++)
		before[level]->next[level] = n->next[level];
	free(n);
	ix->count--;
	return 1;
}

static uint32_t skip_find(const struct index *ix, uint64_t key)
{
	struct skip_node *before[SKIP_LEVELS], *n;

	n = ix->head ? skip_search(ix, key, before) : NULL;
	return n && n->key == key ? n->object : 0;
}

static uint32_t skip_first(const struct index *ix)
{
	return ix->head && ix->head->next[0] ? ix->head->next[0]->object : 0;
}

static void skip_release(struct index *ix)
{
	for (struct skip_node *n = ix->head, *next; n; n = next) {
		next = n->next[0];
		free(n);
	}
}

static const struct index_kind index_tree = {"tree", tree_insert, tree_remove, tree_find,
					     tree_release};
static const struct index_kind index_hash = {"hash", hash_insert, hash_remove, hash_find,
					     hash_release};
static const struct index_kind index_skip = {"skip list", skip_insert, skip_remove, skip_find,
					     skip_release};

#endif
