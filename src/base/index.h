/*
 * index.h - finds things in an array by what they are: a hash table from hashes to numbers.
 *
 * The array stays with its owner, who compares. A look-up costs a few comparisons, however many
 * things there are, unless their hashes were chosen to be alike: the hash is no secret. Code
 * that takes names from outside must bound their number. Nothing is removed but everything at once.
 */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE SIZE_MAX

/* All zero is an empty one. */
struct index {
	struct index_slot {
		uint64_t hash;
		size_t number; /* plus one; 0: free */
	} * slots;
	size_t count, capacity; /* a power of two, at least twice the count */
};

/* Whether the thing of that number is the one that is looked for. */
typedef bool index_same(const void *context, size_t number);

size_t index_find(const struct index *index, uint64_t hash, index_same *same, const void *context);
/* Adds a thing that is not there. */
void index_add(struct index *index, uint64_t hash, size_t number);
void index_release(struct index *index);

/* The hash of a text, and of a number beside another hash. */
uint64_t index_hash_text(const char *text);
uint64_t index_hash_number(uint64_t hash, uint64_t number);

#endif
