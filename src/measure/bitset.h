/*
 * bitset.h - a set of numbers, one bit each, in blocks that are allocated when they are first used.
 */
#ifndef MEASURE_BITSET_H
#define MEASURE_BITSET_H

#include <stdbool.h>
#include <stdint.h>

struct bitset {
	uint64_t **blocks;
	uint64_t block_count;
};

/* Of numbers below `bits`. */
void bitset_init(struct bitset *set, uint64_t bits);
void bitset_release(struct bitset *set);
/* Adds the number; true if it is new. */
bool bitset_add(struct bitset *set, uint64_t number);
/* Removes a number that is there. */
void bitset_remove(struct bitset *set, uint64_t number);

#endif
