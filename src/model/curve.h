/*
 * curve.h - a program's window characteristic: instructions per cycle as a function of the number
 * of instructions in the window, with perfect predictor and instruction cache, every data access
 * that leaves the L1D served by the next cache (Karkhanis and Smith 2004; Chen and Aamodt 2008,
 * section 2). Its value at the size of the reorder buffer gives the base CPI.
 *
 * Each step is given the cycles in which it is fetched, enters the window, issues, completes and
 * leaves, from those of the steps it depends on, in program order: widths, units, ports, latencies,
 * store forwarding, waiting for the addresses of older stores, and the size of the load-store queue
 * are those of the machine; fetch stops at a taken branch and at the end of a line. Not modelled:
 * the size of the issue queue, the number of branches in flight, serialising instructions, which
 * instruction is preferred when several are ready (the older one in program order).
 */
#ifndef MODEL_CURVE_H
#define MODEL_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "model/label.h"
#include "trace/step.h"

/* One point of the curve. */
struct curve;

/* With `mispredicts`, fetch goes on only when a branch that the predictor gets wrong has been
 * resolved: what that adds to the cycles is the cost of mispredictions, the window draining behind
 * each of them along this curve and the front end being passed again. */
struct curve *curve_create(const struct config *config, uint32_t window, bool mispredicts);
void curve_destroy(struct curve *curve); /* NULL is accepted */
/* The next steps of the trace with their labels. Fills in the labels' base times, unless it
 * mispredicts. */
void curve_add(struct curve *curve, const struct trace_step *steps, struct label *labels,
	       size_t count);
uint32_t curve_window(const struct curve *curve);
/* The mean over what was added; the width of the machine if that was nothing. */
double curve_instructions_per_cycle(const struct curve *curve);

/* Of all that was added. */
uint64_t curve_cycles(const struct curve *curve);

/* Whether both machines have the same curve, up to the window. */
bool curve_same_machine(const struct config *a, const struct config *b);

#endif
