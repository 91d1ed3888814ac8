/*
 * skeleton.h - the long data misses of a trace and how they depend on each other: all that the
 * techniques of Chen and Aamodt (2008) need of it.
 *
 * For each load that misses (miss m, by sequence number) the skeleton has a list of distances: the
 * k-th is the distance from m back to the latest miss at which a chain of k dependent misses that
 * ends with m begins; the first is 0. Chains go through registers, through memory (a load depends
 * on the stores it reads from, byte by byte) and, with pending hits, through blocks (a load that
 * hits a block which miss b has brought in depends on b, section 3.1). So the longest chain that
 * ends with m in a window that starts at s is the number of distances up to m - s, for any s: a
 * chain that begins at s or later lies wholly in the window. The skeleton is therefore the same for
 * every size of the window, number of MSHRs, width and latency.
 *
 * Store misses start no chain; they bring blocks in. With store_fills_miss a load that hits a block
 * that a store is bringing in counts as a miss itself while the store is in the window (a store
 * fetches its block when it commits, and a load after it in the window asks first): its first
 * distance is then that to the store. Otherwise it depends on what the store depends on. A load
 * that reads only bytes written since the block was fetched waits for no block.
 *
 * Chains longer than `window_most` instructions are cut: no window is larger.
 */
#ifndef MODEL_SKELETON_H
#define MODEL_SKELETON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/label.h"
#include "trace/step.h"

struct skeleton_options {
	uint32_t window_most;  /* the largest window, at most SKELETON_WINDOW_MOST */
	uint32_t forward_most; /* a load reads from stores at most this many steps before it */
	bool pending_hits;
	bool store_fills_miss;
	/* A load also depends on what the addresses of all older stores depend on, as on a machine
	 * in which loads wait for them. */
	bool store_addresses;
	bool links; /* remembers the misses of each chain and what lies between them */
};

/* Through what a miss depends on the one before it in a chain; registers are always part of it. */
enum miss_path {
	MISS_PATH_MEMORY = 1,	     /* a load that reads from a store */
	MISS_PATH_PENDING_HIT = 2,   /* a load that hits the block on its way */
	MISS_PATH_STORE_ADDRESS = 4, /* an older store whose address must be known */
	MISS_PATHS = 7
};
#define MISS_PATH_BITS 3

#define SKELETON_WINDOW_MOST 1024

struct skeleton_miss {
	uint64_t sequence;
	uint64_t pc;
	size_t first;	/* index of its first distance */
	uint32_t count; /* of its distances */
	/* The distance back to the latest place where a chain begins that it depends on: a miss, or
	 * the store whose block a load that it depends on hits; 0 if it depends on none. */
	uint32_t parent_distance;
	/* Of the step on the base machine, from its label. */
	uint64_t base_issued, base_left;
};

struct skeleton_store {
	uint64_t sequence, base_left;
};

/* Open, because evaluating a design point is a loop over it. */
struct skeleton {
	struct skeleton_options options;
	struct skeleton_miss *misses;
	size_t count, capacity;
	uint16_t *distances;
	size_t distance_count, distance_capacity;
	/* With options.links, beside the k-th distance: how far back the miss before this one in
	 * that chain is, times 8, plus enum miss_path. */
	uint16_t *links;
	size_t link_count, link_capacity;
	struct skeleton_store *stores; /* the long misses of stores */
	size_t store_count, store_capacity;
	uint64_t instructions;
	/* When the first and the last step leave the base machine; 0 if labels have no base times.
	 */
	uint64_t base_start, base_cycles;
};

struct skeleton_builder;

struct skeleton_builder *skeleton_builder_create(const struct skeleton_options *options);
/* Takes a finished skeleton over, to which no step can be added. */
struct skeleton_builder *skeleton_builder_of(const struct skeleton *skeleton);
void skeleton_builder_destroy(struct skeleton_builder *builder); /* NULL is accepted */
/* The next steps of the trace with their labels. */
void skeleton_builder_add(struct skeleton_builder *builder, const struct trace_step *steps,
			  const struct label *labels, size_t count);
/* What was built so far; belongs to the builder. */
const struct skeleton *skeleton_builder_result(const struct skeleton_builder *builder);

/* The miss before this one in the chain of `length` misses, 2 or more, that ends with it and begins
 * latest; what precedes it there is its own chain of length - 1. Needs options.links. */
const struct skeleton_miss *skeleton_previous(const struct skeleton *skeleton,
					      const struct skeleton_miss *miss, uint32_t length,
					      unsigned *path);
/* Whether there is such a miss, in a skeleton that may not be what a builder made; the misses,
 * their distances and the number of links are. */
bool skeleton_has_link(const struct skeleton *skeleton, const struct skeleton_miss *miss,
		       uint32_t length);

#endif
