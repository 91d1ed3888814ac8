/*
 * gain.h - what would go away without each cause, in cycles of the run: the links of the truth's
 * order A (count/truth.h), from the machine with everything perfect to the one that runs, measured
 * in windows of the run (job/windows.h) and compared there with the dispatch slots of the cause
 * (count/slots.h), which are known for the whole run.
 *
 * A machine is not simulated in a window in which nothing has counted that could make it differ
 * from the next. Estimates below 0 become 0, and all are scaled so that they add up to the cycles:
 * both are within the errors of what is measured.
 */
#ifndef JOB_GAIN_H
#define JOB_GAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/truth.h"
#include "job/parts.h"
#include "job/windows.h"

/* One link: the causes that share it, what they cost and how far that may be off, in cycles. */
struct gain_link {
	uint64_t causes; /* as bits */
	double cycles, error;
};

struct gain {
	struct truth_link chain[TRUTH_LINKS];
	size_t count;
	struct config machines[TRUTH_LINKS]; /* all but the last, which runs */
	struct windows_like like[TRUTH_LINKS];
	uint64_t causes[TRUTH_LINKS];
	unsigned levels;
	struct windows *windows;
	const uint64_t *charged;
};

/* Plans the machines; the windows are the caller's. */
void gain_init(struct gain *gain, const struct config *config);
/* How many windows say what the links cost; 0: nothing is known. `charged` are the slots by cause
 * of the whole run, which has so many cycles. */
size_t gain_read(const struct gain *gain, const uint64_t charged[CAUSE_COUNT], uint64_t cycles,
		 struct gain_link links[TRUTH_LINKS]);
/* How far a component may be off, in cycles. */
double gain_error(const struct gain *gain, const uint64_t charged[CAUSE_COUNT], uint64_t cycles,
		  enum component component);

#endif
