/*
 * meetings.h - how often rare things met in a run of a core: both in the same 64 committed
 * instructions, or in the cycles in which these committed.
 *
 * Read from the records alone, which must have events of every kind and the list of what committed.
 * An in-order core has no such list: of its committed instructions the addresses are not known.
 */
#ifndef TESTS_CORE_MEETINGS_H
#define TESTS_CORE_MEETINGS_H

#include <stdint.h>

#include "config/config.h"
#include "signal/cycle.h"

#define MEETINGS_RARE(RARE)                                                            \
	RARE(line) /* an access crosses lines */                                       \
	RARE(page) /* an access crosses pages */                                       \
	RARE(atomic)                                                                   \
	RARE(forward)	   /* a load is served by a store that is not written yet */   \
	RARE(partial)	   /* a load reads what a store close before covers in part */ \
	RARE(replay)	   /* a load has read too early */                             \
	RARE(wrong_replay) /* the same on a wrong path */                              \
	RARE(nested)	   /* a branch of a wrong path turns out to be mispredicted */ \
	RARE(ret)	   /* a return is mispredicted */                              \
	RARE(indirect)	   /* an indirect jump or call is mispredicted */              \
	RARE(serial)	   /* a fence, a csr or a system call commits */               \
	RARE(mshr)	   /* a load waits for an MSHR, or the oldest store does */    \
	RARE(buffer)	   /* a store waits for room in the store buffer */            \
	RARE(region)	   /* a measured call has begun */

enum rare {
#define RARE(name) RARE_##name,
	MEETINGS_RARE(RARE)
#undef RARE
		RARE_COUNT
};

#define MEETINGS_STORES 8 /* that a load is compared with */

struct meetings {
	uint64_t line_bytes, page_bytes;
	uint64_t committed, blocks;
	uint32_t seen; /* in the present block, bits by enum rare */
	/* The last stores that committed. */
	uint64_t addresses[MEETINGS_STORES], store_bytes[MEETINGS_STORES];
	unsigned next_store;
	uint64_t pairs[RARE_COUNT][RARE_COUNT]; /* blocks with both; on the diagonal, with it */
};

void meetings_init(struct meetings *meetings, const struct config *config);
void meetings_cycle(struct meetings *meetings, const struct cycle *cycle);
void meetings_region(struct meetings *meetings);
/* A line for each pair that has met: `met A B BLOCKS`. */
void meetings_print(const struct meetings *meetings);

#endif
