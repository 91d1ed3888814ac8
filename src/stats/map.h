/*
 * map.h - the functions of a linker map file (GNU ld -Map), as Hough et al. 2006, section 4, find
 * them: their names and their first and last addresses.
 *
 * A function begins at its symbol in an input section of code (.text and what begins with .text.)
 * and ends before the next symbol of that section, or with it. A section .text.NAME without
 * symbols, which is how a static function looks, is the function NAME. Everything in the file is
 * hostile until checked; what is not understood is skipped.
 */
#ifndef STATS_MAP_H
#define STATS_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct stats_map_function {
	char *name;
	uint64_t low, high; /* both inclusive */
};

struct stats_map {
	struct stats_map_function *functions;
	size_t count, capacity;
};

/* False with a sentence if there is no function in it. Release either way. */
bool stats_map_read(struct stats_map *map, const char *text, size_t bytes, struct err *err);
void stats_map_release(struct stats_map *map);

#endif
