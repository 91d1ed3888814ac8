/*
 * measure.h - the characteristics of a program: how much code and data it
 * touches, and how often it would miss in the caches, TLBs and predictor of a
 * configuration, in program order and without time.
 *
 * Two machines are measured in one run, because two papers describe the
 * workloads: the first supplies branch, L1I and D-TLB misses, the second the
 * misses of its last cache ("long" misses). Wrong paths are not followed: a
 * cycle-level run has additional misses, and these change which later accesses
 * miss.
 */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "linux/process.h"

struct measurement {
	uint64_t instructions;
	uint64_t code_bytes;	  /* bytes of the distinct instructions executed */
	uint64_t static_branches; /* distinct conditional branches executed */
	uint64_t data_bytes;	  /* distinct 64-byte lines loaded or stored, times 64 */
	uint64_t mispredictions;  /* wrong directions, and wrong targets of indirect jumps and
				     returns */
	uint64_t l1i_misses;
	uint64_t dtlb_misses;
	uint64_t long_misses; /* data misses of the second machine's last cache */
	uint64_t long_loads;  /* the long misses that are loads */
};

/* Runs the process to its end, or until should_stop says so; false with a
 * sentence if a part cannot be built. */
bool measure_run(struct process *process, const struct config *near, const struct config *far,
		 bool (*should_stop)(void *context), void *context, struct measurement *out,
		 struct err *err);

#endif
