/*
 * chen2008_misses.h - every technique for long data misses beside simulation, program by program:
 * the measurements that the figures of Chen and Aamodt (2008) are made of.
 *
 * Of each program are simulated: the whole machine; perfect predictor and instruction cache with
 * long data misses served by the last cache (base), with each of branch and icache made real, with
 * real data misses and MSHRs unlimited, 16 and 8, and with these unlimited and pending hits that
 * take the latency of a hit. The example is also simulated with other memory latencies. An error is
 * the difference between modelled and simulated CPI of long data misses, as a part of the latter.
 */
#ifndef PAPERS_CHEN2008_MISSES_H
#define PAPERS_CHEN2008_MISSES_H

#include "papers/measurement.h"

/* The programs that our own techniques were made on: errors over these and over the programs that
 * were held out are told apart. Each name is given to one of the three macros, by its place. */
#define MISSES_TUNED_ON(FIRST, NEXT, LAST) \
	FIRST("ssor") NEXT("sparsemv") NEXT("stencil") NEXT("hospital") LAST("netflow")

/* The points of a program are its simulations, then its models, all in one. Concludes the
 * measurements, in which programs that were not done when the user interrupted are left out. */
struct plan *chen2008_misses(const struct measurement_request *request, struct err *err);

#endif
