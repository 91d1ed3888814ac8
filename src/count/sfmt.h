/*
 * sfmt.h - what clearing loses in the shared frontend miss event table.
 *
 * The one set of I-side counters is cleared by a mispredicted branch. Three things can go
 * wrong, and only somebody who knows the right path can tell them apart; the method
 * itself does not use this.
 */
#ifndef COUNT_SFMT_H
#define COUNT_SFMT_H

#include <stdint.h>

struct sfmt_losses {
	uint64_t older;	  /* right-path stalls before the branch, cleared before they were added */
	uint64_t younger; /* right-path stalls after its resolution, cleared with it */
	uint64_t wrong;	  /* stalls on wrong paths, added */
};

/* Of a counter of one of the sfmt kinds. */
void sfmt_read_losses(const void *counter, struct sfmt_losses *losses);

#endif
