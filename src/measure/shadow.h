/*
 * shadow.h - which lines a cache of a number of lines would hold if each could be anywhere in it:
 * the lines used last. A miss of a cache whose line its shadow holds is due to the cache's sets.
 */
#ifndef MEASURE_SHADOW_H
#define MEASURE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

struct shadow {
	struct shadow_node *nodes; /* 0 is the list of all, from the last used on */
	uint32_t *buckets;
	uint32_t used, room, bucket_mask;
};

void shadow_init(struct shadow *shadow, uint32_t lines);
void shadow_release(struct shadow *shadow);
/* Uses the line; true if it was held. */
bool shadow_touch(struct shadow *shadow, uint64_t line);

#endif
