/*
 * vclk.h - what the circuit of vclk (rtl/circuit_vclk.c) must know of the observer: the sizes of
 * its tables, and its words before software scales them.
 */
#ifndef COUNT_VCLK_H
#define COUNT_VCLK_H

#include "count/clocks.h"
#include "count/retime.h"

extern const struct retime_limits vclk_limits;

/* The sums of the waits of fetch for l1i, l2i, itlb follow the machines' clocks. */
#define VCLK_SUMS 3
void vclk_plan(struct clocks_plan *plan, const struct config *config);
void vclk_words(const void *counter, uint64_t *words);

#endif
