/*
 * replace.h - replacement policies: the line of a set that a new one replaces.
 *
 * Each policy is one const struct replace_kind in replace_<name>.c. Every policy
 * takes a way that holds nothing first (the lowest-numbered one); the policy
 * decides only among lines. Ways are positions in the set's arrays: the policies
 * that keep an order (lru, lrr) keep it by moving lines, the most recent first,
 * so that the victim is always the last way; the others leave lines in place.
 *
 * Deliberately absent: policies that depend on addresses, on the kind of access
 * or on time; what a set holds is a function of the sequence of accesses alone.
 */
#ifndef MEM_REPLACE_H
#define MEM_REPLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/words.h"

struct cache;

struct replace_kind {
	const char *name;
	/* A hit moves the line to the front; cache_touch() does so itself, touch is not called. */
	bool hit_to_front;
	/* The line in `way` of `set` was hit. NULL: a hit changes nothing but the tree of plru,
	 * which cache_note_use() updates. */
	void (*touch)(struct cache *cache, uint64_t set, unsigned way);
	/* The way to give up; every way of the set holds a line. */
	unsigned (*victim)(struct cache *cache, uint64_t set);
	/* A new line was put into `way`; returns the way in which it is now. */
	unsigned (*insert)(struct cache *cache, uint64_t set, unsigned way);
};

#define KIND(id, word) extern const struct replace_kind replace_##word;
CONFIG_WORDS_replacement(KIND)
#undef KIND

	/* The kind of that word of CONFIG_WORDS_replacement; NULL for any other name. */
	const struct replace_kind *replace_find(const char *name);

/* Gives a cache of the policy plru the trees of its sets; they are the cache's. */
void replace_plru_init(struct cache *cache, uint64_t sets);

#endif
