/*
 * sfmt.h - what clearing loses in the shared frontend miss event table.
 *
 * The one set of I-side counters is cleared by a mispredicted branch. This causes three kinds of
 * error, which only knowledge of the right path can tell apart; the method itself does not use
 * these numbers.
 */
#ifndef COUNT_SFMT_H
#define COUNT_SFMT_H

#include <stdint.h>

struct sfmt_losses {
	uint64_t older;	  /* right-path stalls before the branch, cleared before they were added */
	uint64_t younger; /* right-path stalls after the branch's resolution, cleared with it */
	uint64_t wrong;	  /* stalls on wrong paths that were added */
};

/* `counter` is of one of the sfmt kinds. */
void sfmt_read_losses(const void *counter, struct sfmt_losses *losses);

#endif
