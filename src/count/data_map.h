/*
 * data_map.h - which number each piece of 16 bytes of the guest's memory has.
 *
 * A tree over the address space, in which a branch whose pieces all have one number is that number:
 * a block of any size costs a few words, millions of small ones 4 bytes for each 16 of theirs.
 * Bounded: beyond DATA_MAP_LEAVES_MOST pages that are cut into pieces, such a page has the number
 * `over` as a whole. Number 0 is that of memory which was given none. Of blocks that share 16
 * bytes, the one given last has them.
 */
#ifndef COUNT_DATA_MAP_H
#define COUNT_DATA_MAP_H

#include <stddef.h>
#include <stdint.h>

#define DATA_MAP_PIECE_BITS  4
#define DATA_MAP_LEAVES_MOST (1u << 18) /* 256 MB */

struct data_map {
	uint64_t *top;	     /* see data_map.c; NULL: all are 0 */
	size_t leaves, most; /* 0: DATA_MAP_LEAVES_MOST */
	uint32_t over;
};

void data_map_set(struct data_map *map, uint64_t start, uint64_t bytes, uint32_t number);
uint32_t data_map_find(const struct data_map *map, uint64_t address);
void data_map_release(struct data_map *map);

#endif
