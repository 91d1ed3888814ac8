/*
 * misses.h - every technique for long data misses beside simulation, program by program: the
 * measurements that the figures of Chen and Aamodt (2008) are made of.
 *
 * Of each program are simulated: the whole machine; perfect predictor and instruction cache with
 * long data misses served by the last cache (base), with each of branch and icache made real, with
 * real data misses and MSHRs unlimited, 16 and 8, and with these unlimited and pending hits that
 * take the latency of a hit. The example is also simulated with other memory latencies. An error is
 * the difference between modelled and simulated CPI of long data misses, as a part of the latter.
 */
#ifndef JOB_MISSES_H
#define JOB_MISSES_H

#include <jansson.h>

#include "job/judge.h"

/* Programs that were not done when the user interrupted are left out. `example` is the name of a
 * program. NULL with a sentence if a simulation failed, or with an empty one if nothing was done.
 */
json_t *misses_run(const struct judge_request *request, const char *example, bool *interrupted,
		   struct err *err);

#endif
